"""The names of the kinds of cases and of the programs; a module of its own because it needs no other package."""

FAR_END_ALONE = ("st", "jump", "move", "drift", "late", "volume")
BOTH_TALK = ("dt", "driftdt", "music", "stereo", "quiet", "early", "bright", "speaker")
# Append only: a kind's position is part of its cases' seeds (cases.draw).
KINDS = (
    "st",
    "dt",
    "nst",
    "jump",
    "move",
    "drift",
    "driftdt",
    "late",
    "music",
    "stereo",
    "quiet",
    "volume",
    "early",
    "bright",
    "speaker",
)
# Noises around the near end, for the mic modes, not for cancellers. Append only, too.
NOISES = ("keyboard", "fan", "babble")
NEAR_END_ALONE = ("nst", *NOISES)
MODE_KINDS = (*NEAR_END_ALONE, "dt")
# What people meet in calls and the kinds lack (situations.py). Append only, too.
SITUATIONS = (
    "onset",
    "ringback",
    "turned",
    "clipped",
    "softfar",
    "pause",
    "answers",
    "fanned",
    "skipped",
    "narrow",
    "gated",
    "ahead",
    "rough",
)
# What sounds at the near end (voices.py), and where (near_ends.py). Append only, too.
NEAR_SOUNDS = ("child", "whisper", "song", "strings", "dog", "czech", "words")
SCENES = ("alone", "talk", "music", "early", "speaker", "clipped")
NEAR_ENDS = (
    *(f"{name}-{scene}" for name in NEAR_SOUNDS[:6] for scene in SCENES[:3]),
    *(f"words-{scene}" for scene in ("talk", "early", "speaker", "clipped")),
)
# Which microphones hear it, and what there is to hear (arrays.py). Append only, too.
SHAPES = ("pair", "line", "ring")
ARRAY_SCENES = ("diffuse", "aside", "echo", "talk", "moved", "dead")
ARRAYS = tuple(f"{shape}-{scene}" for shape in SHAPES for scene in ARRAY_SCENES)
CHANGES_HALF_WAY = ("jump", "move", "volume")
CANCELLERS = ("module-ec", "module-ec-16", "aec3", "webrtc", "nearend")
PROGRAMS = ("untouched", "ideal", *CANCELLERS)
MODE_PROGRAMS = ("untouched", "rnnoise", "wide", "nearend", "isolation")
NEAR_END_PROGRAMS = ("untouched", "ideal", "module-ec", "aec3", "nearend", "wide", "isolation")
ARRAY_PROGRAMS = ("untouched", "aec3", "single", "mean", "nearend")
RECORDING_PROGRAMS = ("untouched", "module-ec", "aec3", "nearend", "isolation")
TITLES = {
    "untouched": "untouched microphone",
    "ideal": "the near end alone",
    "module-ec": "module-echo-cancel",
    "module-ec-16": "module-echo-cancel 1.6",
    "aec3": "AEC3",
    "webrtc": "nearend, WebRTC engine",
    "nearend": "nearend",
    "rnnoise": "RNNoise",
    "wide": "nearend, wide spectrum",
    "isolation": "nearend, voice isolation",
    "single": "nearend, the best microphone alone",
    "mean": "nearend, the mean of all",
}

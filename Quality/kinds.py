"""The kinds of cases and the programs, by name; here because nothing else is needed to know them."""

FAR_END_ALONE = ("st", "jump", "move", "drift", "late", "volume")
BOTH_TALK = ("dt", "driftdt", "music", "stereo", "quiet", "early", "bright", "speaker")
# Append only: a kind's place is part of its cases' seeds (cases.draw).
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
CHANGES_HALF_WAY = ("jump", "move", "volume")
PROGRAMS = ("untouched", "module-ec", "aec3", "webrtc", "nearend")
TITLES = {
    "untouched": "untouched microphone",
    "module-ec": "module-echo-cancel",
    "aec3": "AEC3",
    "webrtc": "nearend, WebRTC engine",
    "nearend": "nearend",
}

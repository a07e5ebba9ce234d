"""Near ends that are no usual speech, and English ones whose words are known, made from a seed. A case's kind is what
sounds (voices.py) and the scene:

    alone    nothing is played
    talk     the far end talks; the near end sounds from 5 s on
    music    the far end is music; the near end sounds from 5 s on
    early    the far end talks; the near end sounds from the first moment on
    speaker  as talk; the loudspeaker clips, is lopsided, or has a memory
    clipped  as talk; the echo's peaks are 6 or 12 dB over full scale, and cut, and the near end is 0 to 10 dB below it
"""

import numpy as np
from scipy.signal import fftconvolve

import cases
import situations
import sound
import voices
from kinds import NEAR_ENDS, NEAR_SOUNDS, SCENES
from sound import RATE

FIRST_NEAR_END = 300  # the number of the first one; situations count from 200
SECONDS = 16
FRAMES = SECONDS * RATE
SOUNDS_FROM = 5  # s, where the far end is heard alone before
EARLY = 0.3  # s
SHAPES = ("clip", "lopsided", "memory")
SPARE = 0.5  # s of silence at the end of words


def draw(kind, index, seed):
    """Draws the properties of the case `index` of a kind; `event` is when the near end begins, in s."""
    sounds, scene = kind.split("-")
    seed += 1_000 * (FIRST_NEAR_END + 10 * NEAR_SOUNDS.index(sounds) + SCENES.index(scene)) + 10 * index
    random = np.random.default_rng(seed)
    case = {"name": f"{kind}{index}", "kind": kind, "seed": seed} | cases.surroundings(random)
    event = EARLY if scene in ("alone", "early") else SOUNDS_FROM
    case |= {"sounds": sounds, "scene": scene, "index": index, "event": event}
    case["voice"] = str(random.choice(sound.VOICES if sounds != "child" else voices.WOMEN))
    if sounds == "words":
        case["voice"] = voices.ENGLISH
        case["said"] = voices.sentences_of(random, SECONDS - event - SPARE)
    case["far_voice"] = str(random.choice([voice for voice in sound.VOICES if voice != case["voice"]]))
    if scene == "speaker":
        case |= {"distortion": 0.0, "shape": SHAPES[index % len(SHAPES)]}
    if scene == "clipped":
        case |= {"over_db": (6, 12)[index % 2], "ser_db": round(random.uniform(-10, 0), 1)}
    return case


def far_end(case, random):
    """Returns what the call plays: (FRAMES,)."""
    if case["scene"] == "alone":
        return np.zeros(FRAMES)
    if case["scene"] == "music":
        return sound.music(random, FRAMES)[0]
    return sound.speech(case["far_voice"], random, FRAMES)


def echo_of(case, far):
    """Returns the echo of the far end, at its level relative to sound.LEVEL."""
    if not far.any():
        return np.zeros(FRAMES)
    shaped = "shape" in case
    played = sound.distorted(far, case["shape"]) if shaped else sound.saturated(far, case["distortion"])
    room = sound.responses(np.random.default_rng(case["seed"] + 1), case["rt60"], case["dist"])
    echo = sound.through_room(played[None], room, int(case["delay_ms"] * RATE / 1_000))
    return echo * np.sqrt(sound.LEVEL**2 / sound.power(echo) * 10 ** (-case["ser_db"] / 10))


def build(case):
    """Returns the case's sounds by name; the near end is as loud as in the microphone, unless that clips."""
    random = np.random.default_rng(case["seed"])
    far = far_end(case, random)
    echo = echo_of(case, far)
    begin = int(case["event"] * RATE)
    near = np.concatenate([np.zeros(begin), voices.sounding(case, random, FRAMES - begin)])
    heard = fftconvolve(near, sound.responses(random, 0.25, 0.5)[0])[:FRAMES]
    heard *= np.sqrt(sound.power(near) / sound.power(heard))
    mic = echo + heard + sound.noise(random, FRAMES, case["snr_db"])
    fitted = situations.fitting(np.concatenate([mic, heard, echo]))
    gain = sound.decibels(case["over_db"]) / np.max(np.abs(echo)) if "over_db" in case else fitted
    return {
        "far": (far * situations.fitting(far))[:, None],
        "mic": np.clip(mic * gain, -1, 1),
        "near": heard * fitted,
        "echo": echo * fitted,
    }


def make_all(folder, seed, per_kind, kinds=NEAR_ENDS, workers=None):
    """Makes those cases of a seed that do not exist yet; returns the descriptions of all."""
    drawn = [draw(kind, index, seed) for kind in kinds for index in range(per_kind)]
    return cases.make_missing(folder, drawn, build, workers)

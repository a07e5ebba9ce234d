#!/usr/bin/env python3
"""Cases of echo, made from a seed: real voices and music, image-source rooms, loudspeakers that distort, noise, delay,
clocks that drift.

    cases.py FOLDER [--seed 300] [--per-kind 3] [--kinds st,dt]

writes FOLDER/<case>/{far,mic,near,echo}.wav, 12 s at 48 kHz each, and FOLDER/cases.json. far.wav has two channels where
the kind says stereo.

    st       the far end talks alone
    dt       both talk from 5 s on
    nst      the near end alone, noise 40, 20 or 10 dB below
    jump     far end alone; the delay grows by 45 ms half way, as when a device is switched
    move     far end alone; the echo's path changes half way: somebody moves the laptop
    drift    far end alone; loudspeaker's and microphone's clocks differ by 20 to 100 ppm
    driftdt  the same, both talk from 5 s on
    late     far end alone, 200 to 400 ms late: a television
    music    stereo music, the near end talks from 5 s on
    stereo   two far ends, left and right, the near end talks from 5 s on
    quiet    both talk from 5 s on, with headphones: the echo is 40 dB down
    volume   far end alone; somebody turns the loudspeaker up by 9 dB half way
    early    both talk from the first moment on
    bright   stereo music of the full band, the near end talks from 5 s on
    speaker  both talk from 5 s on; the loudspeaker clips, is lopsided, or has a memory
    keyboard the near end alone, who types, 15, 10 or 5 dB below
    fan      the near end alone before a fan, 15, 10 or 5 dB below
    babble   the near end alone, six others talk in the room, 15, 10 or 5 dB below
"""

import argparse
import functools
import hashlib
import json
import multiprocessing
import os
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import soundfile
from scipy.signal import fftconvolve

import noises
import sound
from kinds import BOTH_TALK, KINDS, NEAR_END_ALONE
from kinds import NOISES as NOISE_KINDS

SECONDS = 12
FRAMES = SECONDS * sound.RATE
HALF = FRAMES // 2
FIRST_NOISE = 100  # the number of the first noise; kinds of echo count from 0


def place(kind):
    """Returns the kind's number, which is part of its cases' seeds."""
    return KINDS.index(kind) if kind in KINDS else FIRST_NOISE + NOISE_KINDS.index(kind)


def surroundings(random):
    """Draws the properties that cases of all kinds have."""
    between = random.uniform
    return {
        "rt60": round(between(0.18, 0.5), 2),  # s
        "dist": round(between(0.3, 1.5), 2),  # m from loudspeaker to microphone
        "delay_ms": int(between(5, 120)),
        "ser_db": round(between(-5, 5), 1),  # near end over echo
        "distortion": round(between(0.2, 0.6), 2) if random.random() < 0.4 else 0.0,
        "snr_db": int(between(35, 50)),
    }


def draw(kind, index, seed):
    """Draws the properties of the case `index` of a kind; `seed` is that of the whole run."""
    seed += 1_000 * place(kind) + 10 * index
    random = np.random.default_rng(seed)
    between = random.uniform
    case = {"name": f"{kind}{index}", "kind": kind, "seed": seed} | surroundings(random)
    if kind == "late":
        case["delay_ms"] = int(between(200, 400))
    if kind == "nst":
        case["snr_db"] = (40, 20, 10)[index % 3]
    if kind in NOISE_KINDS:
        case |= {"snr_db": 45, "noise_db": (15, 10, 5)[index % 3]}
    if kind == "quiet":
        case["ser_db"] = 40.0
    if kind == "speaker":
        case |= {"distortion": 0.0, "shape": ("clip", "lopsided", "memory")[index % 3]}
    if kind.startswith("drift"):
        case["ppm"] = int(between(20, 100) * random.choice([-1, 1]))
    return case


def far_end(kind, voices, random):
    """Returns what the call plays: (channels, FRAMES)."""
    if kind in NEAR_END_ALONE:
        return np.zeros((1, FRAMES))
    if kind == "music":
        return sound.music(random, FRAMES)
    if kind == "bright":
        return sound.full_band_music(random, FRAMES)
    if kind == "stereo":
        left = sound.speech(voices[0], random, FRAMES)
        right = sound.speech(voices[2], random, FRAMES, lead=0.8)
        return np.stack([left + 0.3 * right, right + 0.3 * left])
    return sound.speech(voices[0], random, FRAMES)[None]


def near_end(kind, voices, random):
    """Returns the talker at the microphone, without the room."""
    if kind in NEAR_END_ALONE or kind == "early":
        return sound.speech(voices[1], random, FRAMES)
    if kind in BOTH_TALK:
        return sound.speech(voices[1], random, FRAMES, lead=5.0)
    return np.zeros(FRAMES)


def echo_of(case, far):
    """Returns the echo of the far end."""
    kind = case["kind"]
    if kind == "speaker":
        played = np.stack([sound.distorted(channel, case["shape"]) for channel in far])
    else:
        played = sound.saturated(far, case["distortion"])

    def heard(seed, delay_ms):
        room = sound.responses(np.random.default_rng(seed), case["rt60"], case["dist"], len(played))
        return sound.through_room(played, room, int(delay_ms * sound.RATE / 1_000))

    echo = heard(case["seed"] + 1, case["delay_ms"])
    if kind == "jump":
        echo[HALF:] = heard(case["seed"] + 1, case["delay_ms"] + 45)[HALF:]
    if kind == "move":
        moved = np.clip((np.arange(FRAMES) - HALF) / (0.3 * sound.RATE), 0, 1)
        echo = echo * (1 - moved) + heard(case["seed"] + 2, case["delay_ms"]) * moved
    if kind == "volume":
        echo[HALF:] *= sound.decibels(9)
    if "ppm" in case:
        echo = sound.drifted(echo, case["ppm"])
    if kind not in NEAR_END_ALONE:
        echo *= np.sqrt(sound.LEVEL**2 / sound.power(echo) * 10 ** (-case["ser_db"] / 10))
    return echo


def build(case):
    """Returns the case's sounds by name."""
    random = np.random.default_rng(case["seed"])
    voices = list(sound.VOICES)
    random.shuffle(voices)
    far = far_end(case["kind"], voices, random)
    near = near_end(case["kind"], voices, random)
    echo = echo_of(case, far)
    heard = fftconvolve(near, sound.responses(random, 0.25, 0.5)[0])[:FRAMES]
    if near.any():
        heard *= np.sqrt(sound.power(near) / sound.power(heard))
    mic = echo + heard + sound.noise(random, FRAMES, case["snr_db"])
    if case["kind"] in noises.NOISES:
        others = [voice for voice in voices if voice != voices[1]]
        mic += noises.NOISES[case["kind"]](random, FRAMES, others) * sound.decibels(-case["noise_db"])
    gain = min(1.0, 0.9 / max(np.max(np.abs(mic)), np.max(np.abs(far)), 1e-9))
    return {"far": far.T * gain, "mic": mic * gain, "near": heard * gain, "echo": echo * gain}


@functools.cache
def sources_digest(name):
    """Returns the SHA-256 of a module's source, and of those of this folder that it imports as modules."""
    found, left = set(), [sys.modules[name]]
    while left:
        module = left.pop()
        path = Path(getattr(module, "__file__", None) or "/")
        if path.parent == Path(__file__).parent and path not in found:
            found.add(path)
            left += [value for value in vars(module).values() if isinstance(value, ModuleType)]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(found))).hexdigest()


def make(job):
    """Writes the files of one case, unless they exist and today's sources would make the same."""
    folder, case, build_case = Path(job[0]) / job[1]["name"], *job[1:]
    description, maker = folder / "case.json", folder / "sources.txt"
    digest = sources_digest(build_case.__module__)
    if (
        description.exists()
        and json.loads(description.read_text()) == case
        and maker.exists()
        and maker.read_text() == digest
    ):
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, samples in build_case(case).items():
        soundfile.write(folder / f"{name}.wav", samples.astype(np.float32), sound.RATE, subtype="PCM_16")
    description.write_text(json.dumps(case))
    maker.write_text(digest)


def make_all(folder, seed, per_kind, kinds=KINDS, workers=None):
    """Makes those cases of a seed that do not exist yet; returns the descriptions of all."""
    return make_missing(
        folder, [draw(kind, index, seed) for kind in kinds for index in range(per_kind)], build, workers
    )


def make_missing(folder, cases, build_case, workers=None):
    """Makes those of the cases that do not exist yet; returns all."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    with multiprocessing.Pool(workers or os.cpu_count()) as pool:
        for _ in pool.imap_unordered(make, [(str(folder), case, build_case) for case in cases]):
            pass
    (Path(folder) / "cases.json").write_text(json.dumps(cases, indent=1))
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=300)
    parser.add_argument("--per-kind", type=int, default=3)
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=KINDS)
    options = parser.parse_args()
    make_all(options.folder, options.seed, options.per_kind, options.kinds)


if __name__ == "__main__":
    main()

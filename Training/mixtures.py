"""Mixtures to learn from: each a function of its seed.

See sounds.py for what is played and said, acoustics.py for what becomes of it.

Four tracks of SECONDS: microphone, far end, the near end as it should be heard, and the same with the room's noise.
"""

import numpy as np
import soxr

from acoustics import Acoustics
from corpus import RATE, Corpus, power
from sounds import Sounds

SECONDS = 8
TRACKS = 4


def mixture(corpus: Corpus, seed: int, rate: int) -> np.ndarray:
    """The tracks of a seed, int16 of shape (TRACKS, SECONDS · rate)."""
    tracks = _draw(corpus, np.random.default_rng(seed))
    if rate != RATE:
        tracks = [soxr.resample(track, RATE, rate, quality="HQ") for track in tracks]
    return np.stack([np.round(np.clip(track, -1, 1) * 32_767).astype(np.int16) for track in tracks])


def _draw(corpus: Corpus, draw: np.random.Generator) -> list[np.ndarray]:
    frames = SECONDS * RATE
    sounds, acoustics = Sounds(corpus, draw, frames), Acoustics(corpus, draw, frames)
    talks = draw.choice(["both", "far", "near"], p=[0.62, 0.28, 0.10])

    far = np.zeros(frames) if talks == "near" else sounds.far_end() * 10 ** (draw.uniform(-38, -14) / 20)
    if draw.random() < 0.5:
        far = far + draw.normal(size=frames) * 10 ** (draw.uniform(-90, -55) / 20)
    peak = np.max(np.abs(far))
    far = far * min(1, 0.95 / (peak + 1e-9))
    echo = np.zeros(frames)
    if talks != "near":
        played = acoustics.slope(acoustics.equalize(acoustics.loudspeaker(far)), -4, 1)
        echo = acoustics.echo(played)
    if draw.random() < 0.12:  # the loopback is narrower than what is played, or the other way round
        far = acoustics.equalize(far, (20, 100), (3000, 5000))
    if draw.random() < 0.06:  # the loopback is late
        far = np.r_[np.zeros(late := int(draw.integers(1, 24))), far[:-late]]

    near = np.zeros(frames)
    if talks != "far":
        source = sounds.foreground() if draw.random() < 0.1 else acoustics.slope(sounds.voice(), -1, 3)
        near = acoustics.through(source, acoustics.room(near=True)) * sounds.activity()
        near = near / np.sqrt(power(near)) if near.any() else near
    loud = 10 ** (draw.uniform(-36, -16) / 20)
    ratio = draw.uniform(-18, 12) if draw.random() < 0.85 else draw.uniform(12, 35)
    # A device's own noise falls by some 5 dB per octave, and lies 35 dB below what is said, in the median.
    noise = np.zeros(frames)
    if draw.random() < 0.9:
        noise = acoustics.slope(acoustics.equalize(sounds.noise(), (20, 100), (5000, 7800)), -5, 0)
        noise = noise / np.sqrt(np.mean(noise**2) + 1e-12)
    noise = noise * loud * 10 ** (-(draw.uniform(3, 20) if draw.random() < 0.25 else draw.uniform(20, 55)) / 20)
    echo, near = echo * loud * 10 ** (-ratio / 20), near * loud
    microphone, near, noise = acoustics.device(near, noise, echo)
    return [microphone, far, near, near + noise]

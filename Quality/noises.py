"""Noises around the talker: typing, a fan, other talkers. (frames,) at sound.LEVEL."""

import numpy as np
from scipy import signal

import sound

TALKERS = 6


def click(random, loudness):
    """Returns a keystroke: a few modes between 1.5 and 9 kHz that decay within 10 ms, over a thud of the desk."""
    seconds = np.arange(int(0.06 * sound.RATE)) / sound.RATE
    modes = sum(
        random.uniform(0.3, 1) * np.sin(2 * np.pi * hertz * seconds + random.uniform(0, 6)) * np.exp(-seconds / decay)
        for hertz, decay in zip(random.uniform(1_500, 9_000, 7), random.uniform(0.001, 0.004, 7), strict=True)
    )
    rattle = random.normal(size=len(seconds)) * np.exp(-seconds / 0.002)
    thud = np.sin(2 * np.pi * random.uniform(120, 320) * seconds) * np.exp(-seconds / 0.015)
    return loudness * (modes + rattle + 1.5 * thud)


def keyboard(random, frames, _voices):
    """Returns typing: words of 2 to 9 keys, 80 to 220 ms apart; keys sound on press, and more softly on release."""
    typed = np.zeros(frames + sound.RATE)
    moment = random.uniform(0, 0.3)
    while moment * sound.RATE < frames:
        for _ in range(random.integers(2, 10)):
            for later, loudness in (
                (0, random.uniform(0.6, 1)),
                (random.uniform(0.06, 0.11), random.uniform(0.2, 0.4)),
            ):
                start = int((moment + later) * sound.RATE)
                if start < frames:
                    pressed = click(random, loudness)
                    typed[start : start + len(pressed)] += pressed
            moment += random.uniform(0.08, 0.22)
        moment += random.uniform(0.1, 0.6)
    room = sound.responses(random, 0.25, 0.4)[0]
    return sound.levelled(signal.fftconvolve(typed[:frames], room)[:frames])


def fan(random, frames, _voices):
    """Returns a fan: turbulence that falls off above 400 Hz, and the blades' harmonics; its speed varies by 1 %."""
    turbulence = signal.lfilter(*signal.butter(1, 400, fs=sound.RATE), random.normal(size=frames))
    wander = np.cumsum(random.normal(size=frames // sound.RATE + 2))
    speed = np.interp(np.arange(frames) / sound.RATE, np.arange(len(wander)), 1 + 0.005 * np.tanh(wander))
    turns = np.cumsum(random.uniform(90, 220) * speed) / sound.RATE
    blades = sum(
        random.uniform(0.4, 1) / number * np.sin(2 * np.pi * number * turns + random.uniform(0, 6))
        for number in range(1, 9)
    )
    return sound.levelled(turbulence / np.std(turbulence) + 0.5 * blades / np.std(blades))


def babble(random, frames, voices):
    """Returns TALKERS elsewhere in the room, with the given voices."""
    heard = np.zeros(frames)
    for number in range(TALKERS):
        talk = sound.speech(voices[number % len(voices)], random, frames, lead=random.uniform(0, 0.5))
        room = sound.responses(random, random.uniform(0.3, 0.5), random.uniform(1, 2))[0]
        heard += sound.levelled(signal.fftconvolve(talk, room)[:frames])
    return sound.levelled(heard)


NOISES = {"keyboard": keyboard, "fan": fan, "babble": babble}

"""Voices of which no free recording was found, made of those that are there: a child's, a whisper, song. All three
change what the vocoder WORLD (Morise, Yokomori, Ozawa 2016) finds in a recording: pitch, spectral envelope and
aperiodicity. 48 kHz."""

import warnings

import numpy as np
import soxr
from scipy import signal

from sound import RATE

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import pyworld

VOCODER_RATE = 24_000  # Hz
FRAME = 0.005  # s, WORLD's
CHILD_PITCH, CHILD_FORMANTS = (1.25, 1.45), (1.15, 1.25)  # factors; those of five to nine years, of a woman's
WHISPER_HIGH_PASS = 1_500  # Hz
SUNG_STRETCH = 1.6
NOTE_SECONDS = (0.4, 1.0)
SCALE = (-5, -3, -1, 0, 2, 4, 5, 7, 9)  # semitones around the voice's own pitch
VIBRATO_HERTZ, VIBRATO = 5.5, 0.5  # Hz, semitones
GLIDE = 0.05  # s


def analysed(samples):
    """Returns pitch in Hz (0: none), spectral envelope and aperiodicity of each frame."""
    slower = soxr.resample(samples, RATE, VOCODER_RATE)
    pitch, times = pyworld.harvest(slower, VOCODER_RATE, frame_period=1_000 * FRAME)
    envelope = pyworld.cheaptrick(slower, pitch, times, VOCODER_RATE)
    return pitch, envelope, pyworld.d4c(slower, pitch, times, VOCODER_RATE)


def spoken(pitch, envelope, aperiodicity):
    """Returns the sound of what `analysed` returns, changed."""
    changed = (np.ascontiguousarray(part) for part in (pitch, envelope, aperiodicity))
    return soxr.resample(pyworld.synthesize(*changed, VOCODER_RATE, 1_000 * FRAME), VOCODER_RATE, RATE)


def with_formants(frames, factor):
    """Returns each frame's spectrum, stretched along frequency by a factor."""
    bins = np.arange(frames.shape[1])
    return np.stack([np.interp(bins / factor, bins, frame) for frame in frames])


def child(samples, random):
    """Returns a woman's voice with the pitch and the formants of a child."""
    pitch, envelope, aperiodicity = analysed(samples)
    formants = random.uniform(*CHILD_FORMANTS)
    raised = with_formants(envelope, formants), with_formants(aperiodicity, formants)
    return spoken(pitch * random.uniform(*CHILD_PITCH), *raised)


def whisper(samples, _random):
    """Returns a voice whose cords do not sound: noise in place of pitch, and less below 1.5 kHz (Ito, Takeda, Itakura
    2005)."""
    pitch, envelope, aperiodicity = analysed(samples)
    breath = spoken(0 * pitch, envelope, np.ones_like(aperiodicity))
    return signal.lfilter(*signal.butter(1, WHISPER_HIGH_PASS, "high", fs=RATE), breath)


def melody(random, frames, tonic):
    """Returns the pitch of each frame, in Hz: steps of a major scale with glides and vibrato."""
    notes, step = [], 3
    while len(notes) < frames:
        step = int(np.clip(step + random.integers(-2, 3), 0, len(SCALE) - 1))
        notes += [SCALE[step]] * int(random.uniform(*NOTE_SECONDS) / FRAME)
    glide = np.ones(round(GLIDE / FRAME)) / round(GLIDE / FRAME)
    gliding = signal.convolve(np.pad(notes[:frames], len(glide), "edge"), glide, "same")[len(glide) : -len(glide)]
    vibrato = VIBRATO * np.sin(2 * np.pi * VIBRATO_HERTZ * FRAME * np.arange(frames))
    return tonic * 2 ** ((gliding + vibrato) / 12)


def song(samples, random):
    """Returns a voice that sings what it said: slower, and on the notes of a melody."""
    pitch, envelope, aperiodicity = analysed(samples)
    slowly = (np.arange(int(len(pitch) * SUNG_STRETCH)) / SUNG_STRETCH).astype(int)
    tonic = np.median(pitch[pitch > 0]) if pitch.any() else 200
    sung = (pitch[slowly] > 0) * melody(random, len(slowly), tonic)
    return spoken(sung, envelope[slowly], aperiodicity[slowly])

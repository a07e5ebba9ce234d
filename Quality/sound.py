"""Sound sources and paths: voices, music, loudspeakers, rooms, noise and clocks. 48 kHz, float64, full scale is 1."""

import functools
import subprocess
from pathlib import Path

import numpy as np
import pyroomacoustics
import soxr
from scipy.signal import fftconvolve, lfilter

RATE = 48_000  # Hz
LEVEL = 0.06  # active level, about -24 dBFS
SOUNDS = Path("/usr/share/asterisk/sounds")
MUSIC = Path("/usr/share/asterisk/moh")
FULL_BAND_MUSIC = Path("/usr/share/games/etr/music")
VOICES = ("en_US_f_Allison", "fr_CA_f_June", "es_MX_f_Allison", "it_IT_m_Carlo", "ru_RU_f_IvrvoiceRU")
MOST_REFLECTIONS = 17


def decode(path, channels=1, options=()):
    """Reads a file at 48 kHz: (frames,) for one channel, (channels, frames) for more."""
    command = [
        "ffmpeg",
        "-v",
        "error",
        "-threads",
        "1",
        *options,
        "-i",
        str(path),
        "-f",
        "f32le",
        "-ar",
        str(RATE),
        "-ac",
        str(channels),
        "-",
    ]
    samples = np.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, np.float32).astype(
        np.float64
    )
    return samples if channels == 1 else samples.reshape(-1, channels).T


def power(samples):
    """Returns the mean square over the parts with sound."""
    active = np.abs(samples) > 1e-4
    return np.mean(samples[active] ** 2) if active.any() else 1e-12


def levelled(samples, level=LEVEL):
    """Returns the samples scaled to an active RMS of `level`."""
    return samples * level / np.sqrt(power(samples))


def decibels(value):
    """Converts dB to a factor of amplitude."""
    return 10 ** (value / 20)


def recordings(folder, names, has_size=lambda size: True):
    """Returns the files in a folder that match the pattern `names` and have an acceptable size in bytes."""
    found = sorted(path for path in folder.glob(names) if has_size(path.stat().st_size))
    if not found:
        raise FileNotFoundError(f"{folder} has no recordings: Scripts/install-dependencies quality installs them")
    return found


@functools.cache
def sentences(voice):
    """Returns the recordings of a voice that are longer than a word and shorter than a story."""
    return recordings(SOUNDS / voice, "*.g722", lambda size: 20_000 < size < 90_000)


def sentence(voice, random):
    files = sentences(voice)
    return decode(files[random.integers(len(files))], options=("-f", "g722"))


def speech(voice, random, frames, lead=0.3):
    """Returns sentences in random order, with pauses of 0.15 to 0.5 s, after `lead` seconds of silence."""
    parts = [np.zeros(int(lead * RATE))]
    while sum(map(len, parts)) < frames:
        parts.append(sentence(voice, random))
        parts.append(np.zeros(int(random.uniform(0.15, 0.5) * RATE)))
    return levelled(np.concatenate(parts)[:frames])


def music(random, frames):
    """Returns stereo made from mono recordings: two parts of a piece, partly mixed; nothing above 8 kHz. (2, frames)"""
    files = recordings(MUSIC, "*.wav")
    piece = decode(files[random.integers(len(files))])
    left, right = (piece[start : start + frames] for start in random.integers(0, len(piece) - frames, 2))
    return np.stack([levelled(left + 0.5 * right), levelled(right + 0.5 * left)])


def full_band_music(random, frames):
    """Returns stereo music with a bandwidth of 20 kHz: (2, frames)."""
    files = recordings(FULL_BAND_MUSIC, "*.ogg", lambda size: size > 600_000)
    piece = decode(files[random.integers(len(files))], channels=2)
    start = random.integers(RATE, piece.shape[1] - frames - RATE)
    return levelled(piece[:, start : start + frames])


def saturated(samples, amount):
    """Applies a loudspeaker's soft saturation; amount 0 (none) to 1."""
    gain = 1 + 20 * amount
    return np.tanh(samples * gain) / gain if amount else samples


def distorted(samples, how):
    """Applies a distortion other than tanh: clipping, asymmetry, or memory (the cone's excursion lowers the gain)."""
    if how == "clip":
        return np.clip(samples, -0.09, 0.09)
    if how == "lopsided":
        bent = samples + 3.0 * samples * np.abs(samples) + 4.0 * samples**2
        return bent - np.mean(bent)
    excursion = lfilter([0.02], [1, -0.98], samples)
    return samples / (1 + 60 * excursion**2 + 8 * np.abs(excursion))


def responses(random, reverberation, distance, loudspeakers=1):
    """Returns the impulse responses of a shoebox room from the given number of loudspeakers, each `distance` m from the
    microphone; reverberation: RT60 in s."""
    room = np.array([random.uniform(3, 7), random.uniform(3, 6), random.uniform(2.4, 3.2)])
    absorption, reflections = pyroomacoustics.inverse_sabine(reverberation, room)
    material = pyroomacoustics.Material(absorption)
    box = pyroomacoustics.ShoeBox(room, fs=RATE, materials=material, max_order=min(reflections, MOST_REFLECTIONS))
    microphone = room * random.uniform(0.35, 0.6, 3)
    for _ in range(loudspeakers):
        direction = random.normal(size=3)
        box.add_source(np.clip(microphone + direction / np.linalg.norm(direction) * distance, 0.2, room - 0.2))
    box.add_microphone(microphone)
    box.compute_rir()
    peak = max(np.max(np.abs(response)) for response in box.rir[0])
    return [response / peak for response in box.rir[0]]


def through_room(played, impulse_responses, delay=0):
    """Returns the loudspeakers as the microphone hears them, `delay` frames late, cut to their length: (frames,)."""
    frames = played.shape[-1]
    return sum(
        np.concatenate([np.zeros(delay), fftconvolve(channel, response)])[:frames]
        for channel, response in zip(played, impulse_responses, strict=True)
    )


def drifted(samples, parts_per_million):
    """Returns the samples as recorded with a faster clock. Band-limited: 16 times the rate, then linear."""
    up = 16
    finer = soxr.resample(samples, 1, up, "VHQ")
    times = np.arange(len(samples)) * (1 + parts_per_million * 1e-6) * up
    return np.interp(times, np.arange(len(finer)), finer)


def noise(random, frames, below):
    """Returns noise, pink above 100 Hz, `below` dB under LEVEL."""
    shape = np.maximum(np.sqrt(np.fft.rfftfreq(frames, 1 / RATE)), 10)
    pink = np.fft.irfft(np.fft.rfft(random.normal(size=frames)) / shape, frames)
    return pink * LEVEL / np.std(pink) * decibels(-below)

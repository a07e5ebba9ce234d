"""Measures one processed microphone of a case.

echo, deg   AECMOS at 48 kHz: how little echo is heard, how little the near end is harmed; 1 to 5
stoi, pesq  intelligibility (0 to 1) and quality (wide band, 1 to 4.6) of the near end, against the reverberant
            near end alone
erle        dB by which the microphone's power falls while the far end talks alone
first       seconds from 0.3 s on until the echo has been 20 dB down for half a second
back        the same from 6.05 s on, if something changes at 6 s
noise       dB by which the near end's pauses get quieter relative to its speech, in noisy cases
ovrl        DNSMOS P.835: predicted opinion of the whole, speech and noise; 1 to 5
lag_ms      ms by which the near end is late; removed before anything is compared
"""

import warnings

import numpy as np
import soundfile
import soxr
from pystoi import stoi
from scipy import fft

from kinds import CHANGES_HALF_WAY, FAR_END_ALONE, NEAR_END_ALONE
from opinion import EchoOpinion, NoiseOpinion

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pesq import PesqError, pesq

RATE = 48_000  # Hz, of every file
SPEECH_RATE = 16_000  # Hz, for STOI, PESQ and the lag
MEASURES = ("echo", "deg", "stoi", "pesq", "erle", "first", "back", "noise", "ovrl", "lag_ms")
NOISE_MEASURES = ("noise", "ovrl")  # for the kinds without a far end
LESS_IS_BETTER = ("first", "back", "lag_ms")
MOST_LAG_MS = 400


def read_mono(path):
    """Returns the file's samples, its channels averaged."""
    samples, rate = soundfile.read(path)
    if rate != RATE:
        raise ValueError(f"{path}: {rate} Hz, not {RATE}")
    return samples if samples.ndim == 1 else samples.mean(axis=1)


def power(samples):
    return np.mean(samples**2) + 1e-12


def erle(mic, processed):
    """dB."""
    return 10 * np.log10(power(mic) / power(processed))


def seconds(start, end=None):
    return slice(round(start * RATE), None if end is None else round(end * RATE))


def lag(later, sooner):
    """Returns the frames by which one sound lags the other, both at SPEECH_RATE: the strongest correlation up to
    MOST_LAG_MS."""
    size = fft.next_fast_len(len(later) + len(sooner), real=True)
    correlation = fft.irfft(fft.rfft(later, size) * np.conj(fft.rfft(sooner, size)), size)
    return int(np.argmax(np.abs(correlation[: MOST_LAG_MS * SPEECH_RATE // 1_000])))


def late_by(processed, near):
    """Returns the frames by which `processed` lags `near`."""
    return RATE // SPEECH_RATE * lag(*(soxr.resample(samples, RATE, SPEECH_RATE) for samples in (processed, near)))


def moved_earlier(samples, frames, length):
    return np.concatenate([samples[frames:], np.zeros(frames + length)])[:length]


def seconds_to_settle(mic, processed, start, decibels=20, hold=0.5, step=0.05):
    """Returns the seconds from `start` until the echo is `decibels` down for `hold` seconds; if never, to the end."""
    size, begin = int(hold * RATE), int(start * RATE)
    while begin + size <= len(mic):
        heard = slice(begin, begin + size)
        if power(mic[heard]) > 1e-7 and erle(mic[heard], processed[heard]) >= decibels:
            return begin / RATE - start
        begin += int(step * RATE)
    return len(mic) / RATE - start


def quieter(mic, processed, near, block=RATE // 50):
    """Returns the dB by which blocks without the near end fall relative to those with it, from `mic` to `processed`."""
    count = len(near) // block

    def powers(samples):
        return np.mean(samples[: count * block].reshape(count, block) ** 2, axis=1)

    level = powers(near)
    talks, pauses = level > 1e-3 * level.max(), level < 1e-6 * level.max()

    def ratio(samples):
        of_block = powers(samples) + 1e-12
        return np.mean(of_block[pauses]) / np.mean(of_block[talks])

    return 10 * np.log10(ratio(mic) / ratio(processed))


class ScoredCase:
    """One case, with everything that is computed once for all programs."""

    def __init__(self, folder, name, kind, opinion: EchoOpinion, noise_opinion: NoiseOpinion, with_pesq=True):
        self.name, self.kind, self.with_pesq = name, kind, with_pesq
        self.opinion, self.noise_opinion = opinion, noise_opinion
        self.far, self.mic, self.near = (read_mono(f"{folder}/{name}/{part}.wav") for part in ("far", "mic", "near"))
        self.near_talks = kind not in FAR_END_ALONE
        self.scenario = "nst" if kind in NEAR_END_ALONE else "dt" if self.near_talks else "st"
        self.rated = seconds(3 if self.near_talks and kind not in (*NEAR_END_ALONE, "early") else 0)
        whole = dict.fromkeys(NEAR_END_ALONE, seconds(1, 11.5))
        self.talk = (whole | {"early": seconds(0.3, 5)}).get(kind, seconds(5, 11.5))
        self.features = [opinion.features(samples[self.rated]) for samples in (self.far, self.mic)]
        self.clean = soxr.resample(self.near[self.talk], RATE, SPEECH_RATE)

    def score(self, path):
        """Returns the measures, by name, of the processed microphone in the file; only those that the kind has."""
        processed = read_mono(path)
        lag = late_by(processed, self.near) if self.near_talks else 0
        processed = np.clip(moved_earlier(processed, lag, len(self.mic)), -1, 1)
        found = {"lag_ms": 1_000 * lag / RATE}
        echo, deg = self.opinion.rate(self.scenario, *self.features, self.opinion.features(processed[self.rated]))
        if self.near_talks:
            return found | self.score_talk(processed, echo, deg)
        return found | {"echo": echo} | self.score_echo(processed)

    def score_echo(self, processed):
        changes = self.kind in CHANGES_HALF_WAY
        settled = seconds(8 if changes else 2)
        found = {
            "erle": erle(self.mic[settled], processed[settled]),
            "first": seconds_to_settle(self.mic, processed, 0.3),
        }
        if changes:
            found["back"] = seconds_to_settle(self.mic, processed, 6.05)
        return found

    def score_talk(self, processed, echo, deg):
        talk = soxr.resample(processed[self.talk], RATE, SPEECH_RATE)
        found = {"deg": deg, "stoi": stoi(self.clean, talk, SPEECH_RATE)}
        if self.with_pesq:
            try:
                found["pesq"] = pesq(SPEECH_RATE, self.clean, talk, "wb")
            except PesqError:
                found["pesq"] = 1.0  # PESQ finds no speech
        if self.kind in NEAR_END_ALONE:
            heard = seconds(1, 11.5)
            found["noise"] = quieter(self.mic[heard], processed[heard], self.near[heard])
            found["ovrl"] = self.noise_opinion.rate(soxr.resample(processed[heard], RATE, SPEECH_RATE))
            return found
        found["echo"] = echo
        if self.kind not in ("quiet", "early"):
            before = seconds(2, 5)
            found["erle"] = erle(self.mic[before], processed[before])
        return found

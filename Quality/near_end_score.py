"""Measures what a program leaves of a near end of near_ends.py, beside what it leaves of the echo.

kept        dB of the near end's power that are left where it sounds; in each third of an octave and each fifth of a
            second it is the part of the output that is the near end, times a factor: its projection. Other sound at
            most adds a little. 0: all, less: lost
gone        % of the time in which the near end sounds when less than a tenth of its power is left
stoi        intelligibility of speech and song, 0 to 1, against the reverberant near end alone
ovrl        DNSMOS P.835 of the first 11 s of speech: predicted opinion of the whole, 1 to 5
erle        dB by which the microphone's power falls while the far end sounds alone, from 2 s on
wer         % of the words said that the recognizer gets wrong (recognizer.py)
words       how many words were said
"""

from pathlib import Path

import numpy as np
import soxr
from pystoi import stoi
from scipy import signal

import recognizer
import voices
from measures import RATE, SPEECH_RATE, erle, late_by, moved_earlier, read_mono, seconds

SPEECH = ("child", "whisper", "czech")
INTELLIGIBLE = (*SPEECH, "song", "words")
SPECTRUM, HOP = 2_048, 512  # frames
PASSAGE = 0.2  # s
BANDS = 100 * 2 ** (np.arange(23) / 3)  # Hz, lower edges of thirds of an octave, up to 16 kHz
SOUNDING_DB = 30  # below the loudest passage
GONE_DB = 10
ALONE_FROM = 2  # s
RATED = 11 * SPEECH_RATE  # frames, for DNSMOS: as long in each scene


def spectra(samples):
    """Returns the spectra, arranged in passages: (passages, frames, bins)."""
    _, _, found = signal.stft(samples, RATE, nperseg=SPECTRUM, noverlap=SPECTRUM - HOP, boundary=None)
    frames = round(PASSAGE * RATE / HOP)
    count = found.shape[1] // frames
    return found.T[: count * frames].reshape(count, frames, -1)


def powers_kept(near, processed):
    """Returns the near end's power in each passage, and how much of it is left: (passages,) each."""
    clean, heard = spectra(near), spectra(processed)
    edges = np.round(BANDS * SPECTRUM / RATE).astype(int)
    power, left = np.zeros(len(clean)), np.zeros(len(clean))
    for low, high in zip(edges, [*edges[1:], round(16_000 * SPECTRUM / RATE)], strict=True):
        of_clean, of_heard = (part[:, :, low : max(high, low + 1)] for part in (clean, heard))
        own = np.sum(np.abs(of_clean) ** 2, axis=(1, 2))
        common = np.abs(np.sum(np.conj(of_clean) * of_heard, axis=(1, 2)))
        power += own
        left += common**2 / (own + 1e-20)
    return power, left


def kept(near, processed):
    """Returns the dB of the near end's power that are left, and the % of its time in which it is gone."""
    power, left = powers_kept(near, processed)
    sounding = power > power.max() * 10 ** (-SOUNDING_DB / 10)
    share = left[sounding] / power[sounding]
    whole = 10 * np.log10(left[sounding].sum() / power[sounding].sum() + 1e-6)
    return float(whole), float(100 * np.mean(share < 10 ** (-GONE_DB / 10)))


class ScoredNearEnd:
    """One case, with everything that is computed once for all programs."""

    def __init__(self, folder, case, noise_opinion):
        self.case, self.noise_opinion = case, noise_opinion
        where = Path(folder) / case["name"]
        self.mic, self.near = (read_mono(where / f"{part}.wav") for part in ("mic", "near"))
        self.talk = seconds(case["event"])
        if case["sounds"] == "words":
            texts = voices.english_texts()
            self.said = [word for name in case["said"] for word in voices.words_of(texts[name])]

    def score(self, path):
        """Returns the measures, by name, of the processed microphone in the file; only those that the kind has."""
        processed = read_mono(path)
        lag = late_by(processed, self.near)
        processed = np.clip(moved_earlier(processed, lag, len(self.mic)), -1, 1)
        found, sounds = {}, self.case["sounds"]
        near, voice = self.near[self.talk], processed[self.talk]
        clean, heard = (soxr.resample(samples, RATE, SPEECH_RATE) for samples in (near, voice))
        if sounds == "words":
            wrong = recognizer.listen(self.said, heard)
            found |= {"wer": wrong.share, "words": wrong.words}
        else:
            found["kept"], found["gone"] = kept(near, voice)
        if sounds in INTELLIGIBLE:
            found["stoi"] = stoi(clean, heard, SPEECH_RATE)
        if sounds in SPEECH:
            found["ovrl"] = self.noise_opinion.rate(heard[:RATED])
        if self.case["event"] > ALONE_FROM:
            alone = seconds(ALONE_FROM, self.case["event"])
            found["erle"] = erle(self.mic[alone], processed[alone])
        return found

"""Measures what a program makes of several microphones (arrays.py).

snr        dB by which the near end is louder than everything else, from 100 Hz to 16 kHz: in each third of an octave
           and each fifth of a second the near end is the part of the output that is that of the first microphone, times
           a factor; by chance some of other sound is, too, at most
stoi       its intelligibility, 0 to 1
ovrl       DNSMOS P.835: predicted opinion of the whole, 1 to 5
later      snr from 1 s after half of the case on, where something moved or died
echo, deg  AECMOS at 48 kHz: how little echo is heard, how little the near end is harmed; 1 to 5
erle       dB by which the first microphone's power falls while the far end talks alone, from 2 s on
"""

from pathlib import Path

import numpy as np
import soundfile
import soxr
from pystoi import stoi

from measures import RATE, SPEECH_RATE, erle, late_by, moved_earlier, power, seconds
from near_end_score import BANDS, SPECTRUM, powers_kept, spectra

MEASURES = ("snr", "later", "stoi", "ovrl", "echo", "deg", "erle")
ENDS = 11.5  # s
BEGINS = 1  # s, of what is scored of a near end alone
LATER = 7  # s
SETTLED = 2  # s


def samples_of(path):
    """Returns the file's first channel."""
    samples, rate = soundfile.read(path, always_2d=True)
    if rate != RATE:
        raise ValueError(f"{path}: {rate} Hz, not {RATE}")
    return samples[:, 0]


def snr(near, processed):
    """Returns how much louder the near end is than everything else, in dB."""
    _, left = powers_kept(near, processed)
    low, high = (round(edge * SPECTRUM / RATE) for edge in (BANDS[0], 16_000))
    whole = np.sum(np.abs(spectra(processed)[:, :, low:high]) ** 2)
    return float(10 * np.log10(left.sum() / max(whole - left.sum(), 1e-12)))


class ScoredArray:
    """One case, with everything that is computed once for all programs."""

    def __init__(self, folder, case, opinion, noise_opinion):
        self.case, self.opinion, self.noise_opinion = case, opinion, noise_opinion
        where = Path(folder) / case["name"]
        self.far, self.mic, self.near = (samples_of(where / f"{part}.wav") for part in ("far", "mic", "near"))
        self.has_echo = case["scene"] in ("echo", "talk")
        self.talks = case["scene"] != "echo"
        self.talk = seconds(case["event"] if case["scene"] == "talk" else BEGINS, ENDS)
        if self.has_echo:
            self.rated = seconds(3 if self.talks else 0)
            self.features = [opinion.features(samples[self.rated]) for samples in (self.far, self.mic)]

    def score(self, path):
        """Returns the measures, by name, of the file; only those that the kind has."""
        processed = samples_of(path)
        lag = late_by(processed, self.near) if self.talks else 0
        processed = np.clip(moved_earlier(processed, lag, len(self.mic)), -1, 1)
        found = {}
        if self.talks:
            found["snr"] = snr(self.near[self.talk], processed[self.talk])
            clean, heard = (soxr.resample(samples[self.talk], RATE, SPEECH_RATE) for samples in (self.near, processed))
            found["stoi"] = stoi(clean, heard, SPEECH_RATE)
        if self.case["scene"] in ("moved", "dead"):
            later = seconds(LATER, ENDS)
            found["later"] = snr(self.near[later], processed[later])
        if not self.has_echo:
            found["ovrl"] = self.noise_opinion.rate(heard)
            return found
        scenario = "dt" if self.talks else "st"
        echo, deg = self.opinion.rate(scenario, *self.features, self.opinion.features(processed[self.rated]))
        found |= {"echo": echo, "deg": deg} if self.talks else {"echo": echo}
        alone = seconds(SETTLED, self.case["event"] if self.talks else None)
        if power(self.mic[alone]) > 0:
            found["erle"] = erle(self.mic[alone], processed[alone])
        return found

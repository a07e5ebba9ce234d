"""Measures the passages of a situation: stretches of one processed microphone, in seconds from the situation's event.

erle        dB by which the microphone's power falls while the far end talks alone
echo, deg   AECMOS at 48 kHz: how little echo is heard, how little the near end is harmed; 1 to 5
stoi        intelligibility of the near end, 0 to 1
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr
from pystoi import stoi

from measures import RATE, SPEECH_RATE, erle, late_by, moved_earlier, read_mono, seconds


@dataclass(frozen=True)
class Passage:
    """One stretch, and what is measured in it; `scenario` is what AECMOS is told: st (far end alone) or dt (both)."""

    measure: str
    begin: float  # s from the event
    end: float
    scenario: str = "dt"

    @property
    def name(self):
        """The key of its measure in a row: `erle 0..0.5`."""
        return f"{self.measure} {self.begin:g}..{self.end:g}"


# The far end talks alone, then both do.
BOTH_LATER = (Passage("erle", -5, 0), Passage("echo", -5, 10), Passage("deg", -5, 10), Passage("stoi", 0, 10))
PASSAGES = {
    "onset": (Passage("erle", 0, 0.5), Passage("erle", 0.5, 1), Passage("erle", 1, 2)),
    "ringback": (Passage("erle", 0, 0.5), Passage("erle", 0.5, 1), Passage("erle", 1, 3)),
    "turned": (Passage("stoi", 0, 2), Passage("deg", 0, 2), Passage("erle", 5.5, 9.5)),
    "clipped": (
        Passage("erle", -5, 0),
        Passage("echo", -6, 0, "st"),
        Passage("echo", 0, 12),
        Passage("stoi", 0, 12),
    ),
    "softfar": BOTH_LATER,
    "pause": (Passage("erle", 0, 1), Passage("erle", 1, 3), Passage("erle", 3, 9)),
    "answers": (Passage("erle", -24, -22), Passage("erle", 0, 2)),
    "fanned": (Passage("erle", -4, 0), Passage("erle", 2, 6), Passage("erle", 6, 15)),
    "skipped": (Passage("erle", -4, 0), Passage("erle", 0, 0.5), Passage("erle", 0.5, 1), Passage("erle", 1, 5)),
    "narrow": BOTH_LATER,
    "gated": BOTH_LATER,
    "ahead": BOTH_LATER,
    "rough": BOTH_LATER,
}


class ScoredSituation:
    """One case, with everything that is computed once for all programs."""

    def __init__(self, folder, case, opinion):
        self.opinion, self.passages = opinion, PASSAGES[case["kind"]]
        where = Path(folder) / case["name"]
        self.far, self.mic, self.near = (read_mono(where / f"{part}.wav") for part in ("far", "mic", "near"))
        self.event = case["event"]
        self.compares_near = any(passage.measure == "stoi" for passage in self.passages)

    def score(self, path):
        """Returns the measures, by the passages' names, of the processed microphone in the file."""
        processed = read_mono(path)
        lag = late_by(processed, self.near) if self.compares_near else 0
        processed = np.clip(moved_earlier(processed, lag, len(self.mic)), -1, 1)
        rated = {}
        return {passage.name: self.measure(passage, processed, rated) for passage in self.passages}

    def measure(self, passage, processed, rated):
        """Returns the figure; `rated` keeps what AECMOS has said of a stretch, which is two figures."""
        stretch = seconds(self.event + passage.begin, self.event + passage.end)
        if passage.measure == "erle":
            return erle(self.mic[stretch], processed[stretch])
        if passage.measure == "stoi":
            clean, heard = (soxr.resample(samples[stretch], RATE, SPEECH_RATE) for samples in (self.near, processed))
            return stoi(clean, heard, SPEECH_RATE)
        key = passage.begin, passage.end, passage.scenario
        if key not in rated:
            features = (self.opinion.features(samples[stretch]) for samples in (self.far, self.mic, processed))
            rated[key] = self.opinion.rate(passage.scenario, *features)
        return rated[key][("echo", "deg").index(passage.measure)]

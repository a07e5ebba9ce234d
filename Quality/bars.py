"""The bars of the whole table: what nearend's own engine has to reach in the means of each kind, and whether it does.

Those of the quick gate are `gate.json` less the margins in `gate.py`.
"""

from dataclasses import dataclass

import numpy as np

from measures import LESS_IS_BETTER

BARS = {
    "st": {"echo": 4.6, "erle": 50},
    "dt": {"echo": 4.4, "deg": 4.0, "stoi": 0.93},
    "nst": {"deg": 3.95, "stoi": 0.945},
    "jump": {"echo": 4.3, "erle": 50, "back": 0.5},
    "move": {"echo": 4.3, "erle": 50},
    "drift": {"echo": 4.5, "erle": 42},
    "driftdt": {"echo": 4.3, "deg": 3.7, "stoi": 0.88},
    "late": {"echo": 4.5, "erle": 45},
    "music": {"echo": 4.4, "deg": 4.0, "stoi": 0.93},
    "stereo": {"echo": 4.2, "deg": 3.6, "stoi": 0.87},
    "quiet": {"echo": 4.3, "deg": 4.4, "stoi": 0.98},
    "volume": {"echo": 3.9, "erle": 48},
    "early": {"echo": 4.2, "deg": 3.5, "stoi": 0.78},
    "bright": {"echo": 4.4, "deg": 4.0, "stoi": 0.88},
    "speaker": {"echo": 4.0, "deg": 3.3, "stoi": 0.86},
}
# What is to be reached in the passages of situations, by their names (passages.py): a little below the best of nearend,
# its WebRTC engine, module-echo-cancel and AEC3; in the noise of `fanned`, and from `skipped` on, of nearend.
SITUATION_BARS = {
    "onset": {"erle 0..0.5": 22, "erle 0.5..1": 50, "erle 1..2": 56},
    "ringback": {"erle 0..0.5": 40, "erle 0.5..1": 50, "erle 1..3": 51},
    "turned": {"stoi 0..2": 0.79, "deg 0..2": 3.4, "erle 5.5..9.5": 47},
    "clipped": {"erle -5..0": 41, "echo -6..0": 3.2, "echo 0..12": 4.3, "stoi 0..12": 0.74},
    "softfar": {"erle -5..0": 27, "echo -5..10": 3.8, "deg -5..10": 3.0, "stoi 0..10": 0.65},
    "pause": {"erle 0..1": 51, "erle 1..3": 56, "erle 3..9": 55},
    "answers": {"erle -24..-22": 62, "erle 0..2": 58},
    "fanned": {"erle -4..0": 56, "erle 2..6": 27, "erle 6..15": 27},
    "skipped": {"erle -4..0": 56, "erle 0..0.5": 18, "erle 0.5..1": 50, "erle 1..5": 60},
    "narrow": {"erle -5..0": 42, "echo -5..10": 4.4, "deg -5..10": 4.1, "stoi 0..10": 0.95},
    "gated": {"erle -5..0": 58, "echo -5..10": 4.4, "deg -5..10": 4.1, "stoi 0..10": 0.95},
    "ahead": {"erle -5..0": 34, "echo -5..10": 3.7, "deg -5..10": 3.2, "stoi 0..10": 0.75},
    "rough": {"erle -5..0": 36, "echo -5..10": 4.0, "deg -5..10": 3.5, "stoi 0..10": 0.72},
}
UNITS = {"erle": " dB", "back": " s"}


@dataclass(frozen=True)
class Verdict:
    """One bar, with the mean that its kind reached."""

    kind: str
    measure: str
    bar: float
    reached: float

    @property
    def holds(self):
        if self.measure in LESS_IS_BETTER:
            return self.reached <= self.bar
        return self.reached >= self.bar

    def __str__(self):
        bound = "at most" if self.measure in LESS_IS_BETTER else "at least"
        unit = UNITS.get(self.measure.split()[0], "")
        verdict = "holds" if self.holds else "MISSED"
        return f"{self.kind:8} {self.measure:5} {self.reached:6.2f}{unit}, {bound} {self.bar:g}{unit}: {verdict}"


def mean(rows, measure):
    return float(np.mean([row[measure] for row in rows]))


def judge(rows, bars=BARS):
    """Returns the verdicts for the rows of one program, in the order of the kinds."""
    verdicts = []
    for kind, of_measures in bars.items():
        of_kind = [row for row in rows if row["kind"] == kind]
        if of_kind:
            verdicts += [Verdict(kind, measure, bar, mean(of_kind, measure)) for measure, bar in of_measures.items()]
    return verdicts

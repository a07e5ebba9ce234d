"""The sounds that mixtures are made of: a folder with `index.csv`, whose columns README.md lists.

Only rows of one split are used, `train` or another, whose licence lets the weights go with the program under its own.
"""

import csv
from pathlib import Path

import numpy as np
import soundfile
import soxr

RATE = 16_000
# Beginnings of licences that ask for attribution at most.
LICENCES = ("cc0", "cc-by", "mit", "bsd", "apache", "public domain")
RESTRICTIONS = ("-sa", "-nc", "-nd")


class Corpus:
    """Voices by talker, noises and impulse responses, as arrays of float32 at RATE.

    Noises and voices are scaled to a root mean square of 1 over what is less than 60 dB below their peak.
    """

    def __init__(self, folder: Path, split: str = "train") -> None:
        index = folder / "index.csv"
        if not index.exists():
            raise SystemExit(
                f"{index}: not there. A corpus is a folder with index.csv, whose columns Training/README.md lists."
            )
        self.voices: dict[str, list[np.ndarray]] = {}
        self.noises: list[np.ndarray] = []
        self.foregrounds: list[np.ndarray] = []
        self.responses: list[np.ndarray] = []
        with index.open() as rows:
            for row in csv.DictReader(rows):
                if row["split"] != split or not is_free(row["licence"]):
                    continue
                self._take(folder / row["file"], row)
        for name, items in (("speech", self.voices), ("noise", self.noises), ("rir", self.responses)):
            if not items:
                raise SystemExit(f"{index}: no file of the kind {name} in the split {split}.")
        self.talkers = sorted(self.voices)

    def _take(self, file: Path, row: dict[str, str]) -> None:
        kind = row["kind"]
        if kind == "speech":
            self.voices.setdefault(row["talker"], []).append(level(read(file)))
        elif kind == "noise":
            sound = level(read(file))
            self.noises.append(sound)
            if any(word in row["file"].lower() for word in FOREGROUND):
                self.foregrounds.append(sound)
        elif kind == "rir":
            response = read(file)
            self.responses.append(response / np.sqrt(np.sum(response**2)))


# Sounds that somebody may want to be heard, and that come and go: kept as a near end, not removed as noise.
FOREGROUND = ("dog", "baby", "rooster", "bird", "cat", "laugh", "clap", "sneez", "cough", "crying")


def is_free(licence: str) -> bool:
    licence = licence.strip().lower()
    return licence.startswith(LICENCES) and not any(mark in licence for mark in RESTRICTIONS)


def read(file: Path) -> np.ndarray:
    samples, rate = soundfile.read(file, dtype="float32", always_2d=True)
    samples = samples[:, 0]
    return soxr.resample(samples, rate, RATE).astype(np.float32) if rate != RATE else samples


def power(samples: np.ndarray) -> float:
    """Mean square of what is less than 60 dB below the peak."""
    loud = np.abs(samples) > 1e-3 * (np.max(np.abs(samples), initial=0) + 1e-9)
    return float(np.mean(np.square(samples[loud]))) + 1e-12 if loud.any() else 1e-12


def level(samples: np.ndarray) -> np.ndarray:
    return (samples / np.sqrt(power(samples))).astype(np.float32)

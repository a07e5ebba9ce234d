"""The quick gate: a few cases, one for each thing that nearend has to cope with, none of which may become worse. What
they reached when the gate was last written is in gate.json; a bar is a little below that."""

import json
from dataclasses import dataclass
from pathlib import Path

import cases
import programs
import score
import situations
from bars import UNITS

FIGURES = Path(__file__).with_name("gate.json")
SEED = 20261127
# Kinds with the indices of their cases: those of the seed whose opinions depend least on chance (`--spread`).
CASES = {
    "st": 0,
    "dt": 1,
    "nst": 1,
    "jump": 0,
    "drift": 0,
    "late": 0,
    "music": 0,
    "stereo": 0,
    "bright": 1,
    "speaker": 1,
}
SITUATIONS = {
    "onset": 1,
    "ringback": 0,
    "clipped": 0,
    "softfar": 0,
    "skipped": 0,
    "narrow": 1,
    "gated": 0,
    "rough": 0,
}
MARGINS = {"erle": 3, "echo": 0.05, "deg": 0.05, "stoi": 0.01}  # by which a bar is below the figure


@dataclass(frozen=True)
class Verdict:
    """One measure of a case, and the least that it may be."""

    case: str
    measure: str
    figure: float
    bar: float

    @property
    def holds(self):
        return self.figure >= self.bar

    def __str__(self):
        unit = UNITS.get(self.measure.split()[0], "")
        verdict = "holds" if self.holds else "MISSED"
        return f"{self.case:10} {self.measure:12} {self.figure:7.3f}{unit}, at least {self.bar:.3f}{unit}: {verdict}"


def margin(measure):
    """Returns by how much a measure may be below its figure; None if it has no bar."""
    return MARGINS.get(measure.split()[0])


def measure(program, out, workers=None):
    """Makes the cases, runs the program over them and scores it; returns {case: its figures that have a bar}."""
    folder = Path(out) / "cases"
    drawn = [cases.draw(kind, index, SEED) for kind, index in CASES.items()]
    staged = [situations.draw(kind, index, SEED) for kind, index in SITUATIONS.items()]
    made = cases.make_missing(folder, drawn, cases.build, workers)
    made = made + cases.make_missing(folder, staged, situations.build, workers)
    programs.run(program, folder, made, Path(out) / "nearend", workers)
    rows = score.score(folder, {"nearend": Path(out) / "nearend"}, made, False, workers)["nearend"]
    return {row["name"]: {name: row[name] for name in row if margin(name) is not None} for row in rows}


def judge(figures, before):
    """Returns the verdicts on {case: {measure: figure}}; a case or measure that is new, or gone, is a KeyError."""
    verdicts = []
    for case, known in before.items():
        verdicts += [Verdict(case, name, figures[case][name], known[name] - margin(name)) for name in known]
    new = [f"{case} {name}" for case, found in figures.items() for name in found if name not in before.get(case, {})]
    if new:
        raise KeyError(new[0])
    return verdicts


def read(path=FIGURES):
    return json.loads(path.read_text())


def write(figures, path=FIGURES):
    """Writes what the cases reach now."""
    rounded = {case: {name: round(value, 3) for name, value in found.items()} for case, found in figures.items()}
    path.write_text(json.dumps(rounded, indent=2) + "\n")


def check(figures, say):
    """Prints the verdicts, and those that are missed once more at the end; returns the exit status."""
    try:
        verdicts = judge(figures, read())
    except KeyError as error:
        say(f"{FIGURES.name} and the cases differ in {error}: --quick --write writes it anew")
        return 1
    for verdict in verdicts:
        print(verdict)
    missed = [verdict for verdict in verdicts if not verdict.holds]
    for verdict in missed:
        say(str(verdict))
    print(f"{len(verdicts) - len(missed)} of {len(verdicts)} bars hold")
    return 1 if missed else 0

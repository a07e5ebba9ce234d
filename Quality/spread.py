"""How much of an opinion is chance: each case goes through a program several times with inaudible noise on the far end,
one bit of 16, other noise each time. What a canceller learns differs a little from then on, and so does the opinion."""

import multiprocessing
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

import numpy as np
import soundfile

import programs
import score
from recordings import find_part

REPEATS = 4
QUANTUM = 2**-15
OPINIONS = ("echo", "deg")
MOST_MEAN, MOST_WORST = 0.025, 0.2
MEANING_OF_SPREAD = (
    f"How much nearend's opinions depend on chance: the standard deviation over {REPEATS} runs of each case, with "
    f"other inaudible noise (one bit of 16) on the far end. What is wanted is at most {MOST_MEAN:g} in the mean, and "
    f"{MOST_WORST:g} in any case."
)


@dataclass(frozen=True)
class Spread:
    """The standard deviations of one opinion of a program over the cases' repeats."""

    measure: str
    of_case: dict[str, float]

    @property
    def mean(self):
        return float(np.mean(list(self.of_case.values())))

    @property
    def worst(self):
        """Returns the name of the case whose opinion varies most."""
        return max(self.of_case, key=self.of_case.get)

    @property
    def holds(self):
        return self.mean <= MOST_MEAN and self.of_case[self.worst] <= MOST_WORST

    def __str__(self):
        verdict = f"at most {MOST_MEAN:g}, {MOST_WORST:g}: {'holds' if self.holds else 'MISSED'}"
        return f"{self.measure:14} mean {self.mean:.3f}, worst {self.of_case[self.worst]:.3f} ({self.worst}); {verdict}"


def noisy(samples, name, number):
    """Returns the samples with noise of one bit, which depends on the case's name and the repeat's number alone."""
    random = np.random.default_rng([zlib.crc32(name.encode()), number])
    return np.clip(samples + QUANTUM * random.integers(-1, 2, samples.shape), -1, 1 - QUANTUM)


def make(job):
    """Writes one repeat of a case: its noisy far end, beside a link to its microphone."""
    case, out, number = job
    far, mic = find_part(case, "far"), find_part(case, "mic")
    noise = out / "far.wav"
    out.mkdir(parents=True, exist_ok=True)
    link = out / mic.name
    link.unlink(missing_ok=True)
    link.symlink_to(mic.resolve())
    if noise.exists() and noise.stat().st_mtime > far.stat().st_mtime:
        return
    samples, rate = soundfile.read(far)
    subtype = "PCM_16" if soundfile.info(far).subtype == "PCM_16" else "FLOAT"
    soundfile.write(noise, noisy(samples, case.name, number), rate, subtype=subtype)


def measure(chosen, folder, cases, out, workers=None):
    """Returns {program: [Spread]} for the programs that hear the far end, but not for voice isolation, which takes long
    and comes after what nearend does anyway. What comes out is compared with the far end without noise, so that only
    the program's part of an opinion varies."""
    hearing = {
        name: program
        for name, program in chosen.items()
        if not isinstance(program, programs.Part) and not getattr(program, "mode", None)
    }
    repeats = [(number, Path(out) / f"spread-{number}") for number in range(1, REPEATS + 1)]
    jobs = [
        (Path(folder) / case["name"], where / "cases" / case["name"], number)
        for number, where in repeats
        for case in cases
    ]
    with multiprocessing.Pool(workers or os.cpu_count()) as pool:
        for _ in pool.imap_unordered(make, jobs):
            pass
    for _, where in repeats:
        for name, program in hearing.items():
            programs.run(program, where / "cases", cases, where / name, workers)
    folders = {(name, number): where / name for name in hearing for number, where in repeats}
    table = score.score(folder, folders, cases, False, workers)
    return {name: spreads([table[name, number] for number, _ in repeats]) for name in hearing}


def spreads(repeats):
    """Returns the Spread of each opinion in the rows of the repeats."""
    measures = dict.fromkeys(name for row in repeats[0] for name in row if name.split()[0] in OPINIONS)
    return [
        Spread(
            measure,
            {
                rows[0]["name"]: float(np.std([row[measure] for row in rows], ddof=1))
                for rows in zip(*repeats, strict=True)
                if measure in rows[0]
            },
        )
        for measure in measures
    ]


def page_lines(spreads, names):
    """Returns a page's section on the spreads of nearend's opinions, none without any; names: {measure: its name}."""
    if not spreads:
        return []
    rows = [
        f"| {names[spread.measure]} | {spread.mean:.3f} | {spread.of_case[spread.worst]:.3f} (`{spread.worst}`) "
        f"| {'holds' if spread.holds else '**missed**'} |"
        for spread in spreads
    ]
    return [
        "## Chance",
        "",
        *wrap(MEANING_OF_SPREAD, 120, break_on_hyphens=False),
        "",
        "| | mean | greatest | |",
        "|---|---|---|---|",
        *rows,
        "",
    ]


def print_spreads(of_programs, rows_too=False):
    print(f"\nStandard deviation of opinions over {REPEATS} runs with one bit of noise on the far end:")
    for program, found in of_programs.items():
        for spread in found:
            print(f"  {program:11}{spread}")
    if rows_too:
        for program, found in of_programs.items():
            for spread in found:
                for case, deviation in spread.of_case.items():
                    print(f"  {program:11}{case:18}{spread.measure:14} {deviation:.3f}")

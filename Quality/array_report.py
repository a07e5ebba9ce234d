"""Prints what programs make of several microphones, and writes Documentation/arrays.md."""

from datetime import date

import numpy as np

from array_score import MEASURES
from kinds import ARRAYS, TITLES
from report import version_lines

NAMES = {
    "snr": "SNR, dB",
    "later": "SNR a second after it, dB",
    "stoi": "STOI",
    "ovrl": "opinion",
    "echo": "echo MOS",
    "deg": "near end MOS",
    "erle": "ERLE, dB",
}
DECIMALS = {"snr": 1, "later": 1, "erle": 1}


def rows_of(table, kind):
    """Returns {program: its rows of a kind}."""
    return {program: [row for row in rows if row["kind"] == kind] for program, rows in table.items()}


def cell(rows, measure):
    values = [row[measure] for row in rows]
    decimals = DECIMALS.get(measure, 2)
    return f"{np.mean(values):.{decimals}f} ({min(values):.{decimals}f})"


def lines(table, kinds):
    """Yields (kind, measure, {program: cell}) for each measure that a kind has."""
    for kind in kinds:
        of_kind = rows_of(table, kind)
        if not all(of_kind.values()):
            continue
        for measure in MEASURES:
            if all(measure in row for rows in of_kind.values() for row in rows):
                yield kind, measure, {program: cell(rows, measure) for program, rows in of_kind.items()}


def print_table(table, rows_too=False):
    """Prints a line for each measure: mean (worst case) of each program; with `rows_too` the cases by themselves."""
    print(f"{'kind':14}{'measure':27}" + "".join(f"{program:>18}" for program in table))
    for kind, measure, cells in lines(table, ARRAYS):
        print(f"{kind:14}{NAMES[measure]:27}" + "".join(f"{value:>18}" for value in cells.values()))
    if rows_too:
        for program, rows in table.items():
            for row in rows:
                values = " ".join(f"{name} {row[name]:.2f}" for name in MEASURES if name in row)
                print(f"{program:12}{row['name']:16}{values}")


def write(documentation, options, programs, table):
    """Writes DOCUMENTATION/arrays.md."""
    heads = [TITLES[program] for program in table]
    lines_of_table = [
        f"| kind | measure | {' | '.join(heads)} |",
        "|---|---|" + "---|" * len(heads),
        *(
            f"| {kind} | {NAMES[measure]} | {' | '.join(cells.values())} |"
            for kind, measure, cells in lines(table, options.kinds)
        ),
    ]
    text = [
        "# Several microphones, scored",
        "",
        f"{options.per_kind * len(options.kinds)} cases of seed {options.seed}, {options.per_kind} of each kind",
        f"({date.today().isoformat()}). Means, and in brackets the worst case:",
        "",
        *lines_of_table,
        "",
        KINDS_TEXT,
        "## Reproduce",
        "",
        "```",
        f'make quality ARGS="--arrays --seed {options.seed} --per-kind {options.per_kind}"   # without --seed: another',
        'make quality ARGS="--arrays --write"   # writes this page anew',
        "```",
        "",
        *version_lines(programs, TITLES),
        "",
    ]
    (documentation / "arrays.md").write_text("\n".join(text))


KINDS_TEXT = """\
The untouched microphone is the best of them. AEC3 has each channel through a canceller of its own, and the mean of what
comes out. nearend is heard as it is by default, beside the best of the microphones alone, which nobody knows in a call,
and the mean of all. Gain control is off.

## The kinds

A *pair* is two microphones 6 cm apart, a *line* four of them 4 cm apart, a *ring* six in a circle of 9 cm. They differ
by up to 6 dB, and each has noise of its own, 45 dB below the talker, who sits 0.4 to 1 m away, 30 to 150 degrees from
the line. *diffuse*: noise from everywhere, 5 to 10 dB below; *aside*: somebody else talks 60 degrees aside, as loud as
that; *echo* and *talk*: a loudspeaker 10 to 25 cm from the microphones, whose echo is up to 10 dB louder than the near
end, which talks from 5 s on; *moved*: the talker walks by 60 to 100 degrees half way; *dead*: one of the microphones
dies. Rooms are simulated, with an RT60 of 0.18 to 0.4 s: all [recordings of real devices](recordings.md) that were at
hand have one channel.

SNR is how much louder the near end is, as the first microphone hears it, than everything else, noise, echo and what
processing does to it; where another microphone leads the array, what it hears of the room besides counts as that, too,
as it does for the best microphone alone. The opinion is DNSMOS P.835's of the whole, the others are AECMOS'.

"""

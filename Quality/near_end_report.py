"""Prints what is left of the near ends of near_ends.py, and writes Documentation/near-ends.md."""

import textwrap
from datetime import date

import numpy as np

from kinds import NEAR_ENDS, TITLES
from near_end_score import INTELLIGIBLE
from report import PACKAGES, version_lines

NAMES = {
    "kept": "Kept, dB",
    "gone": "Gone, % of the time",
    "stoi": "STOI",
    "ovrl": "Overall MOS",
    "erle": "ERLE, dB",
    "wer": "Word errors, %",
}
SHORT_NAMES = {
    "kept": "kept",
    "gone": "gone",
    "stoi": "STOI",
    "ovrl": "overall MOS",
    "erle": "ERLE",
    "wer": "word errors",
}
UNITS = {"kept": " dB", "gone": " %", "erle": " dB", "wer": " %"}
DIGITS = {"kept": 1, "gone": 0, "stoi": 2, "ovrl": 2, "erle": 0, "wer": 0}
LESS_IS_BETTER = ("gone", "wer")
TOLD_FROM = {"kept": 2, "gone": 5, "stoi": 0.05, "ovrl": 0.2, "erle": 6, "wer": 5}  # by how much nearend is worse
WITH_IDEAL = ("ovrl", "wer")  # of which the near end alone has no figure that is known before
OF_THE_NEAR_END = ("kept", "gone", "stoi", "ovrl", "wer")
CANCELLERS = ("module-ec", "aec3")
BRIEFLY = TITLES | {"untouched": "untouched", "wide": "wide spectrum", "nearend": "standard"}
PEERS = ("untouched", *CANCELLERS, "wide")


def mean(rows, measure):
    """Returns the mean over the cases; that of word errors is over all words."""
    weights = [row["words"] for row in rows] if measure == "wer" else None
    return float(np.average([row[measure] for row in rows], weights=weights))


def worst(rows, measure):
    return (max if measure in LESS_IS_BETTER else min)(row[measure] for row in rows)


def number(value, measure):
    text = f"{value:.{DIGITS[measure]}f}"
    return text.removeprefix("-") if not float(text) else text


def of_kind(table, kind, measure):
    """Returns {program: rows} of a kind that has the measure; {} of others."""
    found = {program: [row for row in rows if row["kind"] == kind] for program, rows in table.items()}
    has = all(rows and measure in rows[0] for rows in found.values())
    return {name: rows for name, rows in found.items() if name != "ideal" or measure in WITH_IDEAL} if has else {}


def print_table(table, rows_too=False):
    """Prints a line for each kind and measure: mean (worst case) of each program; with `rows_too` each case, too."""
    print(f"{'kind':16}{'measure':22}" + "".join(f"{program:>16}" for program in table))
    for kind in NEAR_ENDS:
        for measure, name in NAMES.items():
            of_programs = of_kind(table, kind, measure)
            if not of_programs:
                continue
            cells = {
                program: f"{number(mean(rows, measure), measure)} ({number(worst(rows, measure), measure)})"
                for program, rows in of_programs.items()
            }
            print(f"{kind:16}{name:22}" + "".join(f"{cells.get(program, '-'):>16}" for program in table))
            if rows_too:
                for index, row in enumerate(next(iter(of_programs.values()))):
                    values = {program: number(rows[index][measure], measure) for program, rows in of_programs.items()}
                    print(f"  {row['name']:36}" + "".join(f"{values.get(program, '-'):>16}" for program in table))


def table_lines(table, measure):
    """Returns a line for each kind that has the measure: mean (worst case) of each program."""
    shown = [program for program in table if program != "ideal" or measure in WITH_IDEAL]
    yield "| kind | " + " | ".join(TITLES[program] for program in shown) + " |"
    yield "|---" * (len(shown) + 1) + "|"
    for kind in NEAR_ENDS:
        cells = []
        for program, rows in of_kind(table, kind, measure).items():
            value = number(mean(rows, measure), measure)
            value = f"**{value}**" if program == "nearend" else value
            cells.append(f"{value} ({number(worst(rows, measure), measure)})")
        if cells:
            said = f", {sum(row['words'] for row in rows)} words" if measure == "wer" else ""
            yield f"| {kind}{said} | {' | '.join(cells)} |"


def findings(table, own="nearend", peers=PEERS):
    """Returns [(measure, kind, own mean, {peer: mean})] where a program is worse than some of its peers."""
    told = []
    for measure, margin in TOLD_FROM.items():
        sign = -1 if measure in LESS_IS_BETTER else 1
        for kind in NEAR_ENDS:
            means = {name: mean(rows, measure) for name, rows in of_kind(table, kind, measure).items()}
            if own not in means:
                continue
            # More than everything is not kept: the rest is echo.
            value = {name: min(found, 0) if measure == "kept" else found for name, found in means.items()}
            better = {
                name: means[name] for name in peers if name in means and sign * (value[name] - value[own]) >= margin
            }
            if better:
                told.append((measure, kind, means[own], better))
    return told


def finding_lines(table, own="nearend", peers=PEERS, measures=tuple(NAMES)):
    """Returns the lines of a list of the findings, an item for each measure."""
    told = [finding for finding in findings(table, own, peers) if finding[0] in measures]
    if not told:
        yield "- nothing"
    for measure in dict.fromkeys(measure for measure, _, _, _ in told):
        kinds = []
        for _, kind, value, better in (finding for finding in told if finding[0] == measure):
            others = ", ".join(f"{BRIEFLY[name]} {number(value, measure)}" for name, value in better.items())
            kinds.append(f"`{kind}` {number(value, measure)} ({others})")
        unit = f",{UNITS[measure]}" if measure in UNITS else ""
        yield from textwrap.wrap(
            f"- {SHORT_NAMES[measure]}{unit}: {'; '.join(kinds)}", 120, subsequent_indent="  ", break_on_hyphens=False
        )


def voices_alone(table):
    """Returns the rows of those near ends that are voices."""
    return {name: [row for row in rows if row["kind"].split("-")[0] in INTELLIGIBLE] for name, rows in table.items()}


def standing_lines(table):
    """Returns, for each measure, in how many kinds nearend is at least as good as both other cancellers."""
    others = [name for name in CANCELLERS if name in table]
    for measure in NAMES:
        sign = -1 if measure in LESS_IS_BETTER else 1
        kinds = [kind for kind in NEAR_ENDS if of_kind(table, kind, measure)]
        ahead = [
            kind
            for kind in kinds
            if all(
                sign * (mean(rows["nearend"], measure) - mean(rows[name], measure)) >= 0
                for rows in [of_kind(table, kind, measure)]
                for name in others
            )
        ]
        if kinds and others:
            yield f"- {SHORT_NAMES[measure]}: in {len(ahead)} of {len(kinds)}"


def write(documentation, options, programs, table):
    """Writes DOCUMENTATION/near-ends.md."""
    per_kind = options.per_kind
    margins = ", ".join(
        f"{least:g}{UNITS.get(measure, '')} ({SHORT_NAMES[measure]})" for measure, least in TOLD_FROM.items()
    )
    worse = (
        "Means in which the untouched microphone, module-echo-cancel, AEC3 or nearend's own wide spectrum, which "
        f"leaves the room's noise, are better than nearend by at least {margins}:"
    )
    lines = [
        "# Other near ends than usual speech, scored",
        "",
        f"{per_kind * len(options.kinds)} cases of seed {options.seed}, {per_kind} of each kind, through nearend and",
        f"others ({date.today().isoformat()}).",
        "",
        INTRODUCTION_TEXT,
        "Kinds in which nearend is at least as good as both module-echo-cancel and AEC3, in means:",
        "",
        *standing_lines(table),
        "",
        "## Where nearend is worse",
        "",
        *textwrap.wrap(worse, 120),
        "",
        *finding_lines(table),
        "",
        "Voices of which voice isolation, by as much, leaves less than the standard mode:",
        "",
        *finding_lines(voices_alone(table), "isolation", ("nearend",), OF_THE_NEAR_END),
        "",
        "## The figures",
        "",
        "Means, and in brackets the worst case.",
        "",
    ]
    for measure, name in NAMES.items():
        lines += [f"### {name}", "", MEASURE_TEXTS[measure], "", *table_lines(table, measure), ""]
    lines += [
        "## The near ends",
        "",
        SOUNDS_TEXT,
        "## The scenes",
        "",
        SCENES_TEXT,
        "## Reproduce",
        "",
        "```",
        f'make quality ARGS="--near-ends --seed {options.seed} --per-kind {per_kind}"   # without --seed one is drawn',
        'make quality ARGS="--near-ends --kinds dog-alone,words-talk --rows"   # a few of them, case by case',
        'make quality ARGS="--near-ends --write"   # writes this page anew',
        "```",
        "",
        *version_lines(programs, TITLES, (*PACKAGES, "pyworld", "pocketsphinx")),
        "",
    ]
    (documentation / "near-ends.md").write_text("\n".join(lines))


INTRODUCTION_TEXT = """\
The voices of the other pages read and announce, and AECMOS judges what is left of them. Here something else sounds at
the near end, and the judges are others: how much of it is left, and how many words a recognizer gets wrong. Nothing was
tuned to these cases. nearend is without gain control, because the others have none. *The near end alone* is what a
program would leave that makes no mistake. Voice isolation is there to remove what is no voice, strings and a dog, too.
"""

MEASURE_TEXTS = {
    "kept": "How much of the near end's power is left where it sounds. In each third of an octave and each fifth of a\n"
    "second that is the part of what comes out that is the near end times a factor, its projection. 0 is all, and\n"
    "what is more is echo.",
    "gone": "In how much of the time in which the near end sounds less than a tenth of its power is left. Passages\n"
    "down to 30 dB below the loudest count: soft ends of words, too, and the noise that a recording has of its own.",
    "stoi": "The intelligibility, 0 to 1, against the near end alone.",
    "ovrl": "DNSMOS P.835's opinion of the whole, 1 to 5. It knows usual speech: compare with the near end alone.",
    "erle": "By how much the microphone's power falls while the far end sounds alone, from 2 s on, before the near\n"
    "end begins.",
    "wer": "How many of the words said pocketsphinx, with its English model, replaces, leaves out or adds, over all\n"
    "words of a kind; in brackets the worst case. It is no good recognizer: compare with the near end alone. Words of\n"
    "the far end that are still heard count as added.",
}

SOUNDS_TEXT = """\
- **`child`**: a woman's voice (asterisk-core-sounds-en-g722, -fr-, -es-: Allison Smith, June Wallack; CC-BY-SA-3.0)
  with 1.25 to 1.45 times the pitch and 1.15 to 1.25 times the formants. No free recording of a child was found.
- **`whisper`**: voices of asterisk-core-sounds-*-g722 (those, Carlo Flora and Maxim Topal; the latter CC-BY-3.0)
  whose excitation is noise alone, less of it below 1.5 kHz, 12 dB softer than speech.
- **`song`**: the same voices, 1.6 times slower, on the notes of a melody with vibrato. No free recording of
  somebody who sings alone was found: it is synthesis, and says less than a recording would.
- **`strings`**: a violin or, of every other case, a cello: recordings of 3 and 4 s, which are repeated
  (tuxpaint-stamps-default, GPL-2).
- **`dog`**: two barks, repeated with other pauses and loudness (tuxpaint-stamps-default, GPL-2).
- **`czech`**: the two talkers of a game, in a language that the network's corpus lacks (fillets-ng-data-cs, GPL-2).
- **`words`**: whole English sentences (asterisk-core-sounds-en-g722), whose text asterisk-core-sounds-en contains.

Child, whisper and song are made with the vocoder WORLD (Morise, Yokomori and Ozawa, 2016; pyworld). The first three
sounds end at 8 to 10 kHz, `czech` at 11.
"""

SCENES_TEXT = """\
Rooms, delays, levels and noise are as in the other [cases](quality.md); 16 s each.

- **`alone`**: nothing is played, and nothing is to be cancelled.
- **`talk`**, **`music`**: the far end talks in another voice, or is music; the near end sounds from 5 s on, 5 dB below
  to 5 dB above the echo (a whisper 12 dB less).
- **`early`**: both talk from the first moment on.
- **`speaker`**: as `talk`, over a loudspeaker that clips, is lopsided, or has a memory.
- **`clipped`**: as `talk`; the echo's peaks are 6 or 12 dB over full scale and cut, the near end is 0 to 10 dB below.
"""

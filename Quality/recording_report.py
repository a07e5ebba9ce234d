"""Prints the measures of recordings, and writes Documentation/recordings.md with its spectrograms."""

from datetime import date
from pathlib import Path
from textwrap import TextWrapper

import numpy as np
import soundfile

import listening
import recording_facts
import recordings
from bars import mean
from kinds import TITLES
from measures import SPEECH_RATE
from recording_score import MEASURES, read_speech
from recording_score import __doc__ as measures_text
from report import number, version_lines, write_scores
from spread import MEANING_OF_SPREAD

JUDGED = "nearend"
NAMES = {
    "echo": "echo MOS",
    "deg": "near end MOS",
    "erle": "ERLE, dB",
    "first": "ERLE of the first 2 s, dB",
    "stoi": "STOI",
}
SHOWN_AS = {"first": "erle"}  # how its figures are rounded
WORST, DRAWN = 6, 4  # cases that are described, and those of them that are drawn
LEAST_CASES = 3  # of a kind whose worst case is one of these
HIGHEST = 7_800  # Hz, of the spectrograms
MOST_BYTES = 90_000  # of each
PACKAGES = ("speechmos", "onnxruntime", "pystoi", "numpy", "scipy", "soxr")
MOST_VARYING = 3  # cases whose spread is named
wrapper = TextWrapper(120, break_on_hyphens=False, break_long_words=False)


def by_kind(rows):
    """Returns {kind: its rows}."""
    return {kind: [row for row in rows if row["kind"] == kind] for kind in dict.fromkeys(row["kind"] for row in rows)}


def columns(values):
    return "".join(f"{values[name]:8.2f}" if name in values else " " * 8 for name in MEASURES)


def print_table(table, rows_too=False):
    """Prints a line for each kind and program: means, and worst cases; with `rows_too` the cases by themselves."""
    print(f"{'kind':12}{'n':>4} {'program':14}" + "".join(f"{name:>8}" for name in MEASURES) + "   worst")
    for kind in by_kind(next(iter(table.values()))):
        for program, all_rows in table.items():
            rows = by_kind(all_rows)[kind]
            measured = [name for name in MEASURES if any(name in row for row in rows)]
            having = {name: [row for row in rows if name in row] for name in measured}
            worst = " ".join(f"{name} {min(row[name] for row in having[name]):.2f}" for name in measured)
            means = {name: mean(having[name], name) for name in measured}
            print(f"{kind:12}{len(rows):4} {program:14}{columns(means)}   {worst}")
    if rows_too:
        for rows in zip(*table.values(), strict=True):
            for program, row in zip(table, rows, strict=True):
                print(f"{row['name']:18}{row['kind']:9}{program:14}{columns(row)}")


def spread_of(spreads, measure, rows):
    """Returns the mean and greatest deviation of the rows' cases, as text; empty if there is none."""
    for spread in spreads.get(JUDGED, []):
        if spread.measure == measure:
            found = [spread.of_case[row["name"]] for row in rows]
            return f"{np.mean(found):.3f} ({max(found):.3f})"
    return ""


def table_lines(table, spreads):
    """Returns a line for each kind and measure: mean (worst case) of each program."""
    heads = [TITLES[program] for program in table] + (["spread"] if spreads else [])
    yield f"| kind | measure | {' | '.join(heads)} |"
    yield "|---|---" + "|---" * len(heads) + "|"
    for kind, judged in by_kind(table[JUDGED]).items():
        first = f"{kind} ({len(judged)})"
        for measure in MEASURES:
            if not any(measure in row for row in judged):
                continue
            cells = []
            for program, all_rows in table.items():
                rows = [row for row in by_kind(all_rows)[kind] if measure in row]
                shown = SHOWN_AS.get(measure, measure)
                value, worst = number(mean(rows, measure), shown), number(min(row[measure] for row in rows), shown)
                cell = f"**{value}**" if program == JUDGED else value
                cells.append(f"{cell} ({worst})" if len(rows) > 1 else cell)
            if spreads:
                cells.append(spread_of(spreads, measure, judged))
            yield f"| {first} | {NAMES[measure]} | {' | '.join(cells)} |"
            first = ""


def spread_lines(spreads):
    """Returns what the spread is, and the cases that have most of it."""
    found = [
        (deviation, case, NAMES[spread.measure]) for spread in spreads for case, deviation in spread.of_case.items()
    ]
    if not found:
        return []
    most = [f"`{case}` ({name}, {deviation:.3f})" for deviation, case, name in sorted(found)[: -MOST_VARYING - 1 : -1]]
    what = f"*Spread*, its mean and in brackets the greatest: {MEANING_OF_SPREAD}"
    return [wrapper.fill(f"{what} The greatest: {', '.join(most)}."), ""]


def shortfalls(rows):
    """Returns {name: (MOS by which an opinion is below its kind's mean, which opinion)}: the greater of the two."""
    found = {}
    for of_kind in by_kind(rows).values():
        if len(of_kind) < LEAST_CASES:
            continue
        for measure in ("echo", "deg"):
            for row in of_kind:
                if measure in row:
                    below = mean(of_kind, measure) - row[measure], measure
                    found[row["name"]] = max(found.get(row["name"], below), below)
    return found


def worst_cases(rows):
    """Returns the names of the cases whose opinion is farthest below their kind's mean, and which opinion that is."""
    found = sorted(shortfalls(rows).items(), key=lambda case: -case[1][0])
    return [(name, measure) for name, (_, measure) in found[:WORST]]


def draw(folder, case, programs, out):
    """Draws far end, microphone, and what is left of it by each program; programs: {program: folder}."""
    files = {
        name: recordings.find_part(f"{folder}/{case['name']}", part)
        for name, part in (("far end", "far"), ("microphone", "mic"))
    }
    files |= {TITLES[name]: where / f"{case['name']}.wav" for name, where in programs.items() if name != "untouched"}
    sounds = {name: read_speech(path) for name, path in files.items()}
    listening.draw_strips(sounds, out / f"{case['name']}.png", SPEECH_RATE, HIGHEST, most_bytes=MOST_BYTES)


def described(folder, case, measure, table, spreads):
    """Returns a paragraph on one of the worst cases."""
    row = {program: next(row for row in rows if row["name"] == case["name"]) for program, rows in table.items()}
    figures = ", ".join(f"{TITLES[program].replace(', ', ' with ')} {row[program][measure]:.2f}" for program in table)
    sound = soundfile.info(recordings.find_part(f"{folder}/{case['name']}", "mic"))
    told = [f"{NAMES[measure]}: {figures}"]
    told += [
        f"standard deviation {spread.of_case[case['name']]:.3f}"
        for spread in spreads.get(JUDGED, [])
        if spread.measure == measure
    ]
    origin = [f"`{case['kind']}`", f"{sound.duration:.0f} s at {sound.samplerate / 1_000:g} kHz"]
    origin += [case["repo"]] if "repo" in case else []
    facts = "; ".join(recording_facts.facts(folder, case)) or "nothing stands out"
    heading = f"**`{case['name']}`** ({', '.join(origin)})"
    return wrapper.fill(f"{heading}: {'; '.join(told)}. What it is: {facts}.")


def worst_lines(folder, cases, table, spreads):
    of_name = {case["name"]: case for case in cases}
    for place, (name, measure) in enumerate(worst_cases(table[JUDGED])):
        yield ""
        yield described(folder, of_name[name], measure, table, spreads)
        if place < DRAWN:
            yield ""
            yield f"![Spectrograms of {name}](recordings/{name}.png)"


def clear(out):
    """Removes the pictures of a former run."""
    out.mkdir(parents=True, exist_ok=True)
    for picture in out.glob("*.png"):
        picture.unlink()


def write(documentation, options, chosen, cases, table, spreads):
    """Writes DOCUMENTATION/recordings.md and DOCUMENTATION/recordings/; spreads: {program: [Spread]}, or {}."""
    folder, out = options.recordings / "cases", documentation / "recordings"
    clear(out)
    of_name = {case["name"]: case for case in cases}
    for name, _ in worst_cases(table[JUDGED])[:DRAWN]:
        draw(folder, of_name[name], {program: Path(options.out) / program for program in chosen}, out)
    write_scores(table, out / "scores.csv", MEASURES)
    minutes = sum(soundfile.info(recordings.find_part(folder / case["name"], "mic")).duration for case in cases) / 60
    devices = len({case["device"] for case in cases if "device" in case})
    repos = sorted({case["repo"] for case in cases if "repo" in case})
    of_devices = f" of {devices} devices" if devices else ""
    lines = [
        "# Recordings of real devices, scored",
        "",
        wrapper.fill(
            f"{len(cases)} recordings{of_devices}, {minutes:.0f} minutes, through nearend and others "
            f"({date.today().isoformat()}). [Every case and measure](recordings/scores.csv). In the pages on "
            "[cases](quality.md) and [situations](situations.md) rooms and "
            "loudspeakers are simulated; here they are real."
        ),
        "",
        "Means, and in brackets the worst case; behind a kind, how many recordings it has:",
        "",
        *table_lines(table, spreads),
        "",
        *spread_lines(spreads.get(JUDGED, [])),
        KINDS_TEXT,
        "```",
        *measures_text.strip().splitlines()[2:],
        "```",
        "",
        "## The worst cases",
        "",
        WORST_TEXT.rstrip(),
        *worst_lines(folder, cases, table, spreads),
        "",
        "## The recordings",
        "",
        wrapper.fill(ORIGIN_TEXT + (f" These are from {', '.join(repos)}." if repos else "")),
        "",
        "## Reproduce",
        "",
        "```",
        'make quality ARGS="--recordings FOLDER --rows"             # any recordings, case by case',
        'make quality ARGS="--recordings FOLDER --spread --write"   # writes this page anew',
        "```",
        "",
        *version_lines(chosen, TITLES, PACKAGES),
        "",
    ]
    (documentation / "recordings.md").write_text("\n".join(lines))


KINDS_TEXT = """\
`st`: only the far end talks; `dt`: both do; `dt+move`: something is moved meanwhile; any other kind is rated as `dt`. A
canceller that mutes everything has the best echo MOS and ERLE: they are to be read with the near end MOS.

nearend and the others run without gain control: `nearend process --no-agc` at the recording's own rate, AEC3 at the
least of its rates that holds it, from 16 kHz on, module-echo-cancel at 48 kHz.
"""
WORST_TEXT = """\
Those whose echo MOS or near end MOS is farthest below their kind's mean, of the kinds with several recordings. The
spectrograms: time to the right, pitch upwards (60 Hz to 7.8 kHz), brightness is loudness (-100 to -45 dBFS a band).
What a case is, is measured in its far end and microphone.
"""
ORIGIN_TEXT = """\
The recordings are not part of this repository: they are samples that others have published, under terms of their own,
and serve to measure with, nothing else. Any folder with meta.json and cases/ can be measured: Quality/recordings.py
says what it has to hold."""

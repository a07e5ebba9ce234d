"""Writes Documentation/quality.md, its figure, and its listening page."""

import csv
import platform
from datetime import date
from importlib.metadata import version

import figure
import listening
import spread
from bars import BARS, judge, mean
from kinds import TITLES
from measures import LESS_IS_BETTER, MEASURES, NOISE_MEASURES
from measures import __doc__ as measures_text

NAMES = {"echo": "echo MOS", "deg": "near end MOS", "stoi": "STOI", "erle": "ERLE, dB", "back": "back, s"}
PACKAGES = ("speechmos", "onnxruntime", "pystoi", "pesq", "pyroomacoustics", "numpy", "scipy", "soxr")


def judged_program(table):
    """Returns the program that the bars are for: nearend's own engine, or its WebRTC engine if it has no own."""
    return "nearend" if "nearend" in table else "webrtc"


def number(value, measure):
    digits = {"erle": 0, "stoi": 3}.get(measure, 2)
    return f"{round(value, digits) + 0.0:.{digits}f}"  # zero has no sign


def table_lines(table, bars=BARS, names=NAMES):
    """Returns a line for each bar: mean (worst case) of each program."""
    judged = judged_program(table)
    yield "| kind | measure | " + " | ".join(TITLES[program] for program in table) + " | bar | |"
    yield "|---|---" + "|---" * len(table) + "|---|---|"
    for verdict in judge(table[judged], bars):
        cells, measure = [], verdict.measure.split()[0]
        for program, all_rows in table.items():
            rows = [row for row in all_rows if row["kind"] == verdict.kind]
            pick = max if verdict.measure in LESS_IS_BETTER else min
            value = number(mean(rows, verdict.measure), measure)
            worst = number(pick(row[verdict.measure] for row in rows), measure)
            cells.append(f"**{value}** ({worst})" if program == judged else f"{value} ({worst})")
        bound = "≤" if verdict.measure in LESS_IS_BETTER else "≥"
        bar = f"{bound} {verdict.bar:g}"
        shown = names[verdict.measure]
        first = verdict.kind if verdict.measure == next(iter(bars[verdict.kind])) else ""
        yield f"| {first} | {shown} | {' | '.join(cells)} | {bar} | {'holds' if verdict.holds else '**missed**'} |"


def version_lines(programs, titles, packages=PACKAGES):
    """Returns the table of what was measured, and with what."""
    yield "In brackets: the first twelve digits of the SHA-256 of the program, or of its library."
    yield ""
    yield "| program | version |"
    yield "|---|---|"
    yield from (f"| {titles[name]} | {program.version} |" for name, program in programs.items())
    yield f"| Python {platform.python_version()} | {', '.join(f'{name} {version(name)}' for name in packages)} |"


def write_scores(table, path, measures=MEASURES):
    """Writes every case and measure, as comma-separated values."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        names = [name for name in measures if any(name in row for rows in table.values() for row in rows)]
        writer.writerow(["program", "case", *names])
        for program, rows in table.items():
            for row in rows:
                values = [f"{row[name]:.3f}" if name in row else "" for name in names]
                writer.writerow([program, row["name"], *values])


def write(documentation, options, programs, folder, table, spreads=()):
    """Writes DOCUMENTATION/quality.md and DOCUMENTATION/quality/; spreads: nearend's, if they were measured."""
    import cases

    out = documentation / "quality"
    out.mkdir(parents=True, exist_ok=True)
    subtitle = f"seed {options.seed}, means of {options.per_kind} cases of each kind"
    figure.draw(table, out / "quality.png", subtitle)
    drawn = [cases.draw(kind, index, options.seed) for kind in options.kinds for index in range(options.per_kind)]
    listening.write(folder, out, drawn, {name: options.out / name for name in programs})
    write_scores(table, out / "scores.csv")
    judged = judged_program(table)
    verdicts = judge(table[judged])
    holding = sum(verdict.holds for verdict in verdicts)
    lines = [
        "# Echo and speech, scored",
        "",
        f"{len(drawn)} cases of seed {options.seed}, {options.per_kind} of each kind, through nearend and others",
        f"({date.today().isoformat()}). For {TITLES[judged]} {holding} of {len(verdicts)} bars hold.",
        "",
        "![The table, drawn](quality/quality.png)",
        "",
        "[Listening page](quality/README.md): spectrograms of one case of each kind.",
        "[Every case and measure](quality/scores.csv). [The mic modes](mic-modes.md), [situations of a",
        "call](situations.md), [other near ends than usual speech](near-ends.md) and [recordings of real",
        "devices](recordings.md) have pages of their own.",
        "",
        "Means, and in brackets the worst case:",
        "",
        *table_lines(table),
        "",
        "*The near end alone* is the ceiling: what a canceller would leave that makes no mistake. AECMOS' opinion of",
        "even that is not 5. Where the far end talks alone, it is digital silence, and a canceller that mutes the",
        "near end comes close: module-echo-cancel's echo MOS and ERLE are to be read with its near end MOS and STOI.",
        "",
        "*module-echo-cancel* is webrtc-audio-processing 0.3 with the settings that PipeWire 0.3.65, of Debian 12,",
        "gives it; *module-echo-cancel 1.6* is version 1.3, whose canceller is AEC3, with those that PipeWire 1.6, of",
        "Debian sid, gives it: high-pass filter, noise suppression high, transient suppression. `make quality` has it",
        "where `Scripts/test-debian sid` has made that Debian.",
        "",
        *spread.page_lines(spreads, NAMES),
        "## The kinds",
        "",
        *(f"- `{kind}`: {text}" for kind, text in listening.kind_texts().items() if kind in options.kinds),
        "",
        "## The measures",
        "",
        "```",
        *(line for line in measures_text.strip().splitlines()[2:] if line.split(" ")[0] not in NOISE_MEASURES),
        "```",
        "",
        "Voices and music are real recordings (Debian's asterisk-core-sounds-*-g722, asterisk-moh-opsound-wav and",
        "extremetuxracer-data); rooms are simulated by image sources. Where both talk, `echo` and `deg` are of",
        "everything from 3 s on (`early`: of everything), `stoi` and `pesq` of the double talk (`early`: of its first",
        "5 s), and `erle` of 2 to 5 s, before the near end talks. After a change half way, `erle` is from 8 s on.",
        "`first` and `pesq` have no bar: they are in [every case and measure](quality/scores.csv).",
        "",
        "## Reproduce",
        "",
        "```",
        f'make quality ARGS="--seed {options.seed} --per-kind {options.per_kind}"   # without --seed one is drawn',
        'make quality ARGS="--spread --write"         # writes this page anew',
        "make quality ARGS=--modes                   # the mic modes: mic-modes.md",
        "make quality ARGS=--situations              # situations of a call: situations.md",
        "make quality ARGS=--near-ends               # other near ends than usual speech: near-ends.md",
        'make quality ARGS="--recordings FOLDER"     # recordings of real devices: recordings.md',
        'make quality ARGS="--conversation 3600"     # an hour of conversation: its last minute, and its first',
        "```",
        "",
        *version_lines(programs, TITLES),
        "",
    ]
    (documentation / "quality.md").write_text("\n".join(lines))

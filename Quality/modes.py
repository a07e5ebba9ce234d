"""Compares the mic modes with RNNoise: quality in noisy rooms, and cost; writes Documentation/mic-modes.md."""

import os
import sys
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import soundfile

import figure
import listening
from bars import mean
from kinds import MODE_KINDS, NOISES
from kinds import TITLES as ALL_TITLES
from measures import RATE, late_by
from report import NAMES as REPORT_NAMES
from report import number, version_lines, write_scores

SHOWN = ("ovrl", "noise", "deg", "stoi", "pesq", "echo")
NAMES = REPORT_NAMES | {"ovrl": "overall MOS", "noise": "noise taken away, dB", "pesq": "PESQ"}
COST_REPEATS = 3
MOST_OTHER_WORK = 0.5  # busy processors; above that, other programs distort the measured costs
TITLES = ALL_TITLES | {"nearend": "nearend, standard"}
TITLE = "What is left of a noisy room, and of whoever talks"


@dataclass(frozen=True)
class Cost:
    """The processor time and the delay of a program."""

    processor: float  # ms per second of sound
    late: float  # ms
    frames: np.ndarray | None  # ms for each block of 10 ms; None if not measured


@dataclass(frozen=True)
class Joined:
    """The noisy cases one after another, repeated several times."""

    mic: Path
    far: Path
    near: np.ndarray

    @property
    def seconds(self):
        return len(self.near) / RATE


def join_cases(folder, cases, out, times):
    sounds = {
        part: np.concatenate([soundfile.read(folder / case / f"{part}.wav")[0] for case in cases] * times)
        for part in ("mic", "far", "near")
    }
    paths = {part: out / f"joined-{times}-{part}.wav" for part in ("mic", "far")}
    for part, path in paths.items():
        soundfile.write(path, sounds[part], RATE, subtype="PCM_16")
    return Joined(paths["mic"], paths["far"], sounds["near"])


def cost(program, short, long, out):
    """Returns the Cost: processor time without the start, the least of COST_REPEATS, and the near end's delay."""
    took = [min(program.cost(joined.mic, joined.far, out) for _ in range(COST_REPEATS)) for joined in (long, short)]
    voice, _ = soundfile.read(out)
    processor = 1_000 * (took[0] - took[1]) / (long.seconds - short.seconds)
    times = program.frame_times(short.mic)
    return Cost(processor, 1_000 * late_by(voice, short.near) / RATE, None if times is None else 1_000 * times)


def costs(programs, folder, cases, out):
    """Returns {program: Cost} for those that cost anything, measured in turn on the same sound."""
    short, long = (join_cases(folder, cases, out, times) for times in (1, 3))
    return {
        name: cost(program, short, long, out / "cost-out.wav")
        for name, program in programs.items()
        if hasattr(program, "cost")
    }


def other_work(seconds=5):
    """Returns how many processors are busy while this program sleeps. The load average would include its own work."""

    def busy():
        fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        idle = fields[3] + fields[4]
        return (sum(fields[:8]) - idle) / os.sysconf("SC_CLK_TCK")

    before, begin = busy(), time.monotonic()
    time.sleep(seconds)
    return (busy() - before) / (time.monotonic() - begin)


def table_lines(table):
    yield "| kind | measure | " + " | ".join(TITLES[program] for program in table) + " |"
    yield "|---|---" + "|---" * len(table) + "|"
    for kind in MODE_KINDS:
        first = kind
        for measure in SHOWN:
            of_kind = {program: [row for row in rows if row["kind"] == kind] for program, rows in table.items()}
            if not all(rows and measure in rows[0] for rows in of_kind.values()):
                continue
            cells = [
                f"{number(mean(rows, measure), 'erle' if measure == 'noise' else measure)} "
                f"({number(min(row[measure] for row in rows), 'erle' if measure == 'noise' else measure)})"
                for rows in of_kind.values()
            ]
            yield f"| {first} | {NAMES[measure]} | {' | '.join(cells)} |"
            first = ""


def cost_lines(cost_of):
    yield "| | " + " | ".join(TITLES[program] for program in cost_of) + " |"
    yield "|---" + "|---" * len(cost_of) + "|"
    yield "| processor, ms a second | " + " | ".join(f"{cost.processor:.1f}" for cost in cost_of.values()) + " |"
    frames = (
        "–" if cost.frames is None else f"{np.median(cost.frames):.2f} ({np.percentile(cost.frames, 99):.2f})"
        for cost in cost_of.values()
    )
    yield "| per 10 ms of sound, ms: median (99th percentile) | " + " | ".join(frames) + " |"
    yield "| delay, ms | " + " | ".join(f"{cost.late:.1f}" for cost in cost_of.values()) + " |"


def finish(documentation, options, programs, folder, table, say):
    """Measures the costs, prints them, draws the figure, and with --write the page and its listening page."""
    noisy = [row["name"] for row in next(iter(table.values())) if row["kind"] in NOISES]
    others = other_work()
    if options.write and others > MOST_OTHER_WORK:
        sys.exit(f"quality: not written: other work keeps {others:.1f} processors busy; try again")
    lines = list(cost_lines(costs(programs, folder, noisy, options.out)))
    print("\n" + "\n".join(lines))
    others = max(others, other_work())
    print(f"Load average {os.getloadavg()[0]:.1f}, other work {others:.1f} processors, before or after.")
    subtitle = f"seed {options.seed}, means of {options.per_kind} cases of each kind"
    panels = figure.MODE_PANELS
    figure.draw(table, options.out / "modes.png", subtitle, TITLE, panels, TITLES)
    say(f"drawn: {options.out / 'modes.png'}")
    if options.write and others > MOST_OTHER_WORK:
        sys.exit(f"quality: not written: other work has begun, and keeps {others:.1f} processors busy; try again")
    if options.write:
        write(documentation, options, programs, folder, table, lines)
        say("written: Documentation/mic-modes.md")


def write(documentation, options, programs, folder, table, costs_table):
    import cases

    out = documentation / "mic-modes"
    out.mkdir(parents=True, exist_ok=True)
    subtitle = f"seed {options.seed}, means of {options.per_kind} cases of each kind"
    figure.draw(table, out / "modes.png", subtitle, TITLE, figure.MODE_PANELS, TITLES)
    drawn = [cases.draw(kind, index, options.seed) for kind in NOISES for index in range(options.per_kind)]
    processed = {name: options.out / name for name in programs}
    listening.write(folder, out, drawn, processed, HEAD, ("rnnoise", "nearend", "isolation"))
    write_scores(table, out / "scores.csv")
    texts = listening.kind_texts()
    lines = [
        "# The mic modes, scored",
        "",
        f"{options.per_kind} cases each of {', '.join(f'`{kind}`' for kind in options.kinds)}, of seed {options.seed},",
        "through nearend's [mic modes](guide/mic-modes.md) and RNNoise, which NoiseTorch and EasyEffects denoise with",
        f"({date.today().isoformat()}).",
        "",
        "![The table, drawn](mic-modes/modes.png)",
        "",
        "[Listening page](mic-modes/README.md): spectrograms of one case of each noise.",
        "[Every case and measure](mic-modes/scores.csv).",
        "",
        "Means, and in brackets the worst case:",
        "",
        *table_lines(table),
        "",
        "*Overall MOS* is DNSMOS P.835's, 1 to 5; the other measures are as in [quality](quality.md#the-measures).",
        "*Noise taken away* is by how much the pauses of the near end fall against its talk.",
        "",
        *(f"- `{kind}`: {texts[kind]}" for kind in options.kinds),
        "",
        "## Cost",
        "",
        "On the noisy cases, one after another in one run, and without what starting takes. nearend's figures are of",
        "the whole: echo canceller, gain control and noise suppression, while the far end is silent, in cycles of 10",
        "ms; the delay is by how much the near end comes late. The times per 10 ms are those of the network alone.",
        "",
        *costs_table,
        "",
        "## Reproduce",
        "",
        "```",
        f'make quality ARGS="--modes --seed {options.seed} --per-kind {options.per_kind} --write"',
        "```",
        "",
        *version_lines(programs, TITLES),
        "",
    ]
    (documentation / "mic-modes.md").write_text("\n".join(lines))


HEAD = """# Mic modes, looked at

The first case of each noise, 12 s: time to the right, pitch upwards (60 Hz to 16 kHz), brightness is loudness (-100 to
-45 dBFS a band). What should be left is the near end alone. Written by `make quality ARGS="--modes --write"`; the
figures are in [mic-modes.md](../mic-modes.md).
"""

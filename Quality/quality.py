#!/usr/bin/env python3
"""Measures what is left of the echo, and of whoever talks: makes cases of echo from a seed, runs nearend's engines and
other cancellers over them, and scores what comes out. What was made once for a seed is kept in .build-quality.
Quality/cases.py says what the kinds are, Quality/measures.py what the measures are; situations.py and passages.py the
same of situations."""

import argparse
import os
import random
import sys
import time
from pathlib import Path

from kinds import CANCELLERS, KINDS, MODE_KINDS, MODE_PROGRAMS, NOISES, PROGRAMS, SITUATIONS

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build-quality"
ENGINES = ("webrtc", "nearend")
LEAST_CONVERSATION = 300  # seconds


def list_of(names, what):
    """Returns a parser of comma-separated lists of the given names."""

    def parse(text):
        chosen = text.split(",")
        for name in chosen:
            if name not in names:
                raise argparse.ArgumentTypeError(f"{name} is no {what}; there are {', '.join(names)}")
        return chosen

    return parse


def positive(text):
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number from 1 on")
    return number


def arguments():
    parser = argparse.ArgumentParser(
        prog="make quality ARGS=...", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, help="of the cases; by default one is drawn")
    parser.add_argument("--per-kind", type=positive, default=3, metavar="N", help="cases of each kind (3)")
    parser.add_argument(
        "--kinds",
        type=list_of((*KINDS, *NOISES, *SITUATIONS), "kind"),
        metavar="A,B",
        help=f"of {','.join((*KINDS, *NOISES))}; by default all but the last {len(NOISES)}; with --situations those",
    )
    known = tuple(dict.fromkeys((*PROGRAMS, *MODE_PROGRAMS)))
    parser.add_argument(
        "--programs",
        type=list_of(known, "program"),
        metavar="A,B",
        help=f"of {','.join(known)}; by default {','.join(PROGRAMS)}; ideal is the near end alone",
    )
    family = parser.add_mutually_exclusive_group()
    family.add_argument(
        "--modes",
        action="store_true",
        help=f"the mic modes beside RNNoise: {','.join(MODE_KINDS)} through {','.join(MODE_PROGRAMS)}, and their cost",
    )
    family.add_argument(
        "--situations",
        action="store_true",
        help=f"what people meet in calls, scored passage by passage: {','.join(SITUATIONS)}",
    )
    parser.add_argument("--rows", action="store_true", help="also print each case by itself")
    parser.add_argument(
        "--no-pesq", action="store_true", help="leave out PESQ, which takes most of the scoring's time and has no bar"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="where processed sound and figure go; by default .build-quality/seed-<seed>",
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="write Documentation/quality.md with its figure and listening page; with --modes mic-modes.md, "
        "with --situations situations.md",
    )
    parser.add_argument(
        "--nearend", type=Path, default=ROOT / ".build/release/nearend", metavar="FILE", help="the nearend to measure"
    )
    parser.add_argument(
        "--workers", type=positive, default=os.cpu_count(), metavar="N", help="processes at a time (one a core)"
    )
    family.add_argument(
        "--conversation", type=positive, metavar="SECONDS", help="instead: one simulated conversation of that length"
    )
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1, 100_000)
    kinds, programs = (MODE_KINDS, MODE_PROGRAMS) if options.modes else (KINDS, PROGRAMS)
    if options.situations:
        kinds, programs = SITUATIONS, ("untouched", *CANCELLERS)
    options.kinds = options.kinds or list(kinds)
    options.programs = options.programs or list(programs)
    if any((kind in SITUATIONS) != options.situations for kind in options.kinds):
        parser.error(f"{', '.join(SITUATIONS)} go with --situations, and no other kind does")
    if options.write and (set(options.kinds) != set(kinds) or options.conversation):
        parser.error("--write wants all kinds, and no conversation")
    if options.conversation is not None and options.conversation < LEAST_CONVERSATION:
        parser.error(f"--conversation wants {LEAST_CONVERSATION} seconds or more")
    if options.out is None:
        what = f"conversation-{options.conversation}-" if options.conversation else ""
        options.out = BUILD / f"{what}seed-{options.seed}"
    return options


def say(text):
    print(f"quality: {text}", file=sys.stderr, flush=True)


def available_programs(options):
    """Returns {name: program} for the requested programs that this machine has."""
    import programs

    found = {}
    for name in options.programs:
        try:
            found[name] = programs.find(name, options.nearend, BUILD)
        except programs.Unavailable as reason:
            say(f"{name} is left out: {reason}")
    if not found:
        sys.exit("quality: none of the programs can be had")
    return found


def measure(options):
    """Makes, processes and scores the cases, and prints the table; returns the results."""
    import cases
    import programs
    import score
    import situations

    chosen = available_programs(options)
    folder = BUILD / f"seed-{options.seed}" / "cases"
    say(f"seed {options.seed}: {options.per_kind} cases each of {', '.join(options.kinds)}")
    family = situations if options.situations else cases
    made = timed("cases", family.make_all, folder, options.seed, options.per_kind, options.kinds, options.workers)
    for name, program in chosen.items():
        timed(name, programs.run, program, folder, made, options.out / name, options.workers)
    folders = {name: options.out / name for name in chosen}
    with_pesq = not (options.no_pesq or options.situations)
    table = timed("scores", score.score, folder, folders, made, with_pesq, options.workers)
    if options.situations:
        import situation_report

        situation_report.print_table(table, options.rows)
    else:
        score.print_table(table, options.rows)
    return chosen, folder, table


def timed(what, work, *parameters):
    begin = time.monotonic()
    result = work(*parameters)
    say(f"{what}: {time.monotonic() - begin:.1f} s")
    return result


def print_verdicts(table, of_kinds):
    import bars

    judged = "nearend" if "nearend" in table else "webrtc"
    if judged not in table:
        return
    verdicts = bars.judge(table[judged], of_kinds)
    of_other = "" if judged == "nearend" else ", here held against the WebRTC engine"
    print(f"\nBars for nearend's own engine{of_other}:")
    for verdict in verdicts:
        print(f"  {verdict}")
    print(f"  {sum(verdict.holds for verdict in verdicts)} of {len(verdicts)} hold")


def converse(options):
    """Runs nearend's engines over a conversation; returns how many were worse at its end than at its beginning."""
    import endurance

    engines = {name: program for name, program in available_programs(options).items() if name in ENGINES}
    return sum(
        endurance.measure(program, name, options.seed, options.conversation, options.out)
        for name, program in engines.items()
    )


def main():
    options = arguments()
    if options.conversation:
        return converse(options)
    chosen, folder, table = measure(options)
    if options.modes:
        import modes

        modes.finish(ROOT / "Documentation", options, chosen, folder, table, say)
        return 0
    import bars

    if options.situations:
        print_verdicts(table, bars.SITUATION_BARS)
        if options.write:
            import situation_report

            situation_report.write(ROOT / "Documentation", options, chosen, table)
            say("written: Documentation/situations.md")
        return 0
    print_verdicts(table, bars.BARS)
    import figure

    options.out.mkdir(parents=True, exist_ok=True)
    figure.draw(table, options.out / "quality.png", f"seed {options.seed}, means of {options.per_kind}")
    say(f"drawn: {options.out / 'quality.png'}")
    if options.write:
        import report

        report.write(ROOT / "Documentation", options, chosen, folder, table)
        say("written: Documentation/quality.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())

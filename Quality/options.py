"""What `make quality` is asked for: reads and checks the command line."""

import argparse
import os
import random
from pathlib import Path

from kinds import (
    ARRAY_PROGRAMS,
    ARRAYS,
    CANCELLERS,
    KINDS,
    MODE_KINDS,
    MODE_PROGRAMS,
    NEAR_END_PROGRAMS,
    NEAR_ENDS,
    NOISES,
    PROGRAMS,
    RECORDING_PROGRAMS,
    SITUATIONS,
)

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build-quality"
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


def add_families(parser):
    """Adds what is measured in place of the cases of KINDS."""
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
    family.add_argument(
        "--near-ends",
        action="store_true",
        help=f"near ends that are no usual speech, and words that a recognizer gets wrong: {','.join(NEAR_ENDS)}",
    )
    family.add_argument(
        "--arrays",
        action="store_true",
        help=f"several microphones of one device: {','.join(ARRAYS)} through {','.join(ARRAY_PROGRAMS)}",
    )
    family.add_argument(
        "--recordings",
        type=Path,
        metavar="FOLDER",
        help=f"recordings of real devices, through {','.join(RECORDING_PROGRAMS)}; a folder that does not hold what it "
        "has to is told what that is",
    )
    family.add_argument(
        "--conversation", type=positive, metavar="SECONDS", help="instead: one simulated conversation of that length"
    )
    family.add_argument(
        "--quick",
        action="store_true",
        help="instead: a few cases and situations through nearend alone, which fails where one is worse than before",
    )


def add_cases(parser):
    """Adds which cases are made, and which programs run over them."""
    parser.add_argument("--seed", type=int, help="of the cases; by default one is drawn")
    parser.add_argument("--per-kind", type=positive, default=3, metavar="N", help="cases of each kind (3)")
    parser.add_argument(
        "--kinds",
        type=list_of((*KINDS, *NOISES, *SITUATIONS, *NEAR_ENDS, *ARRAYS), "kind"),
        metavar="A,B",
        help=f"of {','.join((*KINDS, *NOISES))}; by default all but the last {len(NOISES)}; with --situations, "
        "--near-ends and --arrays those",
    )
    known = tuple(dict.fromkeys((*PROGRAMS, *MODE_PROGRAMS, *ARRAY_PROGRAMS)))
    parser.add_argument(
        "--programs",
        type=list_of(known, "program"),
        metavar="A,B",
        help=f"of {','.join(known)}; by default {','.join(PROGRAMS)}; ideal is the near end alone",
    )


def parser_of(description):
    parser = argparse.ArgumentParser(
        prog="make quality ARGS=...", description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_cases(parser)
    add_families(parser)
    parser.add_argument("--rows", action="store_true", help="also print each case by itself")
    parser.add_argument(
        "--spread",
        action="store_true",
        help="also each case four times with one bit of noise on the far end: how much opinions depend on chance",
    )
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
        "with --situations situations.md, with --near-ends near-ends.md, with --arrays arrays.md, with --recordings "
        "recordings.md, "
        "with --quick Quality/gate.json",
    )
    parser.add_argument(
        "--nearend", type=Path, default=ROOT / ".build/release/nearend", metavar="FILE", help="the nearend to measure"
    )
    parser.add_argument(
        "--workers", type=positive, default=os.cpu_count(), metavar="N", help="processes at a time (one a core)"
    )
    return parser


def defaults(options):
    """Returns the kinds and programs of the family; recordings have kinds of their own."""
    if options.modes:
        return MODE_KINDS, MODE_PROGRAMS
    if options.situations:
        return SITUATIONS, ("untouched", *CANCELLERS)
    if options.near_ends:
        return NEAR_ENDS, NEAR_END_PROGRAMS
    if options.arrays:
        return ARRAYS, ARRAY_PROGRAMS
    if options.recordings:
        return (), RECORDING_PROGRAMS
    return KINDS, PROGRAMS


def out_folder(options):
    """Returns where processed sound goes by default."""
    if options.recordings:
        return BUILD / f"recordings-{options.recordings.resolve().name}"
    if options.quick:
        return BUILD / "quick"
    what = f"conversation-{options.conversation}-" if options.conversation else ""
    return BUILD / f"{what}seed-{options.seed}"


def arguments(description, given=None):
    """Returns the checked options of the command line, or those given."""
    parser = parser_of(description)
    options = parser.parse_args(given)
    if options.quick and (options.kinds or options.programs or options.seed is not None or options.spread):
        parser.error("--quick has its own cases, and goes through nearend alone")
    if options.recordings and (options.kinds or options.seed is not None):
        parser.error("--recordings has the kinds that its meta.json names, and no seed")
    if options.spread and (options.modes or options.near_ends or options.arrays or options.conversation):
        parser.error("--spread goes with cases, situations and recordings")
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1, 100_000)
    kinds, programs = defaults(options)
    options.kinds = options.kinds or list(kinds)
    options.programs = options.programs or list(programs)
    for option, own, chosen in (
        ("--situations", SITUATIONS, options.situations),
        ("--near-ends", NEAR_ENDS, options.near_ends),
        ("--arrays", ARRAYS, options.arrays),
    ):
        if any((kind in own) != chosen for kind in options.kinds):
            parser.error(f"{', '.join(own)} go with {option}, and no other kind does")
    if options.write and (set(options.kinds) != set(kinds) or options.conversation):
        parser.error("--write wants all kinds, and no conversation")
    if options.write and (options.recordings or options.near_ends) and "nearend" not in options.programs:
        parser.error("--write wants nearend among the programs")
    if options.conversation is not None and options.conversation < LEAST_CONVERSATION:
        parser.error(f"--conversation wants {LEAST_CONVERSATION} seconds or more")
    options.out = options.out or out_folder(options)
    return options

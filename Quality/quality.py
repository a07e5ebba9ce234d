#!/usr/bin/env python3
"""Measures what is left of the echo, and of whoever talks: makes cases of echo from a seed, runs nearend's engines and
other cancellers over them, and scores what comes out. What was made once for a seed is kept in .build-quality.
Quality/cases.py says what the kinds are, Quality/measures.py what the measures are; situations.py and passages.py the
same of situations, near_ends.py and near_end_score.py of near ends, recordings.py and recording_score.py of
recordings."""

import sys
import time

from options import BUILD, ROOT, arguments

ENGINES = ("webrtc", "nearend")


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


def measure_recordings(options):
    """Processes and scores a folder of recordings, prints the table, and with --write writes its page."""
    import programs
    import recording_report
    import recordings
    import score

    try:
        cases = recordings.read(options.recordings)
    except recordings.BadRecordings as reason:
        sys.exit(f"quality: {reason}\n\n{recordings.__doc__.strip()}")
    chosen = programs.without_gain_control(available_programs(options), ())
    folder = options.recordings / "cases"
    say(f"{len(cases)} recordings")
    for name, program in chosen.items():
        timed(name, programs.run, program, folder, cases, options.out / name, options.workers)
    folders = {name: options.out / name for name in chosen}
    table = timed("scores", score.score, folder, folders, cases, False, options.workers)
    recording_report.print_table(table, options.rows)
    spreads = print_spreads(options, chosen, folder, cases) if options.spread else {}
    if options.write:
        recording_report.write(ROOT / "Documentation", options, chosen, cases, table, spreads)
        say("written: Documentation/recordings.md")
    return 0


def check_quickly(options):
    """Runs the quick gate, or with --write stores what its cases reach; returns the exit status."""
    import gate
    import programs

    try:
        program = programs.find("nearend", options.nearend, BUILD)
    except programs.Unavailable as reason:
        sys.exit(f"quality: {reason}")
    figures = timed("the quick gate", gate.measure, program, options.out, options.workers)
    if options.write:
        gate.write(figures)
        say("written: Quality/gate.json")
    return gate.check(figures, say)


def measure(options):
    """Makes, processes and scores the cases, and prints the table; returns the results."""
    import arrays
    import cases
    import near_ends
    import programs
    import score
    import situations

    chosen = available_programs(options)
    if options.near_ends:
        chosen = programs.without_gain_control(chosen)
    if options.arrays:
        chosen = programs.of_arrays(chosen)
    folder = BUILD / f"seed-{options.seed}" / "cases"
    say(f"seed {options.seed}: {options.per_kind} cases each of {', '.join(options.kinds)}")
    families = {situations: options.situations, near_ends: options.near_ends, arrays: options.arrays}
    family = next((family for family, is_chosen in families.items() if is_chosen), cases)
    made = timed("cases", family.make_all, folder, options.seed, options.per_kind, options.kinds, options.workers)
    for name, program in chosen.items():
        timed(name, programs.run, program, folder, made, options.out / name, options.workers)
    folders = {name: options.out / name for name in chosen}
    with_pesq = not options.no_pesq and family is cases
    table = timed("scores", score.score, folder, folders, made, with_pesq, options.workers)
    if options.situations:
        import situation_report

        situation_report.print_table(table, options.rows)
    elif options.near_ends:
        import near_end_report

        near_end_report.print_table(table, options.rows)
    elif options.arrays:
        import array_report

        array_report.print_table(table, options.rows)
    else:
        score.print_table(table, options.rows)
    # A page has nearend's.
    judged = {"nearend": chosen["nearend"]} if options.write and "nearend" in chosen else chosen
    spreads = print_spreads(options, judged, folder, made) if options.spread else {}
    return chosen, folder, table, spreads.get("nearend", [])


def print_spreads(options, chosen, folder, made):
    """Measures and prints how much opinions depend on chance; returns {program: [Spread]}."""
    import spread

    spreads = timed("spread", spread.measure, chosen, folder, made, options.out, options.workers)
    spread.print_spreads(spreads, options.rows)
    return spreads


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
    options = arguments(__doc__)
    if options.conversation:
        return converse(options)
    if options.quick:
        return check_quickly(options)
    if options.recordings:
        return measure_recordings(options)
    chosen, folder, table, spreads = measure(options)
    if options.modes:
        import modes

        modes.finish(ROOT / "Documentation", options, chosen, folder, table, say)
        return 0
    if options.near_ends:
        if options.write:
            import near_end_report

            near_end_report.write(ROOT / "Documentation", options, chosen, table)
            say("written: Documentation/near-ends.md")
        return 0
    if options.arrays:
        if options.write:
            import array_report

            array_report.write(ROOT / "Documentation", options, chosen, table)
            say("written: Documentation/arrays.md")
        return 0
    import bars

    if options.situations:
        print_verdicts(table, bars.SITUATION_BARS)
        if options.write:
            import situation_report

            situation_report.write(ROOT / "Documentation", options, chosen, table, spreads)
            say("written: Documentation/situations.md")
        return 0
    print_verdicts(table, bars.BARS)
    import figure

    options.out.mkdir(parents=True, exist_ok=True)
    figure.draw(table, options.out / "quality.png", f"seed {options.seed}, means of {options.per_kind}")
    say(f"drawn: {options.out / 'quality.png'}")
    if options.write:
        import report

        report.write(ROOT / "Documentation", options, chosen, folder, table, spreads)
        say("written: Documentation/quality.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())

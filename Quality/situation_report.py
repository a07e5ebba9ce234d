"""Prints the passages of the situations, and writes Documentation/situations.md."""

from datetime import date

import bars
import spread
from bars import SITUATION_BARS, mean
from kinds import SITUATIONS, TITLES
from passages import PASSAGES
from report import NAMES, judged_program, table_lines, version_lines

PASSAGE_NAMES = {
    passage.name: f"{NAMES[passage.measure]}: {passage.begin:g} to {passage.end:g} s"
    for passages in PASSAGES.values()
    for passage in passages
}


def print_table(table, rows_too=False):
    """Prints a line for each passage: mean (worst case) of each program; with `rows_too` the cases by themselves."""
    print(f"{'kind':9}{'passage':24}" + "".join(f"{program:>17}" for program in table))
    for kind in SITUATIONS:
        of_kind = {program: [row for row in rows if row["kind"] == kind] for program, rows in table.items()}
        if not all(of_kind.values()):
            continue
        for passage in PASSAGES[kind]:
            cells = [
                f"{mean(rows, passage.name):.2f} ({min(row[passage.name] for row in rows):.2f})"
                for rows in of_kind.values()
            ]
            print(f"{kind:9}{PASSAGE_NAMES[passage.name]:24}" + "".join(f"{cell:>17}" for cell in cells))
            if rows_too:
                names = [row["name"] for row in next(iter(of_kind.values()))]
                for index, name in enumerate(names):
                    values = "".join(f"{rows[index][passage.name]:>17.2f}" for rows in of_kind.values())
                    print(f"         {name:24}{values}")


def write(documentation, options, programs, table, spreads=()):
    """Writes DOCUMENTATION/situations.md; spreads: nearend's, if they were measured."""
    judged = judged_program(table)
    verdicts = bars.judge(table[judged], SITUATION_BARS)
    holding = sum(verdict.holds for verdict in verdicts)
    per_kind = options.per_kind
    lines = [
        "# Situations of a call, scored",
        "",
        f"{per_kind * len(options.kinds)} cases of seed {options.seed}, {per_kind} of each kind, through nearend and",
        f"others ({date.today().isoformat()}). For {TITLES[judged]} {holding} of {len(verdicts)} bars hold.",
        "",
        "The kinds of [echo and speech, scored](quality.md) are made alike, have 12 s each and are scored as a whole;",
        "these are scored passage by passage, in seconds from the event that makes the situation.",
        "",
        "Means, and in brackets the worst case:",
        "",
        *table_lines(table, SITUATION_BARS, PASSAGE_NAMES),
        "",
        BARS_TEXT,
        *spread.page_lines(spreads, PASSAGE_NAMES),
        "## The kinds",
        "",
        KINDS_TEXT,
        "## Reproduce",
        "",
        "```",
        f'make quality ARGS="--situations --seed {options.seed} --per-kind {per_kind}"   # without --seed one is drawn',
        'make quality ARGS="--situations --kinds onset,pause --rows"   # a few of them, case by case',
        'make quality ARGS="--situations --spread --write"   # writes this page anew',
        "```",
        "",
        *version_lines(programs, TITLES),
        "",
    ]
    (documentation / "situations.md").write_text("\n".join(lines))


BARS_TEXT = """\
A bar is a little below the mean that the best canceller, nearend or another, reached on six other seeds; the untouched
microphone does not count, because it loses nothing of the near end. From `skipped` on it is a little below nearend's
own means on two seeds. Where nothing but the far end talks, a canceller that mutes everything has the highest ERLE:
module-echo-cancel's is to be read with its near end MOS and STOI.

*ERLE* is by how many dB the microphone's power falls while the far end talks alone. *Echo MOS* and *near end MOS* are
AECMOS' opinions of how little echo is heard and how little the near end is harmed, 1 to 5. *STOI* is the near end's
intelligibility, 0 to 1, against the reverberant near end alone. The delay of a program is removed where the near end
talks; where it does not, module-echo-cancel's and AEC3's 14 to 16 ms stay, which changed their means of ERLE by 1.4 dB
at most.
"""

KINDS_TEXT = """\
**`onset`**: the far end has been talking for 6 to 10 s when its echo is first heard, in the middle of a sentence: the
loudspeaker was off until then or, in every other case, the microphone was muted at its source, which is exact zeros.
The event is the first sound of the echo. The first half second shows what escapes before the canceller knows the path,
the second one and the next second how soon it does. A canceller that has learnt from silence that there is no echo is
late.

**`ringback`**: two to four bursts of a ringing tone, 440 and 480 Hz for 2 s or 425 Hz for 1 s, with 4 s of silence
between, then the far end answers. The event is the first sound of its speech. A tone tells of the path at one or two
frequencies only: the first half second shows what the canceller makes of that at all others, the rest how soon it has
learnt them.

**`turned`**: both talk, and the loudspeaker is turned by -12, -6 or +6 dB within 0.1 s; the program is given files, and
is not told. The event is that turn; 5 s later the near end stops. STOI and near end MOS of the 2 s after it show what
the near end loses meanwhile (AECMOS is coarse for so short a stretch: single cases are off by a few tenths), ERLE of
the far end alone afterwards whether the canceller has followed.

**`clipped`**: the microphone is overdriven: the echo's peaks are 6 or, in every other case, 12 dB over full scale, and
everything is cut at ±1. The near end is 0 to 10 dB below the echo. The event is the near end's first word: before it
the far end talks alone, after it both do. ERLE and the first echo MOS show how much of an echo that no filter explains
is taken away, the second echo MOS and STOI whether the near end survives it.

**`softfar`**: the far end arrives 30 dB softer than usual, and the loudspeaker's gain makes up for it, so that the echo
is as loud as ever. The event is the near end's first word. The figures are those of double talk in general: what they
show is whether a canceller takes a soft far end for silence. Echo and near end MOS are of everything from 5 s before
the event on.

**`pause`**: the far end is silent for 20 s in the middle of 40, and half way through that the echo's path changes: the
laptop was moved. In every other case the near end talks meanwhile. The event is the far end's next word. ERLE of the
first second shows what escapes while the canceller still has the old path, the others whether it comes back.

**`answers`**: the far end says seven answers of 2 s, with 10 s of silence between, and the clocks of loudspeaker and
microphone drift apart by 20 to 100 ppm: by up to 58 samples from one answer to the next. The event is the first word of
the last answer. ERLE of two of the answers shows whether the canceller has learnt the drift, of which each pause shows
more than the answers do.

**`fanned`**: a fan in the room is switched on, 5 to 15 dB below speech, while the far end plays music without a pause
or, in every other case, talks. The event is that moment. ERLE before it is of the echo alone; after it the fan is heard
as well, and the figures show how much of the two together is taken away. Here module-echo-cancel takes away more, and
the near end with it (see `music` on [the other page](quality.md)); the bars are a little below nearend's own.

What recordings of real devices are like, in the other five:

**`skipped`**: 11 ms of the microphone are lost or, in every other case, of the far end's recording: from then on the
echo comes earlier, or later. The event is that moment, as the microphone hears it.

**`narrow`**: the far end ends at 4 kHz, as a telephone's; in every other case only its recording does, and the
loudspeaker plays all of it. The event is the near end's first word.

**`gated`**: the microphone has a gate that opens 22 dB below speech, and makes exact zeros of everything while it is
shut, of soft syllables as well. The event is the near end's first word.

**`ahead`**: the far end's recording is 0.9 ms later than the loudest of its echo, as loopbacks may be. The event is the
near end's first word.

**`rough`**: a small loudspeaker without bass cuts the peaks of speech, and its housing rattles, 10 dB softer: a
fixed filter takes 5 to 10 dB of the echo away. The event is the near end's first word.
"""

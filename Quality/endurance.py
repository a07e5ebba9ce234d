"""Scores a canceller over a long conversation: its last minute against its second, and the outcome of each event."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr
from pystoi import stoi

import conversation
from measures import RATE, SPEECH_RATE, erle, power, seconds_to_settle
from opinion import EchoOpinion
from script import PROBE_SECONDS

LEAST_TALK = 4  # seconds that STOI and AECMOS need
SETTLE_SECONDS = 9  # of the far end alone, after each change
# By how much the last minute may be worse than the first: the difference that two rooms make by themselves.
TOLERANCE = {"erle": 3.0, "echo": 0.15, "deg": 0.2, "stoi": 0.02}


@dataclass
class Track:
    """A sound file that is read in parts."""

    path: Path

    def read(self, start, count):
        """Returns `count` seconds from second `start` on, mono."""
        samples, _ = soundfile.read(self.path, start=int(start * RATE), frames=int(count * RATE), always_2d=True)
        return samples.mean(axis=1)


class Conversation:
    """The conversation's own files, and one program's output for its microphone."""

    def __init__(self, folder, script, processed, opinion):
        self.script, self.opinion = script, opinion
        self.far, self.mic, self.near = (Track(Path(folder) / f"{name}.wav") for name in ("far", "mic", "near"))
        self.out = Track(processed)

    def longest(self, wanted, seconds):
        """Returns (start, count) of the longest run of seconds that are as wanted."""
        best, begin = (0, 0), None
        for number in [*seconds, None]:
            if number is not None and wanted(self.script.seconds[number]):
                begin = number if begin is None else begin
            elif begin is not None:
                end = number if number is not None else seconds[-1] + 1
                best = max(best, (begin, end - begin), key=lambda found: found[1])
                begin = None
        return best

    def probe(self, name):
        """Returns the measures of the minute."""
        minute = conversation.probe_seconds(self.script, name)
        alone = self.longest(lambda second: second.far_alone, minute)
        both = self.longest(lambda second: second.both, minute)
        measured = {"erle": erle(self.mic.read(*alone), self.out.read(*alone))}
        measured["echo"] = self.opinion_of("st", alone)[0]
        measured["deg"] = self.opinion_of("dt", both)[1]
        measured["stoi"] = self.intelligibility(both, self.out)
        return measured

    def opinion_of(self, scenario, stretch):
        sounds = (track.read(*stretch) for track in (self.far, self.mic, self.out))
        return self.opinion.rate(scenario, *(self.opinion.features(np.clip(samples, -1, 1)) for samples in sounds))

    def intelligibility(self, stretch, track):
        clean, heard = (soxr.resample(one.read(*stretch), RATE, SPEECH_RATE) for one in (self.near, track))
        return stoi(clean, heard, SPEECH_RATE)

    def event(self, event):
        """Returns the outcome of an event, as text."""
        if event.kind in ("both talk", "clip", "music"):
            return self.passage(event)
        mic, out = (track.read(event.second, SETTLE_SECONDS) for track in (self.mic, self.out))
        settled = seconds_to_settle(mic, out, 0)
        late = slice(3 * RATE, None)
        told = f"ERLE {erle(mic[late], out[late]):.0f} dB from 3 s on, 20 dB down "
        told += f"after {settled:.2f} s" if settled < SETTLE_SECONDS else "never"
        before = self.far_alone_before(event.second)
        return told + (f"; before {erle(*before):.0f} dB" if before else "")

    def far_alone_before(self, second):
        """Returns (mic, out) of the 3 s before, if only the far end talked there."""
        earlier = self.script.seconds[max(0, second - 3) : second]
        if len(earlier) < 3 or not all(
            one.far_alone and not one.world.muted and not one.world.clipped for one in earlier
        ):
            return None
        return self.mic.read(second - 3, 3), self.out.read(second - 3, 3)

    def passage(self, event):
        """Returns the outcome of a scene in which the near end talks, too."""
        scene = self.script.seconds[event.second].scene
        end = event.second
        while end < self.script.length and self.script.seconds[end].scene == scene and self.script.seconds[end].far:
            end += 1
        stretch = range(event.second, end)
        alone = self.longest(lambda second: second.far_alone, stretch)
        both = self.longest(lambda second: second.both, stretch)
        told = []
        if both[1] >= LEAST_TALK:
            untouched = self.intelligibility(both, self.mic)
            told.append(f"STOI {self.intelligibility(both, self.out):.2f} (untouched {untouched:.2f})")
            told.append(f"near end MOS {self.opinion_of('dt', both)[1]:.2f}")
        if alone[1]:
            told.append(f"far end alone ERLE {erle(self.mic.read(*alone), self.out.read(*alone)):.0f} dB")
        return ", ".join(told)

    def faults(self):
        """Returns what is wrong anywhere: samples that are NaN or infinite, or sound while the microphone is muted."""
        no_numbers = loud_mutes = 0
        for number, second in enumerate(self.script.seconds):
            out = self.out.read(number, 1)
            no_numbers += int(np.count_nonzero(~np.isfinite(out)))
            settled = number and self.script.seconds[number - 1].world.muted
            # Without the last 10 ms: a canceller that works in blocks spreads the start of the next second over one.
            loud_mutes += bool(second.world.muted and settled and power(out[: -RATE // 100]) > 1e-8)
        return {"samples that are no numbers": no_numbers, "muted seconds louder than -80 dBFS": loud_mutes}


def compare(first, last):
    """Returns lines that compare the last minute with the first full one, and whether it is as good."""
    lines, good = [], True
    for measure, tolerance in TOLERANCE.items():
        holds = last[measure] >= first[measure] - tolerance
        good &= holds
        verdict = "holds" if holds else "WORSE"
        lines.append(
            f"  {measure:5} {first[measure]:7.2f} {last[measure]:7.2f}   at most {tolerance:g} less: {verdict}"
        )
    return lines, good


def measure(program, name, seed, length, folder):
    """Makes the conversation, runs the program over it, prints the report and writes it to FOLDER/<name>.txt.

    Returns 1 if the end is worse than the beginning, or something is wrong, otherwise 0.
    """
    folder = Path(folder)
    begin = time.monotonic()
    script = conversation.make(folder, seed, length)
    print(f"conversation of {length} s, seed {seed}, in {folder} ({time.monotonic() - begin:.0f} s)", file=sys.stderr)
    out = folder / f"{name}.wav"
    begin = time.monotonic()
    memory, _ = program.run(folder / "mic.wav", folder / "far.wav", out)
    took = time.monotonic() - begin
    heard = Conversation(folder, script, out, EchoOpinion())
    lines, good = compare(heard.probe("first"), heard.probe("last"))
    report = [
        f"{name}, {program.version}: {length} s of conversation, seed {seed}, in {took:.0f} s; at most {memory:.0f} MB",
        "",
    ]
    report += [
        f"Minute from {script.probes['first']} s on, and the last one ({PROBE_SECONDS} s each, the same sentences):",
        *lines,
        "",
    ]
    for fault, count in heard.faults().items():
        report.append(f"{fault}: {count}")
        good &= count == 0
    report += ["", "Events:"]
    for event in script.events:
        clock = f"{event.second // 3600}:{event.second // 60 % 60:02}:{event.second % 60:02}"
        report.append(f"  {clock} {event.kind:10} {event.detail:45} {heard.event(event)}")
    report.append(f"\nThe last minute is {'as good as the first' if good else 'WORSE, or there were faults'}.")
    print("\n".join(report))
    (folder / f"{name}.txt").write_text("\n".join(report) + "\n")
    return 0 if good else 1

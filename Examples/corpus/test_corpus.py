#!/usr/bin/env python3
"""Processes a corpus with two workers, of which one is killed half way: no case is lost or done twice.

test_corpus.py NEAREND    the nearend to test with
"""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import wave
from array import array
from pathlib import Path

import pyarrow.parquet

CASES = 12
BAD = "case-7"
CORPUS = Path(__file__).with_name("corpus.py")


def write_wave(path, seconds, seed):
    noise = random.Random(seed)
    second = array("h", (noise.randrange(-6000, 6000) for _ in range(16000)))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        for _ in range(seconds):
            file.writeframes(second.tobytes())


def make_corpus(folder, seconds):
    rows = []
    for number in range(CASES):
        name = f"case-{number}"
        write_wave(folder / f"{name}.wav", seconds, number)
        rows.append([f"{name}.wav", "case-0.wav" if number % 2 else "", "off" if number % 3 else ""])
    (folder / f"{BAD}.wav").write_bytes(b"RIFF, but no more")
    with open(folder / "cases.csv", "w", newline="") as file:
        csv.writer(file).writerows([["microphone", "reference", "agc"], *rows])


def wait(what, fact, seconds=120):
    end = time.monotonic() + seconds
    while not (found := fact()):
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.005)
    return found


class Daemon:
    """A process and its children, in a process group of their own."""

    def __init__(self, log, *command):
        self.log = log
        with open(log, "w") as file:
            self.process = subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True)

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def is_busy(self):
        """Returns whether a nearend of this worker runs."""
        pid = self.process.pid
        try:
            threads = os.listdir(f"/proc/{pid}/task")
            return any(Path(f"/proc/{pid}/task/{thread}/children").read_text().strip() for thread in threads)
        except OSError:
            return False


def start_cluster(folder):
    """A scheduler with two workers, and its address."""
    dask = [sys.executable, "-m", "dask"]
    file = folder / "scheduler.json"
    options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    scheduler = Daemon(folder / "scheduler.log", *dask, "scheduler", *options)
    local = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder)]
    workers = [
        Daemon(folder / f"worker-{number}.log", *dask, "worker", "--scheduler-file", str(file), *local)
        for number in range(2)
    ]
    wait("the workers", lambda: all("Registered to" in worker.log.read_text() for worker in workers))
    return scheduler, workers, file


def check(condition, what):
    if not condition:
        raise AssertionError(what)
    print(f"ok: {what}")


def test(nearend, folder, daemons):
    make_corpus(folder, seconds=12)
    manifest = folder / "cases.csv"
    alone, spread = folder / "alone", folder / "spread"
    first = subprocess.run([nearend, "process", "--batch", manifest, "--out", alone], capture_output=True, text=True)
    check(first.returncode == 66 and BAD in first.stderr, "nearend alone names the bad file")

    scheduler, workers, file = start_cluster(folder)
    daemons += [scheduler, *workers]
    address = json.loads(file.read_text())["address"]
    command = [sys.executable, CORPUS, manifest, "--out", spread, "--scheduler", address, "--nearend", nearend]
    with open(folder / "corpus.log", "w") as log:
        running = subprocess.Popen(command, stdout=log, stderr=log)
    records = lambda: len(list(spread.glob("case-*.json")))  # noqa: E731
    wait("a busy worker in the middle", lambda: 3 <= records() < CASES - 3 and workers[0].is_busy())
    workers[0].kill()
    done = records()
    status = running.wait(timeout=120)
    said = (folder / "corpus.log").read_text()
    check(done < CASES - 1, f"a worker was killed at its work, with {done} of {CASES} cases done")
    check(status == 66 and f"{BAD} failed" in said, "the bad file is named in the end, by the status too")

    visible = sorted(path.name for path in spread.iterdir() if not path.name.startswith("."))
    expected = sorted([path.name for path in alone.iterdir()] + ["results.parquet"])
    check(visible == expected, "no file is missing, and none is there that one machine would not have made")
    same = all((alone / name).read_bytes() == (spread / name).read_bytes() for name in visible if name.endswith(".wav"))
    check(same, "every voice is the same, bit by bit")
    text = (spread / "results.csv").read_text()
    check(text == (alone / "results.csv").read_text(), "the table is the same")
    names = [row["name"] for row in csv.DictReader(text.splitlines())]
    check(names == [f"case-{number}" for number in range(CASES)], "each case is there once, in its order")
    rows = pyarrow.parquet.read_table(spread / "results.parquet").to_pylist()
    check([row["name"] for row in rows] == names, "and in the Parquet file")
    check(
        sum(row["seconds"] or 0 for row in rows) == 12.0 * (CASES - 1) and rows[7]["voiceLevel"] is None,
        "whose numbers are numbers",
    )

    before = (spread / "case-1.wav").stat().st_ino
    again = subprocess.run(command, capture_output=True, text=True, timeout=120)
    check(again.returncode == 66 and (spread / "case-1.wav").stat().st_ino == before, "once more does nothing again")


def main():
    nearend = os.path.abspath(sys.argv[1])
    daemons = []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="nearend-corpus-", ignore_cleanup_errors=True) as folder:
        try:
            test(nearend, Path(folder), daemons)
        except BaseException:
            for log in sorted(Path(folder).glob("*.log")):
                print(f"--- {log.name}\n{log.read_text()[-3000:]}", file=sys.stderr)
            raise
        finally:
            for daemon in reversed(daemons):
                daemon.kill()
    print(f"passed in {time.monotonic() - begin:.1f} s")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Processes a corpus with nearend on a Dask cluster: `nearend process --batch`, spread over its workers.

  corpus.py cases.csv --out voices                             on this machine, a worker for each processor
  corpus.py cases.csv --out voices --scheduler tcp://10.0.0.7:8786
  corpus.py cases.csv --out voices -- --aec webrtc --no-agc    what follows -- goes to nearend

Each case is a task. The folder has a voice and its measures for each, and the table as results.csv and results.parquet.
"""

import argparse
import csv
import os
import subprocess
import sys
import time
from pathlib import Path

import dask
import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet
from distributed import Client, LocalCluster, as_completed

BAD_INPUT = 66  # nearend's exit status where a file cannot be processed
TEXTS = {"name", "microphone", "reference", "state", "error", "aec", "mic-mode"}
SWITCHES = {"ns", "agc", "hpf", "bypass"}


def batch(nearend, manifest, out, *more):
    """The command that does cases of the manifest."""
    return [nearend, "process", "--batch", str(manifest), "--out", str(out), *more]


def process(command, name):
    """One case, on a worker. A bad file is a result; what else goes wrong is tried again elsewhere."""
    run = subprocess.run([*command, "--jobs", "1", "--only", name], capture_output=True, text=True)
    if run.returncode not in (0, BAD_INPUT):
        raise RuntimeError(f"nearend ended with {run.returncode}: {run.stderr.strip()}")
    return run.returncode == 0


def names(manifest):
    """The cases' names, as nearend gives them."""
    with open(manifest, encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file, skipinitialspace=True):
            yield (row.get("name") or "").strip() or Path((row.get("microphone") or "").strip()).stem


def write_parquet(table, path):
    """The table with numbers as numbers, whole or not at all."""
    with open(table, encoding="utf-8", newline="") as file:
        columns = next(csv.reader(file))
    types = {
        name: arrow.string() if name in TEXTS else arrow.bool_() if name in SWITCHES else arrow.float64()
        for name in columns
    }
    options = arrow.csv.ConvertOptions(column_types=types, strings_can_be_null=False)
    parsing = arrow.csv.ParseOptions(newlines_in_values=True)
    rows = arrow.csv.read_csv(table, convert_options=options, parse_options=parsing)
    part = path.with_name(f".{path.name}.part")
    arrow.parquet.write_table(rows, part)
    os.replace(part, path)
    return rows.num_rows


def spread(client, command, todo, retries):
    """Runs every case on the cluster; yields name and whether it was done. Another worker does what one leaves."""
    tasks = {
        client.submit(process, command, name, key=f"nearend-{os.getpid()}-{number}", retries=retries, pure=False): name
        for number, name in enumerate(todo)
    }
    for task in as_completed(tasks):
        yield tasks[task], task.result()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", type=Path, help="the CSV file of cases, as nearend process --batch reads it")
    parser.add_argument(
        "--out", type=Path, required=True, help="the folder of voices, measures and tables, which every worker reaches"
    )
    parser.add_argument("--scheduler", help="address of a Dask scheduler; by default a cluster of this machine's own")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="workers of this machine's own cluster")
    parser.add_argument("--nearend", default="nearend", help="the program, by the path that it has on every worker")
    parser.add_argument("--retries", type=int, default=3, help="how often a case is tried again elsewhere")
    parser.add_argument("options", nargs="*", help="options of nearend process, after --")
    return parser.parse_args()


def main():
    wanted = arguments()
    manifest, out = wanted.manifest.resolve(), wanted.out.resolve()
    todo = list(names(manifest))
    out.mkdir(exist_ok=True)
    command = batch(wanted.nearend, manifest, out, *wanted.options)
    # The first case here: what is wrong with manifest, options or program is told before the cluster is asked.
    if todo:
        first = subprocess.run([*command, "--only", todo[0]], capture_output=True, text=True)
        if first.returncode not in (0, BAD_INPUT):
            sys.exit(first.stderr.strip())

    # A case is not to blame for the workers that go while they have it.
    dask.config.set({"distributed.scheduler.allowed-failures": max(10, wanted.retries)})
    begin = time.monotonic()
    cluster = (
        None
        if wanted.scheduler
        else LocalCluster(n_workers=wanted.workers, threads_per_worker=1, dashboard_address=None)
    )
    try:
        with Client(wanted.scheduler or cluster) as client:
            for number, (name, done) in enumerate(spread(client, command, todo, wanted.retries), 1):
                spent = time.monotonic() - begin
                left = spent * (len(todo) - number) / number
                print(
                    f"{number} of {len(todo)}: {name}{'' if done else ' failed'}, {left:.0f} s left",
                    file=sys.stderr,
                    flush=True,
                )
    finally:
        if cluster:
            cluster.close()

    # Nothing is left to do, so this writes the table and says what failed.
    last = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    table = out / "results.csv"
    if last.returncode in (0, BAD_INPUT):
        rows = write_parquet(table, out / "results.parquet")
        print(f"{table} and {table.with_suffix('.parquet')}: {rows} cases", file=sys.stderr)
    if last.returncode:
        print(last.stderr.strip(), file=sys.stderr)
    return last.returncode


if __name__ == "__main__":
    sys.exit(main())

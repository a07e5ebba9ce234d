#!/usr/bin/env python3
"""Processes a corpus with nearend on a Dask cluster: `nearend process --batch`, spread over its workers.

  corpus.py cases.csv --out voices                             on this machine, a worker for each processor
  corpus.py cases.csv --out voices --scheduler tcp://10.0.0.7:8786
  corpus.py cases.csv --out voices -- --aec webrtc --no-agc    what follows -- goes to nearend

Each case is a task. For each, the folder gets a voice and its measures; the table is results.csv and results.parquet.
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

BAD_INPUT = 66  # nearend's exit status if a file cannot be processed
TEXTS = {"name", "microphone", "reference", "state", "error", "aec", "mic-mode", "mic-channels"}
SWITCHES = {"ns", "agc", "hpf", "bypass"}


def batch(nearend, manifest, out, *more):
    """Returns the command that processes cases of the manifest."""
    return [nearend, "process", "--batch", str(manifest), "--out", str(out), *more]


def process(command, name):
    """Processes one case, on a worker. A bad file is a result; any other failure is retried on another worker."""
    run = subprocess.run([*command, "--jobs", "1", "--only", name], capture_output=True, text=True)
    if run.returncode not in (0, BAD_INPUT):
        raise RuntimeError(f"nearend ended with {run.returncode}: {run.stderr.strip()}")
    return run.returncode == 0


def names(manifest):
    """Returns the names of the cases, as nearend lists them."""
    with open(manifest, encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file, skipinitialspace=True):
            yield (row.get("name") or "").strip() or Path((row.get("microphone") or "").strip()).stem


def write_parquet(table, path):
    """Writes the table with typed columns, atomically."""
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
    """Runs every case on the cluster; yields its name and whether it succeeded. Lost workers' cases go to others."""
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
    # The first case runs here, so that a wrong manifest, option or program is reported before the cluster is used.
    if todo:
        first = subprocess.run([*command, "--only", todo[0]], capture_output=True, text=True)
        if first.returncode not in (0, BAD_INPUT):
            sys.exit(first.stderr.strip())

    # Losing the worker does not count against a case.
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

    # Every case is done, so this only writes the table and reports the failures.
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

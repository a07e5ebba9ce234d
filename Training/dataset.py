"""dataset.py CORPUS OUT: makes mixtures and what the suppressor hears of them, in shards that training reads.

A shard holds the records of PER_SHARD consecutive seeds at one rate: OUT/<shard>.npy, float16 of shape (mixtures,
steps, values), as FeatureExtractor writes them, but with magnitudes to the power POWER, as the loss compares them. A
shard that is there is not made again, so that an interrupted run goes on where it was.
"""

import argparse
import json
import multiprocessing
import subprocess
from pathlib import Path

import numpy as np

import mixtures
from corpus import RATE, Corpus

PER_SHARD = 64
# Loudness grows with pressure to the power of some .3 (Stevens). Magnitudes below −120 dBFS do not count.
POWER, FLOOR = 0.3, 1e-6
# The suppressor's hops are 4 ms at 16 kHz and 5.3 ms at 48 kHz: the network works with either.
RATES = (RATE, RATE, RATE, 48_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--shards", type=int, default=100)
    parser.add_argument("--per-shard", type=int, default=PER_SHARD)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first mixture")
    parser.add_argument("--split", default="train", help="of the corpus")
    parser.add_argument("--extractor", type=Path, default=Path(".build/release/FeatureExtractor"))
    parser.add_argument("--workers", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    wanted = [s for s in range(options.shards) if not (options.out / f"{s:05}.npy").exists()]
    global corpus
    corpus = Corpus(options.corpus, options.split)
    options.out.mkdir(parents=True, exist_ok=True)
    with multiprocessing.get_context("fork").Pool(options.workers) as pool:
        for shard in pool.imap_unordered(_make, [(s, options) for s in wanted]):
            print(f"shard {shard:05}", flush=True)


def _make(job: tuple[int, argparse.Namespace]) -> int:
    shard, options = job
    out, count = options.out, options.per_shard
    rate = RATES[shard % len(RATES)]
    frames = mixtures.SECONDS * rate
    process = subprocess.Popen(
        [options.extractor, "records", str(rate), str(frames)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    inputs, bins = (int(number) for number in np.frombuffer(process.stdout.read(8), np.int32))
    values, magnitudes = 1 + inputs + 6 * bins, slice(1 + inputs, 1 + inputs + 4 * bins)
    steps = _steps(rate, frames)
    records = np.empty((count, steps, values), np.float16)
    for i in range(count):
        process.stdin.write(mixtures.mixture(corpus, options.first + shard * count + i, rate).tobytes())
        process.stdin.flush()
        record = np.frombuffer(process.stdout.read(4 * steps * values), np.float32).reshape(steps, values).copy()
        record[:, magnitudes] = (np.maximum(record[:, magnitudes], 0) + FLOOR) ** POWER
        records[i] = record
    process.stdin.close()
    if process.wait() != 0:
        raise RuntimeError(f"{options.extractor} failed with status {process.returncode}")
    part = out / f"{shard:05}.part.npy"
    np.save(part, records)
    part.with_name(f"{shard:05}.json").write_text(json.dumps({"rate": rate, "bins": bins}))
    part.rename(out / f"{shard:05}.npy")
    return shard


def _steps(rate: int, frames: int) -> int:
    """Records of a mixture: every second hop, the largest power of two that is no longer than 5.9 ms."""
    hop = 64
    while 2 * hop * 10_000 <= 59 * rate:
        hop *= 2
    return frames // hop // 2


if __name__ == "__main__":
    main()

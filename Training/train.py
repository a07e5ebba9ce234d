"""train.py DATA OUT: trains the suppressor's network on the shards that dataset.py has made.

Writes a checkpoint every EVERY steps, OUT/checkpoint.npz, from which it goes on after an interruption, the weights of
each, OUT/weights-<step>.npz, and OUT/log.csv with the curves; with --held also OUT/held.csv, the losses of each such
weights on other shards, of other voices and rooms. Each step's batch depends on the seed and the step alone,
so that a run, interrupted or not, repeats another one with the same shards but for the order of sums.
"""

import argparse
import csv
import json
import os
import queue
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# A device for each core, which works on its own part of a batch: XLA's threads would wait for each other at every step
# of the recurrent layers.
os.environ.setdefault(
    "XLA_FLAGS",
    f"--xla_force_host_platform_device_count={os.cpu_count()} --xla_cpu_multi_thread_eigen=false",
)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import network  # noqa: E402
import recurrence  # noqa: E402
from dataset import POWER  # noqa: E402

EVERY, TELL = 250, 10
CASES, STEPS = 32, 256
# The rate of learning rises for WARM steps, and falls along a cosine in the last COOL, a quarter and half of a short
# run: a longer one can go on from a checkpoint before these (Hu et al., MiniCPM, 2024).
HIGHEST, LOWEST = 1.5e-3, 1e-5
WARM, COOL = 200, 700
# Devices differ in level, up to 9 dB either way here, and in frequency response: so the inputs are moved, as a whole
# and along smooth curves over the bands, of the microphone's side and of the far end's, and a little each by itself. A
# value of 1 is 25 dB.
LEVEL, CURVE, OWN_CURVE = 0.35, 0.2, 0.05
CURVES = np.cos(np.pi * np.outer(np.arange(1, 6), (np.arange(network.BANDS) + 0.5) / network.BANDS)) / np.sqrt(2.5)
SIDES = [0, 0, 0, 0, 1, 0]
LOSSES = ("voice", "open", "presence")
# How much more what is missing of the near end counts than what is left of the echo, by band: most of a small
# loudspeaker's distortion is above 2 kHz, where networks tend to give up the near end as well.
MISSING = np.interp(network.centre(np.arange(network.BANDS)), (2_000, 4_000), (2, 4)).astype(np.float32)
# Weights of the averaged network, which is the one that is kept: Polyak and Juditsky, 1992.
MEMORY = 0.998


class Shards:
    """Random pieces of the shards, STEPS long, as batches of one rate."""

    def __init__(self, folder: Path, seed: int, cases: int) -> None:
        self.seed, self.cases = seed, cases
        self.files: dict[int, list[np.ndarray]] = {}
        self.bins: dict[int, int] = {}
        for file in sorted(folder.glob("[0-9]*.npy")):
            if "part" in file.name:
                continue
            kind = json.loads(file.with_suffix(".json").read_text())
            self.files.setdefault(kind["rate"], []).append(np.load(file, mmap_mode="r"))
            self.bins[kind["rate"]] = kind["bins"]
        if not self.files:
            raise SystemExit(f"{folder}: holds no shards, which dataset.py makes.")

    def batch(self, step: int) -> tuple[int, np.ndarray, np.ndarray]:
        """A rate, records (steps, cases, values), and shifts of the inputs (1, cases, features)."""
        draw = np.random.default_rng((self.seed, step))
        rates = sorted(self.files)
        counts = np.array([len(self.files[rate]) for rate in rates])
        rate = rates[draw.choice(len(rates), p=counts / counts.sum())]
        pieces = []
        for _ in range(self.cases):
            shard = self.files[rate][draw.integers(len(self.files[rate]))]
            # A quarter begin where the call does, with filters that know nothing.
            first = 0 if draw.random() < 0.25 else draw.integers(shard.shape[1] - STEPS)
            pieces.append(shard[draw.integers(len(shard)), first : first + STEPS])
        side = draw.uniform(-LEVEL, LEVEL, (1, self.cases, 2, 1))
        side = side + CURVE * draw.normal(size=(1, self.cases, 2, len(CURVES))) @ CURVES
        own = OWN_CURVE * draw.normal(size=(1, self.cases, network.GROUPS, len(CURVES))) @ CURVES
        shift = (side[:, :, SIDES] + own).reshape(1, self.cases, network.FEATURES)
        return rate, np.stack(pieces, 1), shift.astype(np.float32)

    def pieces(self) -> Iterator[tuple[int, np.ndarray]]:
        """Every case whole, shard by shard: a rate, and records (steps, cases, values)."""
        for rate, shards in sorted(self.files.items()):
            for shard in shards:
                yield rate, np.swapaxes(shard, 0, 1)


def loss(
    weights: network.Parameters, records: jax.Array, shift: jax.Array, upsample: jax.Array
) -> tuple[jax.Array, dict]:
    """How far the magnitudes are from what should be heard.

    What is missing of the near end counts MISSING times what is left of the echo; .3 of the distance is from the near
    end's part in phase with the residual (Erdogan et al., ICASSP 2015), which is smaller where the echo is louder.
    `shift` moves the features, because devices differ.
    """
    records = records.astype(jnp.float32)
    runs, features, spectra = (
        records[..., :1],
        records[..., 1 : 1 + network.FEATURES],
        records[..., 1 + network.FEATURES :],
    )
    residual, near, noisy, phased, rules, open_rules = jnp.split(spectra, 6, axis=-1)
    outputs = network.run(weights, features + shift, runs, recurrence.recur)
    voice, open_ = jnp.split(outputs[..., : 2 * network.BANDS], 2, axis=-1)
    voice_loss = distance(voice, upsample, rules, residual, near, phased, runs)
    open_loss = distance(open_, upsample, open_rules, residual, noisy, noisy, runs)
    share = jnp.sum(near**4, -1) / (jnp.sum(residual**4, -1) + 1e-9)
    is_known = ((share > 0.1) | (share < 0.02)) * runs[..., 0]
    logit = outputs[..., -1]
    cross = jnp.maximum(logit, 0) - logit * (share > 0.1) + jnp.log1p(jnp.exp(-jnp.abs(logit)))
    presence = jnp.mean(cross * is_known)
    return voice_loss + 0.4 * open_loss + 0.02 * presence, {
        "voice": voice_loss,
        "open": open_loss,
        "presence": presence,
    }


def distance(factors, upsample, rules, residual, wanted, phased, runs) -> jax.Array:
    """Mean distance of what rules and factors leave of the residual from what is wanted.

    `factors` are logits by band, `rules` the logarithms to the base of 2 of the rules' gains by bin, the others
    magnitudes to the power POWER.
    """
    octaves = rules + jnp.maximum(jax.nn.log_sigmoid(factors) / np.log(2), -13.3) @ upsample
    heard = jnp.exp2(POWER * octaves) * residual
    difference = heard - wanted
    missing = MISSING @ upsample
    plain = difference**2 * jnp.where(difference < 0, missing, 1)
    return jnp.mean(runs * (0.7 * plain + 0.3 * (heard - phased) ** 2))


@jax.jit
def adam(weights, first, second, gradients, step, rate):
    """Adam (Kingma and Ba, 2015), with gradients clipped to a norm of 1 (Pascanu et al., 2013)."""
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in gradients.values()))
    gradients = {k: g * jnp.minimum(1, 1 / (norm + 1e-9)) for k, g in gradients.items()}
    first = {k: 0.9 * first[k] + 0.1 * g for k, g in gradients.items()}
    second = {k: 0.98 * second[k] + 0.02 * g**2 for k, g in gradients.items()}
    weights = {
        k: w - rate * (first[k] / (1 - 0.9**step)) / (jnp.sqrt(second[k] / (1 - 0.98**step)) + 1e-8)
        for k, w in weights.items()
    }
    return weights, first, second


def append(log: Path, row: list) -> None:
    """Adds a step and its losses to a file of curves."""
    is_new = not log.exists()
    with log.open("a") as file:
        rows = csv.writer(file)
        if is_new:
            rows.writerow(["step", *LOSSES])
        rows.writerow([row[0], *(f"{m:.6f}" for m in row[1:])])


class Training:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.out: Path = options.out
        self.out.mkdir(parents=True, exist_ok=True)
        self.shards = Shards(options.data, options.seed, options.cases)
        self.held = Shards(options.held, options.seed, options.cases) if options.held else None
        bins = self.shards.bins | (self.held.bins if self.held else {})
        self.upsample = {rate: jnp.asarray(network.interpolation(k, rate)) for rate, k in bins.items()}
        self.held_loss = jax.jit(lambda *arguments: loss(*arguments)[1])
        # As many as divide the batch, so that each has as much.
        devices = jax.local_devices()
        self.devices = devices[: max(n for n in range(1, len(devices) + 1) if options.cases % n == 0)]
        self.pool = ThreadPoolExecutor(len(self.devices))
        self.part_gradient = jax.jit(jax.grad(loss, has_aux=True))
        self.step = 0
        self.weights = network.initial(options.seed)
        self.first = {k: jnp.zeros_like(w) for k, w in self.weights.items()}
        self.second, self.mean = dict(self.first), dict(self.weights)
        self.restore()

    def run(self) -> None:
        batches: queue.Queue = queue.Queue(3)
        threading.Thread(target=self._feed, args=[batches, self.step + 1], daemon=True).start()
        began, sums = time.time(), []
        while self.step < self.options.steps:
            batch = batches.get()
            if isinstance(batch, Exception):
                raise batch
            rate, records, shift = batch
            self.step += 1
            cooled = max(0, 1 - (self.options.steps - self.step) / min(COOL, self.options.steps // 2))
            learning = (
                HIGHEST * min(1, self.step / min(WARM, self.options.steps // 4)) * 0.5 * (1 + np.cos(np.pi * cooled))
                + LOWEST
            )
            gradients, parts = self.gradient(records, shift, self.upsample[rate])
            self.weights, self.first, self.second = adam(
                self.weights, self.first, self.second, gradients, self.step, learning
            )
            memory = min(MEMORY, self.step / (self.step + 20))
            self.mean = {k: memory * m + (1 - memory) * self.weights[k] for k, m in self.mean.items()}
            sums.append([float(parts[k]) for k in LOSSES])
            if self.step % TELL == 0 or self.step == self.options.steps:
                self._tell(np.mean(sums, 0), time.time() - began)
                sums = []
            if self.step % EVERY == 0 or self.step == self.options.steps:
                self.save()
                if self.held:
                    self._tell_held()

    def _tell_held(self) -> None:
        """Writes what the averaged weights lose on the shards that are held out."""
        parts = [
            jax.device_get(self.held_loss(self.mean, records, np.float32(0), self.upsample[rate]))
            for rate, records in self.held.pieces()
        ]
        means = [float(np.mean([part[k] for part in parts])) for k in LOSSES]
        print(f"held out: {' '.join(f'{k} {m:.5f}' for k, m in zip(LOSSES, means, strict=True))}", flush=True)
        append(self.out / "held.csv", [self.step, *means])

    def _feed(self, batches: queue.Queue, step: int) -> None:
        try:
            for number in range(step, self.options.steps + 1):
                batches.put(self.shards.batch(number))
        except Exception as error:
            batches.put(error)

    def gradient(self, records: np.ndarray, shift: np.ndarray, upsample: jax.Array) -> tuple[dict, dict]:
        """The mean of the devices' gradients, and of the parts of their losses."""

        def part(index: int) -> tuple[dict, dict]:
            own = slice(index, None, len(self.devices))
            arguments = (self.weights, records[:, own], shift[:, own], upsample)
            return jax.device_get(self.part_gradient(*jax.device_put(arguments, self.devices[index])))

        results = list(self.pool.map(part, range(len(self.devices))))
        mean = [{k: sum(r[i][k] for r in results) / len(results) for k in results[0][i]} for i in (0, 1)]
        return mean[0], mean[1]

    def _tell(self, means: np.ndarray, seconds: float) -> None:
        done = self.step / self.options.steps
        bar = "█" * int(20 * done) + "·" * (20 - int(20 * done))
        losses = f"voice {means[0]:.5f} open {means[1]:.5f} presence {means[2]:.4f}"
        print(f"{bar} {self.step}/{self.options.steps} {losses} {seconds:.0f} s", flush=True)
        append(self.out / "log.csv", [self.step, *means])

    def save(self) -> None:
        arrays = {
            f"{kind}/{k}": w for kind in ("weights", "first", "second", "mean") for k, w in getattr(self, kind).items()
        }
        part = self.out / "checkpoint.part.npz"
        np.savez(part, step=self.step, **arrays)
        part.rename(self.out / "checkpoint.npz")
        for name in ("weights", f"weights-{self.step:05}"):
            np.savez(self.out / f"{name}.npz", **self.mean)

    def restore(self) -> None:
        file = self.out / "checkpoint.npz"
        if not file.exists():
            return
        arrays = np.load(file)
        for kind in ("weights", "first", "second", "mean"):
            setattr(
                self,
                kind,
                {k.split("/", 1)[1]: jnp.asarray(arrays[k]) for k in arrays.files if k.startswith(kind + "/")},
            )
        network.check(self.weights, str(file))
        self.step = int(arrays["step"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=2_600)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--held", type=Path, help="shards that are not trained on")
    parser.add_argument("--cases", type=int, default=CASES, help="in a batch, a multiple of the processor's cores")
    Training(parser.parse_args()).run()


if __name__ == "__main__":
    main()

"""Trains a toy network on sounds that it makes, for about a minute, and loads it.

Runs every part of `make train`, at a hundredth of its size.
"""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import soundfile

import export
import network
import recurrence
from corpus import RATE, Corpus

HERE = Path(__file__).resolve().parent
EXTRACTOR = HERE.parent / ".build/release/FeatureExtractor"
STEPS = 80


def make_corpus(folder: Path) -> None:
    """Two talkers of gliding harmonics, two noises and two rooms, and one of each to be held out."""
    draw = np.random.default_rng(1)
    time = np.arange(12 * RATE) / RATE
    rows = []
    for talker in range(3):
        pitch = 110 * (1 + talker) * (1 + 0.1 * np.sin(2 * np.pi * 0.7 * time))
        phase = 2 * np.pi * np.cumsum(pitch) / RATE
        voice = sum(np.sin(k * phase) / k for k in range(1, 12)) * (np.sin(2 * np.pi * 2.5 * time) > -0.3)
        rows.append(("speech", f"talker{talker}", voice))
        rows.append(("noise", f"noise{talker}", draw.normal(size=len(time))))
        rows.append(("rir", f"room{talker}", draw.normal(size=3000) * np.exp(-np.arange(3000) / 400)))
    with (folder / "index.csv").open("w") as file:
        index = csv.writer(file)
        index.writerow(["file", "kind", "licence", "talker", "split"])
        for kind, name, samples in rows:
            soundfile.write(folder / f"{name}.flac", 0.5 * samples / np.abs(samples).max(), RATE)
            index.writerow([f"{name}.flac", kind, "CC0", name, "valid" if name[-1] == "2" else "train"])
        for licence in ("CC-BY-SA-3.0", "cc-by-nc-4.0", "GPL-2+", "ODbL-1.0", ""):
            index.writerow(["missing.flac", "speech", licence, "nobody", "train"])


class TrainingTests(unittest.TestCase):
    def run_script(self, *arguments: object) -> str:
        command = [sys.executable, *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True, cwd=HERE, env=os.environ, timeout=900)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_toy(self) -> None:
        """V14: from a corpus to weights that the program runs as they were trained."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make_corpus(folder)
            data = folder / "data"
            self.run_script("dataset.py", folder, data, "--shards", 2, "--per-shard", 4, "--extractor", EXTRACTOR)
            held = folder / "held"
            options = ("--shards", 1, "--per-shard", 2, "--split", "valid", "--first", 9, "--extractor", EXTRACTOR)
            self.run_script("dataset.py", folder, held, *options)
            options = (data, folder / "run", "--cases", 4, "--held", held, "--steps")
            first = self.run_script("train.py", *options, STEPS)
            self.assertIn(f"{STEPS}/{STEPS}", first)
            with (folder / "run/log.csv").open() as log:
                losses = [float(row["voice"]) for row in csv.DictReader(log)]
            self.assertLess(sum(losses[-3:]), sum(losses[:3]))
            # A longer run goes on from the checkpoint.
            self.assertNotIn(" 10/", self.run_script("train.py", *options, STEPS + 8))
            with (folder / "run/held.csv").open() as log:
                told = [float(row["voice"]) for row in csv.DictReader(log)]
            self.assertTrue(len(told) == 2 and all(0 < loss < 1 for loss in told), told)
            weights = dict(np.load(folder / "run/weights.npz"))
            (folder / "weights").write_bytes(export.packed(weights))
            features = np.load(data / "00000.npy")[0, :200, 1 : 1 + network.FEATURES].astype(np.float32)
            expected = 1 / (
                1 + np.exp(-np.asarray(network.run(rounded(weights), features[:, None], np.ones((200, 1, 1)))[:, 0]))
            )
            result = subprocess.run(
                [EXTRACTOR, "run", folder / "weights"], input=features.tobytes(), capture_output=True, check=True
            )
            outputs = np.frombuffer(result.stdout, np.float32).reshape(expected.shape)
            self.assertLess(np.abs(outputs - expected).max(), 2e-4)
            exact = 1 / (1 + np.exp(-np.asarray(network.run(weights, features[:, None], np.ones((200, 1, 1)))[:, 0])))
            self.assertLess(np.abs(outputs - exact).mean(), 0.01)

    def test_recurrence(self) -> None:
        """The compiled layers, and their gradients, are those of the network."""
        draw = np.random.default_rng(1)
        noise = {k: 0.1 * draw.normal(size=w.shape) for k, w in network.initial(1).items()}
        weights = {k: (w + noise[k]).astype(np.float32) for k, w in network.initial(1).items()}
        # Rows in every number that is computed together: 16, 8, 4, 2 and 1 of them.
        cases = 31
        features = draw.normal(size=(32, cases, network.FEATURES)).astype(np.float32)
        runs = (draw.random((32, cases, 1)) > 0.1).astype(np.float32)

        def score(weights: network.Parameters, recurrent: Callable) -> jax.Array:
            return jnp.sum(jnp.sin(network.run(weights, features, runs, recurrent)))

        np.testing.assert_allclose(
            network.run(weights, features, runs, recurrence.recur), network.run(weights, features, runs), atol=2e-5
        )
        expected = jax.grad(score)(weights, network.recur)
        for name, gradient in jax.grad(score)(weights, recurrence.recur).items():
            np.testing.assert_allclose(gradient, expected[name], atol=2e-5 * np.abs(expected[name]).max(), err_msg=name)

    def test_other_weights(self) -> None:
        """Weights of another network, such as of an older version, are refused by name."""
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "weights.npz"
            np.savez(file, input=np.zeros((240, 128)))
            command = [sys.executable, HERE / "export.py", file]
            result = subprocess.run(command, capture_output=True, text=True, cwd=HERE)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("weights.npz has the weights of another network", result.stderr)

    def test_splits(self) -> None:
        """A corpus is read split by split."""
        with tempfile.TemporaryDirectory() as name:
            make_corpus(Path(name))
            self.assertEqual(Corpus(Path(name)).talkers, ["talker0", "talker1"])
            self.assertEqual(Corpus(Path(name), "valid").talkers, ["talker2"])
            self.assertRaisesRegex(SystemExit, "in the split test", Corpus, Path(name), "test")

    def test_no_corpus(self) -> None:
        result = subprocess.run(
            [sys.executable, HERE / "dataset.py", "/nowhere", "/nowhere"], capture_output=True, text=True, cwd=HERE
        )
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("index.csv", result.stderr)


def rounded(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights as the program has them."""
    result = dict(weights)
    for name, _, _ in export.LAYERS:
        values, scales = export.quantized(weights[name])
        result[name] = values * scales
    return result


if __name__ == "__main__":
    unittest.main()

"""export.py WEIGHTS.npz: quantizes a network's weights to 8 bits, and puts them where the program is built from.

Each output of a layer has a scale of its own: the largest weight becomes ±127. CSuppressorWeights.h describes the file.
"""

import hashlib
import re
import sys
from pathlib import Path

import numpy as np

import network

TARGET = Path(__file__).resolve().parent.parent / "Sources" / "CSuppressorWeights"
TOGETHER = 64
LAYERS = (
    ("input", "input.bias"),
    ("first.input", "first.bias"),
    ("first.state", "first.state bias"),
    ("second.input", "second.bias"),
    ("second.state", "second.state bias"),
    ("output", "output.bias"),
)


def quantized(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights (inputs, outputs) as bytes, and a scale for each output."""
    scales = np.maximum(np.abs(matrix).max(0), 1e-9) / 127
    return np.round(matrix / scales).astype(np.int8), scales.astype(np.float32)


def packed(weights: dict[str, np.ndarray]) -> bytes:
    blob = bytearray(np.array([1, network.FEATURES, network.UNITS, network.OUTPUTS, 0, 0, 0, 0], "<i4").tobytes())

    def append(array: np.ndarray) -> None:
        blob.extend(bytes(-len(blob) % TOGETHER))
        blob.extend(array.tobytes())

    for name, bias in LAYERS:
        values, scales = quantized(weights[name])
        missing = -values.shape[1] % TOGETHER
        values = np.pad(values, ((0, 0), (0, missing)))
        append(values.reshape(len(values), -1, TOGETHER).transpose(1, 0, 2))
        append(np.pad(scales, (0, missing)).astype("<f4"))
        append(np.pad(weights[bias], (0, missing)).astype("<f4"))
    blob.extend(bytes(-len(blob) % TOGETHER))
    return bytes(blob)


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    weights = {name: array.astype(np.float32) for name, array in np.load(sys.argv[1]).items()}
    blob = packed(weights)
    (TARGET / "include" / "suppressor.weights").write_bytes(blob)
    assembly = TARGET / "Weights.S"
    digest = hashlib.sha256(blob).hexdigest()
    assembly.write_text(re.sub(r"// sha256 .*", f"// sha256 {digest}", assembly.read_text()))
    print(f"{len(blob)} bytes, sha256 {digest}")


if __name__ == "__main__":
    main()

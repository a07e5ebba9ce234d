"""export.py WEIGHTS.npz...: quantizes a network's weights, or the mean of several of one training, to 8 bits, and puts
them where the program is built from.

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


def recurrent(name: str, is_shared: bool) -> list[tuple[str, str, bool]]:
    return [(f"{name}.input", f"{name}.bias", is_shared), (f"{name}.state", f"{name}.state bias", is_shared)]


# Name, name of the bias, and whether bands share it.
LAYERS = [
    ("input", "input.bias", True),
    *recurrent("early", True),
    ("summary", "summary.bias", True),
    *recurrent("first", False),
    *recurrent("second", False),
    ("advice", "advice.bias", False),
    *recurrent("late", True),
    ("output", "output.bias", True),
]


def quantized(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights (inputs, outputs) as bytes, and a scale for each output."""
    scales = np.maximum(np.abs(matrix).max(0), 1e-9) / 127
    return np.round(matrix / scales).astype(np.int8), scales.astype(np.float32)


def packed(weights: dict[str, np.ndarray]) -> bytes:
    sizes = (network.UNITS, network.OUTPUTS, network.BAND_UNITS, network.SUMMARY, network.ADVICE)
    blob = bytearray(np.array([3, network.FEATURES, *sizes, 0], "<i4").tobytes())

    def append(array: np.ndarray) -> None:
        blob.extend(bytes(-len(blob) % TOGETHER))
        blob.extend(array.tobytes())

    for name, bias, is_shared in LAYERS:
        values, scales = quantized(weights[name])
        biases = np.asarray(weights[bias])
        if is_shared:
            append(values.T)
        else:
            missing = -values.shape[1] % TOGETHER
            values, scales, biases = (
                np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, missing)]) for a in (values, scales, biases)
            )
            append(values.reshape(len(values) // 2, 2, -1, TOGETHER).transpose(2, 0, 3, 1))
        append(scales.astype("<f4"))
        append(biases.astype("<f4"))
    blob.extend(bytes(-len(blob) % TOGETHER))
    return bytes(blob)


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    several = [network.check(dict(np.load(file)), file) for file in sys.argv[1:]]
    blob = packed({name: np.mean([weights[name] for weights in several], 0).astype(np.float32) for name in several[0]})
    (TARGET / "include" / "suppressor.weights").write_bytes(blob)
    assembly = TARGET / "Weights.S"
    digest = hashlib.sha256(blob).hexdigest()
    assembly.write_text(re.sub(r"// sha256 .*", f"// sha256 {digest}", assembly.read_text()))
    print(f"{len(blob)} bytes, sha256 {digest}")


if __name__ == "__main__":
    main()

"""Gated recurrent layers as compiled code: what `network.recur` computes, with its gradient, in half of the time.

XLA runs a layer's steps as a loop of many small operations; `recurrence.cc` runs them in registers. It is compiled for
the processor that it runs on, when the module is loaded, unless it has been.
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import jax
import jax.numpy as jnp

SOURCE = Path(__file__).with_name("recurrence.cc")
FOLDER = SOURCE.parent.parent / ".build-training"


def _library() -> ctypes.CDLL:
    compiler = os.environ.get("CXX") or shutil.which("clang++")
    if not compiler:
        raise SystemExit("recurrence.cc needs clang++, which comes with Swift: put it in the PATH, or name it by CXX.")
    options = [
        "-std=c++17",
        "-O3",
        "-march=native",
        "-ffp-contract=fast",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-shared",
        "-fPIC",
    ]
    options += ["-isystem", jax.ffi.include_dir()]
    # Another source, compiler, interface or processor is another library.
    version = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout
    facts = Path("/proc/cpuinfo").read_text().splitlines()
    processor = next((line for line in facts if line.startswith(("flags", "Features"))), "")
    key = [version, jax.__version__, *options, processor]
    name = hashlib.sha256(SOURCE.read_bytes() + "\n".join(key).encode()).hexdigest()[:16]
    library = FOLDER / f"recurrence-{name}.so"
    if not library.exists():
        FOLDER.mkdir(exist_ok=True)
        part = library.with_suffix(f".{os.getpid()}")
        subprocess.run([compiler, *options, SOURCE, "-o", part], check=True)
        part.rename(library)
    return ctypes.CDLL(library)


_loaded = _library()
for _kind in ("forward", "backward"):
    _function = getattr(_loaded, f"nearend_recur_{_kind}")
    jax.ffi.register_ffi_target(f"nearend_recur_{_kind}", jax.ffi.pycapsule(_function), platform="cpu")


def _call(kind: str, sizes: list[tuple[int, ...]], *arguments: jax.Array) -> list[jax.Array]:
    results = [jax.ShapeDtypeStruct(size, jnp.float32) for size in sizes]
    return jax.ffi.ffi_call(f"nearend_recur_{kind}", results)(*arguments)


def recur(inputs: jax.Array, input_matrix: jax.Array, *layer: jax.Array) -> jax.Array:
    """As `network.recur`, of units in multiples of 16."""
    missing = -inputs.shape[-1] % 16
    inputs, input_matrix = (
        jnp.pad(inputs, ((0, 0), (0, 0), (0, missing))),
        jnp.pad(input_matrix, ((0, missing), (0, 0))),
    )
    return _recur(inputs, input_matrix, *layer)


@jax.custom_vjp
def _recur(inputs: jax.Array, *layer: jax.Array) -> jax.Array:
    return _forward(inputs, *layer)[0]


def _forward(inputs: jax.Array, *layer: jax.Array) -> tuple[jax.Array, tuple]:
    """The states, and what the gradient needs of them: `layer` is all but the inputs of `network.recur`."""
    steps, rows, units = *inputs.shape[:2], len(layer[2])
    states, saved = _call("forward", [(steps, rows, units), (steps, rows, 4 * units)], inputs, *layer)
    return states, (inputs, *layer, states, saved)


def _backward(kept: tuple, wanted: jax.Array) -> tuple:
    *layer, states, saved = kept
    runs = layer.pop()
    gradients = _call("backward", [part.shape for part in layer], *layer, runs, wanted, states, saved)
    return *gradients, jnp.zeros_like(runs)


_recur.defvjp(_forward, _backward)

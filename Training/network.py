"""The suppressor's network, between features and gains, as `SuppressorNetwork` runs it.

Layers between bars are shared: each of the bands has its own state, and all have the same weights.

    features of a band ┃ dense, tanh ─▶ GRU ─┬─▶ dense, tanh ┃ ─▶ GRU ─▶ GRU ─▶ dense ─▶ presence
    and its neighbours ┃                     │               ┃                    │ tanh
                       ┃                     ├─────────▶ GRU ┃ ◀── advice ────────┤
                       ┃                     │            ▼  ┃                    │
         factors ◀──── ┃ sigmoid ◀── dense ◀─┴────────────┘◀━┃━━━━━━━━━━━━━━━━━━━━┘

The parts are those of FullSubNet (Hao et al., ICASSP 2021) in another order. Gated recurrent unit: Cho et al., EMNLP
2014, with the reset gate after the product, as cuDNN has it.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

BANDS = 40
GROUPS = 6
FEATURES = GROUPS * BANDS
# A band is heard with one neighbour on either side.
HEARD = 3 * GROUPS
# Units of the layers of all bands, and of those that bands share; what a band tells, and what it is told.
UNITS, BAND_UNITS = 64, 32
SUMMARY, ADVICE = 4, 8
OUTPUTS = 2 * BANDS + 1

Parameters = dict[str, jax.Array]


def centre(band: np.ndarray) -> np.ndarray:
    """A band's centre in Hz, as `NetworkBands`."""
    return np.where(band <= 12, 77.0 * band, 924 * (13 / 12) ** (band - 12.0))


def interpolation(bins: int, rate: int) -> np.ndarray:
    """Band values to every second of the suppressor's bins below 8 kHz, (BANDS, bins), as
    `NetworkBands.interpolate`."""
    hop = 64
    while 2 * hop * 10_000 <= 59 * rate:
        hop *= 2
    frequency, centres = np.arange(bins) * rate / (4 * hop), centre(np.arange(BANDS))
    below = np.clip(np.searchsorted(centres, frequency, "right") - 1, 0, BANDS - 1)
    above = np.minimum(below + 1, BANDS - 1)
    place = np.where(above > below, (frequency - centres[below]) / np.maximum(centres[above] - centres[below], 1), 0)
    weights = np.zeros((BANDS, bins), np.float32)
    np.add.at(weights, (below, np.arange(bins)), 1 - place)
    np.add.at(weights, (above, np.arange(bins)), place)
    return weights


def initial(seed: int) -> Parameters:
    """Random weights: uniform as Glorot and Bengio (2010), orthogonal between the steps of the recurrent layers."""
    keys = iter(jax.random.split(jax.random.PRNGKey(seed), 64))

    def dense(inputs: int, outputs: int) -> jax.Array:
        return jax.random.uniform(next(keys), (inputs, outputs), minval=-1, maxval=1) * np.sqrt(6 / (inputs + outputs))

    def recurrent(name: str, inputs: int, units: int) -> Parameters:
        return {
            name + ".input": jnp.concatenate([dense(inputs, units) for _ in range(3)], 1),
            name + ".bias": jnp.zeros(3 * units),
            name + ".state": jnp.concatenate([jax.random.orthogonal(next(keys), units) for _ in range(3)], 1),
            name + ".state bias": jnp.zeros(3 * units),
        }

    return {
        "input": dense(HEARD, BAND_UNITS),
        # This and the output's bias tell one band from another: all else is shared.
        "input.bias": jnp.zeros((BAND_UNITS, BANDS)),
        **recurrent("early", BAND_UNITS, BAND_UNITS),
        "summary": dense(BAND_UNITS, SUMMARY),
        "summary.bias": jnp.zeros(SUMMARY),
        **recurrent("first", SUMMARY * BANDS, UNITS),
        **recurrent("second", UNITS, UNITS),
        "advice": dense(UNITS, ADVICE * BANDS + 1),
        "advice.bias": jnp.zeros(ADVICE * BANDS + 1),
        **recurrent("late", BAND_UNITS + ADVICE, BAND_UNITS),
        "output": dense(2 * BAND_UNITS + ADVICE, 2),
        "output.bias": jnp.zeros((2, BANDS)),
    }


def check(weights: Parameters, file: str) -> Parameters:
    """Returns weights read from a file, if they are of this network."""
    if {k: w.shape for k, w in weights.items()} != {k: w.shape for k, w in initial(0).items()}:
        raise SystemExit(f"{file} has the weights of another network: choose another folder, or remove it.")
    return weights


def recur(inputs: jax.Array, *layer: jax.Array) -> jax.Array:
    """States of a gated recurrent layer, (steps, rows, units).

    `layer` is a matrix and a bias for the inputs, (steps, rows, values), which add to the reset gate, the update gate
    and the new state, `units` of each; as much for the state before; and, (steps, rows), a 0 where the state is
    forgotten.
    """
    input_matrix, input_bias, matrix, bias, runs = layer
    units = len(matrix)

    def step(state: jax.Array, now: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        gates, is_running = now
        own = state @ matrix + bias
        reset = jax.nn.sigmoid(gates[:, :units] + own[:, :units])
        update = jax.nn.sigmoid(gates[:, units : 2 * units] + own[:, units : 2 * units])
        new = jnp.tanh(gates[:, 2 * units :] + reset * own[:, 2 * units :])
        state = is_running[:, None] * (new + update * (state - new))
        return state, state

    gates = inputs @ input_matrix + input_bias
    return jax.lax.scan(step, jnp.zeros((gates.shape[1], units)), (gates, runs))[1]


def run(weights: Parameters, features: jax.Array, runs: jax.Array, recurrent: Callable = recur) -> jax.Array:
    """Outputs, before the sigmoid, of features in the shape (steps, cases, FEATURES).

    Where `runs`, (steps, cases, 1), is 0, the far end is silent, and the state is forgotten. `recurrent` computes what
    `recur` does.
    """
    steps, cases, _ = features.shape
    by_band = features.reshape(steps, cases, GROUPS, BANDS)
    wider = jnp.pad(by_band, ((0, 0), (0, 0), (0, 0), (1, 1)), "edge")
    heard = jnp.concatenate([wider[..., i : i + BANDS] for i in range(3)], 2).swapaxes(2, 3)

    def layer(name: str, inputs: jax.Array) -> jax.Array:
        """A recurrent layer of all cases, or of all bands of all cases."""
        rows = inputs.reshape(steps, -1, inputs.shape[-1])
        is_running = jnp.repeat(runs[..., 0], rows.shape[1] // cases, 1)
        parts = (weights[f"{name}.{part}"] for part in ("input", "bias", "state", "state bias"))
        return recurrent(rows, *parts, is_running).reshape(*inputs.shape[:-1], -1)

    early = layer("early", jnp.tanh(heard @ weights["input"] + weights["input.bias"].T))
    summary = jnp.tanh(early @ weights["summary"] + weights["summary.bias"]).swapaxes(2, 3)
    second = layer("second", layer("first", summary.reshape(steps, cases, -1)))
    told = second @ weights["advice"] + weights["advice.bias"]
    advice = jnp.tanh(told[..., :-1]).reshape(steps, cases, ADVICE, BANDS).swapaxes(2, 3)
    late = layer("late", jnp.concatenate([early, advice], -1))
    factors = jnp.concatenate([late, early, advice], -1) @ weights["output"] + weights["output.bias"].T
    return jnp.concatenate([factors.swapaxes(2, 3).reshape(steps, cases, -1), told[..., -1:]], -1)

"""The suppressor's network: two gated recurrent layers between features and gains, as `LearnedGains` runs it.

    features ─▶ dense, tanh ─▶ GRU ─▶ GRU ─▶ dense, sigmoid ─▶ factors: near end, all but echo; presence
                                └────────────▶┘

Gated recurrent unit: Cho et al., EMNLP 2014, with the reset gate after the product, as cuDNN has it.
"""

import jax
import jax.numpy as jnp
import numpy as np

BANDS = 40
FEATURES = 6 * BANDS
UNITS = 128
OUTPUTS = 2 * BANDS + 1

Parameters = dict[str, jax.Array]


def centre(band: np.ndarray) -> np.ndarray:
    """A band's centre in Hz, as `NetworkBands`."""
    return np.where(band <= 12, 77.0 * band, 924 * (13 / 12) ** (band - 12.0))


def interpolation(bins: int, rate: int) -> np.ndarray:
    """Band values to the suppressor's bins below 8 kHz, (BANDS, bins), as `NetworkBands.interpolate`."""
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
    keys = iter(jax.random.split(jax.random.PRNGKey(seed), 16))

    def dense(inputs: int, outputs: int) -> jax.Array:
        return jax.random.uniform(next(keys), (inputs, outputs), minval=-1, maxval=1) * np.sqrt(6 / (inputs + outputs))

    def recurrent() -> jax.Array:
        return jnp.concatenate([jax.random.orthogonal(next(keys), UNITS) for _ in range(3)], 1)

    weights = {"input": dense(FEATURES, UNITS), "output": dense(2 * UNITS, OUTPUTS)}
    for layer in ("first", "second"):
        weights[layer + ".input"] = jnp.concatenate([dense(UNITS, UNITS) for _ in range(3)], 1)
        weights[layer + ".state"] = recurrent()
        weights[layer + ".bias"] = jnp.zeros(3 * UNITS)
        weights[layer + ".state bias"] = jnp.zeros(3 * UNITS)
    weights["input.bias"], weights["output.bias"] = jnp.zeros(UNITS), jnp.zeros(OUTPUTS)
    return weights


def run(weights: Parameters, features: jax.Array, runs: jax.Array) -> jax.Array:
    """Outputs, before the sigmoid, of features in the shape (steps, cases, FEATURES).

    Where `runs`, (steps, cases, 1), is 0, the far end is silent, and the state is forgotten.
    """
    dense = jnp.tanh(features @ weights["input"] + weights["input.bias"])
    first = _recur(weights, "first", dense, runs)
    second = _recur(weights, "second", first, runs)
    return jnp.concatenate([first, second], -1) @ weights["output"] + weights["output.bias"]


def _recur(weights: Parameters, layer: str, inputs: jax.Array, runs: jax.Array) -> jax.Array:
    matrix, bias = weights[layer + ".state"], weights[layer + ".state bias"]

    def step(state: jax.Array, now: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        gates, is_running = now
        own = state @ matrix + bias
        reset = jax.nn.sigmoid(gates[:, :UNITS] + own[:, :UNITS])
        update = jax.nn.sigmoid(gates[:, UNITS : 2 * UNITS] + own[:, UNITS : 2 * UNITS])
        new = jnp.tanh(gates[:, 2 * UNITS :] + reset * own[:, 2 * UNITS :])
        state = is_running * (new + update * (state - new))
        return state, state

    gates = inputs @ weights[layer + ".input"] + weights[layer + ".bias"]
    return jax.lax.scan(step, jnp.zeros((inputs.shape[1], UNITS)), (gates, runs))[1]

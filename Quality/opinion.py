"""AECMOS, at 48 or 16 kHz, and DNSMOS P.835: the same figures as speechmos, but faster, because librosa, whose first
call compiles for half a minute, is not used."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from scipy import fft

BANDS = 160
MOST_SECONDS = 20
MARKERS = {"st": (0, 1), "dt": (1, 1), "nst": (1, 0)}  # scenario: (near end talks, far end talks)


@dataclass(frozen=True)
class Model:
    """One of AECMOS' models, and the spectra that it was trained on."""

    file: str
    transform: int  # frames of a spectrum
    hop: int  # frames from one to the next
    hidden: int


MODELS = {
    48_000: Model("Run_1668423760_Stage_0.onnx", 1_537, 768, 96),
    16_000: Model("Run_1663915512_Stage_0.onnx", 513, 256, 64),
}


def mel_of_hertz(hertz):
    """Slaney's scale: linear below 1 kHz, logarithmic above."""
    hertz = np.asarray(hertz, dtype=float)
    return np.where(hertz < 1_000, hertz * 3 / 200, 15 + 27 * np.log(np.maximum(hertz, 1) / 1_000) / np.log(6.4))


def hertz_of_mel(mel):
    return np.where(mel < 15, mel * 200 / 3, 1_000 * 6.4 ** ((np.maximum(mel, 15) - 15) / 27))


def mel_filters(rate, transform):
    """Returns triangular filters of equal area, up to half the rate: (bands, bins)."""
    edges = hertz_of_mel(np.linspace(0, mel_of_hertz(rate / 2), BANDS + 2))
    slopes = edges[:, None] - np.arange(transform // 2 + 1) * rate / transform
    widths = np.diff(edges)[:, None]
    triangles = np.maximum(0, np.minimum(-slopes[:-2] / widths[:-1], slopes[2:] / widths[1:]))
    return (triangles * (2 / (edges[2:] - edges[:-2]))[:, None]).astype(np.float32)


def model(name):
    """Loads one of speechmos' models, to run on one thread."""
    package = Path(importlib.util.find_spec("speechmos").submodule_search_locations[0])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(package / name), options, providers=["CPUExecutionProvider"])


class EchoOpinion:
    """AECMOS of sound with one of the rates in MODELS."""

    def __init__(self, rate=48_000):
        self.sample_rate, self.shape = rate, MODELS[rate]
        self.model = model(f"aecmos_models/{self.shape.file}")
        self.input = self.model.get_inputs()[0].name
        self.mel = mel_filters(rate, self.shape.transform).T.astype(float)
        self.window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(self.shape.transform) / self.shape.transform)

    def features(self, samples):
        """Returns the mel spectrum in dB below the loudest band, scaled to -1 (80 dB down) to 1: (frames, bands)."""
        padded = np.pad(samples[: MOST_SECONDS * self.sample_rate], self.shape.transform // 2)
        frames = np.lib.stride_tricks.sliding_window_view(padded, self.shape.transform)[:: self.shape.hop]
        power = np.abs(fft.rfft(frames * self.window, axis=1)) ** 2 @ self.mel
        decibels = 10 * np.log10(np.maximum(power, 1e-10))
        return (np.maximum(decibels - decibels.max(), -80) + 40) / 40

    def rate(self, scenario, far, mic, processed):
        """Returns (echo, deg), 1 to 5, from the features of the three signals; scenario: st, dt or nst."""
        near_talks, far_talks = MARKERS[scenario]
        stacked = np.stack([marked(far, far_talks), marked(mic, near_talks), marked(processed, 1)])
        inputs = {self.input: stacked.astype(np.float32)[None], "h0": np.zeros((4, 1, self.shape.hidden), np.float32)}
        echo, deg = self.model.run([], inputs)[0][:2]
        return float(np.squeeze(echo)), float(np.squeeze(deg))


def marked(features, talks):
    """Returns the features, followed by markers that tell the model who talks."""
    return np.concatenate([features, np.full((20, BANDS), float(talks)), np.zeros((20, BANDS))])


class NoiseOpinion:
    """DNSMOS P.835."""

    RATE = 16_000
    FRAMES = int(9.01 * RATE)
    OVERALL = np.poly1d([-0.06766283, 1.11546468, 0.04602535])  # maps the model's figure, as speechmos does

    def __init__(self):
        self.model = model("dnsmos_models/sig_bak_ovr.onnx")

    def rate(self, samples):
        """Returns the overall opinion, 1 to 5, of at least 9.01 s at RATE: the mean over windows a second apart."""
        starts = range(0, len(samples) - self.FRAMES + 1, self.RATE)
        windows = [samples[start : start + self.FRAMES].astype(np.float32)[None] for start in starts]
        return float(np.mean([self.OVERALL(self.model.run(None, {"input_1": window})[0][0][2]) for window in windows]))

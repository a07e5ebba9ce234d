"""Draws spectrograms of what the microphone heard, and of each program's output."""

from pathlib import Path
from textwrap import fill

import numpy as np
import soundfile
from matplotlib import pyplot as plt
from scipy import signal

from cases import __doc__ as kinds_text
from figure import INK, save
from kinds import CANCELLERS, CHANGES_HALF_WAY, FAR_END_ALONE, KINDS, NEAR_END_ALONE, NOISES, TITLES

RATE = 48_000
WINDOW, COLUMNS, ROWS = 2_048, 400, 64
LOWEST, HIGHEST = 60, 16_000  # Hz
QUIETEST, LOUDEST = -100, -45  # dBFS a band


def spectrogram(samples, rate=RATE, highest=HIGHEST):
    """Returns dB in ROWS bands, logarithmic from LOWEST to `highest` Hz, at COLUMNS times."""
    hop, size = len(samples) // COLUMNS, WINDOW * rate // RATE
    padded = np.concatenate([np.zeros(size // 2), samples, np.zeros(size)])
    frames = np.lib.stride_tricks.sliding_window_view(padded, size)[::hop][:COLUMNS]
    window = signal.get_window("hann", size)
    power = np.abs(np.fft.rfft(frames * window, axis=1)) ** 2 / np.sum(window) ** 2
    edges = np.geomspace(LOWEST, highest, ROWS + 1) * size / rate
    bands = [
        power[:, int(low) : max(int(low) + 1, int(high))].sum(axis=1)
        for low, high in zip(edges, edges[1:], strict=False)
    ]
    return 10 * np.log10(np.stack(bands) + 1e-13)


def draw_case(folder, case, processed, path, programs=CANCELLERS):
    """Draws one strip: near end alone (the ideal), microphone, and each program; processed: {program: folder}."""
    strips = {} if case["kind"] in FAR_END_ALONE else {"near end alone": folder / case["name"] / "near.wav"}
    strips["microphone"] = folder / case["name"] / "mic.wav"
    strips |= {TITLES[name]: where / f"{case['name']}.wav" for name, where in processed.items() if name in programs}
    sounds = {title: soundfile.read(file)[0] for title, file in strips.items()}
    draw_strips(sounds, path, event=6 if case["kind"] in CHANGES_HALF_WAY else None)


def draw_strips(sounds, path, rate=RATE, highest=HIGHEST, event=None, most_bytes=140_000):
    """Draws the spectrograms of {title: samples} below each other, up to `highest` Hz; `event`: marked, in s."""
    figure, panels = plt.subplots(len(sounds), 1, figsize=(9, 0.95 * len(sounds) + 0.35), sharex=True)
    for axes, (title, samples) in zip(panels, sounds.items(), strict=True):
        axes.imshow(
            spectrogram(samples, rate, highest),
            aspect="auto",
            origin="lower",
            cmap="magma",
            vmin=QUIETEST,
            vmax=LOUDEST,
            extent=(0, len(samples) / rate, 0, ROWS),
            interpolation="nearest",
        )
        axes.set_yticks(
            [ROWS * np.log(hertz / LOWEST) / np.log(highest / LOWEST) for hertz in (200, 1_000, 5_000)],
            ["200 Hz", "1 kHz", "5 kHz"],
        )
        axes.tick_params(length=2, labelsize=6.5, colors=INK)
        axes.text(
            -0.222, 0.5, title.replace(", ", ",\n"), transform=axes.transAxes, va="center", fontsize=8.5, color=INK
        )
        if event is not None:
            axes.axvline(event, color="white", linewidth=0.8, linestyle=":")
    panels[-1].set_xlabel("seconds", fontsize=7.5, color=INK)
    figure.subplots_adjust(left=0.185, right=0.99, top=0.985, bottom=0.4 / (0.95 * len(sounds) + 0.35), hspace=0.12)
    save(figure, path, most_bytes, dpi=100)


def kind_texts():
    """Returns {kind: description}, from the list at the top of cases.py."""
    lines = [line.split(None, 1) for line in kinds_text.splitlines() if line.startswith("    ")]
    return {name: text for name, text in lines if name in (*KINDS, *NOISES)}


def write(folder, out, cases, processed, head=None, programs=CANCELLERS):
    """Writes OUT/<kind>.png for the first case of each kind, and OUT/README.md, which shows them."""
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    texts, page = kind_texts(), [head or HEAD]
    for kind in dict.fromkeys(case["kind"] for case in cases):
        case = next(case for case in cases if case["kind"] == kind)
        draw_case(Path(folder), case, processed, out / f"{kind}.png", programs)
        page.append(
            f"## {kind}: {texts[kind]}\n\n![Spectrograms of {case['name']}]({kind}.png)\n\n{properties(case)}\n"
        )
    (out / "README.md").write_text("\n".join(page))


def properties(case):
    told = [f"room {case['rt60']:.2f} s", f"loudspeaker {case['dist']:.1f} m away", f"echo {case['delay_ms']} ms late"]
    told.append(f"near end {case['ser_db']:+.0f} dB over the echo")
    if case["kind"] in NEAR_END_ALONE:
        told = []
    told.append(f"noise {case.get('noise_db', case['snr_db'])} dB down")
    if case["distortion"] and case["kind"] not in NEAR_END_ALONE:
        told.append(f"loudspeaker saturates ({case['distortion']:.2f})")
    if "shape" in case:
        told.append(f"loudspeaker: {case['shape']}")
    if "ppm" in case:
        told.append(f"clocks {case['ppm']:+d} ppm")
    return fill(f"Seed {case['seed']}: {', '.join(told)}.", 120)


HEAD = """# Spectrograms of one case of each kind

The first case of each kind, 12 s: time to the right, pitch upwards (60 Hz to 16 kHz), brightness is loudness (-100 to
-45 dBFS a band). What should be left is the near end, where it talks, and nothing where only the far end does.
Written by `make quality ARGS=--write`; the figures are in [quality.md](../quality.md).
"""

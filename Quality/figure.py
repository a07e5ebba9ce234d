"""Draws the table: a row per kind, a panel per measure, a dot per program, and the bar that nearend has to reach."""

import io
from pathlib import Path

import matplotlib
from PIL import Image

from bars import BARS, mean
from kinds import KINDS, NOISES, TITLES

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402 the backend has to be set first

PANELS = {
    "echo": ("Echo MOS (AECMOS)", (1, 5)),
    "deg": ("Near end MOS (AECMOS)", (1, 5)),
    "stoi": ("Intelligibility (STOI)", (0.3, 1)),
    "erle": ("ERLE in dB", (0, 75)),
}
MODE_PANELS = {
    "ovrl": ("Overall opinion (DNSMOS)", (1, 4)),
    "noise": ("Noise taken away, dB", (0, 75)),
    "deg": ("Near end MOS (AECMOS)", (1, 5)),
    "stoi": ("Intelligibility (STOI)", (0.5, 1)),
}
COLOURS = {
    "untouched": "#b8b8b8",
    "module-ec": "#d98032",
    "module-ec-16": "#e8b88a",
    "aec3": "#3f7fbf",
    "webrtc": "#8fc79a",
    "nearend": "#12683a",
    "rnnoise": "#d98032",
    "wide": "#8fc79a",
    "isolation": "#7a3fa0",
}
CHIEF = ("nearend", "isolation")
INK, FAINT = "#222222", "#e4e4e4"


def save(figure, path, most_bytes, dpi):
    """Writes a PNG with a palette, with as many colours as fit into the given number of bytes."""
    whole = io.BytesIO()
    figure.savefig(whole, dpi=dpi)
    plt.close(figure)
    image = Image.open(whole).convert("RGB")
    for colours in (64, 32, 24, 16, 8):
        packed = io.BytesIO()
        image.quantize(colours, dither=Image.Dither.NONE).save(packed, "PNG", optimize=True)
        if packed.tell() <= most_bytes:
            break
    Path(path).write_bytes(packed.getvalue())


def draw_panel(axes, measure, panel, table, kinds, has_bars):
    title, limits = panel
    axes.set_title(title, loc="left", fontsize=10.5, color=INK, pad=10)
    axes.set_xlim(*limits)
    axes.grid(axis="x", color=FAINT, linewidth=0.8)
    axes.tick_params(length=0, labelsize=9, colors=INK)
    for side in axes.spines.values():
        side.set_visible(False)
    for place, kind in enumerate(kinds):
        found = {}
        for program, all_rows in table.items():
            rows = [row for row in all_rows if row["kind"] == kind and measure in row]
            if rows:
                found[program] = mean(rows, measure)
        if not found:
            continue
        axes.plot([min(found.values()), max(found.values())], [place, place], color=FAINT, linewidth=2.5, zorder=1)
        bar = BARS.get(kind, {}).get(measure)
        if has_bars and bar is not None:
            axes.plot([bar, bar], [place - 0.36, place + 0.36], color=INK, linewidth=1.6, zorder=2)
        for program, value in found.items():
            chief = program in CHIEF
            axes.scatter(
                value, place, s=74 if chief else 40, color=COLOURS[program], zorder=4 if chief else 3, clip_on=False
            )


def draw(
    table,
    path,
    subtitle,
    title="What is left of the echo, and of whoever talks",
    panels_by_measure=None,
    titles=TITLES,
):
    """Writes the figure for {program: rows}; the ceiling is left out, because its ERLE would be off every scale."""
    table = {name: rows for name, rows in table.items() if name != "ideal"}
    known = panels_by_measure or PANELS
    rows = [row for rows in table.values() for row in rows]
    kinds = [kind for kind in (*KINDS, *NOISES) if any(row["kind"] == kind for row in rows)]
    has_bars = any(kind in BARS for kind in kinds) and known is PANELS
    measures = [name for name in known if any(name in row for row in rows)]
    height = 1.75 + 0.34 * len(kinds)
    figure, panels = plt.subplots(1, len(measures), figsize=(13, height), sharey=True, squeeze=False)
    for axes, measure in zip(panels[0], measures, strict=True):
        draw_panel(axes, measure, known[measure], table, kinds, has_bars)
    panels[0][0].set_yticks(range(len(kinds)), kinds, fontsize=10)
    panels[0][0].set_ylim(len(kinds) - 0.4, -0.6)
    marks = [plt.Line2D([], [], marker="o", linestyle="", color=COLOURS[name], markersize=7) for name in table]
    names = [titles[name] for name in table]
    if has_bars:
        marks.append(plt.Line2D([], [], marker="|", linestyle="", color=INK, markersize=11, markeredgewidth=1.6))
        names.append("what nearend has to reach")
    top = 1 - 0.12 / height
    figure.text(0.012, top, title, fontsize=14, weight="bold", color=INK, va="top")
    figure.text(
        0.012, top - 0.3 / height, f"{subtitle}; further right is better", fontsize=10, color="#555555", va="top"
    )
    figure.legend(
        marks, names, loc="lower left", ncols=len(names), frameon=False, fontsize=9.5, bbox_to_anchor=(0.005, 0)
    )
    figure.subplots_adjust(left=0.065, right=0.985, top=1 - 0.95 / height, bottom=0.62 / height, wspace=0.1)
    save(figure, path, 140_000, dpi=110)

"""Checks of marks where they stand on the canvas: covered, piled up, cut off from zero, too pale.

What belongs here: what takes artists and pixels. What does not: what the drawn data alone can tell (`data`).
The limits are those of the notes (§7). Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.container import BarContainer
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle

from lakebook.analyst.figure_lint.finding import FigureFinding
from lakebook.analyst.figure_lint.view import View
from lakebook.analyst.methods.drawn_panel import drawn_color

MOST_OPAQUE, MOST_HUES = 2000, 6
RAINBOWS = ("jet", "rainbow", "gist_rainbow", "hsv", "nipy_spectral", "gist_ncar", "prism", "flag")
_DIVERGING = "coolwarm bwr seismic rdbu rdylbu rdylgn piyg prgn brbg puor rdgy spectral vlag icefire"


def mark_findings(view: View) -> Iterator[FigureFinding]:
    """Return the objections to the marks of a figure."""
    for at, ax in enumerate(view.panels):
        for check in _CHECKS:
            for found in check(view, ax):
                yield FigureFinding(found.check, found.message, found.level, at)


def _bars_from_zero(view: View, ax: Axes) -> Iterator[FigureFinding]:
    for container in ax.containers:
        if not isinstance(container, BarContainer) or not len(container.patches):
            continue
        lying = container.orientation == "horizontal"
        low, high = sorted(ax.get_xlim() if lying else ax.get_ylim())
        scale = ax.get_xscale() if lying else ax.get_yscale()
        bars = [bar for bar in container.patches if isinstance(bar, Rectangle)]
        # Spans that start anywhere (a range, a timeline) have no zero to start from.
        starts = {round(float(bar.get_x() if lying else bar.get_y()), 9) for bar in bars}
        if not low <= 0 <= high and scale == "linear" and starts == {0.0}:
            yield FigureFinding("L17", "bars do not start at zero")
            return


def _legend_covers(view: View, ax: Axes) -> Iterator[FigureFinding]:
    legend = ax.get_legend()
    if legend is None or not legend.get_visible():
        return
    box, points = legend.get_window_extent(), pixels(ax)
    if len(points):
        inside = (points > [box.x0, box.y0]).all(axis=1) & (points < [box.x1, box.y1]).all(axis=1)
        if inside.mean() >= 0.02:
            yield FigureFinding("L13", f"the legend covers {inside.mean():.0%} of the points")


def pixels(ax: Axes) -> np.ndarray:
    """Return the points of lines and scatters, and the ends of bars, in pixels."""
    clouds: list[np.ndarray] = [line.get_transform().transform(line.get_xydata()) for line in ax.lines]
    for collection in ax.collections:
        if isinstance(collection, PathCollection):
            clouds.append(collection.get_offset_transform().transform(np.asarray(collection.get_offsets())))
    for patch in ax.patches:
        if isinstance(patch, Rectangle):
            box = patch.get_window_extent()
            clouds.append(np.array([[box.x1, box.y1], [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2]]))
    points = np.concatenate(clouds) if clouds else np.empty((0, 2))
    return np.asarray(points[np.isfinite(points).all(axis=1)])


def _texts_on_data(view: View, ax: Axes) -> Iterator[FigureFinding]:
    """A note across points or a line; the labels of bars and cells stand where they belong."""
    if ax.containers or ax.images or not ax.texts:
        return
    points = pixels(ax)
    for text, box in zip(view.texts, view.boxes, strict=True):
        if text.axes is not ax or text not in ax.texts or text.get_bbox_patch() is not None:
            continue
        inside = (points > box[:2]).all(axis=1) & (points < box[2:]).all(axis=1)
        if inside.sum() > 3:
            yield FigureFinding("L12", f"“{text.get_text()[:30]}” lies over {inside.sum()} points", "warning")
            return


def _piled_up(view: View, ax: Axes) -> Iterator[FigureFinding]:
    overlap, total = 0.0, 0
    for cloud in ax.collections:
        if not isinstance(cloud, PathCollection) or (cloud.get_alpha() or 1.0) < 0.5:
            continue
        places = np.asarray(cloud.get_offset_transform().transform(np.asarray(cloud.get_offsets())))
        places = places[np.isfinite(places).all(axis=1)]
        if len(places) < 200:
            continue
        side = max(1.0, float(np.sqrt(np.mean(cloud.get_sizes()))) * view.figure.dpi / 72)
        cells = np.unique(np.floor(places / (side / 2)), axis=0)
        overlap, total = overlap + len(places) - len(cells), total + len(places)
    if total > MOST_OPAQUE and overlap / total > 0.3:
        yield FigureFinding("L29", f"{overlap / total:.0%} of {total} opaque points hide others", "warning")


def _pale(view: View, ax: Axes) -> Iterator[FigureFinding]:
    ground = luminance(to_rgb(ax.get_facecolor()))
    for artist in [*ax.lines, *(c for c in ax.collections if isinstance(c, PathCollection))]:
        color = drawn_color(artist)
        if color and artist.get_visible() and contrast(luminance(to_rgb(color)), ground) < 1.5:
            own = np.size(artist.get_xdata()) if hasattr(artist, "get_xdata") else 3
            if own > 2:
                yield FigureFinding("L11", f"marks in {color} are hardly seen on their ground", "warning")
                return


def _pale_texts(view: View, ax: Axes) -> Iterator[FigureFinding]:
    lost = [text for text in ax.texts if text.get_visible() and text.get_text().strip()]
    grounds = [_ground(ax, text.get_position()) for text in lost[:400]]
    for text, ground in zip(lost, grounds, strict=False):
        if ground and contrast(luminance(to_rgb(text.get_color())), luminance(ground)) < 2.0:
            yield FigureFinding("L10", f"“{text.get_text()[:20]}” is hardly seen on its ground", "warning")
            return


def _ground(ax: Axes, place: tuple[float, float]) -> tuple[float, float, float] | None:
    """Return the colour of the cell that a text stands in; None where it stands in none."""
    for artist in [*ax.collections, *ax.images]:
        values = artist.get_array()
        if values is None or not isinstance(artist, QuadMesh | AxesImage) or np.ndim(values) != 2:
            continue
        if not all(isinstance(part, int | float | np.number) for part in place):
            return None
        shift = 0 if isinstance(artist, QuadMesh) else 0.5
        row, column = (int(np.floor(part + shift)) for part in reversed(place))
        if 0 <= row < values.shape[0] and 0 <= column < values.shape[1]:
            red, green, blue, alpha = artist.to_rgba(np.ma.asarray(values)[row, column])
            return (red, green, blue) if alpha else None
    return None


def luminance(color: Sequence[float]) -> float:
    """Return the relative luminance of a colour (WCAG 2.2, definition of contrast ratio)."""
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color[:3]]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: float, other: float) -> float:
    """Return the contrast of two luminances, from 1 to 21 (WCAG 2.2)."""
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def _colour_map(view: View, ax: Axes) -> Iterator[FigureFinding]:
    for artist in [*ax.collections, *ax.images]:
        values = artist.get_array()
        if values is None or (isinstance(artist, AxesImage) and np.ndim(values) == 3):
            continue
        name = artist.get_cmap().name.lower().removesuffix("_r")
        if name in RAINBOWS:
            yield FigureFinding("L39", f"the colour map {name} has steps that the data have not")
            return
        known: np.ndarray = np.ma.compressed(np.ma.masked_invalid(np.ma.asarray(values, dtype=float)))
        low, high = artist.get_clim()
        if not len(known) or low is None or high is None:
            continue
        signs = known.min() < 0 < known.max()
        if name in _DIVERGING.split() and signs and abs(low + high) > 0.25 * (high - low):
            yield FigureFinding("L39", "the middle of the two-sided colour map is not zero", "warning")
            return


def _hues(view: View, ax: Axes) -> Iterator[FigureFinding]:
    artists = [
        *ax.lines,
        *ax.collections,
        *(bars[0] for bars in ax.containers if hasattr(bars, "patches") and bars),
    ]
    colors = {drawn_color(a) for a in artists if not isinstance(a, QuadMesh) and a.get_visible()} - {""}
    shades = [to_rgb(color) for color in colors]
    vivid = [shade for shade in shades if max(shade) - min(shade) > 0.1]
    if len(vivid) > MOST_HUES + 2:
        yield FigureFinding("L38", f"{len(vivid)} colours to tell apart", "warning")
        return
    seen = [_as_deuteranope(shade) for shade in vivid]
    near = [1 for i, a in enumerate(seen) for b in seen[:i] if float(np.linalg.norm(a - b)) < 0.08]
    if near and len(vivid) <= MOST_HUES + 2:
        yield FigureFinding("L38", "colours that some readers cannot tell apart", "info")


def _as_deuteranope(color: Sequence[float]) -> np.ndarray:
    """Return a colour as who lacks green cones sees it (matrix of Machado et al. 2009, severity 1)."""
    matrix = np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    )
    return np.asarray(matrix @ np.asarray(color[:3]))


_CHECKS: Sequence[Callable[[View, Axes], Iterator[FigureFinding]]] = (
    _bars_from_zero,
    _legend_covers,
    _texts_on_data,
    _piled_up,
    _pale,
    _pale_texts,
    _colour_map,
    _hues,
)

"""What the open matplotlib figures show, as plain numbers: facts then come from what is drawn.

What belongs here: `drawn_data` and what it calls, from artists to lists. What does not: reading the result
back and judging it (`lakebook.enhancement`). Paper: NotebookRAG §4.2.4.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle, Wedge

Drawn = dict[str, Any]


def drawn_data() -> list[Drawn]:
    """Return the axes of every open figure as lists and dictionaries, and close figures that are empty."""
    result = []
    for number in plt.get_fignums():
        figure = plt.figure(number)
        if not figure.axes:
            plt.close(number)
            continue
        for axes in figure.axes:
            if axes.get_visible() and axes.get_label() != "<colorbar>":
                result.append(drawn_axes(axes))
    return result


def drawn_axes(axes: Axes) -> Drawn:
    """Return one axes: its labels, and a series for each group of artists."""
    found = drawn_bars(axes) or drawn_boxes(axes)
    points = [c for c in axes.collections if isinstance(c, PathCollection) and np.size(c.get_offsets())]
    grid = [c for c in axes.collections if isinstance(c, QuadMesh)]
    areas = [c for c in axes.collections if isinstance(c, PolyCollection) and not isinstance(c, QuadMesh)]
    found += drawn_lines(axes, short_too=not found)
    found += [drawn_points(axes, artist) for artist in points]
    found += [drawn_grid(axes, artist.get_array()) for artist in grid]
    found += [drawn_grid(axes, artist.get_array()) for artist in axes.images]
    found += drawn_wedges(axes)
    if not found:
        found = [drawn_area(artist.get_paths()[0].vertices, artist) for artist in areas if artist.get_paths()]
    x_labels, y_labels = drawn_categories(axes.xaxis), drawn_categories(axes.yaxis)
    return {
        "title": axes.get_title(),
        "xlabel": axes.get_xlabel(),
        "ylabel": axes.get_ylabel(),
        "x_is_date": drawn_is_date(axes),
        "categories": max(len(set(x_labels.values())), len(set(y_labels.values()))),
        "series": found,
    }


def drawn_number(value: Any) -> float | None:
    """Return a plain float, None for what is missing or not finite."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None


def drawn_series(mark: str, label: object, x: Any, y: Any, labels: Any = (), **more: object) -> Drawn:
    """Return one series; a very long one keeps every n-th point and says so."""
    step = max(1, len(y) // 5000)
    label = "" if str(label).startswith("_") else str(label)
    return {
        "mark": mark,
        "label": label,
        "labels": [str(text) for text in list(labels)[::step]],
        "x": [drawn_number(value) for value in list(x)[::step]],
        "y": [drawn_number(value) for value in list(y)[::step]],
        "n": len(y),
        **more,
    }


def drawn_categories(axis: Any) -> dict[float, str]:
    """Return position -> text where the ticks of an axis name categories, else nothing."""
    formatter = axis.get_major_formatter()
    if type(formatter).__name__ not in {"FixedFormatter", "FuncFormatter", "StrCategoryFormatter"}:
        return {}
    places = [float(place) for place in axis.get_majorticklocs()]
    texts = [text.get_text() for text in axis.get_ticklabels()]
    if not any(texts) or len(texts) != len(places):
        try:
            texts = formatter.format_ticks(places)
        except (TypeError, ValueError, IndexError):
            return {}
    low, high = sorted(axis.get_view_interval())
    pairs = zip(places, texts, strict=False)
    return {round(place, 6): str(text) for place, text in pairs if str(text) and low <= place <= high}


def drawn_is_date(axes: Axes) -> bool:
    """Return True if the x axis is one of dates."""
    axis = axes.xaxis
    converter = axis.get_converter() if hasattr(axis, "get_converter") else axis.converter
    names = f"{type(converter).__name__} {type(axis.get_major_formatter()).__name__}"
    return any(word in names for word in ("Date", "Period", "TimeSeries")) and not drawn_categories(axis)


def drawn_days(axes: Axes, x: list[float]) -> list[float]:
    """Return the drawn dates as days since 1970; pandas draws some series in periods of its own."""
    frequency = getattr(axes, "freq", None)
    if frequency is None:
        return x
    periods = pd.PeriodIndex.from_ordinals(  # type: ignore[attr-defined]
        [int(value) for value in x], freq=frequency
    )
    # A weekly period ends on the weekday that the data has; its start is a date that no row has.
    weekly = periods.freqstr.startswith("W")
    stamps = periods.to_timestamp(how="end").normalize() if weekly else periods.to_timestamp()
    return [(stamp - pd.Timestamp(0)).total_seconds() / 86400 for stamp in stamps]


def drawn_dates(days: list[float]) -> list[str]:
    """Return days since 1970 as ISO dates, with the time where one is not at midnight."""
    stamps = pd.to_datetime(pd.Series(days, dtype=float), unit="D", origin="unix").dt.round("s")
    whole = (stamps.dropna().dt.normalize() == stamps.dropna()).all()
    return stamps.dt.strftime("%Y-%m-%d" if whole else "%Y-%m-%dT%H:%M:%S").fillna("").tolist()


def drawn_xy(line: Line2D) -> np.ndarray:
    """Return the points of a line as two columns of numbers."""
    x, y = line.get_xdata(orig=False), line.get_ydata(orig=False)
    return np.column_stack([np.asarray(x, dtype=float), np.asarray(y, dtype=float)])


def drawn_legend(axes: Axes) -> dict[str, str]:
    """Return color -> text of the legend, for lines that carry no label of their own."""
    legend = axes.get_legend()
    if legend is None:
        return {}
    handles = [
        (handle, text.get_text()) for handle, text in zip(legend.legend_handles, legend.texts, strict=False)
    ]
    colors = [to_hex(handle.get_color()) for handle, _ in handles if isinstance(handle, Line2D)]
    if len(colors) != len(handles) or len(set(colors)) != len(colors):
        return {}
    return {color: text for color, (_, text) in zip(colors, handles, strict=True)}


def drawn_lines(axes: Axes, short_too: bool) -> list[Drawn]:
    """Return the lines in data coordinates; beside longer ones, bars and boxes, short ones are error bars."""
    result = []
    is_date, categories, legend = drawn_is_date(axes), drawn_categories(axes.xaxis), drawn_legend(axes)
    lines = [line for line in axes.lines if line.get_visible() and line.get_transform() == axes.transData]
    longest = max((len(drawn_xy(line)) for line in lines), default=0)
    least = 0 if short_too and longest <= 3 else 3
    for line in lines:
        points = drawn_xy(line)
        if len(points) <= least:
            continue
        x, y = points[:, 0].tolist(), points[:, 1].tolist()
        mark = "point" if line.get_linestyle() in {"None", " ", ""} else "line"
        labels = []
        if is_date:
            x = drawn_days(axes, x)
            labels = drawn_dates(x)
        elif categories:
            labels = [categories.get(round(value, 6), "") for value in x]
            labels = labels if all(labels) else []
        label = str(line.get_label())
        label = legend.get(to_hex(line.get_color()), "") if label.startswith("_") else label
        result.append(drawn_series(mark, label, x, y, labels))
    return result


def drawn_bars(axes: Axes) -> list[Drawn]:
    """Return bar containers, upright or lying, with the categories they stand at."""
    groups = [
        (c.get_label(), list(c), getattr(c, "orientation", None))
        for c in axes.containers
        if isinstance(c, BarContainer)
    ]
    if not groups:
        loose = [p for p in axes.patches if isinstance(p, Rectangle) and p.get_transform() == axes.transData]
        groups = [("", loose, None)] if loose else []
    result = []
    for label, bars, orientation in groups:
        lying = orientation == "horizontal"
        axis = axes.yaxis if lying else axes.xaxis
        middles = [b.get_y() + b.get_height() / 2 if lying else b.get_x() + b.get_width() / 2 for b in bars]
        widths = [b.get_height() if lying else b.get_width() for b in bars]
        values = [b.get_width() if lying else b.get_height() for b in bars]
        names = drawn_at(drawn_categories(axis), middles)
        if bars:
            result.append(
                drawn_series(
                    "barh" if lying else "bar", label, middles, values, names, width=drawn_number(widths[0])
                )
            )
    return result


def drawn_at(categories: dict[float, str], places: list[float]) -> list[str]:
    """Return the category nearest to each place; nothing if one is farther than half a step."""
    names = []
    for place in places:
        near = min(categories, key=lambda at: abs(at - place), default=None)
        if near is None or abs(near - place) > 0.5:
            return []
        names.append(categories[near])
    return names


def drawn_boxes(axes: Axes) -> list[Drawn]:
    """Return the medians of a box plot, whose boxes are patches (seaborn) or closed lines (matplotlib)."""
    points = [drawn_xy(line) for line in axes.lines]
    spans = [span for span in points if len(span) == 2]
    patches = [np.asarray(p.get_path().vertices) for p in axes.patches if isinstance(p, PathPatch)]
    boxes = [box for box in patches if len(box) <= 12] + [box for box in points if len(box) == 5]
    if not boxes or len(spans) < 3 * len(boxes):
        return []
    for lying in (False, True):
        across, along = (1, 0) if lying else (0, 1)
        places, medians = [], []
        for box in boxes:
            edges = [float(box[:, across].min()), float(box[:, across].max())]
            for span in spans:
                if np.allclose(np.sort(span[:, across]), edges) and span[0, along] == span[1, along]:
                    places.append(sum(edges) / 2)
                    medians.append(float(span[0, along]))
                    break
        if len(medians) == len(boxes):
            names = drawn_at(drawn_categories(axes.yaxis if lying else axes.xaxis), places)
            return [drawn_series("box", "", places, medians, names, lying=lying)]
    return []


def drawn_points(axes: Axes, artist: PathCollection) -> Drawn:
    """Return a scatter with the rank correlation of all its points."""
    offsets: np.ndarray = np.ma.filled(np.ma.asarray(artist.get_offsets(), dtype=float), np.nan)
    frame = pd.DataFrame(offsets, columns=["x", "y"]).dropna()
    rho = None
    if len(frame) >= 10 and frame["x"].nunique() > 2 and frame["y"].nunique() > 2:
        rho = drawn_number(frame["x"].rank().corr(frame["y"].rank()))
    return drawn_series("point", artist.get_label(), frame["x"], frame["y"], rank_correlation=rho)


def drawn_grid(axes: Axes, values: Any) -> Drawn:
    """Return a heat map or an image, row by row, with the names of its columns and rows."""
    grid: np.ndarray = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)
    columns = list(drawn_categories(axes.xaxis).values())
    rows = list(drawn_categories(axes.yaxis).values())
    if grid.ndim == 1 and columns and grid.size % len(columns) == 0:
        grid = grid.reshape(-1, len(columns))
    flat = grid.ravel()[:10000]
    return drawn_series("image", "", [], flat, columns, rows=rows, shape=list(grid.shape))


def drawn_wedges(axes: Axes) -> list[Drawn]:
    """Return the shares of a pie."""
    wedges = [p for p in axes.patches if isinstance(p, Wedge)]
    if not wedges:
        return []
    shares = [(wedge.theta2 - wedge.theta1) / 360 for wedge in wedges]
    labels = [str(wedge.get_label()) for wedge in wedges]
    labels = [] if any(label.startswith("_") for label in labels) else labels
    return [drawn_series("wedge", "", range(len(shares)), shares, labels)]


def drawn_area(vertices: Any, artist: PolyCollection) -> Drawn:
    """Return the outline of a filled area."""
    return drawn_series("area", artist.get_label(), vertices[:, 0], vertices[:, 1])

"""What the readers of drawn marks share: an axes' categories, dates, legend; numbers as plain lists.

What belongs here: everything that a mark needs to know of the axes it stands in. What does not: the marks
(`drawn_marks`, `drawn_spans`) and figures as a whole (`drawn`). Paper: NotebookRAG §4.2.4.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

Drawn = dict[str, Any]


def drawn_panel(axes: Axes) -> Drawn:
    """Return what the readers of artists need to know of their axes, found once."""
    legend = axes.get_legend() or next(iter(axes.figure.legends), None)
    mappables = [*axes.collections, *axes.images]
    bars = [artist.colorbar for artist in mappables if getattr(artist, "colorbar", None) is not None]
    labels = [bar.ax.get_ylabel() or bar.ax.get_xlabel() or bar.ax.get_title() for bar in bars if bar]
    return {
        "axes": axes,
        "x_names": drawn_categories(axes.xaxis),
        "y_names": drawn_categories(axes.yaxis),
        "date": drawn_is_date(axes.xaxis),
        "legend": drawn_legend(legend),
        "legend_title": legend.get_title().get_text() if legend else "",
        "color_label": next((label for label in labels if label), ""),
        "used": set(),
    }


def drawn_number(value: Any) -> float | None:
    """Return a plain float, None for what is missing or not finite."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None


def drawn_floats(values: Any, step: int = 1) -> list[float | None]:
    """Return every n-th number as a plain float, None for what is missing or not finite."""
    try:
        numbers = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan).ravel()[::step].tolist()
    except (TypeError, ValueError):
        return [drawn_number(value) for value in list(values)[::step]]
    return [number if number - number == 0 else None for number in numbers]


def drawn_series(mark: str, label: object, x: Any, y: Any, labels: Any = (), **more: Any) -> Drawn:
    """Return one series; a very long one keeps every n-th point and says so.

    What is given beside is kept as it is, but for a list or an array as long as `y`.
    """
    shown = "" if label is None or str(label).startswith("_") else str(label)
    return drawn_with_step(max(1, len(y) // 5000), mark, shown, x, y, labels, more)


def drawn_with_step(step: int, mark: str, label: str, x: Any, y: Any, labels: Any, more: Drawn) -> Drawn:
    """Return a series that keeps every n-th point (see `drawn_series`)."""
    size = len(y)
    series: Drawn = {
        "mark": mark,
        "label": label,
        "labels": [str(text) for text in list(labels)[::step]],
        "x": drawn_floats(x, step),
        "y": drawn_floats(y, step),
        "n": size,
    }
    for key, value in more.items():
        if isinstance(value, np.ndarray):
            series[key] = drawn_floats(value, step)
        elif isinstance(value, list) and len(value) == size:
            series[key] = value[::step]
        elif value is not None and not (isinstance(value, list) and not value):
            series[key] = value
    return series


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
    # `set_ticklabels` makes a function of the texts too, of its own kind.
    written = hasattr(getattr(formatter, "func", None), "args")
    if (
        type(formatter).__name__ == "FuncFormatter"
        and not written
        and all(drawn_is_number(text) for text in texts)
    ):
        return {}
    low, high = sorted(axis.get_view_interval())
    pairs = zip(places, texts, strict=False)
    return {round(place, 6): str(text) for place, text in pairs if str(text) and low <= place <= high}


def drawn_is_number(text: str) -> bool:
    """Return True for a number as ticks write it: -1, 1,000, 56.7k, $3, 12 %, or nothing at all."""
    bare = str(text).replace("\N{MINUS SIGN}", "-").replace(",", "").strip()
    bare = bare.strip("$€£ %").rstrip("kKmMBbG% ")
    try:
        float(bare or "0")
    except ValueError:
        return "mathdefault" in bare
    return True


def drawn_is_date(axis: Any) -> bool:
    """Return True if an axis is one of dates."""
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


def drawn_legend(legend: Any) -> dict[str, str]:
    """Return color -> text of a legend, for artists that carry no label of their own."""
    if legend is None:
        return {}
    found: dict[str, str] = {}
    for handle, text in zip(legend.legend_handles, legend.texts, strict=False):
        color = drawn_color(handle)
        if color and text.get_text() in found.values():
            return {}
        if color and color not in found:
            found[color] = text.get_text()
        elif color:
            found[color] = ""  # two entries of one colour tell nothing apart
    return {color: text for color, text in found.items() if text}


def drawn_color(artist: Any) -> str:
    """Return the colour of an artist as #rrggbb, "" if it has none or several."""
    for name in ("get_markerfacecolor", "get_color", "get_facecolor", "get_edgecolor"):
        if name == "get_markerfacecolor" and getattr(artist, "get_marker", str)() in ("None", None, "", " "):
            continue
        color: Any = getattr(artist, name, lambda: None)()
        rows = color is not None and np.ndim(color) == 2
        if rows and len(color) > 1:
            return ""
        if color is None or (rows and not len(color)):
            continue
        try:
            shade = to_hex(color[0] if rows else color, keep_alpha=True)
        except (ValueError, TypeError):
            continue
        if not shade.endswith("00") or len(shade) < 9:
            return shade[:7]
    return ""


def drawn_text(panel: Drawn, artist: Any) -> str:
    """Return the label of an artist: its own, else that of its colour in the legend."""
    label = str(artist.get_label())
    if label and label != "None" and not label.startswith("_"):
        return label
    return str(panel["legend"].get(drawn_color(artist), ""))


def drawn_at(categories: dict[float, str], places: list[float]) -> list[str]:
    """Return the category nearest to each place; nothing if one is farther than half a step."""
    if not categories:
        return []
    ticks = np.array(sorted(categories))
    spots = np.asarray(places, dtype=float)
    nearest = (
        np.abs(spots[:, None] - ticks[None, :]).argmin(axis=1) if len(spots) else np.array([], dtype=int)
    )
    if len(spots) and not (np.abs(ticks[nearest] - spots) <= 0.5 + 1e-9).all():
        return []
    return [categories[float(ticks[at])] for at in nearest]

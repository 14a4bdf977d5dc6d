"""Which column an axis shows, told from the drawn numbers: for an axis that its author gave no label.

A name is given only if the numbers of the whole table agree with what is drawn; nothing is guessed. This
module runs where the figure is drawn, so it knows numpy and pandas only. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

Drawn = dict[str, Any]
MOST_TRIED = 40
_AVERAGES = ("mean", "sum", "median", "max", "min", "count", "nunique", "std")


def axis_names(axes: Drawn, frame: pd.DataFrame) -> dict[str, str]:
    """Return what the x and the y axis show, each only where the drawn numbers tell it."""
    for series in axes["series"]:
        found = _names(series, frame)
        if found:
            return found
    return {}


def _names(series: Drawn, frame: pd.DataFrame) -> dict[str, str]:
    mark = series["mark"]
    if mark in ("bar", "barh"):
        across, along = ("y", "x") if mark == "barh" else ("x", "y")
        if series.get("shape") == "histogram":
            return _of_classes(series, frame, across, along)
        return _of_bars(series, frame, across, along)
    if mark in ("point", "line") and not series.get("shape"):
        found = {
            "x": column_of(series["x"], series["n"], frame),
            "y": column_of(series["y"], series["n"], frame),
        }
        if not any(found.values()) and mark == "line":
            return _of_groups(series, frame)
        return {which: name for which, name in found.items() if name}
    return {}


def column_of(values: list[float | None], size: int, frame: pd.DataFrame) -> str:
    """Return the only column whose values, in order and without what is missing, are those drawn."""
    drawn = np.array([np.nan if v is None else v for v in values], dtype=float)
    if size < 5 or not np.isfinite(drawn).any():
        return ""
    step = max(1, -(-size // max(len(values), 1))) if len(values) < size else 1
    found = []
    for name in list(frame.columns)[:MOST_TRIED]:
        numbers = _as_numbers(frame[name])
        for column in (numbers, numbers[np.isfinite(numbers)]):
            if len(column) == size and np.allclose(column[::step][: len(drawn)], drawn, equal_nan=True):
                found.append(str(name))
                break
    return found[0] if len(found) == 1 else ""


def _as_numbers(column: pd.Series) -> np.ndarray:
    if pd.api.types.is_datetime64_any_dtype(column):
        return np.asarray((column - pd.Timestamp(0)).dt.total_seconds() / 86400, dtype=float)
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(dtype=float, na_value=np.nan)
    return np.array([])


def _of_classes(series: Drawn, frame: pd.DataFrame, across: str, along: str) -> dict[str, str]:
    middles, counts = np.array(series["x"], dtype=float), np.array(series["y"], dtype=float)
    width = series.get("width")
    if not width or len(middles) < 3 or not np.allclose(np.diff(middles), width):
        return {}
    edges = np.append(middles - width / 2, middles[-1] + width / 2)
    found = []
    for name in list(frame.columns)[:MOST_TRIED]:
        numbers = _as_numbers(frame[name])
        numbers = numbers[np.isfinite(numbers)]
        if len(numbers) and numbers.min() >= edges[0] - width * 1e-6:
            # Classes are closed on the left but for the last; a shift of a rounding error moves few values.
            made, _ = np.histogram(numbers, bins=edges)
            if counts.sum() and np.abs(made - counts).sum() <= 0.01 * counts.sum():
                found.append(str(name))
    return {across: found[0], along: "Count"} if len(found) == 1 else {}


def _of_bars(series: Drawn, frame: pd.DataFrame, across: str, along: str) -> dict[str, str]:
    labels = [str(label) for label in series["labels"]]
    values = np.array([np.nan if v is None else v for v in series["y"]], dtype=float)
    if len(labels) < 2 or len(set(labels)) != len(labels):
        return {}
    for name in list(frame.columns)[:MOST_TRIED]:
        keys = frame[name]
        if keys.nunique() > 2000 or not set(labels) <= set(keys.dropna().unique().astype(str)):
            continue
        measure = _measure(keys.astype(str), labels, values, frame, str(name))
        return {across: str(name), along: measure} if measure else {across: str(name)}
    return {}


def _measure(keys: pd.Series, labels: list[str], values: np.ndarray, frame: pd.DataFrame, own: str) -> str:
    """Return what bars of these lengths measure: a count, or an average of one column by the labels."""
    counts = keys.value_counts().reindex(labels).to_numpy(dtype=float)
    if np.allclose(counts, values):
        return "Count"
    if np.allclose(counts / len(keys), values) or np.allclose(100 * counts / len(keys), values):
        return "Share of rows"
    found = []
    columns = [c for c in frame.columns if pd.api.types.is_numeric_dtype(frame[c]) and str(c) != own]
    groups = frame.groupby(keys.to_numpy())[columns[:MOST_TRIED]] if columns else None
    for how in _AVERAGES if groups is not None else ():
        table = getattr(groups, how)().reindex(labels)
        for name in table.columns:
            if np.allclose(table[name].to_numpy(dtype=float), values, equal_nan=True):
                found.append(f"{how.capitalize()} of {name}")
        if found:
            break
    return found[0] if len(found) == 1 else ""


def _of_groups(series: Drawn, frame: pd.DataFrame) -> dict[str, str]:
    """A line over the levels of a column: places are its levels, heights a count or an average by them."""
    x = np.array([np.nan if v is None else v for v in series["x"]], dtype=float)
    y = np.array([np.nan if v is None else v for v in series["y"]], dtype=float)
    if series["labels"] or not 3 <= len(x) <= 2000 or series["n"] != len(x):
        return {}
    for name in list(frame.columns)[:MOST_TRIED]:
        numbers = _as_numbers(frame[name])
        if not len(numbers) or len(np.unique(numbers[np.isfinite(numbers)])) != len(x):
            continue
        if np.allclose(np.unique(numbers[np.isfinite(numbers)]), np.sort(x)):
            keys = pd.Series(numbers)
            measure = _measure(keys, list(x), y, frame.reset_index(drop=True), str(name))
            return {"x": str(name), "y": measure} if measure else {"x": str(name)}
    return {}

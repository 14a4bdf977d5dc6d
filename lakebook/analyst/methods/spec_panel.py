"""What the readers of chart specifications share: values to places, dates, categories, plain axes.

What belongs here: everything that plotly and vega have in common as JSON. What does not: the grammar
of either (`plotly_drawn`, `vega_drawn`). Paper: NotebookRAG §4.2.4.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lakebook.analyst.methods.drawn_panel import Drawn, drawn_dates, drawn_with_step


def spec_axes(library: str, figure: int = 0) -> Drawn:
    """Return an axes without anything in it."""
    return {
        "title": "",
        "xlabel": "",
        "ylabel": "",
        "x_is_date": False,
        "categories": 0,
        "series": [],
        "x_scale": {"kind": "linear", "low": None, "high": None, "inverted": False},
        "y_scale": {"kind": "linear", "low": None, "high": None, "inverted": False},
        "projection": "rectilinear",
        "library": library,
        "legend": "",
        "color_label": "",
        "figure": figure,
        "twin": -1,
        "not_read": [],
    }


def spec_is_number(value: Any) -> bool:
    """Return True for a number, or a text that is one."""
    if isinstance(value, bool) or value is None:
        return False
    try:
        return bool(np.isfinite(float(value)))
    except (TypeError, ValueError):
        return False


def spec_is_date(value: Any) -> bool:
    """Return True for a text that starts as an ISO date: 2020-01, 2020-01-31T12:00."""
    if not isinstance(value, str) or len(value) < 7 or not value[:4].isdigit() or value[4] not in "-/":
        return False
    try:
        pd.Timestamp(value)
    except ValueError:
        return False
    return True


def spec_kind(values: Sequence[Any]) -> str:
    """Return the kind of axis that values call for: `date`, `category` or `linear`.

    As plotly.js decides (`axis_autotype`): more than two dates, or more than two texts, for every number.
    """
    sample = [value for value in list(values)[:: max(1, len(values) // 1000)] if value is not None]
    distinct = list(
        dict.fromkeys(value if isinstance(value, str | int | float) else str(value) for value in sample)
    )
    numbers = sum(spec_is_number(value) for value in distinct)
    if sum(spec_is_date(value) for value in distinct) > 2 * numbers:
        return "date"
    return "category" if len(distinct) - numbers > 2 * numbers else "linear"


def spec_days(values: Sequence[Any]) -> np.ndarray:
    """Return dates as days since 1970; numbers are milliseconds since then. NaN where it is no date."""
    items = [pd.Timestamp(value, unit="ms") if isinstance(value, int | float) else value for value in values]
    stamps = pd.to_datetime(pd.Series(items, dtype=object), errors="coerce", utc=True, format="mixed")
    return ((stamps - pd.Timestamp(0, tz="UTC")).dt.total_seconds() / 86400).to_numpy(dtype=float)


def spec_places(values: Sequence[Any], kind: str, categories: list[str]) -> tuple[np.ndarray, list[str]]:
    """Return where values stand on an axis of this kind, and their labels, none for numbers.

    New categories are added to `categories`, which counts them from 0.
    """
    if kind == "date":
        days = spec_days(values)
        return days, drawn_dates(days.tolist())
    if kind == "category":
        texts = [spec_text(value) for value in values]
        known = {text: at for at, text in enumerate(categories)}
        for text in texts:
            if text not in known:
                known[text] = len(categories)
                categories.append(text)
        return np.array([known[text] for text in texts], dtype=float), texts
    return spec_numbers(values), []


def spec_numbers(values: Any) -> np.ndarray:
    """Return numbers, NaN for what is none."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return values.astype(float)
    return np.array([float(value) if spec_is_number(value) else np.nan for value in values], dtype=float)


def spec_text(value: Any) -> str:
    """Return a value as a label: whole numbers without a point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def spec_series(mark: str, label: object, x: Any, y: Any, labels: Any = (), **more: Any) -> Drawn:
    """Return one series as `drawn_series` does; long ones keep every n-th point and say so."""
    step = max(1, len(y) // 5000) if mark != "image" else 1
    told = {key: value for key, value in more.items() if not (isinstance(value, str) and not value)}
    return drawn_with_step(step, mark, "" if label is None else str(label), x, y, labels, told)


def spec_rank_correlation(x: np.ndarray, y: np.ndarray) -> float | None:
    """Return the rank correlation of a scatter, None where there is too little to correlate."""
    frame = pd.DataFrame({"x": x, "y": y}).dropna()
    if len(frame) < 10 or frame["x"].nunique() < 3 or frame["y"].nunique() < 3:
        return None
    return float(frame["x"].rank().corr(frame["y"].rank()))


def spec_boxes(groups: dict[str, np.ndarray], how: str = "hazen") -> Drawn:
    """Return medians, quartiles and whiskers of groups of values, as lists in their order.

    Whiskers end at the last values within 1.5 interquartile ranges (Tukey). `how`: the kind of quantile, of
    Hyndman and Fan 1996; plotly's is `hazen`, vega's `linear`.
    """
    found: dict[str, list[float]] = {
        key: [] for key in ("y", "lower_quartile", "upper_quartile", "low", "high")
    }
    for values in groups.values():
        clean = values[np.isfinite(values)]
        first, median, third = np.percentile(clean, [25, 50, 75], method=how) if len(clean) else [np.nan] * 3  # type: ignore[call-overload]
        reach = 1.5 * (third - first)
        inside = clean[(clean >= first - reach) & (clean <= third + reach)]
        ends = (float(inside.min()), float(inside.max())) if len(inside) else (np.nan, np.nan)
        for key, value in zip(found, (median, first, third, *ends), strict=True):
            found[key].append(float(value))
    return {key: np.array(values) for key, values in found.items()}


def spec_limits(axes: Drawn) -> None:
    """Set the limits that are not given to the range of what is drawn; count the categories."""
    for which in ("x", "y"):
        scale = axes[f"{which}_scale"]
        values = [v for one in axes["series"] for v in one[which] if v is not None]
        along = "barh" if which == "x" else "bar"
        if any(one["mark"] == along for one in axes["series"]):
            values.append(0.0)
        if scale["low"] is None and values and scale["kind"] != "category":
            scale["low"], scale["high"] = min(values), max(values)
    axes["x_is_date"] = axes["x_scale"]["kind"] == "date"
    named = [set(one["labels"]) for one in axes["series"] if one["mark"] not in ("wedge", "image")]
    kinds = {axes["x_scale"]["kind"], axes["y_scale"]["kind"]}
    axes["categories"] = len(set().union(*named)) if "category" in kinds and named else 0

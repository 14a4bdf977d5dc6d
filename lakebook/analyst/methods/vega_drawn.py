"""What a chart of altair shows, read from its vega-lite specification, aggregated and binned as drawn.

What belongs here: views, layers, encodings and the transforms that are simple enough to be made here. What
needs vega's expressions or data from elsewhere is named as not read, with the reason.
Paper: NotebookRAG §4.2.4.
"""

import math
from typing import Any

import numpy as np
import pandas as pd

from lakebook.analyst.methods.drawn_panel import Drawn
from lakebook.analyst.methods.spec_panel import (
    spec_axes,
    spec_boxes,
    spec_is_date,
    spec_limits,
    spec_numbers,
    spec_places,
    spec_rank_correlation,
    spec_series,
    spec_text,
)

VEGA_AVERAGES = {
    "average": "mean", "mean": "mean", "sum": "sum", "median": "median", "min": "min", "max": "max",
    "distinct": "nunique", "stdev": "std", "variance": "var", "valid": "count", "q1": "q1", "q3": "q3",
}  # fmt: skip
VEGA_MARKS = {
    "bar": "bar", "line": "line", "trail": "line", "point": "point", "circle": "point", "square": "point",
    "tick": "point", "area": "area", "rect": "image", "arc": "wedge", "boxplot": "box",
}  # fmt: skip
VEGA_UNITS = {"year": "YS", "yearmonth": "MS", "yearmonthdate": "D", "yearquarter": "QS"}
VEGA_PARTS = {"month": "month", "day": "dayofweek", "date": "day", "hours": "hour", "quarter": "quarter"}


def vega_axes(spec: Drawn) -> list[Drawn]:
    """Return the axes of a vega-lite specification, one for each view, as `drawn_data` does."""
    return [axes for view in vega_views(spec, {}) for axes in vega_view(view)]


def vega_views(spec: Drawn, above: Drawn) -> list[Drawn]:
    """Return the single views of a specification, each with the data and data sets that stand above it."""
    kept = {key: spec.get(key, above.get(key)) for key in ("data", "datasets")}
    kept["transform"] = [*(above.get("transform") or []), *(spec.get("transform") or [])]
    for key in ("hconcat", "vconcat", "concat"):
        if key in spec:
            return [view for part in spec[key] for view in vega_views(part, kept)]
    if "spec" in spec:  # facets and repeats wrap a view
        inner = {**spec["spec"], "facet": spec.get("facet"), "repeat": spec.get("repeat")}
        return vega_views(inner, kept)
    return [{**spec, **kept}]


def vega_view(view: Drawn) -> list[Drawn]:
    """Return the axes of one view: several where it is cut into facets."""
    axes = spec_axes("altair")
    axes["title"] = vega_title(view.get("title"))
    rows = vega_rows(view, axes)
    if view.get("repeat"):
        axes["not_read"].append("a repeated view: its fields are not fixed")
    if rows is None or view.get("repeat"):
        return [axes]
    layers = [{**view, **layer, "encoding": {**(view.get("encoding") or {}), **(layer.get("encoding") or {})}}
              for layer in view.get("layer") or []] or [view]  # fmt: skip
    first = layers[0].get("encoding") or {}
    wrapped = view.get("facet") or {}
    cut = next((c for c in (first.get("column"), first.get("row"), first.get("facet"), wrapped) if c), None)
    field = (cut or {}).get("field") if isinstance(cut, dict) else None
    parts = list(rows.groupby(field, sort=False)) if field in rows else [("", rows)]
    result = []
    for name, part in parts[:25]:
        panel = {**axes, "series": [], "not_read": list(axes["not_read"])}
        panel["x_scale"], panel["y_scale"] = dict(axes["x_scale"]), dict(axes["y_scale"])
        panel["title"] = f"{field}: {spec_text(name)}" if field in rows else axes["title"]
        seen: Drawn = {"x": [], "y": []}
        for layer in layers:
            vega_layer(layer, part, panel, seen)
        spec_limits(panel)
        result.append(panel)
    return result


def vega_title(title: Any) -> str:
    """Return a title, which is a text, lines, or a dictionary."""
    text = title.get("text", "") if isinstance(title, dict) else title or ""
    return " ".join(text) if isinstance(text, list) else str(text)


def vega_rows(view: Drawn, axes: Drawn) -> pd.DataFrame | None:
    """Return the rows of a view after its simple transforms; None, with the reason noted, if not here."""
    data = view.get("data") or {}
    values = data.get("values") if "values" in data else (view.get("datasets") or {}).get(data.get("name"))
    if not isinstance(values, list):
        axes["not_read"].append("its data are not in the chart, but at an address")
        return None
    rows = pd.DataFrame(values)
    for step in view.get("transform") or []:
        rows = vega_transform(rows, step, axes)
    return rows


def vega_transform(rows: pd.DataFrame, step: Drawn, axes: Drawn) -> pd.DataFrame:
    """Make one transform: a filter by a field, a fold, an aggregate; others are noted as not read."""
    test = step.get("filter")
    if isinstance(test, dict) and test.get("field") in rows:
        column: Any = rows[test["field"]]
        found: Any = None
        if "equal" in test:
            found = column == test["equal"]
        if "oneOf" in test:
            found = column.isin(test["oneOf"])
        if "range" in test:
            found = column.between(*test["range"])
        for key, method in (("lt", "lt"), ("lte", "le"), ("gt", "gt"), ("gte", "ge")):
            if key in test:
                found = getattr(column, method)(test[key])
        if found is not None:
            return pd.DataFrame(rows.loc[found])
    if "fold" in step and set(step["fold"]) <= set(rows.columns):
        key, value = step.get("as") or ["key", "value"]
        keep = [name for name in rows.columns if name not in step["fold"]]
        return rows.melt(keep, step["fold"], key, value)
    if "aggregate" in step and all("field" in one or one["op"] == "count" for one in step["aggregate"]):
        by = list(step.get("groupby") or [])
        groups = rows.groupby(by, sort=False) if by else rows.groupby(lambda _: 0)
        made = {
            one["as"]: groups.size()
            if one["op"] == "count"
            else vega_average(groups[one["field"]], one["op"])
            for one in step["aggregate"]
        }
        return pd.DataFrame(made).reset_index()
    axes["not_read"].append(f"a transform ({', '.join(sorted(step))}): what it makes is not read")
    return rows


def vega_average(groups: Any, how: str) -> Any:
    """Return one average of grouped values."""
    name = VEGA_AVERAGES.get(how, "mean")
    if name in ("q1", "q3"):
        return groups.quantile(0.25 if name == "q1" else 0.75)
    return getattr(groups, name)()


def vega_step(low: float, high: float, most: int) -> tuple[float, float]:
    """Return (start, size) of the classes of numbers as vega chooses them (`vega-statistics/bin`)."""
    span = (high - low) or abs(low) or 1.0
    step = 10.0 ** (round(math.log10(span)) - math.ceil(math.log(most, 10)))
    while math.ceil(span / step) > most:
        step *= 10
    for divisor in (5, 2):
        if span / (step / divisor) <= most:
            step /= divisor
    return math.floor(low / step + 1e-9) * step, step


def vega_field(channel: Drawn, rows: pd.DataFrame) -> tuple[Any, str]:
    """Return the values of a channel, binned or cut to a unit of time where it says so, and its title."""
    field = channel.get("field")
    axis = channel.get("axis") or {}
    name = channel.get("title") or (axis.get("title") if isinstance(axis, dict) else None)
    if field is None or field not in rows:
        return None, str(name or "")
    values: Any = rows[field]
    title = str(field)
    unit, bins = channel.get("timeUnit"), channel.get("bin")
    if unit:
        unit = unit if isinstance(unit, str) else str(unit.get("unit", ""))
        stamps = pd.to_datetime(values, errors="coerce", format="mixed")
        if unit in VEGA_PARTS:
            values = getattr(stamps.dt, VEGA_PARTS[unit])
        elif unit in VEGA_UNITS:
            values = stamps.dt.to_period(VEGA_UNITS[unit].rstrip("S")).dt.start_time.dt.strftime("%Y-%m-%d")
        title = f"{field} ({unit})"
    elif bins:
        numbers = spec_numbers(values)
        options = bins if isinstance(bins, dict) else {}
        start, size = vega_step(np.nanmin(numbers), np.nanmax(numbers), int(options.get("maxbins", 10)))
        size = float(options.get("step", size))
        values = pd.Series(start + (np.floor((numbers - start) / size + 1e-9) + 0.5) * size, index=rows.index)
        title = f"{field} (binned)"
    return values, str(name or title)


def vega_layer(layer: Drawn, rows: pd.DataFrame, axes: Drawn, seen: Drawn) -> None:
    """Add the series of one layer to its axes."""
    kind = layer.get("mark")
    kind = str(kind.get("type")) if isinstance(kind, dict) else str(kind)
    encoding = layer.get("encoding") or {}
    if kind not in VEGA_MARKS:
        if kind not in ("rule", "text"):
            axes["not_read"].append(f"{kind}: this mark is not read")
        return
    columns: Drawn = {}
    for name in ("x", "y", "color", "size", "theta", "detail"):
        channel = encoding.get(name)
        if isinstance(channel, dict):
            columns[name], title = vega_field(channel, rows)
            average = channel.get("aggregate")
            if isinstance(average, str):
                field = channel.get("title") or channel.get("field", "")
                title = "Count of Records" if average == "count" else f"{average.capitalize()} of {field}"
            if name in ("x", "y"):
                axes[f"{name}label"] = axes[f"{name}label"] or title
            elif name == "color":
                axes["legend"] = title
    table, measured = vega_aggregated(rows, encoding, columns)
    if not len(table):
        return
    for name in ("x", "y"):
        vega_scale(axes, name, encoding.get(name) or {}, table.get(name))
    split = encoding.get("color") if isinstance(encoding.get("color"), dict) else {}
    groups = "color" in table and "color" not in measured and (split or {}).get("type") != "quantitative"
    for value, part in table.groupby("color", sort=False) if groups else [("", table)]:
        vega_marks(VEGA_MARKS[kind], spec_text(value), part, axes, seen, encoding, measured)


def vega_aggregated(rows: pd.DataFrame, encoding: Drawn, columns: Drawn) -> tuple[pd.DataFrame, list[str]]:
    """Return the table of what is drawn, one column a channel, and which channels are averages or counts."""
    averaged = {
        name: channel["aggregate"]
        for name, channel in encoding.items()
        if isinstance(channel, dict)
        and isinstance(channel.get("aggregate"), str)
        and name in ("x", "y", "theta", "size", "color")
    }
    table = pd.DataFrame(
        {name: value for name, value in columns.items() if value is not None}, index=rows.index
    )
    if not averaged:
        return table, []
    keys = [name for name in table.columns if name not in averaged]
    groups = table.groupby(keys, sort=True, dropna=True) if keys else table.groupby(lambda _: 0)
    made = {
        name: groups.size() if how == "count" or name not in table else vega_average(groups[name], how)
        for name, how in averaged.items()
    }
    result = pd.DataFrame(made)
    return (result.reset_index() if keys else result), list(averaged)


def vega_scale(axes: Drawn, which: str, channel: Drawn, values: Any) -> None:
    """Set the kind and direction of one axis from its channel's type, or from its values."""
    scale = axes[f"{which}_scale"]
    kind = channel.get("type", "")
    found = {"temporal": "date", "ordinal": "category", "nominal": "category", "quantitative": "linear"}.get(
        kind
    )
    if found is None and values is not None:
        texts = [value for value in values.dropna().head(50) if isinstance(value, str)]
        found = "linear" if not texts else "date" if all(map(spec_is_date, texts)) else "category"
    options = channel.get("scale") or {}
    if isinstance(options, dict) and options.get("type") in ("log", "symlog"):
        found = "log" if options["type"] == "log" else "other"
    scale["kind"] = found or "linear"
    scale["inverted"] = bool(isinstance(options, dict) and options.get("reverse"))


def vega_marks(
    mark: str, name: str, table: pd.DataFrame, axes: Drawn, seen: Drawn, encoding: Drawn, measured: list[str]
) -> None:
    """Add one series: the rows of one colour."""
    if mark == "wedge":
        shares = spec_numbers(table["theta"]) if "theta" in table else np.ones(len(table))
        whole = float(sum(axes.setdefault("whole", []))) or float(np.nansum(shares))
        axes["series"].append(spec_series("wedge", "", [0], shares / whole, [name], values=shares))
        vega_one_pie(axes)
        return
    lying = mark == "bar" and (
        axes["y_scale"]["kind"] == "category" or ("y" not in measured and "x" in measured)
    )
    x, x_labels = spec_places(
        list(table["x"]) if "x" in table else [0] * len(table), axes["x_scale"]["kind"], seen["x"]
    )
    y, y_labels = spec_places(
        list(table["y"]) if "y" in table else [0] * len(table), axes["y_scale"]["kind"], seen["y"]
    )
    if mark == "box":
        flat = axes["y_scale"]["kind"] == "category"
        at, values, labels = (y, x, y_labels) if flat else (x, y, x_labels)
        groups = {str(spot): values[at == spot] for spot in dict.fromkeys(at.tolist())}
        found = spec_boxes(groups, "linear")
        named = dict(zip(at.tolist(), labels, strict=False))
        texts = [named[float(spot)] for spot in groups] if labels else []
        axes["series"].append(
            spec_series("box", name, [float(s) for s in groups], found.pop("y"), texts, lying=flat, **found)
        )
    elif mark == "image":
        values = spec_numbers(table["color"]) if "color" in table else np.ones(len(table))
        grid = pd.DataFrame({"x": x, "y": y, "v": values}).pivot_table(index="y", columns="x", values="v")
        columns, rows = (
            [spec_text(seen[which][int(at)] if seen[which] else at) for at in places]
            for which, places in (("x", grid.columns), ("y", grid.index))
        )
        axes["series"].append(spec_series("image", "", [], grid.to_numpy().ravel(), columns, rows=rows))
    elif mark == "bar":
        at, values, labels = (y, x, y_labels) if lying else (x, y, x_labels)
        channel = encoding.get("y" if lying else "x") or {}
        binned = bool(channel.get("bin")) and not labels
        base = vega_piled(axes, at, values)
        sizes = np.diff(np.unique(at))
        more: Drawn = {"shape": "histogram" if binned else "", "base": base if base.any() else []}
        more["width"] = float(sizes.min()) if binned and len(sizes) else None
        axes["series"].append(spec_series("barh" if lying else "bar", name, at, values, labels, **more))
    else:
        order = np.argsort(x, kind="stable") if mark in ("line", "area") else np.arange(len(x))
        labels = [(x_labels or y_labels)[at] for at in order] if x_labels or y_labels else []
        more = {"rank_correlation": spec_rank_correlation(x, y)} if mark == "point" else {}
        if mark == "area":
            base = vega_piled(axes, x[order], y[order])
            more = {"base": base if base.any() else []}
            y = y.copy()
            y[order] += base
        if "size" in table:
            more["sizes"] = spec_numbers(table["size"])[order]
        axes["series"].append(spec_series(mark, name, x[order], y[order], labels, **more))


def vega_piled(axes: Drawn, at: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return where bars and areas of a further colour start: on those at the same place."""
    base = np.zeros(len(values))
    for one in axes["series"]:
        if one["mark"] in ("bar", "barh"):
            known = dict(zip(one["x"], one["y"], strict=True))
            base += np.array([known.get(spot) or 0.0 for spot in at.tolist()])
        elif one["mark"] == "area":
            known = dict(zip(one["x"], one["y"], strict=True))
            base = np.array([known.get(spot) or 0.0 for spot in at.tolist()])
    return base


def vega_one_pie(axes: Drawn) -> None:
    """Join the slices of a pie, which come one a colour, into one series of shares."""
    values = [value for one in axes["series"] for value in one.get("values", [])]
    labels = [label for one in axes["series"] for label in one["labels"]]
    axes.pop("whole", None)
    whole = sum(values) or 1.0
    shares = np.array(values) / whole
    axes["series"] = [spec_series("wedge", "", range(len(values)), shares, labels, values=np.array(values))]

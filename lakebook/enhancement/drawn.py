"""The drawn data of a component's figures, read back from the sandbox.

The code that gathers it stands with the other embedded functions, in `lakebook.analyst.methods.drawn`;
`source` is its text. Whether a figure is worth showing is judged in `readable`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakebook.analyst.methods import method_source
from lakebook.enhancement.enhanced import DrawnAxes, DrawnSeries
from lakebook.sandbox.base import Json


def source() -> str:
    """Return the code of `drawn_data` and what it calls, to run in a sandbox or stand in a notebook."""
    return method_source(["drawn_data"])


def drawn_name(function: str) -> str:
    """Return the name to which a component's cell binds its drawn data: component_x -> drawn_x."""
    return "drawn_" + function.removeprefix("component_")


def axes_from(value: Json) -> tuple[DrawnAxes, ...]:
    """Read what `drawn_data` returned; what is unexpected is left out, for the code is untrusted."""
    if not isinstance(value, list):
        return ()
    return tuple(_axes(item) for item in value if isinstance(item, dict))


def _axes(item: Mapping[str, Any]) -> DrawnAxes:
    listed = item.get("series")
    series = listed if isinstance(listed, list) else []
    categories = item.get("categories")
    return DrawnAxes(
        title=str(item.get("title", "")),
        xlabel=str(item.get("xlabel", "")),
        ylabel=str(item.get("ylabel", "")),
        x_is_date=bool(item.get("x_is_date")),
        series=tuple(_series(one) for one in series if isinstance(one, dict)),
        categories=categories if isinstance(categories, int) else 0,
    )


def _series(item: Mapping[str, Any]) -> DrawnSeries:
    return DrawnSeries(
        mark=item.get("mark", "line"),
        label=str(item.get("label", "")),
        labels=tuple(str(text) for text in item.get("labels") or ()),
        x=_numbers(item.get("x")),
        y=_numbers(item.get("y")),
        n=int(item["n"]) if isinstance(item.get("n"), int) else 0,
        width=_number(item.get("width")),
        rank_correlation=_number(item.get("rank_correlation")),
        rows=tuple(str(text) for text in item.get("rows") or ()),
        lying=bool(item.get("lying")),
    )


def _numbers(value: Any) -> tuple[float, ...]:
    items = value if isinstance(value, list) else []
    return tuple(float(one) if isinstance(one, int | float) else float("nan") for one in items)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None

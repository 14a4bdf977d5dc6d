"""The drawn data of a component's figures, read back from the sandbox.

The code that gathers it stands with the other embedded functions, in `lakebook.analyst.methods.drawn`;
`source` is its text. Whether a figure is worth showing is judged in `readable`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

from lakebook.analyst.methods import method_source
from lakebook.enhancement.enhanced import DrawnAxes, DrawnScale, DrawnSeries
from lakebook.sandbox.base import Json

_MARKS = frozenset(get_args(get_type_hints(DrawnSeries)["mark"]))
_KINDS = frozenset(get_args(get_type_hints(DrawnScale)["kind"]))


def source() -> str:
    """Return the code of `drawn_data` and what it calls, to run in a sandbox or stand in a notebook."""
    return method_source(["drawn_data"])


def interactive(code: str) -> tuple[str, ...]:
    """Return the libraries that code draws with and that show their figures in a browser."""
    found = set(re.findall(r"^\s*(?:import|from)\s+(plotly|altair)\b", code, re.MULTILINE))
    return tuple(sorted(found))


def readers(code: str) -> frozenset[str]:
    """Return the names of the methods that the cell of a component calls to read what it draws."""
    return frozenset({"drawn_data", *(("keep_shown", "with_shown") if interactive(code) else ())})


def call_and_read(code: str, function: str, call: str | None = None) -> str:
    """Return the lines that call a component's function and bind what it drew to its name.

    `call`: the lines of the call itself, where they are not just that; "" where it was called before.
    """
    name, call = drawn_name(function), f"{function}()" if call is None else call
    libraries = interactive(code)
    if not libraries:
        return f"{call}\n{name} = drawn_data()"
    keep = " + ".join(f"shown_{library}" for library in libraries)
    before = [f'shown_{library} = keep_shown("{library}")' for library in libraries]
    start = "\n\n\n" if call.startswith("\n") else ""
    return start + "\n".join([*before, call.lstrip("\n"), f"{name} = with_shown(drawn_data(), {keep})"])


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
    return DrawnAxes(
        title=str(item.get("title", "")),
        xlabel=str(item.get("xlabel", "")),
        ylabel=str(item.get("ylabel", "")),
        x_is_date=bool(item.get("x_is_date")),
        series=tuple(_series(one) for one in series if isinstance(one, dict) and one.get("mark") in _MARKS),
        categories=_whole(item.get("categories"), 0),
        x_scale=_scale(item.get("x_scale")),
        y_scale=_scale(item.get("y_scale")),
        figure=_whole(item.get("figure"), 0),
        library=str(item.get("library", "matplotlib")),
        projection=str(item.get("projection", "rectilinear")),
        twin=_whole(item.get("twin"), -1),
        legend=str(item.get("legend", "")),
        color_label=str(item.get("color_label", "")),
        size_label=str(item.get("size_label", "")),
        not_read=_texts(item.get("not_read")),
    )


def _series(item: Mapping[str, Any]) -> DrawnSeries:
    return DrawnSeries(
        mark=item["mark"],
        label=str(item.get("label", "")),
        labels=_texts(item.get("labels")),
        x=_numbers(item.get("x")),
        y=_numbers(item.get("y")),
        n=_whole(item.get("n"), 0),
        width=_number(item.get("width")),
        rank_correlation=_number(item.get("rank_correlation")),
        rows=_texts(item.get("rows")),
        lying=bool(item.get("lying")),
        shape=str(item.get("shape", "")),
        low=_numbers(item.get("low")),
        high=_numbers(item.get("high")),
        lower_quartile=_numbers(item.get("lower_quartile")),
        upper_quartile=_numbers(item.get("upper_quartile")),
        base=_numbers(item.get("base")),
        sizes=_numbers(item.get("sizes")),
        values=_numbers(item.get("values")),
        groups=_texts(item.get("groups")),
        texts=_texts(item.get("texts")),
        color=str(item.get("color", "")),
    )


def _scale(item: Any) -> DrawnScale:
    if not isinstance(item, dict):
        return DrawnScale()
    low, high = _number(item.get("low")), _number(item.get("high"))
    return DrawnScale(
        kind=item["kind"] if item.get("kind") in _KINDS else "other",
        low=math.nan if low is None else low,
        high=math.nan if high is None else high,
        inverted=bool(item.get("inverted")),
    )


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(text) for text in value) if isinstance(value, list) else ()


def _whole(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise


def _numbers(value: Any) -> tuple[float, ...]:
    items = value if isinstance(value, list) else []
    return tuple(float(one) if isinstance(one, int | float) else math.nan for one in items)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None

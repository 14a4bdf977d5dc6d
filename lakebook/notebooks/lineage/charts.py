"""Plot calls of matplotlib, seaborn, pandas and their kin: which chart they draw, and which columns it shows.

A chart shows what is passed to it: series and arrays whole, of a frame the columns that the arguments name,
or all that such a chart takes when none is named (a pair plot takes the numbers, a heat map everything).
What is chosen by `hue`, `by` and the like is added to it. `figures` has the figures that are put together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.shown import UNKNOWN_COLUMNS, UNKNOWN_VALUE, Shown, drawings_in
from lakebook.notebooks.lineage.values import (
    NO_BASES,
    Bases,
    ByColumn,
    Column,
    ColumnNames,
    Frame,
    Grid,
    Groups,
    Series,
    bases_of,
    texts,
    union,
)
from lakebook.notebooks.taxonomy import chart_types, names

_NOT_DATA = names("lineage", "not_data").exact
_ALL_COLUMNS = names("lineage", "takes_all_columns").exact
_ADDS_TO_WHOLE = frozenset({"hue", "by", "c", "color", "size", "style"})
_WHOLE_UNLESS_NAMED = names("lineage", "whole_unless_named").exact
_ROLES = names("columns", "roles").exact
_MAY_BE_COLOURS = frozenset({"c", "color", "s", "label", "labels", "text", "size"})
_OWN_AXES = frozenset(
    {"plot", "line", "bar", "barh", "area", "pie", "step", "lineplot", "heatmap", "clustermap"}
)
_DATA_OR_TEXTS = names("lineage", "data_or_texts").exact
_STYLE = re.compile(r"[bgrcmykwC0-9]*([.,ov^<>1-8spP*hH+xXDd|_]?)(-\.|--|-|:)?[bgrcmykw]?$")
_GRID_CALLS = names("lineage", "grids").exact
_BY_KIND = {
    "reg": "regplot",
    "resid": "residplot",
    "hist": "hist",
    "swarm": "swarmplot",
    "strip": "stripplot",
}
_DEFAULT_KIND = {"catplot": "strip", "factorplot": "point", "relplot": "scatter", "displot": "hist"}
_KINDLESS = frozenset({"jointplot", "pairplot", "lmplot", "histplot", "PairGrid", "JointGrid"})


def called_chart(name: str, call: Call) -> str:
    """Return the plot call whose chart a call draws: `catplot(kind="bar")` draws that of `bar`."""
    if name in ("plot", "iplot", "hvplot", "catplot", "factorplot", "relplot", "displot"):
        kind = call.get("kind", 0 if name == "hvplot" else -1)
        if isinstance(kind, str):
            return next(
                (one for one in (_BY_KIND.get(kind, kind), f"{kind}plot") if one in chart_types()), kind
            )
        if "kind" in call.keywords and kind is not None:
            return name
        name = _DEFAULT_KIND.get(name, "line" if name == "iplot" else name)
    if name == "distplot" and call.keywords.get("hist") is False:
        return "kdeplot"
    if name == "plot" and _only_marks(call):
        return "scatter"
    return name


def _only_marks(call: Call) -> bool:
    """Return True for points without a line between them: `plt.plot(x, y, "o")`."""
    given = [
        item
        for item in (*call.positional[1:], call.keywords.get("style"), call.keywords.get("fmt"))
        if isinstance(item, str)
    ]
    styles = [match for item in given if item and len(item) <= 5 and (match := _STYLE.match(item))]
    if styles:
        return all(match[1] and not match[2] for match in styles)
    line = call.keywords.get("linestyle", call.keywords.get("ls", "-"))
    width = call.keywords.get("linewidth", call.keywords.get("lw", 1))
    return ("marker" in call.keywords and line in ("", " ", "None", "none")) or (
        width == 0 and width is not False
    )


def show_chart(shown: Shown, name: str, receiver: object, call: Call, library: str) -> object:
    """Collect what one plot call shows; return a grid if it makes one.

    Args:
        shown: where it is collected.
        name: of the function or method.
        receiver: what it is a method of, if that holds columns.
        call: its arguments.
        library: the first part of the module that it comes from, "pandas" for a method of a frame.
    """
    drawn = called_chart(name, call)
    pictures = [one for item in call.values() for one in drawings_in(item)]
    if name in ("imshow", "figimage") and pictures:
        for one in pictures:
            shown.merge(one.shown)
        return None
    before = len(shown.columns)
    frame = _data_frame(receiver, call)
    shown.charts[chart_types().get(drawn, drawn)] = None
    named = _add_named(shown, drawn, receiver, frame, call, library)
    whole = frame is not None and (not named or _takes_the_rest(drawn, name, call, library))
    if frame is not None:
        shown.filters |= frame.filters
        if whole:
            _add_whole(shown, frame, drawn)
        if (
            frame.index
            and drawn in _OWN_AXES
            and "x" not in call.keywords
            and (whole or isinstance(receiver, Frame))
        ):
            _add_keys(shown, frame)
    if len(shown.columns) == before and any(item is None for item in _data_arguments(call)):
        shown.doubt(UNKNOWN_VALUE)
    if name not in _GRID_CALLS:
        return None
    layout = frozenset(shown.columns) if name == "FacetGrid" else NO_BASES
    return Grid(frame if frame is not None else Frame(), layout, is_empty=name == "FacetGrid")


def _data_arguments(call: Call) -> Iterator[object]:
    yield from call.positional[:2]
    yield from (item for key, item in call.keywords.items() if key in ("x", "y", "data", "height", "z"))


def _add_whole(shown: Shown, frame: Frame, drawn: str) -> None:
    columns = frame.columns if drawn in _ALL_COLUMNS or frame.tells_nulls else frame.numeric()
    shown.show(union((*columns.values(), *frame.expanded.values())))
    if frame.rows is not None:
        shown.show(union(frame.rows.values()))
    shown.doubt(frame.doubt or (UNKNOWN_COLUMNS if frame.open else ""))
    if (
        not frame.doubt
        and drawn not in _ALL_COLUMNS
        and any(
            one.kind == "unknown" and not frame.expanded and len(frame.columns) > 1 and _is_base(key, one)
            for key, one in columns.items()
        )
    ):
        shown.doubt(UNKNOWN_COLUMNS)


def _is_base(name: object, column: Column) -> bool:
    return column.bases == frozenset((name,))


def _add_named(
    shown: Shown, drawn: str, receiver: object, frame: Frame | None, call: Call, library: str
) -> bool:
    """Show what the arguments pass or name; return whether they named anything."""
    named = False
    if isinstance(receiver, (Series, Groups, ByColumn)):
        shown.add(receiver, with_index=drawn in _OWN_AXES)
        named = True
    alone = sum(1 for item in call.positional if bases_of(item)) == 1 and "x" not in call.keywords
    for role, item in _arguments(call, library):
        if item is frame:
            continue
        if isinstance(item, ColumnNames):
            named = _add_columns(shown, frame, role, tuple(item), library) or named
            shown.doubt(item.doubt)
        elif bases_of(item):
            shown.add(item, with_index=alone and drawn in _OWN_AXES and library != "seaborn")
            named = True
        elif frame is not None and (not role or role in _ROLES):
            named = _add_columns(shown, frame, role, _labels(item), library) or named
    return named


def _arguments(call: Call, library: str) -> Iterator[tuple[str, object]]:
    named = library == "matplotlib" and "data" in call.keywords  # `plt.bar("city", "pay", data=df)`
    for position, item in enumerate(call.positional):
        yield ("x", "y")[position] if named and position < 2 else "", item
    for key, item in call.keywords.items():
        if key not in _NOT_DATA or (key in _DATA_OR_TEXTS and bases_of(item)):
            yield key, item


def _labels(item: object) -> tuple[object, ...]:
    if isinstance(item, tuple) and item and all(isinstance(one, str) for one in item):
        return (item, *item)
    return texts(item)


def _add_columns(
    shown: Shown, frame: Frame | None, role: str, wanted: tuple[object, ...], library: str
) -> bool:
    if frame is None:
        return False
    found = False
    for label in wanted:
        if not isinstance(label, (str, tuple)):
            continue
        known = label in frame.columns or label in frame.index
        if not known and (isinstance(label, tuple) or not _may_name(frame, role, label, library)):
            continue
        column = frame.find(label)
        if column is None:
            continue
        shown.show(column.bases)
        if label in frame.index:
            shown.keys |= column.bases
        shown.doubt(column.doubt if known or frame.open else frame.doubt)
        found = True
    return found


def _may_name(frame: Frame, role: str, label: str, library: str) -> bool:
    """Return True if a text that is no known column of the frame names one all the same."""
    if not frame.open and not frame.expanded:
        return frame.find(label) is not None
    if library == "matplotlib":
        return role in ("x", "y")
    if not role and (label in chart_types() or (library == "pandas" and label in ("bar", "hist", "line"))):
        return False
    return library in ("plotly", "altair", "bokeh") or role not in _MAY_BE_COLOURS


def _add_keys(shown: Shown, frame: Frame) -> None:
    bases: Bases = union(frame.index.values())
    shown.show(bases)
    shown.keys |= bases


def _data_frame(receiver: object, call: Call) -> Frame | None:
    for key in ("data", "data_frame", "df", "source", "frame"):
        given = call.keywords.get(key)
        if isinstance(given, Frame):
            return given
    if isinstance(receiver, Frame):
        return receiver
    for item in call.positional:
        if isinstance(item, Frame):
            return item
    return None


def _takes_the_rest(drawn: str, name: str, call: Call, library: str) -> bool:
    """Return True for charts of all columns to which the named ones only add a colour or a grouping."""
    if library == "pandas" and name in ("plot", "line", "bar", "barh", "area"):
        chosen_x = "x" in call.keywords or (name != "plot" and len(call.positional) == 1)
        if chosen_x and drawn not in ("scatter", "hexbin"):
            return call.get("y", 1) is None
    if drawn not in _WHOLE_UNLESS_NAMED or any(
        isinstance(item, (str, Series)) for item in call.positional[1:]
    ):
        return drawn in ("parallel_coordinates", "andrews_curves", "radviz")
    if any(isinstance(item, (str, list, Series)) for item in call.positional):
        return drawn in ("parallel_coordinates", "andrews_curves", "radviz")
    chosen = {"vars", "x_vars", "y_vars", "x", "y", "column", "columns", "dimensions"}
    if any(texts(item) or bases_of(item) for key, item in call.keywords.items() if key in chosen):
        return False
    return all(key in _ADDS_TO_WHOLE or key not in _ROLES for key in call.keywords)


def show_grid_call(shown: Shown, grid: Grid, chart: str, call: Call) -> None:
    """Collect what mapping a plot function over a grid shows; a grid of pairs is one chart already."""
    if grid.is_empty:
        shown.chart(chart)
    shown.show(grid.layout)
    shown.filters |= grid.frame.filters
    for item in (
        *call.positional[1:],
        *(call.keywords.get(key) for key in ("x", "y", "hue", "size", "style")),
    ):
        for label in texts(item):
            column = grid.frame.find(label)
            if column is not None:
                shown.show(column.bases)


def show_beside(shown: Shown, call: Call) -> None:
    """Note texts, ticks and lines beside a chart that are made of columns."""
    for item in call.values():
        shown.labels |= bases_of(item)

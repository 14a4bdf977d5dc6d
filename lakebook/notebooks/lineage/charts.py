"""Plot calls: which chart they draw, and which columns it shows.

A chart shows what is passed to it: series and arrays whole, of a frame the columns that the arguments name,
or all that such a chart takes when none is named (a pair plot takes the numbers, a heat map everything).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lakebook.notebooks.lineage.frames import Call
from lakebook.notebooks.lineage.values import (
    Bases,
    ColumnNames,
    Frame,
    Groups,
    Series,
    bases_of,
    filters_of,
    keys_of,
    texts,
    union,
)
from lakebook.notebooks.taxonomy import chart_types, names

_NOT_DATA = names("lineage", "not_data").exact
_ALL_COLUMNS = names("lineage", "takes_all_columns").exact
_ADDS_TO_WHOLE = frozenset({"hue", "by", "c", "color", "size", "style"})
_WHOLE_UNLESS_NAMED = names("lineage", "whole_unless_named").exact
_ONLY_DECORATE = frozenset({"title", "text", "label", "color", "labels"})


@dataclass(slots=True)
class Shown:
    """What the charts of a target show, collected in order."""

    columns: dict[str, None] = field(default_factory=dict)
    filters: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    charts: dict[str, None] = field(default_factory=dict)
    blind: bool = False

    def add(self, value: object) -> None:
        """Show a value."""
        self.columns.update(dict.fromkeys(sorted(bases_of(value))))
        self.filters |= filters_of(value)
        self.keys |= keys_of(value)

    def chart(self, call_name: str, kind: object = None) -> None:
        """Note the chart that a call draws; `kind` is its `kind=` argument."""
        types = chart_types()
        if isinstance(kind, str):
            found = types.get(f"{kind}plot", types.get(kind, kind))
            found = {"reg": "scatter", "hist": "histogram", "box": "box"}.get(kind, found)
        else:
            found = types.get(call_name, "")
        if found:
            self.charts[found] = None


def show_chart(shown: Shown, name: str, receiver: object, call: Call) -> Frame | None:
    """Collect what one plot call shows; return the frame that it draws from."""
    frame = _data_frame(receiver, call)
    shown.chart(name, call.get("kind"))
    before = len(shown.columns)
    named = _add_named(shown, name, receiver, frame, call)
    if frame is not None:
        shown.filters |= frame.filters
        if not named or _takes_the_rest(name, call):
            columns = frame.columns if name in _ALL_COLUMNS else frame.numeric()
            spread = () if frame.spread is None else (frame.spread,)
            shown.columns.update(dict.fromkeys(sorted(union((*columns.values(), *spread)))))
            shown.blind = shown.blind or frame.open
        on_index = isinstance(receiver, Frame) and "x" not in call.keywords
        if frame.index and (on_index or not named):
            _add_keys(shown, frame)
    if len(shown.columns) == before and name in chart_types() and not _has_only_numbers(call):
        shown.blind = shown.blind or not shown.columns
    return frame


def _add_named(shown: Shown, name: str, receiver: object, frame: Frame | None, call: Call) -> bool:
    """Show what the arguments pass or name; return whether they named anything."""
    named = False
    roles = names("columns", "roles").exact
    if isinstance(receiver, (Series, Groups)):
        shown.add(receiver)
        named = True
    unnamed = "x" if isinstance(receiver, Frame) else ""
    arguments: list[tuple[str, object]] = [(unnamed, item) for item in call.positional]
    arguments += [(key, item) for key, item in call.keywords.items() if key not in _NOT_DATA]
    for role, item in arguments:
        if item is frame and not role:
            continue
        if bases_of(item):
            shown.add(item)
            named = True
        elif frame is not None and (not role or role in roles) and not isinstance(item, ColumnNames):
            named = _add_columns(shown, frame, role, texts(item)) or named
        elif frame is not None and isinstance(item, ColumnNames):
            named = _add_columns(shown, frame, role, tuple(item)) or named
    return named


def _add_columns(shown: Shown, frame: Frame, role: str, wanted: tuple[str, ...]) -> bool:
    found = False
    for text in wanted:
        for candidate in (text, text.partition(":")[0]):
            known = candidate in frame.columns or candidate in frame.index
            if known or (frame.open and role not in ("", *_ONLY_DECORATE)):
                shown.columns.update(dict.fromkeys(sorted(frame.column(candidate).bases)))
                if candidate in frame.index:
                    shown.keys |= frame.index[candidate].bases
                found = True
                break
    return found


def _add_keys(shown: Shown, frame: Frame) -> None:
    bases: Bases = union(frame.index.values())
    shown.columns.update(dict.fromkeys(sorted(bases)))
    shown.keys |= bases


def _data_frame(receiver: object, call: Call) -> Frame | None:
    for key in ("data", "data_frame", "df"):
        given = call.keywords.get(key)
        if isinstance(given, Frame):
            return given
    for item in call.positional:
        if isinstance(item, Frame):
            return item
    return receiver if isinstance(receiver, Frame) else None


def _takes_the_rest(name: str, call: Call) -> bool:
    """Return True for charts of all columns to which the named ones only add a colour or a grouping."""
    if name not in _WHOLE_UNLESS_NAMED or any(isinstance(item, (str, Series)) for item in call.positional):
        return False
    chosen = {"vars", "x_vars", "y_vars", "x", "y", "column", "columns"}
    if any(texts(item) for key, item in call.keywords.items() if key in chosen):
        return False
    roles = names("columns", "roles").exact
    return all(key in _ADDS_TO_WHOLE or key not in roles or key == "data" for key in call.keywords)


def _has_only_numbers(call: Call) -> bool:
    values = call.values()
    return bool(values) and all(isinstance(item, (int, float, str)) or item is None for item in values)

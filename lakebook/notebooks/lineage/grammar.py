"""Charts of altair and plotnine over column lineage: what they encode are names of columns of their table.

The names are looked up when the chart is displayed, since the table may be given, or changed, after them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.shown import Drawing, Shown, drawings_in
from lakebook.notebooks.lineage.values import Column, Frame, texts, union

_SHORTHAND = re.compile(r"^(?:\w+\()?([^()]*?)\)?(?::[QONTG])?$")
_DATUM = re.compile(r"datum\.(\w+)|datum\[['\"]([^'\"]+)['\"]\]")


@dataclass(frozen=True, slots=True)
class Encoding:
    """A channel of altair, `alt.X("price:Q")`, with the shorthands that it names fields by."""

    fields: tuple[str, ...] = ()


def made_altair(name: str, call: Call) -> object:
    """Return what a function of altair makes, NotImplemented if it is no part of a chart."""
    data = call.get("data", 0)
    if name == "Chart":
        if not call.positional and "data" not in call.keywords:
            return Drawing("altair")
        # of data that are not understood, or an address, the encodings name the columns
        return Drawing("altair", frame=data if isinstance(data, Frame) else Frame(open=True))
    if name in ("layer", "hconcat", "vconcat", "concat"):
        given = call.keywords.get("data")
        parts = list(drawings_in(list(call.positional)))
        return Drawing("altair", frame=given if isinstance(given, Frame) else None, parts=parts)
    if name == "repeat":
        return Encoding()
    in_formula = [text for item in call.positional if isinstance(item, Encoding) for text in item.fields]
    if in_formula and not name[:1].isupper() and name != "condition":
        return Encoding(tuple(in_formula))  # a function of `altair.expr`
    if name[:1].isupper() or name == "condition":
        given = [
            *call.positional,
            *(call.keywords[key] for key in ("field", "shorthand") if key in call.keywords),
        ]
        return Encoding(tuple(text for item in given for text in _shorthands(item)))
    return NotImplemented


def altair_method(drawing: Drawing, name: str, call: Call) -> Drawing:
    """Return the chart that a method of an altair chart makes."""
    result = replace(drawing, fields=list(drawing.fields), parts=list(drawing.parts))
    if name.startswith("mark_"):
        result.mark = name
    elif name in ("encode", "facet", "repeat"):
        result.fields += [text for item in call.values() for text in _shorthands(item)]
    elif name.startswith("transform_") and drawing.frame is not None:
        result.frame = _transformed(drawing.frame, name, call)
    return result


def _shorthands(value: object) -> Iterator[str]:
    if isinstance(value, Encoding):
        yield from value.fields
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _shorthands(item)
    elif isinstance(value, str):
        yield value


def _field(shorthand: str) -> str:
    match = _SHORTHAND.match(shorthand)
    return (match[1] if match else shorthand).replace("\\", "")


def _in_formula(text: str) -> list[str]:
    return [first or second for first, second in _DATUM.findall(text)]


def _transformed(frame: Frame, name: str, call: Call) -> Frame:
    made = frame.copy()
    if name == "transform_filter":
        fields = [field for item in call.values() for text in texts(item) for field in _in_formula(text)]
        fields += [field for item in call.values() if isinstance(item, Encoding) for field in item.fields]
        fields += [
            text for item in call.values() if isinstance(item, dict) for text in texts(item.get("field"))
        ]
        made.filters |= union(frame.column(field) for field in fields)
        return made
    if name == "transform_fold":
        folded = Column(union(frame.column(text) for text in texts(call.get("fold", 0))))
        made.columns.update(dict.fromkeys(texts(call.get("as_", 1)) or ("key", "value"), folded))
        return made
    if name == "transform_calculate" and call.positional:
        label, formula = call.get("as_", 0), call.get("calculate", 1)
        call = Call((), {str(label): formula})
    named: list[str] = []
    for output, item in call.keywords.items():
        fields = [field for text in _shorthands(item) for field in _in_formula(text) or [_field(text)]]
        named += fields
        if output not in ("groupby", "as_", "frame", "sort"):
            made.columns[output] = Column(union(frame.column(field) for field in fields if field))
    named += [_field(text) for item in call.positional for text in _shorthands(item)]
    for label in texts(call.get("as_")):
        sources = [text for text in named if text != label and (frame.open or text in frame.columns)]
        made.columns[label] = Column(union(frame.column(text) for text in sources))
    return made


# -- plotnine ----------------------------------------------------------------------------------------------


def made_layer(name: str, call: Call) -> Drawing:
    """Return a plot, a layer or a mapping of plotnine."""
    data = call.get("data", 0)
    layer = Drawing("plotnine", frame=data if isinstance(data, Frame) else None)
    for mapping in drawings_in(call.values()):
        layer.fields += mapping.fields
    if name == "aes":
        layer.fields += [text for item in call.values() for text in texts(item)]
    elif name.startswith("geom_"):
        layer.mark = name
    elif name.startswith("facet_"):
        layer.fields += [re.sub(r"^[~. ]+", "", text) for item in call.positional for text in texts(item)]
    return layer


def joined(left: Drawing, right: object) -> Drawing:
    """Return the chart that two make: `a + b`, `a | b` of altair, a plot with a layer of plotnine."""
    return replace(left, mark="", fields=[], parts=[left, *drawings_in(right)])


# -- what a chart shows ------------------------------------------------------------------------------------


def show_drawing(shown: Shown, value: object, frame: Frame | None = None) -> bool:
    """Display the charts in a value; return whether there were any.

    Args:
        shown: where what they show is collected.
        value: a chart, or what holds charts.
        frame: the table of the chart that they are parts of.
    """
    found = False
    for drawing in drawings_in(value):
        found = True
        shown.merge(drawing.shown)
        table = drawing.frame if drawing.frame is not None else frame
        table = table or next((part.frame for part in drawing.parts if part.frame is not None), None)
        if table is not None:
            for column in _encoded(drawing, table):
                shown.show(column.bases)
                shown.doubt(column.doubt)
            shown.filters |= table.filters
        shown.chart(drawing.mark)
        show_drawing(shown, drawing.parts, table)
    return found


def _encoded(drawing: Drawing, frame: Frame) -> Iterator[Column]:
    for text in drawing.fields:
        if drawing.family == "plotnine":
            words = re.findall(r"\((\w+)\)", text) if "(" in text else [text]
        else:
            words = [_field(text)]
        for word in words:
            column = frame.find(word.strip()) if word.strip() else None
            if column is not None:
                yield column

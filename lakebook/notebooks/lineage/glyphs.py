"""Figures of bokeh and maps of folium over column lineage: glyphs name columns of their source."""

from __future__ import annotations

import re

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.grammar import show_drawing
from lakebook.notebooks.lineage.reshape import built_frame
from lakebook.notebooks.lineage.shown import Drawing, drawings_in
from lakebook.notebooks.lineage.values import Frame, Series, texts, union
from lakebook.notebooks.taxonomy import chart_types, names

_POINTS = names("lineage", "glyphs_of_points").exact
_GLYPH_DATA = names("lineage", "glyph_data").exact
_NAMES_FIELD = names("lineage", "field_wrappers").exact
_COLOURS = names("lineage", "colours").exact
_HOVERED = re.compile(r"@(?:\{([^}]+)\}|(\w+))")


def made_glyphs(name: str, call: Call) -> object:
    """Return what a function of bokeh makes, NotImplemented if it is no part of a figure."""
    if name in ("figure", "HoverTool"):
        drawing = Drawing("bokeh")
        _hover(drawing, call.get("tooltips"))
        return drawing
    if name == "ColumnDataSource":
        data = call.get("data", 0)
        return data if isinstance(data, (Frame, Series)) else built_frame(data, Call())
    if name in ("row", "column", "gridplot", "layout", "Tabs", "Panel", "TabPanel"):
        drawing = Drawing("bokeh")
        for item in call.values():
            show_drawing(drawing.shown, item)
        return drawing
    return call.get("field_name", 0) if name in _NAMES_FIELD else NotImplemented


def glyph(drawing: Drawing, name: str, call: Call) -> Drawing:
    """Add what a method of a bokeh figure draws to it."""
    if name == "add_tools":
        for tool in drawings_in(list(call.positional)):
            drawing.fields.extend(tool.fields)
        return drawing
    chart = "scatter" if name in _POINTS else name
    if chart not in chart_types():
        return drawing
    source = call.keywords.get("source")
    if isinstance(source, Frame):
        drawing.frame = source
        named = [(text, "") for item in call.positional for text in texts(item)]
        named += [
            (text, key) for key, item in call.keywords.items() if key in _GLYPH_DATA for text in texts(item)
        ]
        for text, role in named:
            if text in source.columns or text in source.index or not _is_colour(text, role):
                drawing.shown.show(source.column(text).bases)
        drawing.shown.filters |= source.filters
    else:
        for key, item in [("", item) for item in call.positional] + list(call.keywords.items()):
            if key not in ("source", "legend_label", "width", "height"):
                drawing.shown.add(item)
    drawing.shown.chart(chart)
    return drawing


def store_tooltips(drawing: Drawing, value: object) -> None:
    """Note the columns that a tool shows on hovering, as `hover.tooltips = [...]` does."""
    _hover(drawing, value)


def _hover(drawing: Drawing, tooltips: object) -> None:
    for pair in tooltips if isinstance(tooltips, list) else []:
        for text in texts(pair):
            drawing.fields.extend(first or second for first, second in _HOVERED.findall(text))


def _is_colour(text: str, role: str) -> bool:
    return "color" in role and (text.startswith("#") or text.lower() in _COLOURS)


def made_map(call: Call) -> Drawing:
    """Return a map, or a part of one, with the columns that it is made of."""
    drawing = Drawing("folium")
    drawing.shown.chart("choropleth")
    frame = call.get("data")
    for key, item in [("", item) for item in call.positional] + list(call.keywords.items()):
        if isinstance(item, Frame) and key == "data":
            continue
        drawing.shown.add(item)
    if isinstance(frame, Frame):
        wanted = texts(call.get("columns"))
        drawing.shown.show(union(frame.column(text) for text in wanted) if wanted else frame.bases())
        drawing.shown.filters |= frame.filters
    elif isinstance(frame, Series):
        drawing.shown.add(frame, with_index=True)
    return drawing

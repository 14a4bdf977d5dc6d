"""Figures that are put together from parts: plotly's traces, altair's encodings, bokeh's glyphs, maps, words.

Each part is a `Drawing` that holds what it shows until it is displayed; a figure holds its parts.
"""

from __future__ import annotations

import re

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.charts import show_chart
from lakebook.notebooks.lineage.glyphs import glyph, made_glyphs, made_map
from lakebook.notebooks.lineage.grammar import altair_method, made_altair, made_layer, show_drawing
from lakebook.notebooks.lineage.shown import Drawing, Shown, drawings_in
from lakebook.notebooks.taxonomy import chart_types, names

_TRACES = names("lineage", "traces").exact
_FIGURES = names("lineage", "figures").exact
_MAP_PARTS = names("lineage", "map_parts").exact
_TRACE_TEXTS = frozenset({"marker", "name"})
_TRACE_DATA_NOT = frozenset(
    {"name", "marker", "line", "layout", "hoverinfo", "mode", "type", "textposition", "opacity"}
)
_SHORTHAND = re.compile(r"^(?:(\w+)\()?([^()]*?)\)?(?::[QONTG])?$")
_FIELD = re.compile(r"datum\.(\w+)|datum\[['\"]([^'\"]+)['\"]\]")
_POINTS = names("lineage", "glyphs_of_points").exact
_GLYPH_DATA = names("lineage", "glyph_data").exact


def made_figure(path: str, name: str, call: Call) -> object:
    """Return what a function of a figure library makes, NotImplemented if it is no figure."""
    family = path.partition(".")[0]
    if family in ("plotly", "chart_studio"):
        return _plotly(path, name, call)
    if family == "altair":
        return made_altair(name, call)
    if family == "bokeh":
        return made_glyphs(name, call)
    if family == "wordcloud" and name == "WordCloud":
        return Drawing("wordcloud")
    if family == "folium":
        return made_map(call)
    if family == "plotnine":
        return made_layer(name, call)
    return NotImplemented


def drawing_method(drawing: Drawing, name: str, call: Call) -> object:
    """Return what a method of a figure gives; methods that add to it change it."""
    family = drawing.family
    if family == "altair":
        return altair_method(drawing, name, call)
    if family == "wordcloud":
        if name in ("generate", "generate_from_frequencies", "generate_from_text", "fit_words"):
            drawing.shown.chart("generate")
            drawing.shown.add(call.get("", 0) if call.positional else list(call.keywords.values()))
        return drawing
    if family == "bokeh":
        return glyph(drawing, name, call)
    if family == "folium" and name in _MAP_PARTS:
        drawing.shown.merge(made_map(call).shown)
        return drawing
    if name in ("add_trace", "append_trace", "add_traces", "add_to", "add_child", "add_layer"):
        return _joined(drawing, name, call)
    if name.startswith("add_") and (kind := _trace_name(name[4:])):
        drawing.shown.merge(_trace(kind, call).shown)
    return drawing


def _joined(drawing: Drawing, name: str, call: Call) -> Drawing:
    for item in call.values():
        if name == "add_to":
            for whole in drawings_in(item):
                whole.shown.merge(drawing.shown)
        else:
            _show_parts(drawing.shown, item)
    return drawing


# -- plotly ------------------------------------------------------------------------------------------------


def _plotly(path: str, name: str, call: Call) -> object:
    if path.startswith("plotly.express") and name in chart_types():
        drawing = Drawing("plotly")
        show_chart(drawing.shown, name, None, call, "plotly")
        return drawing
    if name in _TRACES:
        return _trace(name, call)
    if name in _FIGURES:
        drawing = Drawing("plotly")
        for key, item in [("", item) for item in call.positional[:1]] + list(call.keywords.items()):
            if key in ("", "data", "fig", "figure_or_data"):
                _show_parts(drawing.shown, item)
        return drawing
    if path.startswith("plotly.figure_factory") and name in chart_types():
        drawing = Drawing("plotly")
        show_chart(drawing.shown, name, None, call, "plotly")
        return drawing
    if name in ("Data", "Layout") and call.positional:
        return call.positional[0]
    return NotImplemented


def _trace_name(text: str) -> str:
    return next((one for one in _TRACES if one.lower() == text.lower()), "")


def _trace(name: str, call: Call) -> Drawing:
    drawing = Drawing("plotly")
    drawing.shown.chart(_trace_chart(name, call.keywords.get("mode"), call.keywords.get("fill")))
    for key, item in [("", item) for item in call.positional] + list(call.keywords.items()):
        if isinstance(item, dict) and not key:
            _show_parts(drawing.shown, {"type": name, **item})
        elif key in _TRACE_TEXTS or key not in _TRACE_DATA_NOT:
            drawing.shown.add(item)
    return drawing


def _trace_chart(name: str, mode: object, fill: object) -> str:
    if name not in ("Scatter", "Scattergl"):
        return name
    if isinstance(fill, str) and fill != "none":
        return "area"
    # without a mode plotly draws lines
    return "line" if mode is None or (isinstance(mode, str) and "lines" in mode) else "scatter"


def show_figure(shown: Shown, value: object) -> bool:
    """Display a figure, also one that is put together from dictionaries; return whether it is one."""
    if show_drawing(shown, value) and not isinstance(value, dict):
        return True
    if isinstance(value, dict) and ("data" in value or isinstance(value.get("type"), str)):
        _show_parts(shown, value)
        return True
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        _show_parts(shown, value)
        return True
    return False


def _show_parts(shown: Shown, value: object) -> None:
    if isinstance(value, Drawing):
        shown.merge(value.shown)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _show_parts(shown, item)
    elif isinstance(value, dict):
        if "data" in value and not isinstance(value.get("type"), str):
            _show_parts(shown, value["data"])
            return
        kind = value.get("type", "scatter")
        name = _trace_name(kind) if isinstance(kind, str) else ""
        shown.chart(_trace_chart(name, value.get("mode"), value.get("fill")))
        for key, item in value.items():
            if key in _TRACE_TEXTS or key not in _TRACE_DATA_NOT:
                shown.add(item)
    else:
        shown.add(value)

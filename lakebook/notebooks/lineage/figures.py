"""Figures that are put together from parts: plotly's traces, altair's encodings, bokeh's glyphs, maps, words.

Each part is a `Drawing` that holds what it shows until it is displayed; a figure holds its parts.
"""

from __future__ import annotations

import re

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.charts import show_chart, show_drawing
from lakebook.notebooks.lineage.reshape import built_frame
from lakebook.notebooks.lineage.shown import Drawing, Shown, drawings_in
from lakebook.notebooks.lineage.values import (
    Column,
    Frame,
    Series,
    texts,
    union,
)
from lakebook.notebooks.taxonomy import chart_types, names

_TRACES = names("lineage", "traces").exact
_FIGURES = names("lineage", "figures").exact
_MAP_PARTS = names("lineage", "map_parts").exact
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
        return _altair(name, call)
    if family == "bokeh":
        return _bokeh(name, call)
    if family == "wordcloud" and name == "WordCloud":
        return Drawing("wordcloud")
    if family == "folium":
        return _map(name, call)
    if family == "plotnine":
        return _plotnine(name, call)
    return NotImplemented


def drawing_method(drawing: Drawing, name: str, call: Call) -> object:
    """Return what a method of a figure gives; methods that add to it change it."""
    family = drawing.family
    if family == "altair":
        return _altair_method(drawing, name, call)
    if family == "wordcloud":
        if name in ("generate", "generate_from_frequencies", "generate_from_text", "fit_words"):
            drawing.shown.chart("generate")
            drawing.shown.add(call.get("", 0) if call.positional else list(call.keywords.values()))
        return drawing
    if family == "bokeh":
        return _glyph(drawing, name, call)
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


def joined(left: Drawing, right: object) -> Drawing:
    """Return the figure that two make (`a + b`, `a | b` of altair; a plot with a layer of plotnine)."""
    result = left.copy()
    for other in drawings_in(right):
        result.shown.merge(other.shown)
        if left.family == "plotnine":
            result.encoded.update(other.encoded)
            _resolve_layers(result)
    return result


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
        elif key == "marker" or key not in _TRACE_DATA_NOT:
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
            if key == "marker" or key not in _TRACE_DATA_NOT:
                shown.add(item)
    else:
        shown.add(value)


# -- altair ------------------------------------------------------------------------------------------------


def _altair(name: str, call: Call) -> object:
    if name == "Chart":
        data = call.get("data", 0)
        # data that are not understood, or an address: the encodings name their columns
        return Drawing("altair", frame=data if isinstance(data, Frame) else Frame(open=True))
    if name in ("layer", "hconcat", "vconcat", "concat"):
        drawing = Drawing("altair")
        show_drawing(drawing.shown, list(call.positional))
        return drawing
    if name[:1].isupper() or name in ("condition", "datum"):
        given = [
            *call.positional,
            *(call.keywords[key] for key in ("field", "shorthand") if key in call.keywords),
        ]
        return {"field": [text for item in given for text in _fields(item)]}
    return NotImplemented


def _fields(value: object) -> list[str]:
    if isinstance(value, dict):
        field = value.get("field", [])
        return list(texts(field))
    return list(texts(value))


def _altair_method(drawing: Drawing, name: str, call: Call) -> object:
    result = drawing.copy()
    if name.startswith("mark_"):
        result.encoded["mark"] = name
    elif name in ("encode", "facet", "repeat"):
        for key, item in [("", item) for item in call.positional] + list(call.keywords.items()):
            for one in item if isinstance(item, list) else [item]:
                _encode(result, key, one)
    elif name.startswith("transform_"):
        _transform(result, name, call)
    mark = result.encoded.get("mark")
    if isinstance(mark, str) and "encodes" in result.encoded:
        result.shown.chart(mark)
    return result


def _encode(drawing: Drawing, key: str, item: object) -> None:
    drawing.encoded["encodes"] = True
    for text in _fields(item):
        match = _SHORTHAND.match(text)
        field = match[2] if match else text
        if drawing.frame is None or not field:
            continue
        field = field.replace("\\", "")
        column = drawing.frame.find(field)
        if column is not None:
            drawing.shown.show(column.bases)
            drawing.shown.filters |= drawing.frame.filters


def _transform(drawing: Drawing, name: str, call: Call) -> None:
    frame = drawing.frame
    if frame is None:
        return
    drawing.frame = made = frame.copy()
    named = [text for item in call.values() for text in texts(item)]
    if name == "transform_filter":
        named += [
            str(item.get(key))
            for item in call.values()
            if isinstance(item, dict)
            for key in ("field",)
            if key in item
        ]
        fields = [first or second for text in named for first, second in _FIELD.findall(text)]
        made.filters |= union(frame.column(field) for field in fields)
    elif name == "transform_fold":
        folded = union(frame.column(text) for text in texts(call.get("fold", 0)))
        for label in texts(call.get("as_")) or ("key", "value"):
            made.columns[label] = Column(folded)
    else:
        for output, item in call.keywords.items():
            for text in texts(item):
                fields = [first or second for first, second in _FIELD.findall(text)]
                match = _SHORTHAND.match(text)
                fields = fields or ([match[2]] if match and match[2] else [])
                if output not in ("groupby", "as_"):
                    made.columns[output] = Column(union(frame.column(field) for field in fields))
        for label in texts(call.get("as_")):
            made.columns[label] = Column(union(frame.column(text) for text in named if text in frame.columns))


# -- bokeh -------------------------------------------------------------------------------------------------


def _bokeh(name: str, call: Call) -> object:
    if name == "figure":
        return Drawing("bokeh")
    if name == "ColumnDataSource":
        data = call.get("data", 0)
        if isinstance(data, (Frame, Series)):
            return data
        return built_frame(data, Call())
    if name in ("row", "column", "gridplot", "layout", "Tabs", "Panel", "TabPanel"):
        drawing = Drawing("bokeh")
        for item in call.values():
            show_drawing(drawing.shown, item)
        return drawing
    if name in (
        "factor_cmap",
        "linear_cmap",
        "dodge",
        "jitter",
        "transform",
        "factor_mark",
        "log_cmap",
        "stack",
        "cumsum",
    ):
        return call.get("field_name", 0)
    return NotImplemented


def _glyph(drawing: Drawing, name: str, call: Call) -> object:
    chart = "scatter" if name in _POINTS else name
    if chart not in chart_types():
        return drawing
    source = call.keywords.get("source")
    keywords = {
        key: item
        for key, item in call.keywords.items()
        if key not in ("source", "legend_label", "width", "height")
    }
    if isinstance(source, Frame):
        named = [text for item in call.positional for text in texts(item)]
        named += [text for key, item in keywords.items() if key in _GLYPH_DATA for text in texts(item)]
        for text in named:
            known = text in source.columns or text in source.index
            if known or source.expanded or (source.open and not text.startswith("#") and "olor" not in text):
                drawing.shown.show(source.column(text).bases)
        drawing.shown.filters |= source.filters
    else:
        for item in (*call.positional, *keywords.values()):
            drawing.shown.add(item)
    drawing.shown.chart(chart)
    return drawing


# -- maps, plotnine ----------------------------------------------------------------------------------------


def _map(name: str, call: Call) -> object:
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


def _plotnine(name: str, call: Call) -> object:
    if name == "aes":
        return Drawing(
            "plotnine", encoded={"names": [text for item in call.values() for text in texts(item)]}
        )
    if name == "ggplot":
        frame = call.get("data", 0)
        drawing = Drawing("plotnine", frame=frame if isinstance(frame, Frame) else None)
        for other in drawings_in(list(call.values())):
            drawing.encoded.update(other.encoded)
        _resolve_layers(drawing)
        return drawing
    drawing = Drawing("plotnine")
    if name.startswith("geom_"):
        drawing.shown.chart(name)
    wanted = [text for item in call.positional for text in texts(item)]
    for other in drawings_in(list(call.values())):
        wanted += texts(other.encoded.get("names"))
    if wanted:
        drawing.encoded["names"] = [re.sub(r"^[~.]+", "", text) for text in wanted]
    return drawing


def _resolve_layers(drawing: Drawing) -> None:
    if drawing.frame is None:
        return
    for text in texts(drawing.encoded.get("names")):
        for word in re.findall(r"\w[\w ]*", text) if "(" not in text else re.findall(r"\((\w+)\)", text):
            column = drawing.frame.find(word.strip())
            if column is not None:
                drawing.shown.show(column.bases)
    drawing.shown.filters |= drawing.frame.filters
    drawing.encoded.pop("names", None)

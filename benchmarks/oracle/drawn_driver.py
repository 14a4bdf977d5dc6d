"""Runs inside the sandbox after `figure_driver.py`, and notes the drawn data itself instead of a digest.

So figures can be compared across versions of the libraries, with a tolerance: each axes becomes a dictionary
from a kind of mark to signatures of its numbers along x and y. A signature is
[count, least, quartiles, largest, mean]. What matplotlib and seaborn changed about how they draw the same
thing is not in it: artists without data (they stand for entries of a legend), order, colors, texts.
"""

# ruff: noqa: S102, BLE001, F821 (its first half is figure_driver.py)

import base64

_PLOTLY_DATA = ("x", "y", "z", "values", "lat", "lon", "r", "theta", "open", "close", "parents", "labels")
_SAME_TRACE = {"scattergl": "scatter", "scattermap": "scattermapbox", "densitymap": "densitymapbox"}
_LEAST_POINTS = 2
# The author's folders for pictures are not there, and nothing is wrong with a figure that cannot be saved.
mpl.figure.Figure.savefig = lambda *_, **__: None


def _signature(values):
    try:
        numbers = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan).ravel()
    except (TypeError, ValueError):
        texts = sorted({str(one) for one in np.asarray(values, dtype=object).ravel()})
        return [len(np.asarray(values, dtype=object).ravel()), len(texts), *texts[:2], *texts[-2:], ""]
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return []
    spread = [float(one) for one in np.percentile(numbers, [0, 25, 50, 75, 100])]
    return [len(numbers), *spread, float(numbers.mean())]


def _both(points):
    """Return the signatures of points along x and y; none if nothing of them can be seen."""
    points = np.asarray([one for one in points if len(one)], dtype=object)
    points = np.concatenate([np.ma.filled(np.ma.asarray(one, dtype=float), np.nan) for one in points])
    points = points[np.isfinite(points).all(axis=1)]
    return {"x": _signature(points[:, 0]), "y": _signature(points[:, 1])} if len(points) else {}


def _of_lines(axes):
    lines = [line for line in axes.lines if line.get_visible()]
    drawn = [
        np.column_stack([np.asarray(v, dtype=float) for v in line.get_data(orig=False)]) for line in lines
    ]
    drawn = [one[np.isfinite(one).all(axis=1)] for one in drawn]
    marked = any(line.get_marker() not in (None, "None", "", " ") for line in lines)
    long = [one for one in drawn if len(one) >= _LEAST_POINTS]
    found = {"line": _both(long)} if long else {}
    if marked and any(len(one) for one in drawn):
        found["marker"] = {}
    return found


def _of_patches(axes):
    bars, wedges, boxes, others = [], [], [], 0
    for patch in axes.patches:
        kind = type(patch).__name__
        if kind == "Rectangle":
            size = [float(patch.get_width()), float(patch.get_height())]
            if np.isfinite(size).all() and size[0] and size[1]:
                bars.append(size)
        elif kind == "Wedge":
            wedges.append([abs(patch.theta2 - patch.theta1), 0.0])
        elif kind == "PathPatch":
            boxes.append(patch.get_path().vertices)
        else:
            others += 1
    found = {"bar": bars, "pie": wedges}
    found = {name: _both([np.asarray(values)]) for name, values in found.items() if values}
    if boxes:
        found["box"] = _both(boxes)
    if others:
        found["shape"] = {}
    return found


def _of_collections(axes):
    points, areas, meshes, segments = [], [], [], []
    for one in axes.collections:
        kind = type(one).__name__
        if kind == "QuadMesh":
            meshes.append(np.ma.filled(np.ma.asarray(one.get_array(), dtype=float), np.nan).ravel())
        elif kind == "PathCollection" and len(one.get_offsets()):
            points.append(np.ma.filled(np.ma.asarray(one.get_offsets(), dtype=float), np.nan))
        elif kind in {"PolyCollection", "FillBetweenPolyCollection"} and one.get_array() is not None:
            meshes.append(np.ma.filled(np.ma.asarray(one.get_array(), dtype=float), np.nan).ravel())
        elif kind in {"PolyCollection", "FillBetweenPolyCollection"}:
            areas += [path.vertices for path in one.get_paths()]
        elif kind in {"LineCollection", "QuadContourSet"} and len(one.get_paths()):
            segments += [path.vertices for path in one.get_paths()]
        elif kind.startswith(("Path3D", "Poly3D", "Line3D")):
            points.append(
                np.column_stack([np.asarray(v, dtype=float) for v in one._offsets3d[:2]])
                if kind == "Path3DCollection"
                else np.zeros((1, 2))
            )
    found = {"point": _both(points) if points else {}, "area": _both(areas) if areas else {}}
    found["segment"] = _both(segments) if segments else {}
    if meshes:
        found["image"] = {"x": _signature(np.concatenate(meshes)), "y": []}
    return {name: value for name, value in found.items() if value}


def _axes_facts(axes):
    facts = {**_of_lines(axes), **_of_patches(axes), **_of_collections(axes)}
    if axes.images:
        arrays = [
            np.ma.filled(np.ma.asarray(one.get_array(), dtype=float), np.nan).ravel() for one in axes.images
        ]
        facts["image"] = {"x": _signature(np.concatenate(arrays)), "y": []}
    return facts


def _names_of(axes):
    ticks = [text.get_text() for axis in (axes.xaxis, axes.yaxis) for text in axis.get_ticklabels()]
    words = [text for text in ticks if any(letter.isalpha() for letter in text.replace("mathdefault", ""))]
    return {"labels": [axes.get_xlabel(), axes.get_ylabel()], "title": axes.get_title(), "ticks": len(words)}


def collect(*_, **__):
    """Note what the open figures draw, and close them, as the inline backend does at the end of a cell."""
    try:
        for number in plt.get_fignums():
            figure = plt.figure(number)
            if figure.axes and _drawing[0]:
                figure.canvas.draw()
                listed = [{"marks": _axes_facts(one), **_names_of(one)} for one in figure.axes]
                _shown.append(["matplotlib", json.dumps(listed), ""])
    except Exception as problem:
        _shown.append(["matplotlib", json.dumps([{"marks": {"unread": {}}, "why": repr(problem)[:200]}]), ""])
    finally:
        plt.close("all")


def _decoded(value):
    """Return an array of a plotly document, which may be packed."""
    if isinstance(value, dict) and "bdata" in value:
        return np.frombuffer(base64.b64decode(value["bdata"]), dtype=np.dtype(value["dtype"]))
    return value


def _show_plotly(figure, *_, **__):
    document = figure.to_plotly_json() if hasattr(figure, "to_plotly_json") else figure
    traces = document.get("data", []) if isinstance(document, dict) else list(document)
    marks = {}
    for trace in traces:
        trace = trace.to_plotly_json() if hasattr(trace, "to_plotly_json") else trace
        kind = _SAME_TRACE.get(trace.get("type", "scatter"), trace.get("type", "scatter"))
        if kind == "scatter":
            kind = "plotly points" if trace.get("mode") == "markers" else "plotly lines"
        group = marks.setdefault(kind, {})
        for name in _PLOTLY_DATA:
            values = _decoded(trace.get(name))
            if values is not None and np.size(np.asarray(values, dtype=object)):
                group.setdefault(name, []).extend(np.asarray(values, dtype=object).ravel().tolist())
    facts = {
        kind: {name: _signature(values) for name, values in group.items()} for kind, group in marks.items()
    }
    _shown.append(["plotly", json.dumps([{"marks": facts, "labels": [], "title": "", "ticks": 0}]), ""])


def show_code(code, call, names):
    """Return what a function that the code defines shows, and the error if there was one."""
    _hook()
    import plotly.basedatatypes as based

    based.BaseFigure._ipython_display_ = lambda self: _show_plotly(self)
    based.BaseFigure._repr_mimebundle_ = lambda self, *_, **__: _show_plotly(self) or {}
    error = ""
    try:
        exec(compile(code, "component", "exec"), names)
        exec(call, names)
        collect()
    except BaseException as problem:
        error = f"{type(problem).__name__}: {problem}"[:200]
    return {"figures": {"0": list(_shown)}, "error": error}

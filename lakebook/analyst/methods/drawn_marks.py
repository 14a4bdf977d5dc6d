"""Lines, points, grids, wedges and events of a matplotlib axes as plain numbers.

What belongs here: marks that stand at a place. What does not: marks that span from one place to another
(`drawn_spans`), axes and legends (`drawn`). Paper: NotebookRAG §4.2.4.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.contour import ContourSet
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Wedge

from lakebook.analyst.methods.drawn_panel import (
    Drawn,
    drawn_at,
    drawn_color,
    drawn_dates,
    drawn_days,
    drawn_number,
    drawn_series,
    drawn_text,
)


def drawn_xy(line: Line2D) -> np.ndarray:
    """Return the points of a line as two columns of numbers."""
    x, y = line.get_xdata(orig=False), line.get_ydata(orig=False)
    return np.column_stack([np.asarray(x, dtype=float), np.asarray(y, dtype=float)])


def drawn_own_lines(panel: Drawn) -> list[Line2D]:
    """Return the visible lines in data coordinates that have points and belong to no other mark."""
    axes = panel["axes"]
    return [
        line
        for line in axes.lines
        if line.get_visible()
        and id(line) not in panel["used"]
        and np.size(line.get_xdata())
        and line.get_transform() == axes.transData
    ]


def drawn_lines(panel: Drawn, short_too: bool) -> list[Drawn]:
    """Return the lines in data coordinates; beside longer ones, bars and boxes, short ones are error bars."""
    result = []
    axes, names = panel["axes"], panel["x_names"]
    stems = [c.markerline for c in axes.containers if type(c).__name__ == "StemContainer"]
    panel["used"].update(
        id(part)
        for c in axes.containers
        if type(c).__name__ == "StemContainer"
        for part in (c.stemlines, c.baseline)
    )
    errors = drawn_errors(panel)
    lines = [(line, drawn_xy(line)) for line in drawn_own_lines(panel)]
    spans = {id(line): span for span, line in errors}
    intervals = {
        id(line): drawn_interval(points[:, 0], points[:, 1], drawn_own_errors(line, errors))
        for line, points in lines
        if id(line) not in spans
    }
    joined = drawn_joined(errors, [(drawn_xy(line)[:, 0], intervals.get(id(line), {})) for line, _ in lines])
    longest = max((len(points) for line, points in lines if id(line) not in joined), default=0)
    least = 0 if short_too and longest <= 3 else 3
    for line, points in lines:
        interval = intervals.get(id(line), {})
        if id(line) in joined or (len(points) <= least and not interval):
            continue
        x, y = points[:, 0].tolist(), points[:, 1].tolist()
        bare = line.get_linestyle() in {"None", " ", ""}
        if bare and line.get_marker() in ("None", None, "", " "):
            continue
        labels = []
        if panel["date"]:
            x = drawn_days(axes, x)
            labels = drawn_dates(x)
        elif names:
            labels = [names.get(round(value, 6), "") for value in x]
            labels = labels if all(labels) else []
        more = interval or drawn_band(panel, points)
        shape = ("stem" if line in stems else "") if bare else drawn_line_shape(panel, line, points)
        mark = "point" if bare else "line"
        more = {**more, "shape": shape, "color": drawn_color(line)}
        result.append(drawn_series(mark, drawn_text(panel, line), x, y, labels, **more))
    return result


def drawn_line_shape(panel: Drawn, line: Line2D, points: np.ndarray) -> str:
    """Return `step`, `density` for a smooth curve over a histogram, `fit` for one through points, or ""."""
    axes = panel["axes"]
    if str(line.get_drawstyle()).startswith("steps"):
        return "step"
    steps = np.diff(points[:, 0])
    even = len(points) >= 50 and bool(np.allclose(steps, steps[0])) and not panel["date"]
    if not even:
        return ""
    counted = "ensity" in axes.get_ylabel() or any(len(c) for c in axes.containers if hasattr(c, "patches"))
    if counted and points[:, 1].min() >= 0:
        return "density"
    scatter = any(
        isinstance(c, PathCollection) and len(np.asarray(c.get_offsets())) > 2 for c in axes.collections
    )
    return "fit" if scatter and len(points) == 100 else ""


def drawn_errors(panel: Drawn) -> list[tuple[tuple[str, float, float, float], Any]]:
    """Return the error bars: ((axis they run along, place, low, high), artist)."""
    found: list[tuple[tuple[str, float, float, float], Any]] = []
    axes = panel["axes"]
    for container in axes.containers:
        if type(container).__name__ != "ErrorbarContainer":
            continue
        _, caps, spans = container.lines
        for span in spans:
            segments = [s for s in span.get_segments() if len(s) == 2 and np.isfinite(s).all()]
            found += [(drawn_span(segment), span) for segment in segments]
            panel["used"].add(id(span))
        panel["used"].update(id(cap) for cap in caps)
    for line in drawn_own_lines(panel):
        points = drawn_xy(line)
        whole = points[np.isfinite(points).all(axis=1)]
        bare = line.get_marker() in ("None", None, "", " ")
        # Two points, or with caps as seaborn draws them: three pieces with blanks between.
        if bare and str(line.get_label()).startswith("_") and (len(whole), len(points)) in ((2, 2), (6, 8)):
            middle = (whole.min(axis=0) + whole.max(axis=0)) / 2
            at_middle = [np.isclose(whole[:, side], middle[side]).sum() >= 2 for side in (0, 1)]
            if at_middle[0] != at_middle[1]:
                side = 0 if at_middle[0] else 1
                low, high = float(whole[:, 1 - side].min()), float(whole[:, 1 - side].max())
                found.append((("y" if side == 0 else "x", float(middle[side]), low, high), line))
    return found


def drawn_own_errors(line: Line2D, errors: list[Any]) -> list[tuple[str, float, float, float]]:
    """Return the error bars in the colour of a line, all of them if none has it."""
    color = drawn_color(line)
    own = [span for span, artist in errors if drawn_color(artist) == color]
    return own or [span for span, _ in errors]


def drawn_joined(errors: list[Any], placed: list[tuple[Any, Drawn]]) -> set[int]:
    """Return the ids of the error bars that belong to values: (places, their interval) each."""
    taken = {
        (round(float(spot), 6), float(low), float(high))
        for at, interval in placed
        if interval
        for spot, low, high in zip(at, interval["low"], interval["high"], strict=True)
        if low == low
    }
    return {id(artist) for (_, at, low, high), artist in errors if (round(at, 6), low, high) in taken}


def drawn_span(segment: Any) -> tuple[str, float, float, float]:
    """Return a straight segment as (axis it runs along, place, low, high)."""
    (x0, y0), (x1, y1) = segment
    if x0 == x1:
        return "y", float(x0), float(min(y0, y1)), float(max(y0, y1))
    return "x", float(y0), float(min(x0, x1)), float(max(x0, x1))


def drawn_interval(
    at: Any, values: Any, spans: list[tuple[str, float, float, float]], along: str = "y"
) -> Drawn:
    """Return the error bars of values at places as `low` and `high`; empty if there are none."""
    if not spans or len(values) > 2000:
        return {}
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    for place, (spot, value) in enumerate(zip(at, values, strict=True)):
        slack = 1e-9 + 1e-6 * abs(value) if value == value else 0
        for axis, middle, least, most in spans:
            near = axis == along and abs(middle - spot) < 1e-6 + 1e-9 * abs(spot)
            if near and least - slack <= value <= most + slack:
                low[place], high[place] = least, most
                break
    return {"low": low, "high": high} if np.isfinite(low).any() else {}


def drawn_band(panel: Drawn, points: np.ndarray) -> Drawn:
    """Return the filled band about a line as `low` and `high`; empty if there is none."""
    for artist in panel["axes"].collections:
        if type(artist).__name__ != "FillBetweenPolyCollection" or id(artist) in panel["used"]:
            continue
        curves = drawn_curves(artist)
        if curves is None or artist.t_direction != "x" or len(curves[0]) != len(points):
            continue
        at, low, high = curves
        slack = 1e-9 + 1e-9 * np.abs(points[:, 1])
        same = np.allclose(at, points[:, 0])
        if same and ((low <= points[:, 1] + slack) & (points[:, 1] <= high + slack)).all():
            if np.allclose(low, 0) or any(np.allclose(edge, points[:, 1]) for edge in (low, high)):
                continue  # an area down to its base, whose edge is drawn
            panel["used"].add(id(artist))
            return {"low": low, "high": high}
    return {}


def drawn_curves(artist: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return a filled area as (places, lower curve, upper curve); None if it has no such form."""
    paths = artist.get_paths()
    if len(paths) != 1:
        return None
    vertices = np.asarray(paths[0].vertices, dtype=float)
    size = (len(vertices) - 3) // 2
    if size < 2 or len(vertices) != 2 * size + 3:
        return None
    along, value = (0, 1) if artist.t_direction == "x" else (1, 0)
    one, other = vertices[1 : size + 1], vertices[size + 2 : 2 * size + 2][::-1]
    if not np.allclose(one[:, along], other[:, along]):
        return None
    return (
        one[:, along],
        np.minimum(one[:, value], other[:, value]),
        np.maximum(one[:, value], other[:, value]),
    )


def drawn_points(panel: Drawn) -> list[Drawn]:
    """Return scatters with the rank correlation of all their points, and what size and colour say."""
    result = []
    for artist in panel["axes"].collections:
        if (
            isinstance(artist, PathCollection)
            and artist.get_visible()
            and np.size(np.asarray(artist.get_offsets()))
        ):
            made = drawn_cloud(panel, artist)
            result += [made] if made["n"] else []
    return result


def drawn_cloud(panel: Drawn, artist: PathCollection) -> Drawn:
    """Return one scatter."""
    solid = getattr(artist, "_offsets3d", None)
    axes = solid if solid is not None else np.ma.asarray(artist.get_offsets(), dtype=float).T
    places: np.ndarray = np.column_stack(
        [np.ma.filled(np.ma.asarray(one, dtype=float), np.nan) for one in axes]
    )
    keep = np.isfinite(places).all(axis=1)
    x, y = places[keep, 0], places[keep, 1]
    rho, labels, shape = None, [], ""
    frame = pd.DataFrame({"x": x, "y": y})
    if len(frame) >= 10 and frame["x"].nunique() > 2 and frame["y"].nunique() > 2:
        rho = drawn_number(frame["x"].rank().corr(frame["y"].rank()))
    if panel["date"]:
        x = np.array(drawn_days(panel["axes"], x.tolist()))
        labels = drawn_dates(x.tolist())
    elif panel["x_names"] or panel["y_names"]:
        side = "x" if panel["x_names"] else "y"
        labels = drawn_at(panel[f"{side}_names"], (x if side == "x" else y).tolist())
        shape = "strip" if labels else ""
    more: Drawn = {"rank_correlation": rho, "shape": shape}
    if solid is not None:
        more["values"] = places[keep, 2]
    sizes, values, colors = artist.get_sizes(), artist.get_array(), np.asarray(artist.get_facecolor())
    if len(sizes) == len(keep) and np.ptp(sizes) > 0:
        more["sizes"] = np.asarray(sizes, dtype=float)[keep]
    if values is not None and np.size(values) == len(keep):
        more["values"] = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)[keep]
    elif len(colors) == len(keep) and panel["legend"]:
        shades, which = np.unique(np.round(colors[:, :3], 3), axis=0, return_inverse=True)
        known = [panel["legend"].get(to_hex(shade), "") for shade in shades] if len(shades) <= 50 else [""]
        if all(known):
            more["groups"] = [known[at] for at in which[keep].ravel()]
    more["color"] = drawn_color(artist)
    return drawn_series("point", drawn_text(panel, artist), x, y, labels, **more)


def drawn_grids(panel: Drawn) -> list[Drawn]:
    """Return heat maps and images, hexagons, and the levels of contours."""
    axes = panel["axes"]
    result = []
    for artist in [*axes.collections, *axes.images]:
        if not artist.get_visible():
            continue
        values = artist.get_array()
        if isinstance(artist, QuadMesh | AxesImage) and values is not None:
            result += drawn_cells(panel, artist, values)
        elif isinstance(artist, ContourSet):
            levels = np.asarray(artist.levels, dtype=float)
            result.append(drawn_series("contour", drawn_text(panel, artist), [], levels))
        elif (
            isinstance(artist, PolyCollection)
            and values is not None
            and len(np.asarray(artist.get_offsets())) > 1
        ):
            spots = np.asarray(artist.get_offsets(), dtype=float)
            counts: np.ndarray = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)
            result.append(drawn_series("hexagon", "", spots[:, 0], spots[:, 1], values=counts))
            panel["used"].add(id(artist))
    return result


def drawn_cells(panel: Drawn, artist: Any, values: Any) -> list[Drawn]:
    """Return a heat map or an image, row by row, with the names of its columns and rows, and its texts."""
    grid: np.ndarray = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)
    if isinstance(artist, AxesImage) and grid.ndim == 3:
        return []  # a picture: its colours are no values
    columns, rows = list(panel["x_names"].values()), list(panel["y_names"].values())
    if isinstance(artist, QuadMesh):
        corners = np.asarray(artist.get_coordinates())
        shape = (corners.shape[0] - 1, corners.shape[1] - 1)
        grid = grid.reshape(shape) if grid.size == shape[0] * shape[1] else np.atleast_2d(grid)
        middles = (corners[:-1, :-1] + corners[1:, 1:]) / 2
        columns = columns or ([f"{x:.6g}" for x in middles[0, :, 0]] if shape[1] <= 200 else [])
        rows = rows or ([f"{y:.6g}" for y in middles[:, 0, 1]] if shape[0] <= 200 else [])
    written = {
        (round(text.get_position()[0] - 0.01), round(text.get_position()[1] - 0.01)): text.get_text()
        for text in panel["axes"].texts
        if text.get_transform() == panel["axes"].transData
    }
    height, width = grid.shape[:2]
    texts = [written.get((x, y), "") for y in range(height) for x in range(width)] if written else []
    flat = grid.ravel()[:10000]
    more = {"rows": rows, "shape_of": list(grid.shape), "texts": texts if any(texts) else []}
    return [drawn_series("image", "", [], flat, columns, **more)]


def drawn_wedges(panel: Drawn) -> list[Drawn]:
    """Return the shares of a pie, one series a ring."""
    rings: dict[float, list[Wedge]] = {}
    for patch in panel["axes"].patches:
        if isinstance(patch, Wedge):
            rings.setdefault(round(float(patch.r), 6), []).append(patch)
    result = []
    written = [text.get_text() for text in panel["axes"].texts]
    for wedges in rings.values():
        shares = [(wedge.theta2 - wedge.theta1) / 360 for wedge in wedges]
        labels = [drawn_text(panel, wedge) for wedge in wedges]
        labels = labels if all(labels) else []
        percents = [text for text in written if "%" in text]
        texts = percents if len(percents) == len(wedges) else []
        result.append(drawn_series("wedge", "", range(len(shares)), shares, labels, texts=texts))
    return result


def drawn_events(panel: Drawn) -> list[Drawn]:
    """Return loose upright or lying segments (vlines, hlines, event plots), from base to value."""
    result = []
    axes = panel["axes"]
    for artist in axes.collections:
        if not isinstance(artist, LineCollection) or isinstance(artist, ContourSet):
            continue
        if id(artist) in panel["used"] or artist.get_transform() != axes.transData:
            continue
        segments = [np.asarray(s) for s in artist.get_segments() if len(s) == 2]
        if len(segments) != len(artist.get_segments()) or len(segments) < 2:
            continue
        flat = np.array(segments)
        for lying, (along, across) in ((False, (0, 1)), (True, (1, 0))):
            if np.allclose(flat[:, 0, along], flat[:, 1, along]):
                places, ends = flat[:, 0, along], flat[:, 1, across]
                names = drawn_at(panel["y_names" if lying else "x_names"], places.tolist())
                more = {"base": flat[:, 0, across], "lying": lying, "color": drawn_color(artist)}
                result.append(drawn_series("event", drawn_text(panel, artist), places, ends, names, **more))
                break
    return result


def drawn_unread(panel: Drawn) -> list[str]:
    """Return what stands in an axes and was not read, with the reason."""
    axes = panel["axes"]
    found = []
    if any(
        isinstance(image, AxesImage) and np.ndim(np.asarray(image.get_array())) == 3 for image in axes.images
    ):
        found.append("a picture: its colours are no values")
    for artist in axes.collections:
        kind = type(artist).__name__
        if kind in ("Poly3DCollection", "Line3DCollection", "Quiver", "Barbs", "TriMesh"):
            found.append(f"{kind}: surfaces, arrows and nets are not read")
    trees = [c for c in axes.collections if isinstance(c, LineCollection)]
    if trees and not axes.lines and any(len(s) == 4 for c in trees for s in c.get_segments()):
        found.append("a tree: its branches are no values")
    return list(dict.fromkeys(found))

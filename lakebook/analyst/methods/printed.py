"""A printed form for figures that only a browser can draw: the same marks, in the house style.

What belongs here: drawing what the readers of specifications return. What does not: reading them
(`plotly_drawn`, `vega_drawn`). The picture is made outside of pyplot, so it is no figure of
the component.
Paper: NotebookRAG §4.2.4.
"""

import io

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure

from lakebook.analyst.methods.drawn_panel import Drawn
from lakebook.analyst.methods.figure_style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    short_label,
    wrap_title,
)

PRINTED_COLORS = (BLUE, ORANGE, GREEN, PURPLE, "#56B4E9", "#E69F00", "#CC79A7", GREY)
PRINTED_MOST = 12


def printed_png(panels: list[Drawn]) -> bytes:
    """Return a PNG of a figure of another library, drawn from its data and marked as its printed form."""
    shown = [panel for panel in panels if panel["series"]][:PRINTED_MOST]
    columns = 1 if len(shown) <= 1 else 2 if len(shown) <= 4 else 3
    rows = max(1, -(-len(shown) // columns))
    crowd = max((len(s["labels"]) for p in shown for s in p["series"] if s["mark"] == "barh"), default=0)
    height = 3.8 if rows == 1 else min(10.0, 2.6 * rows)
    figure = Figure(
        figsize=(7.2, float(np.clip(1.5 + 0.22 * crowd, height, 9.0))), dpi=100, layout="constrained"
    )
    FigureCanvasAgg(figure)
    titles = list(dict.fromkeys(panel["title"] for panel in shown))
    if len(titles) == 1 and titles[0]:
        wrap_title(figure, titles[0])
    place: dict[int, Axes] = {}
    for at, panel in enumerate(shown):
        over = place.get(panels.index(panel) if panel.get("twin", -1) < 0 else panel["twin"])
        ax = over.twinx() if over is not None else figure.add_subplot(rows, columns, at + 1)
        place[panels.index(panel)] = ax
        printed_panel(ax, panel)
        if len(titles) > 1:
            ax.set_title(short_label(panel["title"], 60 // columns + 8), fontsize=9, color=INK)
    library = panels[0]["library"] if panels else "the browser"
    left = f" ({len(panels) - len(shown)} panels left out)" if len(panels) > len(shown) else ""
    figure.supxlabel(
        f"Printed form of an interactive figure of {library}{left}",
        fontsize=7,
        color=GREY,
        x=0.99,
        ha="right",
    )
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def printed_panel(ax: Axes, panel: Drawn) -> None:
    """Draw one panel: its marks, scales, labels, and a legend where several series have names."""
    names = [series["label"] for series in panel["series"] if series["label"]]
    groups = [series for series in panel["series"] if series["mark"] in ("bar", "barh", "box", "violin")]
    beside = [series for series in groups if not series.get("base") and series.get("shape") != "histogram"]
    several = len(beside) > 1 and not any(series.get("base") for series in groups)
    for at, series in enumerate(panel["series"]):
        color = series.get("color") or PRINTED_COLORS[at % len(PRINTED_COLORS)]
        share = (beside.index(series), len(beside)) if several and series in beside else (0, 1)
        printed_marks(ax, panel, series, color, share)
    ax.set_xlabel(short_label(panel["xlabel"], 60), color=INK)
    ax.set_ylabel(short_label(panel["ylabel"], 40), color=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8, colors=INK)
    if panel["series"][0]["mark"] not in ("wedge", "image"):
        printed_scale(ax, panel, "x")
        printed_scale(ax, panel, "y")
    if 1 < len(set(names)) <= 12:
        found = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
        ax.legend(
            found.values(),
            found.keys(),
            fontsize=7,
            title=short_label(panel["legend"], 24) or None,
            frameon=False,
        )


def printed_marks(ax: Axes, panel: Drawn, series: Drawn, color: str, share: tuple[int, int]) -> None:
    """Draw one series."""
    mark, label = series["mark"], short_label(series["label"], 24) or None
    x, y = (np.array([np.nan if v is None else v for v in series[k]], dtype=float) for k in ("x", "y"))
    base = np.array([0.0 if v is None else v for v in series.get("base") or [0.0] * len(y)], dtype=float)
    if mark in ("bar", "barh"):
        step = series.get("width") or 0.8 * (np.diff(np.unique(x)).min() if len(np.unique(x)) > 1 else 1.0)
        width, place = step / share[1], x + step * ((share[0] + 0.5) / share[1] - 0.5)
        if mark == "bar":
            ax.bar(place, y, width, bottom=base, color=color, label=label, edgecolor="white", linewidth=0.4)
        else:
            ax.barh(place, y, width, left=base, color=color, label=label, edgecolor="white", linewidth=0.4)
    elif mark == "line":
        ax.plot(
            x,
            y,
            color=color,
            label=label,
            linewidth=1.6,
            drawstyle="steps-post" if series.get("shape") == "step" else "default",
        )
        printed_interval(ax, series, x, color)
    elif mark == "area":
        ax.fill_between(x, base, y, color=color, alpha=0.6, label=label, linewidth=0)
    elif mark == "image":
        printed_cells(ax, series, y, panel["y_scale"]["inverted"])
    elif mark == "wedge":
        order = np.arange(len(y))
        names = series["labels"] or [str(at + 1) for at in order]
        bars = ax.barh(order, 100 * y, color=color)
        ax.bar_label(bars, [f"{100 * value:.1f}%" for value in y], padding=3, fontsize=8, color=INK)
        ax.set_yticks(order, [short_label(name) for name in names])
        ax.invert_yaxis()
        ax.margins(x=0.15)
        panel["xlabel"] = panel["xlabel"] or "Share in percent"
    elif series.get("shape") == "region":
        order = np.argsort(-np.nan_to_num(y), kind="stable")[:15]
        ax.barh(range(len(order)), y[order], color=color)
        ax.set_yticks(range(len(order)), [short_label(series["labels"][at]) for at in order])
        ax.invert_yaxis()
        panel["ylabel"] = f"The {len(order)} largest of {len(y)} regions"
        panel["xlabel"] = panel["xlabel"] or panel["color_label"]
    elif mark in ("box", "violin"):
        printed_boxes(
            ax, series, x + 0.8 * ((share[0] + 0.5) / share[1] - 0.5), y, color, label, 0.6 / share[1]
        )
    else:
        values = series.get("values")
        tints = np.array([np.nan if v is None else v for v in values], dtype=float) if values else None
        size = 9 if len(x) > 500 else 16
        alpha = 0.35 if len(x) > 1000 else 0.75
        if tints is not None and len(tints) == len(x) and panel["projection"] != "3d":
            dots = ax.scatter(x, y, s=size, c=tints, cmap="viridis", alpha=alpha, label=label, linewidths=0)
            ax.figure.colorbar(dots, ax=ax, label=short_label(panel["color_label"], 30))
        else:
            ax.scatter(x, y, s=size, color=color, alpha=alpha, label=label, linewidths=0)


def printed_interval(ax: Axes, series: Drawn, x: np.ndarray, color: str) -> None:
    """Shade the interval about a line."""
    if series.get("low") and len(series["low"]) == len(x):
        low, high = (
            np.array([np.nan if v is None else v for v in series[k]], dtype=float) for k in ("low", "high")
        )
        ax.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)


def printed_boxes(
    ax: Axes, series: Drawn, x: np.ndarray, y: np.ndarray, color: str, label: str | None, width: float
) -> None:
    """Draw boxes from their numbers."""
    names = {"q1": "lower_quartile", "q3": "upper_quartile", "whislo": "low", "whishi": "high"}
    columns = {"med": y.tolist(), **{key: series.get(name, []) for key, name in names.items()}}
    stats = [
        {
            key: float("nan") if not column or column[at] is None else column[at]
            for key, column in columns.items()
        }
        for at in range(len(y))
    ]
    style = {"facecolor": color, "alpha": 0.6}
    drawn = ax.bxp(
        stats,
        positions=x.tolist(),
        widths=width,
        showfliers=False,
        manage_ticks=False,
        patch_artist=True,
        boxprops=style,
        orientation="horizontal" if series.get("lying") else "vertical",
    )
    if drawn["boxes"]:
        drawn["boxes"][0].set_label(label)


def printed_cells(ax: Axes, series: Drawn, y: np.ndarray, upside: bool) -> None:
    """Draw a grid of cells with its names, and what is written in them."""
    columns, rows = series["labels"], series.get("rows") or []
    width = len(columns) or (len(y) // len(rows) if rows else int(np.sqrt(len(y))) or 1)
    grid = y[: len(y) // width * width].reshape(-1, width)
    cells = ax.imshow(grid, aspect="auto", cmap="viridis", origin="upper" if upside else "lower")
    ax.figure.colorbar(cells, ax=ax)
    for axis, names in ((ax.xaxis, columns), (ax.yaxis, rows)):
        step = max(1, -(-len(names) // 12))
        axis.set_ticks(range(0, len(names), step), [short_label(name, 14) for name in names[::step]])
    ax.tick_params(axis="x", rotation=45 if max(map(len, columns), default=0) > 4 else 0)
    texts = series.get("texts") or []
    if len(texts) == grid.size <= 200:
        for at, text in enumerate(texts):
            value = grid.flat[at]
            light = bool(np.isfinite(value)) and float(np.asarray(cells.norm(value))) < 0.6
            ax.text(
                at % width,
                at // width,
                short_label(text, 8),
                ha="center",
                va="center",
                fontsize=7,
                color="white" if light else INK,
            )


def printed_scale(ax: Axes, panel: Drawn, which: str) -> None:
    """Set the scale of one axis: dates, categories by name, logarithms, limits, direction."""
    scale = panel[f"{which}_scale"]
    axis = ax.xaxis if which == "x" else ax.yaxis
    if scale["kind"] == "date":
        ax.xaxis_date() if which == "x" else ax.yaxis_date()
        locator = AutoDateLocator(minticks=3, maxticks=8)  # type: ignore[no-untyped-call]
        axis.set_major_locator(locator)
        axis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    elif scale["kind"] == "log":
        ax.set_xscale("log") if which == "x" else ax.set_yscale("log")
    elif scale["kind"] == "category":
        named: dict[float, str] = {}
        for series in panel["series"]:
            upright = series["mark"] != "barh" and not series.get("lying")
            if upright == (which == "x") or series["mark"] == "point":
                named.update(
                    zip(series["x" if series["mark"] != "point" else which], series["labels"], strict=False)
                )
        places = sorted(named)
        step = max(1, -(-len(places) // (14 if which == "x" else 30)))
        axis.set_ticks(places[::step], [short_label(named[at], 18) for at in places[::step]])
        if (
            which == "x"
            and max((len(named[at]) for at in places[::step]), default=0) * len(places[::step]) > 60
        ):
            for text in ax.get_xticklabels():
                text.set(rotation=45, ha="right", rotation_mode="anchor")
    if scale["inverted"] and not axis.get_inverted():
        axis.set_inverted(True)

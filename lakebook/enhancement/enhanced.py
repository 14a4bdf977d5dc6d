"""The nouns of enhancement: repairs, drawn figures, enhanced components (NotebookRAG §4.2.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from lakebook.analyst.figure_lint.finding import FigureFinding


@dataclass(frozen=True, slots=True)
class Repair:
    """One edit that made an old component run: what kind, and the line before and after.

    `changes_meaning` marks a repair after which the component no longer asks quite the same question;
    `evidence` says in words what of the new data called for it.
    """

    kind: str
    before: str
    after: str
    changes_meaning: bool = False
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class DrawnScale:
    """One axis as drawn: how positions become places, and from where to where.

    Attributes:
        kind: `date` counts days since 1970-01-01, `category` counts the categories from 0.
        low, high: the limits in data coordinates, low first; NaN where they are not known.
        inverted: True if larger values stand farther left, or lower.
    """

    kind: Literal["linear", "log", "date", "category", "other"] = "linear"
    low: float = math.nan
    high: float = math.nan
    inverted: bool = False


@dataclass(frozen=True, slots=True)
class DrawnSeries:
    """What one artist group shows: a line, the bars of a container, points, wedges, an image.

    Every tuple beside `x` and `y` is empty, or as long as `y`.

    Attributes:
        labels: category labels where the axis has them, else empty.
            On an axis of dates, the dates as ISO text.
        x, y: drawn coordinates as numbers (matplotlib dates are days since 1970-01-01), NaN where missing.
            An image has its cells in `y`, row by row, column names in `labels`, row names in `rows`.
            Boxes and violins have their medians in `y` (violins whose median is not drawn: where they are
            widest, `shape` is `mode`), contours their levels, events and areas their ends.
        n: number of points drawn; `x` and `y` hold every n-th of a very long series only.
        width: of the first bar. rank_correlation: of all points of a scatter.
        lying: True for boxes whose values run along the x axis.
        shape: what kind of mark it is, where the mark alone does not tell: `histogram`, `step`, `stem`,
            `density` (a kernel estimate), `fit` (a regression line), `band` (an area between two curves),
            `strip` (points in categories), `letter values`, `mode`, "" otherwise.
        low, high: the interval about each value: error bars, the band of a line, the whiskers of a box.
        lower_quartile, upper_quartile: of each box.
        base: where each bar or area starts, empty if all start at zero.
        sizes, values: what size and colour of each point, or the colour of each hexagon, say in numbers.
        groups: the category that the colour of each point says.
        texts: what is written on each bar, cell or wedge.
        color: its colour as #rrggbb, "" if it has several.
    """

    mark: Literal[
        "line",
        "bar",
        "barh",
        "point",
        "area",
        "image",
        "wedge",
        "box",
        "violin",
        "hexagon",
        "contour",
        "event",
    ]
    label: str
    labels: tuple[str, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    n: int = 0
    width: float | None = None
    rank_correlation: float | None = None
    rows: tuple[str, ...] = ()
    lying: bool = False
    shape: str = ""
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    lower_quartile: tuple[float, ...] = ()
    upper_quartile: tuple[float, ...] = ()
    base: tuple[float, ...] = ()
    sizes: tuple[float, ...] = ()
    values: tuple[float, ...] = ()
    groups: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    color: str = ""


@dataclass(frozen=True, slots=True)
class DrawnAxes:
    """One axes of a figure as drawn.

    Attributes:
        categories: how many categories the crowded one of its axes names.
        x_scale, y_scale: its two axes (of a polar one: angle and radius).
        figure: which figure of the component it belongs to, from 0.
        library: what drew it: matplotlib, plotly, altair.
        projection: rectilinear, polar, 3d, map.
        twin: the place in `EnhancedComponent.drawn` of the axes that it shares its panel with, -1 if none.
        legend: the title of its legend. color_label, size_label: what colour and size stand for.
        not_read: what stands in it that could not be read, each with the reason.
    """

    title: str
    xlabel: str
    ylabel: str
    x_is_date: bool
    series: tuple[DrawnSeries, ...]
    categories: int = 0
    x_scale: DrawnScale = DrawnScale()
    y_scale: DrawnScale = DrawnScale()
    figure: int = 0
    library: str = "matplotlib"
    projection: str = "rectilinear"
    twin: int = -1
    legend: str = ""
    color_label: str = ""
    size_label: str = ""
    not_read: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table of the lake that a component reads beside the one under analysis.

    Attributes:
        source: as `Table.source`. `files`: path of each file that it is read from.
        sha256: of the table's file, or of what a group was made from.
        columns: those that the component names, by their names in the table.
        instead_of: the file that the old code read.
    """

    source: str
    files: tuple[str, ...]
    sha256: str
    rows: int
    rows_in_file: int
    columns: tuple[str, ...] = ()
    instead_of: str = ""


@dataclass(frozen=True, slots=True)
class EnhancedComponent:
    """A retrieved component after it was run on the new data.

    Attributes:
        status: `ok` (ran and drew something worth showing), `failed`, or `dropped` (ran, but the figure
            is empty or unreadable; `error` says which).
        code: plain Python that a reader can run after the notebook's set-up cell. It reads only from
            `DATA_DIR`, is wrapped in one function so that no name leaks, and returns nothing.
        function: the name of that function.
        repairs: every edit, in order.
        figures: PNG bytes are not kept here; the number of figures that the run drew.
        drawn: the drawn data of every axes, in the order of the figures.
        findings: what a reader would object to in the figures, the mended ones too.
        tables: tables that it reads beside the one under analysis.
    """

    component: str
    query: str
    status: Literal["ok", "failed", "dropped"]
    error: str = ""
    code: str = ""
    function: str = ""
    repairs: tuple[Repair, ...] = ()
    figures: int = 0
    drawn: tuple[DrawnAxes, ...] = ()
    columns: tuple[str, ...] = field(default=())
    findings: tuple[FigureFinding, ...] = ()
    tables: tuple[ReadTable, ...] = ()

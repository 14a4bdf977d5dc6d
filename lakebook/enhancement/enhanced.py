"""The nouns of enhancement: repairs, drawn figures, enhanced components (NotebookRAG §4.2.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Repair:
    """One edit that made an old component run: what kind, and the line before and after.

    `changes_meaning` marks a repair after which the component no longer asks quite the same question.
    """

    kind: str
    before: str
    after: str
    changes_meaning: bool = False


@dataclass(frozen=True, slots=True)
class DrawnSeries:
    """What one artist group shows: a line, the bars of a container, points, wedges, an image.

    Attributes:
        labels: category labels where the axis has them, else empty.
            On an axis of dates, the dates as ISO text.
        x, y: drawn coordinates as numbers (matplotlib dates are days since 1970-01-01), NaN where missing.
            An image has its cells in `y`, row by row, column names in `labels`, row names in `rows`.
        n: number of points drawn; `x` and `y` hold every n-th of a very long series only.
        width: of the first bar. rank_correlation: of all points of a scatter.
        lying: True for boxes whose values run along the x axis.
    """

    mark: Literal["line", "bar", "barh", "point", "area", "image", "wedge", "box"]
    label: str
    labels: tuple[str, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    n: int = 0
    width: float | None = None
    rank_correlation: float | None = None
    rows: tuple[str, ...] = ()
    lying: bool = False


@dataclass(frozen=True, slots=True)
class DrawnAxes:
    """One axes of a figure as drawn. `categories`: how many categories the crowded one of its axes names."""

    title: str
    xlabel: str
    ylabel: str
    x_is_date: bool
    series: tuple[DrawnSeries, ...]
    categories: int = 0


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

"""What a reader could not read, and what they can."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lakebook.enhancement.enhanced import DrawnAxes, DrawnSeries
from lakebook.enhancement.readable import unreadable

NAN = float("nan")


def axes(*series: DrawnSeries, categories: int = 0) -> DrawnAxes:
    return DrawnAxes("", "", "", False, series, categories)


def series(mark: str, y: list[float], labels: list[str] | None = None) -> DrawnSeries:
    return DrawnSeries(mark, "", tuple(labels or ()), tuple(map(float, range(len(y)))), tuple(y))  # type: ignore[arg-type]


def box(y: list[float], spread: float) -> DrawnSeries:
    low, high = tuple(value - spread for value in y), tuple(value + spread for value in y)
    return replace(series("box", y), low=low, lower_quartile=low, upper_quartile=high, high=high)


def names(count: int) -> list[str]:
    return [f"c{number}" for number in range(count)]


@pytest.mark.parametrize(
    ("drawn", "reason"),
    [
        ([], "draws no figure"),
        ([axes()], "empty"),
        ([axes(), axes()], "empty"),
        ([axes(series("line", [NAN, NAN]))], "missing"),
        ([axes(series("line", []))], "missing"),
        ([axes(series("bar", [3.0], ["a"]))], "single value"),
        ([axes(series("bar", list(range(31)), names(31)))], "31 categories"),
        ([axes(series("point", [1, 2, 3]), categories=54)], "54 categories"),
        ([axes(*(series("line", [1, 2, 3, 4]) for _ in range(21)))], "21 lines"),
        ([axes(series("wedge", [1 / 13 + k / 1000 for k in range(13)]))], "13 wedges"),
        ([axes(series("image", list(range(3601))))], "3601 cells"),
        ([axes(series("line", [2, 2, 2]))], "the same"),
        ([axes(box([3.0], spread=0))], "the same"),
        ([axes(series("line", [1, 2])) for _ in range(26)], "26 small figures"),
        (
            [
                axes(series("line", [2, 2, 2])),
                axes(series("line", [1, 1, 1])),
                axes(series("line", [1, 2, 3])),
            ],
            "the same",
        ),
    ],
)
def test_unreadable(drawn: list[DrawnAxes], reason: str) -> None:
    assert reason in unreadable(drawn)


@pytest.mark.parametrize(
    "drawn",
    [
        [axes(series("line", [1, 2, NAN]))],
        [axes(series("bar", list(range(30)), names(30)))],
        [axes(series("bar", list(range(84))))],
        [axes(series("bar", [4, 4, 4, 4]))],
        [axes(series("bar", [5, 5], ["a", "b"]))],
        [axes(), axes(series("line", [1, 2, 3]))],
        [axes(series("image", list(range(100))), categories=40)],
        [axes(*(series("line", [1, 2, 3, 4]) for _ in range(20)))],
        [axes(series("line", [2, 2, 2])), axes(series("line", [1, 2, 3]))],
        [axes(box([3.0], spread=1))],
        [axes(box([0.0, 0.0, 0.0], spread=1))],
        [axes(series("violin", [3.0]))],
    ],
)
def test_readable(drawn: list[DrawnAxes]) -> None:
    assert unreadable(drawn) == ""

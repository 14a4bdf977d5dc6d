"""The figure checks: each fires on a bad figure and is silent on a good one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from lakebook.analyst.figure_lint import lint


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def titled(**more: object) -> tuple[Figure, plt.Axes]:
    figure, ax = plt.subplots(layout="constrained", **more)  # type: ignore[call-overload]
    figure.suptitle("A claim in words")
    ax.set_xlabel("x in units")
    ax.set_ylabel("y in units")
    return figure, ax


def fired(figure: Figure) -> set[str]:
    return {finding.check for finding in lint(figure)}


def good_line() -> Figure:
    figure, ax = titled()
    ax.plot(range(20), np.sin(range(20)))
    return figure


def good_bars() -> Figure:
    figure, ax = titled()
    ax.barh(["a", "b", "c", "d"], [4, 3, 2, 1])
    return figure


def good_dates() -> Figure:
    figure, ax = plt.subplots(layout="constrained")
    figure.suptitle("A claim in words")
    ax.set_ylabel("Rows a week")
    values = np.arange(60.0)
    values[20:24] = np.nan
    ax.plot(pd.date_range("2020-01-05", periods=60, freq="7D"), values)
    return figure


def good_scatter_with_legend() -> Figure:
    figure, ax = titled()
    ax.scatter(np.linspace(0, 1, 50), np.linspace(0, 1, 50), label="rows")
    ax.legend(loc="upper left")
    return figure


def good_histogram() -> Figure:
    figure, ax = titled()
    ax.hist(np.random.default_rng(0).normal(size=500), bins=60)
    return figure


def good_colour_bar() -> Figure:
    figure, ax = titled()
    cells = ax.hexbin(np.random.default_rng(0).normal(size=500), np.random.default_rng(1).normal(size=500))
    figure.colorbar(cells, ax=ax, label="Rows")
    return figure


@pytest.mark.parametrize(
    "draw", [good_line, good_bars, good_dates, good_scatter_with_legend, good_histogram, good_colour_bar]
)
def test_good_figures_pass(draw: Callable[[], Figure]) -> None:
    assert [finding for finding in lint(draw()) if finding.level != "info"] == []


def no_title() -> Figure:
    figure, ax = plt.subplots()
    ax.set_xlabel("x")
    ax.set_ylabel("y")
    ax.plot([1, 2, 3], [1, 2, 3])
    return figure


def no_axis_label() -> Figure:
    figure = good_line()
    figure.axes[0].set_ylabel("")
    return figure


def cut_title() -> Figure:
    figure = good_line()
    figure.suptitle("A title that is far longer than the figure is wide " * 4)
    return figure


def text_on_text() -> Figure:
    figure = good_line()
    for word in ("one note", "another note"):
        figure.axes[0].text(5, 0, word)
    return figure


def crowded_ticks() -> Figure:
    figure, ax = titled()
    ax.plot(range(30), range(30))
    ax.set_xticks(range(30), [f"a long label {i}" for i in range(30)])
    return figure


def legend_on_data() -> Figure:
    figure, ax = titled()
    ax.scatter(np.full(50, 0.5), np.linspace(0.49, 0.51, 50), label="rows")
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.legend(loc="center")
    return figure


def bars_off_zero() -> Figure:
    figure, ax = titled()
    ax.bar(["a", "b"], [101, 102])
    ax.set_ylim(100, 103)
    return figure


def too_many_bars() -> Figure:
    figure, ax = titled()
    ax.barh(np.arange(60), np.arange(60, 0, -1), height=0.5)
    return figure


def pie_of_many() -> Figure:
    figure, ax = plt.subplots()
    figure.suptitle("A claim in words")
    ax.pie([1] * 7)
    return figure


def many_lines() -> Figure:
    figure, ax = titled()
    for i in range(10):
        ax.plot(range(10), np.arange(10) * i)
    return figure


def line_over_gap() -> Figure:
    figure, ax = titled()
    x = np.array([*range(20), *range(30, 50)])
    ax.plot(x, np.sin(x))
    return figure


def two_value_axes() -> Figure:
    figure = good_line()
    twin = figure.axes[0].twinx()
    twin.plot(range(20), range(20))
    twin.set_ylabel("another unit")
    return figure


def empty_panel() -> Figure:
    return titled()[0]


@pytest.mark.parametrize(
    ("check", "draw"),
    [
        ("L01", no_title),
        ("L03", no_axis_label),
        ("L05", cut_title),
        ("L06", text_on_text),
        ("L07", crowded_ticks),
        ("L13", legend_on_data),
        ("L17", bars_off_zero),
        ("L18", too_many_bars),
        ("L21", pie_of_many),
        ("L22", many_lines),
        ("L23", line_over_gap),
        ("L25", two_value_axes),
        ("L28", empty_panel),
    ],
)
def test_bad_figures_are_found(check: str, draw: Callable[[], Figure]) -> None:
    findings = [finding for finding in lint(draw()) if finding.check == check]
    assert findings
    assert all(finding.level == "error" and finding.message for finding in findings)


def test_unsorted_bars_only_warn() -> None:
    figure, ax = titled()
    ax.barh(["a", "b", "c", "d"], [1, 4, 2, 3])
    found = [finding for finding in lint(figure) if finding.check == "L19"]
    assert [finding.level for finding in found] == ["warning"]


def test_grey_context_lines_are_allowed() -> None:
    figure, ax = titled()
    for i in range(10):
        ax.plot(range(10), np.arange(10) * i, color="#BBBBBB" if i else "#0072B2")
    assert "L22" not in fired(figure)


def test_uneven_points_are_no_gap() -> None:
    figure, ax = titled()
    ax.plot([1, 4, 13, 26, 52], [1, 2, 3, 4, 5])
    assert "L23" not in fired(figure)

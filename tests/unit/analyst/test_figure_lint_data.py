"""The checks of the drawn data, of colours and of legends: each fires on a bad figure, none on a good one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.figure import Figure

from lakebook.analyst.figure_lint import lint

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "x": RNG.normal(size=120),
        "y": RNG.normal(size=120),
        "k": np.repeat(["North", "South", "West"], 40),
        "h": np.tile(["new", "old"], 60),
    }
)


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def axes(**more: object) -> plt.Axes:
    _, ax = plt.subplots(layout="constrained")
    ax.set(title="What it says", xlabel="x", ylabel="y", **more)
    return ax


def found(ax: plt.Axes, grows: bool = True) -> dict[str, str]:
    return {f.check: f.level for f in lint(ax.figure, grows=grows)}  # type: ignore[arg-type]


def bars_of_many() -> plt.Axes:
    ax = axes()
    ax.bar([f"name {i}" for i in range(40)], range(40, 0, -1))
    return ax


def stacked_in_six() -> plt.Axes:
    ax = axes()
    for part in range(6):
        ax.bar(["a", "b"], [1, 2], bottom=[part, 2 * part])
    return ax


def half_a_pie() -> plt.Axes:
    ax = axes()
    ax.pie([0.2, 0.3], normalize=False)
    return ax


def line_over_names() -> plt.Axes:
    ax = axes()
    ax.plot(["North", "South", "West"], [1, 3, 2])
    return ax


def solid() -> plt.Axes:
    ax = plt.figure().add_subplot(projection="3d")
    ax.plot([1, 2, 3], [1, 2, 3], [1, 2, 3])
    return ax


def eight_panels() -> plt.Axes:
    _, panels = plt.subplots(2, 4)
    for ax in panels.flat:
        ax.plot([1, 2, 3])
    return panels[0, 0]


def all_missing() -> plt.Axes:
    ax = axes()
    ax.plot([1, 2, 3], [np.nan] * 3)
    return ax


def one_value() -> plt.Axes:
    ax = axes()
    ax.bar(["a"], [3])
    return ax


def cut_off() -> plt.Axes:
    ax = axes()
    ax.plot(range(100), range(100))
    ax.set_xlim(0, 10)
    return ax


def squeezed() -> plt.Axes:
    ax = axes()
    ax.scatter(RNG.normal(size=500), np.append(RNG.normal(size=499), 1e4))
    return ax


def small_in_its_axes() -> plt.Axes:
    ax = axes()
    ax.plot([1, 2, 3], [50, 51, 52])
    ax.set_ylim(-300, 400)
    return ax


def zeros_on_log() -> plt.Axes:
    ax = axes()
    ax.plot([1, 2, 3, 4], [0, 1, 10, 100])
    ax.set_yscale("log")
    return ax


def one_class() -> plt.Axes:
    ax = axes()
    ax.hist(np.append(np.zeros(500), [1e6, 2e6]), bins=20)
    return ax


def uneven_levels() -> plt.Axes:
    ax = axes()
    ax.bar(["1", "2", "5", "50", "500"], [5, 4, 3, 2, 1])
    return ax


def piled_up() -> plt.Axes:
    ax = axes()
    ax.scatter(RNG.normal(size=6000), RNG.normal(size=6000))
    return ax


def rainbow() -> plt.Axes:
    ax = axes()
    ax.imshow(RNG.random((5, 5)), cmap="jet")
    return ax


def off_centre() -> plt.Axes:
    ax = axes()
    ax.imshow(np.linspace(-1, 9, 25).reshape(5, 5), cmap="coolwarm")
    return ax


def pale() -> plt.Axes:
    ax = axes()
    ax.plot([1, 2, 3], color="#ffffcc")
    return ax


def pale_text() -> plt.Axes:
    ax = axes()
    ax.imshow(np.array([[0.0, 1.0], [0.0, 1.0]]), cmap="gray")
    ax.text(1, 0, "white", color="white")
    return ax


def text_on_points() -> plt.Axes:
    ax = axes()
    ax.scatter(np.linspace(0, 1, 80), np.full(80, 0.5))
    ax.text(0.4, 0.499, "a note across")
    return ax


def long_legend() -> plt.Axes:
    ax = axes()
    for at in range(10):
        ax.plot([at, at + 1, at + 2], color="#999999", label=f"line {at}")
    ax.legend()
    return ax


def small_letters() -> plt.Axes:
    _, ax = plt.subplots(figsize=(24, 8))
    ax.set(title="What it says", xlabel="x", ylabel="y")
    ax.plot([1, 2, 3])
    return ax


def wide_title() -> plt.Axes:
    ax = axes()
    ax.plot([1, 2, 3])
    ax.set_title("a title " * 40)
    return ax


def upright_ticks() -> plt.Axes:
    ax = axes()
    ax.bar(["Northern", "Southern"], [2, 1])
    ax.tick_params(axis="x", rotation=90)
    return ax


BAD: list[tuple[str, str, Callable[[], plt.Axes]]] = [
    ("L05", "error", wide_title),
    ("L08", "warning", upright_ticks),
    ("L09", "warning", small_letters),
    ("L10", "warning", pale_text),
    ("L11", "warning", pale),
    ("L12", "warning", text_on_points),
    ("L14", "warning", long_legend),
    ("L18", "warning", bars_of_many),
    ("L20", "warning", stacked_in_six),
    ("L21", "error", half_a_pie),
    ("L24", "warning", line_over_names),
    ("L26", "error", solid),
    ("L27", "warning", eight_panels),
    ("L28", "error", all_missing),
    ("L28", "error", one_value),
    ("L29", "warning", piled_up),
    ("L31", "error", cut_off),
    ("L32", "warning", small_in_its_axes),
    ("L33", "warning", squeezed),
    ("L34", "error", zeros_on_log),
    ("L36", "warning", one_class),
    ("L37", "info", uneven_levels),
    ("L39", "error", rainbow),
    ("L39", "warning", off_centre),
]


@pytest.mark.parametrize(("check", "level", "draw"), BAD, ids=[f"{c} {d.__name__}" for c, _, d in BAD])
def test_each_check_fires_on_what_it_is_for(check: str, level: str, draw: Callable[[], plt.Axes]) -> None:
    assert found(draw()).get(check) == level


GOOD: list[Callable[[plt.Axes], object]] = [
    lambda ax: sns.barplot(FRAME, x="k", y="y", hue="h", ax=ax),
    lambda ax: sns.boxplot(FRAME, x="k", y="y", ax=ax),
    lambda ax: sns.violinplot(FRAME, x="k", y="y", ax=ax),
    lambda ax: sns.histplot(FRAME, x="x", kde=True, ax=ax),
    lambda ax: sns.kdeplot(FRAME, x="x", hue="h", ax=ax),
    lambda ax: sns.scatterplot(FRAME, x="x", y="y", hue="k", alpha=0.6, ax=ax),
    lambda ax: sns.regplot(FRAME, x="x", y="y", ax=ax),
    lambda ax: sns.heatmap(FRAME[["x", "y"]].corr(), annot=True, cmap="viridis", ax=ax),
    lambda ax: sns.stripplot(FRAME, x="k", y="y", ax=ax),
    lambda ax: ax.plot(pd.date_range("2020-01-31", periods=24, freq="ME"), np.arange(24.0)),
    lambda ax: ax.bar(["Jan", "Feb", "Mar", "Apr"], [3, 1, 4, 2]),
    lambda ax: ax.pie([3, 2, 1], labels=["a", "b", "c"]),
    lambda ax: ax.stackplot(range(5), [[1, 2, 3, 2, 1], [2, 2, 2, 2, 2]]),
    lambda ax: ax.hexbin(FRAME["x"], FRAME["y"], gridsize=12),
    lambda ax: ax.barh(["North", "South", "West"], [3, 2, 1]),
]


@pytest.mark.filterwarnings("ignore:vert. bool was deprecated")
@pytest.mark.parametrize("draw", GOOD)
def test_ordinary_figures_raise_no_alarm(draw: Callable[[plt.Axes], object]) -> None:
    ax = axes()
    draw(ax)
    ax.set(title="What it says", xlabel=ax.get_xlabel() or "x", ylabel=ax.get_ylabel() or "y")
    assert {check: level for check, level in found(ax).items() if level != "info"} == {}


def test_numbers_are_not_mixed_up_between_panels() -> None:
    figure: Figure
    figure, (left, right) = plt.subplots(1, 2)
    figure.suptitle("What it says")
    left.set(xlabel="x", ylabel="y")
    left.plot([1, 2, 3])
    right.plot([1, 2, 3])
    assert {(f.check, f.axes) for f in lint(figure) if f.level == "error"} == {("L03", 1)}

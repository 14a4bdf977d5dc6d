"""What can be mended is mended by readable lines, what is fine is left alone, what grows worse is undone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns

from lakebook.analyst.methods.drawn import drawn_data
from lakebook.enhancement.figures.inspection import SINGLY, inspect_figures
from lakebook.enhancement.figures.shipment import Inspection, inspection_from, prelude

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "price": RNG.normal(10, 2, 600).round(2),
        "sold": RNG.integers(1, 1000, 600),
        "shop": [f"Shop number {i % 40}" for i in range(600)],
        "kind": np.resize(["plain", "organic"], 600),
        "day": pd.date_range("2020-01-01", periods=600),
    }
)


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


def inspected(draw: Callable[[], object], *skip: str) -> Inspection:
    draw()
    return inspection_from(json.loads(json.dumps(inspect_figures(FRAME, skip))))


def kinds(seen: Inspection) -> list[str]:
    return [mend.kind for mend in seen.mends]


def errors(seen: Inspection) -> list[str]:
    return [f.check for f in seen.findings if f.level == "error" and not f.mended]


def test_a_histogram_without_names_gets_those_of_its_column() -> None:
    seen = inspected(lambda: plt.hist(FRAME["price"], bins=20))
    assert [mend.lines for mend in seen.mends] == [
        ("plt.gcf().axes[0].set_xlabel('price')", "plt.gcf().axes[0].set_ylabel('Count')"),
        ("plt.gcf().axes[0].set_title('Distribution of price')",),
    ]
    assert plt.gca().get_xlabel() == "price"
    assert errors(seen) == []
    assert {f.check for f in seen.findings if f.mended} == {"L01", "L03"}
    assert seen.mends[0].repair().kind == "figure_axis_label"


def test_columns_are_named_only_where_the_numbers_agree() -> None:
    seen = inspected(lambda: plt.scatter(FRAME["price"], np.log(FRAME["sold"])))
    assert plt.gca().get_xlabel() == "price"
    assert plt.gca().get_ylabel() == ""
    assert "L03" in errors(seen)


@pytest.mark.parametrize(
    ("how", "label"), [("mean", "Mean of price"), ("sum", "Sum of price"), ("size", "Count")]
)
def test_what_bars_measure_is_told_from_their_lengths(how: str, label: str) -> None:
    bars = getattr(FRAME.groupby("kind")["price"], how)()
    inspected(lambda: plt.bar(bars.index, bars.to_numpy()))
    assert (plt.gca().get_ylabel(), plt.gca().get_title()) == (label, f"{label} by kind")


@pytest.mark.parametrize("lying", [False, True])
def test_of_many_bars_the_longest_are_kept_and_the_rest_is_said(lying: bool) -> None:
    sums = FRAME.groupby("shop")["sold"].sum()
    seen = inspected(lambda: sums.plot(kind="barh" if lying else "bar"))
    assert "longest_bars" in kinds(seen)
    (axes,) = drawn_data()
    (series,) = axes["series"]
    assert series["labels"] == sums.nlargest(15).index.tolist()
    assert series["y"] == sums.nlargest(15).tolist()
    label = axes["ylabel"] if lying else axes["xlabel"]
    assert label == "shop (the 15 largest of 40)"
    assert errors(seen) == []


def test_bars_over_dates_are_not_cut_down() -> None:
    days = FRAME.groupby("day")["sold"].sum().head(50)
    seen = inspected(lambda: days.plot(kind="bar"))
    assert "longest_bars" not in kinds(seen)


def test_a_pie_of_many_becomes_bars() -> None:
    counts = FRAME["shop"].value_counts().head(8)
    seen = inspected(lambda: counts.plot.pie())
    assert "pie_as_bars" in kinds(seen)
    (axes,) = drawn_data()
    assert {s["mark"] for s in axes["series"]} == {"barh"}
    assert sum(axes["series"][0]["y"]) == pytest.approx(100)
    assert "L21" not in errors(seen)


def test_a_pie_of_few_is_left() -> None:
    assert "pie_as_bars" not in kinds(inspected(lambda: plt.pie([2, 1], labels=["a", "b"])))


def test_bars_go_down_to_zero() -> None:
    def draw() -> None:
        plt.bar(["a", "b"], [101, 102])
        plt.ylim(100, 103)

    assert ("plt.gcf().axes[0].set_ylim(bottom=0)",) in [mend.lines for mend in inspected(draw).mends]
    assert plt.gca().get_ylim()[0] == 0


def test_old_limits_that_cut_off_new_data_go() -> None:
    def draw() -> None:
        plt.plot(FRAME["day"], FRAME["sold"])
        plt.ylim(0, 5)

    seen = inspected(draw)
    assert "limits_of_data" in kinds(seen)
    assert plt.gca().get_ylim()[1] > 900


def test_a_zoom_that_leaves_a_few_points_out_stays() -> None:
    def draw() -> None:
        plt.plot(FRAME["day"], FRAME["sold"])
        plt.ylim(0, 980)

    assert "limits_of_data" not in kinds(inspected(draw))
    assert plt.gca().get_ylim()[1] == 980


def test_rainbows_points_and_letters() -> None:
    def draw() -> None:
        plt.figure(figsize=(24, 8))
        plt.imshow(RNG.random((4, 4)), cmap="jet")

    assert {"even_colours", "larger_letters"} <= set(kinds(inspected(draw)))
    assert plt.gca().images[0].get_cmap().name == "viridis"
    assert plt.gcf().get_size_inches()[0] < 12


def test_piled_up_points_become_see_through() -> None:
    seen = inspected(lambda: plt.scatter(RNG.normal(size=4000), RNG.normal(size=4000)))
    assert "see_through_points" in kinds(seen)
    assert plt.gca().collections[0].get_alpha() == 0.3


def test_crowded_ticks_are_turned_or_thinned() -> None:
    def words() -> None:
        plt.bar([f"a long name {i}" for i in range(12)], range(12))

    def numbers() -> None:
        plt.plot(range(60), range(60))
        plt.xticks(range(60))

    assert "rotation=45" in "".join(line for mend in inspected(words).mends for line in mend.lines)
    plt.close("all")
    seen = inspected(numbers, SINGLY)
    assert "L07" not in errors(seen)
    assert "ticks_apart" in kinds(seen)


def test_a_legend_on_the_data_moves_beside() -> None:
    def draw() -> None:
        plt.scatter(np.linspace(0, 1, 100), np.linspace(0, 1, 100), label="rows")
        plt.legend(loc="upper right")

    seen = inspected(draw)
    assert "legend_beside" in kinds(seen)
    assert "L13" not in errors(seen)


def test_what_grows_worse_is_refused_and_left_out_when_drawn_anew() -> None:
    def draw() -> None:
        plt.plot(range(5), range(5))
        plt.title("What it says")
        for at in range(3):
            plt.text(2, 2, f"note {at}")
        plt.scatter(RNG.normal(size=3000), RNG.normal(size=3000))

    seen = inspected(draw)
    assert seen.refused in ((), (SINGLY,))
    plt.close("all")
    again = inspected(draw, SINGLY, "L06", "L03", "L29")
    assert again.refused == ()
    assert {"L06", "L03"} <= set(errors(again))


GOOD: list[Callable[[], Any]] = [
    lambda: sns.boxplot(FRAME, x="kind", y="price").set_title("Price by kind"),
    lambda: sns.countplot(FRAME, x="kind").set_title("Rows by kind"),
    lambda: sns.lineplot(FRAME.head(30), x="sold", y="price").set_title("Price and number sold"),
    lambda: sns.histplot(FRAME, x="price").set_title("Prices"),
    lambda: FRAME.plot.scatter("price", "sold", title="Number sold and price", alpha=0.3),
]


@pytest.mark.filterwarnings("ignore:vert. bool was deprecated")
@pytest.mark.parametrize("draw", GOOD)
def test_figures_that_are_fine_are_left_alone(draw: Callable[[], Any]) -> None:
    seen = inspected(draw)
    assert (kinds(seen), seen.refused, errors(seen)) == ([], (), [])


def test_two_figures_are_told_apart_by_their_place() -> None:
    def draw() -> None:
        plt.figure()
        plt.hist(FRAME["price"])
        plt.figure()
        plt.hist(FRAME["sold"])

    seen = inspected(draw)
    assert seen.mends[0].lines[0] == "plt.figure(plt.get_fignums()[0]).axes[0].set_xlabel('price')"
    assert {f.axes for f in seen.findings if f.check == "L03"} == {0, 1}


def test_the_shipped_modules_run_where_there_is_no_lakebook() -> None:
    space: dict[str, Any] = {}
    code = prelude().replace("lakebook.", "shipped_elsewhere.")
    exec(code, space)
    plt.hist(FRAME["price"])
    assert space["inspect_figures"](FRAME)["mends"]
    assert len(space["drawn_data"]()) == 1


@pytest.mark.parametrize(
    "value",
    [None, 3, [], {}, {"findings": 3, "mends": "x", "refused": 7}, {"findings": [[1, 2, "loud", 0, 0], [1]]}],
)
def test_a_forged_answer_says_nothing(value: Any) -> None:
    assert inspection_from(value) == Inspection()

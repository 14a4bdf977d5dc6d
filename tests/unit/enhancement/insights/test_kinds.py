"""Each kind of insight on planted truth, and its silence where there is nothing."""

from __future__ import annotations

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

Say = Callable[..., list[str]]


def months(values: np.ndarray, start: str = "2014-01-01", label: str = "") -> None:
    plt.plot(pd.date_range(start, periods=len(values), freq="MS"), values, label=label)
    plt.ylabel("price")


def noise(n: int, seed: int = 7) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 1, n)


def test_a_trend_with_its_interval(say: Say) -> None:
    months(20 + 0.2 * np.arange(60) + noise(60))
    (text,) = say()
    assert text.startswith("price rises over the 60 months drawn, by 12.4 (")
    assert "interval" in text


def test_a_trend_is_told_of_dates_written_as_text(say: Say) -> None:
    labels = [str(month) for month in pd.period_range("2014-01", periods=60, freq="M")]
    plt.plot(labels, 20 - 0.2 * np.arange(60) + noise(60))
    plt.xticks(range(60), labels)
    plt.ylabel("price")
    assert say()[0].startswith("price falls over the 60 months drawn")


def test_no_trend_of_noise_nor_of_a_random_walk(say: Say) -> None:
    for values in (20 + noise(60), 20 + noise(60).cumsum()):
        months(values)
        assert not any("rises" in text or "falls" in text for text in say())
        plt.close("all")


def test_a_trend_of_twenty_points_is_not_told(say: Say) -> None:
    months(np.arange(20.0) + 10)
    assert "rises" not in " ".join(say())


def test_a_season_with_its_peak(say: Say) -> None:
    months(20 + 3 * np.cos(2 * np.pi * (np.arange(60) - 6) / 12) + 0.3 * noise(60))
    (text,) = say()
    assert (
        "has a season that repeats every year, over 5.0 of them: highest in July and lowest in January"
        in text
    )


def test_no_season_of_less_than_two_cycles(say: Say) -> None:
    months(20 + 3 * np.cos(2 * np.pi * np.arange(20) / 12))
    assert "season" not in " ".join(say())


def test_a_shift_is_dated(say: Say) -> None:
    months(np.where(np.arange(60) >= 30, 25.0, 20.0) + noise(60, 3))
    assert any("shifts at 2016-07-01 and stays there: from 20." in text for text in say())


def test_an_unusual_point(say: Say) -> None:
    values = 20 + noise(60)
    values[30] = 40
    months(values)
    assert any("price is unusually high at 2016-07-01: 40.0" in text for text in say())


def test_a_gap_is_told(say: Say) -> None:
    dates = pd.date_range("2014-01-01", periods=60, freq="MS")
    kept = [*range(30), *range(36, 60)]
    plt.plot(dates[kept], (20 + noise(60))[kept])
    plt.ylabel("price")
    assert say() == [
        "price has no point for 6 of 60 months from its first to its last; the longest gap is from "
        "2016-06-01 "
        "to 2017-01-01."
    ]


def test_ties_are_said_as_ties(say: Say) -> None:
    plt.bar(["a", "b", "c"], [2, 2, 1])
    plt.ylabel("rooms")
    assert say() == ["rooms: a, b are level as highest with 2, c lowest with 1, of 3 drawn."]


def groups(effect: float, n: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"town": rng.choice(["Ulm", "Bonn", "Kiel"], n), "rent": rng.normal(10, 1, n)})
    frame.loc[frame["town"] == "Kiel", "rent"] += effect
    return frame


def test_groups_that_differ_by_the_rows_behind_the_bars(say: Say) -> None:
    frame = groups(2.0)
    sns.barplot(frame.groupby("town", as_index=False)["rent"].mean(), x="town", y="rent")
    texts = say(frame)
    assert texts[0].startswith("rent: Kiel is typically higher than ")
    assert "(median of all pairs, interval 1." in texts[0]


def test_groups_of_one_distribution_are_said_not_to_differ(say: Say) -> None:
    frame = groups(0.0)
    means = frame.groupby("town")["rent"].mean()
    plt.bar(means.index, means)
    plt.ylabel("rent")
    (text,) = say(frame)
    assert "no difference beyond chance is in the medians of the 400 rows behind them" in text


def test_what_few_hold(say: Say) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"town": rng.choice(list("abcdefghijkl"), 900, p=[0.7, 0.14, *[0.016] * 10])})
    counts = frame["town"].value_counts()
    plt.barh(counts.index, counts)
    plt.xlabel("rows")
    assert any("rows is concentrated: 3 of the 12 drawn hold 8" in text for text in say(frame))
    # Means do not add up to a whole, however unequal they are.
    assert not any("concentrated" in text for text in say(pd.DataFrame()))


def test_one_bar_apart_of_fifteen_and_none_of_five(say: Say) -> None:
    for count, expected in ((15, True), (5, False)):
        heights = 50 + noise(count)
        heights[2] = 90
        plt.bar([f"g{place}" for place in range(count)], heights)
        plt.ylabel("score")
        assert any("g2 stands apart with 90.0" in text for text in say()) is expected
        plt.close("all")


def test_random_walks_are_not_related(say: Say) -> None:
    for seed in range(5):
        plt.scatter(noise(200, seed).cumsum(), noise(200, seed + 50).cumsum())
        plt.xlabel("x")
        plt.ylabel("y")
        assert say() == []
        plt.close("all")


def test_copies_of_points_count_once(say: Say) -> None:
    x, y = noise(40, 1), noise(40, 1) + noise(40, 2)
    plt.scatter(np.tile(x, 5), np.tile(y, 5))
    plt.xlabel("x")
    plt.ylabel("y")
    assert "over the 200 points drawn" in say()[0]
    assert "as for 40 independent points" in say()[0]


def test_no_relation_is_told_where_it_is_sure(say: Say) -> None:
    plt.scatter(noise(2000, 1), noise(2000, 2))
    plt.xlabel("x")
    plt.ylabel("y")
    assert say()[0].startswith("x and y go together hardly or not at all")


def test_two_lines_that_stay_apart(say: Say) -> None:
    months(20 + noise(40, 1), label="organic")
    months(15 + noise(40, 2), label="other")
    assert say()[0].startswith("price: organic lies above other by 5.")
    assert say()[0].endswith("at 40 of 40 places.")


def test_the_shape_of_the_column_behind_a_histogram(say: Say) -> None:
    frame = pd.DataFrame({"rent": np.exp(noise(800))})
    plt.hist(frame["rent"], bins=30)
    plt.xlabel("rent")
    (text,) = say(frame)
    assert text.startswith("rent: half of the 800 values lie between 0.")
    assert text.endswith("the longer tail is on the right.")


def test_what_cannot_be_computed_says_why_and_stops_nothing(say: Say) -> None:
    from lakebook.analyst.methods.figure_facts import shown_facts

    facts = shown_facts([{"series": [{"mark": "wedge"}]}], pd.DataFrame(), [])
    assert facts == [{"failed": "KeyError: 'y'", "series": []}]


def test_a_histogram_of_few_values_is_not_taken_for_that_of_a_long_column(say: Say) -> None:
    plt.hist(noise(54), bins=20)
    plt.xlabel("slope")
    (text,) = say(pd.DataFrame({"price": noise(18000, 1)}))
    assert text.startswith("slope: values are most frequent between")


def test_two_counts_that_chance_makes_are_not_ranked(say: Say) -> None:
    frame = pd.DataFrame({"town": ["Ulm"] * 503 + ["Bonn"] * 497})
    counts = frame["town"].value_counts()
    plt.bar(counts.index, counts)
    plt.ylabel("rows")
    assert say(frame) == []


def test_of_several_shifts_none_is_said_to_stay(say: Say) -> None:
    months(np.select([np.arange(90) < 30, np.arange(90) < 60], [20.0, 26.0], 20.0) + noise(90, 3))
    (text,) = [text for text in say() if "shifts at" in text]
    assert "the largest of its 2 shifts" in text
    assert "stays" not in text


def test_stacked_areas_are_not_read_as_lines_of_their_own(say: Say) -> None:
    dates = pd.date_range("2014-01-01", periods=40, freq="MS")
    frame = pd.DataFrame({"large": 20 + abs(noise(40)), "small": 2 + abs(noise(40, 2))}, index=dates)
    frame.plot.area(ylabel="fruit")
    assert not any("small" in text for text in say())


def test_a_running_mean_has_no_gap_at_its_start(say: Say) -> None:
    values = pd.Series(20 + noise(60)).rolling(8).mean()
    months(values.to_numpy())
    assert not any("has no point" in text for text in say())


def test_a_place_is_not_told_by_its_number_where_the_axis_has_names(say: Say) -> None:
    plt.plot([0, 1, 2, 3], [1.0, 2.5, 2.0, 1.5])
    plt.xticks([0, 1, 2], ["Ulm", "Bonn", "Kiel"])
    plt.xlabel("town")
    plt.ylabel("rent")
    assert say() == []


def test_error_bars_that_overlap_are_told(say: Say) -> None:
    plt.bar(["Ulm", "Bonn"], [10.0, 9.0], yerr=[2.0, 2.0])
    plt.ylabel("rent")
    assert say() == [
        "rent: Ulm is highest with 10, Bonn lowest with 9; the intervals drawn about the two overlap."
    ]
    plt.close("all")
    plt.bar(["Ulm", "Bonn"], [10.0, 4.0], yerr=[2.0, 2.0])
    plt.ylabel("rent")
    assert say() == ["rent: Ulm is highest with 10, Bonn lowest with 4."]

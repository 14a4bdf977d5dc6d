"""Names cut into words, and how alike they are."""

from __future__ import annotations

import pytest

from lakebook.correspondence.names import (
    NameComparer,
    letters,
    opposed,
    siblings,
    spelling,
    word_likeness,
    words,
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("AveragePrice", ("average", "price")),
        ("Total Volume", ("total", "volume")),
        ("total_volume", ("total", "volume")),
        ("Sub-Category", ("sub", "category")),
        ("XLarge Bags", ("xlarge", "bags")),
        ("xlarge_bags", ("xlarge", "bags")),
        ("extra large bags", ("xlarge", "bags")),
        ("X1st_Class", ("first", "class")),
        ("X2", ("2",)),
        ("GDPperCapita", ("gd", "pper", "capita")),
        ("HTTPServer", ("http", "server")),
        ("rate [%]", ("rate",)),
        ("[cm]", ("cm",)),
        ("# rooms", ("number", "rooms")),
        ("% change", ("percent", "change")),
        ("PM2.5", ("pm", "2", "5")),
        ("", ()),
        ("___", ()),
        ("größe_cm", ("größe", "cm")),
        (" Date ", ("date",)),
    ],
)
def test_words(name: str, expected: tuple[str, ...]) -> None:
    if name == "GDPperCapita":  # letters alone cannot tell where GDP ends
        assert words(name)[-1] == "capita"
        return
    assert words(name) == expected


def test_letters_drop_case_and_punctuation() -> None:
    assert letters("Average-Price ($)") == letters("average_price") == "averageprice"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("kitten", "sitting", 1 - 3 / 7), ("same", "same", 1.0), ("", "x", 0.0), ("abc", "xyz", 0.0)],
)
def test_spelling_is_edit_similarity(a: str, b: str, expected: float) -> None:
    assert spelling(a, b) == pytest.approx(expected)
    assert spelling(b, a) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("a", "b", "least", "most"),
    [
        ("price", "price", 1.0, 1.0),
        ("price", "prices", 0.97, 0.97),
        ("region", "geography", 0.92, 0.92),
        ("temperature", "temp", 0.9, 1.0),
        ("quantity", "qnty", 0.6, 0.95),
        ("horsepower", "hp", 0.9, 1.0),
        ("4046", "4225", 0.0, 0.0),
        ("4046", "price", 0.0, 0.0),
        ("sales", "fare", 0.0, 0.3),
        ("volume", "bags", 0.0, 0.3),
    ],
)
def test_word_likeness(a: str, b: str, least: float, most: float) -> None:
    assert least <= word_likeness(a, b) <= most
    assert word_likeness(a, b) == word_likeness(b, a)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("min_temp", "max_temp", True),
        ("Lower Bound", "upper_bound", True),
        ("Small Bags", "large_bags", True),
        ("Large Bags", "xlarge_bags", True),
        ("Total Bags", "small_bags", True),
        ("birth_year", "birth_month", True),
        ("min_temp", "minimum temperature", False),
        ("price", "max_price", False),
        ("sepal_length", "petal_length", True),
        ("Average Price", "avg_price", False),
    ],
)
def test_opposed(a: str, b: str, expected: bool) -> None:
    assert opposed(a, b) is expected


def test_siblings_differ_in_one_pole_only() -> None:
    found = siblings(["low_temp", "high_temp", "humidity", "min_wind"])
    assert set(found) == {"low_temp", "high_temp"}


@pytest.mark.parametrize(
    ("old", "new", "least"),
    [
        ("date", "date", 1.0),
        ("Date", "date", 0.99),
        ("AveragePrice", "average_price", 0.99),
        ("Total Volume", "total_volume", 0.99),
        ("Order Date", "order_date", 0.99),
        ("region", "geography", 0.9),
        ("AvgPrice", "average_price", 0.85),
        ("Economy (GDP per Capita)", "GDP per capita", 0.6),
    ],
)
def test_the_same_column_under_another_name(old: str, new: str, least: float) -> None:
    comparer = NameComparer([old, "zzz"], [new, "qqq"])
    assert comparer.compare(old, new).score >= least
    assert comparer.compare(old, new).reason


@pytest.mark.parametrize(
    ("old", "new", "most"),
    [
        ("min_temp", "max_temp", 0.4),
        ("Small Bags", "large_bags", 0.4),
        ("Large Bags", "xlarge_bags", 0.4),
        ("gdpPercap", "gdp", 0.6),
        ("score_1", "score_2", 0.5),
        ("price", "weekday", 0.3),
        ("___", "date", 0.0),
    ],
)
def test_another_column(old: str, new: str, most: float) -> None:
    assert NameComparer([old], [new]).compare(old, new).score <= most


def test_a_plain_name_is_not_one_of_several() -> None:
    """`temp` could be either of `low_temp` and `high_temp`; alone, `low_temp` is still unlike it."""
    several = NameComparer(["temp"], ["low_temp", "high_temp"]).compare("temp", "low_temp").score
    alone = NameComparer(["temp"], ["low_temp", "wind"]).compare("temp", "low_temp").score
    assert several < alone


def test_a_word_that_stands_everywhere_counts_less() -> None:
    common = ["total bags", "total volume", "total sales", "total cost"]
    crowded = NameComparer(common, ["total weight"]).compare("total bags", "total weight").score
    sparse = (
        NameComparer(["total bags"], ["total weight", "a", "b"]).compare("total bags", "total weight").score
    )
    assert crowded < sparse

from __future__ import annotations

import pandas as pd
import pytest

from lakebook.analyst.intent_reader import read_intent
from lakebook.analyst.vocabulary import name_tokens, same_meaning, stem


@pytest.fixture
def shop(table_of):
    days = pd.date_range("2020-01-01", periods=60)
    return table_of(
        pd.DataFrame(
            {
                "Order Date": days,
                "Segment": ["Home", "Firm", "Consumer"] * 20,
                "Region": ["West", "East"] * 30,
                "Sales": [float(i * i) for i in range(60)],
                "AveragePrice": [1 + i / 100 for i in range(60)],
                "Discount": [i / 100 for i in range(60)],
                "Profit": [float(i * i - 200) for i in range(60)],
                "Returned": [True, False] * 30,
            }
        )
    )


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("build a time-series model to forecast average prices", "forecast", "AveragePrice"),
        ("Forecast sales for the next quarter", "forecast", "Sales"),
        ("predict the next month of sales", "forecast", "Sales"),
        ("which segments and regions lose money, and why?", "compare", "Profit"),
        ("what drives profit?", "regress", "Profit"),
        ("why is the discount so high", "regress", "Discount"),
        ("explain sales by region", "regress", "Sales"),
        ("predict whether an order is returned", "classify", "Returned"),
        ("classify returned orders", "classify", "Returned"),
        ("compare sales across regions", "compare", "Sales"),
        ("best and worst regions by revenue", "compare", "Sales"),
        ("find unusual orders", "anomaly", "Sales"),
        ("are there outliers in profit?", "anomaly", "Profit"),
        ("cluster the customers", "segment", ""),
        ("what characterizes the catalogue, and how did it change over time?", "describe", ""),
        ("give me an overview", "describe", ""),
        ("describe sales", "describe", "Sales"),
        ("", "describe", ""),
        ("asdf qwer zxcv", "describe", ""),
        ("🥑🥑🥑", "describe", ""),
        ("{braces} %s \\ 'quotes'", "describe", ""),
    ],
)
def test_sentences_are_read(shop, text: str, kind: str, target: str) -> None:
    intent = read_intent(text, shop)
    assert (intent.kind, intent.target) == (kind, target)
    assert intent.text == text


def test_what_was_read_and_what_was_assumed_is_told(shop) -> None:
    intent = read_intent("which segments and regions lose money, and why?", shop)
    assert intent.others == ("regress",)
    assert intent.columns == ("Segment", "Region", "Profit")
    assert "“segments”: column Segment" in intent.words
    assert not intent.assumptions
    guessed = read_intent("find unusual orders", shop)
    assert any("Sales is taken" in text for text in guessed.assumptions)
    nothing = read_intent("asdf", shop)
    assert any("no purpose" in text for text in nothing.assumptions)


def test_a_value_names_its_column(shop) -> None:
    intent = read_intent("compare consumer and firm", shop)
    assert "Segment" in intent.columns
    assert any("where it is a value (Consumer)" in word for word in intent.words)


def test_a_number_cannot_be_classified_nor_a_class_explained(shop) -> None:
    assert read_intent("classify sales", shop).kind == "regress"
    assert read_intent("what drives returned?", shop).kind == "classify"


def test_a_forecast_without_dates_says_so(table_of) -> None:
    table = table_of(pd.DataFrame({"sales": [float(i * 9) for i in range(40)]}))
    intent = read_intent("forecast sales", table)
    assert intent.kind == "forecast"
    assert any("No column of dates" in text for text in intent.assumptions)


def test_a_table_of_no_columns_is_described(table_of) -> None:
    assert read_intent("forecast prices", table_of(pd.DataFrame())).target == ""


def test_reading_is_the_same_every_time(shop) -> None:
    text = "compare sales and profit by region over time, and why"
    assert read_intent(text, shop) == read_intent(text, shop)


@pytest.mark.parametrize(
    ("word", "expected"), [("prices", "price"), ("categories", "category"), ("loss", "loss"), ("is", "is")]
)
def test_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_names_are_cut_alike() -> None:
    assert name_tokens("AveragePrice") == name_tokens("average_price") == name_tokens("Average Price")
    assert same_meaning("prices", "price") == 1.0
    assert 0 < same_meaning("revenue", "sales") < 1
    assert same_meaning("apple", "region") == 0.0


@pytest.mark.parametrize("verb", ["makes", "made", "make"])
def test_a_word_of_the_question_names_no_column(table_of, verb: str) -> None:
    frame = pd.DataFrame({"score": [4.1, 5.2, 6.3], "freedom to make choices": [0.1, 0.4, 0.2]})
    assert read_intent(f"what {verb} countries happy?", table_of(frame)).columns == ()

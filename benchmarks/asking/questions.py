"""Thirty questions over public tables, each with its answer computed here, by pandas alone.

No answer is stored: each is computed from the files that are given by path, by code that shares nothing with
the product. What belongs here: questions, answers, and when an answer counts as right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from lakebook.validation.contract import AnswerType

Truth = Callable[[Path], Any]


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        lake: the folder that is asked, below the folder of data.
        kind, decimals, unit: of the contract. `truth`: computes the answer from the folder of data.
    """

    lake: str
    text: str
    kind: AnswerType
    truth: Truth
    decimals: int | None = None
    unit: str = ""


@cache
def _orders(data: Path) -> pd.DataFrame:
    frame = pd.read_csv(data / "superstore" / "sample_superstore.csv", encoding="latin-1")
    frame.columns = [name.removeprefix("\ufeff").removeprefix("ï»¿") for name in frame.columns]
    frame["Order Date"] = pd.to_datetime(frame["Order Date"], format="%m/%d/%Y")
    return frame


@cache
def _avocados(data: Path) -> pd.DataFrame:
    return pd.read_csv(data / "avocado" / "avocado_2018.csv")


@cache
def _newer_avocados(data: Path) -> pd.DataFrame:
    return pd.read_csv(data / "avocado" / "avocado_2020.csv")


@cache
def _titles(data: Path) -> pd.DataFrame:
    frame = pd.read_csv(data / "netflix" / "netflix_titles_2021.csv")
    frame["date_added"] = pd.to_datetime(frame["date_added"].str.strip(), format="%B %d, %Y")
    return frame


@cache
def _happiness(data: Path, year: int) -> pd.DataFrame:
    return pd.read_csv(data / "happiness" / f"{year}.csv")


def _store(text: str, kind: AnswerType, of: Callable[[pd.DataFrame], Any], **more: Any) -> Question:
    return Question("superstore", text, kind, lambda data: of(_orders(data)), **more)


def _avocado(text: str, kind: AnswerType, of: Callable[[pd.DataFrame], Any], **more: Any) -> Question:
    return Question("avocado", text, kind, lambda data: of(_avocados(data)), **more)


def _netflix(text: str, kind: AnswerType, of: Callable[[pd.DataFrame], Any], **more: Any) -> Question:
    return Question("netflix", text, kind, lambda data: of(_titles(data)), **more)


def _happy(
    year: int, text: str, kind: AnswerType, of: Callable[[pd.DataFrame], Any], **more: Any
) -> Question:
    return Question("happiness", text, kind, lambda data: of(_happiness(data, year)), **more)


def _mean_price(frame: pd.DataFrame, **wanted: Any) -> float:
    for name, value in wanted.items():
        frame = frame[frame[name] == value]
    return float(frame["AveragePrice"].mean())


QUESTIONS: tuple[Question, ...] = (
    _store("What are the total sales?", "number", lambda f: f["Sales"].sum(), decimals=2),
    _store("How many different orders are there?", "integer", lambda f: f["Order ID"].nunique()),
    _store(
        "What is the total profit of the Technology category?",
        "number",
        lambda f: f.loc[f["Category"] == "Technology", "Profit"].sum(),
        decimals=2,
    ),
    _store(
        "Which sub-category has the lowest total profit?",
        "text",
        lambda f: f.groupby("Sub-Category")["Profit"].sum().idxmin(),
    ),
    _store(
        "What is the average discount in the West region?",
        "number",
        lambda f: f.loc[f["Region"] == "West", "Discount"].mean(),
        decimals=3,
    ),
    _store(
        "How many different customers bought furniture?",
        "integer",
        lambda f: f.loc[f["Category"] == "Furniture", "Customer ID"].nunique(),
    ),
    _store(
        "What were the total sales of orders placed in 2016?",
        "number",
        lambda f: f.loc[f["Order Date"].dt.year == 2016, "Sales"].sum(),
        decimals=2,
    ),
    _store(
        "What percentage of total sales comes from the consumer segment?",
        "number",
        lambda f: 100 * f.loc[f["Segment"] == "Consumer", "Sales"].sum() / f["Sales"].sum(),
        decimals=1,
        unit="%",
    ),
    _store(
        "Which state has the highest total sales?",
        "text",
        lambda f: f.groupby("State")["Sales"].sum().idxmax(),
    ),
    _store(
        "Which three sub-categories have the highest total sales, from the highest on?",
        "list",
        lambda f: f.groupby("Sub-Category")["Sales"].sum().nlargest(3).index.tolist(),
    ),
    _store(
        "How many orders were shipped by standard class?",
        "integer",
        lambda f: f.loc[f["Ship Mode"] == "Standard Class", "Order ID"].nunique(),
    ),
    _avocado(
        "In the 2018 file, what was the average price of organic avocados in the year 2016?",
        "number",
        lambda f: _mean_price(f, type="organic", year=2016),
        decimals=3,
    ),
    _avocado(
        "In the 2018 file, what is the average price of organic avocados in New York?",
        "number",
        lambda f: _mean_price(f, type="organic", region="NewYork"),
        decimals=3,
    ),
    _avocado(
        "In the 2018 file, what is the total volume of conventional avocados in Boston?",
        "number",
        lambda f: f.loc[(f["type"] == "conventional") & (f["region"] == "Boston"), "Total Volume"].sum(),
        decimals=2,
    ),
    _avocado(
        "In the 2018 file, in which region was the single highest average price recorded?",
        "text",
        lambda f: f.loc[f["AveragePrice"].idxmax(), "region"],
    ),
    _avocado(
        "In the 2018 file, in which year was the mean price of organic avocados highest?",
        "integer",
        lambda f: int(f[f["type"] == "organic"].groupby("year")["AveragePrice"].mean().idxmax()),
    ),
    _avocado("In the 2018 file, how many weeks are covered?", "integer", lambda f: f["Date"].nunique()),
    _avocado(
        "In the 2018 file, how much higher is the average price of organic than of conventional avocados?",
        "number",
        lambda f: _mean_price(f, type="organic") - _mean_price(f, type="conventional"),
        decimals=3,
    ),
    Question(
        "avocado",
        "In the 2020 file, what was the average price of organic avocados in California in 2019?",
        "number",
        lambda data: _newer_price(_newer_avocados(data), "California", 2019),
        decimals=3,
    ),
    _netflix(
        "In the 2021 file, how many titles are movies?", "integer", lambda f: (f["type"] == "Movie").sum()
    ),
    _netflix(
        "In the 2021 file, how many titles were added in 2019?",
        "integer",
        lambda f: (f["date_added"].dt.year == 2019).sum(),
    ),
    _netflix(
        "In the 2021 file, which rating do most titles have?",
        "text",
        lambda f: f["rating"].value_counts().idxmax(),
    ),
    _netflix(
        "In the 2021 file, how many titles have no director?", "integer", lambda f: f["director"].isna().sum()
    ),
    _netflix(
        "In the 2021 file, what is the earliest release year of a TV show?",
        "integer",
        lambda f: f.loc[f["type"] == "TV Show", "release_year"].min(),
    ),
    _netflix(
        "In the 2021 file, how many more movies than TV shows are there?",
        "integer",
        lambda f: (f["type"] == "Movie").sum() - (f["type"] == "TV Show").sum(),
    ),
    _happy(
        2019,
        "In 2019, which country had the highest score?",
        "text",
        lambda f: f.loc[f["Score"].idxmax(), "Country or region"],
    ),
    _happy(
        2015,
        "What was the happiness score of Germany in 2015?",
        "number",
        lambda f: f.loc[f["Country"] == "Germany", "Happiness Score"].iloc[0],
        decimals=3,
    ),
    _happy(2017, "How many countries are listed in 2017?", "integer", lambda f: f["Country"].nunique()),
    _happy(
        2018,
        "What was the mean score over all countries in 2018?",
        "number",
        lambda f: f["Score"].mean(),
        decimals=3,
    ),
    _happy(
        2016,
        "In 2016, which region had the highest average happiness score?",
        "text",
        lambda f: f.groupby("Region")["Happiness Score"].mean().idxmax(),
    ),
)


def _newer_price(frame: pd.DataFrame, place: str, year: int) -> float:
    chosen = frame[(frame["type"] == "organic") & (frame["geography"] == place) & (frame["year"] == year)]
    return float(chosen["average_price"].mean())


def is_right(question: Question, answered: Any, truth: Any) -> bool:
    """Return True if a delivered value is the true one, to the digits that were asked for."""
    if question.kind in ("number", "integer"):
        number = _number(answered)
        allowed = 0.5000001 * 10 ** -(question.decimals or 0) if question.kind == "number" else 0.0
        return number is not None and abs(number - float(truth)) <= allowed
    if question.kind == "list":
        return isinstance(answered, list) and [_plain(one) for one in answered] == [
            _plain(one) for one in truth
        ]
    return _plain(answered) == _plain(truth)


def _number(value: Any) -> float | None:
    try:
        number = float(str(value).replace(",", "").rstrip("%"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _plain(value: Any) -> str:
    return " ".join(str(value).split()).strip(".").casefold()


def chosen(numbers: Sequence[int]) -> tuple[tuple[int, Question], ...]:
    """Return the questions of these numbers, from 1; all of them for none."""
    return tuple((n, q) for n, q in enumerate(QUESTIONS, start=1) if not numbers or n in numbers)

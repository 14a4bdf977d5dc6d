"""Roles of columns: each rule on an input that has it and one that only resembles it."""

from __future__ import annotations

import pytest

from lakebook.sources.roles import Evidence, role_of, separator_of, words


def text(name: str, values: list[str], rows: int | None = None, nulls: int = 0) -> Evidence:
    return Evidence(name, "text", rows or len(values), nulls, len(values), values)


def whole(name: str, low: int, high: int, distinct: int, rows: int, sequential: bool = False) -> Evidence:
    values = [str(n) for n in range(low, low + distinct)]
    return Evidence(name, "integer", rows, 0, distinct, values, low, high, sequential)


@pytest.mark.parametrize(
    ("evidence", "role"),
    [
        (Evidence("x", "empty", 5, 5, 0, []), "empty"),
        (Evidence("when", "date", 5, 0, 5, []), "time"),
        (text("country", ["US"], rows=10), "constant"),
        (text("active", ["Yes", "No"], rows=10), "boolean"),
        (text("size", ["Big", "Small"], rows=10), "category"),
        (whole("survived", 0, 1, 2, 100), "boolean"),
        (whole("release_year", 1925, 2021, 90, 1000), "time"),
        (whole("year_total", 5, 90000, 900, 1000), "measure"),
        (whole("CustomerID", 1, 900, 900, 5000), "identifier"),
        (whole("Row ID", 1, 5000, 5000, 5000, True), "identifier"),
        (whole("counter", 0, 99, 100, 100, True), "identifier"),
        (whole("rank", 1, 100, 100, 100, True), "measure"),
        (whole("engines", 1, 4, 4, 3000), "category"),
        (whole("quantity", 1, 9, 9, 3000), "measure"),
        (whole("postal_code", 1040, 99301, 600, 9000), "geography"),
        (Evidence("lat", "number", 9, 0, 9, [], 1.0, 2.0), "geography"),
        (Evidence("price", "number", 9, 0, 9, [], 1.0, 2.0), "measure"),
        (text("region", ["North", "South", "East"], rows=90), "geography"),
        (text("order_id", ["A-1", "A-2"], rows=90), "identifier"),
        (text("show", [f"s{n}" for n in range(50)]), "identifier"),
        (text("iata", ["ABE", "ABI", "JFK"]), "identifier"),
        (text("title", ["The Long Road", "A Day Out", "Home Again"]), "text"),
        (text("note", ["one two three four five six seven eight nine ten"] * 3, rows=9), "text"),
        (Evidence("tags", "json", 5, 0, 5, []), "list"),
    ],
)
def test_roles(evidence: Evidence, role: str) -> None:
    assert role_of(evidence) == role


def test_lists_are_told_from_sentences_and_from_fixed_pairs() -> None:
    genres = [
        "Drama, Comedy",
        "Drama",
        "Comedy, Action, Drama",
        "Action",
        "Action, Comedy",
        "Drama, Action, Comedy",
    ]
    assert separator_of(genres) == ", "
    assert separator_of([genre.replace(", ", "|") for genre in genres]) == "|"
    sentences = [f"After {n} years, a hero {n} returns, and nothing {n} is the same" for n in range(20)]
    assert separator_of(sentences) == ""
    places = [f"{city}, {state}" for city in ("Salem", "Troy", "Paris") for state in ("OR", "NY", "TX")]
    assert separator_of(places) == ""
    assert separator_of([]) == ""


def test_words_of_names() -> None:
    assert words("CustomerID") == ["customer", "id"]
    assert words("Total Volume (kg)") == ["total", "volume", "kg"]
    assert words("4046") == ["4046"]


def test_numbers_with_a_decimal_comma_are_no_lists() -> None:
    values = [f"{n},{n % 7}0" for n in range(100, 400)] + ["k.A."] * 3
    assert separator_of(values) == ""
    assert separator_of([f"{n},{n % 3}" for n in range(300)] + ["1.234,50 €"] * 20) == ""

"""Words become tokens in one way everywhere."""

from __future__ import annotations

import pytest

from lakebook.exploration.words import singular, tokens


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("TotalVolume of the prices in Mar 2020", ["volume", "price", "march", "2020"]),
        ("wu334", ["wu334", "wu", "334"]),
        ("HTTPServer_log", ["http", "server", "log"]),
        ("Köln Straße Ärzte", ["koln", "strasse", "arzte"]),
        ("東京の人口", ["東京", "京の", "の人", "人口"]),
        ("sept SEPTEMBER Sep", ["september"] * 3),
        ("", []),
        ("the of in", []),
    ],
)
def test_tokens(text: str, found: list[str]) -> None:
    assert tokens(text) == found


def test_a_question_loses_words_about_its_form_and_a_text_does_not() -> None:
    text = "round to 2 decimal places: percentage of beaches"
    assert tokens(text, question=True) == ["2", "beach"]
    assert "percentage" in tokens(text)


def test_plurals() -> None:
    pairs = {"cities": "city", "prices": "price", "beaches": "beach", "boxes": "box"}
    assert {word: singular(word) for word in pairs} == pairs
    assert [singular(word) for word in ("class", "gas", "status", "analysis", "bus")] == [
        "class",
        "gas",
        "status",
        "analysis",
        "bus",
    ]


def test_a_sequence_is_no_word() -> None:
    assert tokens("ACGT" * 40 + " gene") == ["gene"]

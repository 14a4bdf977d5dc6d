from __future__ import annotations

import pytest

from lakebook.analyst.phrases import holds, identifier, label, listed, number, quoted, short_title, spec_for
from lakebook.analyst.play import ClaimDraft, InsightDraft
from lakebook.analyst.render import ClaimFails, insight_from_draft, render_claim, render_insight


@pytest.mark.parametrize(
    ("value", "spec", "shown"),
    [
        (1234.5678, ",.2f", "1,234.57"),
        (0.1234, ".1%", "12.3%"),
        (12345, ",d", "12,345"),
        (12.0, ",d", "12"),
        (-0.001, ".2f", "0.00"),
        (-0.0004, ".1%", "0.0%"),
        (-3.25, ".1f", "-3.2"),
        ("West", "", "West"),
        (2020, "", "2020"),
    ],
)
def test_values_are_printed_as_the_format_says(value, spec: str, shown: str) -> None:
    assert render_claim(value, spec) == shown


@pytest.mark.parametrize(
    ("value", "spec"),
    [
        (None, ",d"),
        (float("nan"), ".1f"),
        (float("inf"), ""),
        ("x", ".1f"),
        (1.5, ",d"),
        (True, ",d"),
        ("", ""),
    ],
)
def test_what_cannot_be_printed_is_refused(value, spec: str) -> None:
    with pytest.raises(ClaimFails):
        render_claim(value, spec)


def test_a_sentence_carries_its_claims() -> None:
    draft = InsightDraft("{where} has {rows} rows.", (label("where", "top"), number("rows", "len(df)")))
    text, claims = render_insight(
        draft, {"where": "West", "rows": 1200}, first=7, record="r003", columns=("a",), rows=9
    )
    assert text == "West has 1,200 rows."
    assert [claim.id for claim in claims] == ["c007", "c008"]
    assert (claims[1].shown, claims[1].value, claims[1].record, claims[1].expression) == (
        "1,200",
        1200,
        "r003",
        "len(df)",
    )


def test_a_column_name_keeps_its_case_and_our_own_word_gets_a_capital() -> None:
    assert render_insight(InsightDraft("price is high.", ()), {})[0] == "price is high."
    draft = InsightDraft("{none} is empty.", (holds("none", "x", "no cell", absence=True),))
    assert render_insight(draft, {"none": True})[0] == "No cell is empty."


@pytest.mark.parametrize("value", [False, None, 1, "True"])
def test_a_word_that_does_not_hold_withholds_the_sentence(value) -> None:
    draft = InsightDraft("It {rises}.", (holds("rises", "slope > 0", "rises"),), caution=True)
    insight = insight_from_draft(draft, {"rises": value}, id="i1", step="s01")
    assert (insight.verdict, insight.text, insight.claims) == ("withheld", "", ())
    assert "does not hold" in insight.reason
    assert insight.caution


def test_a_word_that_holds_is_shown() -> None:
    draft = InsightDraft("It {rises}.", (holds("rises", "slope > 0", "rises"),))
    insight = insight_from_draft(draft, {"rises": True}, id="i1", step="s01")
    assert (insight.verdict, insight.text) == ("verified", "It rises.")


@pytest.mark.parametrize(
    ("template", "claims", "values"),
    [
        ("{a} and {b}", (number("a", "1"),), {"a": 1}),
        ("{a}", (number("a", "1"),), {}),
        ("{a}", (ClaimDraft("a", "x", ".1f"),), {"a": None}),
    ],
)
def test_an_unfilled_place_or_missing_value_withholds(template: str, claims, values) -> None:
    assert insight_from_draft(InsightDraft(template, claims), values, id="i", step="s").verdict == "withheld"


def test_values_that_look_like_places_are_not_filled_again() -> None:
    draft = InsightDraft("{a} {b}", (label("a", "x"), label("b", "y")))
    assert render_insight(draft, {"a": "{b}", "b": "B"})[0] == "{b} B"


def test_phrases() -> None:
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["a"]) == "a"
    assert listed([]) == ""
    assert listed([f"c{i}" for i in range(9)], most=2) == "c0, c1 and others"
    assert quoted("4046") == "“4046”"
    assert quoted("total\nvolume") == "total volume"
    assert len(short_title("word " * 40)) <= 80
    assert short_title("short") == "short"
    assert [spec_for(v) for v in (12345.0, 123.0, 1.5, 0.01, None)] == [
        ",.0f",
        ",.1f",
        ",.2f",
        ",.3f",
        ",.3f",
    ]


@pytest.mark.parametrize(
    "name", ["Average Price", "4046", "class", "größe", "数", "", "a" * 90, "x;import os", "{b}"]
)
def test_identifiers_are_valid_names(name: str) -> None:
    made = identifier("trend", name)
    assert made.isidentifier()
    assert made.startswith("trend")
    assert identifier(name).isidentifier()

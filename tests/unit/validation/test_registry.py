from __future__ import annotations

from pathlib import Path

import pytest

from lakebook.operators.record import Finding, Verdict
from lakebook.validation.catalogue import render
from lakebook.validation.nearest import fold, nearest, same_but_for_writing
from lakebook.validation.registry import rule, rules, verdict


def test_the_document_is_what_the_registry_says() -> None:
    document = Path(__file__).parents[3] / "docs/rules.md"
    assert document.read_text() == render(), "run: python -m lakebook.validation.catalogue > docs/rules.md"


def test_every_rule_says_what_it_needs() -> None:
    known = rules()
    assert len(known) >= 30
    assert len({one.id for one in known}) == len(known)
    for one in known:
        assert one.detects
        assert one.evidence
        assert one.reference
        assert one.action in ("reject", "advise")


def test_the_rules_that_were_promised_are_there() -> None:
    promised = ["B1", "B2", "B3", "B12", "F1", "F2", "F5", "F7", "F8", "F9", "J1", "J3", "J4", "J6"]
    promised += ["A3", "A4", "A6", "O1", "O2", "O11", "L1", "L2"]
    assert set(promised) <= {one.id for one in rules()}


def test_an_id_is_given_once() -> None:
    rules()
    with pytest.raises(ValueError, match="twice"):
        rule("B1", operator="Query", detects="", evidence="", action="advise", reference="")(lambda i, k: ())


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ([], "pass"),
        (["advise"], "advise"),
        (["advise", "reject"], "reject"),
        (["not_checked"], "not_checked"),
        (["not_checked", "advise"], "advise"),
    ],
)
def test_the_gravest_finding_decides(actions: list[Verdict], expected: Verdict) -> None:
    assert verdict([Finding("X", action, "m") for action in actions]) == expected


def test_nearest_puts_equal_writing_first() -> None:
    assert nearest("total volume", ["total_bags", "Total_Volume", "volume"])[0] == "Total_Volume"
    assert nearest("zzz", ["a", "b"]) == ()
    assert nearest("Boing", ["Boeing", "Airbus", "Boeing Co"], most=1) == ("Boeing",)
    assert same_but_for_writing("new-york ", ["New York", "York"]) == ("New York",)
    assert fold("Ａ_b  C") == "a b c"

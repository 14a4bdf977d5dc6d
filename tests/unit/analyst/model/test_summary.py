"""The summary: sentences that retell checked statements pass; anything that adds to them does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from lakebook.analyst.intent import Intent
from lakebook.analyst.model.analyst import ModelAnalyst, Summary, statements_of
from lakebook.analyst.model.protocol import BadReply
from lakebook.analyst.model.summary import sentences_from
from lakebook.analyst.plan import Finding
from lakebook.analyst.table import Table

INTENT = Intent("which regions lose profit?", "compare", target="Profit")
GOOD = (
    "Profit is highest for {c001} ({c002}).",
    "Over all rows Profit {c005} with Discount.",
    "Profit is below zero in {c007} of the rows.",
)
Opened = Callable[..., ModelAnalyst]


def sentences(*texts: str) -> str:
    return json.dumps({"sentences": list(texts)})


def read(findings: tuple[Finding, ...], table: Table, *texts: str) -> tuple[str, ...]:
    names = [column.name for column in table.columns]
    made = sentences_from(sentences(*texts), statements_of(findings), names)
    return tuple(sentence.text for sentence in made)


def test_places_are_filled_by_code(findings: tuple[Finding, ...], table: Table) -> None:
    assert read(findings, table, *GOOD) == (
        "Profit is highest for CANARYnorth (99,123.25).",
        "Over all rows Profit falls with Discount.",
        "Profit is below zero in 18.70 of the rows.",
    )


def test_claims_stand_in_the_order_of_the_text(findings: tuple[Finding, ...], table: Table) -> None:
    made = sentences_from(sentences(*reversed(GOOD)), statements_of(findings), ["Profit", "Discount"])
    ids = [claim.id for claim in Summary(made).claims]
    assert ids == ["c007", "c005", "c001", "c002"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Profit is highest for {c001} ({c002}) and lowest for {c003} ({c004}).",
        "The lowest is {c003} ({c004}).",
        "Discount goes with it ({c006}).",
        "Among the rows, {c007} lie there.",
        "{c005} with Discount (rank correlation {c006}).",
    ],
)
def test_shortened_statements_pass(findings: tuple[Finding, ...], table: Table, sentence: str) -> None:
    others = [text for text in GOOD if text != sentence]
    assert len(read(findings, table, sentence, *others[-2:])) == 3


@pytest.mark.parametrize(
    ("sentence", "fault"),
    [
        ("Profit is highest for {c001} (99,123.25).", "digit"),
        ("Profit is below zero in {c007} of ² rows.", "digit"),
        ("Profit is highest for {c001} in Q3 ({c002}).", "digit"),
        ("Profit is highest for c001 ({c002}).", "digit"),
        ("Profit is highest for {c099}.", "not there"),
        ("Profit is highest for {top}.", "not there"),
        ("Profit is highest for {c001 } and {c002}.", "touches"),
        ("Profit is highest for {c001} (-{c002}).", "touches"),
        ("Profit is highest for {c001} ({c002}k).", "touches"),
        ("Profit is highest for {c001} ({c002}%).", "touches"),
        ("Profit is highest for {c001}.{c002}.", "touches"),
        ("Discount drives it, with {c006}.", "causes"),
        ("Profit {c005} because of Discount.", "causes"),
        ("Profit {c005} due to Discount.", "causes"),
        ("The impact of Discount is {c006}.", "causes"),
        ("Discount causes what {c005}.", "causes"),
        ("Profit is twice as high for {c001}.", "which way"),
        ("Profit rises with Discount ({c006}).", "which way"),
        ("Profit is above zero in {c007} of the rows.", "which way"),
        ("Profit is not below zero in {c007} of the rows.", "which way"),
        ("Profit is below zero in {c007} percent of the rows.", "which way"),
        ("Profit is below zero in three rows and {c007}.", "which way"),
        ("Profit is highest for {c003} ({c004}).", "order"),
        ("Profit is highest for {c002} ({c001}).", "order"),
        ("Profit is highest for {c001} and lowest for {c003}.", "order"),
        ("Profit is highest for {c001} with {c007}.", "mixed"),
        ("Profit is interesting.", "no placeholder"),
        ("Texas has Profit in {c007} of the rows.", "name"),
        ("Profit is highest for {c001} of Texas ({c002}).", "name"),
    ],
)
def test_what_is_added_or_turned_round_is_refused(
    findings: tuple[Finding, ...], table: Table, sentence: str, fault: str
) -> None:
    with pytest.raises(BadReply, match=fault) as refused:
        read(findings, table, sentence, *GOOD[1:])
    assert "Texas" not in refused.value.message  # a reader sees the message, never the words


@pytest.mark.parametrize(
    ("texts", "fault"),
    [
        (GOOD[:2], "2 sentences"),
        ((*GOOD, *GOOD, GOOD[0]), "7 sentences"),
        ((*GOOD, GOOD[0]), "twice"),
        ((GOOD[0].replace("is", "is " + "really " * 120), *GOOD[1:]), "words, more than 120"),
    ],
)
def test_length_is_bounded(
    findings: tuple[Finding, ...], table: Table, texts: tuple[str, ...], fault: str
) -> None:
    with pytest.raises(BadReply, match=fault):
        read(findings, table, *texts)


def test_sentences_in_one_text_are_told_apart(findings: tuple[Finding, ...], table: Table) -> None:
    assert len(read(findings, table, " ".join(GOOD))) == 3
    with pytest.raises(BadReply, match="no placeholder"):
        read(findings, table, f"{GOOD[0]} That is good.", GOOD[1])


@pytest.mark.parametrize("reply", ['{"sentences": "one"}', '{"sentences": [1]}', '{"other": []}'])
def test_another_form_is_refused(findings: tuple[Finding, ...], reply: str) -> None:
    with pytest.raises(BadReply, match="list"):
        sentences_from(reply, statements_of(findings), [])


def test_only_what_is_published_verified_and_supported_is_offered(
    make_finding: Callable[..., Finding], make_claim: Callable[..., Any]
) -> None:
    one = make_claim(8, "n", "12.00")
    for more in ({"published": False}, {"verdict": "suggestive"}, {"held": "withheld"}):
        assert statements_of((make_finding("s04", "It is {n}.", one, **more),)) == ()
    assert statements_of((make_finding("s04", "It is not {n}.", one),)) == ()
    assert statements_of((make_finding("s04", "It is so.", one),)) == ()
    assert [s.text for s in statements_of((make_finding("s04", "It is {n}.", one),))] == ["It is {c008}."]


def test_a_good_summary_costs_one_call(
    endpoint: Any, analyst: Opened, table: Table, findings: tuple[Finding, ...]
) -> None:
    endpoint.says(sentences(*GOOD))
    summary = analyst().summarize(INTENT, table, findings)
    assert (len(summary.sentences), summary.reason, len(endpoint.bodies)) == (3, "", 1)


def test_one_more_try_with_the_fault_named(
    endpoint: Any, analyst: Opened, table: Table, findings: tuple[Finding, ...]
) -> None:
    endpoint.says(sentences("Profit is 12.", *GOOD), sentences(*GOOD))
    summary = analyst().summarize(INTENT, table, findings)
    assert len(summary.sentences) == 3
    assert "no placeholder" in endpoint.bodies[1]["messages"][-1]["content"]
    assert len(endpoint.bodies) == 2


@pytest.mark.parametrize(
    ("answer", "reason", "calls"),
    [
        (sentences("Profit is 12 for {c001}.", *GOOD[1:]), "digit", 3),
        ("nonsense", "no JSON", 3),
        (500, "status 500", 3),
    ],
)
def test_else_the_offline_answer_stays(
    endpoint: Any,
    analyst: Opened,
    table: Table,
    findings: tuple[Finding, ...],
    answer: Any,
    reason: str,
    calls: int,
) -> None:
    endpoint.says(answer)
    used = analyst()
    summary = used.summarize(INTENT, table, findings)
    assert summary.sentences == ()
    assert reason in summary.reason
    assert len(endpoint.bodies) == calls
    assert "the offline analyst did it" in used.notes[0]


def test_too_little_to_summarize_asks_nobody(
    endpoint: Any, analyst: Opened, table: Table, findings: tuple[Finding, ...]
) -> None:
    summary = analyst().summarize(INTENT, table, findings[:1])
    assert "too few" in summary.reason
    assert endpoint.bodies == []

"""The rules of Load, Compute and Answer."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from lakebook.analyst.claim import Claim
from lakebook.analyst.table import Table, TableColumn
from lakebook.operators.record import ExecutionRecord, Finding
from lakebook.sources.card import Column, RejectedRow, SourceCard, SourceUnit, ValueCount
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import check

UNIT = SourceUnit(
    "", "table", "t", rows=8, rows_in_file=10, rows_rejected=1, rows_skipped=1,
    columns=(Column("a", "a", "text", "text", 0, 3), Column("b", "b", "integer", "measure", 0, 3)),
    rejected=(RejectedRow(7, "too many fields", "x,y,z"),),
)  # fmt: skip


def load(unit: SourceUnit, rule: str) -> list[Finding]:
    card = SourceCard("t.csv", "ok", "csv", 1, "0" * 64, units=(unit,))
    found = check(Invocation("Load", card=card, unit=unit), Knowledge(), "before")
    return [finding for finding in found if finding.rule == rule]


def test_l2_rejects_an_account_that_does_not_add_up() -> None:
    (finding,) = load(replace(UNIT, rows=7), "L2")
    assert finding.action == "reject"
    assert "10 in the file" in finding.observed


def test_l2_advises_on_rejected_rows_with_the_first_line() -> None:
    (finding,) = load(UNIT, "L2")
    assert finding.action == "advise"
    assert "line 7: too many fields" in finding.observed


def test_l2_is_silent_when_every_row_is_in() -> None:
    assert load(replace(UNIT, rows=10, rows_rejected=0, rows_skipped=0), "L2") == []
    assert load(SourceUnit("", "text", "", text_length=9), "L2") == []


def named(*names: str) -> SourceUnit:
    return replace(UNIT, columns=tuple(Column(name, name, "text", "text", 0, 3) for name in names))


@pytest.mark.parametrize("names", [("a;b;c",), ("a\tb",), ("Unnamed: 0", "Unnamed: 1", "x"), ("", " ", "x")])
def test_l1_advises_on_a_misread_table(names: tuple[str, ...]) -> None:
    assert [finding.action for finding in load(named(*names), "L1")] == ["advise"]


@pytest.mark.parametrize("names", [("a",), ("Unnamed: 0", "x", "y"), ("a; b", "c")])
def test_l1_is_silent_on_plain_tables(names: tuple[str, ...]) -> None:
    assert load(named(*names), "L1") == []


def test_l3_advises_on_wrongly_decoded_text() -> None:
    spoilt = Column("city", "city", "text", "category", 0, 1, values=(ValueCount("ZÃ¼rich", 3),))
    assert [finding.rule for finding in load(replace(UNIT, columns=(spoilt,)), "L3")] == ["L3"]
    right = replace(spoilt, values=(ValueCount("Zürich", 3), ValueCount("São Paulo", 1)))
    assert load(replace(UNIT, columns=(right,)), "L3") == []


TABLE = Table(
    "t", "t.csv", "", "0" * 64, 100, 100,
    (TableColumn("city", "text", "dim", 4, 9), TableColumn("kind", "text", "dim", 0, 2)), "df = 1",
)  # fmt: skip


def compute(code: str, rule: str) -> list[Finding]:
    invocation = Invocation("Compute", {"code": code}, table=TABLE, tree=ast.parse(code))
    return [finding for finding in check(invocation, Knowledge(), "before") if finding.rule == rule]


@pytest.mark.parametrize(
    "call",
    [
        "base.groupby('city').sum()",
        "base.groupby(['kind', 'city'], observed=True).size()",
        "base.groupby(by='city')",
    ],
)
def test_a4_advises_on_a_group_key_with_nulls(call: str) -> None:
    (finding,) = compute(f"x = {call}", "A4")
    assert finding.observed == "4 of 100 rows have none"


@pytest.mark.parametrize(
    "call", ["base.groupby('city', dropna=False)", "base.groupby('kind')", "base.groupby(keys)"]
)
def test_a4_is_silent_where_nothing_is_lost_or_it_is_said(call: str) -> None:
    assert compute(f"x = {call}", "A4") == []


@pytest.mark.parametrize(
    "code", ["df[df['a'] > 3]['b'] = 1", "df[df.a == 3]['b'] += 1", "df[m & n]['b'] = 0"]
)
def test_o12_rejects_chained_assignment(code: str) -> None:
    assert [finding.action for finding in compute(code, "O12")] == ["reject"]


@pytest.mark.parametrize(
    "code", ["df.loc[df['a'] > 3, 'b'] = 1", "facts['a']['b'] = 1", "df['b'] = 1", "x[0][1] = 2"]
)
def test_o12_is_silent_on_assignments_that_arrive(code: str) -> None:
    assert compute(code, "O12") == []


@pytest.mark.parametrize(
    "code", ["df.dropna()\nx = 1", "x = df.dropna(inplace=True)", "df.sort_values('a')\nx = 1"]
)
def test_o13_rejects_results_that_are_lost(code: str) -> None:
    assert [finding.action for finding in compute(code, "O13")] == ["reject"]


@pytest.mark.parametrize(
    "code",
    [
        "df = df.dropna()",
        "df.dropna(inplace=True)\nx = 1",
        "x = 1\ndf.sort_values('a')",
        "names.append(1)\nx = 1",
    ],
)
def test_o13_is_silent_on_results_that_are_kept_or_shown(code: str) -> None:
    assert compute(code, "O13") == []


CLAIM = Claim("c001", "peak", "number", "facts['peak']", 1234.5, "1,234.50", record="r001")
RECORD = ExecutionRecord("r001", "Compute", "p", {})


def answer(
    text: str, claims: tuple[Claim, ...], records: tuple[ExecutionRecord, ...] = (RECORD,)
) -> list[str]:
    invocation = Invocation("Answer", text=text, claims=claims, records=records)
    return [finding.rule for finding in check(invocation, Knowledge(), "before")]


@pytest.mark.parametrize(
    "text", ["It peaked at 1,234.50 and 17 more.", "In 2017 it peaked.", "A fall of -3.2%.", "31,234.50"]
)
def test_o9_rejects_numbers_that_nobody_computed(text: str) -> None:
    assert "O9" in answer(text, (CLAIM,))


@pytest.mark.parametrize(
    "text", ["It peaked at 1,234.50.", "(1,234.50)", "No number at all.", "PM10 and h2o are names."]
)
def test_o9_is_silent_on_claimed_numbers(text: str) -> None:
    assert answer(text, (CLAIM,)) == []


def test_o10_rejects_claims_without_a_sound_record() -> None:
    failed = replace(RECORD, error="NameError: x")
    assert answer("", (CLAIM,), ()) == ["O10"]
    assert answer("", (CLAIM,), (failed,)) == ["O10"]
    assert answer("", (CLAIM,), (replace(RECORD, verdict="reject"),)) == ["O10"]
    assert answer("", (CLAIM,)) == []

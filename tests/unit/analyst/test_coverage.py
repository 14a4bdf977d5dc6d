"""What was asked is answered: the target, each group that the sentence names, and nothing else as a "no"."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

from lakebook.analyst.claim import Claim, Insight
from lakebook.analyst.coverage import asked_for, asks_when, directness, needs, place_of
from lakebook.analyst.intent import Intent
from lakebook.analyst.intent_reader import read_intent
from lakebook.analyst.offline import find_structure
from lakebook.analyst.plan import Finding, Plan
from lakebook.analyst.planner import make_plan
from lakebook.analyst.play import FindingDraft, Test
from lakebook.analyst.plays import all_plays
from lakebook.analyst.plays.closing import closing_sections
from lakebook.analyst.plays.smaller_checks import SmallerChecks
from lakebook.analyst.selection import Computed, led_by_title, select

LOSSES = "which states and products lose money, and why?"


@pytest.fixture
def plan_of(table_of: Callable, kernel_of: Callable) -> Callable[[pd.DataFrame, str], Plan]:
    def plan(frame: pd.DataFrame, text: str) -> Plan:
        table = table_of(frame)
        intent = read_intent(text, table)
        table, _ = find_structure(table, intent, kernel_of(frame).run)
        return make_plan(table, intent, all_plays())

    return plan


def pairs(plan: Plan) -> set[tuple[str, str]]:
    return {(step.play, column) for step in plan.steps for column in step.candidate.columns}


def test_a_forecast_gets_its_core_plays_on_the_target(panel, plan_of) -> None:
    plan = plan_of(panel, "build a time-series model to forecast the price")
    assert plan.intent.target == "price"
    on_target = {step.play for step in plan.steps if step.candidate.columns[0] == "price"}
    assert {"T01", "T02", "T04", "T05", "T06", "T08"} <= on_target


def test_every_group_that_is_named_gets_its_comparison(orders, plan_of) -> None:
    plan = plan_of(orders, LOSSES)
    assert plan.intent.columns[:2] == ("State", "Product")
    assert {("G02", "State"), ("G02", "Product")} <= pairs(plan)
    assert {("G03", "State"), ("G03", "Product")} <= pairs(plan) or {
        ("G01", "State"),
        ("G01", "Product"),
    } <= pairs(plan)
    assert ("G10", "Discount") in pairs(plan)


def test_a_cause_is_looked_for_in_one_group_more(orders, plan_of) -> None:
    why = [s for s in plan_of(orders, "which areas lose money, and why?").steps if s.play == "G02"]
    assert any("Area" in step.candidate.columns for step in why)
    assert any(not {"Area"} & set(step.candidate.columns) for step in why)


def test_one_column_is_not_described_twice(orders, plan_of) -> None:
    for text in ("predict the profit", LOSSES, "describe the profit", "find unusual profits"):
        plays = {step.play for step in plan_of(orders, text).steps if step.candidate.columns[0] == "Profit"}
        assert not {"U01", "R06"} <= plays


def test_time_is_looked_at_first_only_where_it_is_asked_for(orders, plan_of) -> None:
    when = [s.play for s in plan_of(orders, "how did profit change over time, by product?").steps]
    assert {"T01", "T09"} & set(when)
    assert asks_when(Intent("when are delays longest?", "compare"))
    assert not asks_when(Intent("which shops lose money?", "compare"))


COMPARE = Intent("which regions lose money?", "compare", target="Profit", columns=("Region", "Profit"))


@pytest.mark.parametrize(
    ("play", "columns", "asked"),
    [
        ("G01", ("Profit", "Region"), True),
        ("G02", ("Profit", "Region", "Sales"), True),
        ("G01", ("Profit", "Ship Mode"), False),
        ("G03", ("Returns", "Orders", "Region"), False),
        ("U01", ("Profit",), True),
        ("U01", ("Sales",), False),
        ("T09", ("Profit", "Date"), False),
        ("R02", ("Profit", "Sales"), False),
    ],
)
def test_what_a_question_asks_for(play: str, columns: tuple[str, ...], asked: bool) -> None:
    assert asked_for(play, columns, COMPARE) is asked


def test_the_season_is_asked_for_by_its_own_words() -> None:
    course = Intent("how did it change over time?", "describe")
    assert asked_for("T01", ("date",), course)
    assert not asked_for("T02", ("date",), course)
    assert asked_for("T02", ("date",), replace(course, text="in which months do titles come, and when?"))
    assert place_of("T09", ("date",), course) == place_of("T01", ("date",), course)


def test_named_groups_answer_most_directly() -> None:
    why = replace(COMPARE, others=("regress",))
    assert directness("G02", ("Profit", "Region", "Sales"), why) == 2
    assert directness("G02", ("Profit", "Product", "Sales"), why) == 1
    assert directness("G10", ("Discount", "Profit"), why) in (0, 1)
    assert directness("R01", ("Profit", "Region", "Sales"), why) == 1
    assert directness("U01", ("Sales",), why) == 0


def test_a_second_purpose_and_a_question_of_time_are_asked_for_too() -> None:
    why = replace(COMPARE, others=("regress",))
    assert asked_for("G10", ("Region", "Profit"), why)
    assert asked_for("R01", ("Profit", "Sales"), why)
    when = replace(COMPARE, text="which regions lose money, and when?")
    assert asked_for("T09", ("Profit", "Date"), when)
    assert not asked_for("T09", ("Sales", "Date"), when)


def test_a_group_is_answered_by_its_sum_and_by_what_is_typical() -> None:
    whole = place_of("G02", ("Profit", "Region"), COMPARE)
    assert whole != place_of("G01", ("Profit", "Region"), COMPARE)
    assert place_of("G03", ("Profit", "Sales", "Region"), COMPARE) == place_of(
        "G01", ("Profit", "Region"), COMPARE
    )
    assert place_of("T04", ("a",), COMPARE) == place_of("T05", ("a",), COMPARE)


def test_needs_name_the_target_and_each_group(orders, table_of) -> None:
    table = table_of(orders)
    wanted = list(needs(read_intent(LOSSES, table), table))
    assert any(need.met_by("G02", ("Profit", "State", "Sales")) for need in wanted)
    assert any(need.met_by("G02", ("Profit", "Area")) and need.without for need in wanted)
    assert not any(need.met_by("T08", ("Profit", "Order Date")) for need in wanted)


def insight(text: str, **labels: str) -> Insight:
    claims = tuple(Claim("c", name, "label", "1", shown, shown) for name, shown in labels.items())
    return Insight("i", "s", text, text, claims, "verified")


def computed(step: str, play: str, columns: tuple[str, ...], verdict: str = "supported") -> Computed:
    said = (insight("One.", one="One"),)
    finding = Finding(step, play, f"k{step}", step, "", "", "", "", (), columns, "r", verdict, 0.0)
    draft = FindingDraft("t", "g", "m", (), verdict, effect=0.5)  # type: ignore[arg-type]
    return Computed(replace(finding, insights=said), draft)


def test_a_no_is_said_only_of_what_was_asked_and_only_once() -> None:
    items = [
        computed("s1", "G01", ("Profit", "Region"), "not_supported"),
        computed("s2", "G03", ("Profit", "Sales", "Region"), "not_supported"),
        computed("s3", "G01", ("Profit", "Ship Mode"), "not_supported"),
        computed("s4", "G02", ("Profit", "Region", "Sales")),
        computed("s5", "G02", ("Profit", "Ship Mode", "Sales")),
    ]
    shown = {f.step for f in select(items, COMPARE).findings if f.published}
    assert {"s4", "s5"} <= shown
    assert len({"s1", "s2"} & shown) == 1
    assert "s3" not in shown


def test_a_yes_that_fails_the_control_is_a_hint_and_never_a_no() -> None:
    weak = computed("s1", "G01", ("Profit", "Region"))
    weak = replace(weak, draft=replace(weak.draft, effect=0.2, tests=(Test("t", 0.04, 9),)))
    noise = computed("s2", "U01", ("Sales",))
    noise = replace(noise, draft=replace(noise.draft, tests=tuple(Test("n", 0.9, 9) for _ in range(9))))
    found = {f.step: f for f in select([weak, noise], COMPARE).findings}
    assert (found["s1"].verdict, found["s1"].published) == ("suggestive", True)
    assert found["s1"].insights[-1].caution
    assert "a hint, no proof" in found["s1"].insights[-1].text
    unasked = replace(weak, finding=replace(weak.finding, columns=("Profit", "Ship Mode")))
    assert not select([unasked, noise], COMPARE).findings[0].published


def test_what_was_asked_is_shown_before_what_scores_well() -> None:
    asked = [computed("s00", "G02", ("Profit", "Region"))]
    others = [computed(f"s{n:02d}", "U03", (f"c{n}", f"d{n}")) for n in range(1, 30)]
    weights = {"s00": 0.05} | {f"s{n:02d}": 1.0 for n in range(1, 30)}
    shown = {f.step for f in select([*others, *asked], COMPARE, weights).findings if f.published}
    assert "s00" in shown


def test_the_first_sentence_speaks_of_what_the_title_names() -> None:
    first = insight("Copiers make 55,618 of Profit.", top="Copiers")
    second = insight("Tables lose Profit.", low="Tables")
    said = led_by_title("Tables adds up to a loss of Profit", ("Profit", "Sub-Category"), (first, second))
    assert [i.text for i in said] == [second.text, first.text]
    kept = led_by_title("Copiers contributes most to Profit", ("Profit",), (first, second))
    assert kept == (first, second)


def test_a_caution_is_never_moved_to_the_front() -> None:
    first = insight("41 pairs were tested.")
    caution = replace(insight("State and Profit are linked by rule."), caution=True)
    second = insight("Profit and State go together.")
    said = led_by_title("Profit goes most closely with State", ("Profit", "State"), (first, caution, second))
    assert said == (second, first, caution)


def test_the_answer_goes_through_the_groups_of_the_question(orders, plan_of) -> None:
    plan = plan_of(orders, LOSSES)
    items = [
        computed("s1", "G02", ("Profit", "Product")),
        computed("s2", "G02", ("Profit", "State")),
        computed("s3", "G10", ("Discount", "Profit")),
        computed("s4", "G01", ("Profit", "State"), "not_supported"),
    ]
    answer, limits = closing_sections(plan, select(items, plan.intent))
    assert (
        answer.index("by State, [s2]") < answer.index("by Product, [s1]") < answer.index("beyond that, [s3]")
    )
    assert "Where the answer is no: [s4]" in answer
    assert "For a reason, start with what goes along most with Profit: [s3]" in limits


def test_the_smaller_checks_claim_only_what_is_recorded(panel, table_of, kernel_of, describe) -> None:
    kernel = kernel_of(panel)
    table, _ = find_structure(table_of(panel), describe, kernel.run)
    [(candidate, facts, draft)] = kernel.play(SmallerChecks(), table, describe)
    claims = [claim for said in draft.insights for claim in said.claims]
    assert any(candidate.key in claim.expression for claim in claims)
    space = {candidate.key: facts, "df": panel, "base": panel, "pd": pd}
    for claim in claims:
        names = {n.id for n in ast.walk(ast.parse(claim.expression)) if isinstance(n, ast.Name)}
        assert "panel" not in names
        eval(claim.expression, dict(space))

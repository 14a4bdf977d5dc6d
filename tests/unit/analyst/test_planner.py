from __future__ import annotations

from dataclasses import replace

import pytest

from lakebook.analyst.claim import Claim, Insight
from lakebook.analyst.intent import Intent
from lakebook.analyst.intent_reader import read_intent
from lakebook.analyst.offline import find_structure, prepare_code
from lakebook.analyst.plan import Finding, Plan
from lakebook.analyst.planner import CORE, make_plan
from lakebook.analyst.play import FindingDraft, Test
from lakebook.analyst.plays import all_plays
from lakebook.analyst.plays.closing import closing_sections
from lakebook.analyst.selection import MOST, Computed, adjusted, select
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.notebooks.component import Component
from lakebook.retrieval.queries import eda_queries

FORECAST = "build a time-series model to forecast prices"


@pytest.fixture
def planned(panel, table_of, kernel_of):
    kernel = kernel_of(panel)
    intent = read_intent(FORECAST, table_of(panel))
    table, _ = find_structure(table_of(panel), intent, kernel.run)
    return table, intent


def test_a_forecast_is_planned_in_a_sensible_order(planned) -> None:
    plan = make_plan(*planned, all_plays())
    plays = [step.play for step in plan.steps]
    assert 10 <= len(plays) <= 18
    assert plays[:2] == ["S01", "S02"]
    assert {"S04", "S06", "S08", "T01", "T02"} <= set(plays)
    assert max(i for i, p in enumerate(plays) if p[0] == "S") < plays.index("T01") < plays.index("T02")
    assert [step.id for step in plan.steps] == [f"s{n:02d}" for n in range(1, len(plays) + 1)]
    assert len({step.candidate.key for step in plan.steps}) == len(plays)
    assert all(step.why for step in plan.steps)
    assert all(item.reason for item in plan.not_applicable)


def test_planning_is_deterministic_and_ignores_the_order_of_plays(planned) -> None:
    assert make_plan(*planned, all_plays()) == make_plan(*planned, tuple(reversed(all_plays())))


@pytest.mark.parametrize("kind", list(CORE))
def test_every_kind_of_intent_gives_a_plan(kind, planned) -> None:
    table, _ = planned
    plan = make_plan(table, Intent("x", kind, target="price"), all_plays())
    assert len(plan.steps) >= 8
    assert any(step.play in CORE[kind][:5] for step in plan.steps)


def test_one_play_does_not_fill_the_plan(planned) -> None:
    table, intent = planned
    for kind in CORE:
        plays = [s.play for s in make_plan(table, replace(intent, kind=kind), all_plays()).steps]
        assert max(plays.count(play) for play in plays) <= 3


def component(
    name: str, columns: tuple[str, ...], charts: tuple[str, ...]
) -> tuple[EnhancedComponent, Component]:
    enhanced = EnhancedComponent(
        name, "q01", "ok", code="", function=f"component_{name}", figures=1, columns=columns
    )
    old = Component(
        name, "old.ipynb", 3, "", (3,), (), "", "", columns=columns, chart_types=charts, heading="Old look"
    )
    return enhanced, old


def test_earlier_work_raises_what_it_looked_at_and_is_put_beside_it(planned) -> None:
    plain = {s.candidate.key: s.score for s in make_plan(*planned, all_plays()).steps}
    enhanced, old = component("abc", ("week", "price"), ("line",))
    plan = make_plan(*planned, all_plays(), [enhanced], {"abc": old})
    helped = [s for s in plan.steps if s.components == ("abc",)]
    assert len(helped) == 1
    assert {"week", "price"} <= set(helped[0].candidate.columns)
    assert helped[0].score >= plain.get(helped[0].candidate.key, 0.0)
    assert "earlier work" in helped[0].why


def test_a_component_that_fits_nothing_gets_a_step_and_a_failed_one_none(planned) -> None:
    odd, old = component("odd", ("weather",), ("pie",))
    failed = replace(odd, component="bad", status="failed")
    plan = make_plan(*planned, all_plays(), [odd, failed], {"odd": old})
    own = [s for s in plan.steps if s.play == "component"]
    assert [s.components for s in own] == [("odd",)]
    assert own[0].title == "Old look"


def test_a_component_is_placed_once(planned) -> None:
    enhanced, old = component("abc", ("week", "price"), ("line",))
    plan = make_plan(*planned, all_plays(), [enhanced, replace(enhanced, query="q02")], {"abc": old})
    assert sum("abc" in s.components for s in plan.steps) == 1


def test_queries_have_goals_and_known_columns(planned) -> None:
    table, intent = planned
    queries = eda_queries(intent, table)
    assert 6 <= len(queries) <= 12
    known = {c.name for c in table.columns}
    assert all(q.columns and set(q.columns) <= known and q.goal for q in queries)
    assert len({(q.goal, q.columns) for q in queries}) == len(queries)
    assert "over time" in queries[0].goal
    assert queries == eda_queries(intent, table)


@pytest.mark.parametrize("kind", list(CORE))
def test_queries_for_every_kind(kind, orders, table_of) -> None:
    queries = eda_queries(Intent("x", kind, target="Profit"), table_of(orders))
    assert 6 <= len(queries) <= 12
    assert any("Profit" in q.columns for q in queries)


def test_nothing_to_leave_out_is_said(table_of, orders) -> None:
    code = prepare_code(table_of(orders))
    assert code.endswith("base = df\n")
    assert code.startswith("#")


def insight(text: str, verdict: str = "verified", caution: bool = False) -> Insight:
    claim = Claim("c001", "n", "number", "1", 1, "1")
    return Insight("i", "s", text, text, (claim,), verdict, caution=caution)


def computed(
    step: str,
    play: str,
    verdict: str = "supported",
    tests: tuple[float, ...] = (),
    effect: float = 0.8,
    columns: tuple[str, ...] = ("a",),
    always: bool = False,
    insights: tuple[Insight, ...] | None = None,
) -> Computed:
    said = (insight("One."),) if insights is None else insights
    title = f"Title {step}"
    blank = Finding(step, play, f"k_{step}", title, "goal", "method", "", "", (), columns, "r", verdict, 0.0)
    drafted = tuple(Test(f"t{i}", p, 100) for i, p in enumerate(tests))
    draft = FindingDraft("t", "g", "m", (), verdict, effect=effect, tests=drafted, always=always)
    return Computed(replace(blank, insights=said), draft)


INTENT = Intent("describe", "describe")


def test_error_is_controlled_over_all_tests_of_the_notebook() -> None:
    weak = [computed(f"s{n:02d}", "G01", tests=(0.04,), effect=0.3) for n in range(10)]
    strong = computed("s99", "R01", tests=(1e-9, 0.9))
    found = select([*weak, strong], INTENT)
    verdicts = {f.step: f.verdict for f in found.findings}
    assert verdicts["s99"] == "supported"
    assert {verdicts[f"s{n:02d}"] for n in range(10)} == {"not_supported"}
    assert (found.tests_run, found.tests_kept) == (12, 1)


def test_alone_the_same_test_would_stand() -> None:
    assert select([computed("s01", "G01", tests=(0.04,))], INTENT).findings[0].verdict == "supported"
    big = [
        computed("s01", "G01", tests=(0.04,), effect=0.9),
        *[computed(f"s1{n}", "G01", tests=(0.9,)) for n in range(9)],
    ]
    assert select(big, INTENT).findings[0].verdict == "suggestive"


def test_adjusted_values_are_those_of_benjamini_and_yekutieli() -> None:
    harmonic = 1 + 1 / 2 + 1 / 3
    assert adjusted([0.001, 0.02, 0.2])[0] == pytest.approx(min(1, 0.001 * 3 * harmonic))
    assert adjusted([]) == []
    assert adjusted([float("nan")]) == [1.0]


def test_at_most_thirteen_are_published_and_trust_always_is() -> None:
    many = [computed(f"s{n:02d}", "G01", columns=(f"c{n}",)) for n in range(30)]
    trust = computed("s90", "S04", effect=0.01, always=True)
    found = select([*many, trust], INTENT)
    shown = [f for f in found.findings if f.published]
    assert len(shown) == MOST
    assert "s90" in {f.step for f in shown}
    assert all(f.reason for f in found.findings if not f.published)
    assert [f.step for f in found.findings] == [c.finding.step for c in [*many, trust]]


def test_a_negative_answer_is_published_only_if_it_was_asked_for() -> None:
    asked = computed("s01", "G02", "not_supported", columns=("a",))
    other = computed("s02", "M01", "not_supported")
    found = {f.step: f.published for f in select([asked, other], INTENT).findings}
    assert found == {"s01": True, "s02": False}


def test_what_could_not_be_verified_is_not_published() -> None:
    held_back = computed("s01", "G01", insights=(insight("", "withheld"),))
    empty = computed("s02", "G01", insights=())
    found = select([held_back, empty], INTENT).findings
    assert [f.published for f in found] == [False, False]
    assert [f.reason for f in found] == ["no sentence of it could be verified", "nothing was found"]


def test_the_closing_says_only_what_was_said_before(planned) -> None:
    table, intent = planned
    caution = insight("Only 7 rows.", caution=True)
    items = [
        computed("s01", "S01"),
        computed("s02", "T02", insights=(insight("It peaks."), caution)),
        computed("s03", "T08"),
    ]
    findings = select(items, intent)
    answer, limits = closing_sections(Plan(intent, table, ()), findings)
    assert answer.startswith("For a forecast of price")
    assert "[Title s02](#2.-Title-s02)" in answer
    assert "Only 7 rows." in limits
    assert "terms for the season ([Title s02](#2.-Title-s02))" in limits
    assert "Weight price by volume" in limits
    assert limits.startswith("## What this means for a forecast")
    assert "## Limits" in limits


@pytest.mark.parametrize("kind", list(CORE))
def test_the_closing_of_nothing_says_so(kind, planned) -> None:
    table, intent = planned
    plan = Plan(replace(intent, kind=kind), table, ())
    answer, limits = closing_sections(plan, select([], intent))
    assert "supports no finding" in answer
    assert limits.count("- ") >= 3

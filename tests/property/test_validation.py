"""Invariants of the query checks over many inputs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.validation.conditions import possibilities
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.nearest import fold, nearest
from lakebook.validation.registry import check
from lakebook.validation.statement import parse, where

_OPERATORS = {
    "=": lambda value, bound: value == bound,
    "<": lambda value, bound: value < bound,
    "<=": lambda value, bound: value <= bound,
    ">": lambda value, bound: value > bound,
    ">=": lambda value, bound: value >= bound,
}
conditions = st.lists(
    st.tuples(st.sampled_from(sorted(_OPERATORS)), st.integers(-3, 3)), min_size=1, max_size=5
)


@given(conditions)
def test_a_contradiction_is_exactly_what_no_number_fulfils(tests: list[tuple[str, int]]) -> None:
    sql = "select 1 from t where " + " and ".join(f"x {operator} {bound}" for operator, bound in tests)
    (scope,) = parse(sql).selects()
    (possible,) = possibilities(where(scope), scope).values()
    halves = [number / 2 for number in range(-10, 11)]  # also the numbers between the bounds
    fulfilled = any(all(_OPERATORS[operator](value, bound) for operator, bound in tests) for value in halves)
    assert possible.is_contradiction() is not fulfilled


@given(conditions)
def test_a_mirrored_comparison_means_the_same(tests: list[tuple[str, int]]) -> None:
    mirrored = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
    verdicts = []
    for parts in (
        [f"x {operator} {bound}" for operator, bound in tests],
        [f"{bound} {mirrored[operator]} x" for operator, bound in tests],
    ):
        (scope,) = parse("select 1 from t where " + " and ".join(parts)).selects()
        (possible,) = possibilities(where(scope), scope).values()
        verdicts.append(possible.is_contradiction())
    assert verdicts[0] == verdicts[1]


@settings(max_examples=200)
@given(st.text(alphabet="selctfromwh*(),.'\"=;1ab \n", max_size=40))
def test_no_text_breaks_the_checks(sql: str) -> None:
    invocation = Invocation("Query", {"sql": sql}, parse(sql))
    for finding in check(invocation, Knowledge(), "before"):
        assert finding.message
        assert finding.action in ("reject", "advise", "not_checked")


@given(st.text(max_size=20), st.lists(st.text(max_size=20), max_size=8))
def test_nearest_gives_known_names_and_the_same_spelling_first(wanted: str, known: list[str]) -> None:
    near = nearest(wanted, known)
    assert set(near) <= set(known)
    assert len(near) == len(set(near)) <= 3
    if any(fold(name) == fold(wanted) for name in known):
        assert fold(near[0]) == fold(wanted)

"""Each rule on what it is for, and on what it must leave alone."""

from __future__ import annotations

import ast

import pytest

from lakebook.enhancement.repairs import renamed
from lakebook.enhancement.repairs.registry import FIXES, RULES, answering, before_run
from lakebook.enhancement.repairs.rule import NO_FAULT, Fault
from lakebook.enhancement.repairs.seaborn_rules import palette_rule
from lakebook.enhancement.script import Script
from tests.unit.enhancement.repairs.cases import CHANGED, UNCHANGED

BY_KIND = {rule.kind: rule for rule in RULES}
OF_TABLE = {rule.kind for rule in renamed.RULES}


def mended(kind: str, code: str, fault: Fault) -> str:
    script, repairs = BY_KIND[kind].apply(Script.parse(code), fault)
    assert bool(repairs) is (str(script) != code)
    return str(script)


@pytest.mark.parametrize(("kind", "before", "after", "fault"), CHANGED)
def test_mends(kind: str, before: str, after: str, fault: Fault) -> None:
    assert mended(kind, before, fault) == after
    ast.parse(after)


@pytest.mark.parametrize(("kind", "code", "fault"), UNCHANGED)
def test_leaves_alone(kind: str, code: str, fault: Fault) -> None:
    assert mended(kind, code, fault) == code


@pytest.mark.parametrize(("kind", "before", "after", "fault"), CHANGED)
def test_a_rule_has_nothing_left_to_do_after_itself(kind: str, before: str, after: str, fault: Fault) -> None:
    assert mended(kind, after, fault) == after


@pytest.mark.parametrize(("kind", "before", "after", "fault"), CHANGED)
def test_the_fault_calls_for_the_rule(kind: str, before: str, after: str, fault: Fault) -> None:
    if fault is NO_FAULT:
        assert BY_KIND[kind] in before_run()
    else:
        assert BY_KIND[kind].answers(fault)


def test_every_rule_is_tried_both_ways() -> None:
    assert set(BY_KIND) - OF_TABLE == {kind for kind, *_ in CHANGED} == {kind for kind, *_ in UNCHANGED}


def test_rules_are_named_once_and_say_why() -> None:
    assert len(BY_KIND) == len(RULES)
    assert all(fix.why and fix.kind.isidentifier() for fix in FIXES)


def test_an_unknown_fault_is_answered_by_nothing() -> None:
    assert answering(Fault("ZeroDivisionError", "division by zero")) == ()
    assert all(not rule.answers(Fault("KeyError", "'x'")) for rule in before_run())


def test_the_palette_takes_the_axis_that_the_warning_names() -> None:
    rule = palette_rule(
        "Passing `palette` without assigning `hue` is deprecated. Assign the `y` variable to `hue`"
    )
    assert rule is not None
    call = "sns.boxplot(x='a', y='b', data=df, palette='pink')"
    assert str(rule.apply(Script.parse(call))[0]) == f"{call[:-1]}, hue='b', legend=False)"
    assert rule.apply(Script.parse("sns.boxplot(x='a', y='b', hue='c', palette='pink')"))[1] == []
    assert palette_rule("some other warning") is None

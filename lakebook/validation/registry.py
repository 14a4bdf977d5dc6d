"""The rule registry: what each rule detects, the evidence it needs, what it may do, and running them.

A rule is a pure function of an invocation and of what is known. It may reject only on complete evidence;
with partial evidence it advises; where it applies but lacks the evidence it says `not_checked` (design §5).
One module a family in `rules/` registers them; `docs/rules.md` is written from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from lakebook.operators.record import Finding, OperatorName, Verdict
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.predicates import Predicate, SumsByValue

Check = Callable[[Invocation, Knowledge], Iterable[Finding]]
Asks = Callable[[Invocation, Knowledge], Iterable[Predicate | SumsByValue]]
Stage = Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: as in the catalogue ("J4"). `detects`: what is wrong when it speaks.
        action: the strongest it may do. `reference`: where the idea comes from.
        asks: yields what must be counted before it is checked.
    """

    id: str
    family: str
    operator: OperatorName
    stage: Stage
    detects: str
    evidence: str
    action: Verdict
    reference: str
    check: Check
    asks: Asks | None = None


_rules: dict[str, Rule] = {}


def rule(
    id: str,  # noqa: A002
    *,
    operator: OperatorName,
    detects: str,
    evidence: str,
    action: Verdict,
    reference: str,
    stage: Stage = "before",
    asks: Asks | None = None,
) -> Callable[[Check], Check]:
    """Register the decorated function as a rule. Raises ValueError if the id is taken."""

    def register(check: Check) -> Check:
        if id in _rules:
            raise ValueError(f"rule {id} is registered twice")
        family = check.__module__.rpartition(".")[2]
        _rules[id] = Rule(id, family, operator, stage, detects, evidence, action, reference, check, asks)
        return check

    return register


def rules() -> tuple[Rule, ...]:
    """Return all rules, by family and then in the order of their modules."""
    from lakebook.validation.rules import FAMILIES  # the families register themselves on import

    return tuple(sorted(_rules.values(), key=lambda one: FAMILIES.index(one.family)))


@cache
def _of(operator: OperatorName, stage: Stage, known: int) -> tuple[Rule, ...]:
    """Return the rules of an operator and stage; `known` is how many are registered."""
    return tuple(one for one in rules() if one.operator == operator and one.stage == stage)


# What keeps the lake closed and unchanged; these speak even where validation is switched off.
LIMITS = frozenset({"Q1", "Q2", "Q3"})


def check(
    invocation: Invocation,
    knowledge: Knowledge,
    stage: Stage,
    *,
    limits_only: bool = False,
    wanted: Callable[[Rule], bool] | None = None,
) -> tuple[Finding, ...]:
    """Run every rule of this operator and stage, and return what they found.

    `limits_only` leaves all out but what keeps the lake closed, `wanted` those that it says no to.
    """
    from lakebook.validation import rules as families  # registered on import

    found: list[Finding] = []
    for one in _of(invocation.operator, stage, len(_rules) if families else 0):
        if (not limits_only or one.id in LIMITS) and (wanted is None or wanted(one)):
            found += one.check(invocation, knowledge)
    return tuple(dict.fromkeys(found))


def asked(invocation: Invocation, knowledge: Knowledge) -> tuple[Predicate | SumsByValue, ...]:
    """Return what the rules of this operator need to have counted and what is not known yet."""
    wanted: dict[object, Predicate | SumsByValue] = {}
    for one in rules():
        if one.asks is None or one.operator != invocation.operator:
            continue
        for asked_for in one.asks(invocation, knowledge):
            key: object = asked_for
            if isinstance(asked_for, Predicate):  # once, with the values if any rule wants them
                key = (asked_for.origin, asked_for.sql)
                if key in wanted and not asked_for.listed:
                    continue
            wanted[key] = asked_for
    return tuple(asked_for for asked_for in wanted.values() if asked_for.counted(knowledge) is None)


def verdict(findings: Sequence[Finding]) -> Verdict:
    """Return the gravest action among the findings; `pass` if there is none."""
    order: tuple[Verdict, ...] = ("reject", "advise", "not_checked")
    actions = {finding.action for finding in findings}
    return next((action for action in order if action in actions), "pass")

"""Every repair rule, in the order in which they are tried."""

from __future__ import annotations

from lakebook.enhancement.repairs import pandas_rules, plot_rules
from lakebook.enhancement.repairs.rule import Fault, RepairRule

RULES: tuple[RepairRule, ...] = (*plot_rules.RULES, *pandas_rules.RULES)


def before_run() -> tuple[RepairRule, ...]:
    """Return the rules for obstacles that raise nothing."""
    return tuple(rule for rule in RULES if not rule.fault)


def answering(fault: Fault) -> tuple[RepairRule, ...]:
    """Return the rules that may mend this fault, in order."""
    return tuple(rule for rule in RULES if rule.answers(fault))

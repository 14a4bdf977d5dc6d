"""Every fix, in the order in which they are tried."""

from __future__ import annotations

from lakebook.enhancement.repairs import (
    columns,
    forms,
    labels,
    pandas_rules,
    plot_rules,
    table_fixes,
    values,
    whole_frame,
    years,
)
from lakebook.enhancement.repairs.rule import Fault, Fix, RepairRule

RULES: tuple[RepairRule, ...] = (*plot_rules.RULES, *pandas_rules.RULES)
FIXES: tuple[Fix, ...] = (
    *RULES,
    *table_fixes.FIXES,
    *columns.FIXES,
    *forms.FIXES,
    *values.FIXES,
    *years.FIXES,
    *labels.FIXES,
    *whole_frame.FIXES,
)


def before_run() -> tuple[Fix, ...]:
    """Return the fixes for obstacles that raise nothing."""
    return tuple(fix for fix in FIXES if not fix.fault)


def answering(fault: Fault) -> tuple[Fix, ...]:
    """Return the fixes that may mend this fault, in order."""
    return tuple(fix for fix in FIXES if fix.answers(fault))

"""Every fix, in the order in which they are tried."""

from __future__ import annotations

from lakebook.enhancement.repairs import (
    columns,
    forms,
    labels,
    matplotlib_rules,
    pandas_counts,
    pandas_groups,
    pandas_reductions,
    pandas_removed,
    pandas_selection,
    pandas_silent,
    pandas_text,
    pandas_times,
    pandas_types,
    plotly_rules,
    python_rules,
    renamed,
    seaborn_rules,
    statistics_rules,
    table_fixes,
    units,
    values,
    whole_frame,
    years,
)
from lakebook.enhancement.repairs.rule import Fault, Fix, RepairRule

RULES: tuple[RepairRule, ...] = (
    *renamed.RULES,
    *plotly_rules.RULES,
    *seaborn_rules.RULES,
    *matplotlib_rules.RULES,
    *pandas_silent.RULES,
    *pandas_text.RULES,
    *pandas_counts.RULES,
    *pandas_removed.RULES,
    *pandas_selection.RULES,
    *pandas_groups.RULES,
    *pandas_types.RULES,
    *pandas_times.RULES,
    *pandas_reductions.RULES,
    *statistics_rules.RULES,
    *python_rules.RULES,
)
FIXES: tuple[Fix, ...] = (
    *RULES,
    *table_fixes.FIXES,
    *columns.FIXES,
    *forms.FIXES,
    *values.FIXES,
    *years.FIXES,
    *labels.FIXES,
    *units.FIXES,
    *whole_frame.FIXES,
)


# The modules by name, in the same order.
MODULES = (
    "renamed",
    "plotly_rules",
    "seaborn_rules",
    "matplotlib_rules",
    "pandas_silent",
    "pandas_text",
    "pandas_counts",
    "pandas_removed",
    "pandas_selection",
    "pandas_groups",
    "pandas_types",
    "pandas_times",
    "pandas_reductions",
    "statistics_rules",
    "python_rules",
    "table_fixes",
    "columns",
    "forms",
    "values",
    "years",
    "labels",
    "units",
    "whole_frame",
)


def before_run() -> tuple[Fix, ...]:
    """Return the fixes for obstacles that raise nothing."""
    return tuple(fix for fix in FIXES if not fix.fault)


def answering(fault: Fault) -> tuple[Fix, ...]:
    """Return the fixes that may mend this fault, in order."""
    return tuple(fix for fix in FIXES if fix.answers(fault))

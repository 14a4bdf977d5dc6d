"""Why a component was dropped or failed, in words that a reader can act on.

What belongs here: the cause behind an exception or an empty figure, as far as the table tells it: a column,
a value or a year that it does not have, with the nearest. Whether a figure is empty is decided in `readable`.
"""

from __future__ import annotations

from lakebook.analyst.table import Table
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.repairs.columns import missing_names, nearest_columns
from lakebook.enhancement.repairs.rule import Fault
from lakebook.enhancement.repairs.values import gone_values
from lakebook.enhancement.repairs.view import View
from lakebook.enhancement.repairs.years import outside_years

_MOST = 3


def failed(adapted: Adapted, fault: Fault, table: Table) -> str:
    """Say why a component failed: what of the table is missing, if that is why, and the exception."""
    names = missing_names(fault, View.of(adapted, table))
    named = [name for name in names if _is_named(name, adapted)]
    if named:
        return f"{'; '.join(nearest_columns(name, table) for name in named[:_MOST])} ({fault.name})"
    causes = list(dict.fromkeys([*gone_values(adapted, table), *outside_years(adapted, table)]))[:_MOST]
    return f"{fault}; {'; '.join(causes)}" if causes else str(fault)


def dropped(adapted: Adapted, reason: str, table: Table) -> str:
    """Say why a figure shows nothing: what the code selects by that the table does not have."""
    causes = list(dict.fromkeys([*gone_values(adapted, table), *outside_years(adapted, table)]))[:_MOST]
    return f"{reason}: {'; '.join(causes)}" if causes else reason


def _is_named(name: str, adapted: Adapted) -> bool:
    """Return True if the code itself names it, so that it is a column and no key that went astray."""
    return repr(name) in str(adapted.script).replace('"', "'") or f".{name}" in str(adapted.script)

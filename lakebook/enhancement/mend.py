"""Running a component until it runs: while a fix answers the fault, mend and run again.

What belongs here: the loop and its bound. The fixes stand in `repairs`. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

from lakebook.analyst.table import Table
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.repairs.plot_rules import palette_rule
from lakebook.enhancement.repairs.registry import answering
from lakebook.enhancement.repairs.rule import NO_FAULT, Fault
from lakebook.enhancement.run import Forks, Run, run_once

MOST_REPAIRS = 5


def run_and_mend(adapted: Adapted, table: Table, session: Forks, seconds: float) -> tuple[Adapted, Run]:
    """Run; while it fails and a fix answers the fault, mend and run again, at most `MOST_REPAIRS` times.

    Raises SandboxError if the session failed.
    """
    tried: set[tuple[str, str]] = set()
    for _ in range(MOST_REPAIRS):
        run = run_once(adapted, session, seconds)
        if run.fault is None:
            return _without_warning(adapted, table, run, session, seconds)
        mended = _mended(adapted, run.fault, table, tried)
        if mended is None:
            return adapted, run
        adapted = mended
    run = run_once(adapted, session, seconds)
    return (adapted, run) if run.fault else _without_warning(adapted, table, run, session, seconds)


def _mended(adapted: Adapted, fault: Fault, table: Table, tried: set[tuple[str, str]]) -> Adapted | None:
    """Apply the first fix that answers the fault and was not tried on it yet; None if there is none."""
    for fix in answering(fault):
        if (fix.kind, str(fault)) in tried:
            continue
        tried.add((fix.kind, str(fault)))
        if mended := fix.mend(adapted, fault, table):
            return mended
    return None


def _without_warning(
    adapted: Adapted, table: Table, run: Run, session: Forks, seconds: float
) -> tuple[Adapted, Run]:
    """Mend what only warns, if the component still runs after it."""
    rule = palette_rule(run.warnings)
    mended = rule.mend(adapted, NO_FAULT, table) if rule else None
    if mended is None:
        return adapted, run
    again = run_once(mended, session, seconds)
    return (adapted, run) if again.fault else (mended, again)

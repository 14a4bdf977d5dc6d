"""Running a component until it runs: while a fix answers the fault, mend and run again.

What belongs here: the loop and its bound. The fixes stand in `repairs`. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

from lakebook.analyst.table import Table
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.repairs.registry import answering
from lakebook.enhancement.repairs.rule import NO_FAULT, Fault
from lakebook.enhancement.repairs.seaborn_rules import palette_rule
from lakebook.enhancement.run import Run, Runs, run_once

MOST_REPAIRS = 5
MOST_RUNS = 12
MOST_REFUSED = 5


def run_and_mend(
    adapted: Adapted, table: Table, session: Runs, seconds: float, first: Run | None = None
) -> tuple[Adapted, Run]:
    """Run; while it fails and a fix answers the fault, mend and run again.

    At most `MOST_REPAIRS` kinds of fixes are applied, and at most `MOST_RUNS` runs made. A fix after which
    the same statement fails with the same fault has mended nothing and is taken back. `first` is what the
    first run gave, if it was made already.

    Raises SandboxError if the session failed.
    """
    tried: set[tuple[str, str]] = set()
    kinds: set[str] = set()
    run = first or run_once(adapted, session, seconds)
    for _ in range(MOST_RUNS - 1):
        found = _mended(adapted, run.fault, table, tried, kinds) if run.fault else None
        if run.fault is None or found is None:
            break
        kind, mended = found
        again = run_once(mended, session, seconds)
        if again.fault is None or _moved(adapted, run.fault, mended, again.fault):
            kinds.add(kind)
            adapted, run = mended, again
    if run.fault:
        return adapted, run
    return _with_mended_figures(*_without_warning(adapted, table, run, session, seconds), session, seconds)


def _mended(
    adapted: Adapted, fault: Fault, table: Table, tried: set[tuple[str, str]], kinds: set[str]
) -> tuple[str, Adapted] | None:
    """Apply the first fix that answers the fault and was not tried on it yet; None if there is none."""
    for fix in answering(fault):
        once = (fix.kind, f"{fault} {fault.lines}")
        if once in tried or (fix.kind not in kinds and len(kinds) >= MOST_REPAIRS):
            continue
        tried.add(once)
        if mended := fix.mend(adapted, fault, table):
            return fix.kind, mended
    return None


def _moved(before: Adapted, old: Fault, after: Adapted, new: Fault) -> bool:
    """Return True if a component fails otherwise, or further on, than it did."""
    if str(old) != str(new) or not old.lines or not new.lines:
        return str(old) != str(new)
    return [before.script.place(line) for line in old.lines] != [
        after.script.place(line) for line in new.lines
    ]


def _without_warning(
    adapted: Adapted, table: Table, run: Run, session: Runs, seconds: float
) -> tuple[Adapted, Run]:
    """Mend what only warns, if the component still runs after it."""
    rule = palette_rule(run.warnings)
    mended = rule.mend(adapted, NO_FAULT, table) if rule else None
    if mended is None:
        return adapted, run
    again = run_once(mended, session, seconds)
    return (adapted, run) if again.fault else (mended, again)


def _with_mended_figures(adapted: Adapted, run: Run, session: Runs, seconds: float) -> tuple[Adapted, Run]:
    """Write into the component what mended its figures, drawn anew without the mends that made them worse."""
    refused: set[str] = set()
    while set(run.inspection.refused) - refused and len(refused) < MOST_REFUSED:
        refused |= set(run.inspection.refused)
        again = run_once(adapted, session, seconds, refused)
        if again.fault:
            return adapted, run
        run = again
    mends = run.inspection.mends
    lines = [line for mend in mends for line in mend.lines]
    return adapted.repaired(adapted.script.followed_by(lines), [mend.repair() for mend in mends]), run

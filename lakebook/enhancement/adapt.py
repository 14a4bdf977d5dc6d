"""An old component made into one function that reads the notebook's own frame `df`.

The frame is given the old column names at the top, so the author's code stays as it was; imports follow, and
the body runs inside `plt.rc_context()`, so that neither a name nor a style leaks. Running it and mending what
fails is in `mend`.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from dataclasses import replace

from lakebook.analyst.table import Table
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.cleaning import clean, refusal, still_writes
from lakebook.enhancement.loads import Frame, Unloadable, replace_loads
from lakebook.enhancement.repairs.registry import before_run
from lakebook.enhancement.repairs.rule import NO_FAULT
from lakebook.enhancement.script import Script, Statement
from lakebook.notebooks.component import Component
from lakebook.retrieval.correspondence import renames
from lakebook.retrieval.result import RetrievedComponent

# What the notebook's set-up cell has imported already.
_SET_UP = {
    "numpy": "np",
    "pandas": "pd",
    "matplotlib.pyplot": "plt",
    "scipy.stats": "stats",
    "statsmodels.api": "sm",
}
_SLUG = 40
_HEADING_WORDS = 5  # a longer heading is prose and names nothing


def adapt(retrieved: RetrievedComponent, component: Component, table: Table, number: int) -> Adapted | str:
    """Make the function of a component, or say why it cannot be made."""
    try:
        script = Script.parse(component.code)
    except (SyntaxError, ValueError, RecursionError) as error:
        return f"the code does not parse: {error}"
    if reason := refusal(script):
        return reason
    old_names = {pair.new: pair.old for pair in retrieved.columns}
    changed = renames(retrieved.columns)
    known = script.names_read() | script.names_bound()
    frame_name = next(n for n in ("lake", "lake_frame", "lake_frame_1", "lake_frame_2") if n not in known)
    frame = Frame(
        frame_name,
        tuple(old_names.get(column.name, column.name) for column in table.columns),
        tuple(old_names.get(c.name, c.name) for c in table.columns if c.dtype == "datetime"),
    )
    try:
        script, repairs = replace_loads(script, frame)
    except Unloadable as error:
        return str(error)
    script, cleaned = clean(script)
    if reason := still_writes(script):
        return reason
    repairs += cleaned
    adapted = Adapted(
        component=component,
        function=f"component_{number}_{_slug(component, retrieved)}",
        script=script,
        frame=frame_name,
        renames={c.name: changed[c.name] for c in table.columns if c.name in changed},
        dates=frame.dates,
        repairs=tuple(repairs),
        columns=tuple(sorted({pair.new for pair in retrieved.columns})),
    )
    for fix in before_run():
        adapted = fix.mend(adapted, NO_FAULT, table) or adapted
    return replace(adapted, script=_without_idle_imports(adapted.script))


def _slug(component: Component, retrieved: RetrievedComponent) -> str:
    """Return a readable identifier part: the heading's words, or the chart and its columns."""
    shown = {pair.old: pair.new for pair in retrieved.columns}
    words = [*component.chart_types[:1], *(shown.get(name, name) for name in component.columns[:2])]
    heading = component.heading.strip().lstrip("0123456789. )")
    text = heading if 0 < len(heading.split()) <= _HEADING_WORDS else " ".join(words)
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")
    if len(slug) > _SLUG:
        slug = slug[: _SLUG + 1].rpartition("_")[0] or slug[:_SLUG]
    return slug or "figure"


def _without_idle_imports(script: Script) -> Script:
    """Drop imports of what nothing reads, and of what the notebook has imported already."""
    read = script.names_read()
    kept = []
    for statement in script.statements:
        node = statement.node
        if not isinstance(node, ast.Import | ast.ImportFrom):
            kept.append(statement)
            continue
        names = [alias for alias in node.names if _is_needed(node, alias, read)]
        if len(names) == len(node.names):
            kept.append(statement)
        elif names:
            node.names = names
            kept.append(Statement(node, ast.unparse(node)))
    return Script(tuple(kept))


def _is_needed(node: ast.Import | ast.ImportFrom, alias: ast.alias, read: frozenset[str]) -> bool:
    bound = (alias.asname or alias.name).split(".")[0]
    whole = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
    return bound in read and _SET_UP.get(whole) != bound

"""An old component made into one function that reads the notebook's own frame `df`.

Columns are called by their new names in the code where that is sure, else the frame is given the old ones at
the top. Imports come first, and the body runs inside `plt.rc_context()`, so that neither a name nor a style
leaks. Running it and mending what fails is in `mend`.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from lakebook.analyst.table import Table
from lakebook.enhancement.adapted import Adapted, OtherFrame
from lakebook.enhancement.cleaning import clean, enclose, refusal, still_writes
from lakebook.enhancement.enhanced import ReadTable, Repair
from lakebook.enhancement.load_options import Frame
from lakebook.enhancement.loads import Tables, Unloadable, replace_loads, without_fetching
from lakebook.enhancement.renaming import rename_columns
from lakebook.enhancement.repairs.registry import before_run
from lakebook.enhancement.repairs.rule import NO_FAULT
from lakebook.enhancement.script import Script, Statement
from lakebook.notebooks.component import Component
from lakebook.retrieval.correspondence import renames
from lakebook.retrieval.lake import Lake
from lakebook.retrieval.result import Correspondence, RetrievedComponent

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


def adapt(
    retrieved: RetrievedComponent,
    component: Component,
    table: Table,
    number: int,
    lake: Lake | None = None,
    *,
    in_code: bool = True,
) -> Adapted | str:
    """Make the function of a component, or say why it cannot be made.

    Args:
        retrieved: how its columns, and its files, correspond to the lake.
        component: as cut.
        table: the table under analysis, which is the notebook's `df`.
        number: of the component, for the function's name.
        lake: the tables that it may read besides.
        in_code: rename columns in the code where that is sure, else let the frames keep the old names.
    """
    try:
        script = without_fetching(Script.parse(component.code))
    except (SyntaxError, ValueError, RecursionError) as error:
        return f"the code does not parse: {error}"
    known = script.names_read() | script.names_bound()
    frame_name = _free_name("lake", known)
    lake = lake or Lake()
    others = _others(retrieved, table, lake, known | {frame_name})
    frame = _frame(frame_name, table, retrieved.columns)
    by_source = {
        one.source: _frame(others[one.table].name, lake.table(one.table), one.columns)
        if one.table in others
        else frame
        for one in retrieved.sources
    }
    try:
        tables = Tables(frame, PurePosixPath(table.path).name, by_source)
        script, repairs = replace_loads(script, tables)
    except Unloadable as error:
        return str(error)
    script = _without_idle_imports(script)
    script, enclosed = enclose(script)
    if reason := refusal(script):
        return reason
    script, cleaned = clean(script)
    if reason := still_writes(script):
        return reason
    repairs += [*enclosed, *cleaned]
    changed = renames(retrieved.columns)
    adapted = Adapted(
        component=component,
        function=f"component_{number}_{_slug(component, retrieved)}",
        script=script,
        frame=frame_name,
        renames={c.name: changed[c.name] for c in table.columns if c.name in changed},
        dates=frame.dates,
        repairs=tuple(repairs),
        columns=tuple(sorted({pair.new for pair in retrieved.columns})),
        others=tuple(others.values()),
    )
    for fix in before_run():
        adapted = fix.mend(adapted, NO_FAULT, table) or adapted
    adapted = replace(adapted, script=_without_idle_imports(adapted.script))
    return _renamed(adapted, [frame, *by_source.values()]) if in_code else adapted


def _renamed(adapted: Adapted, frames: Sequence[Frame]) -> Adapted:
    """Call the columns by their new names in the code, as far as that is sure for all frames alike."""
    by_frame = [adapted.renames, *(other.renames for other in adapted.others)]
    wanted: dict[str, set[str]] = {}
    for new, old in (pair for renames_ in by_frame for pair in renames_.items()):
        wanted.setdefault(old, set()).add(new)
    names = {old: min(new) for old, new in wanted.items() if len(new) == 1}
    called = rename_columns(adapted.script, names, {frame.name: frame.columns for frame in frames})
    kept = [
        Repair("column_kept", "", f"# the frame keeps the name {old!r} of {names[old]!r}: {why}")
        for old, why in called.kept.items()
    ]

    def left(renames_: Mapping[str, str]) -> dict[str, str]:
        return {new: old for new, old in renames_.items() if old not in called.done}

    def now(columns: Sequence[str]) -> tuple[str, ...]:
        return tuple(called.done.get(name, name) for name in columns)

    return replace(
        adapted,
        script=called.script,
        renames=left(adapted.renames),
        renamed=called.done,
        others=tuple(replace(other, renames=left(other.renames)) for other in adapted.others),
        dates=now(adapted.dates),
        repairs=(*adapted.repairs, *called.repairs, *kept),
    )


def _free_name(stem: str, known: Collection[str]) -> str:
    names = (stem, *(f"{stem}_frame{end}" for end in ("", *(f"_{n}" for n in range(1, len(known) + 2)))))
    return next(name for name in names if name not in known)


def _frame(name: str, table: Table, pairs: Sequence[Correspondence]) -> Frame:
    """Return what the loading call has to know of a table, under its old names."""
    old = {pair.new: pair.old for pair in pairs}
    columns = [(old.get(column.name, column.name), column) for column in table.columns]
    return Frame(
        name,
        tuple(known for known, _ in columns),
        tuple(known for known, column in columns if column.dtype == "datetime"),
        tuple(known for known, column in columns if column.dtype == "text"),
        {
            known: frozenset(level for level, _ in column.levels)
            for known, column in columns
            if column.dtype == "text" and column.levels_complete
        },
    )


def _others(
    retrieved: RetrievedComponent, table: Table, lake: Lake, known: Collection[str]
) -> dict[str, OtherFrame]:
    """Return the frames of the tables that the component reads beside the main one, by table."""
    found: dict[str, OtherFrame] = {}
    taken = set(known)
    for one in retrieved.sources:
        if one.table == table.source or one.table in found:
            continue
        other, entry = lake.table(one.table), lake.entry(one.table)
        name = _free_name(f"lake_{_identifier(entry.stem) or len(found) + 1}", taken)
        taken.add(name)
        read = ReadTable(
            source=other.source,
            files=tuple(card.path for card in entry.files),
            sha256=other.sha256,
            rows=other.rows,
            rows_in_file=other.rows_in_file,
            columns=tuple(sorted({pair.new for pair in one.columns})),
            instead_of=one.source,
        )
        changed = {pair.new: pair.old for pair in one.columns if pair.new != pair.old}
        found[one.table] = OtherFrame(name, other.load_code, read, changed)
    return found


def _slug(component: Component, retrieved: RetrievedComponent) -> str:
    """Return a readable identifier part: the heading's words, or the chart and its columns."""
    shown = {pair.old: pair.new for pair in retrieved.columns}
    words = [*component.chart_types[:1], *(shown.get(name, name) for name in component.columns[:2])]
    heading = component.heading.strip().lstrip("0123456789. )")
    text = heading if 0 < len(heading.split()) <= _HEADING_WORDS else " ".join(words)
    return _identifier(text) or "figure"


def _identifier(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")
    return slug if len(slug) <= _SLUG else slug[: _SLUG + 1].rpartition("_")[0] or slug[:_SLUG]


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

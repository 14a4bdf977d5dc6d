"""An old component made into one function that reads the notebook's own frame `df`.

The frame is given the old column names at the top, so the author's code stays as it was; imports follow, and
the body runs inside `plt.rc_context()`, so that neither a name nor a style leaks. Running it and mending what
fails is in `rerun`.
"""

from __future__ import annotations

import ast
import re
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lakebook.analyst.table import Table
from lakebook.enhancement.cleaning import clean, refusal, still_writes
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.literals import respell
from lakebook.enhancement.loads import Frame, Unloadable, replace_loads
from lakebook.enhancement.repairs.registry import before_run
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


@dataclass(frozen=True, slots=True)
class Adapted:
    """A component on its way: the script, and what its function does before it.

    Attributes:
        frame: the name of the parameter that holds the table.
        renames: new column name -> the name that the old code uses.
        text_dates: date columns (old names) that the old code takes for text.
    """

    component: Component
    function: str
    script: Script
    frame: str
    renames: Mapping[str, str]
    dates: tuple[str, ...] = ()
    text_dates: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    columns: tuple[str, ...] = field(default=())

    def code(self) -> str:
        """Return the function's source."""
        imports, body = _split(self.script)
        inside = "\n".join(textwrap.indent(s.text, "    ") for s in body) or "    pass"
        parts = [*imports, *self._head(), "with plt.rc_context():"]
        text = "\n".join(parts) + "\n" + inside
        return f"def {self.function}({self.frame}=df):\n{textwrap.indent(text, '    ')}\n"

    def _head(self) -> list[str]:
        """Give the frame the old names, and dates as text where the old code wants them so."""
        name = self.frame
        lines = []
        if self.renames:
            pairs = ", ".join(f"{new!r}: {old!r}" for new, old in self.renames.items())
            lines.append(f"{name} = {name}.rename(columns={{{pairs}}})")
        elif self.text_dates:
            lines.append(f"{name} = {name}.copy()")
        lines += [f"{name}[{date!r}] = {name}[{date!r}].dt.strftime('%Y-%m-%d')" for date in self.text_dates]
        return lines

    def repaired(self, script: Script, repairs: Sequence[Repair]) -> Adapted:
        """Return it with another script, and what was changed noted."""
        return replace(self, script=script, repairs=(*self.repairs, *repairs))


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
    script, made = respell(script, table)
    repairs += made
    for rule in before_run():
        script, made = rule.apply(script)
        repairs += made
    return Adapted(
        component=component,
        function=f"component_{number}_{_slug(component, retrieved)}",
        script=_without_idle_imports(script),
        frame=frame_name,
        renames={c.name: changed[c.name] for c in table.columns if c.name in changed},
        dates=frame.dates,
        repairs=tuple(repairs),
        columns=tuple(sorted({pair.new for pair in retrieved.columns})),
    )


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


def _split(script: Script) -> tuple[list[str], list[Statement]]:
    """Put imports first; what follows them is the body."""
    imports = [s.text for s in script.statements if isinstance(s.node, ast.Import | ast.ImportFrom)]
    body = [s for s in script.statements if not isinstance(s.node, ast.Import | ast.ImportFrom)]
    return list(dict.fromkeys(imports)), body


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

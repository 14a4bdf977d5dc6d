"""Components of one notebook begin alike: what they share is run once, and each goes on in a copy of that.

What belongs here: which statements may be shared, the tree that they form, and walking it. A component whose
shared part fails, draws, or could mean something else outside its function is left to `mend`, which runs it
alone; so is one that failed for a name. The delivered code is always the function (`Adapted.code`); here its
statements run flat, in a process that is thrown away. Paper: NotebookRAG §4.2.4; decision 17.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.repairs.modules import Modules
from lakebook.enhancement.run import Run, Runs, run_cell
from lakebook.enhancement.script import Statement, dotted
from lakebook.errors import SandboxError
from lakebook.syntax import parse_python

_DRAWS = frozenset({"plot", "hist", "boxplot", "scatter_matrix", "iplot", "hvplot"})
_PLOTTING = frozenset({"matplotlib", "seaborn", "plotly", "altair", "bokeh"})
_STYLES = (
    "style.use",
    "rcParams",
    "rcParams.update",
    "set",
    "set_theme",
    "set_style",
    "set_context",
    "set_palette",
)
# Imported in every session already, or a part of Python.
_HARMLESS = sys.stdlib_module_names | {"numpy", "pandas", "matplotlib", "seaborn", "scipy", "statsmodels"}
# What depends on which names are local.
_SCOPE_SENSITIVE = frozenset({"exec", "eval", "locals", "globals", "vars", "dir"})
_TABLE = "_lake_table"
_NAMES_AT_START = "sorted(name for name in globals() if not name.startswith('_'))"


@dataclass(slots=True)
class _Node:
    """Shared statements, the components that part here, and what more is shared below."""

    ends: list[int] = field(default_factory=list)
    below: dict[str, _Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Flat:
    """A component as statements outside a function: those that may be shared, and the code of the rest.

    `free` are the names that it reads and never binds.
    """

    shared: tuple[str, ...]
    imports: tuple[str, ...]
    rest: str
    free: frozenset[str]


def run_shared(group: Sequence[Adapted], session: Runs, seconds: float) -> Mapping[int, Run]:
    """Run components that begin alike; return the runs by position in the group.

    Those that are missing have to be run alone. `seconds` bounds the shared part between two partings and
    each rest. Nothing is raised: a session that fails leaves the rest of the group to be run alone.
    """
    runs: dict[int, Run] = {}
    try:
        taken = frozenset(map(str, _list(session.evaluate([_NAMES_AT_START])[0].value))) - {"df"}
        flats = {place: flat for place, one in enumerate(group) if (flat := _flat(one, taken))}
        for frame in sorted({group[place].frame for place in flats}):
            ours = {place: flat for place, flat in flats.items() if group[place].frame == frame}
            if len(ours) > 1:
                _Walk(group, ours, session, seconds, runs).start(frame)
    except SandboxError:
        pass  # what was not reached is run alone, in a new session
    return {place: run for place, run in runs.items() if not _is_of_scope(run)}


class _Walk:
    """One walk through the tree of a group."""

    def __init__(
        self,
        group: Sequence[Adapted],
        flats: Mapping[int, _Flat],
        session: Runs,
        seconds: float,
        runs: dict[int, Run],
    ) -> None:
        self._group, self._flats = group, flats
        self._session, self._seconds, self._runs = session, seconds, runs

    def start(self, frame: str) -> None:
        """Bind the frame, import what several import, and walk."""
        imports = _importable(self._flats.values())
        root = _Node()
        for place, flat in self._flats.items():
            if flat.free & set(imports):
                continue  # alone it would miss what another one imports
            node = root
            for statement in flat.shared:
                node = node.below.setdefault(statement, _Node())
            node.ends.append(place)
        self._grow(root, [*dict.fromkeys(imports.values()), f"{_TABLE} = {frame} = df", "del df"])

    def _grow(self, node: _Node, statements: list[str]) -> None:
        """Run the statements in a copy, then the components that part here, then what is below."""
        while len(node.below) == 1 and not node.ends:
            ((statement, node),) = node.below.items()
            statements.append(statement)
        if not node.below and len(node.ends) == 1:
            return self._finish(node.ends[0], statements)
        with self._session.copied():
            result = self._session.run("\n".join([*statements, "pass"]), seconds=self._seconds)
            if result.error or any("data" in output for output in result.outputs):
                return None
            for place in node.ends:
                self._finish(place, [])
            for statement, below in node.below.items():
                self._grow(below, [statement])
        return None

    def _finish(self, place: int, before: Sequence[str]) -> None:
        """Run what only this component has."""
        code = "\n".join([*before, self._flats[place].rest])
        self._runs[place] = run_cell(self._group[place], code, self._session, self._seconds, table=_TABLE)


def _flat(adapted: Adapted, taken: Collection[str]) -> _Flat | None:
    """Take a component apart; None if its statements could mean something else outside its function."""
    script = adapted.script
    read, bound = script.names_read(), script.names_bound()
    if bound & set(taken) or read & _SCOPE_SENSITIVE or ("df" in read and "df" not in bound):
        return None
    if any(isinstance(node, ast.Nonlocal) for node in script.nodes()):
        return None
    imports, body = adapted.parts()
    known = Modules.of(script).names
    plotting = frozenset(name for name, full in known.items() if full.split(".")[0] in _PLOTTING)
    count = next((n for n, one in enumerate(body) if not _may_be_shared(one, plotting)), len(body))
    texts = [one.text for one in body]
    shared = (*adapted.head(), *texts[:count])
    return _Flat(
        shared,
        tuple(imports),
        "\n".join([*imports, *texts[count:], *adapted.tail()]),
        frozenset(read - bound),
    )


def _importable(flats: Iterable[_Flat]) -> dict[str, str]:
    """Return name -> import line, of libraries that are there and change nothing by being imported.

    A name that two components import from different places, or that Python has itself, is left out.
    """
    lines: dict[str, set[str]] = {}
    for line in dict.fromkeys(line for flat in flats for line in flat.imports):
        node = parse_python(line).body[0]
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = (
                [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
            )
            known = all(module.split(".")[0] in _HARMLESS for module in modules)
            for alias in node.names:
                name = (alias.asname or alias.name).split(".")[0]
                lines.setdefault(name, set()).add(line if known else "")
    return {
        name: line
        for name, found in sorted(lines.items())
        if len(found) == 1 and (line := next(iter(found))) and name != "*" and not hasattr(builtins, name)
    }


def _may_be_shared(statement: Statement, plotting: frozenset[str]) -> bool:
    """Return True for what draws nothing by itself: definitions, computing, setting of styles."""
    node = statement.node
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return True
    if any(isinstance(part, ast.Attribute) and part.attr in _DRAWS for part in ast.walk(node)):
        return False
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return not names & plotting or _sets_style(node)


def _sets_style(node: ast.stmt) -> bool:
    target: ast.expr | None = None
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        target = node.value.func
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        target = node.targets[0].value
    path = dotted(target) if target else ""
    return any(path.endswith(f".{style}") for style in _STYLES)


def _is_of_scope(run: Run) -> bool:
    """Return True for a fault that may be owed to the names at hand here, not to the component."""
    return run.fault is not None and run.fault.name in {"NameError", "UnboundLocalError"}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []

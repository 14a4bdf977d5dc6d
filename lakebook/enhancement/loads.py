"""Where an old component reads its data, and how that becomes the user's table.

The path does not matter (Kaggle, Colab, Windows, a variable, a URL): the component's columns have been
matched to the table before. Options of the reading call that still apply are kept as steps on the frame.
A component that reads more than one file is refused, for only one table is given.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from lakebook.enhancement.calls import calls
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.script import Script, dotted, keyword, method

_STREAMS = ("chunksize", "iterator")


@dataclass(frozen=True, slots=True)
class Frame:
    """What is known of the frame that stands in for the file.

    Attributes:
        name: the variable that holds it. `columns`: its column names, as the old code knows them.
        dates: those that are dates already.
    """

    name: str
    columns: tuple[str, ...]
    dates: tuple[str, ...]


class Unloadable(Exception):
    """The component's data cannot be replaced by one table; the text says why."""


def replace_loads(script: Script, frame: Frame) -> tuple[Script, list[Repair]]:
    """Replace every load by the frame. Raises Unloadable if there is none or more than one source."""
    made = [node for node in script.nodes() if isinstance(node, ast.Call)]
    if foreign := sorted({method(call) for call in made} & calls("reads_elsewhere")):
        raise Unloadable(f"reads from another kind of source ({foreign[0]})")
    loads = [call for call in made if is_load(call)]
    if not loads:
        raise Unloadable("reads no file that the table could stand in for")
    if any(keyword(load, option) is not None for load in loads for option in _STREAMS):
        raise Unloadable("reads its file in pieces")
    constants = _string_constants(script)
    sources = sorted({_source(load, constants) for load in loads})
    if len(sources) > 1:
        raise Unloadable(f"reads more than one file ({', '.join(sources)}), and one table is given")
    before = script.names_read()
    replaced, repairs = script.edited(_Replacer(frame).visit, "load")
    idle = before - replaced.names_read()
    return _without_idle_paths(replaced, idle), repairs


def is_load(call: ast.Call) -> bool:
    """Return True if the call reads a table from a file."""
    if method(call) not in calls("reads_table"):
        return False
    return isinstance(call.func, ast.Name) or dotted(call.func).count(".") == 1


class _Replacer(ast.NodeTransformer):
    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return _load_of(node, self.frame) if is_load(node) else node


def _load_of(call: ast.Call, frame: Frame) -> ast.expr:
    """Return the expression that gives what the call gave: a copy of the frame, with its options as steps."""
    steps = f"{frame.name}.copy()"
    if wanted := _names(keyword(call, "usecols"), frame.columns):
        steps += f"[{wanted!r}]"
    parse = keyword(call, "parse_dates")
    for name in _names(parse, frame.columns):
        if name not in frame.dates:
            steps += f".assign(**{{{name!r}: lambda frame: pd.to_datetime(frame[{name!r}])}})"
    if index := _index(keyword(call, "index_col"), parse, frame):
        steps += f".set_index({index!r})" if len(index) > 1 else f".set_index({index[0]!r})"
    rows = keyword(call, "nrows")
    if isinstance(rows, ast.Constant) and isinstance(rows.value, int):
        steps += f".head({rows.value})"
    return ast.parse(steps, mode="eval").body


def _index(index: ast.expr | None, parse: ast.expr | None, frame: Frame) -> list[str]:
    """Return the columns that become the index. A position names no column, except the date in a series."""
    if names := _names(index, frame.columns):
        return names
    first = isinstance(index, ast.Constant) and index.value == 0 and index.value is not False
    dated = isinstance(parse, ast.Constant) and parse.value is True
    return list(frame.dates[:1]) if first and dated else []


def _names(node: ast.expr | None, known: Collection[str]) -> list[str]:
    """Return the literal column names of an option, those that the frame has."""
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node] if node else []
    values = [item.value for item in items if isinstance(item, ast.Constant)]
    return [value for value in values if isinstance(value, str) and value in known]


def _string_constants(script: Script) -> dict[str, str]:
    """Return the strings in what is assigned to each name, so that a path in a variable is known."""
    found = {}
    for node in script.nodes():
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            texts = _texts(node.value)
            if texts:
                found[node.targets[0].id] = texts[-1]
    return found


def _texts(node: ast.AST) -> list[str]:
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def _source(call: ast.Call, constants: Mapping[str, str]) -> str:
    """Return what tells one source from another: the file's base name, or the expression of its path."""
    path = call.args[0] if call.args else call.keywords[0].value if call.keywords else None
    if path is None:
        return "?"
    names = [n.id for n in ast.walk(path) if isinstance(n, ast.Name) and n.id in constants]
    texts = _texts(path) or [constants[name] for name in names]
    return re.split(r"[\\/]", texts[-1])[-1].casefold() if texts else ast.unparse(path)


def _without_idle_paths(script: Script, idle: frozenset[str]) -> Script:
    """Drop assignments of paths that nothing reads any more."""

    def is_idle(node: ast.stmt) -> bool:
        if not isinstance(node, ast.Assign) or not all(isinstance(t, ast.Name) for t in node.targets):
            return False
        return all(isinstance(t, ast.Name) and t.id in idle for t in node.targets) and _is_path(node.value)

    return Script(tuple(s for s in script.statements if not is_idle(s.node)))


def _is_path(node: ast.expr) -> bool:
    made = (n for n in ast.walk(node) if isinstance(n, ast.Call))
    return all(dotted(call.func) in {"os.path.join", "Path", "pathlib.Path", "str"} for call in made)

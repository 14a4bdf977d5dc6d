"""Columns called by their new names in the code itself, so that figures and readers see one name.

A column is renamed in the code only if every mention of it surely is one: otherwise the frame keeps the old
name, and texts of the figure that are exactly an old name are replaced when it is drawn. Queries, formulas
and SQL inside texts are rewritten by their own grammar; titles and values stay as the author wrote them. What
mentions are is told in `labels`. Paper: NotebookRAG §4.2.4 (a model repairs there).
"""

from __future__ import annotations

import ast
import keyword as python
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.labels import Occurrences, Place, occurrences, place_of
from lakebook.enhancement.script import Script, Statement, dotted, method
from lakebook.syntax import parse_python

_QUERIES = frozenset({"query", "eval"})
_FORMULAS = frozenset(
    {"ols", "logit", "glm", "poisson", "mixedlm", "probit", "dmatrices", "dmatrix", "gls", "wls"}
)
_SQL = frozenset({"sqldf", "sql", "execute", "read_sql", "read_sql_query"})
_TOKEN = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|@?[^\W\d]\w*")
_SPELLED = frozenset(
    {
        "lower",
        "upper",
        "title",
        "startswith",
        "endswith",
        "replace",
        "strip",
        "split",
        "capitalize",
        "find",
        "contains",
    }
)


@dataclass(frozen=True, slots=True)
class Renamed:
    """A script after its columns were renamed.

    Attributes:
        done: old name -> new name, of the columns that the code calls by the new name now.
        kept: old name -> why the frame has to keep it.
    """

    script: Script
    done: Mapping[str, str]
    kept: Mapping[str, str]
    repairs: tuple[Repair, ...] = ()


def rename_columns(script: Script, names: Mapping[str, str], frames: Mapping[str, Sequence[str]]) -> Renamed:
    """Rename columns in the code, where every mention is sure.

    Args:
        script: the component, its loads replaced.
        names: old name -> new name.
        frames: variable -> its columns, by the names that the code knows.
    """
    if not names:
        return Renamed(script, {}, {})
    placed = _placed(script)
    body = [statement.node for statement in placed.statements]
    if why := _spelling_matters(body):
        return Renamed(script, {}, dict.fromkeys(names, why))
    mentions = occurrences(body, frames, frozenset(names) | frozenset(names.values()))
    kept: dict[str, str] = {}
    while True:
        done = {old: new for old, new in names.items() if old not in kept}
        more = {old: why for old, new in done.items() if (why := _why_not(old, new, body, mentions, done))}
        if not more:
            break
        kept |= more
    renamer = _Renamer(done, _places(mentions, done))
    renamed, repairs = placed.edited(renamer.visit, "column_renamed")
    return Renamed(renamed, done, kept, tuple(repairs))


def _placed(script: Script) -> Script:
    """Return the script with nodes that stand at places of their own."""
    nodes = parse_python(str(script)).body
    return Script(
        tuple(Statement(node, old.text) for node, old in zip(nodes, script.statements, strict=True))
    )


def _spelling_matters(body: Sequence[ast.stmt]) -> str:
    """Return why the code may behave otherwise if columns are spelled otherwise, "" if it does not."""
    for node in (node for one in body for node in ast.walk(one)):
        if isinstance(node, ast.Attribute) and node.attr == "str" and _is_columns(node.value):
            return "the code computes names of columns"
        named = isinstance(node, ast.Assign) and any(_is_columns(target) for target in node.targets)
        if isinstance(node, ast.Assign) and named and not isinstance(node.value, ast.List):
            return "the code computes names of columns"
        if isinstance(node, ast.Call) and method(node) == "rename" and _renames_by_function(node):
            return "the code computes names of columns"
        if (
            isinstance(node, ast.Call)
            and method(node) == "filter"
            and {k.arg for k in node.keywords} & {"like", "regex"}
        ):
            return "the code chooses columns by their spelling"
        if (
            isinstance(node, ast.Call)
            and method(node) in ("sorted", "sort_index")
            and "columns" in ast.unparse(node)
        ):
            return "the code sorts columns by name"
        if isinstance(node, ast.For | ast.comprehension) and "columns" in ast.unparse(node.iter):
            variables = {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
            inside = node.body if isinstance(node, ast.For) else node.ifs
            if _spells(inside, variables):
                return "the code chooses columns by their spelling"
    return ""


def _is_columns(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "columns"


def _renames_by_function(call: ast.Call) -> bool:
    given = [*call.args[:1], *(one.value for one in call.keywords if one.arg in ("columns", "mapper"))]
    return any(not isinstance(one, ast.Dict | ast.Name | ast.Constant) for one in given) or any(
        isinstance(one, ast.Name) and one.id == "str" for one in given
    )


def _spells(inside: Sequence[ast.AST], variables: set[str]) -> bool:
    """Return True if a name of a column is looked at letter by letter."""
    for node in (node for one in inside for node in ast.walk(one)):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            right = node.comparators[0]
            if isinstance(right, ast.Name) and right.id in variables:
                return True
        if isinstance(node, ast.Call) and method(node) in _SPELLED and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id in variables:
                return True
    return False


def _why_not(
    old: str, new: str, body: Sequence[ast.stmt], mentions: Occurrences, done: Mapping[str, str]
) -> str:
    """Return why a column cannot be renamed in the code, "" if it can."""
    if any(verdict == "unsure" for _, verdict in mentions.of(old)):
        return "not every mention of it is surely the column"
    if new not in done and any(verdict != "text" and verdict != "value" for _, verdict in mentions.of(new)):
        return "the code calls something else by the new name"
    derived = re.compile(rf"(?<!\w){re.escape(old)}_\w|\w_{re.escape(old)}(?!\w)")
    for node in (node for one in body for node in ast.walk(one)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and derived.search(node.value):
            return "names of other columns are made of it"
        if isinstance(node, ast.Attribute) and derived.search(node.attr):
            return "names of other columns are made of it"
        if isinstance(node, ast.Call) and _text_of(node) and _rewritten(node, done) is None:
            return "a query names it that cannot be read"
    return ""


def _places(mentions: Occurrences, done: Mapping[str, str]) -> frozenset[Place]:
    return frozenset(place for old in done for place, verdict in mentions.of(old) if verdict == "label")


class _Renamer(ast.NodeTransformer):
    """Writes the new names at the places that are labels."""

    def __init__(self, names: Mapping[str, str], places: frozenset[Place]) -> None:
        self.names, self.places = names, places

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str) and place_of(node) in self.places:
            return ast.copy_location(ast.Constant(self.names[node.value]), node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        is_label = node.attr in self.names and place_of(node) in self.places
        self.generic_visit(node)
        if not is_label:
            return node
        new = self.names[node.attr]
        if _is_attribute(new) and not isinstance(node.ctx, ast.Store):
            node.attr = new
            return node
        return ast.copy_location(ast.Subscript(node.value, ast.Constant(new), node.ctx), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        text = _rewritten(node, self.names) if _text_of(node) else None
        named = [(one, place_of(one) in self.places) for one in node.keywords]
        self.generic_visit(node)
        spread: list[ast.keyword] = []
        for one, is_label in named:
            new = self.names.get(one.arg or "") if is_label else None
            if new is None:
                spread.append(one)
            elif new.isidentifier() and not python.iskeyword(new):
                spread.append(ast.keyword(new, one.value))
            else:
                spread.append(ast.keyword(None, ast.Dict([ast.Constant(new)], [one.value])))
        node.keywords = spread
        if text is not None:
            _put_text(node, text)
        return node


def _is_attribute(name: str) -> bool:
    import pandas as pd

    return name.isidentifier() and not python.iskeyword(name) and not hasattr(pd.DataFrame, name)


def _text_argument(call: ast.Call) -> ast.expr | None:
    if call.args:
        return call.args[0]
    return next(
        (one.value for one in call.keywords if one.arg in ("expr", "formula", "q", "query", "sql")), None
    )


def _text_of(call: ast.Call) -> str:
    """Return the query, formula or SQL that a call is handed, "" if it is no such call."""
    name = method(call)
    given = _text_argument(call)
    if not isinstance(given, ast.Constant) or not isinstance(given.value, str):
        return ""
    is_formula = name in _FORMULAS and "~" in given.value
    is_query = name in _QUERIES and isinstance(call.func, ast.Attribute)
    is_sql = name in _SQL or (name == "query" and dotted(call.func).startswith("duckdb"))
    return given.value if is_formula or is_query or is_sql else ""


def _put_text(call: ast.Call, text: str) -> None:
    given = _text_argument(call)
    if isinstance(given, ast.Constant):
        given.value = text


def _rewritten(call: ast.Call, names: Mapping[str, str]) -> str | None:
    """Return a query with its columns renamed, None if it cannot be read."""
    text = _text_of(call)
    if re.match(r"\s*(select|with)\b", text, re.I):
        return _in_sql(text, names)
    if method(call) in _FORMULAS:
        if any(re.search(rf"""['"]{re.escape(old)}['"]""", text) for old in names):
            return None
        return _in_tokens(text, names, lambda new: new if new.isidentifier() else f'Q("{new}")')
    return _in_tokens(text, names, lambda new: new if _plain(new) else f"`{new}`")


def _plain(name: str) -> bool:
    return name.isidentifier() and not python.iskeyword(name)


def _in_tokens(text: str, names: Mapping[str, str], write: Callable[[str], str]) -> str:
    """Rename the words of an expression; what is quoted is a value, what has an @ is a variable."""

    def new(match: re.Match[str]) -> str:
        word = match[0]
        name = names.get(word.strip("`"))
        before = text[: match.start()].rstrip()
        if name is None or word[0] in "'\"@" or before.endswith("."):
            return word
        return write(name)

    return _TOKEN.sub(new, text)


def _in_sql(text: str, names: Mapping[str, str]) -> str | None:
    """Rename columns and the names that results are given, None if the text is no single statement of SQL."""
    from sqlglot import exp

    from lakebook.notebooks.sql_text import statements_of

    parsed = statements_of(text, ("sqlite", "duckdb"))
    if not parsed or len(parsed) != 1:
        return None
    tree = parsed[0].copy()
    named = [
        *(column.this for column in tree.find_all(exp.Column)),
        *(alias.args.get("alias") for alias in tree.find_all(exp.Alias)),
    ]
    found = [one for one in named if isinstance(one, exp.Identifier) and one.name in names]
    for one in found:
        one.set("this", names[one.name])
        one.set("quoted", True)
    return str(tree.sql(dialect="sqlite")) if found else text

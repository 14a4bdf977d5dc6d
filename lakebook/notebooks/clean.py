"""The text of a code cell made plain Python 3: magics, shell lines, help requests, exported calls, Python 2.

What can be rewritten mechanically is; what cannot costs the cell, or in a cell of imports the one line. Only
text that does not parse is touched, apart from `get_ipython()` calls, which parse and mean magics, and names
that only Python 2 has, in a notebook that is known to be Python 2. How is told in `reading`; here the results
are tried.
"""

from __future__ import annotations

import ast
import gc
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache

from lakebook.notebooks.reading.magics import (
    EXPORTED,
    RUNS_PYTHON,
    cell_magic,
    without_exported_calls,
    without_magics,
    without_prompts,
)
from lakebook.notebooks.reading.python2 import has_old_names, rewrite_names, rewrite_syntax
from lakebook.syntax import parse_python

LARGEST_CELL = 500_000
"""Characters of code; a tree takes up to two hundred bytes a character, parsing up to a second."""

NO_PYTHON = "no Python"

_KEPT_TREES, _KEPT_LENGTH = 512, 20_000
_MOST_BROKEN_LINES = 20
_MAGIC_DEPTH = 8
_SHOWN_OF_LINE = 40
_parsing = ContextVar("parsing", default=False)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Plain Python, or why there is none.

    Attributes:
        note: names a line that was left out of usable code.
        python_2: it only became Python 3 by rewriting the syntax of Python 2.
    """

    code: str
    problem: str = ""
    note: str = ""
    python_2: bool = False


def parse(code: str) -> ast.Module:
    """Parse Python without the warnings that old code gives rise to.

    The trees of the last cells are kept, since a cell is read, cut and interpreted one after the other: never
    change one.

    Raises:
        SyntaxError: also for what the parser refuses in other ways (NUL bytes, too deep nesting).
    """
    return _kept_tree(code) if len(code) <= _KEPT_LENGTH else _new_tree(code)


def clean(source: str, *, python_2: bool = False) -> Cleaned:
    """Return a cell's text as plain Python.

    Args:
        source: the cell.
        python_2: the notebook is Python 2; names and methods that are gone are replaced too.
    """
    if len(source) > LARGEST_CELL:
        return Cleaned("", f"its {len(source):,} characters are more than the {LARGEST_CELL:,} that are read")
    source = source.removeprefix("\ufeff")
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    if ">>>" in source or "In [" in source:
        source = without_prompts(source)
    return _clean(source, python_2, _MAGIC_DEPTH)


def _clean(source: str, python_2: bool, depth: int) -> Cleaned:
    magic = cell_magic(source) if "%%" in source else None
    if magic is not None:
        return _of_cell_magic(*magic, python_2, depth)
    if python_2 and has_old_names(source):
        source = rewrite_names(source)
    if EXPORTED in source:
        source = _without_exported(source)
    if _tree(source) is not None:
        return Cleaned(source)
    plain = without_magics(source)
    if plain != source and _tree(plain) is not None:
        return Cleaned(plain)
    dedented = textwrap.dedent(plain)
    if _tree(dedented) is None:
        dedented = _without_first_indent(dedented)
    if dedented != plain and _tree(dedented) is not None:
        return Cleaned(dedented)
    python_3 = rewrite_syntax(dedented)
    if python_3 != dedented and _tree(python_3) is not None:
        return Cleaned(python_3, python_2=True)
    return _without_broken_import(python_3, source)


def _without_first_indent(text: str) -> str:
    """Return a cell without its first line's indentation, taken from each line that begins with it.

    So did IPython for years (`leading_indent`; newer ones take what is common to all lines), and therefore
    cells whose first line alone is indented have run.
    """
    first = text.lstrip("\n")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    return "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True)) if indent else text


@lru_cache(maxsize=_KEPT_TREES)
def _kept_tree(code: str) -> ast.Module:
    return _new_tree(code)


def _new_tree(code: str) -> ast.Module:
    try:
        with parsing():
            return parse_python(code)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error) or "too deeply nested") from error


@contextmanager
def parsing() -> Iterator[None]:
    """Silence what old code gives rise to, and do not look for cycles among the nodes of trees.

    Entering costs as much as a small cell: whoever parses many cells enters once around all of them.
    """
    if _parsing.get():
        yield
        return
    collecting = gc.isenabled()
    gc.disable()
    entered = _parsing.set(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        _parsing.reset(entered)
        if collecting:
            gc.enable()


def _tree(code: str) -> ast.Module | None:
    try:
        return parse(code)
    except SyntaxError:
        return None


def _of_cell_magic(name: str, head: str, body: str, python_2: bool, depth: int) -> Cleaned:
    if name not in RUNS_PYTHON or not depth:
        return Cleaned("", f"a `%%{name}` cell, {NO_PYTHON}")
    inner = _clean(body, python_2, depth - 1)
    if inner.problem:
        return inner
    return Cleaned(f"# {head}\n{inner.code}", inner.problem, inner.note, inner.python_2)


def _without_exported(source: str) -> str:
    tree = _tree(source) or _tree(rewrite_syntax(source))
    if tree is not None and _tree(source) is None:
        source = rewrite_syntax(source)
    if tree is not None:
        return without_exported_calls(source, tree)
    lines = source.split("\n")
    return "\n".join(_without_call(line) for line in lines)


def _without_call(line: str) -> str:
    stripped = line.lstrip()
    if not stripped.startswith(EXPORTED):
        return line
    return f"{line[: len(line) - len(stripped)]}pass  # {stripped}"


def _without_broken_import(source: str, written: str) -> Cleaned:
    """In a cell of imports leave out the lines that do not parse; elsewhere the cell is lost.

    A cell that holds more than imports was never run by anyone, so that its other lines tell nothing.
    """
    problem = _syntax_problem(source, written)
    if len(source) > _KEPT_LENGTH:
        return Cleaned("", problem)
    lines = source.split("\n")
    filled = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    imports = [line for line in filled if line.startswith(("import ", "from "))]
    if len(imports) * 2 < len(filled) or not filled:
        return Cleaned("", problem)
    broken: list[int] = []
    while len(broken) < min(len(filled), _MOST_BROKEN_LINES):
        number = _broken_line("\n".join(lines))
        if number is None:
            places = ", ".join(str(one) for one in sorted(broken))
            are = "lines {} are no Python and were" if len(broken) > 1 else "line {} is no Python and was"
            return Cleaned("\n".join(lines), note=f"{are.format(places)} left out")
        if not 0 < number <= len(lines) or number in broken:
            break
        broken.append(number)
        lines[number - 1] = f"# {lines[number - 1]}"
    return Cleaned("", problem)


def _broken_line(source: str) -> int | None:
    try:
        parse(source)
    except SyntaxError as error:
        return error.lineno or 0
    return None


def _syntax_problem(source: str, written: str) -> str:
    """Return what is wrong with a text, and the line as it was written."""
    try:
        parse(source)
    except SyntaxError as error:
        place = f" in line {error.lineno}" if error.lineno else ""
        line = "".join(written.split("\n")[error.lineno - 1 : error.lineno]).strip() if error.lineno else ""
        shown = f" (`{line[:_SHOWN_OF_LINE]}{' …' if len(line) > _SHOWN_OF_LINE else ''}`)" if line else ""
        return f"syntax error{place}{shown}: {error.msg}"
    return "syntax error"

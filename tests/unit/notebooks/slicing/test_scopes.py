"""Local names are those that Python's own compiler finds, in code that nobody wrote for this test."""

import ast
import symtable
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import pytest

from lakebook.notebooks.slicing.scopes import is_generator, local_names

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
MODULES = ["argparse.py", "ast.py", "contextlib.py", "dataclasses.py", "enum.py", "inspect.py", "typing.py"]
PROGRAMS = {
    "walrus in a comprehension": "def f(rows):\n    return [y := x for x in rows], y",
    "walrus in a lambda is its own": "def f():\n    return lambda: (y := 1)",
    "global and nonlocal": """
def f():
    a = 1
    def g():
        nonlocal a
        global b
        a = b = 2
    return g
""",
    "patterns": """
def f(x):
    match x:
        case [a, *b]: pass
        case {"k": c, **d}: pass
        case int() as e: pass
""",
    "handlers, imports, loops": """
def f():
    try:
        import a.b, c as d
    except E as e:
        for g, (h, *i) in e:
            del j
""",
    "class in a function": """
def f():
    class K:
        x = 1
        def m(self): y = x
    return K
""",
}
SOURCES = [*PROGRAMS.values(), *((LIBRARY / name).read_text("utf-8") for name in MODULES)]


@pytest.mark.parametrize("source", SOURCES, ids=[*PROGRAMS, *MODULES])
def test_locals_are_those_of_the_compiler(source: str) -> None:
    tables = _tables(symtable.symtable(source, "source", "exec"))
    compared = 0
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        found = [
            table for table in tables if (table.get_name(), table.get_lineno()) == (node.name, node.lineno)
        ]
        bound = {one.get_name() for one in found[0].get_symbols() if one.is_local()}

        assert _unmangled(local_names(node)) == _unmangled(bound)
        compared += 1
    assert compared


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f():\n    yield 1", True),
        ("def f():\n    x = yield from g()", True),
        ("def f():\n    def g():\n        yield 1\n    return g", False),
        ("def f():\n    return (x for x in y)", False),
        ("def f():\n    return lambda: (yield)", False),
    ],
)
def test_generators_are_told_by_their_own_yields(source: str, expected: bool) -> None:
    assert is_generator(ast.parse(source).body[0]) == expected


def _tables(table: symtable.SymbolTable) -> list[symtable.SymbolTable]:
    return [table, *(inner for child in table.get_children() for inner in _tables(child))]


def _unmangled(names: Iterable[str]) -> set[str]:
    """Leave out names that the compiler changes or adds (`__x` in a class, `.0`)."""
    return {name for name in names if "__" not in name and not name.startswith(".")}

from __future__ import annotations

import ast
import sys

import pytest

from lakebook.analyst.methods import method_names, method_source
from lakebook.errors import AnalystError

ALLOWED = {"numpy", "pandas", "scipy", "statsmodels", "matplotlib", *sys.stdlib_module_names}
# What shows its figures in a browser is imported by the one method that keeps them, and only if it was used.
ONLY_IN_USE = {"keep_shown": {"plotly", "altair"}}


@pytest.mark.parametrize("name", method_names())
def test_each_method_stands_alone(name: str) -> None:
    source = method_source([name])
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in imports:
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        assert {module.split(".")[0] for module in modules} <= ALLOWED | ONLY_IN_USE.get(name, set())
    names: dict[str, object] = {}
    exec(source, names)
    assert callable(names[name])
    assert names[name].__doc__


def test_source_has_no_note_to_the_type_checker_and_is_stable() -> None:
    source = method_source(method_names())
    assert "type: ignore" not in source
    assert source == method_source(reversed(method_names()))


def test_what_is_called_is_taken_along_and_nothing_else() -> None:
    source = method_source(["find_key"])
    assert "def joint_codes" in source
    assert "def draw_bars" not in source
    assert "matplotlib" not in source


def test_an_unknown_method_is_an_error() -> None:
    with pytest.raises(AnalystError, match="no method 'nothing'"):
        method_source(["nothing"])


def test_no_names_no_source() -> None:
    assert method_source([]).strip() == ""

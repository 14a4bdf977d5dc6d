from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any

import pytest

from lakebook import syntax
from lakebook.syntax import parse_expression, parse_python

CODE = "def f(x: int) -> list:\n    return [x, *range(3)]\n"


def test_trees_are_those_of_python() -> None:
    assert ast.dump(parse_python(CODE)) == ast.dump(ast.parse(CODE))
    assert ast.dump(parse_expression("a + 1")) == ast.dump(ast.parse("a + 1", mode="eval").body)


@pytest.mark.parametrize("code", ["a =", "\0", "return :"])
def test_what_is_no_python_is_refused_as_python_does(code: str) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        parse_python(code)


def failing(times: int) -> Iterator[Any]:
    real = builtins.compile
    for _ in range(times):
        yield SystemError("AST constructor recursion depth mismatch (before=72, after=64)")
    while True:
        yield real


@pytest.mark.parametrize(("times", "comes"), [(1, True), (4, True), (5, False)])
def test_a_parse_that_another_thread_disturbed_is_done_again(
    monkeypatch: pytest.MonkeyPatch, times: int, comes: bool
) -> None:
    ends = failing(times)

    def disturbed(*arguments: Any, **named: Any) -> Any:
        end = next(ends)
        if isinstance(end, SystemError):
            raise end
        return end(*arguments, **named)

    monkeypatch.setattr(syntax, "compile", disturbed, raising=False)
    if comes:
        assert ast.dump(parse_python(CODE)) == ast.dump(ast.parse(CODE))
    else:
        with pytest.raises(SystemError):
            parse_python(CODE)

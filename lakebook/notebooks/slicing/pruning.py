"""The source text of compound statements of which only some parts are kept.

The author's lines stay as they were written. With a statement go the lines of comment right above it; a block
that loses all of its statements gets a `pass`, or its `else` goes with it; a loop over a literal list keeps
the elements that are needed. Statements whose layout does not allow this (`if x: y = 1`, two statements on a
line) are never cut.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set

_CUT = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)
# in such a block an exception is no exception, and what is printed goes elsewhere
_SWALLOWS = frozenset({"suppress", "raises", "assertRaises", "redirect_stdout", "redirect_stderr"})


def can_be_cut(node: ast.AST) -> bool:
    """Return True if a statement has blocks that single statements can be taken out of."""
    if not isinstance(node, _CUT):
        return False
    if isinstance(node, (ast.With, ast.AsyncWith)) and may_end_early(node):
        return False
    if not _stand_alone(node.body, node.lineno):
        return False
    orelse = getattr(node, "orelse", [])
    return not orelse or _stand_alone(orelse, _end(node.body[-1]) + (0 if is_elif(node) else 1))


def may_end_early(node: ast.With | ast.AsyncWith) -> bool:
    """Return True if an exception in the block may end it and the program goes on behind it."""
    return any(_swallows(item.context_expr) for item in node.items)


def is_definition(node: ast.stmt) -> bool:
    """Return True for a function or class whose statements stand on lines of their own."""
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and _stand_alone(
        node.body, node.lineno
    )


def is_elif(node: ast.stmt) -> bool:
    """Return True if an `if` goes on with an `elif`."""
    orelse = getattr(node, "orelse", [])
    return (
        isinstance(node, ast.If)
        and len(orelse) == 1
        and isinstance(orelse[0], ast.If)
        and orelse[0].col_offset == node.col_offset
    )


def pruned(text: str, node: ast.stmt, kept: Set[int]) -> str:
    """Return what is left of a statement's text; all of it if its lines are not those that Python counts.

    Args:
        text: source of the statement, from its first line on.
        node: the statement, with the line numbers of its cell.
        kept: `id` of the nodes that stay: statements, and elements of literal lists that are looped over.
    """
    lines = text.split("\n")
    if len(lines) != _end(node) - _first(node) + 1:
        return text
    cutter = _Cutter(lines, _first(node), kept)
    return "\n".join(cutter.compound(node))


class _Cutter:
    """Picks the lines that stay; line numbers are those of the cell."""

    def __init__(self, lines: Sequence[str], first: int, kept: Set[int]) -> None:
        self.lines = lines
        self.first = first
        self.kept = kept

    def compound(self, node: ast.stmt) -> list[str]:
        """Return the lines of a compound statement that is kept in part."""
        body: list[ast.stmt] = getattr(node, "body", [])
        orelse: list[ast.stmt] = getattr(node, "orelse", [])
        start = self._with_comments(body[0], node.lineno)
        left = self._header(node, start) + self._block(body, start)
        if any(id(one) in self.kept for one in orelse):
            after = _end(body[-1]) + 1
            if is_elif(node):
                left += self._span(after, orelse[0].lineno) + self._statement(orelse[0])
            else:
                start = self._with_comments(orelse[0], after)
                left += self._span(after, start) + self._block(orelse, start)
        return left

    def _block(self, body: list[ast.stmt], start: int) -> list[str]:
        left: list[str] = []
        for one in body:
            first, after = _first(one), _end(one) + 1
            if id(one) in self.kept:
                left += self._span(start, first) + self._statement(one)
            start = after
        if not left:
            line = self.lines[_first(body[0]) - self.first]
            left.append(line[: len(line) - len(line.lstrip())] + "pass")
        return left

    def _statement(self, node: ast.stmt) -> list[str]:
        opened = can_be_cut(node) or (is_definition(node) and self._holds_kept(node))
        return self.compound(node) if opened else self._span(_first(node), _end(node) + 1)

    def _holds_kept(self, node: ast.stmt) -> bool:
        body: list[ast.stmt] = getattr(node, "body", [])
        return any(id(one) in self.kept for one in body)

    def _header(self, node: ast.stmt, end: int) -> list[str]:
        """Return the lines before the first block; a literal list keeps the elements that are needed."""
        lines = self._span(_first(node), end)
        literal = getattr(node, "iter", None)
        if not isinstance(literal, (ast.List, ast.Tuple)):
            return lines
        staying = [one for one in literal.elts if id(one) in self.kept]
        if not staying or len(staying) == len(literal.elts):
            return lines
        source = "\n".join(lines)
        shift = node.lineno
        inner = ", ".join(_segment(lines, one, shift) for one in staying)
        if isinstance(literal, ast.List):
            inner = f"[{inner}]"
        else:
            inner = f"({inner},)" if len(staying) == 1 else f"({inner})"
        whole = _segment(lines, literal, shift)
        begin = _offset(lines, literal.lineno - shift, literal.col_offset)
        return (source[:begin] + inner + source[begin + len(whole) :]).split("\n")

    def _with_comments(self, node: ast.stmt, lowest: int) -> int:
        """Return the first line of the comments right above a statement."""
        line = _first(node)
        while line - 1 > lowest and _is_trivia(self.lines[line - 1 - self.first]):
            line -= 1
        return line

    def _span(self, start: int, end: int) -> list[str]:
        return list(self.lines[start - self.first : end - self.first])


def _is_trivia(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(item.lineno for item in decorators)])


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _stand_alone(body: Sequence[ast.stmt], after: int) -> bool:
    """Return True if each statement begins on a line of its own, the first one after a line."""
    for one in body:
        if _first(one) <= after:
            return False
        after = _end(one)
    return True


def _swallows(manager: ast.expr) -> bool:
    function = manager.func if isinstance(manager, ast.Call) else manager
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in _SWALLOWS


def _offset(lines: Sequence[str], line: int, column: int) -> int:
    """Return the position of a place in the joined lines; columns count bytes."""
    return sum(len(one) + 1 for one in lines[:line]) + len(lines[line].encode()[:column].decode())


def _segment(lines: Sequence[str], node: ast.expr, first: int) -> str:
    """Return the text of an expression; a tuple's parentheses are part of it."""
    begin = _offset(lines, node.lineno - first, node.col_offset)
    end = _offset(lines, (node.end_lineno or node.lineno) - first, node.end_col_offset or 0)
    return "\n".join(lines)[begin:end]

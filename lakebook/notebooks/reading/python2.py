"""Python 2 made Python 3, where that is mechanical.

Statements that Python 3 has no syntax for are rewritten from their tokens: `print`, `exec`, `raise E, x`,
`except E, e`, `<>`, backticks, old numbers and prefixes. What parses in both but means another thing
(`has_key`, `iteritems`, `xrange`) is only touched in a notebook that is surely Python 2. Whether the result
is Python is for the caller to see; types decide the rest (`map` as a list), which is left alone. What `/` did
depends on them too: where it may have divided whole numbers is told.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence

from lakebook.notebooks.reading.lexer import Token, tokens

_OLD_NAMES = {
    "iteritems": "items",
    "itervalues": "values",
    "iterkeys": "keys",
    "viewitems": "items",
    "viewvalues": "values",
    "viewkeys": "keys",
    "xrange": "range",
    "raw_input": "input",
    "unicode": "str",
    "unichr": "chr",
    "basestring": "str",
    "izip": "zip",
    "imap": "map",
    "ifilter": "filter",
}
_ATTRIBUTES = frozenset({"iteritems", "itervalues", "iterkeys", "viewitems", "viewvalues", "viewkeys"})
_OLD_TRACES = re.compile(r"\b(?:has_key|" + "|".join(_OLD_NAMES) + r")\b")
_HAS_KEY = re.compile(r"(?<![\w.])([\w.]{1,200}(?:\[[^\[\]]*\])?)\.has_key\(([^()]*)\)")
_FLOAT_FUNCTIONS = ("float", "float32", "float64", "sqrt", "exp", "log", "log2", "log10", "sin", "cos", "tan")
_FLOAT_RESULTS = (
    "mean",
    "std",
    "var",
    "median",
    "quantile",
    "corr",
    "norm",
    "random",
    "rand",
    "randn",
    "uniform",
)
_FLOAT_CALLS = frozenset((*_FLOAT_FUNCTIONS, *_FLOAT_RESULTS, "normal"))
_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")
_BLANK = ("space", "comment", "newline")


def rewrite_syntax(source: str) -> str:
    """Return the text with the statements that only Python 2 has rewritten."""
    written: list[str] = []
    for statement in _statements([_plain(token) for token in tokens(source)]):
        written.append(_statement(statement))
    return "".join(written)


def has_old_names(source: str) -> bool:
    """Return True if the text may use names or methods that only Python 2 has."""
    return _OLD_TRACES.search(source) is not None


def rewrite_names(source: str) -> str:
    """Return the text of a notebook that is surely Python 2 with names and methods of Python 3."""
    source = _HAS_KEY.sub(r"(\2 in \1)", source)
    written: list[str] = []
    after_dot = False
    for token in tokens(source):
        text = token.text
        if token.kind == "name" and text in _OLD_NAMES and after_dot == (text in _ATTRIBUTES):
            text = _OLD_NAMES[text]
        written.append(text)
        if token.kind not in _BLANK:
            after_dot = token.text == "."
    return "".join(written)


def divisions_of_whole_numbers(statements: Iterable[ast.stmt]) -> list[str]:
    """Return each `/` that Python 2 may have taken as `//`: those in which no float takes part."""
    found: list[str] = []
    for node in (node for statement in statements for node in ast.walk(statement)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            operands = (node.left, node.right)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            operands = (_as_load(node.target), node.value)
        else:
            continue
        if not any(map(_is_surely_not_whole, operands)):
            found.append(_written(node))
    return list(dict.fromkeys(found))


def _as_load(target: ast.expr) -> ast.expr:
    return target if isinstance(target, ast.expr) else ast.Constant(0)


def _written(node: ast.AST) -> str:
    try:
        return " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):
        return "/"


def _is_surely_not_whole(operand: ast.expr) -> bool:
    """Return True for what is a float, or no number at all, whatever the variables are."""
    waiting = [operand]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.BinOp):
            waiting += (node.left, node.right)
        elif isinstance(node, ast.UnaryOp):
            waiting.append(node.operand)
        elif isinstance(node, ast.Constant):
            if not isinstance(node.value, int):
                return True
        elif isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name in _FLOAT_CALLS:
                return True
        elif isinstance(node, (ast.JoinedStr, ast.List, ast.Tuple, ast.Dict)):
            return True
    return False


def _plain(token: Token) -> Token:
    kind, text = token
    if kind == "op" and text == "<>":
        return Token(kind, "!=")
    if kind == "number" and text[-1] in "lL":
        text = text[:-1]
    if kind == "number" and len(text) > 1 and text[0] == "0" and text.isdigit() and text.strip("0"):
        return Token(kind, "0o" + text.lstrip("0"))
    if kind == "string" and text[:2].lower() == "ur":
        return Token(kind, text[1:])
    return Token(kind, text)


def _statements(listed: Sequence[Token]) -> list[list[Token]]:
    """Cut tokens after each newline and `;` outside brackets, and after the colon of a block."""
    found: list[list[Token]] = [[]]
    depth = lambdas = 0
    for token in listed:
        found[-1].append(token)
        if token.kind == "name" and token.text == "lambda":
            lambdas += 1
        if token.kind == "op":
            depth += (token.text in _OPEN) - (token.text in _CLOSE)
            if token.text == ":" and depth <= 0 and lambdas:
                lambdas -= 1
                continue
        if depth <= 0 and (token.kind == "newline" or (token.kind == "op" and token.text in (";", ":"))):
            found.append([])
            depth = lambdas = 0
    return found


def _statement(listed: list[Token]) -> str:
    """Rewrite one statement; layout before it and what ends it stay."""
    first = next((at for at, token in enumerate(listed) if token.kind not in _BLANK), len(listed))
    last = len(listed)
    while last > first and (listed[last - 1].kind in _BLANK or listed[last - 1].text in (";", ":")):
        last -= 1
    body = listed[first:last]
    if not body:
        return _text(listed)
    rewrite = _REWRITES.get(body[0].text) if body[0].kind == "name" else None
    text = _without_backticks(_text(body) if rewrite is None else rewrite(body))
    return _text(listed[:first]) + text + _text(listed[last:])


def _print(body: list[Token]) -> str:
    rest = _stripped(body[1:])
    if not rest:
        return "print()"
    if rest[0].text in ("=", ".") or _closes_at_end(rest) or body[1].text == ",":
        return _text(body)
    if rest[0].text == ">>":
        stream, *values = _split(rest[1:])
        shown = ", ".join(value for value in values if value)
        return f"print({shown}{', ' if shown else ''}file={stream})"
    return f"print({', '.join(value for value in _split(rest) if value)})"


def _exec(body: list[Token]) -> str:
    rest = _stripped(body[1:])
    if not rest or rest[0].text in ("(", "=", "."):
        return _text(body)
    parts, depth = [""], 0
    for token in rest:
        depth += (token.text in _OPEN) - (token.text in _CLOSE) if token.kind == "op" else 0
        if token == Token("name", "in") and not depth and len(parts) == 1:
            parts.append("")
        else:
            parts[-1] += token.text
    return f"exec({', '.join(part.strip() for part in parts)})"


def _raise(body: list[Token]) -> str:
    parts = _split(_stripped(body[1:]))
    if len(parts) not in (2, 3):
        return _text(body)
    trace = f".with_traceback({parts[2]})" if len(parts) == 3 else ""
    return f"raise {parts[0]}({parts[1]}){trace}"


def _except(body: list[Token]) -> str:
    parts = _split(_stripped(body[1:]))
    return f"except {parts[0]} as {parts[1]}" if len(parts) == 2 and parts[1].isidentifier() else _text(body)


_REWRITES: dict[str, Callable[[list[Token]], str]] = {
    "print": _print,
    "exec": _exec,
    "raise": _raise,
    "except": _except,
}


def _closes_at_end(rest: list[Token]) -> bool:
    """Return True if the text is one bracket, as in a call of Python 3."""
    if rest[0].text != "(":
        return False
    depth = 0
    for at, token in enumerate(rest):
        if token.kind == "op":
            depth += (token.text in _OPEN) - (token.text in _CLOSE)
        if not depth:
            return at == len(rest) - 1
    return True


def _split(listed: Sequence[Token]) -> list[str]:
    """Return the parts between commas outside brackets."""
    parts, depth = [""], 0
    for token in listed:
        if token.kind == "op":
            depth += (token.text in _OPEN) - (token.text in _CLOSE)
            if token.text == "," and not depth:
                parts.append("")
                continue
        parts[-1] += token.text
    return [part.strip() for part in parts]


def _without_backticks(text: str) -> str:
    if "`" not in text:
        return text
    written, is_open = [], False
    for token in tokens(text):
        if token == Token("op", "`"):
            written.append(")" if is_open else "repr(")
            is_open = not is_open
        else:
            written.append(token.text)
    return "".join(written)


def _stripped(listed: list[Token]) -> list[Token]:
    first = next((at for at, token in enumerate(listed) if token.kind not in _BLANK), len(listed))
    return listed[first:]


def _text(listed: Sequence[Token]) -> str:
    return "".join(token.text for token in listed)

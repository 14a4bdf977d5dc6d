"""Code with its texts and numbers hidden behind placeholders, and given back.

Unlike `notebooks.bare_code`, which only leaves out, what is hidden here can be put back into code that was
edited meanwhile. Words of libraries, names of columns and small numbers stay readable.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from dataclasses import dataclass, field

from lakebook.notebooks.taxonomy import chart_types, names
from lakebook.syntax import parse_python

_LARGEST_NUMBER = 20
_FIRST = 900_001
_API = re.compile(r"(?:attribute|argument|parameter|keyword) '([^']*)'")
_API_HIDDEN = re.compile(r"(attribute|argument|parameter|keyword) '[^']*'")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")


@dataclass
class Hidden:
    """What was hidden, so that it can be given back.

    Attributes:
        columns: names that stay readable. words: what the code itself calls things.
    """

    columns: Collection[str]
    texts: dict[str, str] = field(default_factory=dict)
    numbers: dict[int | float, int] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)

    def hide(self, code: str) -> str:
        """Return code without its comments, texts and numbers. Raises SyntaxError if it does not parse."""
        tree = parse_python(code)
        for node in ast.walk(tree):
            self.words |= {
                word for word in map(node.__dict__.get, ("id", "attr", "arg")) if isinstance(word, str)
            }
        return ast.unparse(ast.fix_missing_locations(_Hiding(self).visit(tree)))

    def give_back(self, code: str) -> str:
        """Return code with its texts and numbers. Raises SyntaxError or ValueError if it does not parse."""
        return ast.unparse(ast.fix_missing_locations(_GivingBack(self).visit(parse_python(code))))

    def hide_in_message(self, message: str) -> str:
        """Return an error's message without texts and numbers that may be values."""

        def quoted(match: re.Match[str]) -> str:
            text = match[0][1:-1]
            known = self.stays(text) or text in self.words
            return match[0] if known else f"{match[0][0]}{self.texts.get(text, '…')}{match[0][-1]}"

        hidden = re.sub(r"\d{3,}|\d+\.\d+", "…", _QUOTED.sub(quoted, message))
        names = iter(_API.findall(message))  # what a library calls its own things is no value
        return _API_HIDDEN.sub(lambda match: f"{match[1]} '{next(names, '…')}'", hidden)

    def stays(self, text: str) -> bool:
        """Return True for a text that tells nothing of values: a column, a word of a library, a type."""
        kept = chart_types().keys() | names("lineage", "words_of_libraries").exact
        return text in self.columns or text in kept or text in _TYPES

    def text(self, text: str) -> str:
        """Return what stands for a text."""
        return text if self.stays(text) else self.texts.setdefault(text, f"T{len(self.texts) + 1}_")

    def number(self, number: int | float) -> int | float:
        """Return what stands for a number."""
        if isinstance(number, bool) or abs(number) <= _LARGEST_NUMBER:
            return number
        return self.numbers.setdefault(number, _FIRST + len(self.numbers))


_TYPES = frozenset(
    {
        "DataFrame",
        "Series",
        "str",
        "float",
        "int",
        "object",
        "datetime64[ns]",
        "list",
        "dict",
        "NoneType",
        "tuple",
    }
)


class _Hiding(ast.NodeTransformer):
    def __init__(self, hidden: Hidden) -> None:
        self.hidden = hidden

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str):
            return ast.Constant(self.hidden.text(node.value))
        if isinstance(node.value, int | float):
            return ast.Constant(self.hidden.number(node.value))
        return node


class _GivingBack(ast.NodeTransformer):
    def __init__(self, hidden: Hidden) -> None:
        self.texts = {mark: text for text, mark in hidden.texts.items()}
        self.numbers = {mark: number for number, mark in hidden.numbers.items()}

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str):
            return ast.Constant(self.texts.get(node.value, node.value))
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            return ast.Constant(self.numbers.get(node.value, node.value))
        return node

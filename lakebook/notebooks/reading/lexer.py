"""Where statements begin and end in text that Python 3 may not parse.

Only the shape of the text is told here; what a magic or an old statement means is told in `magics` and
`python2`. Python's own tokenizer is of no use: since 3.12 it refuses what is not Python 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
      (?P<newline>\n)
    | (?P<space>(?:[ \t\f]|\\\n)+)
    | (?P<comment>\#[^\n]*)
    | (?P<string>(?:[bBuUrRfF]{1,2})?(?:
          \"\"\"(?:[^\\]|\\.)*?\"\"\" | '''(?:[^\\]|\\.)*?'''
        | "(?:[^"\\\n]|\\(?:.|\n))*" | '(?:[^'\\\n]|\\(?:.|\n))*' ))
    | (?P<number>(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+
        |(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)[jJlL]?)
    | (?P<name>[^\W\d]\w*)
    | (?P<op><>|>>=|<<=|\*\*=|//=|->|:=|\*\*|//|>>|<<|<=|>=|==|!=|[-+*/%&|^@]=|.)
    """,
    re.X | re.S,
)


class Token(NamedTuple):
    """One piece of the text; the pieces together are the text."""

    kind: str
    text: str


def tokens(text: str, start: int = 0) -> Iterator[Token]:
    """Cut text into tokens, whatever it holds; a quote that is never closed is an operator."""
    for match in _TOKEN.finditer(text, start):
        yield Token(str(match.lastgroup), match.group())


def statement_end(text: str, start: int) -> int:
    """Return where the logical line that begins at `start` ends, its newline included."""
    depth = 0
    position = start
    for token in tokens(text, start):
        position += len(token.text)
        if token.kind == "newline" and depth <= 0:
            return position
        if token.kind == "op":
            depth += (token.text in "([{") - (token.text in ")]}")
    return position

"""The code blocks of a reply: SQL, Python or JSON, told apart by what they are and not by their label alone.

What belongs here: finding blocks, telling their language, and reading JSON as models write it. Nothing here
knows an operation, and nothing is run.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import Any, Literal

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from lakebook.syntax import parse_python

Language = Literal["sql", "python", "json"]

_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.M | re.S)
_INLINE = re.compile(r"```[ \t]*([\w+-]*)[ \t]+([^`\n]+?)[ \t]*```")
_FENCE_LINE = re.compile(r"^[ \t]*(?:`{3,}|~{3,}).*$", re.M)
_LABELS: dict[str, Language] = {
    "sql": "sql",
    "duckdb": "sql",
    "python": "python",
    "py": "python",
    "python3": "python",
    "json": "json",
}
_BEFORE = r"(?:--[^\n]*\n|/\*.*?\*/|\s|\()*"
_SELECT = re.compile(rf"{_BEFORE}select\b", re.I | re.S)
_SQL = re.compile(rf"{_BEFORE}(?:with|from|values|describe|summarize|show|pivot|unpivot)\b", re.I | re.S)
# What only a statement that writes or reaches out begins with: it is SQL too, and the runtime says why not.
_OTHER_SQL = re.compile(
    r"\s*(?:insert|update|delete|create|drop|alter|copy|attach|detach|install|load|pragma|set|call|export)\s+\w",
    re.I,
)
_DEEPEST = 100
_FAILURES = 50  # brackets that begin no value, before the rest of a text is not searched


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of code and the language that it is in."""

    language: Language
    text: str


def blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a section that holds code: its fences, else all of it."""
    fenced = fences(text)
    if fenced:
        return fenced
    bare = _FENCE_LINE.sub("", text).strip()
    return _block("", bare)


def fences(text: str) -> tuple[Block, ...]:
    """Return the fenced blocks of a text; one that was never closed reaches to the end."""
    found: list[Block] = []
    pairs = [(match.group(2), match.group(3)) for match in _FENCED.finditer(text)]
    for label, body in pairs or [(match.group(1), match.group(2)) for match in _INLINE.finditer(text)]:
        found += _block(label, body.strip())
    return tuple(found)


def _block(label: str, body: str) -> tuple[Block, ...]:
    if not body:
        return ()
    language = language_of(body, label)
    if language == "sql":
        return tuple(Block("sql", one) for one in statements(body))
    return (Block(language, body),)


def language_of(text: str, label: str = "") -> Language:
    """Tell what a piece of code is. What it looks like counts more than its label."""
    labelled = _LABELS.get(label.lower())
    if text[:1] in ("{", "[") and _value_at(text, 0)[1]:
        return "json"
    if _SELECT.match(text) or (labelled == "sql" and _SQL.match(text)):
        return "sql"
    if _is_python(text):
        return "python"
    if _SQL.match(text) or _OTHER_SQL.match(text):
        return "sql"
    return labelled or "python"


def _is_python(text: str) -> bool:
    try:
        parse_python(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def statements(sql: str) -> tuple[str, ...]:
    """Cut SQL at its semicolons, as written; text that cannot be read is one statement."""
    try:
        tokens = sqlglot.tokenize(sql, read="duckdb")
    except (SqlglotError, ValueError, RecursionError):
        return (sql.strip(),)
    found, start, has_tokens = [], 0, False
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            if has_tokens:
                found.append(sql[start : token.start].strip())
            start, has_tokens = token.end + 1, False
        else:
            has_tokens = True
    if has_tokens:
        found.append(sql[start:].strip())
    return tuple(found) or (sql.strip(),)


def json_values(text: str) -> tuple[Any, ...]:
    """Return the JSON objects and arrays of a text, in order; () if there is none.

    Read as models write it: several after one another, words around them, trailing commas, Python's quotes
    and constants.
    """
    found: list[Any] = []
    place = failures = 0
    while failures < _FAILURES and (place := _next_bracket(text, place)) >= 0:
        value, end = _value_at(text, place)
        if end > place:
            found.append(value)
        else:
            failures += 1
        place = max(end, place + 1)
    return tuple(found)


def _next_bracket(text: str, start: int) -> int:
    places = [place for place in (text.find("{", start), text.find("[", start)) if place >= 0]
    return min(places, default=-1)


def _value_at(text: str, place: int) -> tuple[Any, int]:
    """Read the value that begins at a bracket; its end is the place itself if there is none."""
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, place)
    except (ValueError, RecursionError):
        pass
    end = _matching(text, place)
    if end < 0:
        return None, place
    piece = text[place:end]
    for mended in (re.sub(r",(\s*[}\]])", r"\1", piece), piece):
        try:
            return json.loads(mended, strict=False), end
        except (ValueError, RecursionError):
            continue
    try:
        value = ast.literal_eval(piece)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None, place
    return (value, end) if isinstance(value, dict | list) else (None, place)


def _matching(text: str, place: int) -> int:
    """Return the place after the bracket that closes the one at `place`, -1 if none does."""
    stack: list[str] = []
    quote = ""
    skip = False
    for index in range(place, len(text)):
        sign = text[index]
        if skip:
            skip = False
        elif quote:
            skip = sign == "\\"
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "{[":
            stack.append("}" if sign == "{" else "]")
            if len(stack) > _DEEPEST:
                return -1
        elif sign in "}]":
            if not stack or stack.pop() != sign:
                return -1
            if not stack:
                return index + 1
    return -1

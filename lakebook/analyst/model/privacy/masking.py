"""Masking: what is left of a value, a text, an error or some code when cell values must not leave.

What belongs here: the ways to hide; which of them a level asks for is decided in `shown`. Two kinds of text
are told apart. What our own rules write quotes what it takes from cells, or lists it; there everything quoted
and every number that counts nothing is hidden. What a library or a program writes may hold a value anywhere;
there only words of a fixed list and known names are left.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Iterable
from functools import cache
from importlib import resources
from types import EllipsisType

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from lakebook.syntax import parse_python

HIDDEN = "…"
_TEXTS = frozenset(kind for kind in TokenType if kind.name.endswith("STRING"))
_TYPES = frozenset(
    re.findall(
        r"\S+",
        """
        str int float bool bytes object list dict tuple set NoneType None function method type module slice
        DataFrame Series Index Timestamp Timedelta Period ndarray datetime date time timedelta Decimal
        datetime64[ns] datetime64[us] datetime64[s] timedelta64[ns] int64 int32 float64 float32 category
        VARCHAR INTEGER INT32 INT64 BIGINT DOUBLE FLOAT DECIMAL DATE TIME TIMESTAMP BOOLEAN BLOB JSON HUGEINT
        INTERVAL
        """,
    )
)
_LONGEST = 40
_QUOTED = re.compile(r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"|`[^`]*`|“[^”]*”|‘[^’]*’")
_NUMBER = r"(?<![\w.\ue000])[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?%?(?!\w)"
_COUNTED = (
    r"rows?|values?|columns?|tables?|groups?|keys?|records?|claims?|inputs?|names?|units?|files?|statements?|"
    r"times|conditions?|combinations?|joins?|pairs?|matches|nulls?|members?|cells?|lines?|rounds?|seconds?"
)
# "3 rows", "3 of 12 rows", "1,204 different values": counts, in the words that our rules use for them.
_COUNT = re.compile(rf"(?<![\w.,])\d[\d,]*(?: of \d[\d,]*)?(?= (?:[a-z]+ ){{0,2}}(?:{_COUNTED})\b)")
_TOKEN = re.compile(r"[^\W\d]\w*(?:['’-]\w+)*|\d[\w.,:+-]*|[^\x00-\x7f]+")
_SEVERAL = re.compile(rf"{HIDDEN}(?:[\s,./:+-]*{HIDDEN})+")
_KEPT = "\ue000{}\ue001"
_MARK = re.compile("\ue000(\\d+)\ue001")


def shape_of(value: object) -> str:
    """Return a value with x for letters and 9 for digits, cut where it is long: "AB-12 km" is "XX-99 xx"."""
    text = str(value)
    drawn = "".join(map(_shape, text[:_LONGEST]))
    return f"{drawn}{HIDDEN}" if len(text) > _LONGEST else drawn


def _shape(letter: str) -> str:
    if letter.isnumeric():
        return "9"
    if letter.isalpha():
        return "X" if letter.isupper() else "x"
    return letter if letter.isascii() and letter.isprintable() else "·"


def bare_path(path: str, values: bool) -> str:
    """Return a path in which a folder that names a value (`country=Peru`) no longer does.

    Args:
        path: of a file, as the lake has it.
        values: whether the value's shape stays.
    """
    return "/".join(
        f"{name}={shape_of(value) if values else HIDDEN}" if mark and name.isidentifier() else part
        for part in path.split("/")
        for name, mark, value in [part.partition("=")]
    )


def bare_table_name(name: str, source: str) -> str:
    """Return a table's name without the values that it took from folders of its source (`country=Peru`)."""
    for part in source.split("/"):
        written = re.sub(r"\W+", "_", part.partition("=")[2].lower()).strip("_")
        name = name.replace(written, HIDDEN) if written else name
    return name


def bare_text(text: str, values: Iterable[str], names: Collection[str]) -> str:
    """Return a text of our own without cell values.

    Args:
        text: as a rule wrote it.
        values: what of it stands in cells, as it is written there.
        names: of tables and columns, which stay.
    """
    for value in sorted((one for one in values if one), key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return _KEPT.format(len(kept) - 1)

    known = _name_pattern(names)
    text = re.sub(rf"(['\"`]?){known}\1", keep, text) if known else text
    text = _COUNT.sub(keep, _QUOTED.sub(lambda match: f"{match[0][0]}{HIDDEN}{match[0][-1]}", text))
    text = re.sub(_NUMBER, HIDDEN, text)
    return _given_back(_SEVERAL.sub(HIDDEN, text), kept)


def bare_error(text: str, names: Collection[str], *, counts: bool = False) -> str:
    """Return a text of a library without anything but words of the fixed list and known names.

    Args:
        text: what a library or a program wrote.
        names: of tables and columns, which stay.
        counts: numbers of rows, values and the like stay too: the text is a note of ours.
    """
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return _KEPT.format(len(kept) - 1)

    known = _name_pattern(names)
    text = re.sub(rf"(['\"`]?){known}\1", keep, text) if known else text
    text = _QUOTED.sub(lambda match: match[0] if _tells_nothing(match[0][1:-1]) else f"'{HIDDEN}'", text)

    text = _COUNT.sub(keep, text) if counts else text

    def judged(match: re.Match[str]) -> str:
        word = match[0]
        if _MARK.fullmatch(word):
            return word
        return word if word.casefold() in _vocabulary() or word in _EXCEPTIONS else HIDDEN

    text = re.sub(rf"{_MARK.pattern}|{_TOKEN.pattern}", judged, text)
    return _given_back(_SEVERAL.sub(HIDDEN, text), kept)


def bare_sql(sql: str) -> str:
    """Return a statement without its texts, numbers and comments; only a mark where it cannot be read."""
    try:
        tokens = sqlglot.tokenize(sql, read="duckdb")
    except (SqlglotError, ValueError, RecursionError):
        return HIDDEN
    written, end = [], 0
    for token in tokens:
        gap = " " if token.start > end else ""
        if token.token_type in _TEXTS:
            written.append(f"{gap}'{HIDDEN}'")
        elif token.token_type == TokenType.NUMBER:
            written.append(gap + HIDDEN)
        else:
            written.append(gap + sql[token.start : token.end + 1])
        end = token.end + 1
    return "".join(written).strip()


def bare_python(code: str, names: Collection[str] = ()) -> str:
    """Return Python without comments, numbers, and texts other than names; a mark where it cannot be read."""
    try:
        tree = parse_python(code)
    except (SyntaxError, ValueError, RecursionError):
        return HIDDEN
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool | None | EllipsisType):
            continue
        if node.value not in names:
            node.value = HIDDEN if isinstance(node.value, str | bytes) else 0
    return ast.unparse(tree)


def _tells_nothing(text: str) -> bool:
    """Say whether a quoted text is a type or a sign: never a value that is worth hiding."""
    return text in _TYPES or not any(letter.isalnum() for letter in text)


def _name_pattern(names: Collection[str]) -> str:
    wanted = sorted({name for name in names if name.strip()}, key=lambda name: (-len(name), name))
    return rf"(?<![\w]){'(?:' + '|'.join(map(re.escape, wanted)) + ')'}(?![\w])" if wanted else ""


def _given_back(text: str, kept: list[str]) -> str:
    return _MARK.sub(lambda match: kept[int(match[1])], text)


_EXCEPTIONS = frozenset(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
) | {
    "ParserError",
    "MergeError",
    "IntCastingNaNError",
    "InvalidIndexError",
    "OutOfBoundsDatetime",
    "LinAlgError",
}


@cache
def _vocabulary() -> frozenset[str]:
    place = resources.files("lakebook") / "analyst" / "model" / "privacy" / "words" / "errors.txt"
    lines = place.read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())

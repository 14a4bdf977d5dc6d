"""Markdown as the notebook writer needs it: text that stays text, links, tables, anchors of headings.

Values from files stand in sentences, so everything that Markdown, HTML or MathJax would read as markup is
escaped. Rendering Markdown is the work of `prose`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

_MARKUP = re.compile(r"([\\`*\[\]$|~])")
_UNDERSCORE = re.compile(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_LINE_START = re.compile(r"(?m)^(\s*)([#>+=-]|\d+(?=[.)](?:\s|$)))")
_ENTITY = re.compile(r"&(?=#?\w+;)")


def escape_inline(text: object) -> str:
    """Return the text so that Markdown shows it as it is within a line that began before it."""
    plain = _MARKUP.sub(r"\\\1", str(text))
    plain = _UNDERSCORE.sub(r"\\_", plain)
    return _ENTITY.sub("&amp;", plain).replace("<", "&lt;")


def escape(text: object) -> str:
    """Return the text so that Markdown shows it as it is, wherever it stands."""
    return _LINE_START.sub(_quote_line_start, escape_inline(text))


def escape_words(text: object) -> str:
    """Return the text as `escape` does, but leave names in backticks as code: for texts of our own plays."""
    return re.sub(r"\\`(\w+)\\`", r"`\1`", escape(text))


def _quote_line_start(match: re.Match[str]) -> str:
    space, mark = match.groups()
    # "3." would open a list; a backslash before the digit shows itself, before the point it does not.
    return f"{space}{mark}\\" if mark.isdigit() else f"{space}\\{mark}"


def one_line(text: object, width: int = 0) -> str:
    """Return the text with its white space joined, cut to `width` characters if that is given."""
    joined = " ".join(str(text).split())
    return joined if not width or len(joined) <= width else joined[: width - 1] + "…"


def code(text: object) -> str:
    """Return the text as inline code, whatever backticks it holds."""
    joined = one_line(text)
    longest = max((len(run) for run in re.findall(r"`+", joined)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if joined.startswith("`") or joined.endswith("`") or not joined else ""
    return f"{fence}{pad}{joined}{pad}{fence}"


def fenced(text: str, language: str = "") -> str:
    """Return the text as a code block whose fence is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def anchor(heading: str) -> str:
    """Return the fragment by which Jupyter reaches the heading of that text."""
    return "#" + quote(heading.replace(" ", "-"), safe="-._~!,:;@'")


def link(text: str, target: str) -> str:
    """Return a link; `text` is Markdown already."""
    return f"[{text}]({target})"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], align: str = "") -> str:
    """Return a table of cells that are Markdown already; `align` holds l, r or c for each column."""
    marks = {"l": ":--", "r": "--:", "c": ":-:"}
    rule = [marks.get(side, "---") for side in align.ljust(len(header), "l")]
    lines = [header, rule, *rows]
    return "\n".join("| " + " | ".join(_cell(value) for value in line) + " |" for line in lines)


def _cell(value: str) -> str:
    flat = " ".join(value.split())
    return re.sub(r"(?<!\\)\|", r"\\|", flat)


def path_from(target: Path, start: Path) -> str:
    """Return how `target` is reached from the folder `start`: relative, unless only the root is shared."""
    goal, base = target.resolve(), start.resolve()
    if os.path.commonpath([goal, base]) == goal.anchor and goal != base:
        return goal.as_posix()
    return Path(os.path.relpath(goal, base)).as_posix()


def url_from(target: Path, start: Path, fragment: str = "") -> str:
    """Return a link target for a file, relative to the folder `start` where that is possible."""
    return quote(path_from(target, start), safe="/-._~!,:;@'") + fragment

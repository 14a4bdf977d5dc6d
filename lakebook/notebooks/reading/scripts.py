"""Notebooks kept as Python scripts: exports (`# In[ ]:`), Jupytext's percent and light, sphinx-gallery.

Comments between cells are Markdown. Magics that Jupytext commented out (`# %matplotlib inline`) stay
comments, as the magics that they are would become.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from lakebook.notebooks.reading.lexer import statement_end
from lakebook.notebooks.reading.raw import RawCell, RawNotebook

_EXPORT = re.compile(r"^# In ?\[[ \d*]*\]:?[ \t]*$", re.M)
_PERCENT = re.compile(r"^#[ \t]*%%(?P<rest>(?:[ \t][^\n]*)?)$", re.M)
_HEADER = re.compile(
    r"\A(?:#![^\n]*\n|# -\*-[^\n]*\n|# coding[^\n]*\n|[ \t]*\n)*# ---[ \t]*\n(.*?\n)# ---[ \t]*(?:\n|\Z)",
    re.S,
)
_GALLERY = re.compile(r"\A(?:#[^\n]*\n|[ \t]*\n)*[rR]?(\"\"\"|\'\'\')[^\n]*\n?[^\n]*\n[=\-~*#^]{3,}[ \t]*\n")
_GALLERY_TEXT = re.compile(r"(?:#{20,}|# ?%%.*)[ \t]*$")
_LIGHT_START = re.compile(r"#[ \t]*\+(?:[ \t].*)?$")
_LIGHT_END = re.compile(r"#[ \t]*-[ \t]*$")
_LANGUAGE = re.compile(r"^#?[ \t]*language:[ \t]*[\"']?([\w+#]+)", re.M)
_KIND = re.compile(r"\[(markdown|md|raw)\]")


def is_script(text: str) -> bool:
    """Return True for Python text that a notebook was kept as."""
    return bool(
        _EXPORT.search(text) or _PERCENT.search(text) or "jupytext" in _header(text) or _is_gallery(text)
    )


def raw_script(text: str) -> RawNotebook:
    """Cut a script into cells."""
    text = text.replace("\r\n", "\n")
    header = _header(text)
    found = _LANGUAGE.search(header)
    language = found[1].lower() if found else "python"
    if _EXPORT.search(text):
        return RawNotebook(tuple(_exported(text)), language)
    body = text[_header_end(text) :]
    if _is_gallery(body):
        return RawNotebook(tuple(_gallery(body)), language)
    is_percent = "format_name: light" not in header and _PERCENT.search(body)
    return RawNotebook(tuple(_percent(body) if is_percent else _light(body)), language)


def header_language(header: str) -> str:
    """Return the language that a Jupytext header names, "" if it names none."""
    found = _LANGUAGE.search(header)
    return found[1].lower() if found else ""


def _header(text: str) -> str:
    found = _HEADER.match(text)
    return found[1] if found and ("jupyt" in found[1]) else ""


def _header_end(text: str) -> int:
    found = _HEADER.match(text)
    return found.end() if found and _header(text) else 0


def _exported(text: str) -> Iterator[RawCell]:
    """Cut a .py export at its `# In[ ]:` lines; comment blocks before a marker are the Markdown cells."""
    first, *parts = _EXPORT.split(text)
    counts = [
        int(number) if (number := re.sub(r"\D", "", marker)) else None for marker in _EXPORT.findall(text)
    ]
    title = _prose([line for line in first.split("\n") if not re.match(r"#!|# ?-\*-|# ?(en)?coding", line)])
    if title and all(line.startswith("#") or not line.strip() for line in first.split("\n")):
        yield RawCell("markdown", title)
    for count, part in zip(counts, parts, strict=True):
        lines = part.strip("\n").split("\n")
        end = len(lines)
        while end and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1
        yield RawCell("code", "\n".join(lines[:end]).rstrip(), execution_count=count)
        prose = _prose(lines[end:])
        if prose:
            yield RawCell("markdown", prose)


def _percent(text: str) -> Iterator[RawCell]:
    """Cut at `# %%` lines; a cell marked `[markdown]` holds comments, or one string."""
    marks = list(_PERCENT.finditer(text))
    before = text[: marks[0].start()].strip("\n")
    if before.strip():
        yield RawCell("code", before)
    for at, mark in enumerate(marks):
        end = marks[at + 1].start() if at + 1 < len(marks) else len(text)
        body = text[mark.end() : end].strip("\n")
        kind = _KIND.search(mark["rest"])
        if kind is None:
            yield RawCell("code", body)
        else:
            yield RawCell("raw" if kind[1] == "raw" else "markdown", _comment_text(body))


def _is_gallery(text: str) -> bool:
    """Return True for an example of sphinx-gallery: a docstring with a title, then marked blocks of prose."""
    if _GALLERY.match(text) is None:
        return False
    lines = text.split("\n")
    return any(
        _GALLERY_TEXT.match(line) and following.startswith("# ") for line, following in pairwise(lines)
    )


def _gallery(text: str) -> Iterator[RawCell]:
    """Cut an example of sphinx-gallery: comments below a mark are Markdown, up to the first other line."""
    start = _GALLERY.match(text)
    quotes = start[1] if start else '"""'
    _, _, rest = text.partition(quotes)
    title, _, rest = rest.partition(quotes)
    yield RawCell("markdown", title.strip())
    code: list[str] = []
    prose: list[str] | None = None
    for line in rest.split("\n"):
        if prose is None and not _GALLERY_TEXT.match(line):
            code.append(line)
        elif prose is None:
            yield from _light_cell(code, code=True)
            code, prose = [], []
        elif line.startswith("#"):
            prose.extend([] if _GALLERY_TEXT.match(line) else [line])
        else:
            yield from _light_cell(prose)
            code, prose = [line], None
    yield from _light_cell(prose or code, code=prose is None)


def _light(text: str) -> Iterator[RawCell]:
    """Cut at empty lines: a paragraph of comments is Markdown; `# +` and `# -` enclose longer cells.

    A paragraph goes on over empty lines as long as the next line is indented.
    """
    lines = text.split("\n")
    whole, going_on = _first_lines(text), _before_indented(lines)
    part: list[str] = []
    enclosed = False
    for at, line in enumerate(lines):
        if _LIGHT_START.match(line):
            yield from _light_cell(part)
            part, enclosed = [], True
        elif enclosed and _LIGHT_END.match(line):
            yield from _light_cell(part, code=True)
            part, enclosed = [], False
        elif not enclosed and not line.strip() and at in whole and at not in going_on:
            yield from _light_cell(part)
            part = []
        else:
            part.append(line)
    yield from _light_cell(part, code=enclosed)


def _first_lines(text: str) -> set[int]:
    """Return the lines that begin a statement or stand between two: not those inside a bracket or a text."""
    found: set[int] = set()
    position = line = 0
    while position < len(text):
        found.add(line)
        end = statement_end(text, position)
        line += text.count("\n", position, end)
        position = end
    return found


def _before_indented(lines: list[str]) -> set[int]:
    """Return the lines whose next line with text on it is indented."""
    found: set[int] = set()
    is_indented = False
    for at in range(len(lines) - 1, -1, -1):
        if is_indented:
            found.add(at)
        if lines[at].strip():
            is_indented = lines[at][:1].isspace()
    return found


def _light_cell(part: list[str], *, code: bool = False) -> Iterator[RawCell]:
    text = "\n".join(part).strip("\n")
    if not text.strip():
        return
    if not code and all(line.startswith("#") for line in part if line.strip()):
        yield RawCell("markdown", _prose(part))
    else:
        yield RawCell("code", text)


def _comment_text(body: str) -> str:
    stripped = body.strip()
    for quotes in ('"""', "'''"):
        if stripped.startswith(quotes) and stripped.endswith(quotes) and len(stripped) >= 6:
            return stripped[3:-3].strip("\n")
    return _prose(body.split("\n"))


def _prose(lines: list[str]) -> str:
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines).strip()

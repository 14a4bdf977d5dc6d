"""Notebooks kept as Markdown by Jupytext: fenced Python is code, all else is prose.

Only a file whose YAML header speaks of Jupyter is a notebook; a README with examples is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakebook.notebooks.reading.raw import RawCell, RawNotebook
from lakebook.notebooks.reading.scripts import header_language

_HEADER = re.compile(r"\A\s*---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.S)
_SPEAKS = re.compile(r"^[ \t]*(?:jupytext|jupyter|kernelspec):", re.M)
_FENCE = re.compile(r"^(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)$")
_CODE_CELL = re.compile(r"\{code-cell\}[ \t]*(?P<language>[\w+-]*)")
_PYTHON = frozenset({"python", "python3", "python2", "ipython", "ipython3", "py"})


def is_markdown_notebook(text: str) -> bool:
    """Return True if a Markdown text has a header of Jupytext; its first few thousand characters do."""
    header = _HEADER.match(text)
    return header is not None and _SPEAKS.search(header[1]) is not None


def raw_markdown(text: str) -> RawNotebook:
    """Cut a Markdown notebook into cells."""
    text = text.replace("\r\n", "\n")
    header = _HEADER.match(text)
    language = header_language(header[1]) if header else ""
    body = text[header.end() :] if header else text
    cells = tuple(_cells(body))
    return RawNotebook(cells, language or "python")


def _cells(body: str) -> Iterator[RawCell]:
    prose: list[str] = []
    code: list[str] = []
    closing = ""
    for line in body.split("\n"):
        if closing:
            if line.strip().startswith(closing) and not line.strip().strip(closing[0]):
                yield RawCell("code", _without_options(code))
                closing, code = "", []
            else:
                code.append(line)
            continue
        fence = _FENCE.match(line)
        if fence and _is_python(fence["info"]):
            yield from _prose(prose)
            prose, closing = [], fence["fence"]
        else:
            prose.append(line)
    if closing:
        yield RawCell("code", _without_options(code))
    yield from _prose(prose)


def _is_python(info: str) -> bool:
    directive = _CODE_CELL.match(info.strip())
    if directive:
        return directive["language"].lower() in _PYTHON or not directive["language"]
    words = info.replace("{", " ").replace("}", " ").split()
    return bool(words) and words[0].lower().lstrip(".") in _PYTHON and ".noeval" not in words


def _without_options(lines: list[str]) -> str:
    """Leave out the options that MyST writes at the top of a cell: `:tags: [...]`, or YAML between dashes."""
    if lines and lines[0].strip() == "---":
        end = next((at for at, line in enumerate(lines[1:], 1) if line.strip() == "---"), 0)
        return "\n".join(lines[end + 1 :])
    start = next((at for at, line in enumerate(lines) if not re.match(r":\w[\w-]*:", line)), len(lines))
    return "\n".join(lines[start:])


def _prose(lines: list[str]) -> Iterator[RawCell]:
    text = "\n".join(lines).strip("\n")
    if text.strip():
        yield RawCell("markdown", text)

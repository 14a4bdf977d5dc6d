"""The outputs of code cells as things a report can show: figures, tables, text, errors."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from lakebook.report.prose import render_markdown
from lakebook.report.richtext import Element, parse_html

MOST_ROWS, MOST_COLUMNS, MOST_LINES = 60, 30, 80
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_IMAGES = ("image/png", "image/jpeg", "image/svg+xml", "image/gif", "image/webp")
_SIGNATURES = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
}
_ENDINGS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/svg+xml": "svg",
    "image/gif": "gif",
    "image/webp": "webp",
}
_NO_PRINTED_FORM = "An interactive figure stands here in the notebook; it has no printed form."
_INTERACTIVE = re.compile(r"^application/vnd\.(plotly|vegalite|vega|bokehjs_|holoviews|jupyter\.widget)")


@dataclass(frozen=True, slots=True)
class Output:
    """One output.

    Attributes:
        kind: what it is; `note` says something in place of what cannot be shown on paper.
        data: bytes of a figure. `mime`: its type. `alt`: what it shows. `number`: from 1 in the report.
        body: safe tree of a rich output. `text`: of a text, error or note.
        cut: what was left out for size, "" if nothing was.
    """

    kind: Literal["figure", "rich", "text", "stderr", "error", "note"]
    text: str = ""
    body: Element | None = None
    data: bytes = b""
    mime: str = ""
    alt: str = ""
    number: int = 0
    cut: str = ""

    def numbered(self, number: int, alt: str) -> Output:
        """Return the figure with its number and alternative text."""
        return replace(self, number=number, alt=alt)

    @property
    def file_name(self) -> str:
        """Name of the figure as a file."""
        return f"figure-{self.number:02d}.{_ENDINGS.get(self.mime, 'png')}"

    @property
    def data_uri(self) -> str:
        """The figure as a data URI."""
        return f"data:{self.mime};base64,{base64.b64encode(self.data).decode()}"


def read_output(output: dict[str, Any], alt: str = "") -> Output | None:
    """Read one nbformat output; None if it shows nothing."""
    kind = output.get("output_type")
    if kind == "stream":
        stream: Literal["stderr", "text"] = "stderr" if output.get("name") == "stderr" else "text"
        return _text(_joined(output.get("text", "")), stream)
    if kind == "error":
        trace = "\n".join(str(line) for line in output.get("traceback", ()))
        message = f"{output.get('ename', 'Error')}: {output.get('evalue', '')}"
        return _text(trace or message, "error")
    if kind in ("display_data", "execute_result", "pyout"):
        return _rich(output.get("data", {}), alt)
    return None


def _rich(data: dict[str, Any], alt: str) -> Output | None:
    for mime in _IMAGES:
        if mime in data and (picture := _picture(mime, data[mime])):
            return Output("figure", data=picture, mime=mime, alt=alt)
    if any(_INTERACTIVE.match(mime) for mime in data):
        return Output("note", text=_NO_PRINTED_FORM)
    if "text/html" in data:
        body = parse_html(_joined(data["text/html"]))
        if body.text().strip() or body.find("img"):
            return Output("rich", body=body, text=_joined(data.get("text/plain", "")), cut=cut_tables(body))
        if "<script" in _joined(data["text/html"]).lower():
            return Output("note", text=_NO_PRINTED_FORM)
    if "text/markdown" in data:
        body = render_markdown(_joined(data["text/markdown"]))
        return Output("rich", body=body, cut=cut_tables(body))
    plain = _joined(data.get("text/plain", data.get("text/latex", "")))
    return _text(plain, "text") if not re.fullmatch(r"\s*<[^>]*>\s*", plain) else None


def _picture(mime: str, value: Any) -> bytes:
    text = _joined(value)
    if mime == "image/svg+xml":
        return text.encode()
    try:
        data = base64.b64decode(text)
    except (binascii.Error, ValueError):
        return b""
    return data if data.startswith(_SIGNATURES[mime]) else b""


def _joined(value: Any) -> str:
    return "".join(str(part) for part in value) if isinstance(value, list) else str(value)


def _text(text: str, kind: Literal["text", "stderr", "error"]) -> Output | None:
    lines = _ANSI.sub("", text).rstrip().splitlines()
    if not any(line.strip() for line in lines):
        return None
    if len(lines) <= MOST_LINES:
        return Output(kind, text="\n".join(lines))
    half = MOST_LINES // 2
    left_out = len(lines) - 2 * half
    kept = [*lines[:half], f"… {left_out:,} lines left out …", *lines[-half:]]
    return Output(
        kind, text="\n".join(kept), cut=f"{left_out:,} of {len(lines):,} lines are only in the notebook"
    )


def cut_tables(body: Element) -> str:
    """Keep the first rows and columns of long and wide tables, and say what was left out."""
    notes = []
    for table in body.find("table"):
        rows = table.find("tr")
        widest = max((len(row.find("td", "th")) for row in rows), default=0)
        if len(rows) > MOST_ROWS:
            dropped = set(map(id, rows[MOST_ROWS:]))
            for part in [table, *table.find("tbody", "thead", "tfoot")]:
                part.children = [child for child in part.children if id(child) not in dropped]
            notes.append(f"{len(rows) - MOST_ROWS:,} of {len(rows):,} rows")
        if widest > MOST_COLUMNS:
            for row in table.find("tr"):
                cells = row.find("td", "th")[MOST_COLUMNS:]
                row.children = [child for child in row.children if child not in cells]
            notes.append(f"{widest - MOST_COLUMNS:,} of {widest:,} columns")
    return f"{' and '.join(notes)} are only in the notebook" if notes else ""

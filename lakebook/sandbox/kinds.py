"""What a file that a cell wrote is, told by its content; its name only tells texts of one form apart.

For signatures it asks `lakebook.sources.magic`; what is added here is what analyses write as text.
"""

from __future__ import annotations

import csv
import re
from pathlib import PurePosixPath

from lakebook.sources.magic import recognise

HEAD_BYTES = 33_000
"""How much of a file's start is looked at."""
_SVG = re.compile(rb"<svg[\s>]", re.IGNORECASE)
_BY_NAME = {".md": "markdown", ".markdown": "markdown", ".py": "python", ".tex": "latex", ".sql": "sql"}
_JSON_START = re.compile(r'\s*(\{\s*("|\})|\[\s*(["\[{\]0-9-]|true|false|null))')


def kind_of(head: bytes, name: str) -> str:
    """Return the kind of a file, as a short word ("csv", "png image", "parquet", "text").

    Args:
        head: its first `HEAD_BYTES` bytes.
        name: its name; a suffix counts only where the content could be what it says.
    """
    kind = recognise(head)
    if kind in ("xml", "html", "text") and _SVG.search(head[:4096]) and not _has_html(head):
        return "svg image"
    if kind != "text":
        return kind
    text = head.decode("utf-8-sig", "replace")
    if _JSON_START.match(text):
        if '"nbformat"' in text or PurePosixPath(name).suffix.lower() == ".ipynb":
            return "notebook"
        lines = text.lstrip().splitlines()
        several = len(lines) > 1 and all(line.startswith("{") and line.endswith("}") for line in lines[:2])
        return "json lines" if several else "json"
    return _BY_NAME.get(PurePosixPath(name).suffix.lower()) or _table(text) or "text"


def _has_html(head: bytes) -> bool:
    return b"<html" in head[:4096].lower()


def _table(text: str) -> str:
    """Return the kind of a delimited text: every whole line has as many cells, and there are several."""
    lines = text.splitlines()
    if len(text) >= HEAD_BYTES // 2:
        lines = lines[:-1]  # cut in the middle
    lines = [line for line in lines[:50] if line.strip()]
    for delimiter, kind in (("\t", "tsv"), (",", "csv"), (";", "csv"), ("|", "csv")):
        widths = {len(row) for row in csv.reader(lines, delimiter=delimiter)}
        if len(widths) == 1 and min(widths) > 1 and len(lines) > 1:
            return kind
    return ""

"""What the saved outputs of a cell tell of a table that is gone: its columns, values, quartiles and types.

Only tables that are rows of a loaded frame count (`df.head()`, `df.describe()`, `df.info()`): a table of
means has the same column names and other values. Nothing but such evidence is kept of an output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any

from lakebook.notebooks.component import ShownColumn, ShownKind
from lakebook.notebooks.reading.secrets import masked, names_secret

_LARGEST_TABLE = 200_000
_MOST_VALUES = 10
_OLD_MIME_TYPES = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "svg": "image/svg+xml",
    "html": "text/html",
    "text": "text/plain",
    "latex": "text/latex",
    "json": "application/json",
}
_LONGEST_LINE = 1_000
_ROW = re.compile(r"<tr(?:\s[^<>]*)?>")
_CELL = re.compile(r"<t([hd])(?:\s[^<>]*)?>")
_CELL_END = re.compile(r"</t[hd]>")
_TAG = re.compile(r"<[^<>]+>")
_QUARTILES = ("min", "25%", "50%", "75%", "max")
_NO_VALUE = frozenset({"", "NaN", "NaT", "None", "<NA>", "nan", "..."})
_LOADED = re.compile(r"^[ \t]*([A-Za-z_]\w*)[ \t]*=[ \t]*(?:\w+\.)*read_\w+\(", re.M)
_REBOUND = re.compile(
    r"^[ \t]*([A-Za-z_]\w*)[ \t]*=(?!=)[^\n]*"
    r"\b(?:groupby|pivot|pivot_table|agg|melt|resample|crosstab|value_counts|corr|merge|describe|cut)\b",
    re.M,
)
_SHOWING = re.compile(
    r"(?:display\()?[ \t]*(?P<frame>[A-Za-z_]\w*)(?:\[\[[^\[\]]*\]\])?"
    r"(?:\.(?:head|tail|sample)\([^()]*\)|\.(?P<describe>describe)\([^()]*\)(?:\.T\b|\.transpose\(\))?)?"
    r"[ \t]*\)?[ \t]*;?(?:[ \t]*\#.*)?$"
)
_INFO = re.compile(r"\b([A-Za-z_]\w*)\.info\(")
_INFO_LINE = re.compile(r"^[ \t]*(?:\d+[ \t]{2,})?(\S.*?)[ \t]+\d+[ \t]+non-null[ \t]+([a-z]+)")
_INFO_KINDS: Mapping[str, ShownKind] = {
    "int": "number",
    "uint": "number",
    "float": "number",
    "datetime": "datetime",
}


def output_types(output: Mapping[str, Any]) -> Iterator[str]:
    """Yield the MIME types of an output, or `stream` or `error`."""
    kind = output.get("output_type")
    if kind in ("stream", "error", "pyerr"):
        yield "error" if kind == "pyerr" else str(kind)
    elif isinstance(output.get("data"), dict):
        yield from output["data"]
    else:
        yield from (mime for key, mime in _OLD_MIME_TYPES.items() if key in output)


def shown_columns(outputs: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the header of the first table in the outputs, if it is a plain one."""
    for output in outputs:
        names = _names(_table(output))
        if names:
            return tuple(name for name in names if name and name != "...")
    return ()


def evidence(code: str, outputs: Sequence[Mapping[str, Any]], loaded: set[str]) -> tuple[ShownColumn, ...]:
    """Return what a cell's outputs tell of the columns of loaded tables.

    Args:
        code: plain Python of the cell.
        outputs: as saved.
        loaded: names of the frames that earlier cells loaded; those of this cell are added to it.
    """
    if "read_" in code:
        loaded.update(_LOADED.findall(code))
    if not loaded:
        return ()
    found: list[ShownColumn] = []
    if outputs:
        found.extend(_described_types(code, outputs, loaded))
        found.extend(_shown_rows(code, outputs[-1], loaded))
    if "=" in code:
        loaded.difference_update(_REBOUND.findall(code))
    return tuple(found)


def beginning(text: object, limit: int) -> str:
    """Return the first characters of what nbformat stores as a string or as a list of lines."""
    if isinstance(text, str):
        return text[:limit]
    parts: list[str] = []
    length = 0
    for part in text if isinstance(text, list) else ():
        if isinstance(part, str):
            parts.append(part)
            length += len(part)
            if length >= limit:
                break
    return "".join(parts)[:limit]


def _table(output: Mapping[str, Any]) -> str:
    data = output.get("data")
    html = data.get("text/html") if isinstance(data, dict) else output.get("html")
    if html is None:
        return ""
    text = beginning(html, _LARGEST_TABLE)
    return text if "dataframe" in text else ""


def _names(table: str) -> list[str]:
    """Return the column names in the head of a table; none if it has several levels."""
    head, end, _ = table.partition("</thead>")
    row = next(_rows(head.partition("<thead>")[2]), "") if end else ""
    return [] if "colspan" in row else [_plain(text) for _, text in _cells(row)][1:]


def _rows(table: str) -> Iterator[str]:
    """Yield what stands in each row; cut where rows end, so that broken HTML takes no longer than whole."""
    for part in table.split("</tr>")[:-1]:
        start = _ROW.search(part)
        if start:
            yield part[start.end() :]


def _cells(row: str) -> Iterator[tuple[str, str]]:
    """Yield (`h` or `d`, content) of each cell of a row."""
    for part in _CELL_END.split(row)[:-1]:
        start = _CELL.search(part)
        if start:
            yield start[1], part[start.end() :]


def _shown_rows(code: str, output: Mapping[str, Any], loaded: set[str]) -> Iterator[ShownColumn]:
    table = _table(output)
    if not table:
        return
    line = code.rstrip().rpartition("\n")[2]
    showing = _SHOWING.match(line) if len(line) < _LONGEST_LINE else None
    if showing is None or showing["frame"] not in loaded:
        return
    names = _names(table)
    rows = [list(_cells(row)) for row in _rows(table.partition("</thead>")[2])]
    labels = [_plain(row[0][1]) if row and row[0][0] == "h" else "" for row in rows]
    cells = [[_plain(text) for kind, text in row if kind == "d"] for row in rows]
    if not names or any(len(row) != len(names) for row in cells):
        return
    if showing["describe"]:
        yield from _quartiles(names, labels, cells)
        return
    for position, name in enumerate(names):
        values = [row[position] for row in cells if row[position] not in _NO_VALUE]
        whole = tuple(dict.fromkeys(value for value in values if not value.endswith("...")))
        if name and name != "..." and whole and not names_secret(name):
            yield ShownColumn(name, values=tuple(masked(value)[0] for value in whole[:_MOST_VALUES]))


def _quartiles(names: list[str], labels: list[str], cells: list[list[str]]) -> Iterator[ShownColumn]:
    if set(_QUARTILES) <= set(names):  # transposed
        names, labels, cells = labels, names, [list(column) for column in zip(*cells, strict=True)]
    if not set(_QUARTILES) <= set(labels):
        return
    rows = [cells[labels.index(label)] for label in _QUARTILES]
    for name, *texts in zip(names, *rows, strict=True):
        numbers = [_number(text) for text in texts]
        known = tuple(number for number in numbers if number is not None)
        if name and len(known) == len(_QUARTILES):
            yield ShownColumn(name, "number", quartiles=known)


def _described_types(
    code: str, outputs: Sequence[Mapping[str, Any]], loaded: set[str]
) -> Iterator[ShownColumn]:
    if ".info(" not in code or len(set(_INFO.findall(code))) != 1 or not loaded & set(_INFO.findall(code)):
        return
    for output in outputs:
        text = beginning(output.get("text"), _LARGEST_TABLE) if output.get("output_type") == "stream" else ""
        if "non-null" not in text:
            continue
        for line in text.split("\n"):
            found = _INFO_LINE.match(line) if "non-null" in line and len(line) < _LONGEST_LINE else None
            kind = _INFO_KINDS.get(found[2]) if found else None
            if found and kind is not None:
                yield ShownColumn(found[1], kind)


def _number(text: str) -> float | None:
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return None
    return number if number == number else None


def _plain(html: str) -> str:
    text = _TAG.sub("", html) if "<" in html else html
    return (unescape(text) if "&" in text else text).strip()

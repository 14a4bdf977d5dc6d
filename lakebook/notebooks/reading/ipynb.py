"""The JSON of .ipynb files, nbformat 3 to 4.5, as raw cells: leniently, and within bounds.

What a cell's text means is not told here, only where it stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from lakebook.notebooks.component import CellKind
from lakebook.notebooks.reading.outputs import beginning
from lakebook.notebooks.reading.raw import RawCell, RawNotebook

_DEEPEST_JSON = 200
_TOO_DEEP = f"its JSON is nested more than {_DEEPEST_JSON} deep"
_CONFLICT_SEARCH = 1_000_000
_WHOLE = 1 << 62


def raw_notebook(data: bytes) -> RawNotebook:
    """Read the bytes of an .ipynb file.

    Raises:
        ValueError: it is no notebook; the text says why.
    """
    document = _load(data)
    try:
        cells = tuple(_cells(document))
        language = _language(document)
    except (TypeError, AttributeError) as error:
        raise ValueError(str(error)) from error
    return RawNotebook(cells, language, _is_python_2(document))


def _load(data: bytes) -> dict[str, Any]:
    if not data.strip():
        raise ValueError("the file is empty")
    if data.startswith(b"version https://git-lfs"):
        raise ValueError("it is a Git LFS pointer; the notebook itself is not here")
    if data.lstrip()[:1] == b"<":
        raise ValueError("it is a page of HTML or XML")
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        document = _load_lenient(data, error)
    if not isinstance(document, dict):
        raise ValueError("the JSON is no object")
    return document


def _load_lenient(data: bytes, error: orjson.JSONDecodeError) -> Any:
    """Read what the strict parser refuses and the standard one takes: NaN, lone surrogates, a BOM."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        document = json.loads(data.decode(encoding, "replace"))
    except ValueError:
        if b"\n<<<<<<< " in data[:_CONFLICT_SEARCH]:
            raise ValueError("a merge conflict was saved in it") from None
        raise ValueError(f"invalid JSON ({error.msg}, line {error.lineno})") from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return _without_surrogates(document, _DEEPEST_JSON)


def _without_surrogates(value: Any, depth: int) -> Any:
    """Replace halves of characters, which no file can be written with."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if depth < 0 and isinstance(value, (list, dict)):
        raise ValueError(_TOO_DEEP)
    if isinstance(value, list):
        return [_without_surrogates(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {
            _without_surrogates(key, depth): _without_surrogates(item, depth - 1)
            for key, item in value.items()
        }
    return value


def _metadata(document: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    found: object = document.get("metadata")
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _language(document: Mapping[str, Any]) -> str:
    kernel = _metadata(document, "kernelspec")
    for found in (
        _metadata(document, "language_info").get("name"),
        kernel.get("language"),
        _metadata(document).get("language"),
    ):
        if isinstance(found, str) and found:
            return found.lower()
    name = str(kernel.get("name") or "").lower()
    if name.startswith(("ir", "julia", "scala", "sql", "bash", "octave")) and not name.startswith("iron"):
        return {"ir": "r"}.get(name, name)
    for sheet in document.get("worksheets") or []:
        for cell in sheet.get("cells") or []:
            if cell.get("language"):
                return str(cell["language"]).lower()
    return "python"


def _is_python_2(document: Mapping[str, Any]) -> bool:
    version = str(_metadata(document, "language_info").get("version") or "")
    return version.startswith("2.") or _metadata(document, "kernelspec").get("name") == "python2"


def _cells(document: Mapping[str, Any]) -> Iterator[RawCell]:
    raw = document.get("cells")
    if raw is None and "worksheets" in document:
        raw = [cell for sheet in document["worksheets"] for cell in sheet.get("cells") or []]
    if not isinstance(raw, list):
        raise ValueError("it has no list of cells")
    return map(_cell, raw)


def _cell(cell: Mapping[str, Any]) -> RawCell:
    cell_type = cell.get("cell_type")
    source = beginning(cell.get("source", cell.get("input", "")), _WHOLE)
    cell_id = cell.get("id")
    cell_id = cell_id if isinstance(cell_id, str) else ""
    if cell_type == "code":
        count = cell.get("execution_count", cell.get("prompt_number"))
        outputs = cell.get("outputs")
        return RawCell(
            "code",
            source,
            cell_id,
            count if isinstance(count, int) and not isinstance(count, bool) else None,
            [item for item in outputs if isinstance(item, dict)] if isinstance(outputs, list) else (),
        )
    if cell_type == "heading":
        level = cell.get("level")
        source = "#" * (min(level, 6) if isinstance(level, int) and level > 0 else 1) + " " + source
    kind: CellKind = "markdown" if cell_type in ("markdown", "heading") else "raw"
    attached = cell.get("attachments")
    names = tuple(str(name) for name in attached) if isinstance(attached, dict) else ()
    return RawCell(kind, source, cell_id, attachments=names)

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
from lakebook.notebooks.reading.raw import RawCell, RawNotebook, decoded

_DEEPEST_JSON = 200
_TOO_DEEP = f"its JSON is nested more than {_DEEPEST_JSON} deep"
_CONFLICT_SEARCH = 1_000_000
_WHOLE = 1 << 62
_MOST_DIGITS = 20
_PACKED = (
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"%PDF", "a PDF"),
    (b"\x89HDF", "an HDF5 file"),
)


def raw_notebook(data: bytes) -> RawNotebook:
    """Read the bytes of an .ipynb file.

    Raises:
        ValueError: it is no notebook; the text says why.
    """
    document = _load(data)
    return RawNotebook(tuple(_cells(document)), _language(document), _is_python_2(document))


def _load(data: bytes) -> dict[str, Any]:
    if not data.strip():
        raise ValueError("the file is empty")
    if data.startswith(b"version https://git-lfs"):
        raise ValueError("it is a Git LFS pointer; the notebook itself is not here")
    if data.lstrip()[:1] == b"<":
        raise ValueError("it is a page of HTML or XML")
    packed = next((kind for start, kind in _PACKED if data.startswith(start)), "")
    if packed:
        raise ValueError(f"it is {packed}, not a notebook's JSON; unpack it")
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        document = _load_lenient(data, error)
    if not isinstance(document, dict):
        raise ValueError("the JSON is no object")
    return document


def _load_lenient(data: bytes, error: orjson.JSONDecodeError) -> Any:
    """Read what the strict parser refuses and the standard one takes, and what was saved in an old encoding.

    Those are NaN, lone surrogates, huge numbers and control characters, and text that is not UTF-8.
    """
    try:
        document = json.loads(decoded(data), strict=False, parse_int=_whole_number)
    except ValueError:
        if b"\n<<<<<<< " in data[:_CONFLICT_SEARCH]:
            raise ValueError("a merge conflict was saved in it") from None
        raise ValueError(f"invalid JSON ({error.msg}, line {error.lineno})") from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return _without_surrogates(document, _DEEPEST_JSON)


def _whole_number(digits: str) -> int | None:
    return int(digits) if len(digits) < _MOST_DIGITS else None


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
    languages = [cell.get("language") for cell in _sheet_cells(document) if isinstance(cell, dict)]
    return next((str(language).lower() for language in languages if language), "python")


def _is_python_2(document: Mapping[str, Any]) -> bool:
    version = str(_metadata(document, "language_info").get("version") or "")
    return version.startswith("2.") or _metadata(document, "kernelspec").get("name") == "python2"


def _cells(document: Mapping[str, Any]) -> Iterator[RawCell]:
    raw = document.get("cells")
    if raw is None and "worksheets" in document:
        raw = _sheet_cells(document)
    if not isinstance(raw, list) or (raw and not any(isinstance(cell, dict) for cell in raw)):
        raise ValueError("it has no list of cells")
    return map(_cell, raw)


def _sheet_cells(document: Mapping[str, Any]) -> list[Any]:
    """Return the cells of nbformat 3, which stood on worksheets."""
    sheets = document.get("worksheets")
    found: list[Any] = []
    for sheet in sheets if isinstance(sheets, list) else ():
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        found.extend(cells if isinstance(cells, list) else ())
    return found


def _cell(cell: Any) -> RawCell:
    if not isinstance(cell, dict):
        return RawCell("raw", "")  # it keeps its place, so that the others keep their numbers
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

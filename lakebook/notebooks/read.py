"""Notebooks read from files: .ipynb of nbformat 3 to 4.5, and .py files that Jupyter exported.

A notebook that cannot be used gets a status and a reason; nothing here raises for what is in a file. Making
code plain Python is the work of `clean`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any, Literal

import orjson

from lakebook.notebooks.clean import clean
from lakebook.notebooks.component import Notebook, NotebookCell, NotebookStatus
from lakebook.progress import Progress
from lakebook.sources.card import Manifest

_MARKER = re.compile(r"^# In\[[ \d*]*\]:?[ \t]*$", re.M)
_PYTHON_NAMES = frozenset({"python", "python2", "python3", "ipython", "ipython2", "ipython3", "py", ""})
_OLD_MIME_TYPES = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "svg": "image/svg+xml",
    "html": "text/html",
    "text": "text/plain",
    "latex": "text/latex",
    "json": "application/json",
}
_TABLE_HEAD = re.compile(r"<thead>\s*<tr[^>]*>(.*?)</tr>", re.S)
_HEAD_CELL = re.compile(r"<th[^>]*>(.*?)</th>", re.S)
_HEAD_SEARCH = 20_000
_REASONS_SHOWN = 3


def read_corpus(root: Path, manifest: Manifest, progress: Progress) -> tuple[Notebook, ...]:
    """Read the notebooks among the files of a corpus.

    Args:
        root: the folder that the manifest's paths are relative to.
        manifest: all files of the corpus; others than notebooks are passed over.
        progress: told of each notebook.

    Returns:
        One notebook for each .ipynb file and each .py file with cell markers, in order of path.
    """
    paths = [root / entry.path for entry in manifest.files if is_notebook(root / entry.path)]
    notebooks: list[Notebook] = []
    for done, path in enumerate(paths):
        progress("reading notebooks", done, len(paths), path.name)
        notebooks.append(read_notebook(path, root))
    progress("reading notebooks", len(paths), len(paths), "")
    return tuple(notebooks)


def read_notebook(path: Path, root: Path) -> Notebook:
    """Read one notebook; what is wrong with it becomes its status and reason, never an exception."""
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    try:
        data = path.read_bytes()
    except OSError as error:
        return Notebook(name, "", "failed", f"cannot be read: {error.strerror or error}")
    digest = hashlib.sha256(data).hexdigest()
    if path.suffix.lower() == ".py":
        return _finish(name, digest, list(_exported_cells(data.decode("utf-8", "replace"))), "python")
    try:
        document = _load_json(data)
        cells = list(_cells(document))
        language = _language(document)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        return Notebook(name, digest, "failed", f"not a notebook: {_first_line(error)}")
    return _finish(name, digest, cells, language)


def find_notebooks(folder: Path) -> list[Path]:
    """Return the notebooks below a folder, sorted by path."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and is_notebook(path))


def is_notebook(path: Path) -> bool:
    """Return True for an .ipynb file, and for a .py file with Jupyter's cell markers."""
    if ".ipynb_checkpoints" in path.parts:
        return False
    suffix = path.suffix.lower()
    if suffix != ".py":
        return suffix == ".ipynb"
    try:
        return _MARKER.search(path.read_text("utf-8", "replace")) is not None
    except OSError:
        return False


def _load_json(data: bytes) -> dict[str, Any]:
    if not data.strip():
        raise ValueError("the file is empty")
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        document = _load_lenient(data, error)
    if not isinstance(document, dict):
        raise ValueError("the JSON is no object")
    return document


def _load_lenient(data: bytes, error: orjson.JSONDecodeError) -> Any:
    """Read what the strict parser refuses and the standard one takes: NaN, lone surrogates, a BOM."""
    try:
        return json.loads(data.decode("utf-8-sig", "replace"))
    except ValueError:
        raise ValueError(f"invalid JSON ({error.msg}, line {error.lineno})") from None


def _language(document: Mapping[str, Any]) -> str:
    metadata = document.get("metadata") or {}
    kernel = metadata.get("kernelspec") or {}
    for found in (
        (metadata.get("language_info") or {}).get("name"),
        kernel.get("language"),
        metadata.get("language"),
    ):
        if isinstance(found, str) and found:
            return found.lower()
    name = str(kernel.get("name") or "").lower()
    if name.startswith(("ir", "julia", "scala", "sql", "bash", "octave")):
        return {"ir": "r"}.get(name, name)
    for sheet in document.get("worksheets") or []:
        for cell in sheet.get("cells") or []:
            if cell.get("language"):
                return str(cell["language"]).lower()
    return "python"


def _cells(document: Mapping[str, Any]) -> Iterator[NotebookCell]:
    raw = document.get("cells")
    if raw is None and "worksheets" in document:
        raw = [cell for sheet in document["worksheets"] for cell in sheet.get("cells") or []]
    if not isinstance(raw, list):
        raise ValueError("it has no list of cells")
    for index, cell in enumerate(raw):
        yield _cell(index, cell)


def _cell(index: int, cell: Mapping[str, Any]) -> NotebookCell:
    cell_type = cell.get("cell_type")
    source = _joined(cell.get("source", cell.get("input", "")))
    cell_id = str(cell.get("id") or "")
    if cell_type == "heading":
        source = "#" * int(cell.get("level") or 1) + " " + source
    if cell_type != "code":
        kind: Literal["markdown", "raw"] = "markdown" if cell_type in ("markdown", "heading") else "raw"
        return NotebookCell(index, kind, source, cell_id=cell_id)
    count = cell.get("execution_count", cell.get("prompt_number"))
    outputs = [item for item in cell.get("outputs") or [] if isinstance(item, dict)]
    types = tuple(dict.fromkeys(kind for output in outputs for kind in _output_types(output)))
    cleaned = clean(source)
    return NotebookCell(
        index,
        "code",
        source,
        code=cleaned.code,
        cell_id=cell_id,
        execution_count=count if isinstance(count, int) else None,
        output_types=types,
        problem=cleaned.problem or cleaned.note,
        shown_columns=_shown_columns(outputs),
    )


def _joined(text: object) -> str:
    if isinstance(text, list):
        return "".join(part for part in text if isinstance(part, str))
    return text if isinstance(text, str) else ""


def _output_types(output: Mapping[str, Any]) -> Iterator[str]:
    kind = output.get("output_type")
    if kind in ("stream", "error", "pyerr"):
        yield "error" if kind == "pyerr" else str(kind)
    elif isinstance(output.get("data"), dict):
        yield from output["data"]
    else:
        yield from (mime for key, mime in _OLD_MIME_TYPES.items() if key in output)


def _shown_columns(outputs: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return the header of a table in the saved outputs, if it is a plain one."""
    for output in outputs:
        data = output.get("data")
        html = _joined(data.get("text/html") if isinstance(data, dict) else output.get("html"))[:_HEAD_SEARCH]
        head = _TABLE_HEAD.search(html) if "dataframe" in html else None
        if head is None or "colspan" in head.group(1):
            continue
        texts = [unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in _HEAD_CELL.findall(head.group(1))]
        return tuple(text for text in texts[1:] if text and text != "...")
    return ()


def _exported_cells(text: str) -> Iterator[NotebookCell]:
    """Cut a .py export at its `# In[ ]:` lines; comment blocks before a marker are the Markdown cells."""
    index = 0
    for part in _MARKER.split(text)[1:]:
        lines = part.strip("\n").split("\n")
        end = len(lines)
        while end and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1
        code = "\n".join(lines[:end]).rstrip()
        prose = "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[end:]).strip()
        cleaned = clean(code)
        yield NotebookCell(index, "code", code, code=cleaned.code, problem=cleaned.problem or cleaned.note)
        index += 1
        if prose:
            yield NotebookCell(index, "markdown", prose)
            index += 1


def _finish(name: str, digest: str, cells: list[NotebookCell], language: str) -> Notebook:
    code_cells = [cell for cell in cells if cell.kind == "code" and cell.source.strip()]
    status: NotebookStatus = "ok"
    reason = ""
    if language not in _PYTHON_NAMES:
        status, reason = "skipped", f"written in {language}, not Python"
    elif not code_cells:
        status, reason = "skipped", "it is empty" if not cells else "it has no code"
    else:
        problems = [f"cell {cell.index}: {cell.problem}" for cell in code_cells if cell.problem]
        if problems:
            more = f"; and {len(problems) - _REASONS_SHOWN} more" if len(problems) > _REASONS_SHOWN else ""
            status, reason = "partial", "; ".join(problems[:_REASONS_SHOWN]) + more
        if not any(cell.code.strip() for cell in code_cells):
            status = "failed"
    return Notebook(name, digest, status, reason, language or "python", tuple(cells))


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__

"""Notebooks read from files: .ipynb, Jupytext's .py and .md, and .py files that Jupyter exported.

A notebook that cannot be used gets a status and a reason; nothing here raises for what is in a file. How each
format is cut into cells is told in `reading`, making code plain Python is the work of `clean`, choosing the
order of the cells that of `order`.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from lakebook.notebooks.clean import NO_PYTHON, Cleaned, clean, parsing
from lakebook.notebooks.component import Notebook, NotebookCell, NotebookStatus
from lakebook.notebooks.order import with_order
from lakebook.notebooks.reading.ipynb import raw_notebook
from lakebook.notebooks.reading.markdown import is_markdown_notebook, raw_markdown
from lakebook.notebooks.reading.outputs import evidence, output_types, shown_columns
from lakebook.notebooks.reading.python2 import has_old_names
from lakebook.notebooks.reading.raw import RawCell, RawNotebook, decoded
from lakebook.notebooks.reading.scripts import is_script, raw_script
from lakebook.notebooks.reading.secrets import masked, suspects
from lakebook.progress import Progress
from lakebook.sources.card import Manifest

LARGEST_FILE = 250_000_000
"""Bytes of a file; 90 MB of outputs take 0.4 seconds and three times as much memory."""

MOST_CELLS = 20_000
MOST_CODE = 3_000_000
"""Characters of code of one notebook; cells beyond are left out, so that reading ends in half a minute."""

LONGEST_PROSE = 2_000_000
"""Characters of a Markdown or raw cell; the rest, which can only be pictures, is cut off."""

_PYTHON_NAMES = frozenset({"python", "python2", "python3", "ipython", "ipython2", "ipython3", "py", ""})
_SUFFIXES = frozenset({".ipynb", ".py", ".md"})
_HEADER_BYTES = 8_192
_SCRIPT_BYTES = 4_000_000
_REASONS_SHOWN = 3


def read_corpus(root: Path, manifest: Manifest, progress: Progress) -> tuple[Notebook, ...]:
    """Read the notebooks among the files of a corpus.

    Args:
        root: the folder that the manifest's paths are relative to.
        manifest: all files of the corpus; others than notebooks are passed over.
        progress: told of each notebook.

    Returns:
        One notebook for each file that is one (see `is_notebook`), in order of path.
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
    name = name.encode("utf-8", "replace").decode()
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            return Notebook(name, "", "failed", "it is no file, but a folder, pipe or device")
        if found.st_size > LARGEST_FILE:
            reason = f"its {found.st_size:,} bytes are more than the {LARGEST_FILE:,} that are read"
            return Notebook(name, "", "failed", reason)
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE)  # and no more, should it grow meanwhile
    except OSError as error:
        return Notebook(name, "", "failed", f"cannot be read: {error.strerror or error}")
    digest = hashlib.sha256(data).hexdigest()
    try:
        raw = _raw(path.suffix.lower(), data)
    except (ValueError, RecursionError) as error:
        return Notebook(name, digest, "failed", f"not a notebook: {_first_line(error)}")
    del data
    with parsing():
        return _notebook(name, digest, raw)


def find_notebooks(folder: Path) -> list[Path]:
    """Return the notebooks below a folder, sorted by path."""
    return sorted(
        path for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES and is_notebook(path)
    )


def is_notebook(path: Path) -> bool:
    """Return True for an .ipynb file, and for a .py or .md file that a notebook was kept as."""
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES or ".ipynb_checkpoints" in path.parts:
        return False
    try:
        is_file = path.is_file()
        if not is_file or suffix == ".ipynb":
            return is_file
        with path.open("rb") as file:
            text = decoded(file.read(_HEADER_BYTES if suffix == ".md" else _SCRIPT_BYTES))
    except OSError:
        return False
    return is_markdown_notebook(text) if suffix == ".md" else is_script(text)


def _raw(suffix: str, data: bytes) -> RawNotebook:
    if suffix == ".py":
        return raw_script(decoded(data))
    if suffix == ".md":
        return raw_markdown(decoded(data))
    return raw_notebook(data)


def _notebook(name: str, digest: str, raw: RawNotebook) -> Notebook:
    shortened, cut = _shortened(raw.cells[:MOST_CELLS])
    listed, notes = _without_secrets(shortened)
    notes = [*cut, *notes]
    if raw.language not in _PYTHON_NAMES:
        reason = f"written in {raw.language}, not Python"
        cells = tuple(NotebookCell(index, cell.kind, cell.source) for index, cell in enumerate(listed))
        return Notebook(name, digest, "skipped", reason, raw.language, cells, notes=tuple(notes))
    cleaned, python_2 = _cleaned(listed, python_2=raw.python_2)
    cells = tuple(_cells(listed, cleaned))
    status, reason = _status(cells, left_out=len(raw.cells) - len(listed))
    if python_2:
        notes.append("written in Python 2, rewritten where that is mechanical")
    notebook = Notebook(
        name, digest, status, reason, raw.language, cells, notes=tuple(notes), python_2=python_2
    )
    return with_order(notebook) if status in ("ok", "partial") else notebook


def _shortened(cells: Sequence[RawCell]) -> tuple[list[RawCell], list[str]]:
    """Cut off what is too long to be prose; return which cells were cut, in words."""
    kept: list[RawCell] = []
    notes: list[str] = []
    for index, cell in enumerate(cells):
        length = len(cell.source)
        if cell.kind != "code" and length > LONGEST_PROSE:
            cell = cell._replace(source=cell.source[:LONGEST_PROSE])
            notes.append(f"cell {index}: only the first {LONGEST_PROSE:,} of {length:,} characters are read")
        kept.append(cell)
    return kept, notes


def _without_secrets(cells: Sequence[RawCell]) -> tuple[Sequence[RawCell], list[str]]:
    """Mask secrets in the text of cells; return what was masked, by cell."""
    suspected = suspects("\n".join([cell.source for cell in cells]))
    if not any(suspected):
        return cells, []
    safe: list[RawCell] = []
    notes: list[str] = []
    for index, cell in enumerate(cells):
        source, found = masked(cell.source, suspected)
        safe.append(cell._replace(source=source) if found else cell)
        if found:
            notes.append(f"cell {index}: masked {', '.join(found)}")
    return safe, notes


def _cleaned(cells: Sequence[RawCell], *, python_2: bool) -> tuple[list[Cleaned | None], bool]:
    """Make the code of all cells plain Python, and tell whether it was Python 2.

    One cell that only parses after its syntax was rewritten shows that the whole notebook is Python 2; then
    the names that only Python 2 has are replaced in all cells.
    """
    cleaned: list[Cleaned | None] = []
    length = 0
    for cell in cells:
        if cell.kind != "code":
            cleaned.append(None)
            continue
        length += len(cell.source)
        if length > MOST_CODE:
            cleaned.append(Cleaned("", f"the notebook's code is longer than {MOST_CODE:,} characters"))
            length -= len(cell.source)
        else:
            cleaned.append(clean(cell.source, python_2=python_2))
    if python_2 or not any(one is not None and one.python_2 for one in cleaned):
        return cleaned, python_2
    for index, cell in enumerate(cells):
        one = cleaned[index]
        if one is not None and not one.problem and has_old_names(cell.source):
            cleaned[index] = clean(cell.source, python_2=True)
    return cleaned, True


def _cells(cells: Sequence[RawCell], cleaned: Sequence[Cleaned | None]) -> Iterator[NotebookCell]:
    loaded: set[str] = set()
    for index, (cell, made) in enumerate(zip(cells, cleaned, strict=True)):
        if made is None:
            yield NotebookCell(
                index, cell.kind, cell.source, cell_id=cell.cell_id, attachments=cell.attachments
            )
            continue
        types = tuple(dict.fromkeys(kind for output in cell.outputs for kind in output_types(output)))
        yield NotebookCell(
            index,
            "code",
            cell.source,
            made.code,
            cell.cell_id,
            cell.execution_count,
            types,
            made.problem or made.note,
            shown_columns(cell.outputs) if cell.outputs else (),
            evidence(made.code, cell.outputs, loaded),
        )


def _status(cells: Sequence[NotebookCell], *, left_out: int) -> tuple[NotebookStatus, str]:
    code_cells = [cell for cell in cells if cell.kind == "code" and cell.source.strip()]
    if not code_cells:
        return "skipped", "it is empty" if not cells else "it has no code"
    problems = [f"cell {cell.index}: {cell.problem}" for cell in code_cells if cell.problem]
    if left_out:
        problems.insert(0, f"{left_out:,} cells after the first {MOST_CELLS:,} were left out")
    if not problems:
        return "ok", ""
    more = f"; and {len(problems) - _REASONS_SHOWN} more" if len(problems) > _REASONS_SHOWN else ""
    if any(cell.code.strip() for cell in code_cells):
        status: NotebookStatus = "partial"
    else:
        status = "skipped" if all(cell.problem.endswith(NO_PYTHON) for cell in code_cells) else "failed"
    return status, "; ".join(problems[:_REASONS_SHOWN]) + more


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__

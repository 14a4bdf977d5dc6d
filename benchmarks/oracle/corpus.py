"""The notebooks of the oracle: what each works on, and whether it may be looked at.

A corpus is a folder of repositories. Each notebook belongs to a dataset, named after the first file that it
reads. A hash of that name puts the dataset, with all of its notebooks whatever their repository, in one of
two parts: `look`, whose failures may be studied, and `unseen`, which is only scored.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lakebook.notebooks.component import Notebook
from lakebook.notebooks.read import find_notebooks, read_notebook

PARTS = ("look", "unseen")
_FILES = re.compile(
    r"""['"]([^'"\n]+\.(?:csv|xlsx?|json|tsv|data|txt|dat)(?:\.zip|\.gz)?)['"]""", re.IGNORECASE
)
_BUILT_IN = re.compile(r"\bload_dataset\(\s*['\"](\w+)|\bdata\.(\w+)\(|\b(?:load|fetch)_(\w+)\(")
_DRAWS = re.compile(r"\bplt\.|\bsns\.|seaborn|plotly|\.plot\b|\.hist\(|\bpx\.|iplot")
_SAYS_LITTLE = frozenset({"train", "test", "data", "dataset", "input", "sample", "main"})


@dataclass(frozen=True, slots=True)
class Source:
    """One notebook of the corpus.

    Attributes:
        repository: the folder of the corpus that it lies in.
        dataset: what it works on; `part` follows from it.
        why_not: why it is not tried, "" if it is.
    """

    path: Path
    repository: str
    dataset: str
    notebook: Notebook
    why_not: str = ""

    @property
    def part(self) -> str:
        """`look` or `unseen`."""
        return PARTS[hashlib.sha256(self.dataset.encode()).digest()[0] % 2]

    @property
    def key(self) -> str:
        """A name for files about this notebook."""
        return f"{self.repository}-{hashlib.sha256(str(self.path).encode()).hexdigest()[:12]}"


def find_sources(root: Path, shared: Sequence[Path], *, per_dataset: int) -> list[Source]:
    """Return the notebooks of all repositories below a folder, in order of path.

    Args:
        root: a folder of repositories.
        shared: more folders with data files.
        per_dataset: how many notebooks are tried for one dataset; a hash of their paths chooses.
    """
    more = _names(shared)
    found = [
        source
        for folder in sorted(path for path in root.iterdir() if path.is_dir())
        for source in _of_repository(root, folder, more)
    ]
    return _chosen(found, per_dataset)


def _names(folders: Sequence[Path]) -> dict[str, Path]:
    return {path.name.lower(): path for folder in folders for path in sorted(folder.rglob("*"))}


def _of_repository(root: Path, folder: Path, shared: Mapping[str, Path]) -> Iterator[Source]:
    at_hand = {**shared, **_names([folder])}
    for path in find_notebooks(folder):
        notebook = read_notebook(path, folder)
        code = "\n".join(cell.code for cell in notebook.code_cells())
        dataset, missing = _dataset(code, path, at_hand)
        why_not = "" if code.strip() else f"not read: {notebook.status}"
        why_not = why_not or ("" if _DRAWS.search(code) else "draws nothing") or missing
        yield Source(path.relative_to(root), folder.name, dataset, notebook, why_not)


def _dataset(code: str, path: Path, at_hand: Mapping[str, Path]) -> tuple[str, str]:
    """Return the name of what a notebook works on, and what is missing of it."""
    files = [name.replace("\\", "/").rpartition("/")[2].lower() for name in _FILES.findall(code)]
    present = [name for name in files if name in at_hand]
    if files:
        name = (present or files)[0]
        stem = name.partition(".")[0]
        if stem in _SAYS_LITTLE:
            stem = f"{path.parent.name.lower()} {stem}"
        return stem, "" if present else "its data are not in the corpus"
    built_in = _BUILT_IN.search(code)
    if built_in:
        return next(group for group in built_in.groups() if group), ""
    return path.stem.lower(), ""


def _chosen(sources: Sequence[Source], per_dataset: int) -> list[Source]:
    """Leave out copies of a notebook, and of each dataset all notebooks beyond the number wanted."""
    taken: Counter[str] = Counter()
    texts: set[str] = set()
    reasons: dict[Path, str] = {}
    for source in sorted(sources, key=lambda one: hashlib.sha256(str(one.path).encode()).digest()):
        text = re.sub(r"\s", "", "".join(cell.code for cell in source.notebook.code_cells()))
        if source.why_not:
            reasons[source.path] = source.why_not
        elif text in texts:
            reasons[source.path] = "a copy of another one"
        elif taken[source.dataset] >= per_dataset:
            reasons[source.path] = "enough of this dataset"
        else:
            taken[source.dataset] += 1
            texts.add(text)
    return [
        Source(one.path, one.repository, one.dataset, one.notebook, reasons.get(one.path, ""))
        for one in sources
    ]


def count_reasons(sources: Sequence[Source]) -> dict[str, Counter[str]]:
    """Return, for each repository, how many of its notebooks are tried ("") and why others are not."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for source in sources:
        counts[source.repository][source.why_not] += 1
    return dict(counts)

"""The notebooks to run again: each with its own data, or with another vintage of them.

A case is a notebook and folders: `own`, the files that it reads; `new`, what the product is given; `truth`,
what the oracle is given; `naive`, what a plain run is given. With own data all are the same. With another
vintage, `new` holds the other file as it is, `naive` the same under the old file's name, and `truth` its rows
under the file and column names that the old code knows, as `labels/vintages.toml` (written by hand) says: so
the old code, run on it with packages of its time, draws what a right rerun must draw.

A dataset is one however many files and names it has, so that both halves share none: `family` names it, and
a hash of that name puts it in the half that may be looked at or in the unseen one.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oracle.corpus import PARTS, Source

from lakebook.notebooks.component import Component
from lakebook.notebooks.extract import extract_components

OWN = "own data"
LABELS = Path(__file__).parents[1] / "labels" / "vintages.toml"
_FILES = re.compile(
    r"""['"]([^'"\n]+\.(?:csv|xlsx?|json|tsv|data|txt|dat)(?:\.zip|\.gz)?)['"]""", re.IGNORECASE
)
_BUILT_IN = re.compile(r"\bload_dataset\(\s*['\"](\w+)|\bdata\.(gapminder|iris|tips|stocks|wind|election)\(")
_READS = re.compile(r"\bread_\w+\(|load_dataset\(|loadtxt\(|genfromtxt\(|\bopen\(")
_MOST_BYTES = 12_000_000
_FEWEST, _MOST = 2, 16
_PER_FAMILY, _PER_REPOSITORY = 2, 4
_PER_VINTAGE, _VINTAGES_PER_FAMILY = 3, 6
_DOCUMENTATION = ("plotly__plotly.py", "plotly__IPython-plotly", "derekbanas__plotly-tutorial")
_FAMILIES = re.findall(
    r"\w+",
    "avocado netflix happi superstore titanic heart iris covid airbnb googleplay telco gobike ipl olymp wine "
    "stroke diabetes penguin tips hotel bike spotify nba house terror churn insurance mushroom breast crime",
)
_SAFE = 5  # a shorter word is also found inside other words
_FAMILY_WORDS = {
    "hapi": "happi",
    "matches": "ipl",
    "deliveries": "ipl",
    "whr": "happi",
    "athlete": "olymp",
    "listings": "airbnb",
}


@dataclass(frozen=True, slots=True)
class Vintage:
    """One entry of the labels: which notebooks it is for, and how the other file becomes like theirs.

    Attributes:
        family: the dataset of the notebooks. columns, lacks: those that the old file must have, or must
            not have, to be the old vintage.
        new: path of the other file, below one of the folders given.
        names: new column -> old column; others keep their names.
        dates: old column -> [format in the new file, format in the old].
        values: old column -> {new value: old value}.
        index: name of a column of row numbers that the old file had, if any.
        renamed: it has other columns or other names, so that the old code cannot run as it is.
    """

    name: str
    family: str
    columns: tuple[str, ...]
    new: str
    lacks: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    dates: Mapping[str, Sequence[str]] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    index: str | None = None
    renamed: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """A notebook to run again.

    Attributes:
        stratum: `OWN`, or the name of the vintage.
        folder: holds `notebook` and the folders with data.
        table: name of the file that is its main table, in `new`.
    """

    source: Source
    stratum: str
    family: str
    folder: Path
    table: str

    @property
    def part(self) -> str:
        """`look` or `unseen`."""
        return part_of(self.family)

    def absent(self) -> set[str]:
        """Return the columns that the old file has and the new one has no counterpart of."""
        if self.stratum == OWN:
            return set()
        file = next((self.folder / "own").iterdir())
        return set(header(file)) - set(header(self.folder / "truth" / file.name))

    @property
    def documentation(self) -> bool:
        """Whether it shows how a library is used, and explores no data."""
        return self.source.repository in _DOCUMENTATION


def part_of(family: str) -> str:
    """Return the half that a dataset belongs to."""
    return PARTS[hashlib.sha256(f"rerun {family}".encode()).digest()[0] % 2]


def family_of(source: Source, names: Sequence[str]) -> str:
    """Return the name of the dataset, from the names of its files, else from the folders."""
    for text in (*names, str(source.path)):
        for word, family in (*((word, word) for word in _FAMILIES), *_FAMILY_WORDS.items()):
            if re.search(word if len(word) >= _SAFE else rf"(?<![a-z]){word}", text.lower()):
                return family
    return re.sub(r"[\W\d_]+", " ", source.dataset.lower()).strip() or source.dataset


class Files:
    """The data files of the corpus by name: a notebook's own repository is asked first, then all others.

    Attributes:
        corpus: the folder of repositories.
    """

    def __init__(self, corpus: Path, shared: Sequence[Path]) -> None:
        """Note all files below the corpus and the shared folders."""
        self.corpus = corpus
        self._own: dict[str, dict[str, list[Path]]] = {}
        self._any: dict[str, Path] = {}
        for folder in (*sorted(corpus.iterdir()), *shared):
            paths = [path for path in sorted(folder.rglob("*")) if path.suffix and path.is_file()]
            for path in paths:
                self._own.setdefault(folder.name, {}).setdefault(path.name.lower(), []).append(path)
                self._any.setdefault(path.name.lower(), path)

    def of(self, source: Source) -> dict[str, Path]:
        """Return the files that a notebook names and that are at hand, by name, in order of mention."""
        code = "\n".join(cell.code for cell in source.notebook.code_cells())
        code = re.sub(r"\b(?:to_\w+|savefig|use|style)\([^)]*\)|[\w/]*matplotlibrc\.json", "", code)
        names = [name.replace("\\", "/").rpartition("/")[2] for name in _FILES.findall(code)]
        names += [f"{next(group for group in found if group)}.csv" for found in _BUILT_IN.findall(code)]
        found: dict[str, Path] = {}
        beside = set(source.path.parts)
        for name in names:
            near = self._own.get(source.repository, {}).get(name.lower(), [])
            best = max(near, key=lambda path: len(beside & set(path.parts)), default=None)
            best = best or (self._any.get(name.lower()) if not _says_little(name) else None)
            if best is not None and best.stat().st_size:
                found.setdefault(name, best)
        return found


def _says_little(name: str) -> bool:
    return name.partition(".")[0].lower() in {"train", "test", "data", "dataset", "input", "sample", "output"}


def own_cases(sources: Sequence[Source], files: Files, root: Path, *, notebooks: int) -> Iterator[Case]:
    """Choose notebooks by a hash of their paths, half of them of each part; lay out their folders."""
    families: Counter[str] = Counter()
    repositories: Counter[str] = Counter()
    parts: Counter[str] = Counter()
    for source in _in_order(sources):
        found = files.of(source)
        if not found or sum(path.stat().st_size for path in found.values()) > _MOST_BYTES:
            continue
        family = family_of(source, list(found))
        part = part_of(family)
        enough = parts[part] >= notebooks // len(PARTS) or families[family] >= _PER_FAMILY
        if enough or repositories[source.repository] >= _PER_REPOSITORY or not _draws_some(source):
            continue
        families[family] += 1
        repositories[source.repository] += 1
        parts[part] += 1
        folder = _laid(source, root / f"own-{source.key}", files.corpus, found)
        _copy(found, folder / "new")
        yield Case(source, OWN, family, folder, next(iter(found)))


def vintage_cases(
    sources: Sequence[Source], files: Files, root: Path, vintages: Sequence[Vintage], folders: Sequence[Path]
) -> Iterator[Case]:
    """Choose notebooks that read one file of an old vintage, and give them the new one."""
    taken: Counter[str] = Counter()
    families: Counter[str] = Counter()
    for source in _in_order(sources):
        found = files.of(source)
        if len(found) != 1:
            continue
        name, path = next(iter(found.items()))
        for vintage in vintages:
            enough = taken[vintage.name] >= _PER_VINTAGE or families[vintage.family] >= _VINTAGES_PER_FAMILY
            if enough or not _fits(vintage, source, path) or not _draws_some(source):
                continue
            new = next(place / vintage.new for place in folders if (place / vintage.new).exists())
            if new.name == path.name and new.stat().st_size == path.stat().st_size:
                continue
            taken[vintage.name] += 1
            families[vintage.family] += 1
            folder = _laid(source, root / f"{vintage.name}-{source.key}", files.corpus, found)
            _copy({name: new}, folder / "naive")
            _copy({new.name: new}, folder / "new")
            make_truth(vintage, new, folder / "truth" / name, header(path))
            yield Case(source, vintage.name, vintage.family, folder, new.name)


def _in_order(sources: Sequence[Source]) -> list[Source]:
    usable = [one for one in sources if not one.why_not and not one.notebook.python_2]
    return sorted(usable, key=lambda one: hashlib.sha256(str(one.path).encode()).digest())


def _draws_some(source: Source) -> bool:
    """Tell whether a few of its cells draw something of a file; very many would outweigh other notebooks."""
    drawing = [one for one in extract_components(source.notebook) if one.chart_types and reads_file(one)]
    return _FEWEST <= len(drawing) <= _MOST


def reads_file(component: Component) -> bool:
    """Tell whether a component reads a file, by a literal path or not."""
    return bool(component.reads) or _READS.search(component.code) is not None


def _fits(vintage: Vintage, source: Source, path: Path) -> bool:
    if vintage.family != family_of(source, [path.name]):
        return False
    columns = set(header(path))
    return set(vintage.columns) <= columns and not columns & set(vintage.lacks)


def header(path: Path) -> list[str]:
    """Return the column names of a delimited file, [] for other files."""
    if path.suffix.lower() not in {".csv", ".tsv", ".data"}:
        return []
    import pandas as pd

    encoding = "utf-8-sig" if _is_utf8(path) else "latin1"
    try:
        table = pd.read_csv(path, nrows=0, encoding=encoding, sep=_separator(path, encoding))
    except (ValueError, OSError):
        return []
    return [str(name) for name in table.columns]


def make_truth(vintage: Vintage, new: Path, target: Path, once_had: Sequence[str]) -> None:
    """Write the new rows as the old code knows them: with those of the old file's columns that there are."""
    import pandas as pd

    encoding = "utf-8-sig" if _is_utf8(new) else "latin1"
    table = pd.read_csv(new, encoding=encoding, sep=_separator(new, encoding))
    table = table.rename(columns=dict(vintage.names))
    for column, (now, once) in vintage.dates.items():
        table[column] = pd.to_datetime(table[column].str.strip(), format=now).dt.strftime(once)
    for column, pairs in vintage.values.items():
        table[column] = table[column].astype(str).map(dict(pairs)).fillna(table[column])
    if vintage.index is not None:
        table.insert(0, vintage.index, range(len(table)))
    table = table[[name for name in table.columns if name in set(once_had)]]
    target.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(target, index=False)


def read_vintages() -> list[Vintage]:
    """Return the vintages of the labels."""
    entries: list[dict[str, Any]] = tomllib.loads(LABELS.read_text(encoding="utf-8"))["vintage"]
    return [Vintage(**{**entry, "columns": tuple(entry["columns"])}) for entry in entries]


def _separator(path: Path, encoding: str) -> str:
    with path.open(encoding=encoding) as file:
        first = file.readline()
    return max(",;\t", key=first.count)


def _is_utf8(path: Path) -> bool:
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _laid(source: Source, folder: Path, corpus: Path, files: Mapping[str, Path]) -> Path:
    """Lay out the folder of a case: its notebook, and the files that it reads."""
    _copy(files, folder / "own")
    _copy({source.path.name: corpus / source.path}, folder / "notebook")
    return folder


def _copy(files: Mapping[str, Path], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in files.items():
        if not (folder / name).exists():
            shutil.copyfile(path, folder / name)

"""Which tables a component reads, and which columns its code asks of each.

The component is interpreted over column lineage with tables of which nothing is known: whatever is asked of
one is a column of its file. Paths are followed as far as they are built from known texts (`os.path.join`,
`Path`, f-strings, loops over known lists); of the rest the last known part counts. Which table of a lake each
source has become is decided in `lakebook.retrieval.counterparts`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lakebook.notebooks.clean import parse
from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.asked import Asked
from lakebook.notebooks.lineage.interpreter import Interpreter
from lakebook.notebooks.lineage.operators import operated
from lakebook.notebooks.lineage.records import records_of
from lakebook.notebooks.lineage.values import Frame, Items

Site = tuple[int, int]

_READERS = frozenset({"loadtxt", "genfromtxt", "load_dataset", "DictReader", "from_csv", "scan_csv"})
_RECORDS = frozenset({"json.load", "json.loads", "csv.DictReader", "csv.reader"})
_NO_READERS = frozenset({"read_clipboard", "read_gbq", "read_config", "readline", "readlines"})
_LISTS = frozenset({"glob", "iglob", "listdir", "rglob", "walk", "scandir", "iterdir"})
_OPENS = frozenset({"open", "BytesIO", "StringIO", "ZipFile", "TextIOWrapper", "ExcelFile", "HDFStore"})
_PATHS = ("filepath_or_buffer", "io", "path", "path_or_buf", "path_or_buffer", "fname", "name", "file", "sql")
_QUERIES = frozenset({"read_sql", "read_sql_query", "read_sql_table"})
_SUFFIX = re.compile(
    r"(\.(csv|tsv|txt|xlsx?|xlsm|json|jsonl|parquet|feather|data|dat|zip|gz|bz2|xz|sqlite|db))+$"
)
_MANY, _UNKNOWN = "*", "…"  # a part of a path that stands for all files, one that is not known


@dataclass(frozen=True, slots=True)
class Source:
    """One table that a component reads.

    Attributes:
        name: what tells it from the others: the base name of its file, lower-case, with "#sheet" or "#table".
        path: as written, as far as it is known; "" if it is not.
        columns: names that the code asks of it alone.
        shared: names that are asked of what it was put together into with other sources.
        sites: line and column of the calls that read it.
        is_listing: its path comes from a listing of a folder, so that it stands for all of its files.
    """

    name: str
    path: str = ""
    columns: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    sites: tuple[Site, ...] = ()
    is_listing: bool = False

    @property
    def stem(self) -> str:
        """The name without its endings: what the table is called."""
        return _SUFFIX.sub("", self.name.partition("#")[0])


def sources_of(code: str) -> tuple[Source, ...]:
    """Return the tables that a component reads, in the order in which they are read first."""
    return sources_in(parse(code).body)


def sources_in(body: Sequence[ast.stmt]) -> tuple[Source, ...]:
    """Do what `sources_of` does for code that is parsed already."""
    reader = _Reader()
    for statement in body:
        reader.top_level(statement)
    found = list(reader.found)
    seen = {one.site for one in found}
    texts_of = _last_texts(body)
    for node in reading_calls(body):
        if site_of(node) not in seen:  # in code that the interpretation did not come to
            found.append(_Read(site_of(node), _written(node, texts_of)))
    return tuple(_merged([_named(one, texts_of) for one in found]))


def reading_calls(statements: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """Yield every call that reads a table, in order of place."""
    calls = [
        node
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and is_reading(node)
    ]
    yield from sorted(calls, key=site_of)


def is_reading(node: ast.Call) -> bool:
    """Return True if the call reads a table from a file."""
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name in _READERS or _dotted(function) in _RECORDS:
        return True
    if not name.startswith(("read_", "scan_")) or name in _NO_READERS:
        return False
    return isinstance(function, ast.Name) or _dotted(function).count(".") == 1


def site_of(node: ast.expr) -> Site:
    """Return the place of an expression in its code."""
    return node.lineno, node.col_offset


def path_argument(node: ast.Call) -> ast.expr | None:
    """Return the argument of a reading call that says what is read."""
    if node.args:
        return node.args[0]
    return next((item.value for item in node.keywords if item.arg in _PATHS), None)


@dataclass(slots=True)
class _Read:
    """A read as it was met: its place, and the path as far as it is known."""

    site: Site
    path: str
    asked: Asked = field(default_factory=Asked)
    node: ast.Call | None = None
    sheet: str = ""


class _File(str):
    """A path, or what was opened with it."""

    __slots__ = ()


class _Reader(Interpreter):
    """Notes what is read, and what is asked of it."""

    def __init__(self) -> None:
        super().__init__(self._open)
        self.found: list[_Read] = []
        self._calls: list[ast.Call] = []
        self._path = ""
        self._sheet = ""

    def value(self, node: ast.expr | None) -> object:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            left, right = self.value(node.left), self.value(node.right)
            both = isinstance(left, str) and isinstance(right, str)
            return _joined([str(left), str(right)]) if both else operated("Div", left, right)
        if not isinstance(node, ast.Call):
            return super().value(node)
        self._calls.append(node)
        try:
            return super().value(node)
        finally:
            self._calls.pop()

    def adopt(self, node: ast.expr) -> object:
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return None
        frame = Frame(open=True)
        self.store(node, frame)
        return frame

    def _library(self, path: str, call: Call) -> object:
        name = path.rpartition(".")[2]
        first = next(iter(call.values()), None)
        if name == "join" and path.startswith(("os.", "posixpath", "ntpath")):
            return _joined(call.positional)
        if name in ("Path", "PurePath", "PosixPath", "abspath", "expanduser", "str", "normpath", "realpath"):
            return _joined(call.positional) if call.positional else None
        if name in _LISTS:
            return _listing(path, call)
        if name in _OPENS:
            return _File(first) if isinstance(first, str) else first
        if self._calls and is_reading(self._calls[-1]):
            given = next((item for key, item in call.keywords.items() if key in _PATHS), None)
            given = call.positional[0] if call.positional else given
            self._path = given if isinstance(given, str) else ""
            sheet = call.get("sheet_name", 1) if name == "read_excel" else None
            self._sheet = str(sheet) if isinstance(sheet, (str, int)) and sheet != 0 else ""
            if name in ("loadtxt", "genfromtxt", "scan_csv", "load_dataset"):
                return self._open("")
            if path in _RECORDS:
                return records_of(self._open(""), by_position=name == "reader")
            if name in _QUERIES:
                return super()._library(path, call)
        return super()._library(path, call)

    def _method_call(self, receiver: object, function: ast.Attribute, node: ast.Call) -> object:
        if isinstance(receiver, str) and function.attr in ("open", "joinpath", "glob", "rglob", "iterdir"):
            given = [self.value(item) for item in node.args]
            if function.attr in _LISTS:
                return Items([_joined([receiver, *(given or [_MANY])])])
            known = [item for item in given if isinstance(item, str)]
            return (
                _joined([receiver, *known])
                if function.attr == "joinpath"
                else _File(known[0] if known else receiver)
            )
        if isinstance(receiver, str) and function.attr in ("read", "parse", "infolist", "namelist"):
            return receiver
        return super()._method_call(receiver, function, node)

    def _open(self, path: str) -> Frame:
        if not self._calls or not is_reading(self._calls[-1]):
            return Frame(open=True)
        node = self._calls[-1]
        read = _Read(site_of(node), path or self._path, node=node, sheet=self._sheet)
        self._path = self._sheet = ""
        self.found.append(read)
        return Frame(open=True, is_loaded=True, asked=(read.asked,))


def _joined(parts: Iterable[object]) -> str | None:
    known = [one if isinstance(one, str) else _UNKNOWN for one in parts]
    return _File("/".join(one.rstrip("/") or one for one in known)) if known else None


def _listing(path: str, call: Call) -> object:
    """Return what a listing of a folder gives: one path that stands for all."""
    given = next((item for item in call.positional if isinstance(item, str)), "")
    pattern = (
        given if any(mark in given for mark in "*?[") else f"{given.rstrip('/')}/{_MANY}" if given else _MANY
    )
    if path.endswith("walk"):
        return Items([(given or ".", Items(), Items([_File(_MANY)]))])
    return Items([_File(pattern if "glob" in path else _MANY)])


def _named(read: _Read, texts_of: dict[str, str]) -> tuple[Source, Asked]:
    path = read.path
    if not _base(path).strip(_UNKNOWN) and read.node is not None:
        path = _written(read.node, texts_of) or path
    name = _base(path).casefold() or f"line {read.site[0]}"
    if read.sheet:
        name += f"#{read.sheet}"
    own = tuple(sorted(read.asked.own))
    source = Source(name, path, own, tuple(sorted(read.asked.shared)), (read.site,), _MANY in _base(path))
    return source, read.asked


def _merged(found: Iterable[tuple[Source, Asked]]) -> Iterator[Source]:
    """Yield each source once: a file that is read twice is one."""
    by_name: dict[str, list[Source]] = {}
    for source, _ in found:
        by_name.setdefault(source.name, []).append(source)
    for name, same in by_name.items():
        own = {column for one in same for column in one.columns}
        shared = {column for one in same for column in one.shared} - own
        sites = dict.fromkeys(site for one in same for site in one.sites)
        yield Source(
            name,
            same[0].path,
            tuple(sorted(own)),
            tuple(sorted(shared)),
            tuple(sites),
            any(one.is_listing for one in same),
        )


def _base(path: str) -> str:
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1].split("?")[0]


def _last_texts(statements: Iterable[ast.AST]) -> dict[str, str]:
    """Return the last text in what is assigned to each name, so that a path in a variable is known."""
    found = {}
    for node in (node for statement in statements for node in ast.walk(statement)):
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if (
            isinstance(node, ast.Assign)
            and isinstance(target, ast.Name)
            and (written := _texts_in(node.value))
        ):
            found[target.id] = written[-1]
    return found


def _written(node: ast.Call, texts_of: dict[str, str]) -> str:
    """Return what is known of a path that cannot be followed: its last text, or that of its variable."""
    path = path_argument(node)
    if path is None:
        return ""
    names = [one.id for one in ast.walk(path) if isinstance(one, ast.Name) and one.id in texts_of]
    found = _texts_in(path) or [texts_of[name] for name in names]
    return found[-1] if found else ast.unparse(path) if isinstance(path, ast.Name) else ""


def _texts_in(node: ast.AST) -> list[str]:
    return [
        one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""

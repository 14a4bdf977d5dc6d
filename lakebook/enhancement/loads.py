"""Where an old component reads its data, and how that becomes the user's tables.

The path does not matter (Kaggle, Colab, Windows, a variable, a URL): the component's columns have been
matched to the tables before. A component that reads one file gets the table under analysis, one that reads
several their counterparts; a listing of a folder becomes a list of the one name that stands for it. What
becomes of a call's options is in `load_options`; what the component needs no more then is dropped here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from lakebook.enhancement.calls import calls
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.load_options import Frame, steps_of
from lakebook.enhancement.repairs.modules import Modules
from lakebook.enhancement.script import Script, dotted, keyword, method
from lakebook.notebooks.sources import Site, is_reading, path_argument, site_of, sources_in
from lakebook.syntax import parse_expression

_LISTINGS = frozenset({"glob", "iglob", "listdir", "rglob", "walk", "iterdir", "scandir"})
_OPENS = frozenset({"open", "ZipFile", "BytesIO", "StringIO", "TextIOWrapper", "urlopen"})
# Where libraries keep tables of their own.
_SAMPLES = ("plotly.express.data.", "plotly.data.", "vega_datasets.data.", "statsmodels.api.datasets.")
_ENDING = re.compile(r"\.[A-Za-z]{2,7}$")
_FILE = "str({path}).replace('\\\\', '/').rsplit('/', 1)[-1]"


class Unloadable(Exception):
    """The component's data cannot be replaced by the user's tables; the text says why."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The frames that stand in for a component's files.

    Attributes:
        main: of the table under analysis. `file`: what that table's file is called.
        by_source: the frame of each source, by its name, where the component reads more than one.
    """

    main: Frame
    file: str = "table.csv"
    by_source: Mapping[str, Frame] = field(default_factory=dict)


def replace_loads(script: Script, tables: Tables) -> tuple[Script, list[Repair]]:
    """Replace every load by its frame.

    The script is the component as written: its statements still know their places.

    Raises:
        Unloadable: it reads nothing that a table can stand in for, or a file that none stands in for.
    """
    made = [node for node in script.nodes() if isinstance(node, ast.Call)]
    modules = Modules.of(script)
    if sample := next((dotted(call.func) for call in made if _is_sample(call, modules)), ""):
        raise Unloadable(f"reads sample data that comes with a library ({sample})")
    loads = [call for call in made if is_reading(call)]
    if foreign := sorted({method(call) for call in loads} & calls("reads_elsewhere")):
        raise Unloadable(f"reads from another kind of source ({foreign[0]})")
    if not loads:
        raise Unloadable("reads no file that the table could stand in for")
    frames, lists = _frames_of(script, loads, tables)
    replacer = _Replacer(frames, tables, lists)
    before = script.names_read()
    script, repairs = script.edited(replacer.visit, "load")
    if replacer.dropped:
        repairs += [
            Repair("load_option", ", ".join(options), f"# dropped: {reason}")
            for reason, options in sorted(replacer.dropped.items())
        ]
    return _without_idle(script, before), repairs


def _is_sample(call: ast.Call, modules: Modules) -> bool:
    """Return True for data that sklearn, plotly, statsmodels and the like ship."""
    return method(call) in calls("sample_data") or modules.full(call.func).startswith(_SAMPLES)


def _frames_of(
    script: Script, loads: Sequence[ast.Call], tables: Tables
) -> tuple[dict[Site, dict[str, Frame]], bool]:
    """Return for each reading call the frames of its files, by base name, and whether any lists a folder."""
    if len(loads) == 1 and isinstance(path_argument(loads[0]), ast.Constant):
        return {site_of(loads[0]): {"": tables.main}}, False
    sources = sources_in([statement.node for statement in script.statements])
    found: dict[Site, dict[str, Frame]] = {}
    for source in sources:
        frame = tables.main if len(sources) == 1 else tables.by_source.get(source.name)
        if frame is None:
            listed = ", ".join(sorted(one.name for one in sources))
            raise Unloadable(f"reads more than one file ({listed}), and one table is given")
        for site in source.sites:
            found.setdefault(site, {})[re.split(r"[\\/]", source.path)[-1]] = frame
    return found, any(source.is_listing for source in sources)


class _Replacer(ast.NodeTransformer):
    """Puts frames in the place of reading calls, and one name in that of a listing of files."""

    def __init__(self, frames: Mapping[Site, Mapping[str, Frame]], tables: Tables, lists: bool) -> None:
        self.frames, self.tables, self.lists = frames, tables, lists
        self.dropped: dict[str, list[str]] = {}
        self.replaced = 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if is_reading(node):
            if method(node) == "read_html":
                raise Unloadable("reads all tables of a page, and one table is given")
            return self._read(node)
        self.generic_visit(node)
        return _expression(self._listed(node)) if self.lists and method(node) in _LISTINGS else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`pd.read_html(page)[2]` is one table."""
        call = node.value
        if (
            isinstance(call, ast.Call)
            and method(call) == "read_html"
            and isinstance(node.slice, ast.Constant)
        ):
            return self._read(call)
        return self.generic_visit(node)

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.stmt]:
        """Drop what was only opened to be read."""
        before = self.replaced
        self.generic_visit(node)
        if self.replaced == before:
            return node
        body = ast.Module(node.body, [])
        read = {one.id for one in ast.walk(body) if isinstance(one, ast.Name)}
        node.items = [item for item in node.items if not _opened_in_vain(item, read)]
        return node if node.items else node.body

    def _read(self, node: ast.Call) -> ast.expr:
        frames = self.frames.get(site_of(node))
        self.generic_visit(node)
        if not frames:
            return node
        self.replaced += 1
        return self._load(node, frames)

    def _load(self, call: ast.Call, frames: Mapping[str, Frame]) -> ast.expr:
        """Return what gives what the call gave: a copy of the frame, with the call's options as steps."""
        distinct = list({id(frame): frame for frame in frames.values()}.values())
        path = path_argument(call)
        if len(distinct) == 1:
            whole = f"{distinct[0].name}.copy()"
        else:
            pairs = ", ".join(f"{name!r}: {frame.name}" for name, frame in frames.items())
            whole = f"{{{pairs}}}[{_FILE.format(path=ast.unparse(path or ast.Constant('')))}].copy()"
        common = [name for name in distinct[0].columns if all(name in one.columns for one in distinct)]
        steps = steps_of(call, replace(distinct[0], columns=tuple(common)))
        for option, reason in steps.dropped:
            self.dropped.setdefault(reason, []).append(option)
        return _expression(_as_read(call, whole + steps.text, distinct[0]))

    def _listed(self, call: ast.Call) -> str:
        """Return the list that stands for a listing of files, with the ending that the code asks for."""
        texts = [
            one.value
            for one in ast.walk(call)
            if isinstance(one, ast.Constant) and isinstance(one.value, str)
        ]
        ending = next((found[0] for text in texts if (found := _ENDING.search(text))), "")
        name = f"{PurePosixPath(self.tables.file).stem}{ending}" if ending else self.tables.file
        if method(call) == "walk":
            return f"[('', [], [{name!r}])]"
        return f"[{name!r}]"


def _as_read(call: ast.Call, frame: str, known: Frame) -> str:
    """Return what a reader other than those of pandas' tables makes of a frame."""
    name = dotted(call.func)
    plain = frame
    for date in known.dates:
        plain += f".assign(**{{{date!r}: lambda frame: frame[{date!r}].astype(str)}})"
    if name in ("json.load", "json.loads"):
        return f"json.loads({frame}.to_json(orient='records', date_format='iso'))"
    if name == "csv.DictReader":
        return f"iter({plain}.astype('str').to_dict('records'))"
    if name == "csv.reader":
        return f"iter([list({known.name}.columns), *{plain}.astype('str').to_numpy().tolist()])"
    if method(call) in ("loadtxt", "genfromtxt"):
        return _array(call, frame)
    if method(call) == "read_html":
        return frame
    pieces = keyword(call, "chunksize")
    if isinstance(pieces, ast.Constant | ast.Name):
        size = ast.unparse(pieces)
        return f"(lambda whole: [whole[at : at + {size}] for at in range(0, len(whole), {size})])({frame})"
    if keyword(call, "iterator") is not None or pieces is not None:
        raise Unloadable("reads its file piece by piece as it asks for more")
    if (sheets := keyword(call, "sheet_name")) is not None and ast.unparse(sheets) == "None":
        raise Unloadable("reads all sheets of a workbook, and one table is given")
    return frame


def _array(call: ast.Call, frame: str) -> str:
    """Return the array of numbers that numpy reads; which columns it took by position is not known."""
    if keyword(call, "usecols") is not None:
        raise Unloadable("reads columns by their positions in the old file (usecols)")
    names = keyword(call, "names")
    if isinstance(names, ast.Constant) and names.value is True:
        return f"{frame}.to_records(index=False)"
    numbers = f"{frame}.select_dtypes('number').to_numpy()"
    unpacked = keyword(call, "unpack")
    return f"{numbers}.T" if isinstance(unpacked, ast.Constant) and unpacked.value is True else numbers


def _opened_in_vain(item: ast.withitem, read: set[str]) -> bool:
    opened, name = item.context_expr, item.optional_vars
    return (
        isinstance(opened, ast.Call)
        and method(opened) in _OPENS
        and (not isinstance(name, ast.Name) or name.id not in read)
    )


def _expression(text: str) -> ast.expr:
    return parse_expression(text)


def _without_idle(script: Script, before: frozenset[str]) -> Script:
    """Drop what only served to find and to open files, now that nothing reads it any more."""
    while True:
        closing = {s: name for s in script.statements if (name := _closes(s.node))}
        read = Script(tuple(s for s in script.statements if s not in closing)).names_read()
        idle = before - read
        kept = tuple(
            s
            for s in script.statements
            if not (closing.get(s, "") in idle and closing.get(s)) and not _is_idle(s.node, idle)
        )
        if len(kept) == len(script.statements):
            return script
        script = Script(kept)


def _closes(node: ast.stmt) -> str:
    """Return the name of the file that a statement closes, "" if it does something else."""
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and method(call) == "close" and not call.args:
        return dotted(call.func).rpartition(".")[0]
    return ""


def _is_idle(node: ast.stmt, idle: frozenset[str]) -> bool:
    if not isinstance(node, ast.Assign) or not all(isinstance(t, ast.Name) for t in node.targets):
        return False
    return all(isinstance(t, ast.Name) and t.id in idle for t in node.targets) and _finds_file(node.value)


def _finds_file(node: ast.expr) -> bool:
    """Return True for a value that only says where a file is, opens it or fetches it."""
    made = [dotted(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)]
    return all(
        name in calls("finds_files") or name.split(".")[0] in calls("fetching_modules") for name in made
    )


def without_fetching(script: Script) -> Script:
    """Drop statements that only bring files to the author's machine, and imports for them that idle then."""
    kept = Script(tuple(s for s in script.statements if not _fetches(s.node)))
    if len(kept.statements) == len(script.statements):
        return script
    return kept


def _fetches(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr | ast.Assign) else None
    if not isinstance(call, ast.Call):
        return False
    name = dotted(call.func)
    if name in ("drive.mount", "files.upload", "files.download", "os.chdir"):
        return True
    if method(call) in ("system", "run_line_magic", "getoutput") and "get_ipython" in ast.unparse(call.func):
        return True
    return isinstance(node, ast.Expr) and (
        name.split(".")[0] in calls("fetching_modules") or method(call) in ("urlretrieve", "extractall")
    )

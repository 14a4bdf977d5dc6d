"""How tables go into the sandbox, and how tables, facts and files come back (docs/decisions/0024).

What comes back was written by code that nobody trusts: a table is taken as bytes of a regular file, bounded,
and read by the lake's engine within its memory and time; a fact is JSON; a file is kept with its hash.
"""

from __future__ import annotations

import contextlib
import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lakebook.errors import OperatorError, SandboxError
from lakebook.operators import inside
from lakebook.operators.lake import Lake
from lakebook.operators.workbench import Workbench
from lakebook.sandbox.base import CellError, CellResult, Evaluation, Json

MOST_BYTES = 256 << 20
MOST_ROWS = 5_000_000
_PREFIX = ".lakebook-"
_LINE = re.compile(r"^Cell In\[\d+\], line (\d+)", re.MULTILINE)
_TABLES, _FACTS, _KEPT = "_lakebook_tables", "_lakebook_facts", "_lakebook_kept"


@dataclass(frozen=True, slots=True)
class Came:
    """What came back: names of tables that wait as files, and facts by name.

    Attributes:
        printed: what the code wrote, and the value of its last line.
        error: why nothing came, "" if it did.
    """

    tables: tuple[str, ...] = ()
    facts: tuple[tuple[str, Json], ...] = ()
    printed: str = ""
    error: str = ""


def bind(bench: Workbench, lake: Lake, names: Sequence[str]) -> None:
    """Have the session hold these tables; each is written and read once.

    Raises:
        OperatorError: a table cannot be written, or the session cannot read it.
        SandboxError: the session failed.
    """
    if bench.session.ended:
        bench.session.restart()
        bench.bound.clear()
    cells = [] if bench.bound else [f"{inside.source()}\n{_TABLES} = {{}}"]
    for name in names:
        if name not in bench.bound:
            file = bench.tables / f"{name}.parquet"
            if not file.exists():
                lake.export(name, file)
                file.chmod(0o644)
            cells.append(f"{_TABLES}[{name!r}] = lakebook_read({f'{bench.inside}/{name}.parquet'!r})")
    for cell in cells:
        result = bench.session.run(cell)
        if result.error is not None:
            raise OperatorError(
                f"the tables could not be given to the code: {result.error.name}: {result.error.message}",
                hint="Query what is needed of them into a smaller table.",
            )
    for name in ("", *names):
        bench.bound[name] = name


def run(
    bench: Workbench, code: str, inputs: Sequence[str], outputs: Sequence[str], seconds: float | None
) -> Came:
    """Run code with its inputs bound, and have its outputs written; inside a copy of the session's state.

    The copy's end removes the files that came of it, so what is to be kept is taken before that.
    """
    bound = [f"{name} = {_TABLES}[{name!r}]" for name in inputs if not keyword.iskeyword(name)]
    chosen = ", ".join(f"{name!r}: {_TABLES}[{name!r}]" for name in inputs)
    bench.session.run("\n".join([f"tables = {{{chosen}}}", *bound]))
    ran = bench.session.run(code, seconds=seconds)
    printed = _printed(ran)
    if ran.error is not None:
        return Came(printed=printed, error=f"{ran.error.name}: {ran.error.message}{_line(ran.error)}")
    if not outputs:
        return Came(printed=printed)
    paths = {name: f"{bench.work}/{_file(name)}" for name in outputs}
    keep = f"{_FACTS} = {{}}\n{_KEPT} = {{}}\n" + "\n".join(
        f"{_KEPT}[{name!r}] = lakebook_keep({name!r}, globals(), {path!r}, {_FACTS})"
        for name, path in paths.items()
    )
    kept = bench.session.run(keep, seconds=seconds)
    if kept.error is not None:
        return Came(printed=printed, error=f"{kept.error.name}: {kept.error.message}")
    values = bench.session.evaluate([_KEPT, *(f"{_FACTS}.get({name!r})" for name in outputs)])
    return _came(outputs, values, printed)


def _line(error: CellError) -> str:
    """Return at which line of the code an error arose, as far as its traceback tells."""
    lines = _LINE.findall("\n".join(error.traceback))
    return f" (line {lines[-1]})" if lines and "line" not in error.message else ""


def _came(outputs: Sequence[str], values: Sequence[Evaluation], printed: str) -> Came:
    kept = values[0].value if values else None
    if not isinstance(kept, dict):
        return Came(printed=printed, error="the code spoilt what gives its results back")
    tables = tuple(name for name in outputs if kept.get(name) is True)
    facts = []
    for name, value in zip(outputs, values[1:], strict=True):
        if name in tables:
            continue
        if value.error and value.value is None:
            return Came(printed=printed, error=f"{name} cannot be kept: {value.error}")
        facts.append((name, value.value))
    return Came(tables, tuple(facts), printed)


def take_table(bench: Workbench, lake: Lake, name: str, seconds: float) -> None:
    """Make a table that waits in the workspace one of the lake's.

    Raises:
        OperatorError: it is no table that can be read, or it is too large.
    """
    try:
        data = bench.files.read(_file(name), most=MOST_BYTES)
        bench.files.remove(_file(name))
    except (SandboxError, OSError) as error:
        raise OperatorError(
            f"the table {name} could not be taken: it is gone, or larger than {MOST_BYTES >> 20} MB.",
            hint="Aggregate it before it is given back.",
        ) from error
    lake.take(name, data, most_rows=MOST_ROWS, seconds=seconds)


def drop_waiting(bench: Workbench, names: Sequence[str]) -> None:
    """Remove tables that wait in the workspace and were not taken."""
    for name in names:
        with contextlib.suppress(SandboxError, OSError):
            bench.files.remove(_file(name))


def is_own(path: str) -> bool:
    """Whether a file of the workspace is one by which tables cross."""
    return path.startswith(_PREFIX)


def _file(name: str) -> str:
    return f"{_PREFIX}{name}.parquet"


def _printed(cell: CellResult) -> str:
    """Return what a cell wrote as text, and the value of its last line."""
    parts = []
    for output in cell.outputs:
        if output.get("output_type") == "stream":
            text = output.get("text", "")
        else:
            data = output.get("data")
            shown = data if isinstance(data, dict) else {}
            text = "" if any(kind.startswith("image/") for kind in shown) else shown.get("text/plain", "")
        parts.append("".join(text) if isinstance(text, list) else str(text))
    return "\n".join(part.rstrip("\n") for part in parts if part)

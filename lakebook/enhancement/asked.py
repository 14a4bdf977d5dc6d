"""A model's bounded tries at a component that no fix could mend.

At most two a component, each checked before it is run and taken only if it runs: it must parse, keep the
tables that the component reads, draw what it drew, and reach nothing outside. What may leave is decided in
`analyst.model.privacy`, what it may cost in `analyst.model.budget`. Paper: NotebookRAG §4.2.4 (self-repair).
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Sequence
from typing import Protocol

from lakebook.analyst.model.privacy import NotAllowed
from lakebook.analyst.model.protocol import ModelFailed
from lakebook.analyst.table import Table
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.calls import calls
from lakebook.enhancement.cleaning import refusal, still_writes
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.hidden import Hidden
from lakebook.enhancement.repairs.rule import Fault
from lakebook.enhancement.repairs.view import View
from lakebook.enhancement.run import Run, Runs, run_once
from lakebook.enhancement.script import Script, dotted, method
from lakebook.notebooks.sources import is_reading
from lakebook.notebooks.taxonomy import chart_types
from lakebook.syntax import parse_python

MOST_TRIES = 2
_MODULES = frozenset(
    {
        "numpy",
        "pandas",
        "matplotlib",
        "seaborn",
        "scipy",
        "statsmodels",
        "sklearn",
        "plotly",
        "datetime",
        "math",
    }
)
# They make data where the component had none.
_MAKES_DATA = frozenset(
    {"DataFrame", "Series", "array", "arange", "linspace", "rand", "randn", "randint", "normal"}
)
_OPENS = frozenset(
    {"open", "urlopen", "Path", "system", "popen", "load", "loadtxt", "genfromtxt", "fromfile", "imread"}
)
_ENDED = ("timeout", "memory", "died", "SandboxError")


class Mender(Protocol):
    """Who is asked: `analyst.model.analyst.ModelAnalyst`, or a double of it."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def mended_code(
        self, code: str, error: str, line: str, columns: Sequence[tuple[str, str]], earlier: str = ""
    ) -> str:
        """Return the code as the model would mend it. Raises ModelFailed or NotAllowed."""
        ...


def try_to_mend(
    adapted: Adapted, run: Run, table: Table, mender: Mender, session: Runs, seconds: float
) -> tuple[Adapted, Run]:
    """Ask for a mended component, at most `MOST_TRIES` times; what does not run is thrown away.

    Raises SandboxError if the session failed.
    """
    fault = run.fault
    if fault is None or fault.name in _ENDED:
        return adapted, run
    columns = [(name, column.dtype) for name, column in View.of(adapted, table).columns.items()]
    hidden = Hidden(
        {
            *(name for name, _ in columns),
            *(column.name for column in table.columns),
            *adapted.component.columns,
            *adapted.component.filter_columns,
            *adapted.component.key_columns,
        }
    )
    earlier, why = "", fault
    for _ in range(MOST_TRIES):
        try:
            shown = hidden.hide(str(adapted.script))
            line = fault.lines[-1] if fault.lines else ""
            reply = mender.mended_code(
                shown, hidden.hide_in_message(str(why)), _hidden_line(line, hidden), columns, earlier
            )
        except (ModelFailed, NotAllowed, SyntaxError):
            break
        earlier = reply
        proposed = accepted(adapted.script, reply, hidden)
        if isinstance(proposed, str):
            why = Fault("refused", proposed)
            continue
        repair = _repair(adapted.script, proposed, mender.name, fault)
        mended = adapted.repaired(proposed, [repair])
        again = run_once(mended, session, seconds)
        if again.fault is None:
            return mended, again
        why = again.fault
    return adapted, run


def accepted(before: Script, reply: str, hidden: Hidden) -> Script | str:
    """Return a proposed script if it may be run, else why not."""
    try:
        after = Script.parse(hidden.give_back(reply))
    except (SyntaxError, ValueError, RecursionError) as error:
        return f"it does not parse: {error}"
    if not after.statements or str(after) == str(before):
        return "it changes nothing"
    if reason := refusal(after) or still_writes(after):
        return f"it {reason}"
    if strange := _modules(after) - _modules(before) - _MODULES:
        return f"it imports {', '.join(sorted(strange))}"
    if more := (_called(after) - _called(before)) & _OPENS:
        return f"it opens what the component did not ({', '.join(sorted(more))})"
    if any(isinstance(node, ast.Attribute) and node.attr.startswith("__") for node in after.nodes()):
        return "it reaches into objects"
    if _tables(before) != _tables(after):
        return "it does not read the same tables"
    if more := _makers(after) - _makers(before):
        return f"it makes data of its own ({', '.join(sorted(more))})"
    if _drawing(before) and not _drawing(after):
        return "it draws nothing"
    return after


def _tables(script: Script) -> frozenset[str]:
    """Return the tables that a script reads: names that it reads and does not bind, and loading calls."""
    free = script.names_read() - script.names_bound()
    loads = {ast.unparse(n) for n in script.nodes() if isinstance(n, ast.Call) and is_reading(n)}
    frames = {name for name in free if name == "df" or name.startswith("lake")}
    return frozenset(frames | loads | {n for n in _called(script) & calls("reads_elsewhere")})


def _makers(script: Script) -> frozenset[str]:
    return _called(script) & _MAKES_DATA


def _drawing(script: Script) -> bool:
    return bool(_called(script) & (chart_types().keys() | {"plot", "show"}))


def _called(script: Script) -> frozenset[str]:
    return frozenset(method(node) for node in script.nodes() if isinstance(node, ast.Call))


def _modules(script: Script) -> set[str]:
    found: set[str] = set()
    for node in script.nodes():
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.Attribute):
            found |= {dotted(node).split(".")[0]} & calls("forbidden_modules")
    return found


def _hidden_line(line: str, hidden: Hidden) -> str:
    try:
        return hidden.hide(line)
    except SyntaxError:  # a line of a longer statement
        return ""


def _repair(before: Script, after: Script, name: str, fault: Fault) -> Repair:
    """Return the repair with the lines that differ; comments are no difference."""
    old, new = (ast.unparse(parse_python(str(script))).splitlines() for script in (before, after))
    gone: list[str] = []
    come: list[str] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            gone += [line.strip() for line in old[i1:i2]]
            come += [line.strip() for line in new[j1:j2]]
    evidence = f"written by the model {name}, since it failed with {fault}"
    return Repair("by_model", "\n".join(gone), "\n".join(come), changes_meaning=True, evidence=evidence)

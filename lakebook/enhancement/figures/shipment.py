"""Our own modules sent into a sandbox as text, and what they answer read back without trust.

The sandbox has no Lakebook in it, on purpose; the checks of figures run there, beside the figures. One cell,
the same for every component, puts the modules where `import` finds them. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from lakebook.analyst.figure_lint.finding import FigureFinding
from lakebook.enhancement.enhanced import Repair
from lakebook.sandbox.base import Json

# In the order in which they import one another.
_MODULES = (
    "lakebook.analyst.methods.drawn_panel",
    "lakebook.analyst.methods.drawn_marks",
    "lakebook.analyst.methods.drawn_spans",
    "lakebook.analyst.methods.drawn",
    "lakebook.analyst.methods.figure_mends",
    "lakebook.analyst.figure_lint.finding",
    "lakebook.analyst.figure_lint.data",
    "lakebook.analyst.figure_lint.view",
    "lakebook.analyst.figure_lint.texts",
    "lakebook.analyst.figure_lint.marks",
    "lakebook.analyst.figure_lint",
    "lakebook.enhancement.figures.naming",
    "lakebook.enhancement.figures.mends",
    "lakebook.enhancement.figures.inspection",
)
# For figures that a browser draws; sent only where a component has some.
_SHOWN = (
    "lakebook.analyst.methods.figure_style",
    "lakebook.analyst.methods.spec_panel",
    "lakebook.analyst.methods.plotly_bins",
    "lakebook.analyst.methods.plotly_traces",
    "lakebook.analyst.methods.plotly_drawn",
    "lakebook.analyst.methods.vega_drawn",
    "lakebook.analyst.methods.printed",
    "lakebook.analyst.methods.shown",
)
_LOADER = """\
def _load(modules):
    import sys
    import types

    for name, text in modules.items():
        if name not in sys.modules:
            sys.modules[name] = types.ModuleType(name)
            exec(compile(text, name, "exec"), sys.modules[name].__dict__)


_load({modules!r})
del _load
"""
_NAMES = """\
from lakebook.analyst.methods.drawn import drawn_data
from lakebook.analyst.methods.figure_mends import bars_for_wedges, keep_longest
from lakebook.enhancement.figures.inspection import inspect_figures
"""


@dataclass(frozen=True, slots=True)
class Mend:
    """Lines that were run on a figure to mend it: which check called for them, and the kind of repair."""

    check: str
    kind: str
    lines: tuple[str, ...]

    def repair(self) -> Repair:
        """Return it as a repair of the component."""
        return Repair(f"figure_{self.kind}", "", "\n".join(self.lines))


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found in the figures of one run, what was mended, and which mends made things worse."""

    findings: tuple[FigureFinding, ...] = ()
    mends: tuple[Mend, ...] = ()
    refused: tuple[str, ...] = ()


@cache
def prelude() -> str:
    """Return the cell that gives a session `drawn_data`, `inspect_figures` and the mends."""
    return _LOADER.format(modules={name: _text(name) for name in _MODULES}) + _NAMES


@cache
def shown_prelude() -> str:
    """Return the cell that also gives a session `keep_shown` and `with_shown`, after the prelude."""
    names = "from lakebook.analyst.methods.shown import keep_shown, with_shown\n"
    return _LOADER.format(modules={name: _text(name) for name in _SHOWN}) + names


def _text(name: str) -> str:
    package, _, module = name.rpartition(".")
    folder = resources.files(package)
    file = folder / module / "__init__.py" if (folder / module).is_dir() else folder / f"{module}.py"
    return file.read_text(encoding="utf-8")


def inspection_from(value: Json) -> Inspection:
    """Read what `inspect_figures` returned; what is unexpected is left out, for it comes from a sandbox."""
    if not isinstance(value, Mapping):
        return Inspection()
    findings = [_finding(item) for item in _lists(value.get("findings"), 5)]
    mends = [
        Mend(str(check), str(kind), tuple(str(line) for line in lines))
        for check, kind, lines in _lists(value.get("mends"), 3)
        if isinstance(lines, list)
    ]
    refused = value.get("refused")
    return Inspection(
        tuple(finding for finding in findings if finding),
        tuple(mends),
        tuple(str(check) for check in refused) if isinstance(refused, list) else (),
    )


def _lists(value: Any, size: int) -> list[list[Any]]:
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, list) and len(item) == size]


def _finding(item: list[Any]) -> FigureFinding | None:
    check, message, level, axes, mended = item
    if level not in ("error", "warning", "info") or not isinstance(axes, int):
        return None
    return FigureFinding(str(check)[:10], str(message)[:300], level, axes, bool(mended))

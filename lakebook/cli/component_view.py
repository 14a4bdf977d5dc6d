"""Components as a person reads them in a terminal: what each shows, what it needs and why, how sure that is.

Only the printing of `lakebook components` is here. Nothing is folded or coloured when it goes to a file or a
pipe, so that the code can be copied from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.syntax import Syntax

from lakebook.cli.console import visible
from lakebook.notebooks.component import Component, Notebook
from lakebook.notebooks.extract import ExplainedComponent, Explanation

_LABEL_WIDTH = 11
_LINES_SHOWN = 12
_CELLS_SHOWN = 8


def show_notebook(
    console: Console, notebook: Notebook, found: Sequence[ExplainedComponent], *, explain: bool
) -> None:
    """Print a notebook's components, after a line on how it was read."""
    if notebook.status in ("failed", "skipped"):
        return  # said as a warning
    number = f"{len(found)} component{'' if len(found) == 1 else 's'}" if found else "no cell draws anything"
    _print(console, f"{notebook.path}: {number}", style="bold")
    for remark in filter(None, (notebook.order_reason, *notebook.notes)):
        _print(console, f"  {remark}")
    for one in found:
        _print(console, "")
        _show(console, one, explain=explain)
    _print(console, "")


def _show(console: Console, one: ExplainedComponent, *, explain: bool) -> None:
    component = one.component
    _print(console, _headline(component), style="bold cyan")
    for label, text in _facts(component):
        _print(console, f"  {label:<{_LABEL_WIDTH}} {text}")
    _print(console, "")
    if explain:
        for kept in one.upstream:
            _explain(console, kept)
        _print(console, f"  cell {component.cell}, which draws", style="dim")
        _code(console, "\n".join(_some_lines(one.own_code)))
    else:
        _code(console, component.code)


def _headline(component: Component) -> str:
    charts = ", ".join(component.chart_types) or "a figure"
    shown = f" of {', '.join(component.columns)}" if component.columns else ""
    return f"cell {component.cell}: {charts}{shown}"


def _facts(component: Component) -> Iterator[tuple[str, str]]:
    merged = [cell for cell in component.target_cells if cell != component.cell]
    left_out = component.statements_before - component.statements_kept
    kept = f"{component.statements_kept} of {component.statements_before} statements before it"
    places = _cells(component.upstream_cells)
    if component.heading:
        yield "under", component.heading
    if component.filter_columns:
        yield "filtered by", ", ".join(component.filter_columns)
    if component.key_columns:
        yield "grouped by", ", ".join(component.key_columns)
    if component.reads:
        yield "reads", ", ".join(path or "(a path that the code computes)" for path in component.reads)
    if merged:
        yield "merged", f"{_cells(merged)}, which only prepare{'s' if len(merged) == 1 else ''} it"
    yield (
        "needs",
        f"{kept}{f', of {places}' if places else ''}" + ("" if left_out else "; nothing is left out"),
    )
    sure = "nothing is hidden from the analysis" if component.confidence == 1 else component.reason
    yield "confidence", f"{component.confidence:.2f}: {sure}"


def _cells(indexes: Sequence[int]) -> str:
    if not indexes:
        return ""
    more = f" and {len(indexes) - _CELLS_SHOWN} more" if len(indexes) > _CELLS_SHOWN else ""
    return f"cell{'s' if len(indexes) > 1 else ''} {', '.join(map(str, indexes[:_CELLS_SHOWN]))}{more}"


def _explain(console: Console, kept: Explanation) -> None:
    wanted = ", ".join(kept.wanted_for) or "what comes after it"
    part = "; only the lines of it that matter" if kept.is_cut else ""
    _print(console, f"  cell {kept.cell}, line {kept.line}, for {wanted}{part}", style="dim")
    _code(console, "\n".join(_some_lines(kept.text)))


def _some_lines(text: str) -> list[str]:
    lines = text.split("\n")
    if len(lines) <= _LINES_SHOWN:
        return lines
    return [*lines[: _LINES_SHOWN - 1], f"# … {len(lines) - _LINES_SHOWN + 1} more lines"]


def _code(console: Console, code: str) -> None:
    text = visible("\n".join(f"    {line}" if line.strip() else "" for line in code.strip("\n").split("\n")))
    if console.is_terminal and not console.no_color:
        console.print(Syntax(text, "python", theme="ansi_dark", background_color="default", word_wrap=True))
    else:
        _print(console, text)


def _print(console: Console, text: str, style: str = "") -> None:
    console.print(visible(text), style=style or None, markup=False, emoji=False)

"""What a reader must know of a reused figure: totals beside parts, sums of averages, rows counted twice.

What belongs here: cautions told from what is drawn, from the code, and from the structure of the table. What
does not: what the figure shows (`insights`). Paper: NotebookRAG §4.2.4; notes on plays, §10.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from lakebook.analyst.phrases import label, number
from lakebook.analyst.play import InsightDraft
from lakebook.analyst.table import Table
from lakebook.enhancement.drawn import drawn_name
from lakebook.enhancement.enhanced import DrawnAxes, EnhancedComponent
from lakebook.syntax import parse_python

MOST_CAUTIONS = 2
_SUM, _MEAN = "sum", "mean"


def caution_drafts(enhanced: EnhancedComponent, table: Table) -> tuple[InsightDraft, ...]:
    """Return at most two cautions about a rerun component; none where its figures and code call for none."""
    found = [
        *_members_drawn(enhanced, table),
        *_sums_of_ratios(enhanced, table),
        *_cut_years(enhanced, table),
        *_all_rows(enhanced, table),
    ]
    return tuple(found[:MOST_CAUTIONS])


def _members_drawn(enhanced: EnhancedComponent, table: Table) -> Iterator[InsightDraft]:
    """A total beside its parts, or members that overlap, in the labels of one axes."""
    parts = dict(table.structure.parts)
    for at, axes in enumerate(enhanced.drawn):
        names = set(_names(axes))
        series = f"{drawn_name(enhanced.function)}[{at}]['series']"
        all_names = f"[n for s in {series} for n in [s['label'], *s['labels']]]"
        for dimension, totals in table.structure.totals:
            levels = {level for level, _ in table.column(dimension).levels} | set(parts.get(dimension, ()))
            drawn_totals, others = names & set(totals), (names & levels) - set(totals)
            kept, cuts = others & set(parts.get(dimension, ())), others - set(parts.get(dimension, ()))
            if drawn_totals and others:
                claim = label("total", f"next(n for n in {all_names} if n in {sorted(drawn_totals)!r})")
                text = "{total} is drawn beside its own parts: it is their sum, so its rank says nothing."
                yield InsightDraft(text, (claim,), caution=True)
                return
            if kept and cuts and dimension in parts:
                claims = (
                    label("part", f"next(n for n in {all_names} if n in {sorted(kept)!r})"),
                    label("cut", f"next(n for n in {all_names} if n in {sorted(cuts)!r})"),
                )
                text = (
                    "{part} and {cut} are cuts of the same whole and may hold the same rows: the bars cannot "
                    "be added up."
                )
                yield InsightDraft(text, claims, caution=True)
                return


def _names(axes: DrawnAxes) -> Iterator[str]:
    for series in axes.series:
        yield series.label
        yield from series.labels


def _sums_of_ratios(enhanced: EnhancedComponent, table: Table) -> Iterator[InsightDraft]:
    summed = _called_on(enhanced.code, _SUM)
    for column in table.having("ratio"):
        if column.name in summed:
            text = "The old code adds up {column}, an average or a rate: that sum grows with the rows."
            yield InsightDraft(text, (label("column", f"str(df[{column.name!r}].name)"),), caution=True)
            return


def _cut_years(enhanced: EnhancedComponent, table: Table) -> Iterator[InsightDraft]:
    """A line over years that ends in one that the data cover in part only, or a bar of such a year."""
    partial = {text.split(":")[0] for text in table.structure.partial_periods}
    for at, axes in enumerate(enhanced.drawn):
        for number_, series in enumerate(axes.series):
            cut = [name for name in series.labels if name.removesuffix(".0") in partial]
            if series.mark in ("bar", "barh") and cut and len(series.labels) > 1:
                path = f"{drawn_name(enhanced.function)}[{at}]['series'][{number_}]"
                claim = label("year", f"{path}['labels'][{series.labels.index(cut[0])}]")
                text = (
                    "The data cover only a part of {year}: its bar cannot be set beside those of whole years."
                )
                yield InsightDraft(text, (claim,), caution=True)
                return
            last = series.x[-1] if series.x else math.nan
            if (
                series.mark != "line"
                or len(series.x) < 3
                or last != round(last)
                or str(int(last)) not in partial
            ):
                continue
            path = f"{drawn_name(enhanced.function)}[{at}]['series'][{number_}]"
            claim = number("year", f"int({path}['x'][-1])", "d")
            text = (
                "The data cover only a part of {year}: the end of the line cannot be set beside whole years."
            )
            yield InsightDraft(text, (claim,), caution=True)
            return


def _all_rows(enhanced: EnhancedComponent, table: Table) -> Iterator[InsightDraft]:
    """Code that never looks at a dimension reads its totals along with the parts."""
    text_in_code = {
        node.value
        for node in ast.walk(_parsed(enhanced.code))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    unweighted = [
        (ratio, weight)
        for ratio, weight in table.structure.weights
        if ratio in _called_on(enhanced.code, _MEAN)
    ]
    for dimension, totals in table.structure.totals:
        if dimension in enhanced.columns or text_in_code & set(totals):
            continue
        values = f"df[{dimension!r}].astype(str)"
        claims = [
            number("rows", f"int({values}.isin({list(totals)!r}).sum())"),
            label("total", f"next(v for v in {values} if v in {list(totals)!r})"),
        ]
        text = "The old code reads every row, {rows} of {total} among them, which repeat what other rows hold"
        if unweighted:
            claims.append(label("weight", f"str(df[{unweighted[0][1]!r}].name)"))
            text += "; its means are not weighted by {weight} either"
        yield InsightDraft(f"{text}.", tuple(claims), caution=True)
        return


def _called_on(code: str, method: str) -> set[str]:
    """Return the columns, by their names in the table, whose values the code sums, or averages."""
    tree = _parsed(code)
    new_names = _renamed(tree)
    found: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == method:
            found |= _selected(node.func.value)
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            if node.func.attr in ("agg", "aggregate") and isinstance(argument, ast.Dict):
                pairs = zip(argument.keys, argument.values, strict=True)
                found |= {n for key, value in pairs if _text(value) == method and (n := _text(key))}
        options = {keyword.arg: keyword.value for keyword in node.keywords}
        if node.func.attr == "pivot_table" and _text(options.get("aggfunc")) == method:
            found |= {name for name in [_text(options.get("values"))] if name}
    return {new_names.get(name, name) for name in found}


def _selected(value: ast.expr) -> set[str]:
    """Return the columns that an expression ends on: the last subscript or attribute before the method."""
    if isinstance(value, ast.Subscript):
        chosen = value.slice
        names = chosen.elts if isinstance(chosen, ast.List | ast.Tuple) else [chosen]
        return {name for item in names if (name := _text(item))}
    return {value.attr} if isinstance(value, ast.Attribute) else set()


def _renamed(tree: ast.AST) -> dict[str, str]:
    """Return the table's names by the old ones, from the first line of a wrapped component."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "rename":
            mapping = next((k.value for k in node.keywords if k.arg == "columns"), None)
            if isinstance(mapping, ast.Dict) and _is_lake(node.func.value):
                pairs = zip(mapping.keys, mapping.values, strict=True)
                return {_text(old): _text(new) for new, old in pairs}
    return {}


def _is_lake(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id == "lake"


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _parsed(code: str) -> ast.AST:
    try:
        return parse_python(code)
    except SyntaxError:  # code that does not parse never ran, and has no figure to warn of
        return ast.Module([], [])

"""Values in another form than the code was written for: dates for text, numbers for text, new gaps.

What belongs here: fixes that give code the form that it was written for, told from what the code does with a
column and from the column's type. Values that are named otherwise are in `values`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from lakebook.analyst.table import Table, TableColumn
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.repairs.rule import Fault, TableFix
from lakebook.enhancement.repairs.spelled import numbers_of
from lakebook.enhancement.repairs.view import Place, View, places
from lakebook.enhancement.script import Script, Statement, keyword, method
from lakebook.syntax import parse_expression

ISO = "%Y-%m-%d"
_TEXT_OF_DATE = re.compile(
    r"\.str accessor|argument of type 'Timestamp'|'Timestamp' object is not (iterable|subscriptable)"
    r"|'(Timestamp|DatetimeArray)' object has no attribute '(split|replace|strip)'"
)
_MOST_TRIED = 0.8  # share of a text column's values that must be numbers for it to be read as numbers
_NUMBER = re.compile(r"[^\d\-+.,]*[-+]?\d[\d,]*(?:\.\d+)?[^\d.,]*")
_DIGITS = re.compile(r"\(\\?\\d[+*]?\)|\(\[0-9\][+*]?\)|\(\\d\+\(?[?:]*\\?\.?.*\)")


def dates_as_text(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Give dates as text to code that takes them apart as text, in the form that it takes apart."""
    view = View.of(adapted, table)
    dates = [name for name, column in view.columns.items() if column.dtype == "datetime"]
    taken_apart = [name for name in dates if _is_text(name, adapted.script)] or dates
    given = [
        name for name in taken_apart if f"{adapted.frame}[{name!r}].dt.strftime" not in str(adapted.script)
    ]
    if not given:
        return None
    repairs, lines = [], []
    for name in given:
        form, why = _form(name, adapted.script)
        line = (
            f"{adapted.frame} = {adapted.frame}.assign(**{{{name!r}: "
            f"{adapted.frame}[{name!r}].dt.strftime({form!r})}})"
        )
        lines.append(line)
        source = view.columns[name].name
        evidence = f"{source} is a date in the new data; the code takes it apart as text{why}"
        repairs.append(Repair("dates_as_text", "", line, changes_meaning=False, evidence=evidence))
    return adapted.repaired(adapted.script.preceded_by("\n".join(lines)), repairs)


def _is_text(name: str, script: Script) -> bool:
    """Return True if the code takes a column apart with string methods."""
    for node in script.nodes():
        if (
            isinstance(node, ast.Attribute)
            and node.attr in {"str", "apply", "map"}
            and _names(node.value, name)
        ):
            return True
    return False


def _names(node: ast.expr, name: str) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value == name
    return isinstance(node, ast.Attribute) and node.attr == name


def _form(name: str, script: Script) -> tuple[str, str]:
    """Return the format in which the code expects a date, and how it is told."""
    for node in script.nodes():
        if isinstance(node, ast.Call) and method(node) == "to_datetime" and node.args:
            stated = keyword(node, "format")
            mentioned = any(_names(n, name) for n in ast.walk(node.args[0]) if isinstance(n, ast.expr))
            if mentioned and isinstance(stated, ast.Constant):
                form = str(stated.value)
                if "%" in form:
                    return form, f", and reads it as {form}"
    pieces = dict(_pieces(script))
    separators = [s for s in (_separator(node) for node in script.nodes()) if s]
    if "/" in separators:
        order = {place: part for part, place in pieces.items() if part in {"day", "month", "year"}}
        day_first = order.get(0) == "day" or order.get(1) == "month"
        iso = order.get(0) == "year"
        form = "%Y/%m/%d" if iso else "%d/%m/%Y" if day_first else "%m/%d/%Y"
        return form, f", cut at {'/'!r}"
    if " " in separators or ", " in separators or "," in separators:
        return "%B %d, %Y", f", cut at {separators[0]!r}"
    if any(part == "year" and place in {2, -1} for part, place in pieces.items()) and "-" in separators:
        return "%d-%m-%Y", ", with the year last"
    if not separators and any(_slice(node) == (-4, None) for node in script.nodes()):
        return "%m/%d/%Y", ", with the year as its last four letters"
    return ISO, ""


def _separator(node: ast.AST) -> str:
    if isinstance(node, ast.Call) and method(node) in {"split", "rsplit", "partition"} and node.args:
        first = node.args[0]
        return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
    return ""


def _slice(node: ast.AST) -> tuple[int | None, int | None] | None:
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return None
    try:
        limits = [
            ast.literal_eval(limit) if limit else None for limit in (node.slice.lower, node.slice.upper)
        ]
    except ValueError:
        return None
    return (limits[0], limits[1])


def _pieces(script: Script) -> Iterator[tuple[str, int]]:
    """Give (part of a date, its place) for `df["month"] = df["date"].str.split("/").str[0]` and the like."""
    for node in script.nodes():
        if not isinstance(node, ast.Assign):
            continue
        target = node.targets[0]
        name = (
            str(target.slice.value)
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant)
            else target.id
            if isinstance(target, ast.Name)
            else ""
        )
        part = next((part for part in ("year", "month", "day") if part in name.lower()), "")
        for inner in ast.walk(node.value):
            if part and isinstance(inner, ast.Subscript):
                try:
                    place = ast.literal_eval(inner.slice)
                except ValueError:
                    continue
                if isinstance(place, int):
                    yield part, place


def numbers_as_text(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Give numbers as text to code that cleans them as text ("$1,200", "12%"); its own cast follows."""
    return _each(
        adapted, table, "number_as_text", _NumberText, "the new data hold numbers, which need no cleaning"
    )


def digits_to_number(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Make numbers of digits that the code takes out of text, before it reckons with them."""
    script, repairs = adapted.script.edited(_Digits().visit, "digits_to_number")
    return adapted.repaired(script, repairs) if repairs else None


def text_to_number(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Read a text column as numbers where the fault shows one of its values, and nearly all are numbers."""
    shown = re.search(
        r"could not convert string to float: '([^']*)'|Could not convert string '([^']*)'", str(fault)
    )
    if shown is None:
        return None
    value = shown[1] or shown[2] or ""
    view = View.of(adapted, table)
    found = [name for name, column in view.columns.items() if _is_number_text(column, value)]
    if len(found) != 1:
        return None
    name = found[0]
    line = (
        f"{adapted.frame} = {adapted.frame}.assign(**{{{name!r}: pd.to_numeric({adapted.frame}[{name!r}]"
        r".str.replace(r'[^0-9.+-]', '', regex=True), errors='coerce')})"
    )
    column = view.columns[name]
    percent = (
        " (percent signs are left out: 12% is 12)" if any("%" in level for level, _ in column.levels) else ""
    )
    evidence = f"{column.name} holds numbers as text, such as {value!r}{percent}"
    repair = Repair("text_to_number", "", line, changes_meaning=True, evidence=evidence)
    return adapted.repaired(adapted.script.preceded_by(line), [repair])


def _is_number_text(column: TableColumn, value: str) -> bool:
    levels = [level for level, _ in column.levels]
    if column.dtype != "text" or not levels or not any(value in level for level in levels):
        return False
    numbers = [bool(_NUMBER.fullmatch(level)) and not re.search(r"\d,\d{1,2}$", level) for level in levels]
    return sum(numbers) >= _MOST_TRIED * len(numbers)


def words_as_numbers(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Give a column of words ("yes", "2nd") the numbers that the code takes it for.

    Before the first run that is told by what it is compared with or mapped from, after a fault by the line.
    """
    view = View.of(adapted, table)
    coded = {name: numbers for name, column in view.columns.items() if (numbers := numbers_of(column))}
    if not coded:
        return None
    told = _compared_with_numbers(adapted.script, view) if not fault.name else _named_in(fault.lines, coded)
    lines, repairs = [], []
    for name in (name for name in coded if name in told):
        if any(repr(level) in str(adapted.script) for level in coded[name]):
            continue  # the code knows the words
        made = f"{adapted.frame}[{name!r}].map({coded[name]!r})"
        line = f"{adapted.frame} = {adapted.frame}.assign(**{{{name!r}: {made}}})"
        lines.append(line)
        evidence = f"{view.columns[name].name} holds {', '.join(coded[name])}; the code takes it for numbers"
        repairs.append(Repair("words_as_numbers", "", line, changes_meaning=True, evidence=evidence))
    return adapted.repaired(adapted.script.preceded_by("\n".join(lines)), repairs) if repairs else None


def _compared_with_numbers(script: Script, view: View) -> set[str]:
    found: set[str] = set()
    for statement, place in zip(script.statements, places(script, view), strict=True):
        for node in ast.walk(statement.node):
            if isinstance(node, ast.Compare):
                others, on = node.comparators, node.left
            elif isinstance(node, ast.Call) and method(node) in {"map", "replace", "isin"} and node.args:
                first = node.args[0]
                keys = first.keys if isinstance(first, ast.Dict) else getattr(first, "elts", [])
                others, on = [key for key in keys if key is not None], getattr(node.func, "value", node)
            else:
                continue
            name = place.view.column_of(on, place.bound)
            if name and others and all(_is_number(other) for other in others):
                found.add(name)
    return found


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool)


def _named_in(lines: Sequence[str], names: Iterable[str]) -> set[str]:
    text = "\n".join(lines)
    return {name for name in names if re.search(rf"\b{re.escape(name)}\b", text)}


def missing_in_sort(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Sort a column's values without its gaps, which have no place in an order."""
    return _each(adapted, table, "gaps_left_out", _SortedValues, "the new data have gaps here", True)


def missing_as_float(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Keep numbers with gaps as they are: whole numbers have no form for a gap."""
    script, repairs = adapted.script.edited(
        _WholeNumbers().visit, "gaps_kept", changes_meaning=True, lines=fault.lines
    )
    evidence = "the new data have gaps here"
    return adapted.repaired(script, [replace(one, evidence=evidence) for one in repairs]) if repairs else None


@dataclass
class _Placed(ast.NodeTransformer):
    """An edit that knows what stands where (see `view.places`)."""

    place: Place
    notes: list[str] = field(default_factory=list)


class _NumberText(_Placed):
    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        name = self.place.view.column_of(node.value, self.place.bound) if node.attr == "str" else ""
        if name and self.place.view.columns[name].dtype in {"number", "integer", "boolean"}:
            cast = ast.Attribute(node.value, "astype", ast.Load())
            node.value = ast.Call(cast, [ast.Name("str", ast.Load())], [])
        return node


class _SortedValues(_Placed):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        held = node.args[0] if method(node) in {"sorted", "sort", "unique"} and len(node.args) == 1 else None
        if not isinstance(held, ast.Call) or method(held) != "unique":
            return node
        name = self.place.view.column_of(held, self.place.bound)
        if name and self.place.view.columns[name].nulls and isinstance(held.func, ast.Attribute):
            held.func.value = ast.Call(ast.Attribute(held.func.value, "dropna", ast.Load()), [], [])
        return node


class _WholeNumbers(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        first = node.args[0] if node.args else None
        whole = (isinstance(first, ast.Name) and first.id == "int") or (
            isinstance(first, ast.Constant) and first.value in {"int", "int64", "int32"}
        )
        if method(node) == "astype" and whole:
            node.args[0] = ast.Name("float", ast.Load())
        return node


class _Digits(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        value = node.value
        if not isinstance(value, ast.Call) or method(value) != "extract" or not value.args:
            return node
        pattern = value.args[0]
        if not isinstance(pattern, ast.Constant) or not _DIGITS.search(str(pattern.value)):
            return node
        if str(pattern.value).count("(") != 1:
            return node
        value.keywords = [k for k in value.keywords if k.arg != "expand"]
        value.keywords.append(ast.keyword("expand", ast.Constant(False)))
        node.value = ast.Call(parse_expression("pd.to_numeric"), [value], [])
        return node


def _each(
    adapted: Adapted,
    table: Table,
    kind: str,
    edit: type[_Placed],
    evidence: str,
    changes_meaning: bool = False,
) -> Adapted | None:
    """Apply an edit to each statement, with what is known there."""
    view = View.of(adapted, table)
    kept: list[Statement] = []
    repairs: list[Repair] = []
    for statement, place in zip(adapted.script.statements, places(adapted.script, view), strict=True):
        script, made = Script((statement,)).edited(edit(place).visit, kind, changes_meaning=changes_meaning)
        kept += script.statements
        repairs += [replace(one, evidence=evidence) for one in made]
    return adapted.repaired(Script(tuple(kept)), repairs) if repairs else None


FIXES: Sequence[TableFix] = (
    TableFix("words_as_numbers", "words stand where the code has numbers", words_as_numbers),
    TableFix(
        "words_as_numbers",
        "words stand where the code reckons with numbers",
        words_as_numbers,
        r"does not support operation|agg function failed|[Cc]ould not convert|[Cc]annot perform"
        r"|unsupported operand|not supported between|Invalid comparison between dtype=str"
        r"|no numeric data to plot",
    ),
    TableFix(
        "number_as_text",
        "numbers are cleaned as if they were text",
        numbers_as_text,
        r"\.str accessor",
    ),
    TableFix("dates_as_text", "dates are taken apart as text", dates_as_text, _TEXT_OF_DATE.pattern),
    TableFix(
        "digits_to_number",
        "digits taken out of text are reckoned with",
        digits_to_number,
        r"does not support operation|agg function failed|[Cc]ould not convert|unsupported operand"
        r"|not supported between",
    ),
    TableFix("text_to_number", "numbers are held as text", text_to_number, r"[Cc]ould not convert"),
    TableFix(
        "gaps_left_out",
        "values are sorted together with gaps",
        missing_in_sort,
        r"'<' not supported between instances of '(float|str)' and '(float|str)'",
    ),
    TableFix(
        "gaps_kept",
        "numbers with gaps are made whole numbers",
        missing_as_float,
        r"[Cc]annot convert (non-finite|NA|float NaN)",
    ),
)

"""What becomes of the options of an old reading call, now that the lake has read the file.

An option that still says something of the table becomes a step on the frame; one that only said how to read
the old file is dropped, and the record names it with the reason. Positions of columns belong to the old file
and are dropped too. Which frame stands in for which file is decided in `loads`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from lakebook.enhancement.script import keyword


@dataclass(frozen=True, slots=True)
class Frame:
    """What is known of the frame that stands in for a file.

    Attributes:
        name: the variable that holds it. `columns`: its column names, as the old code knows them.
        dates: those that are dates already. `texts`: those that hold text.
        values: values of text columns, each column's if they are all known.
    """

    name: str
    columns: tuple[str, ...]
    dates: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Steps:
    """What is done with the frame: methods to append, and options that were dropped, with why."""

    text: str = ""
    dropped: tuple[tuple[str, str], ...] = ()


_READ = "the lake has read the file itself"
_HOW = frozenset(
    [
        "sep",
        "delimiter",
        "encoding",
        "encoding_errors",
        "engine",
        "low_memory",
        "memory_map",
        "compression",
        "quotechar",
        "quoting",
        "doublequote",
        "escapechar",
        "skipinitialspace",
        "comment",
        "lineterminator",
        "dialect",
        "thousands",
        "decimal",
        "float_precision",
        "error_bad_lines",
        "warn_bad_lines",
        "on_bad_lines",
        "infer_datetime_format",
        "keep_date_col",
        "dayfirst",
        "cache_dates",
        "keep_default_na",
        "na_filter",
        "verbose",
        "skip_blank_lines",
        "skipfooter",
        "storage_options",
        "mangle_dupe_cols",
        "prefix",
        "true_values",
        "false_values",
        "buffer_lines",
        "tupleize_cols",
        "as_recarray",
        "dtype_backend",
        "lines",
        "orient",
        "convert_dates",
        "precise_float",
        "typ",
        "use_threads",
        "columns_only",
        "unpack",
        "ndmin",
        "skip_header",
        "skip_footer",
        "filling_values",
        "missing_values",
        "autostrip",
        "deletechars",
        "case_sensitive",
        "max_rows",
        "cache",
        "data_home",
        "sheet_name",
        "sheetname",
        "filepath_or_buffer",
        "io",
        "path",
        "path_or_buf",
        "fname",
        "name",
        "delim_whitespace",
        "header",
        "names",
        "parse_cols",
    ]
)
_POSITION = "positions of columns belong to the old file"
_GONE = "the table has no such column"


def steps_of(call: ast.Call, frame: Frame) -> Steps:
    """Return the steps on the frame that do what the options of the call did."""
    text = ""
    dropped: list[tuple[str, str]] = []
    given = {item.arg: item.value for item in call.keywords if item.arg}
    for option, make in _STEPS.items():
        if option not in given or _says_nothing(given[option]):
            continue
        made = make(call, frame)
        if made is None:
            dropped.append((ast.unparse(ast.keyword(option, given[option])), _why(option, given[option])))
        else:
            text += made
    for option in given:
        if option in _HOW:
            dropped.append((ast.unparse(ast.keyword(option, given[option])), _READ))
    return Steps(text, tuple(dropped))


def _why(option: str, value: ast.expr) -> str:
    if option in ("skiprows", "date_parser", "date_format", "na_values", "dtype", "parse_dates"):
        return _READ
    return _POSITION if any(isinstance(one, int) for one in _constants(value)) else _GONE


def _says_nothing(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and (value.value is None or value.value is False)


def _usecols(call: ast.Call, frame: Frame) -> str | None:
    value = keyword(call, "usecols")
    if isinstance(value, ast.Lambda):
        return f".pipe(lambda frame: frame[[name for name in frame.columns if ({ast.unparse(value)})(name)]])"
    wanted = names_in(value, frame.columns)
    return f"[{wanted!r}]" if wanted else None


def _dtype(call: ast.Call, frame: Frame) -> str | None:
    value = keyword(call, "dtype")
    if isinstance(value, ast.Dict):
        pairs = [
            f"{name!r}: {kind}"
            for key, kind_node in zip(value.keys, value.values, strict=True)
            for name in names_in(key, frame.columns)
            if (kind := _kind(kind_node, name, frame))
        ]
        return f".astype({{{', '.join(pairs)}}})" if pairs else None
    kind = _kind(value, "", frame) if value is not None else ""
    return f".astype({kind})" if kind == "'str'" else None


def _kind(value: ast.expr, name: str, frame: Frame) -> str:
    """Return a type that a column can be given without loss: text, categories, numbers of a number column."""
    written = ast.unparse(value).strip("'\"").removeprefix("np.").removeprefix("numpy.")
    if written in ("str", "string", "object", "O"):
        return "'str'" if written != "object" and name not in frame.texts and name not in frame.dates else ""
    if written == "category":
        return "'category'"
    return repr(written) if written.startswith("float") and name not in (*frame.texts, *frame.dates) else ""


def _parse_dates(call: ast.Call, frame: Frame) -> str | None:
    value = keyword(call, "parse_dates")
    joined = _joined_dates(value, frame)
    if joined is not None:
        return joined
    how = _date_reader(call)
    steps = [
        f".assign(**{{{name!r}: lambda frame: {how.format(f'frame[{name!r}]')}}})"
        for name in names_in(value, frame.columns)
        if name not in frame.dates
    ]
    known = [name for name in names_in(value, frame.columns) if name in frame.dates]
    return "".join(steps) if steps or known else None


def _joined_dates(value: ast.expr | None, frame: Frame) -> str | None:
    """Return the step for a date of several columns: `{"when": ["day", "hour"]}`, `[["day", "hour"]]`."""
    if isinstance(value, ast.Dict):
        found = [
            (_constants(key), names_in(item, frame.columns))
            for key, item in zip(value.keys, value.values, strict=True)
            if key
        ]
        pairs = [(str(key[0]), parts) for key, parts in found if key]
    elif isinstance(value, ast.List) and value.elts and all(isinstance(one, ast.List) for one in value.elts):
        parts_of = [names_in(one, frame.columns) for one in value.elts]
        pairs = [("_".join(parts), parts) for parts in parts_of]
    else:
        return None
    steps = ""
    for name, parts in pairs:
        if not parts:
            return None
        text = " + ' ' + ".join(f"frame[{part!r}].astype('str')" for part in parts)
        steps += f".assign(**{{{name!r}: lambda frame: pd.to_datetime({text})}})"
        gone = [part for part in parts if part != name]
        steps += f".drop(columns={gone!r})" if gone else ""
    return steps


def _date_reader(call: ast.Call) -> str:
    """Return the expression that reads a column of dates, with `{}` for the column."""
    form = keyword(call, "date_format")
    if isinstance(form, ast.Constant) and isinstance(form.value, str):
        return f"pd.to_datetime({{}}, format={form.value!r})"
    parser = keyword(call, "date_parser")
    if isinstance(parser, ast.Name | ast.Lambda):
        return f"{{}}.map({ast.unparse(parser)})"
    return "pd.to_datetime({})"


def _index(call: ast.Call, frame: Frame) -> str | None:
    """A position names no column, except that of the date in a series."""
    value = keyword(call, "index_col")
    index = names_in(value, frame.columns)
    first = isinstance(value, ast.Constant) and value.value == 0 and value.value is not False
    dated = keyword(call, "parse_dates")
    if not index and first and isinstance(dated, ast.Constant) and dated.value is True:
        index = list(frame.dates[:1])
    if not index:
        return None
    return f".set_index({index!r})" if len(index) > 1 else f".set_index({index[0]!r})"


def _rows(call: ast.Call, frame: Frame) -> str | None:
    value = keyword(call, "nrows")
    if isinstance(value, ast.Constant) and value.value is None:
        return ""
    return f".head({ast.unparse(value)})" if isinstance(value, ast.Constant | ast.Name | ast.BinOp) else None


def _skipped(call: ast.Call, frame: Frame) -> str | None:
    """`skiprows=range(1, n)` leaves out rows of data; a number or a list, lines before the header."""
    value = keyword(call, "skiprows")
    if not isinstance(value, ast.Call) or ast.unparse(value.func) != "range" or len(value.args) != 2:
        return None
    start = value.args[0]
    if not isinstance(start, ast.Constant) or start.value != 1:
        return None
    return f".iloc[{ast.unparse(value.args[1])} - 1:].reset_index(drop=True)"


def _missing(call: ast.Call, frame: Frame) -> str | None:
    """Values that meant missing stay so, unless it is known that the table has none of them."""
    value = keyword(call, "na_values")
    if isinstance(value, ast.Dict):
        pairs = [
            (name, _constants(item))
            for key, item in zip(value.keys, value.values, strict=True)
            for name in names_in(key, frame.columns)
        ]
        kept = [f"{name!r}: {marks!r}" for name, marks in pairs if marks and _may_hold(frame, marks, [name])]
        return f".replace({{{', '.join(kept)}}}, np.nan)" if kept else None
    marks = _constants(value)
    return f".replace({marks!r}, np.nan)" if marks and _may_hold(frame, marks, frame.columns) else None


def _may_hold(frame: Frame, marks: Collection[object], columns: Collection[str]) -> bool:
    if any(not isinstance(mark, str) for mark in marks):
        return True
    known = [frame.values.get(name) for name in columns if name in frame.texts]
    return any(values is None or values & set(map(str, marks)) for values in known)


def _squeezed(call: ast.Call, frame: Frame) -> str | None:
    value = keyword(call, "squeeze")
    return ".squeeze('columns')" if isinstance(value, ast.Constant) and value.value is True else ""


def _converted(call: ast.Call, frame: Frame) -> str | None:
    """Converters took the text of a cell."""
    value = keyword(call, "converters")
    if not isinstance(value, ast.Dict):
        return None
    steps = [
        f"{name!r}: lambda frame: {_as_text(name, frame)}.map({ast.unparse(item)})"
        for key, item in zip(value.keys, value.values, strict=True)
        for name in names_in(key, frame.columns)
    ]
    return f".assign(**{{{', '.join(steps)}}})" if steps else None


def _as_text(name: str, frame: Frame) -> str:
    return f"frame[{name!r}]" if name in frame.texts else f"frame[{name!r}].astype(str)"


_STEPS: Mapping[str, Callable[[ast.Call, Frame], str | None]] = {
    "na_values": _missing,
    "usecols": _usecols,
    "columns": lambda call, frame: (
        f"[{wanted!r}]" if (wanted := names_in(keyword(call, "columns"), frame.columns)) else None
    ),
    "converters": _converted,
    "dtype": _dtype,
    "skiprows": _skipped,
    "parse_dates": _parse_dates,
    "date_parser": lambda call, frame: "" if keyword(call, "parse_dates") is not None else None,
    "date_format": lambda call, frame: "" if keyword(call, "parse_dates") is not None else None,
    "index_col": _index,
    "nrows": _rows,
    "squeeze": _squeezed,
}


def names_in(node: ast.expr | None, known: Collection[str]) -> list[str]:
    """Return the literal column names of an option, those that the frame has."""
    return [value for value in _constants(node) if isinstance(value, str) and value in known]


def _constants(node: ast.expr | None) -> list[object]:
    items = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else [node] if node else []
    return [item.value for item in _signed(items)]


def _signed(items: Collection[ast.expr]) -> Iterator[ast.Constant]:
    for item in items:
        if isinstance(item, ast.Constant):
            yield item
        elif (
            isinstance(item, ast.UnaryOp)
            and isinstance(item.op, ast.USub)
            and isinstance(item.operand, ast.Constant)
        ):
            yield ast.Constant(-item.operand.value)  # type: ignore[operator]

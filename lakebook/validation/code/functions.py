"""Functions of pandas and its kin, and methods of texts, that matter for frames and their columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lakebook.validation.code.expressions import constant
from lakebook.validation.code.joining import joined, stacked
from lakebook.validation.code.method import Call, stored_field
from lakebook.validation.code.values import (
    Accessor,
    Constant,
    Field,
    Frame,
    Listed,
    Mapped,
    Rows,
    Series,
    Value,
    literal,
    names,
    new_labels,
)

_LONGEST_RANGE = 100
_FOLDS: dict[str, Callable[[str], str]] = {
    "lower": str.lower, "upper": str.upper, "strip": str.strip, "title": str.title,
    "capitalize": str.capitalize, "lstrip": str.lstrip, "rstrip": str.rstrip,
}  # fmt: skip


def _made(call: Call) -> Value:
    """Return the frame that a constructor makes of a dictionary, a list of records or another frame."""
    given = call.given(0, "data")
    if call.name == "pandas.Series":
        return Series(rows=Rows(new_labels()))
    if isinstance(given, Frame):
        return given.copy()
    columns = names(call.given(2, "columns"))
    if isinstance(given, Mapped):
        fields = {str(name): stored_field(str(name), None) for name in given.items}
        return Frame(fields, given.whole, Rows(new_labels()))
    if columns is not None:
        return Frame({name: Field(of=frozenset((name,))) for name in columns}, True, Rows(new_labels()))
    return Frame(rows=Rows(new_labels()))


def _concatenated(call: Call) -> Value:
    given = call.given(0, "objs")
    items = given.items if isinstance(given, Listed) else []
    frames = [item for item in items if isinstance(item, Frame)]
    side_by_side = call.constant(1, "axis", 0) in (1, "columns")
    if not frames:
        return None if side_by_side else Frame(rows=Rows(new_labels()))
    if side_by_side or not isinstance(given, Listed) or len(frames) < len(items) or not given.whole:
        return Frame(rows=Rows(new_labels(), tables=frames[0].rows.tables))
    return stacked(frames)


def _converted(call: Call) -> Value:
    given = call.given(0, "arg")
    if not isinstance(given, Series):
        return None
    kind = "number" if call.name.endswith("numeric") else "time"
    lossy = call.constant(1, "errors", "raise") == "coerce"
    field = given.field.changed("number" if kind == "number" else "time")
    field = replace(field, nulls=None if lossy else given.field.nulls)
    return Series(field, given.rows, given.name)


def _merged(call: Call) -> Value:
    left, right = call.given(0, "left"), call.given(1, "right")
    if isinstance(left, Frame) and isinstance(right, Frame):
        return joined(replace(call, args=call.args[1:]), left, right)
    return None


def _path(call: Call) -> Value:
    parts = [constant(part) for part in call.args]
    known = [part for part in parts if isinstance(part, str)]
    return Constant("/".join(known)) if known and parts[-1] == known[-1] else None


def _range(call: Call) -> Value:
    bounds = [one for one in map(constant, call.args) if isinstance(one, int)]
    if not bounds or len(bounds) != len(call.args):
        return None
    listed = list(range(*bounds))[:_LONGEST_RANGE]
    return Listed([Constant(one) for one in listed], whole=len(listed) < _LONGEST_RANGE)


def _as_it_is(call: Call) -> Value:
    given = call.args[0] if len(call.args) == 1 else None
    if isinstance(given, Constant):
        if call.name == "str":
            return Constant(str(given.value))
        return Listed([Constant(one) for one in given.value]) if isinstance(given.value, str) else None
    return given if isinstance(given, Listed) and call.name != "str" else None


def _enumerated(call: Call) -> Value:
    given = call.args[0] if call.args else None
    if not isinstance(given, Listed):
        return None
    return Listed([Listed([None, one]) for one in given.items], given.whole)


def of_numpy(call: Call, name: str, given: Series) -> Value:
    """Return what a function of numpy makes of a series."""
    if name in ("where", "select"):
        return Series(Field(of=given.field.of), given.rows)
    if name in ("log", "log1p", "sqrt", "abs", "exp", "round"):
        return Series(given.field.changed("number"), given.rows)
    return None


def split_rows(call: Call) -> Value:
    """Return the parts that `train_test_split` makes of each of its arguments."""
    parts: list[Value] = []
    for given in call.args:
        if isinstance(given, Frame):
            parts += [given.fewer(), given.fewer()]
        elif isinstance(given, Series):
            part = Series(given.field.fewer(), given.rows.fewer(), given.name)
            parts += [part, part]
        else:
            parts += [None, None]
    return Listed(parts)


def of_accessor(call: Call, owner: Accessor) -> Value:
    """Return what a method of `.str` or `.dt` hands out."""
    series = owner.owner
    if not isinstance(series, Series) or owner.name not in ("str", "dt"):
        return None
    if owner.name == "str" and call.name in _FOLDS and not call.args:
        values = series.field.values
        fold = _FOLDS[call.name]
        folded = tuple(dict.fromkeys(map(fold, values))) if values is not None else None
        field = replace(series.field, origin=None, values=folded)
        return Series(field, series.rows, series.name)
    if owner.name == "str" and call.name in ("contains", "startswith", "endswith", "match", "fullmatch"):
        return Series(Field(kind="boolean", of=series.field.of), series.rows)
    return Series(series.field.changed("text" if owner.name == "str" else ""), series.rows, series.name)


def of_text(call: Call, text: str) -> Value:
    """Return what a method of a literal text hands out."""
    if call.name in ("lower", "upper", "strip", "title") and not call.args:
        return Constant(getattr(text, call.name)())
    if call.name == "split":
        return Listed([Constant(part) for part in text.split(call.constant(0, "sep"))])
    if call.name == "format":
        try:
            given = [literal(part) for part in call.args]
            return Constant(text.format(*given, **{key: literal(one) for key, one in call.named.items()}))
        except (ValueError, LookupError):
            return None
    return None


FUNCTIONS: dict[str, Callable[[Call], Value]] = {
    "pandas.DataFrame": _made, "pandas.Series": _made, "pandas.concat": _concatenated,
    "pandas.merge": _merged,
    "pandas.to_numeric": _converted, "pandas.to_datetime": _converted, "pandas.to_timedelta": _converted,
    "os.path.join": _path, "pathlib.Path": _path, "Path": _path, "range": _range, "enumerate": _enumerated,
    "list": _as_it_is, "tuple": _as_it_is, "sorted": _as_it_is, "set": _as_it_is, "str": _as_it_is,
}  # fmt: skip

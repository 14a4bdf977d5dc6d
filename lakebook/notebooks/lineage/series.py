"""What methods and attributes of a series do to column lineage."""

from __future__ import annotations

from dataclasses import replace

from lakebook.notebooks.lineage.access import TELLS_OUTLIERS, index_of, reduced_fact, row_count
from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.kinds import astype_kind, mapped_kind, replaced_kind
from lakebook.notebooks.lineage.values import (
    DATA_DEPENDENT,
    NO_BASES,
    ByColumn,
    Column,
    ColumnNames,
    Dtype,
    Frame,
    Groups,
    Label,
    Series,
    Window,
    bases_of,
    filters_of,
    number_of,
    selected_by,
    texts,
    union,
)
from lakebook.notebooks.schema import ColumnKind
from lakebook.notebooks.taxonomy import names

_REDUCING = names("lineage", "reducing").exact
_TO_NUMBER = names("lineage", "to_number").exact
_TO_TEXT = names("lineage", "to_text").exact
_REPAIRS = frozenset(
    {"fillna", "ffill", "bfill", "interpolate", "where", "mask", "replace", "clip", "combine_first"}
)
_NO_DATA = frozenset(
    {"head", "tail", "sort_values", "sort_index", "sample", "nlargest", "nsmallest", "reindex", "loc"}
)


def series_attribute(series: Series, name: str) -> object:
    """Return what an attribute of a series is, that is no call."""
    if name == "index":
        return index_of(series)
    if name in ("dtype", "dtypes"):
        return Dtype(series.column)
    if name in ("shape", "size"):
        return (row_count(series),) if name == "shape" else row_count(series)
    if name in series.index and name not in ("str", "dt", "cat"):
        return Series(series.index[name], name, {}, series.filters)
    if name in ("str", "dt", "cat", "plot", "hvplot", "loc", "iloc", "at", "iat", "T", "name"):
        return series.name if name == "name" and series.name else series
    return series_method(series, name, Call())


def series_method(series: Series, name: str, call: Call) -> object:
    """Return what a method of a series gives."""
    if call.keywords.get("inplace") is True:
        return None
    handler = _METHODS.get(name)
    if handler is not None:
        return handler(series, call)
    column = Column(series.column.bases, series.column.kind)
    if name not in _NO_DATA and not (name in _REPAIRS and series.column.bases):
        column = Column(column.bases | call.bases(), column.kind)
    if name in _NO_DATA:
        return replace(series, index=dict(series.index), number=None)
    if name in _REDUCING or name == "mode":
        fact = reduced_fact(series.column, name, series.tells_nulls, series.filters)
        kind: ColumnKind = column.kind if name in ("min", "max", "mode") else "number"
        made = Series(Column(column.bases, kind), series.name, {}, series.filters, fact, doubt=series.doubt)
        made.cleans = series.cleans or name in TELLS_OUTLIERS
        made.tells_nulls = series.tells_nulls and name in ("any", "all")
        return made
    kind = column.kind
    if name in _TO_NUMBER:
        kind = "number"
    elif name in _TO_TEXT:
        kind = "text"
    elif name == "astype":
        kind = astype_kind(call.get("dtype", 0), kind)
    elif name in ("map", "apply"):
        kind = mapped_kind(call.get("func", 0) or call.get("arg", 0), kind)
    elif name == "replace":
        kind = _replaced(call, kind)
    is_selection = name in ("where", "mask") and call.get("other", 1) is None
    kept = series.column.profile if name in ("copy", "astype", "squeeze") else None
    return Series(
        Column(column.bases, kind, kept),
        series.name,
        dict(series.index),
        series.filters | (selected_by(call.get("cond", 0)) if is_selection else NO_BASES),
        doubt=series.doubt,
        cleans=series.cleans or _bounds_clean(call),
    )


def _replaced(call: Call, before: ColumnKind) -> ColumnKind:
    old, new = call.get("to_replace", 0), call.get("value", 1)
    if isinstance(old, dict):
        return replaced_kind(old.values(), before)
    return replaced_kind(new, before) if isinstance(new, list) else before


def _value_counts(series: Series, call: Call) -> object:
    index = {series.name or "index": Column(series.column.bases, series.column.kind)}
    return Series(Column(series.column.bases, "number"), series.name, index, series.filters)


def _reset_index(series: Series, call: Call) -> object:
    given = call.get("name", 1)
    label = given if isinstance(given, str) else series.name or "0"
    if call.keywords.get("drop") is True:
        return Series(series.column, series.name, {}, series.filters)
    index = series.index or {"index": Column(series.column.bases)}
    columns: dict[Label, Column] = {name: one for name, one in index.items()}
    # counted values keep the name of the column in old pandas, and get it for the labels in new
    value = Column(kind="number") if series.is_count else series.column
    columns["count" if label in columns else label] = value
    everything = Column(union(columns.values()), "number")
    return Frame(columns, {}, series.filters, expanded={"": everything}, doubt=series.doubt)


def _to_frame(series: Series, call: Call) -> object:
    given = call.get("name", 0)
    label = given if isinstance(given, str) else series.name or "0"
    column = Column(kind="number") if series.is_count else series.column
    return Frame({label: column}, dict(series.index), series.filters, expanded={"": column})


def _rename(series: Series, call: Call) -> object:
    given = call.get("index", 0)
    name = given if isinstance(given, str) else series.name
    return replace(series, name=name, index=dict(series.index))


def _groupby(series: Series, call: Call) -> object:
    by = call.get("by", 0)
    keys: dict[str, Column] = {}
    for position, item in enumerate(by if isinstance(by, (list, tuple)) else [by]):
        if isinstance(item, str):
            keys[item] = series.index.get(item, Column())
        elif bases_of(item):
            keys[getattr(item, "name", "") or f"key{position}"] = Column(bases_of(item))
    level = call.get("level")
    if not keys and level is not None:
        keys = {name: one for name, one in series.index.items() if name in texts(level)} or dict(series.index)
    held: dict[Label, Column] = {series.name or "value": series.column}
    return Groups(
        Frame(held, dict(series.index), series.filters), keys, (series.name or "value",), single=True
    )


def _resample(series: Series, call: Call) -> object:
    held: dict[Label, Column] = {series.name or "value": series.column}
    frame = Frame(held, dict(series.index), series.filters)
    return Groups(frame, dict(series.index), (series.name or "value",), single=True)


def _spread(series: Series, call: Call) -> object:
    index = dict(list(series.index.items())[:-1])
    levels = list(series.index.values())
    across = levels if call.values() else levels[-1:]
    column = Column(series.column.bases | union(across), "number")
    return Frame({}, index, series.filters, expanded={"": column}, doubt=series.doubt)


def _split(series: Series, call: Call) -> object:
    column = Column(series.column.bases, "text")
    if call.keywords.get("expand") is True:
        return Frame({}, dict(series.index), series.filters, expanded={"": column})
    return Series(column, series.name, dict(series.index), series.filters)


def _is_null(series: Series, call: Call) -> Series:
    column = Column(series.column.bases, "number", series.column.profile)
    return Series(column, series.name, dict(series.index), series.filters, tells_nulls=True)


def _is_not_null(series: Series, call: Call) -> object:
    return replace(_is_null(series, call), cleans=True)


def _unique(series: Series, call: Call) -> object:
    return Series(Column(series.column.bases, series.column.kind), series.name, {}, series.filters)


def _nunique(series: Series, call: Call) -> object:
    fact = reduced_fact(series.column, "nunique", series.tells_nulls, series.filters)
    # the kind stays that of the column, by which the number is guessed
    column = Column(series.column.bases, series.column.kind)
    return Series(column, series.name, {}, series.filters, fact, is_distinct=True)


def _items(series: Series, call: Call) -> object:
    labels = Series(Column(union(series.index.values())), next(iter(series.index), ""), {}, series.filters)
    return [(labels, Series(series.column, series.name, {}, series.filters))]


def _between(series: Series, call: Call) -> object:
    column = Column(series.column.bases, "number")
    made = Series(column, series.name, dict(series.index), series.filters)
    made.cleans = _bounds_clean(call)
    return made


def _bounds_clean(call: Call) -> bool:
    """Return True if values are compared with quantiles and the like."""
    return any(isinstance(item, (Series, ByColumn)) and item.cleans for item in call.values())


def _window(series: Series, call: Call) -> object:
    return Window(series)


def _keys(series: Series, call: Call) -> object:
    return index_of(series)


_METHODS = {
    "value_counts": _value_counts,
    "reset_index": _reset_index,
    "to_frame": _to_frame,
    "rename": _rename,
    "groupby": _groupby,
    "resample": _resample,
    "unstack": _spread,
    "get_dummies": _spread,
    "split": _split,
    "isnull": _is_null,
    "isna": _is_null,
    "notnull": _is_not_null,
    "notna": _is_not_null,
    "unique": _unique,
    "nunique": _nunique,
    "items": _items,
    "iteritems": _items,
    "between": _between,
    "rolling": _window,
    "expanding": _window,
    "ewm": _window,
    "keys": _keys,
}


# -- a fact of each column ---------------------------------------------------------------------------------


def by_column_attribute(facts: ByColumn, name: str) -> object:
    """Return what an attribute of a fact of each column is."""
    if name == "index":
        return ColumnNames(facts.columns, facts.doubt)
    return facts


def by_column_method(facts: ByColumn, name: str, call: Call) -> object:
    """Return what a method of a fact of each column gives."""
    if name in ("head", "tail", "nlargest", "nsmallest", "sample", "drop_duplicates"):
        return ByColumn(facts.columns, {}, facts.filters, DATA_DEPENDENT)
    if name == "drop":
        gone = set(texts(call.get("labels", 0)) or texts(call.get("index")))
        kept = {label: one for label, one in facts.columns.items() if label not in gone}
        return ByColumn(kept, facts.facts, facts.filters, facts.doubt)
    if name in ("sum", "mean", "max", "min", "value_counts", "any", "all", "median", "std"):
        if name == "value_counts":
            column = Column(bases_of(facts), "number")
            return Series(column, "count", {"index": column}, facts.filters, doubt=facts.doubt)
        return Series(Column(bases_of(facts), "number"), "", {}, facts.filters, doubt=facts.doubt)
    if name in ("to_frame", "reset_index"):
        label = texts(call.get("name", 0))
        column = Column(bases_of(facts), "number")
        rows = Column(bases_of(facts), "text")
        if name == "reset_index":
            return Frame(
                {"index": rows, (label or ("0",))[0]: column},
                {},
                facts.filters,
                expanded={"": column},
                doubt=facts.doubt,
                of_columns=True,
            )
        frame = Frame(
            {(label or ("0",))[0]: column}, {}, facts.filters, expanded={"": column}, doubt=facts.doubt
        )
        frame.rows = dict(facts.columns)
        return frame
    if name in ("items", "iteritems"):
        return [
            (label, Series(one, str(label), {}, facts.filters, number_of(facts.facts.get(label))))
            for label, one in facts.columns.items()
        ]
    if name == "unstack":
        return ByColumn(facts.columns, {}, facts.filters, facts.doubt)
    if name == "keys":
        return ColumnNames(facts.columns, facts.doubt)
    if name in ("tolist", "to_list", "values", "to_numpy"):
        return Series(Column(bases_of(facts), "number"), "", {}, facts.filters, doubt=facts.doubt)
    extra = [item for item in call.values() if filters_of(item)]
    return ByColumn(facts.columns, facts.facts if not extra else {}, facts.filters, facts.doubt)


def masked_facts(facts: ByColumn, key: object) -> object:
    """Return the facts of the columns for which a test is true, or may be; or that of one column."""
    if isinstance(key, str):
        fact = facts.facts.get(key)
        if isinstance(fact, Dtype):
            return fact
        column = facts.columns.get(key) or Column(bases_of(facts))
        return Series(column, key, {}, facts.filters, number_of(fact), doubt=facts.doubt)
    if isinstance(key, ByColumn):
        kept = {label: one for label, one in facts.columns.items() if key.facts.get(label) is not False}
        known = all(isinstance(key.facts.get(label), bool) for label in kept)
        return ByColumn(kept, facts.facts, facts.filters, facts.doubt or ("" if known else DATA_DEPENDENT))
    if isinstance(key, (list, ColumnNames)) and texts(key):
        return ByColumn(
            {label: facts.columns[label] for label in texts(key) if label in facts.columns},
            facts.facts,
            facts.filters,
            facts.doubt,
        )
    return ByColumn(facts.columns, {}, facts.filters, facts.doubt or DATA_DEPENDENT)

"""What is taken out of a frame: columns, row labels, masks of columns, statistics of each column."""

from __future__ import annotations

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.operators import kind_of
from lakebook.notebooks.lineage.values import (
    DATA_DEPENDENT,
    NO_BASES,
    Bases,
    ByColumn,
    Column,
    ColumnNames,
    Dtype,
    Frame,
    Label,
    Plain,
    Series,
    bases_of,
    doubt_of,
    filters_of,
    labels_in,
    selected_by,
    union,
)
from lakebook.notebooks.taxonomy import names

_NUMERIC_ONLY = names("lineage", "numeric_only").exact
TELLS_OUTLIERS = frozenset({"quantile", "std", "mad", "percentile", "nanpercentile", "zscore", "iqr"})


def frame_attribute(frame: Frame, name: str) -> object:
    """Return what an attribute of a frame is, that is no call."""
    if name in frame.columns or name in frame.index:
        return pick(frame, name)
    if name == "columns":
        return ColumnNames(frame.columns, frame.doubt or (DATA_DEPENDENT if frame.open else ""))
    if name == "index":
        return index_of(frame)
    if name == "T":
        return transposed(frame)
    if name == "dtypes":
        return ByColumn(
            dict(frame.columns), {key: Dtype(one) for key, one in frame.columns.items()}, doubt=frame.doubt
        )
    if name == "shape":
        return (row_count(frame), len(frame.columns) if not frame.open else None)
    if name in ("size", "ndim", "empty"):
        return row_count(frame)
    if name == "values":
        return as_array(frame)
    if name in _FRAME_ITSELF:
        return frame
    found = frame.find(name)
    return Series(found, name, dict(frame.index), frame.filters, doubt=found.doubt) if found else frame


_FRAME_ITSELF = frozenset({"loc", "iloc", "at", "iat", "ix", "style", "plot", "hvplot", "figure"})


def as_array(frame: Frame) -> Frame:
    """Return the values of a frame, of which a loop takes rows."""
    result = frame.copy()
    result.rows, result.is_array = frame.rows, True
    return result


def row_count(value: Frame | Series) -> object:
    """Return the number of rows: what selected them shows in it."""
    counted = (isinstance(value, Frame) and value.counted) or value.filters
    if not counted:
        return Plain()
    return Series(Column(counted, "number"), "", {}, value.filters - counted, is_count=True)


def index_of(value: Frame | Series) -> object:
    """Return the row labels of a frame or series."""
    if isinstance(value, Frame) and value.rows is not None:
        return ColumnNames(value.rows, value.doubt)
    column = Column(union(value.index.values()), next((one.kind for one in value.index.values()), "unknown"))
    return Series(column, next(iter(value.index), ""), {}, value.filters)


def transposed(frame: Frame) -> Frame:
    """Return the transpose: its columns are named by data, its rows by columns."""
    if frame.flipped is not None:
        return frame.flipped
    everything = Column(frame.bases() | union(frame.index.values()), "number")
    result = Frame({}, {}, frame.filters, expanded={"": everything}, rows=dict(frame.columns), flipped=frame)
    if frame.rows is not None:
        result.columns, result.expanded = dict(frame.rows), {}
    result.doubt = frame.doubt
    return result


def pick(frame: Frame, key: object) -> object:
    """Return what `frame[key]` is."""
    if isinstance(key, int) and not isinstance(key, bool):
        if frame.is_foreign:
            return frame.copy()
        key = str(key)
    if isinstance(key, (str, tuple)):
        return _picked_label(frame, key)
    if isinstance(key, ByColumn):
        return masked_columns(frame, key)
    if isinstance(key, Series) and key.is_item:  # the name of the column is in the data
        column = Column(union(frame.expanded.values()) or frame.bases())
        doubt = frame.doubt if frame.expanded else DATA_DEPENDENT
        return Series(column, "", dict(frame.index), frame.filters | key.filters, doubt=doubt)
    if isinstance(key, (Series, Frame)):
        return frame.copy(filters=row_filters(frame, key))
    if isinstance(key, list) and (labels_in(key) or isinstance(key, ColumnNames)):
        unsure = bool(doubt_of(key))  # then what is named later may be among them, too
        result = frame.copy({name: frame.column(name) for name in labels_in(key)}, is_open=unsure)
        result.is_renamed = frame.is_renamed or unsure
        if not (isinstance(key, ColumnNames) and key.doubt and frame.open):
            result.expanded = {}
        result.doubt = doubt_of(key) or frame.doubt
        result.rows = frame.rows
        return result
    if isinstance(key, list) and key:
        return frame.copy(filters=_bases_in(key))
    result = frame.copy()
    result.doubt = frame.doubt or DATA_DEPENDENT
    return result


def row_filters(frame: Frame, mask: object) -> Bases:
    """Return the base columns that select rows of a frame by a mask, none if its rows are columns."""
    return filters_of(mask) if frame.of_columns or frame.rows is not None else selected_by(mask)


def _bases_in(key: list[object]) -> frozenset[str]:
    return bases_of(key) | filters_of(key)


def _picked_label(frame: Frame, key: str | tuple[object, ...]) -> object:
    label: Label = key if isinstance(key, str) else tuple(str(one) for one in key)
    if frame.rows is not None and (isinstance(label, tuple) or label in frame.columns or frame.expanded):
        return ByColumn(dict(frame.rows), filters=frame.filters, doubt=frame.doubt)
    if isinstance(label, tuple) and label not in frame.columns and not frame.expanded:
        return pick(frame, list(label))
    below: dict[Label, Column] = {
        name[1] if len(name) == 2 else name[1:]: one
        for name, one in frame.columns.items()
        if isinstance(name, tuple) and len(name) > 1 and name[0] == label
    }
    if below and label not in frame.columns:
        return frame.copy(below)
    column = frame.find(label)
    name = label if isinstance(label, str) else str(label[-1])
    if column is None:
        return Series(
            Column(union(frame.index.values())), name, dict(frame.index), frame.filters, doubt=frame.doubt
        )
    known = label in frame.columns or label in frame.index or frame.open
    doubt = column.doubt if known else frame.doubt
    return Series(column, name, dict(frame.index), frame.filters, doubt=doubt)


def masked_columns(frame: Frame, mask: ByColumn) -> Frame:
    """Return the columns of a frame for which a mask is true, or may be."""
    kept = {name: one for name, one in frame.columns.items() if mask.facts.get(name) is not False}
    result = frame.copy(kept)
    if any(not isinstance(mask.facts.get(name), bool) for name in kept) or mask.doubt:
        result.doubt = DATA_DEPENDENT
    return result


def reduced(frame: Frame, name: str, call: Call) -> object:
    """Return a statistic of each column of a frame, or of each row."""
    if call.get("axis", 0) in (1, "columns"):
        bases = union((*frame.numeric().values(), *frame.expanded.values()))
        made = Series(Column(bases, "number"), "", dict(frame.index), frame.filters, doubt=frame.doubt)
        made.tells_nulls = frame.tells_nulls and name in ("any", "all")
        made.cleans = made.tells_nulls and name == "all"  # `df.notnull().all(axis=1)`
        return made
    if name == "quantile" and isinstance(call.get("q", 0), list):
        return frame.copy(frame.numeric())
    columns = frame.numeric() if name in _NUMERIC_ONLY and not frame.tells_nulls else dict(frame.columns)
    facts: dict[Label, object] = {
        key: known
        for key, one in columns.items()
        if (known := reduced_fact(one, name, frame.tells_nulls, frame.filters)) is not None
    }
    if frame.expanded or not columns:
        return Series(Column(union(columns.values()) | frame.bases(), "number"), "", {}, frame.filters)
    doubt = frame.doubt or (DATA_DEPENDENT if frame.open else "")
    return ByColumn(columns, facts, frame.filters, doubt, name in TELLS_OUTLIERS)


def reduced_fact(
    column: Column, name: str, tells_nulls: bool, filters: frozenset[str] = NO_BASES
) -> float | bool | None:
    """Return a statistic of a column that its profile gives away."""
    profile = column.profile
    if profile is None or filters:
        return None
    if tells_nulls:
        if profile.nulls is None:
            return None
        if name in ("any", "all"):
            return profile.nulls > 0 if name == "any" else None
        if name == "mean":
            return profile.nulls / profile.rows if profile.rows else None
        return float(profile.nulls) if name == "sum" else None
    if name == "nunique" and profile.distinct is not None:
        return float(profile.distinct)
    if name == "count" and profile.rows is not None and profile.nulls is not None:
        return float(profile.rows - profile.nulls)
    return None


def column_from(value: object) -> Column:
    """Return the column that a value becomes when it is stored in a frame."""
    if isinstance(value, Series):
        one = value.column
        profile = None if value.filters else one.profile
        return Column(one.bases, one.kind, profile, value.doubt or one.doubt)
    return Column(bases_of(value), kind_of(value))

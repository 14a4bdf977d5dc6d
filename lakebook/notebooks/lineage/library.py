"""Functions of libraries over column lineage: loading, pandas functions, numpy and the models of sklearn."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from lakebook.notebooks.lineage.access import TELLS_OUTLIERS
from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.frames import frame_method
from lakebook.notebooks.lineage.kinds import holds_kind
from lakebook.notebooks.lineage.parts import items_of
from lakebook.notebooks.lineage.records import DefaultDict, Records, as_key
from lakebook.notebooks.lineage.reshape import built_frame, concatenated, cross_table, indicators
from lakebook.notebooks.lineage.series import series_method
from lakebook.notebooks.lineage.values import (
    PLAIN,
    ByColumn,
    Column,
    ColumnNames,
    Frame,
    Items,
    Label,
    Plain,
    Ref,
    Series,
    Thing,
    bases_of,
    combined,
    filters_of,
    texts,
)
from lakebook.notebooks.taxonomy import names

_LOADERS = names("lineage", "loaders").exact
_PLAIN_MODULES = ("math.", "random.", "datetime.", "itertools.", "time.", "os.", "re.", "string.")
_MEASURES = names("lineage", "model_measures").exact
_KEEPS_COLUMNS = ("Scaler", "Imputer", "Normalizer", "Encoder", "Transformer", "Binarizer")


def is_loader(path: str) -> bool:
    """Return True for a function that loads a table."""
    name = path.rpartition(".")[2]
    return name in _LOADERS or (
        name.startswith("read_") and path.startswith(("pandas", "geopandas", "dask", "polars", "modin"))
    )


def loaded(frame: Frame, path: str, call: Call) -> Frame:
    """Return a table as a load call gives it.

    Args:
        frame: the table with all of its columns.
        path: of the function.
        call: its arguments.
    """
    frame.is_map = path.startswith("geopandas")
    given = texts(call.get("names"))
    if given:
        named: dict[Label, Column] = {
            name: frame.columns.get(name) or Column(frozenset((name,))) for name in given
        }
        frame = Frame(named, asked=frame.asked)
    chosen = texts(call.get("usecols"))
    if chosen:
        frame = frame.copy({name: frame.column(name) for name in chosen}, is_open=False)
    index: dict[str, Column] = {}
    keys = call.get("index_col")
    for key in keys if isinstance(keys, list) else [keys]:
        if isinstance(key, int) and not isinstance(key, bool):
            key = list(frame.columns)[key] if -1 < key < len(frame.columns) and not frame.open else None
        if isinstance(key, str):
            index[key] = frame.column(key)
    for key in index:
        frame.columns.pop(key, None)
    frame.index = index
    dates = call.get("parse_dates")
    for name, parts in dates.items() if isinstance(dates, dict) else ():
        frame.columns[str(name)] = Column(
            frozenset().union(*(frame.column(part).bases for part in texts(parts))), "datetime"
        )
    for name in texts(dates):
        if name in frame.columns:
            frame.columns[name] = Column(frame.columns[name].bases, "datetime")
    return frame


def is_understood(path: str) -> bool:
    """Return True for a function that is known by its name, whichever module it is of."""
    name = path.rpartition(".")[2]
    is_test = name.startswith("is_") and name.endswith("_dtype")
    of_python = hasattr(builtins, path.partition(".")[0])
    return of_python or is_test or name in _MEASURES or name in _ELSEWHERE or name[:1].isupper()


def library_call(path: str, call: Call) -> object:
    """Return what a function of a library gives, that neither loads nor draws."""
    name = path.rpartition(".")[2]
    if path.startswith("pandas.api.types.") or (name.startswith("is_") and name.endswith("_dtype")):
        return _is_dtype(name, call)
    if path.startswith(("pandas.", "geopandas.")):
        handler = _PANDAS.get(name)
        return handler(call) if handler is not None else _first_or_all(call)
    if path.startswith("numpy."):
        return _numpy(name, call)
    if path.startswith("sklearn.metrics.") or name in _MEASURES:
        return PLAIN  # how good a model is shows none of its columns
    if name in _ELSEWHERE:
        return _ELSEWHERE[name](call)
    if name in ("product", "combinations", "permutations", "chain") and path.startswith("itertools"):
        return _itertools(name, call)
    if name[:1].isupper() and not path.startswith(("matplotlib", "datetime")):
        tables = (item for item in call.values() if isinstance(item, Frame))
        return Thing(path, call.bases(), call.filters(), next(tables, None))
    made = combined(call.values())
    if isinstance(made, Series) and name in TELLS_OUTLIERS:
        made.cleans = True
    return made if isinstance(made, Series) or path.startswith(_PLAIN_MODULES) else None


def _numpy(name: str, call: Call) -> object:
    first = call.get("a", 0)
    if name in _NUMPY_SAME and first is not None:
        return first
    if name in ("histogram", "unique"):
        found = combined([first])
        several = name == "histogram" or call.keywords.get("return_counts") is True
        return (found, found) if several else found
    if name in ("mean", "sum", "median", "std", "var", "min", "max", "amin", "amax") and isinstance(
        first, Series
    ):
        return series_method(first, name.removeprefix("a"), Call())
    made = combined(call.values())
    if isinstance(made, Series) and name in TELLS_OUTLIERS:
        made.cleans = True
    return made


def _same(call: Call) -> object:
    return call.positional[0] if call.positional else combined(call.values())


def _from_keys(call: Call) -> object:
    return {as_key(key, at): call.get("value", 1) for at, key in enumerate(items_of(call.get("", 0)))}


def _split_rows(call: Call) -> object:
    return Items(item for item in call.positional for _ in range(2))


_NUMPY_SAME = names("lineage", "numpy_same").exact
_NUMPY_STATISTICS = frozenset({"mean", "sum", "median", "std", "var", "min", "max", "amin", "amax"})
_ELSEWHERE: dict[str, Callable[[Call], object]] = {
    "copy": _same,
    "deepcopy": _same,
    "defaultdict": lambda call: DefaultDict(getattr(call.get("", 0), "path", "")),
    "OrderedDict": lambda call: {},
    "fromkeys": lambda call: _from_keys(call),
    "normalize": _same,
    "scale": _same,
    "shuffle": _same,
    "train_test_split": _split_rows,
    "from_pandas_edgelist": lambda call: _edges(call),
    "from_pandas_dataframe": lambda call: _edges(call),
}


def _first_or_all(call: Call) -> object:
    first = call.get("data", 0)
    return first if isinstance(first, (Frame, Series)) else combined(call.values())


def _is_dtype(name: str, call: Call) -> object:
    kind = {
        "is_numeric_dtype": "number",
        "is_string_dtype": "object",
        "is_object_dtype": "object",
        "is_datetime64_any_dtype": "datetime",
    }
    value = call.get("", 0)
    column = value.column if isinstance(value, Series) else getattr(value, "column", None)
    if isinstance(column, Column) and name in kind:
        known = holds_kind(column, kind[name])
        return known if known is not None else value
    return value


def _edges(call: Call) -> object:
    """Return the graph whose edges are two columns of a table."""
    frame = call.get("df", 0)
    if not isinstance(frame, Frame):
        return None
    ends = [
        call.get("source", 1) or "source",
        call.get("target", 2) or "target",
        *texts(call.get("edge_attr", 3)),
    ]
    bases = frozenset().union(*(frame.column(end).bases for end in ends))
    return Series(Column(bases), "", {}, frame.filters, doubt=frame.doubt)


def _itertools(name: str, call: Call) -> object:
    import itertools

    parts = [list(items_of(item)) for item in call.positional if not isinstance(item, int)]
    if name == "product":
        return Items(itertools.islice(itertools.product(*parts), 100))
    if name == "chain":
        return Items(itertools.islice(itertools.chain(*parts), 100))
    size = call.get("r", 1)
    chosen = getattr(itertools, name)(parts[0] if parts else [], size if isinstance(size, int) else 2)
    return Items(itertools.islice(chosen, 100))


# -- pandas ------------------------------------------------------------------------------------------------


def _data_frame(call: Call) -> object:
    data = call.get("data", 0)
    result = built_frame(data, call)
    labels = texts(call.get("columns", 2))
    index = call.get("index", 1)
    if data is None and (call.positional or "data" in call.keywords):
        # an unknown array or object of a library: its labels are all that is known of it
        result = Frame({label: Column(frozenset((label,))) for label in labels}, open=not labels)
    if isinstance(index, Series) and not result.index:
        result.index = {index.name or "index": index.column}
    return result


def _series(call: Call) -> object:
    data, index = call.get("data", 0), call.get("index", 1)
    name = texts(call.get("name"))
    if isinstance(data, ByColumn):
        return ByColumn(dict(data.columns), {}, data.filters, data.doubt)
    if isinstance(index, ColumnNames):
        shares: dict[Label, Column] = {str(one): Column(bases_of(data)) for one in index}
        return ByColumn(shares, {}, filters_of(data), index.doubt)
    if isinstance(data, Series) and not index:
        return data
    levels = {"index": Column(bases_of(index))} if bases_of(index) else {}
    bases = bases_of(data)
    return (
        Series(Column(bases), name[0] if name else "", levels, filters_of(data))
        if bases
        else combined(call.values())
    )


def _as_method(name: str) -> Callable[[Call], object]:
    def read(call: Call) -> object:
        first = (
            call.get("data", 0)
            if call.positional
            else call.keywords.get("data", call.keywords.get("frame", call.keywords.get("left")))
        )
        rest = call.after(1)
        if isinstance(first, Frame):
            return frame_method(first, name, rest)
        if isinstance(first, Series):
            return series_method(first, name, rest)
        return combined(call.values())

    return read


def _converted(kind: Any) -> Callable[[Call], object]:
    def read(call: Call) -> object:
        first = call.get("arg", 0)
        first = call.get("x", 0) if first is None else first
        if isinstance(first, Frame):
            return Series(Column(first.bases(), kind), "", dict(first.index), first.filters)
        if isinstance(first, Series):
            return Series(Column(first.column.bases, kind), first.name, dict(first.index), first.filters)
        return combined((first,), kind)

    return read


def _binned(call: Call) -> object:
    made = _converted("text")(call)
    return (made, made) if call.keywords.get("retbins") is True else made


def _factorized(call: Call) -> object:
    made = _converted("number")(call)
    return (made, made)


_PANDAS: dict[str, Callable[[Call], object]] = {
    "DataFrame": _data_frame,
    "GeoDataFrame": _data_frame,
    "from_records": _data_frame,
    "Series": _series,
    "concat": lambda call: concatenated(list(items_of(call.get("objs", 0))), call.after(1)),
    "crosstab": cross_table,
    "get_dummies": lambda call: indicators(call.get("data", 0), call),
    "Grouper": lambda call: call.get("key", 0),
    "TimeGrouper": lambda call: call.get("key"),
    "NamedAgg": lambda call: (call.get("column", 0), call.get("aggfunc", 1)),
    "merge": _as_method("merge"),
    "pivot_table": _as_method("pivot_table"),
    "pivot": _as_method("pivot"),
    "melt": _as_method("melt"),
    "isnull": _as_method("isnull"),
    "isna": _as_method("isna"),
    "notnull": _as_method("notnull"),
    "value_counts": _as_method("value_counts"),
    "unique": _as_method("unique"),
    "to_datetime": _converted("datetime"),
    "DatetimeIndex": _converted("datetime"),
    "to_numeric": _converted("number"),
    "to_timedelta": _converted("number"),
    "cut": _binned,
    "qcut": _binned,
    "Categorical": _converted("text"),
    "factorize": _factorized,
    "date_range": lambda call: PLAIN,
    "json_normalize": lambda call: (
        built_frame(call.get("data", 0), Call())
        if bases_of(call.get("data", 0)) or isinstance(call.get("data", 0), Records)
        else Frame(open=True)
    ),
}


# -- objects of libraries ----------------------------------------------------------------------------------


def thing_method(thing: Thing, name: str, call: Call) -> object:
    """Return what a method of an object of a library gives: what it is given, it holds."""
    first = call.get("X", 0)
    given, filters = call.bases(), call.filters()
    if name in ("transform", "fit_transform") and any(word in thing.path for word in _KEEPS_COLUMNS):
        if isinstance(first, Frame) and "OneHot" not in thing.path:
            return first.copy({key: Column(one.bases, "number") for key, one in first.columns.items()})
        if isinstance(first, Series):
            return Series(Column(first.column.bases, "number"), first.name, dict(first.index), first.filters)
    if name in ("fit", "train"):
        thing.held, thing.filters = given, filters
        return thing
    if name in _MEASURES:
        return PLAIN
    if name in ("update", "add", "append", "partial_fit"):
        thing.held, thing.filters = thing.held | given, thing.filters | filters
        return thing
    bases = given | thing.held
    if name.startswith("fit_"):
        thing.held = given
    if not bases:
        return None
    return Series(Column(bases, "number"), "", {}, filters | thing.filters)


def thing_attribute(thing: Thing, name: str) -> object:
    """Return what an attribute of an object of a library is."""
    if name in _MEASURES:
        return PLAIN
    return Series(Column(thing.held, "number"), "", {}, thing.filters) if thing.held else None


def is_plain(value: object) -> bool:
    """Return True for a value that no column can be in."""
    return isinstance(value, (Plain, Ref, int, float, str))

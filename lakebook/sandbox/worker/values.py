"""Values of expressions as JSON, by fixed rules that a claim can rely on.

=====================================  =========================================================
Python                                 JSON
=====================================  =========================================================
None, bool, int, str                   as they are
float; numpy scalars; Decimal          number
NaN, infinity (also nested)            null, and the error says "not finite"
NaT, pandas.NA (also nested)           null, and the error says "missing"
dates, times, timestamps               ISO 8601 text
durations                              ISO 8601 duration text
Period, Interval, Path, Enum           text (an Enum: its value)
list, tuple, range, set, array         list (a set sorted by text)
Series, Index, Categorical             list of the values
DataFrame                              list of rows, each an object
dict; named tuple; dataclass           object, keys as text
anything else                          null, and the error names the type
=====================================  =========================================================
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import math
import numbers
import pathlib
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

_MAX_ITEMS = 200_000
_MAX_DEPTH = 32
_MAX_TEXT = 1_000_000


class NotJsonError(Exception):
    """A value that has no JSON form; the message says why."""


class _Converter:
    """Converts one value, counting what it meets and remembering what JSON can't say."""

    def __init__(self) -> None:
        self.items = 0
        self.troubles: list[str] = []

    def convert(self, value: Any, depth: int = 0) -> Any:
        self.items += 1
        if self.items > _MAX_ITEMS:
            raise NotJsonError(f"more than {_MAX_ITEMS} values")
        if depth > _MAX_DEPTH:
            raise NotJsonError(f"nested deeper than {_MAX_DEPTH}")
        for kinds, rule in _RULES:
            if isinstance(value, kinds):
                return rule(self, value, depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self.mapping({f.name: getattr(value, f.name) for f in dataclasses.fields(value)}, depth)
        raise NotJsonError(f"not JSON: {type(value).__module__}.{type(value).__qualname__}")

    def trouble(self, text: str) -> None:
        if text not in self.troubles:
            self.troubles.append(text)

    def missing(self, value: Any, depth: int) -> None:
        self.trouble("missing")

    def number(self, value: Any, depth: int) -> float | None:
        number = float(value)
        if math.isfinite(number):
            return number
        self.trouble("not finite")
        return None

    def text(self, value: str, depth: int) -> str:
        if len(value) > _MAX_TEXT:
            raise NotJsonError(f"a text of more than {_MAX_TEXT} characters")
        return str(value)

    def sequence(self, value: Iterable[Any], depth: int) -> Any:
        names = getattr(type(value), "_fields", None)
        if names:
            return self.mapping({name: getattr(value, name) for name in names}, depth)
        return [self.convert(item, depth + 1) for item in value]

    def unordered(self, value: Iterable[Any], depth: int) -> list[Any]:
        return [self.convert(item, depth + 1) for item in sorted(value, key=repr)]

    def array(self, value: Any, depth: int) -> Any:
        if value.ndim == 0:
            return self.convert(value.item(), depth + 1)
        return [self.convert(item, depth + 1) for item in value]

    def mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        return {self.key(key): self.convert(item, depth + 1) for key, item in value.items()}

    def rows(self, value: pd.DataFrame, depth: int) -> list[Any]:
        names = [self.key(name) for name in value.columns]
        rows = value.itertuples(index=False, name=None)
        return [{n: self.convert(v, depth + 2) for n, v in zip(names, row, strict=True)} for row in rows]

    def key(self, value: Any) -> str:
        if isinstance(value, (dt.date, dt.time)):
            return value.isoformat()
        if isinstance(value, np.generic):
            return self.key(value.item())
        return str(value)


def _plain(cast: Callable[[Any], Any]) -> Callable[[_Converter, Any, int], Any]:
    return lambda converter, value, depth: cast(value)


_Rule = Callable[[_Converter, Any, int], Any]
# Order matters: bool and timedelta64 are integers to numpy and Python, a str may be an enum.
_RULES: tuple[tuple[tuple[type, ...], _Rule], ...] = (
    ((type(None),), _plain(lambda value: None)),
    ((type(pd.NaT), type(pd.NA)), _Converter.missing),
    ((bool, np.bool_), _plain(bool)),
    ((enum.Enum,), lambda converter, value, depth: converter.convert(value.value, depth + 1)),
    ((str,), _Converter.text),
    (
        (np.timedelta64, dt.timedelta),
        lambda converter, value, depth: converter.convert(_duration(value), depth + 1),
    ),
    ((int, np.integer), _plain(int)),
    (
        (np.datetime64,),
        lambda converter, value, depth: converter.convert(pd.Timestamp(value), depth + 1),
    ),
    ((float, np.floating, Decimal, numbers.Rational), _Converter.number),
    ((dt.date, dt.time), _plain(lambda value: value.isoformat())),
    ((pd.Period, pd.Interval, pathlib.PurePath, dt.tzinfo), _plain(str)),
    ((pd.DataFrame,), _Converter.rows),
    ((np.ndarray, np.generic), _Converter.array),
    ((pd.Series, pd.Index, pd.api.extensions.ExtensionArray), _Converter.sequence),
    ((Mapping,), _Converter.mapping),
    ((set, frozenset), _Converter.unordered),
    ((list, tuple, range, type({}.keys()), type({}.values())), _Converter.sequence),
)


def _duration(value: Any) -> Any:
    duration = pd.Timedelta(value)
    return pd.NaT if pd.isna(duration) else duration.isoformat()


def to_json(value: Any) -> tuple[Any, str]:
    """Return the JSON form of a value and what could not be said of it, "" when nothing."""
    converter = _Converter()
    try:
        plain = converter.convert(value)
    except NotJsonError as error:
        return None, str(error)
    except RecursionError:
        return None, "nested too deep"
    return plain, ", ".join(converter.troubles)

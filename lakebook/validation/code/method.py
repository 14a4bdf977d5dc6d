"""A call of a method: what it was given, and what its handler may ask of the interpreter."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from lakebook.validation.code.facts import Facts
from lakebook.validation.code.values import Field, Frame, Routine, Series, Value, literal

AGGREGATES = frozenset(
    {"sum", "mean", "median", "count", "std", "var", "min", "max", "nunique", "quantile", "prod", "size",
     "sem", "skew", "kurt", "kurtosis", "mode", "corr", "cov", "value_counts", "describe", "first", "last"}
)  # fmt: skip

OTHER_VALUES = frozenset(
    {"round", "clip", "replace", "shift", "diff", "pct_change", "cumsum", "cumprod", "cummax", "cummin",
     "abs", "mask", "where", "interpolate", "rank", "map", "applymap", "astype", "add", "sub", "mul", "div",
     "mod", "fillna", "ffill", "bfill"}
)  # fmt: skip


class Runs(Protocol):
    """What a handler may ask of the interpreter."""

    facts: Facts

    def see(self, node: ast.expr | None) -> Value:
        """Evaluate an expression."""

    def column(self, node: Any, frame: Frame, name: str, within: str = "") -> Series:
        """Return a column, noting it if it is not known."""

    def filtered(self, node: Any, frame: Frame, mask: Series) -> Frame:
        """Return the rows that a mask leaves."""

    def invoke(self, routine: Routine, arguments: Sequence[Value]) -> Value:
        """Run a function of the code."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a method, with what it was given."""

    node: Any
    name: str
    receiver: Any
    args: tuple[Value, ...]
    named: dict[str, Value]
    runs: Runs

    def given(self, place: int, name: str) -> Value:
        """Return an argument by place or name, None if it was not given."""
        return self.args[place] if place < len(self.args) else self.named.get(name)

    def said(self, place: int, name: str) -> bool:
        """Say whether an argument was given."""
        return place < len(self.args) or name in self.named

    def constant(self, place: int, name: str, default: object = None) -> Any:
        """Return the literal that an argument is, the default if it was not given or is none."""
        if not self.said(place, name):
            return default
        try:
            return literal(self.given(place, name))
        except ValueError:
            return default


def stored_field(name: str, value: Value) -> Field:
    """Return what a column is once a value was assigned to it."""
    if isinstance(value, Series) and value.field.of:
        return replace(value.field, of=value.field.of | {name})
    return Field(of=frozenset((name,)))

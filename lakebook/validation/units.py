"""Columns that say in which unit or currency the value beside them is, found by their names and values."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.sources.card import Column
from lakebook.validation.lineage import values
from lakebook.validation.statement import Resolver, owned, sources

_CURRENCY_NAMES = frozenset({"currency", "currencies", "ccy", "curr", "waehrung", "devise", "moneda"})
_UNIT_NAMES = frozenset({"unit", "units", "uom", "einheit"})
_NO_MONEY = frozenset(
    re.findall(
        r"\w+",
        """
        rating score stars quantity qty count percent pct rate ratio weight age lat lon latitude longitude
        distance days hours minutes temperature nights rank share probability index growth margin_pct
        """,
    )
)
_VALUES = frozenset({"value", "quantity", "qty", "amount", "reading", "measurement", "result", "level"})


def units_beside(scope: Scope, resolver: Resolver) -> dict[int, Any]:
    """Return id of a SUM or AVG -> the column that says in which unit or currency each of its values is.

    Only where the query does not look at that column anywhere: no filter, group, join or case on it.
    """
    found: dict[int, Any] = {}
    mentioned = {column.name.lower() for column in owned(scope, exp.Column)}
    for node in owned(scope, exp.Sum, exp.Avg, exp.Median):
        for column in values(node):
            origin = resolver.origin(scope, column)
            table = resolver.knowledge.table(origin.table) if origin else None
            holders, _ = resolver.holders(scope, column)
            if origin is None or table is None or isinstance(sources(scope).get(holders[0]), Scope):
                continue
            measure = table.column(origin.column)
            for other in table.columns:
                if measure and other.name.lower() not in mentioned and _is_unit_of(other, measure):
                    found[id(node)] = exp.column(other.name, table=holders[0], quoted=True)
    return found


def _is_unit_of(unit: Column, measure: Column) -> bool:
    words = set(_words(unit.name))
    if unit.type != "text" or unit.distinct < 2 or measure.role != "measure":
        return False
    about = set(_words(measure.name))
    if words & _CURRENCY_NAMES:
        return measure.type == "number" and not about & _NO_MONEY
    return bool(words & _UNIT_NAMES) and bool(about & _VALUES)


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())

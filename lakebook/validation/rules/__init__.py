"""The rules, one module a family; importing the package registers them all."""

from lakebook.validation.rules import (
    aggregation,
    answer,
    binding,
    casts,
    code,
    fanout,
    filters,
    joins,
    keys,
    load,
    output,
    patterns,
    statement,
    types,
    values,
)

# In the order in which they are told.
FAMILIES = (
    "statement",
    "binding",
    "types",
    "casts",
    "values",
    "patterns",
    "filters",
    "joins",
    "keys",
    "fanout",
    "aggregation",
    "output",
    "load",
    "code",
    "answer",
)

__all__ = [
    "FAMILIES",
    "aggregation",
    "answer",
    "binding",
    "casts",
    "code",
    "fanout",
    "filters",
    "joins",
    "keys",
    "load",
    "output",
    "patterns",
    "statement",
    "types",
    "values",
]

"""The rules, one module a family; importing the package registers them all."""

from lakebook.validation.rules import (
    aggregation,
    answer,
    binding,
    casts,
    code,
    filters,
    joins,
    load,
    output,
    patterns,
    statement,
    types,
    values,
)

FAMILIES = (
    "statement", "binding", "types", "casts", "values", "patterns", "filters", "joins",
    "aggregation", "output", "load", "code", "answer",
)  # fmt: skip

__all__ = [
    "FAMILIES", "aggregation", "answer", "binding", "casts", "code", "filters", "joins", "load", "output",
    "patterns", "statement", "types", "values",
]  # fmt: skip

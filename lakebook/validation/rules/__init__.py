"""The rules, one module a family; importing the package registers them all."""

from lakebook.validation.rules import (
    aggregation,
    answer,
    binding,
    code,
    filters,
    joins,
    load,
    output,
    patterns,
    statement,
    values,
)

FAMILIES = (
    "statement", "binding", "values", "patterns", "filters", "joins", "aggregation", "output", "load", "code",
    "answer",
)  # fmt: skip

__all__ = [
    "FAMILIES", "aggregation", "answer", "binding", "code", "filters", "joins", "load", "output",
    "patterns", "statement", "values",
]  # fmt: skip

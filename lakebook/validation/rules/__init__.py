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
    statement,
)

FAMILIES = ("statement", "binding", "filters", "joins", "aggregation", "output", "load", "code", "answer")

__all__ = [
    "FAMILIES", "aggregation", "answer", "binding", "code", "filters", "joins", "load", "output", "statement",
]  # fmt: skip

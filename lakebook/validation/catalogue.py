"""The rule catalogue as a document: `docs/rules.md` is written from the registry and a test holds it to it.

`python -m lakebook.validation.catalogue > docs/rules.md` writes it anew.
"""

from __future__ import annotations

import sys
from itertools import groupby

from lakebook.validation.registry import Rule, rules

_TITLES = {
    "statement": "The statement as a whole",
    "binding": "Names",
    "types": "Types",
    "casts": "Casts",
    "values": "Filter values",
    "patterns": "Patterns",
    "filters": "Conditions",
    "ranges": "Ranges and periods",
    "scope": "Rows taken in",
    "joins": "Joins",
    "keys": "Keys of joins",
    "fanout": "Rows that joins multiply",
    "quantities": "What is no quantity",
    "unions": "Unions",
    "aggregation": "Aggregates",
    "arithmetic": "Arithmetic",
    "shares": "Shares and means of means",
    "windows": "Windows",
    "order": "Order",
    "output": "Results",
    "load": "Loads",
    "load_values": "Loads: what values may be mistaken for",
    "code": "Computations in Python: as they are written",
    "code_names": "Computations in Python: names and types",
    "code_filters": "Computations in Python: rows selected",
    "code_joins": "Computations in Python: merges",
    "code_aggregation": "Computations in Python: aggregates and arithmetic",
    "code_output": "Computations in Python: results",
    "code_learning": "Computations in Python: chance and learning",
    "code_load": "Computations in Python: files read",
    "answer": "Answers",
    "question": "The question and the operations",
}

_OPENING = """# Validation rules

Written from the registry (`lakebook/validation/rules/`) by `python -m lakebook.validation.catalogue`; do
not edit.

Each operator invocation is checked before it runs and after. A rule **rejects** (nothing runs) only on
complete evidence; on partial evidence (a table of which rows were rejected, a listing that was cut) it
**advises**; where it applies but its evidence could not be had it says **not checked**. *May* is the
strongest that a rule does. A pass means that no rule found a conflict, not that the analysis answers the
question.

What the rules rest on is measured for the invocation at hand: values are counted over all rows of the table,
and joins over the query's own FROM, JOIN and WHERE, so that a filter which makes a key unique raises no
alarm.
"""


def render() -> str:
    """Return the document."""
    parts = [_OPENING]
    for family, members in groupby(rules(), key=lambda one: one.family):
        rows = "\n".join(map(_row, members))
        parts.append(
            f"## {_TITLES[family]}\n\n| rule | operator | detects | evidence | may | after |\n"
            f"|---|---|---|---|---|---|\n{rows}\n"
        )
    return "\n".join(parts)


def _row(one: Rule) -> str:
    when = "the run" if one.stage == "after" else "–"
    cells = [one.id, one.operator, f"{one.detects} ({one.reference})", one.evidence, one.action, when]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    sys.stdout.write(render())

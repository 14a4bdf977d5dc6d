"""The kinds of errors, and the rules that are meant to see each, by their ids in docs/rules.md."""

from __future__ import annotations

KINDS: dict[str, tuple[str, ...]] = {
    # names
    "unknown column": ("B1",),
    "unknown table": ("B3",),
    "ambiguous column": ("B2",),
    "text in double quotes": ("B1",),
    "alias of a column's name": ("B4",),
    # filters
    "value in another case": ("F2", "F1"),
    "value that is not there": ("F1", "F2"),
    "date outside the data": ("F4", "F1", "O11"),
    "number outside the data": ("F4", "F1", "O11"),
    "contradiction": ("F5",),
    "lower end above the upper end": ("F5",),
    "tautology": ("F5",),
    "precedence": ("F6",),
    "not in with null": ("F7",),
    "unequal drops nulls": ("F7",),
    "compared with null by =": ("F8",),
    "outer join cancelled": ("F9",),
    "between on a time stamp": ("F12",),
    "one of several spellings": ("F3",),
    "groups of several spellings": ("F3",),
    "leading zeros lost": ("F1", "F2", "B5", "B11"),
    "fraction for percent": ("A8", "F4"),
    "sample under an aggregate": ("F16", "O1", "O4"),
    # joins
    "missing join condition": ("J1", "J2"),
    "condition of one side": ("J2", "J1"),
    "many to many": ("J3", "J4"),
    "fan-out": ("J4", "J3"),
    "join without use multiplies rows": ("J4", "J3"),
    "half of a composite key": ("J9", "J3", "J4"),
    "keys spelt otherwise": ("J7", "J6", "J5"),
    "keys of other meaning": ("J5", "J12", "J6"),
    "keys of other type": ("J6",),
    "join loses rows": ("J5", "J8"),
    "count of the padding": ("A23", "A3"),
    # aggregates and arithmetic
    "count of a nullable column": ("A3",),
    "aggregate in WHERE": ("Q4", "A5"),
    "column not grouped": ("A5", "Q4"),
    "sum of an identifier": ("B12",),
    "mean of means": ("A2",),
    "mean of ratios": (),
    "percent missing": ("A24", "A8"),
    "percent doubled": ("A8",),
    "integer division": ("A7",),
    "division by zero": ("A6", "A21"),
    "wrong denominator": ("A10",),
    "duplicate rows": ("A1",),
    "currencies added up": ("A9",),
    "code for missing": ("B9",),
    "cast loses values": ("B8", "B7"),
    "cast of polluted text": ("B7", "engine"),
    "numbers compared as text": ("B6",),
    "window without order": ("A14", "O4"),
    "rounded too early": ("A16",),
    # order and results
    "no order before the cut": ("O1",),
    "ties at the cut": ("O2",),
    "arbitrary value": ("O4", "A5"),
    "arg_max on a tie": ("O3",),
    "list without order": ("O4",),
    "union in another order": ("J14",),
    "union drops repeats": ("J14",),
}
"""Kind -> the rules of which one should speak; any other rule that speaks counts as caught all the same."""

NEEDS_THE_QUESTION = frozenset({"mean of ratios"})
"""Kinds that are right answers to another question: neither query nor data tells; not in the totals."""

"""EDA queries: the questions that an intent breaks into, each with a goal, its columns and why it is asked.

Here they come from the roles of the columns and the kind of the intent, with no model; a model's own are read
in `analyst.model.questions` and are filled up with these. Components and prose are looked for by query.
Paper: NotebookRAG §4.2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.phrases import main_flow, main_time
from lakebook.analyst.table import Table, TableColumn, Use
from lakebook.analyst.vocabulary import CALENDAR_WORDS, name_tokens
from lakebook.retrieval.result import EdaQuery

MOST_QUERIES = 12
_MOST_GROUPS, _MOST_COLUMNS = 4, 6
_NUMBERS: tuple[Use, ...] = ("flow", "ratio", "count", "stock")
_GROUPS: tuple[Use, ...] = ("dim", "geo", "boolean", "list", "ordinal")

_ASKS: dict[IntentKind, str] = {
    "forecast": "the question asks for a forecast",
    "anomaly": "the question asks what is unusual",
    "classify": "the question asks for a class",
    "regress": "the question asks what explains a number",
    "compare": "the question compares",
    "describe": "the question asks for an overview",
    "segment": "the question asks for natural groups",
}


@dataclass(frozen=True, slots=True)
class Draft:
    """A query before it has a number."""

    goal: str
    columns: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class _Roles:
    """The columns that queries are made of."""

    target: str
    time: str
    groups: tuple[str, ...]
    numbers: tuple[str, ...]


def eda_queries(intent: Intent, table: Table) -> tuple[EdaQuery, ...]:
    """Break the intent into at most 12 queries: what it names first, then what its kind asks for."""
    return numbered(offline_drafts(intent, table), intent, table)


def numbered(drafts: Iterable[Draft], intent: Intent, table: Table) -> tuple[EdaQuery, ...]:
    """Number the first drafts that differ; every column that the intent names is in one of them.

    Drafts whose columns the table does not have, or that have none, are left out.
    """
    known = {column.name for column in table.columns}
    distinct = list({(one.goal, one.columns): one for one in reversed(list(drafts))}.values())[::-1]
    fit = [one for one in distinct if one.columns and set(one.columns) <= known]
    wanted = [name for name in dict.fromkeys((intent.target, *intent.columns)) if name in known]
    chosen = fit[:MOST_QUERIES]
    for name in wanted:
        if any(name in one.columns for one in chosen):
            continue
        about = next(
            (one for one in fit if name in one.columns), _distribution(name, "the question names it")
        )
        spare = next(
            (at for at in range(len(chosen) - 1, -1, -1) if not set(chosen[at].columns) & set(wanted)), -1
        )
        if len(chosen) < MOST_QUERIES:
            chosen.append(about)
        else:
            chosen[spare] = about
    return tuple(EdaQuery(f"q{n:02d}", one.goal, one.columns, one.why) for n, one in enumerate(chosen, 1))


def offline_drafts(intent: Intent, table: Table) -> Iterator[Draft]:
    """Yield queries in the order of their worth for the intent."""
    flow, time = main_flow(table, intent.target), main_time(table)
    target = intent.target or (flow.name if flow else "")
    numbers = [column.name for column in table.having(*_NUMBERS) if column.name != target]
    numbers.sort(key=lambda name: name not in intent.columns)
    roles = _Roles(target, time.name if time else "", _groups(intent, table), tuple(numbers))
    yield from _named(intent, table, roles)
    makers: dict[IntentKind, tuple[Callable[[_Roles, str], Iterator[Draft]], ...]] = {
        "forecast": (_over_time, _by_group, _relations, _shapes),
        "anomaly": (_shapes, _over_time, _by_group, _relations),
        "classify": (_shapes, _by_group, _relations, _over_time),
        "regress": (_relations, _by_group, _shapes, _over_time),
        "compare": (_by_group, _relations, _over_time, _shapes),
        "describe": (_shapes, _by_group, _over_time, _relations),
        "segment": (_by_group, _shapes, _relations, _over_time),
    }
    first, *rest = makers[intent.kind]
    further = [(makers[kind][0], kind) for kind in intent.others]
    for make, kind in [(first, intent.kind), *further, *((make, intent.kind) for make in rest)]:
        yield from make(roles, _ASKS[kind])
    for name in (*roles.numbers, *roles.groups):
        yield _distribution(name, "a column that says something of every row")
    blank = tuple(column.name for column in table.columns if column.nulls)[:_MOST_COLUMNS]
    yield Draft("Missing values", blank, "these columns have blanks")


def _named(intent: Intent, table: Table, roles: _Roles) -> Iterator[Draft]:
    """Yield a query for each column that the question names beside its target."""
    for name in intent.columns:
        if name in (roles.target, "") or name not in {column.name for column in table.columns}:
            continue
        yield _about(table.column(name), roles)


def _about(column: TableColumn, roles: _Roles) -> Draft:
    name, target = column.name, roles.target
    why = f"the question names {name}"
    if column.use == "time":
        return Draft(f"Development of {target or 'rows'} over time", _some(name, target), why)
    if target and column.use in _GROUPS:
        return Draft(f"Comparison of {target} by {name}", (target, name), why)
    if target and column.use in _NUMBERS:
        return Draft(f"Relation of {target} and {name}", (target, name), why)
    return _distribution(name, why)


def _groups(intent: Intent, table: Table) -> tuple[str, ...]:
    """Return the columns to group by, those that the intent names first."""
    fixed = {b for _, b in table.structure.determined}
    columns = [column for column in table.having(*_GROUPS) if column.name != intent.target]
    columns = [column for column in columns if column.distinct <= max(60, 0.2 * table.rows)]
    if table.having("time"):
        columns = [
            column
            for column in columns
            if not (column.use == "ordinal" and CALENDAR_WORDS & set(name_tokens(column.name)))
        ]
    ranked = sorted(columns, key=lambda c: (c.name not in intent.columns, c.name in fixed, c.distinct > 60))
    return tuple(column.name for column in ranked[:_MOST_GROUPS])


def _over_time(roles: _Roles, why: str) -> Iterator[Draft]:
    if not roles.time:
        return
    what, time = roles.target or "rows", roles.time
    why = f"{why}; {time} says when"
    yield Draft(f"Development of {what} over time", _some(time, roles.target), why)
    if roles.target:
        yield Draft(f"Seasonal pattern of {what} by month or week", (time, roles.target), why)
    for group in roles.groups[:2]:
        yield Draft(f"Development of {what} over time by {group}", _some(time, roles.target, group), why)


def _by_group(roles: _Roles, why: str) -> Iterator[Draft]:
    target = roles.target
    for group in roles.groups[:3]:
        goal = f"Comparison of {target} by {group}" if target else f"Number of rows by {group}"
        yield Draft(goal, _some(target, group), f"{why}; {group} cuts the rows into groups")
    for a, b in pairwise(roles.groups[:2] if target else roles.groups):
        goal = f"{target} by {a} and {b}" if target else f"{a} by {b}"
        yield Draft(goal, _some(target, a, b), f"{why}; {a} and {b} cut the rows into groups")


def _relations(roles: _Roles, why: str) -> Iterator[Draft]:
    target = roles.target
    for name in roles.numbers[:3] if target else ():
        yield Draft(f"Relation of {target} and {name}", (target, name), f"{why}; {name} is a number too")
    if len(roles.numbers) > 1:
        columns = _some(target, *roles.numbers)[:_MOST_COLUMNS]
        yield Draft("Correlation of the numeric columns", columns, f"{why}; these are the numbers")


def _shapes(roles: _Roles, why: str) -> Iterator[Draft]:
    if roles.target:
        yield _distribution(roles.target, f"{why}; {roles.target} is what it is about")
    for name in roles.numbers[:1] if roles.target else roles.groups[:2]:
        yield _distribution(name, why)


def _distribution(name: str, why: str) -> Draft:
    return Draft(f"Distribution of {name}", (name,), why)


def _some(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))

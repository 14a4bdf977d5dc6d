"""Mending where aggregates and columns stand: a missing GROUP BY, an aggregate among the conditions."""

from __future__ import annotations

from sqlglot import exp

from lakebook.validation.knowledge import Knowledge
from lakebook.validation.repair.failure import Failure, Proposal
from lakebook.validation.statement import conjuncts, text


def group_by_missing(failure: Failure, knowledge: Knowledge) -> Proposal | None:
    """Group by the plain columns that are shown beside aggregates, where nothing is grouped.

    A GROUP BY that is there is left alone: another column would change what a row stands for.
    """
    tree = failure.parsed().tree
    if "GROUP BY" not in failure.told or not isinstance(tree, exp.Select) or tree.args.get("group"):
        return None
    shown = [item.this if isinstance(item, exp.Alias) else item for item in tree.expressions]
    plain = [item for item in shown if isinstance(item, exp.Column) and not isinstance(item.this, exp.Star)]
    counted = [item for item in shown if item.find(exp.AggFunc)]
    if not plain or not counted or len(plain) + len(counted) != len(shown):
        return None
    tree.group_by(*(item.copy() for item in plain), copy=False)
    return Proposal("group", text(tree), f"rows are grouped by {', '.join(text(item) for item in plain)}")


def aggregate_among_conditions(failure: Failure, knowledge: Knowledge) -> Proposal | None:
    """Move conditions on aggregates from WHERE to HAVING, where rows are grouped."""
    tree = failure.parsed().tree
    where = tree.args.get("where") if isinstance(tree, exp.Select) else None
    if (
        "WHERE clause cannot contain aggregates" not in failure.told
        or where is None
        or not tree.args.get("group")
    ):
        return None
    conditions = conjuncts(where)
    moved = [one for one in conditions if one.find(exp.AggFunc)]
    stays = [one for one in conditions if one not in moved]
    tree.set("where", exp.Where(this=exp.and_(*(one.copy() for one in stays))) if stays else None)
    for one in moved:
        tree.having(one.copy(), copy=False)
    return Proposal("having", text(tree), f"{', '.join(text(one) for one in moved)} is tested after grouping")

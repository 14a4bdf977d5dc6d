"""EDA queries as a model proposes them: taken over only where they name columns that are there.

What belongs here: judging the proposal, and saying what of it was left out. Goals are words to search with;
one that states a number is dropped, since nothing has been computed yet. Paper: NotebookRAG §4.2.3.
"""

from __future__ import annotations

import re

from lakebook.analyst.model.protocol import BadReply, json_in
from lakebook.analyst.table import Table
from lakebook.retrieval.queries import MOST_QUERIES, Draft

FEWEST = 2
_LONGEST = 160
_MOST_COLUMNS = 6


def drafts_from(
    text: str, model: str, question: str, table: Table
) -> tuple[tuple[Draft, ...], tuple[str, ...]]:
    """Take queries out of a model's reply.

    Args:
        text: the reply.
        model: its name, for the reason of each query.
        question: what was asked; numbers in it may stand in a goal.
        table: of what.

    Returns:
        The queries that stand up, and a sentence for each thing that was left out.

    Raises:
        BadReply: no JSON, or fewer than two queries stand up.
    """
    proposed = json_in(text).get("queries")
    if not isinstance(proposed, list):
        raise BadReply("it holds no list of queries")
    known = {column.name for column in table.columns}
    allowed = set(re.findall(r"\d+", " ".join((question, *known))))
    drafts: list[Draft] = []
    left_out: list[str] = []
    for entry in proposed[: 2 * MOST_QUERIES]:
        goal, columns = (entry.get("goal"), entry.get("columns")) if isinstance(entry, dict) else ("", [])
        if not isinstance(goal, str) or not isinstance(columns, list) or not goal.strip():
            left_out.append("a query without a goal or columns")
            continue
        said = " ".join(goal.split())
        strange = [str(name) for name in columns if not isinstance(name, str) or name not in known]
        there = tuple(dict.fromkeys(name for name in columns if isinstance(name, str) and name in known))
        if strange:
            left_out.append(f"{len(strange)} unknown columns of a query")
        if not there:
            left_out.append("a query with no column of the table")
        elif len(said) > _LONGEST or set(re.findall(r"\d+", said)) - allowed:
            left_out.append("a query that states a number or is too long")
        else:
            drafts.append(Draft(said, there[:_MOST_COLUMNS], f"asked by the model {model}"))
    if len(drafts) < FEWEST:
        raise BadReply("fewer than two of its queries stand up")
    return tuple(drafts[:MOST_QUERIES]), tuple(dict.fromkeys(left_out))

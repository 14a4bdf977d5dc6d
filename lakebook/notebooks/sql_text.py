"""Parses texts of SQL that notebooks hold, whatever engine they were written for.

What the statements touch is for `slicing.sql` to say, what their results are made of for `lineage.queries`.
"""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot.exp import Expression

_LONGEST = 20_000


@lru_cache(maxsize=512)
def statements_of(text: str, dialects: tuple[str, ...]) -> tuple[Expression, ...] | None:
    """Return the statements of a text in the first dialect that it parses in, None if there is none."""
    import sqlglot

    if len(text) > _LONGEST:
        return None
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    for dialect in dialects:
        try:
            return tuple(one for one in sqlglot.parse(text, read=dialect) if one is not None)
        except (sqlglot.errors.SqlglotError, RecursionError):
            continue
    return None

"""The question as a model reads it: taken over only where it names things that are there.

What belongs here: judging the proposal. Nothing that the model wrote freely reaches a reader; what is shown
is put together from columns of the table and words of the question. Paper: NotebookRAG §4.2.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.intent_reader import MEASURES
from lakebook.analyst.model.privacy import KINDS
from lakebook.analyst.model.protocol import BadReply, json_in
from lakebook.analyst.table import Table

_CLASSES = ("boolean", "dim", "ordinal", "geo")
_NEEDS_NUMBER = ("forecast", "regress", "compare", "anomaly")


def intent_from(text: str, offline: Intent, table: Table) -> Intent:
    """Take an intent out of a model's reply.

    Args:
        text: the reply.
        offline: how the offline analyst read the same question.
        table: what it is asked of.

    Raises:
        BadReply: no JSON, an unknown kind or column, or a target that does not fit the kind.
    """
    proposal = json_in(text)
    kind = proposal.get("kind")
    if kind not in KINDS:
        raise BadReply("it names no known kind of analysis")
    names = {column.name for column in table.columns}
    target = proposal.get("target") or ""
    columns = proposal.get("columns") or []
    if not isinstance(target, str) or not isinstance(columns, list):
        raise BadReply("its target or columns are not names")
    for name in (target, *columns) if target else columns:
        if not isinstance(name, str) or name not in names:
            raise BadReply("it names a column that the table does not have")
    _require_fit(kind, target, offline, table)
    words = _words(proposal, offline.text, names)
    return replace(
        offline,
        kind=cast(IntentKind, kind),
        others=tuple(other for other in offline.others if other != kind),
        target=target,
        columns=tuple(dict.fromkeys(columns)),
        words=words,
        assumptions=(),
    )


def _require_fit(kind: str, target: str, offline: Intent, table: Table) -> None:
    if not target:
        if kind in (*_NEEDS_NUMBER, "classify") and offline.target:
            raise BadReply("it names no target")
        return
    use = table.column(target).use
    if use in ("empty", "constant", "key"):
        raise BadReply("its target tells rows apart or never changes")
    if (kind in _NEEDS_NUMBER and use not in MEASURES) or (kind == "classify" and use not in _CLASSES):
        raise BadReply("its target does not fit the kind of analysis")


def _words(proposal: Mapping[str, Any], question: str, names: set[str]) -> tuple[str, ...]:
    """Return how words were read, those only that stand in the question and mean a column."""
    read = []
    given = proposal.get("words")
    for entry in given if isinstance(given, list) else ():
        word, column = (entry.get("word"), entry.get("column")) if isinstance(entry, dict) else ("", "")
        if not isinstance(word, str) or not isinstance(column, str):
            continue
        if word.strip() and word.casefold() in question.casefold() and column in names:
            read.append(f"“{word.strip()}”: column {column}")
    return tuple(dict.fromkeys(read))

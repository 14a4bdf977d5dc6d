"""Small pieces of text that plays share: names in sentences, lists in words, identifiers, common claims.

What belongs here: wording without any finding in it. What does not: the sentences of a play, and numbers,
which only enter a text as claims (see `render`).
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from lakebook.analyst.intent import IntentKind
from lakebook.analyst.play import ClaimDraft
from lakebook.analyst.table import Table, TableColumn

INTENT_KINDS: tuple[IntentKind, ...] = (
    "forecast",
    "classify",
    "regress",
    "compare",
    "describe",
    "anomaly",
    "segment",
)


def everywhere(weight: float, **others: float) -> Mapping[IntentKind, float]:
    """Return the same relevance for every intent but those named."""
    return {kind: others.get(kind, weight) for kind in INTENT_KINDS}


def quoted(name: str) -> str:
    """Write a column or member name as it is; in quotes if it has no letter and would read as a number."""
    plain = " ".join(str(name).split())
    return plain if any(letter.isalpha() for letter in plain) else f"“{plain}”"


def listed(names: Iterable[str], most: int = 6, quote: bool = True) -> str:
    """Write names as a list in words: a, b and c; of a long list the first ones and "and others"."""
    written = [quoted(name) if quote else name for name in names]
    if len(written) > most:
        return ", ".join(written[:most]) + " and others"
    return " and ".join([", ".join(written[:-1]), written[-1]]) if len(written) > 1 else "".join(written)


def identifier(*words: str) -> str:
    """Make a readable Python name of words: ("trend", "Average Price") gives trend_average_price."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", "_".join(str(word) for word in words))
    plain = unicodedata.normalize("NFKD", spaced).encode("ascii", "ignore").decode()
    slug = re.sub(r"\W+", "_", plain).strip("_").casefold()
    slug = re.sub(r"_+", "_", slug)[:50].strip("_") or "result"
    return f"n_{slug}" if slug[0].isdigit() or keyword.iskeyword(slug) else slug


def number(name: str, expression: str, spec: str = ",d") -> ClaimDraft:
    """Draft a claim that is a number."""
    return ClaimDraft(name, expression, spec)


def spec_for(*values: float | None) -> str:
    """Return a format with about three telling digits for numbers of this size."""
    size = max((abs(value) for value in values if value is not None), default=0.0)
    if size >= 1000:
        return ",.0f"
    return ",.1f" if size >= 100 else ",.2f" if size >= 1 else ",.3f"


def label(name: str, expression: str) -> ClaimDraft:
    """Draft a claim that is a name, a date or a list in words."""
    return ClaimDraft(name, expression, kind="label")


def holds(name: str, expression: str, shown: str, absence: bool = False) -> ClaimDraft:
    """Draft a word that may only be used if the expression is true."""
    return ClaimDraft(name, expression, kind="absence" if absence else "direction", shown=shown)


def short_title(text: str, most: int = 80) -> str:
    """Cut a title at a word if it is too long, and leave no number of a claim's kind in it."""
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def main_time(table: Table) -> TableColumn | None:
    """Return the time column that the table is ordered by: the one with fewest blanks, first in the file."""
    times = [column for column in table.having("time") if column.nulls <= 0.5 * max(table.rows, 1)]
    return min(times, key=lambda column: column.nulls > 0.02 * table.rows, default=None)


def main_flow(table: Table, target: str = "") -> TableColumn | None:
    """Return the column whose sum measures the whole: the target if it adds up, else the widest flow."""
    flows = [column for column in table.having("flow", "count") if column.nulls <= 0.5 * table.rows]
    named = [column for column in flows if column.name == target]
    wide = [column for column in flows if column.use == "flow"] or flows
    return next(iter([*named, *sorted(wide, key=lambda c: (-reach(c), table.columns.index(c)))]), None)


def reach(column: TableColumn) -> float:
    """Return the largest value of a column in size, 0 if it has none."""
    try:
        return max(abs(float(column.min or 0)), abs(float(column.max or 0)))
    except ValueError:
        return 0.0


def names_of(columns: Sequence[TableColumn]) -> list[str]:
    """Return the names of columns."""
    return [column.name for column in columns]

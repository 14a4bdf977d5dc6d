"""What the model is told: the first turn, what comes back of a batch, and what is said of a bad reply.

What belongs here: the words of the loop. Everything that comes of data is put into words by
`analyst.model.privacy`, at the level that is set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources

from lakebook.analyst.model.privacy import evidence_text, record_text, schema_text, table_name
from lakebook.exploration.evidence import Evidence
from lakebook.exploration.search import SearchResult
from lakebook.operators.record import ExecutionRecord
from lakebook.settings import Privacy
from lakebook.sources.card import SourceMap
from lakebook.validation.contract import Contract
from lakebook.validation.knowledge import Knowledge, KnownTable

TABLES_DESCRIBED = 4
TABLES_NAMED = 40
EVIDENCE_SHOWN = 4
CELL_LETTERS = 40

_KINDS: Mapping[str, str] = {
    "number": "one number",
    "integer": "one whole number",
    "text": "a text",
    "boolean": "yes or no",
    "date": "a date",
    "list": "a list of values",
    "table": "a table: refer to its record whole, as {r001}",
    "file": "a file that your Python writes",
}


@cache
def prompt(name: str) -> str:
    """Return one of the prompts of this package."""
    place = resources.files("lakebook") / "agent" / "prompts" / f"{name}.md"
    return place.read_text(encoding="utf-8")


def first_turn(
    question: str,
    contract: Contract,
    source_map: SourceMap,
    knowledge: Knowledge,
    found: SearchResult | None,
    privacy: Privacy,
) -> str:
    """Return the first turn: the tables that exploration chose, its evidence, and the question.

    Without exploration (None) only the names of the tables are given, with their files and numbers of rows.
    """
    parts = []
    described: Sequence[KnownTable] = ()
    if found is not None:
        described = chosen_tables(found, source_map, knowledge)
        parts.append("Tables:\n" + schema_text(described, privacy))
        evidence = _telling(found.evidence)
        if evidence:
            parts.append("Found in the sources, quoted:\n" + evidence_text(evidence, privacy))
    names = {table.name for table in described}
    others = [table for table in knowledge.tables.values() if table.name not in names]
    if others:
        listed = ", ".join(
            f"{table_name(table, privacy)} ({table.rows:,} rows)" for table in others[:TABLES_NAMED]
        )
        more = f" and {len(others) - TABLES_NAMED:,} more" if len(others) > TABLES_NAMED else ""
        lead = "Further tables" if described else "Tables, whose columns you have to Inspect first"
        parts.append(f"{lead}: {listed}{more}")
    parts.append(f"Question: {question}")
    wanted = wanted_form(contract)
    if wanted:
        parts.append(wanted)
    return "\n\n".join(parts)


def _telling(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the pieces that tell more than the tables' own description, short.

    Passages and values first; of rows the first, and only where nothing else was found.
    """
    texts = [one for one in evidence if isinstance(one.text_or_rows, str) and one.text_or_rows]
    rows = [one for one in evidence if not isinstance(one.text_or_rows, str) and one.text_or_rows]
    return texts[:EVIDENCE_SHOWN] or [_first_row(one) for one in rows[:1]]


def _first_row(one: Evidence) -> Evidence:
    """Return the first row of a piece, its cells cut."""
    if isinstance(one.text_or_rows, str):
        return one
    first = {name: value[:CELL_LETTERS] for name, value in one.text_or_rows[0].items()}
    return replace(one, text_or_rows=(first,))


def chosen_tables(found: SearchResult, source_map: SourceMap, knowledge: Knowledge) -> tuple[KnownTable, ...]:
    """Return the tables of the groups that were found, in their order, the chosen ones first.

    A group that can be read as one table stands before its members.
    """
    names: list[str] = []
    groups = {group.id: group for group in source_map.groups}
    for group in sorted(found.groups, key=lambda one: not one.chosen):
        known = groups.get(group.id)
        if known is not None and known.table and not group.selected:
            names.append(known.table)
        for member in group.selected or group.matched or group.members:
            path, _, unit = member.partition("#")
            card = source_map.card(member) or source_map.card(path)
            if card is not None:
                names += [one.table for one in card.units if one.table and (not unit or one.unit == unit)]
    tables = [knowledge.table(name) for name in dict.fromkeys(names)]
    return tuple(table for table in tables if table is not None)[:TABLES_DESCRIBED]


def wanted_form(contract: Contract) -> str:
    """Say what form the answer is to have, "" if any will do."""
    said = _KINDS.get(contract.type or "", "")
    if contract.decimals is not None:
        said += f"{', ' if said else 'numbers '}rounded to {contract.decimals} decimals"
    if contract.unit:
        said += f"{', ' if said else 'numbers '}in {contract.unit}"
    if contract.length is not None:
        said += f", {contract.length} of them"
    if contract.choices:
        said += f", one of: {', '.join(contract.choices)}"
    return f"The answer is to be {said}." if said else ""


def feedback(
    records: Sequence[ExecutionRecord], notes: Sequence[str], privacy: Privacy, names: Sequence[str]
) -> str:
    """Return what a batch gave, and what the loop has to say of it."""
    parts = [record_text(record, privacy, names=names) for record in records]
    inside = "\n".join([*parts, *notes])
    return f"<Execute>\n{inside}\n</Execute>\n{_next(records, notes)}"


def _next(records: Sequence[ExecutionRecord], notes: Sequence[str]) -> str:
    """Say what may be done next; small models need to be told."""
    if notes and not records:
        return "Do what is said above: write another query in <Code>, or another <Answer>."
    if any(record.verdict == "reject" or record.error for record in records):
        return "Mend what was rejected or failed, and send it again in <Code>."
    if any(record.verdict == "advise" for record in records):
        return "If a finding shows a mistake, mend the query in <Code>. Else write the <Answer>."
    return "If this answers the question, write the <Answer> with references. Else go on in <Code>."


def complaint(words: str) -> str:
    """Return what is said of a reply that cannot be used."""
    return f"{words}\nReply with <Code> or <Answer> and nothing else."


def last_round() -> str:
    """Return what is said before the last reply."""
    return "This is your last reply: write the <Answer> with references to the results that there are."

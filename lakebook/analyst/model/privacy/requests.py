"""The requests of the main job and of searches: each decides what it holds at which level (`privacy`).

What belongs here: one function a question. Facts go in as JSON, which keeps data data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, get_args

import orjson

from lakebook.analyst.claim import Claim, Insight
from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.model.privacy.levels import NotAllowed, require
from lakebook.analyst.model.privacy.shown import shown_path
from lakebook.analyst.model.protocol import EmbeddingRequest, Request
from lakebook.analyst.table import Table
from lakebook.exploration.selection import Candidate
from lakebook.settings import Privacy

KINDS: tuple[str, ...] = get_args(IntentKind)
MOST_NAMES_IN_SCHEMA = 200
FEWEST, MOST = 3, 6
MOST_GROUPS = 5
_MEMBERS, _COLUMNS = 3, 40
_CODE = 6_000
_ROOM = 300  # tokens that a mended piece of code may have beside those of the piece
_TOKENS_A_FIGURE = 300
_PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")


@dataclass(frozen=True, slots=True)
class Statement:
    """An insight as it may leave: `text` has `{c012}` for every claim; the claims stay here."""

    text: str
    insight: Insight

    @property
    def claims(self) -> Mapping[str, Claim]:
        """The claims by id, in the order of the text."""
        known = {claim.id: claim for claim in self.insight.claims}
        return {name: known[name] for name in _PLACE.findall(self.text) if name in known}


def intent_request(question: str, table: Table) -> Request:
    """Ask how a question is to be read against a table's columns."""
    names = [column.name for column in table.columns]
    facts = {
        "question": question,
        "rows": table.rows,
        "columns": [{"name": c.name, "type": c.dtype, "use": c.use} for c in table.columns],
    }
    column: dict[str, Any] = {"type": "string"}
    if len(names) <= MOST_NAMES_IN_SCHEMA:
        column = {"type": "string", "enum": names}
    target = column | ({"enum": ["", *names]} if "enum" in column else {})
    word = json_shape({"word": {"type": "string"}, "column": column})
    shape = json_shape(
        {
            "kind": {"type": "string", "enum": list(KINDS)},
            "target": target,
            "columns": {"type": "array", "items": column},
            "words": {"type": "array", "items": word},
        }
    )
    return json_request("intent", facts, shape)


def queries_request(intent: Intent, table: Table) -> Request:
    """Ask which questions an intent breaks into, each with columns of the table."""
    names = [column.name for column in table.columns]
    facts = {
        "question": intent.text,
        "kind": intent.kind,
        "target": intent.target,
        "rows": table.rows,
        "columns": [{"name": c.name, "type": c.dtype, "use": c.use} for c in table.columns],
    }
    column: dict[str, Any] = {"type": "string"}
    if len(names) <= MOST_NAMES_IN_SCHEMA:
        column = {"type": "string", "enum": names}
    query = json_shape({"goal": {"type": "string"}, "columns": {"type": "array", "items": column}})
    return json_request(
        "queries", facts, json_shape({"queries": {"type": "array", "items": query, "maxItems": 12}})
    )


def statement_of(insight: Insight) -> Statement | None:
    """Return the insight with claim ids for places; None if it is not verified or a place has no claim."""
    ids = {claim.name: claim.id for claim in insight.claims}
    places = _PLACE.findall(insight.template)
    if insight.verdict == "withheld" or not places or not set(places) <= set(ids):
        return None
    return Statement(_PLACE.sub(lambda match: f"{{{ids[match.group(1)]}}}", insight.template), insight)


def summary_request(question: str, target: str, statements: Sequence[Statement], privacy: Privacy) -> Request:
    """Ask for the summary of published insights, of `FEWEST` to `MOST` sentences.

    Raises:
        NotAllowed: under `schema` no sentence about the data leaves.
    """
    require(privacy, "samples", "finding")
    facts = {
        "question": question,
        "target": target,
        "findings": [statement.text for statement in statements],
        "claims": {name: _gloss(claim) for one in statements for name, claim in one.claims.items()},
    }
    sentences = {"type": "array", "items": {"type": "string"}, "minItems": FEWEST, "maxItems": MOST}
    return json_request("summary", facts, json_shape({"sentences": sentences}))


def figure_request(question: str, drawn: str, picture: bytes | None, privacy: Privacy) -> Request:
    """Ask what a figure says of a question, from its picture, or from what it draws as text.

    Args:
        question: the intent.
        drawn: labels and axes; with no picture the drawn values too.
        picture: PNG, None to go without.
        privacy: as set.

    Raises:
        NotAllowed: neither leaves unless privacy is `full`.
    """
    require(privacy, "full", "figure")
    sentences = {"type": "array", "items": {"type": "string"}, "maxItems": MOST}
    request = json_request(
        "figure", {"question": question, "figure": drawn}, json_shape({"sentences": sentences})
    )
    return replace(request, images=(picture,) if picture else (), max_tokens=_TOKENS_A_FIGURE)


def sources_request(question: str, candidates: Sequence[Candidate], privacy: Privacy) -> Request:
    """Ask which groups of sources a question needs; groups go by a letter and a number (`G1`)."""
    ids = [f"G{number}" for number in range(1, len(candidates) + 1)]
    groups = [
        {
            "group": name,
            "files": [shown_path(path, privacy) for path in candidate.members[:_MEMBERS]],
            "count": candidate.count,
            "rows": candidate.rows,
            "columns": [{"name": column, "type": kind} for column, kind in candidate.columns[:_COLUMNS]],
        }
        for name, candidate in zip(ids, candidates, strict=True)
    ]
    chosen = {
        "type": "array",
        "items": {"type": "string", "enum": ids},
        "minItems": 1,
        "maxItems": MOST_GROUPS,
    }
    return json_request("sources", {"question": question, "groups": groups}, json_shape({"groups": chosen}))


def columns_request(
    before: str, target: str, columns: Sequence[str], chart_types: Sequence[str], privacy: Privacy
) -> Request:
    """Ask which columns the charts of some code show; the code is cut to its last `_CODE` characters.

    Args:
        before: code that prepares the data, as `bare_code` leaves it.
        target: code that draws, likewise.
        columns: names that may be answered.
        chart_types: those that may be answered.
        privacy: as set.

    Raises:
        NotAllowed: under `schema` no code leaves.
    """
    require(privacy, "samples", "code")
    facts = {
        "before": before[-_CODE:],
        "target": target[-_CODE:],
        "columns": list(columns),
        "chart_types": list(chart_types),
    }
    column: dict[str, Any] = {"type": "string"}
    if len(columns) <= MOST_NAMES_IN_SCHEMA:
        column = {"type": "string", "enum": list(columns)}
    kind = {"type": "string", "enum": list(chart_types)}
    shape = json_shape(
        {
            "columns": {"type": "array", "items": column},
            "chart_types": {"type": "array", "items": kind},
        }
    )
    return json_request("columns", facts, shape)


def repair_request(
    code: str, error: str, line: str, columns: Sequence[tuple[str, str]], privacy: Privacy
) -> Request:
    """Ask for a mended piece of code; its texts and numbers, and those of the error, are hidden before.

    Args:
        code: as `enhancement.hidden` leaves it.
        error: how it fails, likewise.
        line: where it fails, likewise.
        columns: name and type of every column that its table has.
        privacy: as set.

    Raises:
        NotAllowed: under `schema` no code leaves; or the code is too long to be sent whole.
    """
    require(privacy, "samples", "code")
    if len(code) > _CODE:
        raise NotAllowed(f"the code has more than {_CODE} characters")
    facts = {
        "code": code,
        "error": error,
        "line": line,
        "columns": [{"name": name, "type": kind} for name, kind in columns[:MOST_NAMES_IN_SCHEMA]],
    }
    request = json_request("repair", facts, json_shape({"code": {"type": "string"}}))
    return replace(request, max_tokens=len(code) // 2 + _ROOM)


def question_embedding(question: str) -> EmbeddingRequest:
    """Ask for the vector of a question."""
    return EmbeddingRequest((question,))


def sources_embedding(candidates: Sequence[Candidate], privacy: Privacy) -> EmbeddingRequest:
    """Ask for vectors of groups, described by paths and names of columns; no value is in them."""
    texts = []
    for candidate in candidates:
        columns = ", ".join(name for name, _ in candidate.columns[:_COLUMNS])
        paths = " ".join(shown_path(path, privacy) for path in candidate.members[:1])
        texts.append(f"{paths}: {columns}")
    return EmbeddingRequest(tuple(texts))


def prose_embedding(texts: Sequence[str], privacy: Privacy) -> EmbeddingRequest:
    """Ask for vectors of goals and of passages of old notebooks, whose secrets were masked in reading.

    Raises:
        NotAllowed: under `schema` no prose leaves.
    """
    require(privacy, "samples", "prose")
    return EmbeddingRequest(tuple(texts))


def again(request: Request, reply: str, fault: str) -> Request:
    """Ask once more, with the model's own words and what is wrong with them."""
    complaint = f"That cannot be used: {fault}. Write the whole reply anew, as JSON, and keep to every rule."
    return replace(request, messages=(*request.messages, ("assistant", reply), ("user", complaint)))


def probe_request() -> Request:
    """Ask for nothing: does the endpoint answer at all?"""
    ready = {"ready": {"type": "boolean"}}
    question = 'Reply with the JSON object {"ready": true} and nothing else.'
    return Request("test", (("user", question),), json_shape(ready), max_tokens=50)


def json_request(purpose: str, facts: Mapping[str, Any], shape: Mapping[str, Any]) -> Request:
    """Put facts into a request as JSON, which keeps data data: no text of a file stands free in a prompt."""
    return Request(purpose, (("system", prompt(purpose)), ("user", orjson.dumps(facts).decode())), shape)


def _gloss(claim: Claim) -> str:
    """Say what a placeholder stands for; the words of a direction are ours, numbers and names stay here."""
    if claim.kind in ("direction", "absence"):
        return f"the words “{claim.shown}”"
    return "a number" if claim.format else "a name or date"


def json_shape(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


@cache
def prompt(name: str) -> str:
    """Return the standing words of a kind of request."""
    place = resources.files("lakebook") / "analyst" / "model" / "prompts" / f"{name}.md"
    return place.read_text(encoding="utf-8")

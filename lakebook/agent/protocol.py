"""The action protocol: what a reply asks for, read leniently and taken strictly (RADAR §3.1, DA-Studio §3).

One protocol for two kinds of model: one that writes Python inside <Code>, as DeepAnalyze does, and one that
writes SQL blocks or JSON batches of typed operations. Either way a reply becomes the same `Turn`. What is run
is decided by the pydantic models of the operators, never by what was guessed here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from lakebook.agent.blocks import Block, blocks, fences, json_values
from lakebook.agent.names import Columns, with_real_names
from lakebook.agent.python_code import prepare
from lakebook.agent.tags import Section, Tag, sections, tag, without_tags
from lakebook.analyst.model.protocol import BadReply
from lakebook.errors import OperatorError
from lakebook.operators.arguments import OPERATORS, Operation, read_operation
from lakebook.syntax import parse_python

MOST_OPERATIONS = 8

_NAMES = {name.lower(): name for name in OPERATORS} | {"python": "Compute", "sql": "Query"}
_BATCH_KEYS = ("operations", "batch", "actions", "steps")
_KIND_KEYS = ("operator", "operation", "action", "tool", "name", "type")
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "input")
_LINE = re.compile(r"^\s*(?:[-*]\s*)?\**(value|assumptions?|assumed)\**\s*:\**\s*(.+?)\s*$", re.I | re.M)
_PLACE = re.compile(r"\{\s*r\d{3,}\b[^{}\n]*\}")


class Malformed(BadReply):
    """A reply that asks for nothing that can be done; the complaint says what to write instead."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer as a model wrote it: references still stand for values.

    Attributes:
        text: the sentence. `value`: the bare value, by reference or as written; "" if none was set apart.
        assumptions: what was taken to be meant.
        artifacts: paths of files that belong to it.
    """

    text: str
    value: str = ""
    assumptions: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply, read: thoughts, a batch of operations, and an answer or a question to the person.

    Attributes:
        thoughts: (tag, text), in order; they are shown and kept, and nothing follows from them.
        operations: in order, valid as arguments; an Answer among them is `answer` instead.
        notes: what was read otherwise than it was written.
        unasked: names of outputs that nobody asked for: they name what a block prints.
    """

    thoughts: tuple[tuple[Tag, str], ...] = ()
    operations: tuple[Operation, ...] = ()
    answer: Draft | None = None
    ask: str = ""
    notes: tuple[str, ...] = ()
    unasked: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a reply is read against.

    Attributes:
        tables: names of the tables that there are; those that Python code uses become its inputs.
        files: path or name of a file -> the table that the lake made of it.
        earlier: code that ran before, whose names later code may use.
        columns: of each table, by which names in SQL are read.
    """

    tables: Collection[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    earlier: Sequence[str] = ()
    columns: Columns = field(default_factory=dict)


NOWHERE = Surroundings()


def read_reply(reply: str, around: Surroundings = NOWHERE, *, cut: bool = False) -> Turn:
    """Read a reply.

    Args:
        reply: what the model wrote.
        around: what it may refer to.
        cut: the reply ended at the limit of its length, so that its last section may be half of one.

    Raises:
        Malformed: it holds no operation, no answer and no question, or an operation with wrong arguments.
    """
    found = sections(reply)
    if cut and found and not (found[-1].closed and found[-1].tag):
        found = found[:-1]
        if not any(section.tag in ("Code", "Answer", "Ask") for section in found):
            raise Malformed("the reply was cut off", "Your reply was too long and was cut off. Write less.")
    reader = _Reader(around)
    for section in found:
        reader.take(section)
    return reader.turn(found)


class _Reader:
    """Gathers what the sections of one reply ask for."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._thoughts: list[tuple[Tag, str]] = []
        self._operations: list[dict[str, Any]] = []
        self._answer: Draft | None = None
        self._ask = ""
        self._notes: list[str] = []
        self._unasked: set[str] = set()

    def take(self, section: Section) -> None:
        """Take a section for what its tag says."""
        match section.tag:
            case "Code":
                self._take_code(blocks(section.text))
            case "Answer":
                self._take_answer(section.text)
            case "Ask":
                self._ask = self._ask or without_tags(section.text)
            case "Analyze" | "Understand":
                self._thoughts.append((section.tag, without_tags(section.text)))
            case _:
                self._take_untagged(section.text)

    def turn(self, found: Sequence[Section]) -> Turn:
        """Return what was gathered. Raises Malformed if that is nothing."""
        if not (self._operations or self._answer or self._ask):
            for section in found:  # code that was written among thoughts
                if section.tag in ("Analyze", "Understand"):
                    self._take_code(fences(section.text))
        if not (self._operations or self._answer or self._ask):
            raise Malformed(*_what_is_missing(found))
        if len(self._operations) > MOST_OPERATIONS:
            raise Malformed(
                "too many operations in one batch", f"Send at most {MOST_OPERATIONS} operations at a time."
            )
        return Turn(
            tuple(self._thoughts),
            self._valid(),
            self._answer,
            self._ask,
            tuple(self._notes),
            frozenset(self._unasked),
        )

    def _valid(self) -> tuple[Operation, ...]:
        found: list[Operation] = []
        for number, given in enumerate(self._operations, start=1):
            try:
                found.append(read_operation(given))
            except OperatorError as error:
                where = f"operation {number} ({given['operator']})"
                raise Malformed(f"{where} has wrong arguments", f"{where}: {error}") from error
        return tuple(found)

    def _take_code(self, found: Sequence[Block]) -> None:
        for block in found:
            match block.language:
                case "sql":
                    self._operations.append(self._query({"operator": "Query", "sql": block.text}))
                case "python":
                    self._operations.append(self._compute({"operator": "Compute", "code": block.text}))
                case "json":
                    self._take_json(json_values(block.text))

    def _take_json(self, values: Sequence[Any]) -> None:
        for value in values:
            for operation in _operations_in(value):
                if operation["operator"] == "Answer":
                    self._answer = self._answer or _draft_of(operation)
                elif operation["operator"] == "Compute" and not operation.keys() & {"inputs", "outputs"}:
                    self._operations.append(self._compute(operation))
                else:
                    is_query = operation["operator"] == "Query"
                    self._operations.append(self._query(operation) if is_query else operation)

    def _query(self, operation: dict[str, Any]) -> dict[str, Any]:
        """Read the names of columns as those that there are."""
        if not isinstance(operation.get("sql"), str):
            return operation
        sql, notes = with_real_names(operation["sql"], self._around.columns)
        self._notes += notes
        return operation | {"sql": sql}

    def _take_answer(self, text: str) -> None:
        code = fences(text)
        if code and not _outside_fences(text):
            self._take_code(code)  # the tag was wrong: what stands in it is to be run
        elif self._answer is None and without_tags(text):
            self._answer = _draft(text)

    def _take_untagged(self, text: str) -> None:
        """Take text outside all tags: code if it has the form of code, an answer if it refers to results."""
        code = fences(text) or tuple(
            block for block in blocks(text) if block.language == "sql" or text[:1] in ("{", "[")
        )
        before = (len(self._operations), self._answer)
        self._take_code([block for block in code if block.language != "python" or _is_code(block.text)])
        if before != (len(self._operations), self._answer):
            return
        if _PLACE.search(text) and self._answer is None:
            self._answer = _draft(text)
        elif text := without_tags(text):
            self._thoughts.append(("Analyze", text))

    def _compute(self, operation: dict[str, Any]) -> dict[str, Any]:
        """Declare inputs and outputs of code whose author did not."""
        around = self._around
        earlier = [*around.earlier, *(one["code"] for one in self._operations if "code" in one)]
        made = prepare(str(operation.get("code", "")), around.tables, around.files, earlier)
        self._unasked |= set(made.outputs)
        return operation | {"code": made.code, "inputs": list(made.inputs), "outputs": list(made.outputs)}


def _is_code(text: str) -> bool:
    """Return True for Python that does something; a word or a sentence may be valid Python too."""
    try:
        body = parse_python(text).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return "\n" in text
    return any(not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call) for node in body)


def _outside_fences(text: str) -> str:
    return re.sub(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[ \t]*$|\Z)", "", text, flags=re.M | re.S).strip()


def _what_is_missing(found: Sequence[Section]) -> tuple[str, str]:
    if not found:
        return "the reply is empty", "Your reply was empty. Write <Code> or <Answer>."
    if any(section.tag in ("Code", "Answer", "Ask") for section in found):
        return "the reply holds no operation", "Your <Code> holds no SQL, Python or JSON that can be read."
    return "the reply asks for nothing", "Write your next step: SQL in <Code>, or the <Answer>."


def _operations_in(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the operations of a JSON value, each with `operator` and its arguments beside it."""
    if depth > 4:
        return
    if isinstance(value, list):
        for item in value:
            yield from _operations_in(item, depth + 1)
        return
    if not isinstance(value, dict):
        return
    for key in _BATCH_KEYS:
        if isinstance(value.get(key), list):
            yield from _operations_in(value[key], depth + 1)
            return
    operation = _operation_of(value)
    if operation is not None:
        yield operation
        return
    for key, inner in value.items():  # {"Query": {"sql": …}}
        if isinstance(key, str) and key.lower() in _NAMES and isinstance(inner, dict):
            yield {**_plain_keys(inner), "operator": _NAMES[key.lower()]}
        elif isinstance(key, str) and key.lower() in ("sql", "query") and isinstance(inner, str):
            yield {"operator": "Query", "sql": inner}


def _operation_of(value: dict[Any, Any]) -> dict[str, Any] | None:
    """Return an object as an operation, whatever its author calls the operator and the arguments."""
    for key in _KIND_KEYS:
        name = value.get(key)
        if not isinstance(name, str) or name.strip().lower() not in _NAMES:
            continue
        rest = {other: item for other, item in _plain_keys(value).items() if other != key}
        for holder in _ARGUMENT_KEYS:
            if isinstance(rest.get(holder), dict):
                rest |= _plain_keys(rest.pop(holder))
        return {**rest, "operator": _NAMES[name.strip().lower()]}
    if isinstance(value.get("answer"), str):
        return {**_plain_keys(value), "text": value["answer"], "operator": "Answer"}
    return None


def _plain_keys(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if isinstance(key, str)}


def _draft(text: str) -> Draft:
    """Read the text of an answer: a JSON object, or sentences with lines that are set apart."""
    if text.lstrip()[:1] == "{":
        for value in json_values(text)[:1]:
            if isinstance(value, dict) and (draft := _draft_of(_plain_keys(value))) is not None:
                return draft
    lines = [(match.group(1).lower(), match.group(2)) for match in _LINE.finditer(text)]
    value = next((said for name, said in lines if name == "value"), "")
    assumptions = tuple(said for name, said in lines if name != "value")
    rest = without_tags(_LINE.sub("", text))
    return Draft(re.sub(r"\n{2,}", "\n", rest) or value or assumptions[0], value, assumptions)


def _draft_of(fields: Mapping[str, Any]) -> Draft | None:
    """Return an answer given as fields; None if they hold neither text nor value."""
    text = next((fields[key] for key in ("text", "answer", "sentence") if fields.get(key)), "")
    value = fields.get("value", "")
    if not text and value in ("", None):
        return None
    written = (
        ""
        if value is None
        else value
        if isinstance(value, str)
        else orjson.dumps(value, default=str).decode()
    )
    assumptions = fields.get("assumptions", fields.get("assumption", ()))
    assumptions = [assumptions] if isinstance(assumptions, str) else assumptions
    artifacts = fields.get("artifacts", ())
    return Draft(
        str(text or written),
        written,
        tuple(str(one) for one in assumptions or () if str(one).strip()),
        tuple(str(one) for one in artifacts) if isinstance(artifacts, list) else (),
    )


def write_turn(turn: Turn) -> str:
    """Write a turn in the protocol's own form, which reads back as the same turn."""
    parts = [tag(name, text) for name, text in turn.thoughts]
    if turn.operations:
        given: list[dict[str, Any]] = [
            {"operator": one.operator, "purpose": one.purpose, **one.arguments} for one in turn.operations
        ]
        parts.append(tag("Code", _json(given)))
    if turn.answer is not None:
        answer = turn.answer
        fields = {"text": answer.text, "value": answer.value}
        more = {"assumptions": list(answer.assumptions), "artifacts": list(answer.artifacts)}
        parts.append(tag("Answer", _json(fields | {key: one for key, one in more.items() if one})))
    if turn.ask:
        parts.append(tag("Ask", turn.ask))
    return "\n".join(parts)


def _json(value: Any) -> str:
    """Write JSON in which nothing can be taken for a tag or a fence."""
    text = orjson.dumps(value, default=str).decode()
    return text.replace("<", "\\u003c").replace("`", "\\u0060").replace("~", "\\u007e")

"""The loop: batches out, records and findings back, until an answer stands (RADAR §3).

What belongs here: the order of things and when they end. What a reply means is read in `protocol`, what goes
before the model is worded in `briefing`, whether an operation or an answer is right is for the runtime.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import orjson

from lakebook.agent import briefing
from lakebook.agent.answering import NotGrounded, compose, declined
from lakebook.agent.outcome import Answer, Ending, Outcome
from lakebook.agent.protocol import Draft, Malformed, Surroundings, Turn, read_reply
from lakebook.agent.references import fill
from lakebook.agent.results import UnknownReference
from lakebook.analyst.model.privacy import conversation_request, record_text, schema_names
from lakebook.analyst.model.protocol import BudgetSpent, LanguageModel, ModelFailed, Reply, Role
from lakebook.exploration.search import SearchResult
from lakebook.operators import arguments
from lakebook.operators.record import ExecutionRecord
from lakebook.operators.runtime import Runtime
from lakebook.settings import Privacy
from lakebook.sources.card import SourceMap
from lakebook.validation.contract import Contract

ROUNDS = 25
MALFORMED_IN_A_ROW = 2  # how often a malformed reply is asked for again
ANSWERS_REFUSED = 4
ROUNDS_WITHOUT_NEWS = 4
REPLY_TOKENS = 700
TRIED_SHOWN = 4
LETTERS_KEPT = 24_000  # of the conversation behind its first turn; older turns are folded

_NOT_KEPT = re.compile(r"(\w+) cannot be kept\b")

Person = Callable[[str], str]
"""Asks the person who is there, and returns what they say; "" if they say nothing."""


class Watcher(Protocol):
    """Is told what happens, as it happens."""

    def heard(self, text: str) -> None:
        """Hear a piece of a reply as it arrives."""

    def said(self, number: int, reply: str, turn: Turn | None) -> None:
        """See a whole reply; `turn` is None if it could not be read."""

    def ran(self, record: ExecutionRecord) -> None:
        """See the record of an operation."""

    def told(self, text: str) -> None:
        """See what goes back to the model."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked, and how.

    Attributes:
        privacy: what may go before the model. `rounds`: replies at most.
        found: what exploration found; None without it.
        validation: False takes answers that rest on no result, as the runtime then checks nothing either.
        person: who can be asked what is meant; None if nobody is there.
    """

    question: str
    contract: Contract = field(default_factory=Contract)
    privacy: Privacy = "samples"
    rounds: int = ROUNDS
    found: SearchResult | None = None
    validation: bool = True
    person: Person | None = None


class _Ended(Exception):
    """The loop came to its end."""

    def __init__(self, ending: Ending, reason: str = "", answer: Answer | None = None) -> None:
        super().__init__(reason)
        self.ending, self.reason, self.answer = ending, reason, answer


def ask(
    task: Task,
    model: LanguageModel,
    runtime: Runtime,
    source_map: SourceMap,
    watchers: Sequence[Watcher] = (),
) -> Outcome:
    """Have a model answer a question through the runtime.

    Raises:
        ModelFailed: the endpoint gave no reply at all, so that nothing was tried.
    """
    return _Loop(task, model, runtime, source_map, watchers).run()


class _Loop:
    def __init__(
        self,
        task: Task,
        model: LanguageModel,
        runtime: Runtime,
        source_map: SourceMap,
        watchers: Sequence[Watcher],
    ) -> None:
        self._task, self._model, self._runtime, self._map = task, model, runtime, source_map
        self._watchers = watchers
        self._turns: list[tuple[Role, str]] = []
        self._ran: dict[bytes, ExecutionRecord] = {}
        self._names = _names(runtime, task.privacy)
        self._files = _files(source_map)
        self._round = self._malformed = self._refused = self._stale = self._asks = 0
        self._notes: list[str] = []
        self._drafts: set[Draft] = set()
        self._advised: set[str] = set()
        self._held: Answer | None = None
        self._first = ""

    def run(self) -> Outcome:
        task = self._task
        self._first = briefing.first_turn(
            task.question, task.contract, self._map, self._runtime.knowledge, task.found, task.privacy
        )
        self._tell(self._first)
        try:
            while self._round < task.rounds:
                self._one_round()
            raise _Ended("budget", f"no answer after {task.rounds} replies of the model")
        except _Ended as end:
            return self._outcome(end)
        except BudgetSpent as spent:
            return self._outcome(_Ended("budget", str(spent)))

    def _outcome(self, end: _Ended) -> Outcome:
        """Return how it ended; an answer that only advice kept back is given if nothing better came."""
        if end.answer is None and self._held is not None:
            self._notes.append(
                f"The model was advised to look again, and gave no other answer ({end.reason})."
            )
            end = _Ended("answered", answer=self._held)
        return Outcome(
            end.ending,
            self._model.name,
            end.answer,
            end.reason,
            tuple(self._runtime.records),
            self._round,
            tuple(self._notes),
        )

    def _one_round(self) -> None:
        """Ask once, and do what the reply says."""
        if self._round == self._task.rounds - 1 and self._round:
            self._turns[-1] = (self._turns[-1][0], f"{self._turns[-1][1]}\n{briefing.last_round()}")
        reply = self._reply()
        self._round += 1
        try:
            turn = read_reply(reply.text, self._around(), cut=reply.finish == "length")
        except Malformed as fault:
            for one in self._watchers:
                one.said(self._round, reply.text, None)
            self._malformed += 1
            if self._malformed > MALFORMED_IN_A_ROW:
                raise _Ended("failed", f"the model's replies cannot be used: {fault.message}") from fault
            self._turns.append(("assistant", reply.text))
            self._tell(briefing.complaint(fault.complaint))
            return
        for one in self._watchers:
            one.said(self._round, reply.text, turn)
        self._malformed = 0
        self._turns.append(("assistant", reply.text))
        self._follow(turn)

    def _reply(self) -> Reply:
        """Have the model go on. A model that gave no reply at all has failed, a later one ends the work."""
        request = conversation_request(
            briefing.prompt("system"),
            self._kept_turns(),
            self._task.privacy,
            purpose="ask",
            max_tokens=REPLY_TOKENS,
            stop=("<Execute>",),
        )

        def hear(text: str) -> None:
            for one in self._watchers:
                one.heard(text)

        try:
            return self._model.complete(request, hear)
        except BudgetSpent:
            raise
        except ModelFailed as failure:
            if not self._round:
                raise
            hint = f" {failure.hint}" if failure.hint else ""
            raise _Ended("failed", f"{failure.message}.{hint}") from failure

    def _follow(self, turn: Turn) -> None:
        """Run the batch, then take the answer or the question."""
        self._notes += [f"{note}." for note in turn.notes if f"{note}." not in self._notes]
        records, again = self._run(turn)
        notes = [_repeated(record) for record in again if _failed(record) or turn.answer is None]
        notes += _of_files(records)
        repeats = bool(again)
        troubled = any(_failed(one) or one.verdict == "advise" for one in records) or any(map(_failed, again))
        if turn.answer is not None and troubled:
            notes.append("Your answer was not taken yet: first see what came back.")
        elif turn.answer is not None:
            notes += self._submit(turn.answer)
            repeats = repeats or turn.answer in self._drafts
            self._drafts.add(turn.answer)
        elif turn.ask:
            notes += self._put_to_person(turn.ask)
        self._stale = 0 if records else self._stale + 1
        if self._stale >= ROUNDS_WITHOUT_NEWS:
            raise _Ended("declined", "the model went on repeating itself")
        notes = [*(f"{note}." for note in turn.notes), *notes]
        if repeats:
            self._begin_anew(notes)
        else:
            self._tell(briefing.feedback(records, notes, self._task.privacy, self._names))

    def _begin_anew(self, notes: Sequence[str]) -> None:
        """Put what is known into one turn: small models copy the replies of their own that they see."""
        tried = [record for record in self._runtime.records if record.operator != "Answer"]
        back = briefing.feedback(tried[-TRIED_SHOWN:], notes, self._task.privacy, self._names)
        self._turns = []
        self._tell(f"{self._first}\n\nTried so far:\n{back}")

    def _run(self, turn: Turn) -> tuple[list[ExecutionRecord], list[ExecutionRecord]]:
        """Run a batch; return what ran, and the records of what had run before in the same words."""
        again: list[ExecutionRecord] = []
        fresh: dict[bytes, arguments.Operation] = {}
        for operation in turn.operations:
            key = _key(operation)
            if key in self._ran:
                again.append(self._ran[key])
            else:
                fresh[key] = operation
        records = list(self._runtime.run_batch(tuple(fresh.values()))) if fresh else []
        for place, operation in enumerate(fresh.values()):
            while (less := _without_what_cannot_be_kept(operation, records[place], turn.unasked)) is not None:
                operation, records[place] = less, self._runtime.run(less)
        self._ran |= dict(zip(fresh, records, strict=True))
        for record in records:
            for one in self._watchers:
                one.ran(record)
        return records, again

    def _submit(self, draft: Draft) -> list[str]:
        """Submit an answer; return what is wrong with it, if it was not accepted."""
        if reason := declined(draft):
            self._held = None
            raise _Ended("declined", reason)
        try:
            answer = compose(
                draft,
                self._runtime.records,
                self._task.contract,
                self._task.question,
                may_type_numbers=self._task.privacy == "full",
                needs_ground=self._task.validation,
            )
        except (UnknownReference, NotGrounded) as fault:
            self._refuse(str(fault))
            return [f"Your answer was not taken: {self._told_of(fault)}"]
        record = self._runtime.run(
            arguments.Answer(
                value=answer.value,
                text=answer.text,
                references=tuple(dict.fromkeys(one.record for one in answer.references)),
                artifacts=draft.artifacts,
            )
        )
        for one in self._watchers:
            one.ran(record)
        shown = record_text(record, self._task.privacy, names=self._names)
        if not _failed(record):
            advice = {finding.rule for finding in record.findings if finding.action == "advise"}
            if advice <= self._advised:
                raise _Ended("answered", answer=answer)
            self._advised |= advice
            self._held = answer
            return [f"{briefing.prompt('advised').strip()}\n{shown}"]
        said = "; ".join(f.message for f in record.findings if f.action == "reject") or record.error
        self._refuse(said)
        return [f"Your answer was rejected.\n{shown}"]

    def _told_of(self, fault: UnknownReference | NotGrounded) -> str:
        """Return what the model may read of a fault: hints may name what stands in a result."""
        if self._task.privacy == "full" or isinstance(fault, NotGrounded):
            return str(fault)
        return f"{fault.message} Refer to a record and a column that its SELECT names."

    def _refuse(self, why: str) -> None:
        self._refused += 1
        if self._refused >= ANSWERS_REFUSED:
            raise _Ended("rejected", f"the model's answers did not stand up to the checks: {why}")

    def _put_to_person(self, question: str) -> list[str]:
        """Ask the person, if one is there and the meanings were seen to differ."""
        self._asks += 1
        if self._task.person is None:
            return [
                "Nobody is there to be asked. Take the likelier meaning, and write it into the answer as "
                "`Assumption: ...`."
            ]
        try:
            filled = fill(question, self._runtime.records)
        except UnknownReference as fault:
            return [f"Your question was not asked: {self._told_of(fault)}"]
        values = [orjson.dumps(one.value) for one in filled.references]
        if len(values) < 2 and self._asks == 1:
            return [
                "Your question was not asked yet. Compute each meaning, then ask with a reference to each "
                "result, or answer with an assumption."
            ]
        if len(values) >= 2 and len(set(values)) == 1:
            return ["Your question was not asked: every meaning gives the same. Write the answer."]
        said = self._task.person(filled.text).strip()
        if not said:
            return ["The person did not say. Take the likelier meaning, and state it as an assumption."]
        self._notes.append(f"Asked: {filled.text} Answered: {said}")
        return [f"The person says: {said}"]

    def _tell(self, text: str) -> None:
        self._turns.append(("user", text))
        for one in self._watchers:
            one.told(text)

    def _around(self) -> Surroundings:
        tables = self._runtime.knowledge.tables.values()
        columns = {table.name: [column.name for column in table.columns] for table in tables}
        earlier = [
            str(record.arguments["code"])
            for record in self._runtime.records
            if record.operator == "Compute" and not record.error and "code" in record.arguments
        ]
        return Surroundings(list(columns), self._files, earlier, columns)

    def _kept_turns(self) -> list[tuple[Role, str]]:
        """Return the conversation; of a long one, turns in the middle are folded to their first words."""
        first, rest = self._turns[:1], self._turns[1:]
        spare = LETTERS_KEPT
        kept: list[tuple[Role, str]] = []
        for role, text in reversed(rest):
            spare -= len(text)
            kept.append((role, text if spare > 0 or len(kept) < 2 else _folded(text)))
        return [*first, *reversed(kept)]


def _folded(text: str) -> str:
    lines = text.splitlines()
    return text if len(text) < 200 else f"{' '.join(lines[:3])[:160]} … (left out)"


def _key(operation: arguments.Operation) -> bytes:
    """Return what makes two operations the same: all but the name of the result and the purpose."""
    given = {name: value for name, value in operation.arguments.items() if name not in ("output", "outputs")}
    for name in ("sql", "code"):
        if isinstance(given.get(name), str):
            given[name] = " ".join(str(given[name]).rstrip("; \n").split())
    return orjson.dumps([operation.operator, given], option=orjson.OPT_SORT_KEYS)


def _failed(record: ExecutionRecord) -> bool:
    return bool(record.error) or record.verdict == "reject"


def _without_what_cannot_be_kept(
    operation: arguments.Operation, record: ExecutionRecord, unasked: Collection[str]
) -> arguments.Operation | None:
    """Return a computation without the output for which it failed, if nobody asked for that; else None.

    What a block prints need not be a table or JSON: a model, a grouping, a figure.
    """
    match = _NOT_KEPT.match(record.error)
    if match is None or match.group(1) not in unasked or not isinstance(operation, arguments.Compute):
        return None
    kept = tuple(name for name in operation.outputs if name != match.group(1))
    return operation.model_copy(update={"outputs": kept})


def _of_files(records: Sequence[ExecutionRecord]) -> list[str]:
    if any(record.error.startswith("FileNotFoundError") for record in records):
        return ["Code reads no files: each listed table is a pandas DataFrame under its name."]
    return []


def _repeated(before: ExecutionRecord) -> str:
    """Say that an operation was run before, and what came of it."""
    if _failed(before):
        return (
            f"You sent {before.id} again as it was, and it does not run: see what was said of it. "
            f"{{{before.id}}} has no value. Write another query, with names as they are listed."
        )
    return (
        f"You ran this before: {before.id} holds its result, so it was not run again. "
        f"If it answers the question, write <Answer> with {{{before.id}.column}} for each value."
    )


def _names(runtime: Runtime, privacy: Privacy) -> list[str]:
    """Return the names of tables and columns, which may stand in every text."""
    return sorted(schema_names(runtime.knowledge.tables.values(), privacy))


def _files(source_map: SourceMap) -> dict[str, str]:
    """Return the table of each file with a single one, by its path and, if no other has it, its name."""
    by_path = {card.path: card.units[0].table for card in source_map.cards if len(card.units) == 1}
    found = {path: table for path, table in by_path.items() if table}
    names = Counter(path.rpartition("/")[2] for path in found)
    return {
        path.rpartition("/")[2]: table for path, table in found.items() if names[path.rpartition("/")[2]] == 1
    } | found

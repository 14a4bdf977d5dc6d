"""The run that is kept of a question: what was asked, every reply and record, and how it ended.

One folder a run under the state folder (`asks/<id>/`): `run.json`, written anew after each round so that an
interrupted run keeps what it had; `records.parquet`; `llm_calls.jsonl`, which the ledger writes; what
computations left; and, where the offline analyst took over, the model's own records in `of-no-use/`. The
studio shows runs from here. Nothing here decides anything.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from lakebook.agent.outcome import Answer, Ending, Outcome
from lakebook.agent.protocol import Turn
from lakebook.errors import LakebookError
from lakebook.exploration.search import SearchResult
from lakebook.operators.kept_records import write_records
from lakebook.operators.record import ExecutionRecord, Verdict
from lakebook.storage import canonical, replacing
from lakebook.validation.contract import Contract

RUNS = "asks"
RUN_FILE = "run.json"
OF_NO_USE = "of-no-use"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was put.

    Attributes:
        by: who was to answer: "offline", or the name of a model. `privacy`: "" for offline.
        ablations: parts that were switched off: "exploration", "validation".
    """

    question: str
    by: str
    privacy: str = ""
    contract: Contract = field(default_factory=Contract)
    rounds: int = 0
    ablations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """One reply and what came of it.

    Attributes:
        reply: word for word. `read`: False if nothing could be made of it.
        records: ids of the records that it led to. `told`: what went back to the model.
    """

    number: int
    reply: str
    read: bool = True
    records: tuple[str, ...] = ()
    told: str = ""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run, whole or as far as it got (`ending` None). Records stand beside it as Parquet."""

    id: str
    asked: Asked
    exploration: SearchResult | None = None
    briefing: str = ""
    rounds: tuple[Round, ...] = ()
    ending: Ending | None = None
    by: str = ""
    answer: Answer | None = None
    verdict: Verdict = "not_checked"
    reason: str = ""
    notes: tuple[str, ...] = ()
    started: str = field(default="", compare=False)
    seconds: float = field(default=0.0, compare=False)


class Keeper:
    """Writes a run down as it happens; a watcher of the loop."""

    def __init__(self, state: Path, asked: Asked, now: datetime | None = None) -> None:
        """Make the folder of a new run."""
        self._began = now or datetime.now(UTC)
        digest = hashlib.sha256(asked.question.encode()).hexdigest()[:8]
        name = f"{self._began:%Y%m%d-%H%M%S}-{digest}"
        self.folder = _new_folder(state / RUNS, name)
        self.run = KeptRun(self.folder.name, asked, started=self._began.isoformat(timespec="seconds"))
        self._records: list[ExecutionRecord] = []
        self._write()

    def explored(self, found: SearchResult | None) -> None:
        """Keep what exploration found."""
        self.run = replace(self.run, exploration=found)
        self._write()

    def heard(self, text: str) -> None:
        """Pieces of a reply are not kept: the whole reply is."""

    def said(self, number: int, reply: str, turn: Turn | None) -> None:
        """Keep a reply."""
        made = Round(number, reply, turn is not None)
        self.run = replace(self.run, rounds=(*self.run.rounds, made))

    def ran(self, record: ExecutionRecord) -> None:
        """Keep the record of an operation."""
        self._records.append(record)
        if self.run.rounds:
            last = self.run.rounds[-1]
            self._last(replace(last, records=(*last.records, record.id)))

    def told(self, text: str) -> None:
        """Keep what went to the model, and write down what there is."""
        if self.run.rounds:
            self._last(replace(self.run.rounds[-1], told=text))
        else:
            self.run = replace(self.run, briefing=text)
        self._write()

    def ended(self, outcome: Outcome) -> None:
        """Keep the end, and the records; those of a model that was of no use stand apart, with its rounds."""
        if self._records and self._records[0] not in outcome.records:
            write_records(self.folder / OF_NO_USE, self._records)
        self._records = list(outcome.records)
        took = (datetime.now(UTC) - self._began).total_seconds()
        self.run = replace(
            self.run,
            ending=outcome.ending,
            by=outcome.by,
            answer=outcome.answer,
            verdict=outcome.verdict,
            reason=outcome.reason,
            notes=outcome.notes,
            seconds=round(took, 3),
        )
        self._write()

    def _last(self, made: Round) -> None:
        self.run = replace(self.run, rounds=(*self.run.rounds[:-1], made))

    def _write(self) -> None:
        with replacing(self.folder / RUN_FILE) as temporary:
            temporary.write_bytes(canonical(self.run, KeptRun))
        if self._records:
            write_records(self.folder, self._records)


def _new_folder(runs: Path, name: str) -> Path:
    """Make a folder of that name, or with a number behind it where another run has it."""
    runs.mkdir(parents=True, exist_ok=True)
    for number in range(1, 1000):
        folder = runs / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise LakebookError("no folder could be made for the run.", where=str(runs))

"""What an operator invocation leaves behind: observations, findings, the execution record (RADAR §3.1).

Only data types live here. `runtime` makes the records; `lakebook.validation` makes the findings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from lakebook.sandbox.base import Json
from lakebook.sources.card import Coverage

OperatorName = Literal["Search", "Read", "Load", "Inspect", "Probe", "Query", "Compute", "Answer"]
Verdict = Literal["pass", "reject", "advise", "not_checked"]

WHOLE = Coverage()


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing that an operator saw, with how much of the data it covers."""

    kind: str
    subject: str
    value: Json
    coverage: Coverage = WHOLE


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says of an invocation.

    Attributes:
        rule: id of the rule. `action`: what follows from it.
        message: the conflict between what the operation claims and what was observed.
        observed: the observation that it rests on. `hint`: a concrete revision.
        values: what stands in the cells of the data and is told in one of the three texts, each exactly as
            it is written there, quotes and all; where no cell value may leave, replacing these removes all
            of them. `validation.cells.Cells` writes such texts and lists them. Counts, names of columns and
            what the operation itself says are not among them.
    """

    rule: str
    action: Verdict
    message: str
    observed: str = ""
    hint: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Repair:
    """One try to mend an invocation that failed or looked wrong; both versions are kept (RADAR §3.3).

    Attributes:
        kind: name of the repair, or of the model that proposed it. `reason`: what called for it.
        before: the code as it was. `after`: the code as proposed.
        refused: why the proposal was not taken, "" if it was.
    """

    kind: str
    reason: str
    before: str
    after: str
    refused: str = ""


@dataclass(frozen=True, slots=True)
class DataInput:
    """A source that an invocation read: `path#unit`, content hash, the columns and rows it covered."""

    source: str
    sha256: str
    columns: tuple[str, ...] = ()
    rows: int = 0
    rows_in_source: int = 0


@dataclass(frozen=True, slots=True)
class ExecutionRecord:
    """One invocation, as it happened. Only `started` and `seconds` differ between identical runs.

    Attributes:
        id: `r001`, `r002` … in order of invocation.
        purpose: what it was run for (a play, a component, a question).
        output: the name under which the result can be used by later invocations.
        repairs: tries to mend it, in order; `arguments` hold what was run in the end.
        result_sha256: hash of the canonical JSON of the result.
        validated: False if the rules were switched off; the verdict is then `not_checked` at best.
    """

    id: str
    operator: OperatorName
    purpose: str
    arguments: Mapping[str, Json]
    inputs: tuple[DataInput, ...] = ()
    output: str = ""
    observations: tuple[Observation, ...] = ()
    findings: tuple[Finding, ...] = ()
    verdict: Verdict = "pass"
    repairs: tuple[Repair, ...] = ()
    error: str = ""
    result: Json = None
    result_sha256: str = ""
    validated: bool = True
    started: str = field(default="", compare=False)
    seconds: float = field(default=0.0, compare=False)

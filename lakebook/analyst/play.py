"""The play contract: what a careful statistician does, as a unit that plans, computes, reads and draws.

A play never touches data itself. It proposes candidates from the table's profile, writes plain pandas code
for each, and reads the facts that the code left behind. The code runs in the sandbox through the Compute
operator, and the same code stands in the notebook, so a reader recomputes just what the analyst saw.

Code conventions (the notebook writer and the runtime rely on them):

* `df`, `base`, `np`, `pd`, `plt`, `stats`, `sm` exist; the functions named in `Cells.methods` exist too.
* compute code binds exactly one global that matters, `candidate.key`, to a dict of JSON-able facts
  (plain int, float, str, bool, None, lists and dicts of these); frames it wants to show or draw from are
  bound to names that start with `candidate.key + "_"`. Its last line shows a small table or value.
* figure code uses only those names, draws exactly one figure, leaves it open, and mutates nothing else.
* no randomness without a fixed seed; group-bys with `observed=True, dropna=False`; no import of lakebook.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from lakebook.analyst.claim import ClaimKind, Original
from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.table import Table
from lakebook.sandbox.base import Json

Family = Literal["structure", "one_variable", "time", "groups", "relations", "many_variables", "closing"]
FindingVerdict = Literal["supported", "suggestive", "not_supported", "not_applicable"]
Facts = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One instance of a play: these columns, with these parameters.

    `key` is a valid Python identifier, unique in the notebook, readable ("trend_average_price").
    `prior` (0 to 1) ranks candidates of one play before anything was computed.
    """

    play: str
    key: str
    columns: tuple[str, ...]
    prior: float = 0.5
    params: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a play proposes for a table: candidates, or the one-line reason why it does not apply."""

    candidates: tuple[Candidate, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ClaimDraft:
    """A claim before it is computed: see `lakebook.analyst.claim.Claim` for the fields."""

    name: str
    expression: str
    format: str = ""
    kind: ClaimKind = "number"
    shown: str = ""


@dataclass(frozen=True, slots=True)
class InsightDraft:
    """A sentence with `{name}` placeholders for its claims. Every number in it must be a placeholder.

    `original` is what somebody else had said, where the sentence is that after refinement.
    """

    template: str
    claims: tuple[ClaimDraft, ...]
    caution: bool = False
    original: Original | None = None


@dataclass(frozen=True, slots=True)
class Test:
    """A statistical test that was run, for the count and the control of the whole family of tests."""

    __test__ = False  # not a test case, whatever pytest thinks of the name

    name: str
    p: float
    n: int


@dataclass(frozen=True, slots=True)
class FindingDraft:
    """What a play read out of its facts.

    Attributes:
        title: at most 80 characters, a claim in words without digits ("Prices peak in autumn"); it must
            follow from the facts.
        goal: the question that the section answers; `method`: how, in one or two sentences, with fallback.
        effect: 0 to 1: how big it is against the floor and the size that counts as big (notes §6.1 E).
        reliability: 0 to 1 (notes §6.1 R). `impact`: share of the key measure or rows concerned, 0 to 1.
        tests: every test that was run for it.
        always: a trust finding that changes headline numbers by more than 1 %: shown outside the ranking.
        population: which rows and how many, and what was left out.
    """

    title: str
    goal: str
    method: str
    insights: tuple[InsightDraft, ...]
    verdict: FindingVerdict
    effect: float = 0.0
    reliability: float = 1.0
    impact: float = 1.0
    tests: tuple[Test, ...] = ()
    always: bool = False
    population: str = ""


@dataclass(frozen=True, slots=True)
class Cells:
    """The code of one candidate: the computation, and the names of the methods it calls."""

    compute: str
    methods: tuple[str, ...] = ()


class Play(Protocol):
    """A play; stateless. `relevance` is its weight for each kind of intent, 0 to 1."""

    id: str
    title: str
    family: Family
    relevance: Mapping[IntentKind, float]

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Say which instances of this play make sense for the table, best first."""
        ...

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Write the computation. It must be valid without having seen any result."""
        ...

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Turn the facts into a finding with sentences and claims."""
        ...

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Write the figure code, "" if a sentence or a table says it better."""
        ...

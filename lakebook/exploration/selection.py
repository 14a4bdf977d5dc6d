"""What a language model may add to a search: reorder the tail by meaning, and choose groups.

What belongs here: the protocol only; who implements it stands in `model`. Without a selector a search is the
same, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lakebook.exploration.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group as a model may see it: names and types, no value (design rule 5).

    Attributes:
        members: the most likely ones first; count: how many there are. columns: (name, type) of one member.
    """

    id: str
    members: tuple[str, ...]
    count: int
    rows: int
    columns: tuple[tuple[str, str], ...]


class Selector(Protocol):
    """Whoever chooses groups with a model. No method raises for a model that fails: a note says so."""

    def reorder(
        self, question: str, candidates: Sequence[Candidate], ranking: Ranking, notes: list[str]
    ) -> Ranking:
        """Return the ranking, its tail ordered by meaning too; `candidates` are all groups of the lake."""
        ...

    def choose(self, question: str, candidates: Sequence[Candidate], notes: list[str]) -> tuple[str, ...]:
        """Return the ids of the groups that are likely to be needed; () leaves the choice to the order."""
        ...

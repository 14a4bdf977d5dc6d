"""What is asked of a loaded table, noted as the interpretation goes (see `lakebook.notebooks.sources`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakebook.notebooks.lineage.values import Column


@dataclass(slots=True, eq=False)
class Asked:
    """The names that are asked of one loaded table.

    Attributes:
        own: of it alone. shared: of a table that was put together from it and others, so that each name is
            one of theirs.
    """

    own: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)

    def take(self, name: str, column: Column | None, *, is_alone: bool) -> None:
        """Note a name; `column` is what it was found to be, None for a key of a join."""
        if column is None or column.bases == frozenset((name,)):
            (self.own if is_alone else self.shared).add(name)

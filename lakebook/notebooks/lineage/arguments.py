"""The evaluated arguments of a call, as every table of methods and functions takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lakebook.notebooks.lineage.values import NO_BASES, Bases, bases_of, filters_of


@dataclass(frozen=True, slots=True)
class Call:
    """Evaluated arguments of a call."""

    positional: Sequence[object] = ()
    keywords: Mapping[str, object] = field(default_factory=dict)

    def get(self, name: str, position: int = -1) -> object:
        """Return an argument by name, or by position, or None."""
        if name in self.keywords:
            return self.keywords[name]
        return self.positional[position] if 0 <= position < len(self.positional) else None

    def values(self) -> list[object]:
        """Return all arguments."""
        return [*self.positional, *self.keywords.values()]

    def bases(self) -> Bases:
        """Return the base columns of all arguments."""
        values = self.values()
        return frozenset().union(*map(bases_of, values)) if values else NO_BASES

    def filters(self) -> Bases:
        """Return the base columns that selected the rows of the arguments."""
        values = self.values()
        return frozenset().union(*map(filters_of, values)) if values else NO_BASES

    def without(self, name: str) -> Call:
        """Return the call without one of its keywords."""
        return Call(self.positional, {key: item for key, item in self.keywords.items() if key != name})

    def after(self, first: int) -> Call:
        """Return the call without its first positional arguments."""
        return Call(self.positional[first:], self.keywords)

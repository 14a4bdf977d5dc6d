"""Statements with a body, cut into parts, and the backward scan through them (NotebookRAG §4.2.1).

The forward pass gives every statement inside a loop, an `if` or a `with` effects of its own. What is wanted
after a compound statement is followed backwards through its parts, which says which of them are needed. A
`try`, a `match`, a function and a class have no parts: they are kept whole or not at all, for what one of
their statements raises or returns decides what the others do.

Nothing here knows what a statement means: `control` fills the parts, `pruning` writes what is left.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from lakebook.notebooks.slicing.memory import Transfer


class Flow(Enum):
    """How control passes through the bodies of a part."""

    PLAIN = auto()  # a simple statement, or one that is not cut
    ONCE = auto()  # the body runs once: `with`
    CHOICE = auto()  # one of the bodies runs: `if`
    LOOP = auto()  # the body runs any number of times
    ROUNDS = auto()  # a loop over a literal list: for each element a part that runs once


@dataclass(slots=True, eq=False)
class Part:
    """One statement with its own effects, those of the statements in it left out.

    Attributes:
        bodies: the parts of its blocks. Of a loop over a literal list: the elements, which are evaluated
            before the loop starts, and a *round* for each, which binds the loop's target to it.
        jumps: `break` and `continue` that belong to this loop, and what they stand in.
    """

    node: ast.AST
    flow: Flow = Flow.PLAIN
    uses: int = 0
    kill: int = 0
    weak: int = 0
    transfers: list[Transfer] = field(default_factory=list)
    bodies: tuple[list[Part], ...] = ()
    jumps: list[Part] = field(default_factory=list)

    def everything(self) -> Iterator[Part]:
        """Yield this part and all parts below it."""
        yield self
        for body in self.bodies:
            for part in body:
                yield from part.everything()

    def before(self, wanted: int) -> int:
        """Return what is wanted before the statement if all of it is kept."""
        return _before(self, wanted, None)

    def needed(self, wanted: int) -> tuple[frozenset[int], int]:
        """Return the nodes (by `id`) that are needed for what is wanted afterwards, and what they want."""
        kept: set[Part] = set()
        while True:
            known = len(kept)
            result = _before(self, wanted, kept)
            if len(kept) == known:
                return frozenset(id(part.node) for part in kept), result


def _before(part: Part, wanted: int, kept: set[Part] | None) -> int:
    """Return what is wanted before a part; add the parts that are needed to `kept`, unless all are."""
    if part.flow is Flow.PLAIN:
        if kept is not None and part not in kept:
            if not (part.weak | part.kill) & wanted:
                return wanted
            kept.add(part)
        return _passed_on(part, wanted)
    inside = _through(part, wanted, kept)
    if kept is not None and part not in kept:
        held = any(one in kept for body in part.bodies for one in body)
        if not held and not (part.weak | part.kill) & wanted:
            return wanted
        kept.add(part)
        kept.update(part.jumps)
    result = _passed_on(part, inside)
    return result | wanted if part.flow is Flow.LOOP else result


def _passed_on(effects: Part, wanted: int) -> int:
    """Return what is wanted before the effects of a kept statement, given what is wanted after it."""
    result = (wanted & ~effects.kill) | effects.uses
    demanded = wanted | effects.uses
    for trigger, passed_on in reversed(effects.transfers):
        if demanded & trigger:
            result |= passed_on
            demanded |= passed_on
    return result


def _through(part: Part, wanted: int, kept: set[Part] | None) -> int:
    """Return what is wanted at the start of a part's bodies."""
    if part.flow is Flow.CHOICE:
        inside = 0
        for body in part.bodies:
            inside |= _backwards(body, wanted, kept)
        return inside
    if part.flow is Flow.ONCE:
        return _backwards(part.bodies[0], wanted, kept)
    if part.flow is Flow.ROUNDS:
        elements, rounds = part.bodies
        inside = _backwards(rounds, wanted, kept)
        if kept is not None:
            _align(rounds, kept)
        for element, one in zip(reversed(elements), reversed(rounds), strict=True):
            if kept is None or one in kept:
                inside = _passed_on(element, inside)
        return inside
    while True:
        inside = _backwards(part.bodies[0], wanted, kept)
        again = wanted | _passed_on(part, inside)
        if again == wanted:
            return inside
        wanted = again


def _backwards(body: list[Part], wanted: int, kept: set[Part] | None) -> int:
    for part in reversed(body):
        wanted = _before(part, wanted, kept)
    return wanted


def _align(rounds: list[Part], kept: set[Part]) -> None:
    """Keep in every kept round what is kept in one of them: they share their text."""
    taken = [one for one in rounds if one in kept]
    nodes = {id(part.node) for one in taken for part in one.everything() if part in kept}
    kept.update(part for one in taken for part in one.everything() if id(part.node) in nodes)

"""Control flow: what runs perhaps, often, or once for each element, and the parts that slices are cut from.

Inside a compound statement of the notebook itself every statement is recorded as a part with effects of its
own (`parts`), so that a slice may keep some of them. Inside functions nothing is recorded: their effects
belong to the call.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from lakebook.notebooks.slicing.functions import Functions
from lakebook.notebooks.slicing.memory import NOTHING, Objects, own
from lakebook.notebooks.slicing.parts import Flow, Part
from lakebook.notebooks.slicing.pruning import can_be_cut, may_end_early

_LONG_LOOP = 40
_MOST_STEPS = 5_000  # statements executed for one of the top level; loops in loops double them
_TOO_NESTED = "loops are nested too deep to follow all of their rounds"
_ROUNDS = 12  # elements of a literal list that are followed one by one
_ROUND_STATEMENTS = 60


class Control(Functions):
    """Executes control flow."""

    def __init__(self) -> None:
        super().__init__()
        self.around: list[Part] = []
        self.known: dict[int, Part] = {}
        self.body: list[Part] = []
        self.is_steady = True  # nothing in the loop in hand jumps

    def traced(self, statement: ast.stmt) -> Part:
        """Execute a compound statement of the notebook and return its effects, cut into parts."""
        self.part, self.body, self.known, self.around = Part(statement), [], {}, []
        self.run((statement,))
        traced, self.part = self.body[0], None
        return traced

    def record(self, statement: ast.stmt | ast.expr, handler: Callable[[Any, Any], None]) -> None:
        """Execute a statement of the notebook itself as a part of the one that it stands in."""
        part = self.known.get(id(statement))
        if part is None:
            part = Part(statement, Flow.ONCE if can_be_cut(statement) else Flow.PLAIN)
            self.body.append(part)
        self._into(part, lambda: handler(self, statement))

    def _into(self, part: Part, action: Callable[[], None]) -> None:
        """Do something whose effects belong to a part."""
        outer = self.part, self.body, self.known
        totals = self.uses, self.kill, self.weak, self.transfers
        self.uses = self.kill = self.weak = 0
        self.transfers = part.transfers
        self.part = None if part.flow is Flow.PLAIN else part
        self.around.append(part)
        action()
        self.around.pop()
        part.uses |= self.uses
        part.kill |= self.kill
        part.weak |= self.weak
        self.uses, self.kill, self.weak, self.transfers = totals
        self.part, self.body, self.known = outer

    def _block(self, body: list[ast.stmt], flow: Flow, at: int = 0) -> None:
        """Execute a block of the part in hand, recorded as its body number `at`."""
        if self.part is None:
            self.run(body)
            return
        self.part.flow = flow
        while len(self.part.bodies) <= at:
            self.part.bodies = (*self.part.bodies, [])
        outer = self.body, self.known
        self.body = self.part.bodies[at]
        self.known = {id(one.node): one for one in self.body}
        self.run(body)
        self.body, self.known = outer

    def _perhaps(self, action: Callable[[], None], *, is_sure: bool) -> dict[str, tuple[Objects, Objects]]:
        """Do something that may not be done at all; what it binds is bound for sure within it.

        Returns what was surely bound in it, with what the name pointed to before and points to at the end.
        """
        outer = self.sure, self.replaced
        self.depth += 1
        self.sure, self.replaced = (self.depth if is_sure and self.part is not None else -1), {}
        action()
        self.depth -= 1
        replaced = {name: (before, self.globals.get(name, NOTHING)) for name, before in self.replaced.items()}
        for name, (before, after) in replaced.items():
            self.globals[name] = before | after
        self.sure, self.replaced = outer
        return replaced

    # -- loops ---------------------------------------------------------------------------------------------

    def run_for(self, node: ast.For | ast.AsyncFor) -> None:
        """Execute a `for` loop."""
        is_steady = not node.orelse and not has_jumps(node)
        if self.part is not None and is_steady:
            elements = written_out(node)
            if elements and self.steps <= _MOST_STEPS:
                self._rounds(node, elements, self.part)
                return
        iterables = self.iterables(node.iter, node.target)
        # inside the loop the target is surely the element, after it the name may still be what it was
        before = {}
        if self.scope is None:
            before = {name: self.globals.pop(name, NOTHING) for name in plain_names(node.target)}

        def first() -> None:
            self.iterate(node.target, iterables)
            self._block([*node.body, *node.orelse], Flow.LOOP)

        self._loop(first, node, is_steady=is_steady)
        for name, objects in before.items():
            self.globals[name] = self.globals.get(name, NOTHING) | objects

    def run_while(self, node: ast.While) -> None:
        """Execute a `while` loop."""
        self.value(node.test)
        is_steady = not node.orelse and not has_jumps(node)
        self._loop(lambda: self._block([*node.body, *node.orelse], Flow.LOOP), node, is_steady=is_steady)
        self.value(node.test)

    def _loop(
        self, first: Callable[[], None], node: ast.For | ast.AsyncFor | ast.While, *, is_steady: bool
    ) -> None:
        """Execute a loop's body twice, for what one round leaves to the next."""
        outer, self.is_steady = self.is_steady, is_steady
        self._perhaps(first, is_sure=is_steady)
        if self.steps > _MOST_STEPS:
            self.doubts.append(_TOO_NESTED)
        elif len(node.body) < _LONG_LOOP and len(self.calling) < 2:
            self._perhaps(lambda: self._block([*node.body, *node.orelse], Flow.LOOP), is_sure=is_steady)
        self.is_steady = outer

    def _rounds(self, node: ast.For | ast.AsyncFor, elements: list[ast.expr], part: Part) -> None:
        """Execute a loop over a literal list, element by element, as if it were written out."""
        outer, self.is_steady = self.is_steady, True
        part.flow, part.bodies = Flow.ROUNDS, ([], [])
        evaluated: list[list[Objects]] = []
        pairs = [paired(node.target, element) for element in elements]

        def evaluate(values: list[tuple[ast.expr, ast.expr]]) -> None:
            evaluated.append([self.stored(value) for _, value in values])

        def one_round(targets: list[tuple[ast.expr, ast.expr]], values: list[Objects]) -> None:
            for (target, _), value in zip(targets, values, strict=True):
                self.assign(target, value)
            self._block(node.body, Flow.ONCE)

        for element, pair in zip(elements, pairs, strict=True):
            part.bodies[0].append(Part(element))
            self._into(part.bodies[0][-1], partial(evaluate, pair))
        for element, pair, values in zip(elements, pairs, evaluated, strict=True):
            part.bodies[1].append(Part(element, Flow.ONCE))
            self._into(part.bodies[1][-1], partial(one_round, pair, values))
        self.is_steady = outer

    def run_jump(self, node: ast.Break | ast.Continue) -> None:
        """Leave a loop or a round of it: a slice that keeps the loop keeps the jump and what it stands in."""
        inside: list[Part] = []
        for part in reversed(self.around):
            if part.flow is Flow.LOOP:
                part.jumps.extend(one for one in inside if one not in part.jumps)
                return
            inside.append(part)

    # -- branches ------------------------------------------------------------------------------------------

    def run_if(self, node: ast.If) -> None:
        """Execute an `if` with its branches."""
        self.value(node.test)
        one = self._perhaps(lambda: self._block(node.body, Flow.CHOICE), is_sure=self.is_steady)
        for name, (before, _) in one.items():
            self.globals[name] = before
        other = self._perhaps(lambda: self._block(node.orelse, Flow.CHOICE, at=1), is_sure=self.is_steady)
        for name, (before, after) in one.items():
            self.globals[name] = after | (other[name][1] if name in other else self.globals.get(name, before))

    def run_with(self, node: ast.With | ast.AsyncWith) -> None:
        """Execute a `with` block."""
        managers: list[tuple[ast.expr, Objects]] = []
        for item in node.items:
            entered = self.refer(item.context_expr)
            self.force(entered)
            managers.append((item.context_expr, entered))
            if self.memory.kind(entered) == "stream":
                entered |= self.memory.elements(entered)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, entered)
        self.entered += 1
        if may_end_early(node):
            self.under_condition(lambda: self.run(node.body))
        else:
            self._block(node.body, Flow.ONCE)
        self.entered -= 1
        for expression, entered in managers:
            if own(entered) & self.waiting:
                self._leave(expression, entered)

    def _leave(self, expression: ast.expr, entered: Objects) -> None:
        """Leave a context manager of the notebook's own: what it does then comes after the block."""
        self.done &= ~own(entered)
        if self.part is None or self.calling:
            self.force(entered)
            return
        outer = self.body, self.known
        self.body = self.part.bodies[0]
        self.known = {id(one.node): one for one in self.body}
        self.record(expression, lambda *_: self.force(entered))
        self.body, self.known = outer

    def run_try(self, node: ast.Try | ast.TryStar) -> None:
        """Execute a `try` with all its handlers."""

        def attempt() -> None:
            self.run(node.body)
            for handler in node.handlers:
                self.value(handler.type)
                if handler.name:
                    self.bind(handler.name, NOTHING)
                self.run(handler.body)
            self.run(node.orelse)

        self.under_condition(attempt)
        self.under_condition(lambda: self.run(node.finalbody))

    def run_match(self, node: ast.Match) -> None:
        """Execute all cases of a `match`."""
        subject = self.value(node.subject)

        def cases() -> None:
            for case in node.cases:
                for pattern in ast.walk(case.pattern):
                    captured = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
                    if isinstance(captured, str):
                        self.bind(captured, subject)
                self.value(case.guard)
                self.run(case.body)

        self.under_condition(cases)

    def stored(self, node: ast.expr) -> Objects:
        """Evaluate what will be stored."""
        raise NotImplementedError


def has_jumps(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Return True if a `break` or `continue` belongs to the loop itself."""
    pending: list[ast.stmt] = list(loop.body)
    while pending:
        one = pending.pop()
        if isinstance(one, (ast.Break, ast.Continue)):
            return True
        if isinstance(one, (ast.For, ast.AsyncFor, ast.While)):
            pending += one.orelse
        elif isinstance(one, ast.Try | ast.TryStar):
            pending += one.body + one.orelse + one.finalbody
            pending += [inner for handler in one.handlers for inner in handler.body]
        elif isinstance(one, ast.Match):
            pending += [inner for case in one.cases for inner in case.body]
        elif isinstance(one, (ast.If, ast.With, ast.AsyncWith)):
            pending += [*one.body, *getattr(one, "orelse", ())]
    return False


def written_out(loop: ast.For | ast.AsyncFor) -> list[ast.expr]:
    """Return the elements of a short literal list that a loop runs over, [] if it runs over anything else."""
    literal = loop.iter
    if not isinstance(literal, (ast.List, ast.Tuple)) or len(literal.elts) > _ROUNDS:
        return []
    if len(literal.elts) * len(loop.body) > _ROUND_STATEMENTS:
        return []
    return [] if any(isinstance(item, ast.Starred) for item in literal.elts) else literal.elts


def paired(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return which part of a target gets which part of a value, as far as both are written out."""
    if (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(value, (ast.Tuple, ast.List))
        and len(target.elts) == len(value.elts)
        and not any(isinstance(item, ast.Starred) for item in (*target.elts, *value.elts))
    ):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def plain_names(target: ast.expr) -> list[str]:
    """Return the names that a loop's target binds, [] if it stores anywhere else."""
    items = target.elts if isinstance(target, ast.Tuple) else [target]
    found = [item.id for item in items if isinstance(item, ast.Name)]
    return found if len(found) == len(items) else []

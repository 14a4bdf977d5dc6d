"""State of the interpretation of a notebook: scopes, what the present target shows, how many steps it took.

All of it is explicit, so that one interpretation serves every component: `begin` starts a statement, `shown`
is where its charts are collected, and names and tables go on to the next.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.shown import Shown
from lakebook.notebooks.lineage.values import PLAIN, Bases, Frame, Ref, Series, combined
from lakebook.notebooks.taxonomy import chart_types, names

STEP_LIMIT = 10_000  # of one statement of the notebook: some hundredths of a second
STEP_LIMIT_OF_ALL = 500_000
NESTING_LIMIT = 6
# what `%pylab` and forgotten imports leave unbound means what it usually does
_USUAL_NAMES = dict(word.split("=") for word in names("lineage", "usual_names").exact)
_BUILTIN_NAMES = frozenset(dir(builtins)) | {"display", "xrange", "unicode", "raw_input", "reduce"}


class Scope:
    """Names of the notebook, a function or a comprehension."""

    __slots__ = ("names", "parent", "shared")

    def __init__(self, parent: Scope | None = None) -> None:
        self.names: dict[str, object] = {}
        self.parent = parent
        self.shared: set[str] = set()

    def find(self, name: str) -> object:
        """Return the value of a name, None if it is not bound or its value is not known."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def has(self, name: str) -> bool:
        """Return True if the name is bound."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return True
            scope = scope.parent
        return False


@dataclass(frozen=True, slots=True)
class Routine:
    """A function of the notebook, with the names around it."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope


@dataclass(slots=True)
class Blueprint:
    """A class of the notebook."""

    methods: dict[str, Routine] = field(default_factory=dict)


@dataclass(slots=True)
class Instance:
    """An object of a class of the notebook."""

    blueprint: Blueprint
    attributes: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bound:
    """A function of the notebook as a method of an object."""

    routine: Routine
    owner: Instance


class Returned(Exception):
    """Carries a returned value out of a function body."""

    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value


def either(values: Sequence[object]) -> object:
    """Return what stands for several values of which one is returned."""
    known = [one for one in values if one is not None]
    if not known or isinstance(known[0], (Frame, dict, list, tuple)):
        return known[0] if known else None
    if all(isinstance(one, (str, int, float)) for one in known):
        return known[0] if len(set(map(str, known))) == 1 else PLAIN
    return (
        combined(known, next((one.column.kind for one in known if isinstance(one, Series)), "unknown"))
        or known[0]
    )


def _plain_call(routine: Routine, call: Call) -> tuple[object, ...] | None:
    """Return what tells a call with plain arguments from others, None if any argument is more than plain.

    A function that showed nothing and returned nothing known does so again when it is called alike within the
    same statement: computations that have no table in them are not followed over and over.
    """
    given = (*call.positional, *call.keywords.values())
    if not all(item is None or item is PLAIN or isinstance(item, (str, int, float)) for item in given):
        return None
    kinds = tuple(type(item) for item in given)
    return (id(routine.node), id(routine.scope), len(call.positional), *call.keywords, *kinds, *given)


class LineageState:
    """What is known at a point of a notebook.

    Args:
        load: gives a table as it is loaded, by its path as written, "" for one that is not literal.
    """

    def __init__(self, load: Callable[[str], Frame]) -> None:
        self.load = load
        self.scope = self.module = Scope()
        self.stars: list[str] = []
        self.shown = Shown()
        self.exhausted = False
        self.grouped: set[str] = set()
        self.steps = 0
        self.last_step = STEP_LIMIT
        self.nesting = 0
        self.uncertain = 0
        self.guards: list[Bases] = []
        self.returns: list[list[object]] = []
        self.idle: dict[tuple[object, ...], object] = {}  # calls of the statement that told nothing

    def begin(self) -> None:
        """Start a statement of the notebook: it has steps of its own."""
        self.grouped = set()
        self.exhausted = False
        self.last_step = min(self.steps + STEP_LIMIT, STEP_LIMIT_OF_ALL)
        self.scope, self.nesting, self.uncertain = self.module, 0, 0
        self.guards.clear()
        self.returns.clear()
        self.idle.clear()

    def step(self) -> bool:
        """Count a step; return True when there have been too many."""
        self.steps += 1
        if self.steps > self.last_step:
            self.exhausted = True
        return self.exhausted

    def find(self, name: str) -> object:
        """Return the value of a name, None if it is not known."""
        found = self.scope.find(name)
        if found is not None or self.scope.has(name):
            return found
        if name in _BUILTIN_NAMES:
            return Ref(name)
        if name in _USUAL_NAMES:
            return Ref(_USUAL_NAMES[name])
        for module in self.stars:
            if name in chart_types() or not module.startswith(("matplotlib", "pylab")):
                return Ref(f"{module}.{name}")
        return None

    def bind(self, name: str, value: object) -> None:
        """Bind a name where an assignment would."""
        scope = self.module if name in self.scope.shared else self.scope
        scope.names[name] = value

    @contextmanager
    def inner(self, parent: Scope) -> Iterator[None]:
        """Open a scope for a function or comprehension."""
        outer, self.scope = self.scope, Scope(parent)
        try:
            yield
        finally:
            self.scope = outer

    def enter(self, routine: Routine, call: Call, owner: Instance | None = None) -> object:
        """Read the body of a function with its parameters bound, and return what it returns."""
        if self.nesting >= NESTING_LIMIT:
            return None
        key = _plain_call(routine, call) if owner is None else None
        if key is not None and key in self.idle:
            return self.idle[key]
        before = self.shown.size()
        result = self._entered(routine, call, owner)
        told_nothing = (result is None or result is PLAIN) and self.shown.size() == before
        if key is not None and told_nothing and not self.exhausted:
            self.idle[key] = result
        return result

    def _entered(self, routine: Routine, call: Call, owner: Instance | None) -> object:
        node = routine.node
        parameters = node.args
        in_order = [item.arg for item in (*parameters.posonlyargs, *parameters.args)]
        given = [owner, *call.positional] if owner is not None else list(call.positional)
        defaults = [self.value(default) for default in parameters.defaults]
        named = {
            one.arg: self.value(default)
            for one, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
        }
        self.nesting += 1
        try:
            with self.inner(routine.scope):
                bound = self.scope.names
                bound.update(dict.fromkeys(in_order))
                bound.update(zip(in_order[len(in_order) - len(defaults) :], defaults, strict=True))
                bound.update(named)
                bound.update(zip(in_order, given, strict=False))
                if parameters.vararg is not None:
                    bound[parameters.vararg.arg] = list(given[len(in_order) :])
                others = {key: item for key, item in call.keywords.items() if key not in bound}
                bound.update({key: item for key, item in call.keywords.items() if key in bound})
                if parameters.kwarg is not None:
                    bound[parameters.kwarg.arg] = dict(others)
                return self._body(node)
        finally:
            self.nesting -= 1

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> object:
        if isinstance(node, ast.Lambda):
            return self.value(node.body)
        self.returns.append([])
        try:
            self.run(node.body)
            result = None
        except Returned as returned:
            result = returned.value
        maybe = self.returns.pop()
        return result if not maybe else either([*maybe, result])

    # -- filled in by the layers above ---------------------------------------------------------------------

    def value(self, node: ast.expr | None) -> object:
        """Return the value of an expression."""
        raise NotImplementedError

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Run statements."""
        raise NotImplementedError

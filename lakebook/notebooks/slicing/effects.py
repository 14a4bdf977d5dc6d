"""The effects of one statement: what it uses, what it certainly replaces, what it may change.

`Effects` holds the state of the one forward pass over a notebook: which objects each name points to, the
scopes of functions, and the three bit sets of the statement in hand. The layers on top of it read Python:
`expressions`, `calls`, `functions`, `statements`, in this order, each a class that adds to the one below.

A name is replaced (`kill`) only by a statement that surely runs once; what happens under a condition, in a
loop or in a function body may change things (`weak`) and replaces nothing.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from lakebook.notebooks.slicing.memory import NOTHING, Memory, Objects, Transfer, own
from lakebook.notebooks.slicing.parts import Part
from lakebook.notebooks.taxonomy import names

BUILTINS = frozenset(dir(builtins)) | {
    "display",
    "get_ipython",
    "__file__",
    "In",
    "Out",
    "_",
    "exit",
    "quit",
}
_VISIT_LIMIT = 5_000  # objects looked at for one statement: some hundredths of a second
AXES_3D = "3d axes"  # known to old versions of matplotlib only after an import
STYLE, RANDOM, FIGURE, STAR, FILES = "plot style", "random state", "current figure", "star import", "files"
MATPLOTLIB_STYLE = "matplotlib's style"
OWN_MODULES = "modules of the author"


@dataclass(slots=True)
class Scope:
    """The local names of a function call, lambda, comprehension or class body, and the scope around it.

    Attributes:
        owner: the class, of a class body: what is defined in it does not see its names.
        cell: object that stands for its variables once an inner function has changed one, else -1.
    """

    names: frozenset[str]
    around: Scope | None
    depth: int
    values: dict[str, Objects] = field(default_factory=dict)
    owner: int = -1
    cell: int = -1


@dataclass(slots=True)
class Routine:
    """A function, lambda or class as a value: its syntax and the scope where it was made.

    Attributes:
        owner: the class whose body defines it, else -1.
        bound: the object that a method was taken from.
        bases: of a class its bases, of an instance its class.
        defaults: what parameters are that nothing is passed for.
        remembers: it may answer from an earlier call (`lru_cache`).
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    scope: Scope | None
    owner: int = -1
    bound: Objects = NOTHING
    bases: Objects = NOTHING
    defaults: dict[str, Objects] = field(default_factory=dict)
    remembers: bool = False


class Effects:
    """State of the forward pass, and the primitive effects."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.globals: dict[str, Objects] = {}
        self.routines: dict[int, Routine] = {}
        self.modules: dict[int, str] = {}
        self.module_objects: dict[str, int] = {}
        self.figures: Objects = NOTHING
        self.own_figures: set[int] = set()
        self.starred: list[str] = []
        self.shadowed: set[str] = set()  # variables that a later star import may have replaced
        self.imported: dict[str, Objects] = {}  # names that are surely a module, from the start of a cell on
        self.deferred: dict[int, Callable[[], object]] = {}
        self.waiting = 0
        self.used_up = 0
        self.loaded: set[str] = set()
        self.patches: dict[str, int] = {}
        self.has_generators = False
        self.seeded = False
        self.steps = 0
        self.visit_limit = 0
        self.part: Part | None = None  # whose blocks are being recorded (`control`)
        self.begin()

    def begin(self) -> None:
        """Start a new statement."""
        self.uses = self.kill = self.weak = 0
        self.transfers: list[Transfer] = []
        self.is_repeated = False  # it imports only what was imported before
        self.draws = False
        self.doubts: list[str] = []
        self.unresolved: list[str] = []
        self.part = None
        self.depth = 0
        self.entered = 0  # `with` blocks around: what they set may be undone at their end
        self.sure = -1  # depth of the block that is recorded by itself: what it binds is surely bound in it
        self.replaced: dict[str, Objects] = {}
        self.scope: Scope | None = None
        self.calling: list[int] = []
        self.thrown_away: set[int] = set()
        self.done = 0
        self.visit_limit = self.memory.visits + _VISIT_LIMIT

    # -- names ---------------------------------------------------------------------------------------------

    def read_name(self, name: str) -> Objects:
        """Return what a name points to; the name and the objects themselves are used, not what is in them."""
        scope = self.scope
        while scope is not None:
            if name in scope.names:
                found = scope.values.get(name, NOTHING)
                self.uses |= own(found)
                if scope.cell >= 0:
                    self.uses |= 1 << scope.cell
                return found
            scope = scope.around
        bit = self.memory.resource(name)
        found_global = self.globals.get(name)
        if found_global is None:
            if name not in BUILTINS:
                self.uses |= bit
                if self.starred:
                    self.uses |= self.memory.resource(STAR)
                elif name not in self.unresolved:
                    self.unresolved.append(name)
            return NOTHING
        self.uses |= bit & ~self.kill
        self.uses |= own(found_global)
        if name in self.shadowed:
            self.uses |= self.memory.resource(STAR)
        if self.patches:
            self._use_patches(found_global)
        return found_global

    def bind(self, name: str, objects: Objects) -> None:
        """Point a name to objects (a fresh one if there are none)."""
        scope = self.scope
        while scope is not None:
            if name in scope.names:
                before = scope.values.get(name, NOTHING)
                if scope is not self.scope:
                    self._change_cell(scope)
                scope.values[name] = objects if self.depth <= scope.depth else before | objects
                return
            scope = scope.around
        bit = self.memory.resource(name)
        if not objects:
            objects = frozenset((self.make(name),))
        for one in objects:
            self.memory.labels[one] = self.memory.labels[one] or name
        if self.depth == 0:
            self.kill |= bit
            self.globals[name] = objects
            self.shadowed.discard(name)
        elif self.depth == self.sure:
            self.kill |= bit
            self.replaced.setdefault(name, self.globals.get(name, NOTHING))
            self.globals[name] = objects
        else:
            self.weak |= bit
            self.globals[name] = self.globals.get(name, NOTHING) | objects

    def _change_cell(self, scope: Scope) -> None:
        """Note that a variable of an outer function is given another value (`nonlocal`)."""
        if scope.cell < 0:
            scope.cell = self.make("variables of a function")
        self.uses |= 1 << scope.cell
        self.weak |= 1 << scope.cell

    def make(self, label: str = "", kind: str = "", contents: Objects = NOTHING) -> int:
        """Allocate an object; one made where code may run more than once stands for many."""
        made = self.memory.allocate(label, kind, contents)
        if self.depth:
            self.memory.many.add(made)
        return made

    def fresh(self, kind: str = "", contents: Objects = NOTHING) -> Objects:
        """Return one new object as a set."""
        return frozenset((self.make("", kind, contents),))

    # -- state of modules ----------------------------------------------------------------------------------

    def patch(self, path: str) -> None:
        """Change something in a module, which whatever uses that module may see."""
        top = path.partition(".")[0]
        bit = self.patches.setdefault(top, self.memory.resource(f"changes of module {top}"))
        self.uses |= bit
        self.weak |= bit

    def _use_patches(self, objects: Objects) -> None:
        for one in objects:
            path = self.modules.get(one)
            if path is not None:
                self.uses |= self.patches.get(path.partition(".")[0], 0)

    # -- what happens when something is read ---------------------------------------------------------------

    def defer(self, objects: Objects, action: Callable[[], object], *, once: bool = False) -> None:
        """Do something whenever the objects are read; `once` if reading uses them up (iterators)."""
        for one in objects:
            self.deferred[one] = action
        self.waiting |= own(objects)
        self.used_up |= own(objects) if once else 0

    def force(self, objects: Objects) -> None:
        """Read the objects if something was deferred until they are."""
        if own(objects) & self.waiting:
            self.consume(objects)

    def _do_deferred(self, reached: int) -> None:
        self.weak |= reached & self.used_up
        waiting = reached & self.waiting & ~self.done
        self.done |= waiting
        while waiting:
            one = waiting.bit_length() - 1
            waiting ^= 1 << one
            self.deferred[one]()

    # -- reading and changing ------------------------------------------------------------------------------

    def consume(self, objects: Objects) -> None:
        """Use the objects with everything in them."""
        reached = self.memory.reach(objects)
        self.uses |= reached
        if reached & self.waiting:
            self._do_deferred(reached)

    def read_rows(self, objects: Objects) -> None:
        """Use how many rows there are: of a frame its index, of anything else all of it."""
        kinds = self.memory.kinds
        frames = frozenset(one for one in objects if kinds.get(one) == "frame")
        self.consume(objects - frames)
        self.uses |= own(frames) | own(self.memory.select(frames, "index"))

    def change(self, objects: Objects) -> None:
        """Change the objects in a way that may touch everything in them; texts and numbers never change."""
        kinds = self.memory.kinds
        objects = frozenset(one for one in objects if kinds.get(one) not in ("text", "scalar"))
        reached = self.memory.reach(objects)
        self.weak |= reached & ~self.memory.fixed
        self.uses |= reached
        if reached & self.waiting:
            self._do_deferred(reached)
        for one in objects:
            self.memory.strings.pop(one, None)

    def rearrange(self, objects: Objects) -> None:
        """Change which elements containers hold, and nothing in the elements."""
        reached = self.memory.surface(objects)
        self.weak |= reached
        self.uses |= reached
        for one in objects:
            self.memory.strings.pop(one, None)

    def store(self, owners: Objects, keys: tuple[str, ...], value: Objects, *, whole: bool = True) -> None:
        """Store under literal keys; `whole` if every row of the slot gets a new value."""
        memory = self.memory
        certain = whole and self.depth == 0 and len(owners) == 1 and len(keys) == 1
        self.uses |= own(owners)
        for key in keys:
            slots = memory.select(owners, key)
            if certain and len(slots) == 1 and not owners & memory.many:
                self.kill |= own(slots)
            else:
                self.uses |= own(slots)
            self.weak |= own(slots)
            for slot in slots:
                if memory.kinds.get(slot) == "column":
                    continue
                before = NOTHING if certain else memory.contents.get(slot, NOTHING)
                memory.hold(slot, before | (value - {slot}))
        for owner in owners:
            if memory.kinds.get(owner) == "empty frame":
                self.weak |= 1 << owner
            memory.strings.pop(owner, None)

    def put_into(self, owners: Objects, value: Objects) -> None:
        """Remember that the owners now hold the value under no known key."""
        for owner in owners:
            self.memory.hold(owner, self.memory.contents.get(owner, NOTHING) | (value - {owner}))

    # -- figures, style, random numbers --------------------------------------------------------------------

    def style_of(self, path: str) -> str:
        """Return the resource that a setter of style changes: what matplotlib alone reads, or any style."""
        is_matplotlib = any(path.startswith(one) for one in names("functions", "style_of_matplotlib").exact)
        return MATPLOTLIB_STYLE if is_matplotlib else STYLE

    def style_bits(self, *, own_figure: bool = False) -> int:
        """Return the bits of the plot style, each with one for each literal key seen.

        Args:
            own_figure: for a figure of plotly and its kin, which read nothing of matplotlib's style.
        """
        memory = self.memory
        bits = memory.resource(STYLE) | memory.resources(STYLE + " ")
        if not own_figure:
            bits |= memory.resource(MATPLOTLIB_STYLE) | memory.resources(MATPLOTLIB_STYLE + " ")
        return bits

    def draw(self, artists: Objects = NOTHING, *, on_current: bool = True) -> None:
        """Draw: on the given artists, or on the current figure."""
        self.draws = True
        self.uses |= self.style_bits(own_figure=bool(artists) and artists <= self.own_figures)
        if artists:
            self.change(artists)
        if on_current:
            bit = self.memory.resource(FIGURE)
            self.uses |= bit
            self.weak |= bit
            self.change(self.figures)

    def new_figure(self) -> Objects:
        """Start a figure, which becomes the current one."""
        self.figures = self.fresh("artist")
        if self.depth == 0:
            self.kill |= self.memory.resource(FIGURE)
        self.weak |= self.memory.resource(FIGURE)
        return self.figures

    def current_figure(self) -> Objects:
        """Return the current figure, made at the first need."""
        if not self.figures:
            self.figures = self.fresh("artist")
        return self.figures

    def randomize(self) -> None:
        """Draw a random number."""
        bit = self.memory.resource(RANDOM)
        self.uses |= bit
        self.weak |= bit

    # -- filled in by the layers above ---------------------------------------------------------------------

    def refer(self, node: ast.expr | None) -> Objects:
        """Return what an expression points to, without reading what is in it."""
        raise NotImplementedError

    def value(self, node: ast.expr | None) -> Objects:
        """Evaluate an expression and read the whole result."""
        objects = self.refer(node)
        if objects:
            self.consume(objects)
        return objects

    def run(self, body: Iterable[ast.stmt]) -> None:
        """Execute statements."""
        raise NotImplementedError

    def under_condition(self, action: Callable[[], Any]) -> None:
        """Do something that may run not at all, or many times."""
        self.depth += 1
        action()
        self.depth -= 1

"""The notebook's own functions, lambdas and classes: interpreted at each call, as if written there.

Reading the body with the actual arguments bound to the parameters gives mutation of arguments, aliases among
results, closures, globals, plots and random numbers from the same rules as top-level code. Free names are
looked up when the call happens, as Python does. A function that is passed to something unseen is taken to be
called there with anything that was passed along.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from lakebook.notebooks.slicing.arguments import Arguments
from lakebook.notebooks.slicing.calls import Calls
from lakebook.notebooks.slicing.effects import Routine, Scope
from lakebook.notebooks.slicing.memory import NOTHING, Objects

_STEP_LIMIT = 4_000
_NESTING_LIMIT = 8
_MEMORY_LIMIT = 30_000  # objects of one notebook; sets of them are integers of so many bits
_OBJECT_LIMIT = 200  # that one call is given: beyond, sets of objects double from call to call
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Functions(Calls):
    """Calls what the notebook itself defines."""

    def __init__(self) -> None:
        super().__init__()
        self.returned: list[Objects] = []

    # -- definitions ---------------------------------------------------------------------------------------

    def define_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: int = -1) -> Objects:
        """Make the function object; decorators of the notebook are applied."""
        for default in (*node.args.defaults, *node.args.kw_defaults):
            self.value(default)
        made = self.fresh("function")
        self.routines[min(made)] = Routine(node, self.scope, owner)
        for decorator in reversed(node.decorator_list):
            wrapper = self.refer(decorator)
            wrapped = self._call_objects(wrapper, Arguments([made]))
            made = made | wrapped if wrapped else made
        return made

    def define_class(self, node: ast.ClassDef) -> Objects:
        """Make the class object; its body runs in a scope of its own."""
        bases: Objects = NOTHING
        for base in node.bases:
            bases |= self.refer(base)
        for decorator in node.decorator_list:
            self.value(decorator)
        made = self.fresh("class")
        one = min(made)
        self.routines[one] = Routine(node, self.scope, bases=bases)
        for statement in node.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                method = self.define_function(statement, one)
                self.memory.contents[self.memory.slot(one, statement.name)] = method
            elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                stored = self.refer(statement.value)
                for target in targets:
                    if isinstance(target, ast.Name):
                        self.memory.contents[self.memory.slot(one, target.id)] = stored
        return made

    # -- calls ---------------------------------------------------------------------------------------------

    def call_own(self, node: ast.Call, callee: Objects) -> Objects | None:
        """Call a function or class of the notebook; None if the callee is none."""
        own_routines = [one for one in callee if one in self.routines]
        if not own_routines:
            return None
        arguments = self.arguments(node, read=False)
        found: Objects = NOTHING
        for one in own_routines:
            found |= self._enter(one, arguments)
        return found

    def call_own_method(self, node: ast.Call, function: ast.Attribute, receiver: Objects) -> Objects | None:
        """Call a method that a class of the notebook defines; None if it defines none."""
        methods: list[tuple[int, Objects]] = []
        for one in receiver:
            for method in self._methods(one, function.attr):
                bound = frozenset((one,)) if self.memory.kinds.get(one) == "instance" else NOTHING
                methods.append((method, bound))
        if not methods:
            return None
        arguments = self.arguments(node, read=False)
        found: Objects = NOTHING
        for method, bound in methods:
            found |= self._enter(method, arguments, bound)
        return found

    def _methods(self, one: int, name: str) -> Objects:
        """Return the functions that an instance, a class or its bases keep under a name."""
        memory = self.memory
        stored = memory.slots.get(one, {}).get(name)
        found = memory.contents.get(stored, NOTHING) if stored is not None else NOTHING
        found = frozenset(item for item in found if item in self.routines)
        if found:
            return found
        routine = self.routines.get(one)
        parents = routine.bases if routine is not None else NOTHING
        for parent in parents:
            found |= self._methods(parent, name)
        return found

    def instance_attribute(self, one: int, attribute: str) -> Objects:
        """Return an attribute of an instance; a property or method stands for what it reads."""
        methods = self._methods(one, attribute)
        if methods and attribute not in self.memory.slots.get(one, {}):
            found: Objects = methods
            for method in methods:
                found |= self._enter(method, Arguments(), frozenset((one,)))
            return found
        found = super().instance_attribute(one, attribute)
        routine = self.routines.get(one)
        for parent in routine.bases if routine is not None else NOTHING:
            found |= self.memory.known(frozenset((parent,)), attribute)
        self.uses |= self.memory.reach(found)
        return found

    def call_back(self, arguments: Arguments, receiver: Objects) -> Objects:
        """Call the notebook's own functions among the arguments, as whoever they are passed to may do."""
        passed = arguments.everything()
        functions = [one for one in passed if isinstance(self._syntax(one), _Function)]
        if not functions:
            return NOTHING
        others = (passed - frozenset(functions)) | receiver
        others |= self.memory.elements(others)
        found: Objects = NOTHING
        for one in functions:
            found |= self._enter(one, Arguments(spread=others))
        return found

    def _syntax(self, one: int) -> ast.AST | None:
        routine = self.routines.get(one)
        return routine.node if routine is not None else None

    def _call_objects(self, callee: Objects, arguments: Arguments) -> Objects:
        found: Objects = NOTHING
        for one in callee:
            if one in self.routines:
                found |= self._enter(one, arguments)
        return found

    def _enter(self, one: int, arguments: Arguments, bound: Objects = NOTHING) -> Objects:
        """Interpret a routine's body with its parameters bound; return what it may return."""
        routine = self.routines[one]
        if isinstance(routine.node, ast.ClassDef):
            return self._instantiate(one, arguments)
        given = arguments.everything() | bound
        if one in self.calling or self._is_exhausted(given):
            self.change(given)
            if one not in self.calling:
                self.doubts.append("a function is nested too deep to follow")
            return arguments.everything()
        local = local_names(routine.node)
        scope = Scope(local, routine.scope, self.depth + 1)
        self._bind_parameters(routine.node.args, scope, arguments, bound)
        self.calling.append(one)
        outer, self.scope = self.scope, scope
        self.depth += 1
        self.returned.append(NOTHING)
        if isinstance(routine.node, ast.Lambda):
            result = self.value(routine.node.body)
        else:
            self.run(routine.node.body)
            result = NOTHING
        result |= self.returned.pop()
        self.depth -= 1
        self.scope = outer
        self.calling.pop()
        return result

    def _is_exhausted(self, given: Objects) -> bool:
        """Return True if following one more call could take too long."""
        return (
            len(self.calling) >= _NESTING_LIMIT
            or self.steps > _STEP_LIMIT
            or self.memory.visits > self.visit_limit
            or self.memory.size > _MEMORY_LIMIT
            or len(given) > _OBJECT_LIMIT
        )

    def _bind_parameters(
        self, parameters: ast.arguments, scope: Scope, arguments: Arguments, bound: Objects
    ) -> None:
        positional = ([bound] if bound else []) + arguments.positional
        in_order = [item.arg for item in (*parameters.posonlyargs, *parameters.args)]
        rest: Objects = arguments.spread
        for name, objects in zip(in_order, positional, strict=False):
            scope.values[name] = objects
        for objects in positional[len(in_order) :]:
            rest |= objects
        accepted = {*in_order, *(item.arg for item in parameters.kwonlyargs)}
        for keyword, objects in arguments.keywords.items():
            if keyword in accepted:
                scope.values[keyword] = objects
            else:
                rest |= objects
        if arguments.spread:
            for name in accepted:
                scope.values[name] = scope.values.get(name, NOTHING) | arguments.spread
        for catch_all in (parameters.vararg, parameters.kwarg):
            if catch_all is not None:
                scope.values[catch_all.arg] = self.fresh("", rest) if rest else NOTHING

    def _instantiate(self, one: int, arguments: Arguments) -> Objects:
        made = self.fresh("instance")
        instance = min(made)
        node = self.routines[one].node
        self.routines[instance] = Routine(node, None, bases=frozenset((one,)))
        initializers = self._methods(one, "__init__")
        for method in initializers:
            self._enter(method, arguments, made)
        if not initializers:
            self.consume(arguments.everything())
            self.put_into(made, arguments.everything())
        return made


@lru_cache(maxsize=2048)
def local_names(node: _Function) -> frozenset[str]:
    """Return the names that are local to a function: parameters and what its body stores."""
    parameters = node.args
    found = {item.arg for item in (*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs)}
    found |= {item.arg for item in (parameters.vararg, parameters.kwarg) if item is not None}
    if isinstance(node, ast.Lambda):
        return frozenset(found)
    elsewhere: set[str] = set()
    pending: list[ast.AST] = list(node.body)
    while pending:
        item = pending.pop()
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(item.name)
            continue
        if isinstance(item, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            continue
        if isinstance(item, (ast.Global, ast.Nonlocal)):
            elsewhere.update(item.names)
        elif isinstance(item, ast.Name) and isinstance(item.ctx, (ast.Store, ast.Del)):
            found.add(item.id)
        elif isinstance(item, (ast.Import, ast.ImportFrom)):
            found.update(alias.asname or alias.name.partition(".")[0] for alias in item.names)
        elif isinstance(item, ast.ExceptHandler) and item.name:
            found.add(item.name)
        pending.extend(ast.iter_child_nodes(item))
    return frozenset(found - elsewhere)

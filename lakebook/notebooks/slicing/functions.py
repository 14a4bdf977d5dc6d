"""The notebook's own functions, lambdas and classes: interpreted at each call, as if written there.

Reading the body with the actual arguments bound to the parameters gives mutation of arguments, aliases among
results, closures, globals, plots and random numbers from the same rules as top-level code. Free names are
looked up when the call happens, as Python does. A function that is passed to something unseen is taken to be
called there with anything that was passed along.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from lakebook.notebooks.slicing.arguments import Arguments
from lakebook.notebooks.slicing.calls import Calls
from lakebook.notebooks.slicing.effects import Routine, Scope
from lakebook.notebooks.slicing.memory import NOTHING, Objects
from lakebook.notebooks.slicing.scopes import is_generator, local_names
from lakebook.notebooks.taxonomy import names

_STEP_LIMIT = 4_000
_NESTING_LIMIT = 8
_MEMORY_LIMIT = 30_000  # objects of one notebook; sets of them are integers of so many bits
_OBJECT_LIMIT = 200  # that one call is given: beyond, sets of objects double from call to call
_CALLED_OTHERWISE = frozenset({"__init__", "__post_init__", "__new__", "__call__"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Functions(Calls):
    """Calls what the notebook itself defines."""

    def __init__(self) -> None:
        super().__init__()
        self.returned: list[Objects] = []

    # -- definitions ---------------------------------------------------------------------------------------

    def define_function(self, node: _Function) -> Objects:
        """Make the function object; decorators of the notebook are applied."""
        defaults = self._defaults(node.args)
        made = self.fresh("function", frozenset().union(*defaults.values()))
        around, owner = self.scope, -1
        while around is not None and around.owner >= 0:  # functions do not see the names of their class
            owner = around.owner if owner < 0 else owner
            around = around.around
        routine = self.routines[min(made)] = Routine(node, around, owner, defaults=defaults)
        for decorator in [] if isinstance(node, ast.Lambda) else reversed(node.decorator_list):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            routine.remembers |= self.module_path(called) in names("functions", "remembers")
            wrapper = self.refer(decorator)
            if isinstance(decorator, ast.Attribute) and isinstance(decorator.value, ast.Name):
                made |= self.look_up(decorator.value.id)  # `@x.setter` keeps what `x` was
            made |= self._call_objects(wrapper, Arguments([made]))
        return made

    def _defaults(self, parameters: ast.arguments) -> dict[str, Objects]:
        positional = [*parameters.posonlyargs, *parameters.args][::-1]
        pairs = [*zip(positional, parameters.defaults[::-1], strict=False)]
        pairs += [
            (one, given)
            for one, given in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
            if given
        ]
        return {parameter.arg: self.refer(given) for parameter, given in pairs}

    def define_class(self, node: ast.ClassDef) -> Objects:
        """Make the class object; its body runs at once, in a scope of its own."""
        bases: Objects = NOTHING
        for base in node.bases:
            bases |= self.refer(base)
        for decorator in node.decorator_list:
            self.value(decorator)
        made = self.fresh("class")
        one = min(made)
        self.routines[one] = Routine(node, self.scope, bases=bases)
        self.scope = scope = Scope(local_names(node), self.scope, self.depth, owner=one)
        part, self.part = self.part, None
        self.run(node.body)
        self.part = part
        self.scope = scope.around
        for name, objects in scope.values.items():
            self.memory.hold(self.memory.slot(one, name), objects)
        for parent in bases:
            self._enter_all(self._methods(parent, "__init_subclass__"), Arguments(), made)
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
            if self.memory.kinds.get(one) == "instance":
                methods = self._methods(one, "__call__")
                found |= self._enter_all(methods, arguments, frozenset((one,)))
            else:
                found |= self._enter(one, arguments)
        return found

    def call_own_method(self, node: ast.Call, function: ast.Attribute, receiver: Objects) -> Objects | None:
        """Call a method that a class of the notebook defines; None if it defines none."""
        methods = [(method, one) for one in receiver for method in self._methods(one, function.attr)]
        if not methods:
            return None
        arguments = self.arguments(node, read=False)
        found: Objects = NOTHING
        for method, one in methods:
            found |= self._enter(method, arguments, self._bound_to(method, one))
        return found

    def call_of_base(self, node: ast.Call, name: str) -> Objects:
        """Call a method by `super()`."""
        method = next((one for one in reversed(self.calling) if self.routines[one].owner >= 0), None)
        arguments = self.arguments(node, read=False)
        if method is None:
            self.change(arguments.everything())
            return NOTHING
        routine = self.routines[method]
        itself = self._first_parameter(routine.node)
        found: Objects = NOTHING
        for base in self.routines[routine.owner].bases:
            methods = self._methods(base, name)
            found |= self._enter_all(methods, arguments, itself)
            if not methods:
                self.consume(arguments.everything())
                self.change(itself)
                self.put_into(itself, arguments.everything())
        return found

    def _first_parameter(self, node: ast.AST) -> Objects:
        parameters = node.args if isinstance(node, _Function) else None
        listed = [*parameters.posonlyargs, *parameters.args] if parameters is not None else []
        return self.look_up(listed[0].arg) if listed else NOTHING

    def _bound_to(self, method: int, one: int) -> Objects:
        """Return what a method gets as its first argument when it is taken from an instance or a class."""
        kinds = _decorators(self._syntax(method))
        is_instance = self.memory.kinds.get(one) == "instance"
        if "staticmethod" in kinds or not (is_instance or "classmethod" in kinds):
            return NOTHING
        if "classmethod" in kinds:
            return self.routines[one].bases if is_instance else frozenset((one,))
        return frozenset((one,))

    def _methods(self, one: int, name: str) -> Objects:
        """Return the functions that an instance, a class or its bases keep under a name."""
        memory = self.memory
        stored = memory.slots.get(one, {}).get(name)
        found = memory.contents.get(stored, NOTHING) if stored is not None else NOTHING
        self.uses |= 0 if stored is None else 1 << stored
        found = frozenset(item for item in found if item in self.routines)
        if found:
            return found
        routine = self.routines.get(one)
        parents = routine.bases if routine is not None else NOTHING
        for parent in parents:
            found |= self._methods(parent, name)
        return found

    def instance_attribute(self, one: int, attribute: str) -> Objects:
        """Return an attribute of an instance; a property is what its function returns."""
        methods = self._methods(one, attribute)
        if methods and attribute not in self.memory.slots.get(one, {}):
            found: Objects = NOTHING
            for method in methods:
                bound = self._bound_to(method, one)
                if _decorators(self._syntax(method)) - {"staticmethod", "classmethod"}:
                    found |= self._enter(method, Arguments(), bound)
                taken = self.fresh("function", bound)
                self.routines[min(taken)] = replace(self.routines[method], bound=bound)
                found |= taken
            return found
        found = super().instance_attribute(one, attribute)
        routine = self.routines.get(one)
        for parent in routine.bases if routine is not None else NOTHING:
            found |= self.memory.known(frozenset((parent,)), attribute)
        self.uses |= self.memory.reach(found)
        return found

    def set_property(self, owners: Objects, attribute: str, value: Objects) -> bool:
        """Store into a property of the notebook's classes; False if it is none."""
        done = False
        for one in owners:
            if self.memory.kinds.get(one) != "instance" or attribute in self.memory.slots.get(one, {}):
                continue
            for method in self._methods(one, attribute):
                if "setter" in _decorators(self._syntax(method)):
                    self._enter(method, Arguments([value]), frozenset((one,)))
                    done = True
        return done

    def call_back(self, arguments: Arguments, receiver: Objects) -> Objects:
        """Call the notebook's own functions among the arguments, as whoever they are passed to may do."""
        passed = arguments.everything()
        if not passed:
            return NOTHING
        kinds = self.memory.kinds
        functions = [one for one in passed if kinds.get(one) == "function" and one in self.routines]
        methods = [one for one in passed if kinds.get(one) == "method"]
        if not functions and not methods:
            return NOTHING
        others = (passed - frozenset((*functions, *methods))) | receiver
        kinds = self.memory.kinds
        others |= self.memory.elements(one for one in others if kinds.get(one) not in ("frame", "column"))
        found: Objects = NOTHING
        for one in methods:
            self.call_method_value(one, others)
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
        bound = bound or routine.bound
        given = arguments.everything() | bound
        if one in self.calling or self._is_exhausted(given):
            self.change(given)
            if one not in self.calling:
                self.doubts.append("a function is nested too deep to follow")
            return arguments.everything()
        scope = Scope(local_names(routine.node), routine.scope, self.depth + 1)
        self._bind_parameters(routine, scope, arguments, bound)
        if routine.remembers:
            self.change(frozenset((one,)))
        if is_generator(routine.node):
            return self._generate(one, scope, given)
        return self._interpret(one, scope)

    def _enter_all(self, methods: Objects, arguments: Arguments, bound: Objects) -> Objects:
        found: Objects = NOTHING
        for method in methods:
            found |= self._enter(method, arguments, bound)
        return found

    def _generate(self, one: int, scope: Scope, given: Objects) -> Objects:
        """Make the generator that a call of a generator function returns; its body runs when it is read."""
        made = self.fresh("stream", given)

        def run() -> None:
            if one in self.calling or self._is_exhausted(given):
                self.change(given)
            else:
                self.put_into(made, self._interpret(one, scope))

        self.defer(made, run, once=True)
        return made

    def _interpret(self, one: int, scope: Scope) -> Objects:
        """Run the body of a function in a scope; return what it may return or yield."""
        routine = self.routines[one]
        self.calling.append(one)
        outer, self.scope = self.scope, scope
        self.depth += 1
        self.returned.append(NOTHING)
        result: Objects = NOTHING
        if isinstance(routine.node, ast.Lambda):
            result = self.value(routine.node.body)
        elif not isinstance(routine.node, ast.ClassDef):
            self.run(routine.node.body)
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

    def _bind_parameters(self, routine: Routine, scope: Scope, arguments: Arguments, bound: Objects) -> None:
        if isinstance(routine.node, ast.ClassDef):
            return
        parameters = routine.node.args
        scope.values.update(routine.defaults)
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
        self._enter_all(initializers | self._methods(one, "__post_init__"), arguments, made)
        if not initializers:
            self.consume(arguments.everything())
            self.put_into(made, arguments.everything())
        special = self._special_methods(one)
        if special:
            self.defer(made, lambda: self._enter_all(special, Arguments(), made))
        return made

    def _special_methods(self, one: int) -> Objects:
        """Return the methods that Python calls by itself (`__len__`, `__exit__`), those of bases included."""
        found: Objects = NOTHING
        for name in self.memory.slots.get(one, {}):
            if name.startswith("__") and name.endswith("__") and name not in _CALLED_OTHERWISE:
                found |= self._methods(one, name)
        routine = self.routines.get(one)
        for base in routine.bases if routine is not None else NOTHING:
            found |= self._special_methods(base)
        return found

    def yielded(self, objects: Objects) -> None:
        """Hand something out of a generator function."""
        if self.returned:
            self.returned[-1] |= objects


def _decorators(node: ast.AST | None) -> set[str]:
    """Return the names of a function's decorators: `setter` of `@x.setter`."""
    found = [one.func if isinstance(one, ast.Call) else one for one in getattr(node, "decorator_list", ())]
    return {one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in found}

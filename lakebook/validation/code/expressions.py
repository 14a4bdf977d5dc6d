"""Expressions: what each stands for, and the facts that show on the way. Calls are in `calls`."""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace

from lakebook.validation.code.facts import Compared, Facts, Filtered, Operated, Selected
from lakebook.validation.code.values import (
    Accessor,
    Condition,
    Constant,
    Field,
    Frame,
    Grouped,
    Listed,
    Mapped,
    Ref,
    Routine,
    RowOf,
    Rows,
    Scalar,
    Series,
    Taken,
    Value,
    either,
    literal,
    names,
)
from lakebook.validation.knowledge import Knowledge

# Names that notebooks give to modules; used where the code does not import them itself.
USUAL = {
    "pd": "pandas", "np": "numpy", "plt": "matplotlib.pyplot", "sns": "seaborn", "stats": "scipy.stats",
    "math": "math", "sm": "statsmodels.api", "px": "plotly.express", "os": "os", "json": "json", "re": "re",
}  # fmt: skip
_ACCESSORS = frozenset({"loc", "iloc", "at", "iat", "str", "dt", "columns", "index", "cat"})
_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_MOST_STEPS = 20_000


class Expressions:
    """Evaluates expressions over what is known; `seen` collects the facts."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.facts = Facts()
        self.variables: list[dict[str, Value]] = [{}]
        self.read: set[str] = set()
        self.guards = 0  # conditions and handlers around
        self.loops = 0
        self.depth = 0  # calls of functions of the code around
        self.steps = 0

    @property
    def maybe(self) -> bool:
        """Whether what is run now may not be run, or several times."""
        return bool(self.guards or self.loops)

    # -- names ---------------------------------------------------------------------------------------------

    def lookup(self, name: str) -> Value:
        """Return what a name stands for."""
        self.read.add(name)
        for scope in reversed(self.variables):
            if name in scope:
                return scope[name]
        return Ref(USUAL[name]) if name in USUAL else Ref(name) if hasattr(builtins, name) else None

    def bind(self, name: str, value: Value) -> None:
        """Let a name stand for a value, or for either of two if this may not happen."""
        scope = self.variables[-1]
        scope[name] = either(scope[name], value) if self.maybe and name in scope else value

    def see(self, node: ast.expr | None) -> Value:
        """Evaluate an expression; one of a kind that is not followed has only its parts evaluated."""
        self.steps += 1
        if node is None or self.steps > _MOST_STEPS:
            return None
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is not None:
            found: Value = handler(node)
            return found
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.see(child)
        return None

    # -- literals ------------------------------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Value:
        return Constant(node.value)

    def _name(self, node: ast.Name) -> Value:
        return self.lookup(node.id)

    def _joinedstr(self, node: ast.JoinedStr) -> Value:
        parts = [
            self.see(part.value if isinstance(part, ast.FormattedValue) else part) for part in node.values
        ]
        plain = all(
            not isinstance(part, ast.FormattedValue) or part.format_spec is None for part in node.values
        )
        if plain and all(isinstance(part, Constant) for part in parts):
            return Constant("".join(str(part.value) for part in parts if isinstance(part, Constant)))
        return None

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> Value:
        items = [self.see(item) for item in node.elts]
        return Listed(items, whole=not any(isinstance(item, ast.Starred) for item in node.elts))

    _tuple = _set = _list

    def _dict(self, node: ast.Dict) -> Value:
        made = Mapped()
        for key, item in zip(node.keys, node.values, strict=True):
            name, value = self.see(key), self.see(item)
            if isinstance(name, Constant):
                made.items[name.value] = value
            else:
                made.whole = False
        return made

    def _lambda(self, node: ast.Lambda) -> Value:
        return Routine(node)

    def _ifexp(self, node: ast.IfExp) -> Value:
        self.see(node.test)
        self.guards += 1
        found = either(self.see(node.body), self.see(node.orelse))
        self.guards -= 1
        return found

    def _namedexpr(self, node: ast.NamedExpr) -> Value:
        value = self.see(node.value)
        self.bind(node.target.id, value)
        return value

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
        self.variables.append({})
        for part in node.generators:
            over = self.see(part.iter)
            self.unpack(part.target, over.frame if isinstance(over, Grouped) else None)
            self.guards += 1
            for test in part.ifs:
                self.see(test)
            self.guards -= 1
        self.loops += 1
        for item in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self.see(item)
        self.loops -= 1
        self.variables.pop()
        return None

    _listcomp = _setcomp = _generatorexp = _dictcomp = _comprehension

    def unpack(self, target: ast.expr, value: Value) -> None:
        """Bind the names of a target; of several names the last gets the value, as in loops over groups."""
        if isinstance(target, ast.Name):
            self.variables[-1][target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            for item in target.elts[:-1]:
                self.unpack(item, None)
            if target.elts:
                self.unpack(target.elts[-1], value)

    # -- operators -----------------------------------------------------------------------------------------

    def _boolop(self, node: ast.BoolOp) -> Value:
        self.see(node.values[0])
        self.guards += 1
        for item in node.values[1:]:
            self.see(item)
        self.guards -= 1
        return None

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        value = self.see(node.operand)
        if isinstance(value, Constant) and isinstance(node.op, ast.USub):
            return Constant(-value.value) if isinstance(value.value, (int, float)) else None
        if isinstance(value, Series):
            return replace(value, conditions=(), frame=None, field=value.field.changed(value.field.kind))
        return None

    def _binop(self, node: ast.BinOp) -> Value:
        left, right = self.see(node.left), self.see(node.right)
        self.facts.seen.append(Operated(node, left, right))
        if isinstance(left, Series) or isinstance(right, Series):
            return _combined(node.op, left, right)
        if isinstance(left, Scalar) or isinstance(right, Scalar):
            return Scalar()
        if isinstance(left, Constant) and isinstance(right, Constant) and isinstance(node.op, ast.Add):
            both = (left.value, right.value)
            if all(isinstance(one, str) for one in both) or all(isinstance(one, int) for one in both):
                return Constant(both[0] + both[1])  # type: ignore[operator]
        if isinstance(left, Listed) and isinstance(right, Listed) and isinstance(node.op, ast.Add):
            return Listed([*left.items, *right.items], left.whole and right.whole)
        return None

    def _compare(self, node: ast.Compare) -> Value:
        left = self.see(node.left)
        rights = [self.see(item) for item in node.comparators]
        operator = _OPERATORS.get(type(node.ops[0]))
        if operator is None or len(rights) != 1:
            return None
        right = rights[0]
        if isinstance(left, Constant) and isinstance(right, Series):
            left, right = right, left
        if not isinstance(left, Series):
            return Series(rows=right.rows) if isinstance(right, Series) else None
        mask = Series(Field(kind="boolean", nulls=0, of=left.field.of), left.rows)
        if isinstance(right, Constant):
            condition = Condition(node, left.field, left.name, operator, (right.value,))
            self.facts.seen.append(Compared(condition))
            return replace(mask, conditions=(condition,))
        return mask

    # -- parts ---------------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> Value:
        owner = self.see(node.value)
        name = node.attr
        if isinstance(owner, Ref):
            return Ref(f"{owner.path}.{name}")
        if isinstance(owner, Frame) and name in owner.fields:
            return self.column(node, owner, name)
        if isinstance(owner, (Frame, Series)) and name in _ACCESSORS:
            return Accessor(owner, name)
        if isinstance(owner, Series) and name == "values":
            return replace(owner, rows=replace(owner.rows, labels=0), frame=None)
        if isinstance(owner, RowOf) and name in owner.frame.fields:
            return Scalar(of=owner.frame.fields[name])
        if isinstance(owner, Grouped) and name in owner.frame.fields:
            return replace(owner, series=self.column(node, owner.frame, name))
        return None

    def _subscript(self, node: ast.Subscript) -> Value:
        owner, key = self.see(node.value), self.see(node.slice)
        if isinstance(owner, Frame):
            return self.selected(node, owner, key)
        if isinstance(owner, RowOf):
            if isinstance(key, Constant) and isinstance(key.value, str):
                found = self.column(node, owner.frame, key.value)
                return Scalar(of=found.field)
            return None
        if isinstance(owner, Grouped):
            return self._of_groups(node, owner, key)
        if isinstance(owner, Series):
            return self._of_series(node, owner, key)
        if isinstance(owner, Accessor):
            return self._located(node, owner, key)
        if isinstance(owner, Mapped) and isinstance(key, Constant):
            return owner.items.get(key.value)
        if isinstance(owner, Listed) and isinstance(key, Constant) and isinstance(key.value, int):
            return owner.items[key.value] if -len(owner.items) <= key.value < len(owner.items) else None
        return None

    def _slice(self, node: ast.Slice) -> Value:
        parts = [self.see(part) for part in (node.lower, node.upper, node.step)]
        found = [part.value if isinstance(part, Constant) else None for part in parts]
        known = all(isinstance(part, Constant) or part is None for part in parts)
        return Constant(slice(*found)) if known else Constant(slice(None, None, "unknown"))

    def column(self, node: ast.AST, frame: Frame, name: str, within: str = "") -> Series:
        """Return a column of a frame; one that is not known is noted, and taken to exist from then on."""
        found = frame.find(name)
        if found is None:
            known = (*frame.fields, *frame.index) if frame.whole else ()
            if not self.guards:
                self.facts.seen.append(Selected(node, frame, name, known, within, name in frame.lost))
            found = frame.fields[name] = Field(of=frozenset((name,)))
        return Series(found, frame.rows, name, frame)

    def selected(self, node: ast.AST, frame: Frame, key: Value) -> Value:
        """Return `frame[key]`: a column, several, or the rows that a mask leaves."""
        if isinstance(key, Constant) and isinstance(key.value, str):
            return self.column(node, frame, key.value)
        if isinstance(key, Constant) and isinstance(key.value, slice):
            return taken(frame, key.value, ast.unparse(node) if isinstance(node, ast.expr) else "slice")
        if isinstance(key, Listed) and (listed := names(key)) is not None:
            for name in listed:
                self.column(node, frame, name)
            return frame.copy(listed)
        if isinstance(key, Series) and key.field.kind == "boolean":
            return self.filtered(node, frame, key)
        return frame.fewer().opened() if isinstance(key, Series) else None

    def filtered(self, node: ast.AST, frame: Frame, mask: Series) -> Frame:
        """Return the rows of a frame that a mask leaves."""
        made = frame.fewer()
        for condition in mask.conditions:
            here = made.fields.get(condition.name)
            if here is not None and condition.operator in ("==", "isin", ">", "<", ">=", "<=", "notna"):
                made.fields[condition.name] = replace(here, nulls=0)
        self.facts.seen.append(Filtered(node, frame, mask.conditions, made))
        return made

    def _of_groups(self, node: ast.Subscript, owner: Grouped, key: Value) -> Value:
        listed = names(key)
        if listed is None:
            return None
        for name in listed:
            self.column(node, owner.frame, name)
        if isinstance(key, Constant):
            return replace(owner, series=self.column(node, owner.frame, listed[0]))
        return replace(owner, columns=listed)

    def _of_series(self, node: ast.Subscript, owner: Series, key: Value) -> Value:
        if isinstance(key, Series) and key.field.kind == "boolean":
            return Series(owner.field.fewer(), owner.rows.fewer(), owner.name)
        if isinstance(key, Constant) and isinstance(key.value, slice):
            return _taken_series(owner, key.value, ast.unparse(node))
        return Scalar(of=owner.field)

    def _located(self, node: ast.Subscript, owner: Accessor, key: Value) -> Value:
        """Return what `.loc[...]` and `.iloc[...]` pick."""
        if owner.name == "columns" and isinstance(owner.owner, Frame):
            return None
        if owner.name == "str":
            return owner.owner if False else None
        rows, columns = key, None
        if isinstance(key, Listed) and isinstance(node.slice, ast.Tuple) and len(key.items) == 2:
            rows, columns = key.items
        found: Value = owner.owner
        if isinstance(rows, Series):
            if isinstance(found, Frame):
                found = self.filtered(node, found, rows)
            elif isinstance(found, Series):
                found = Series(found.field.fewer(), found.rows.fewer(), found.name)
        elif isinstance(rows, Constant) and isinstance(rows.value, slice):
            if rows.value != slice(None) and owner.name == "iloc":
                found = (
                    taken(found, rows.value, ast.unparse(node))
                    if isinstance(found, Frame)
                    else _taken_series(found, rows.value, ast.unparse(node))
                    if isinstance(found, Series)
                    else None
                )
            elif rows.value != slice(None) and isinstance(found, Frame):
                found = found.fewer()
        elif isinstance(found, Frame) and rows is not None and columns is None:
            return RowOf(found) if isinstance(rows, (Constant, Scalar)) else found.fewer()
        elif not (isinstance(rows, Constant) and isinstance(rows.value, slice)):
            if isinstance(found, Frame) and owner.name == "loc":
                self._named_part(node, found, columns)
            return None
        if columns is None:
            return found
        return self._named_part(node, found, columns) if owner.name == "loc" else None

    def _named_part(self, node: ast.AST, found: Value, columns: Value) -> Value:
        listed = names(columns) if isinstance(found, Frame) else None
        if listed is None or not isinstance(found, Frame):
            return None
        for name in listed:
            self.column(node, found, name)
        return self.column(node, found, listed[0]) if isinstance(columns, Constant) else found.copy(listed)


def taken(frame: Frame, rows: slice, how: str) -> Frame:
    """Return the rows at given places: a part of the rows that nobody looked at."""
    made = frame.fewer()
    bound = rows.stop if isinstance(rows.stop, int) and rows.step in (None, 1) else None
    if rows.start in (None, 0) and bound is not None and bound > 0:
        made.rows = replace(
            made.rows, taken=frame.rows.taken or Taken(how, bound, of=frame.rows.count), count=bound
        )
    return made


def _taken_series(series: Series, rows: slice, how: str) -> Series:
    part = taken(Frame({"": series.field}, True, series.rows), rows, how)
    return Series(part.fields[""], part.rows, series.name)


def _combined(operator: ast.operator, left: Value, right: Value) -> Series:
    """Return the result of an operator between series, or a series and something else."""
    parts = [part for part in (left, right) if isinstance(part, Series)]
    of = frozenset().union(*(part.field.of for part in parts))
    nulls = 0 if all(part.field.nulls == 0 for part in parts) else None
    if isinstance(operator, (ast.BitAnd, ast.BitOr)):
        conditions = tuple(one for part in parts for one in part.conditions)
        if isinstance(operator, ast.BitOr):
            conditions = ()
        return Series(Field(kind="boolean", nulls=0, of=of), parts[0].rows, conditions=conditions)
    numeric = all(part.field.kind == "number" for part in parts)
    made = parts[0].field.made if len(parts) == 1 else ""
    rows = parts[0].rows if len({part.rows.labels for part in parts}) == 1 else Rows()
    return Series(Field(kind="number" if numeric else "", nulls=nulls, of=of, made=made), rows)


def constant(value: Value, default: object = None) -> object:
    """Return the Python object of a literal value, or the default."""
    try:
        return literal(value)
    except ValueError:
        return default

"""Expressions: what each stands for, and the facts that show on the way.

Columns and rows taken out of frames are in `selections`, calls in `calls`.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace

from lakebook.validation.code.facts import Compared, Facts, Operated
from lakebook.validation.code.values import (
    Condition,
    Constant,
    Field,
    Grouped,
    Listed,
    Mapped,
    Ref,
    Routine,
    Rows,
    Scalar,
    Series,
    Value,
    either,
    literal,
)
from lakebook.validation.knowledge import Knowledge

# Names that notebooks give to modules; used where the code does not import them itself.
USUAL = {
    "pd": "pandas", "np": "numpy", "plt": "matplotlib.pyplot", "sns": "seaborn", "stats": "scipy.stats",
    "math": "math", "sm": "statsmodels.api", "px": "plotly.express", "os": "os", "json": "json", "re": "re",
}  # fmt: skip
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

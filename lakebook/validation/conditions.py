"""Conditions that compare a column with constants: found in a statement, and reasoned about with intervals.

Used by the filter rules and by the runtime, which counts in how many rows such a condition holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.validation.statement import Origin, Resolver, Statement, is_constant, literal, owned, text

Constant = str | float | bool

_EQUALITIES = (
    exp.EQ, exp.NEQ, exp.In, exp.NullSafeEQ, exp.NullSafeNEQ, exp.ArrayContains, exp.Case, exp.Like,
)  # fmt: skip
_MIRRORED: dict[type, type] = {exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE}


@dataclass(frozen=True, slots=True)
class Match:
    """`column = constant`, one for each constant of a list.

    Attributes:
        negated: for <> and NOT IN. `listed`: all constants of the list that it stands in, as written.
    """

    origin: Origin
    constant: Constant
    written: str
    negated: bool
    listed: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Name of the comparison in the shared state."""
        return self.key_of(self.written)

    def key_of(self, written: str) -> str:
        """Return the name of the same comparison with another constant."""
        return f"{self.origin.column} = {written}"


def matches(statement: Statement, resolver: Resolver) -> Iterator[Match]:
    """Yield every comparison for equality of a table's column with constants, wherever it stands.

    That is =, <>, IN, IS (NOT) DISTINCT FROM, = ANY([…]), list_contains([…], x), CASE x WHEN, and LIKE
    without a wildcard; in WHERE, HAVING, ON, FILTER, CASE and the list of columns alike.
    """
    for scope in statement.selects():
        for node in owned(scope, *_EQUALITIES):
            operand, constants = equality(node)
            origin = resolver.origin(scope, operand) if isinstance(operand, exp.Column) else None
            if origin is None:
                continue
            listed = tuple(text(item) for item in constants)
            for item, written in zip(constants, listed, strict=True):
                value = literal(item)
                if value is not None:
                    yield Match(origin, value, written, is_negated(node), listed)


def is_negated(node: Any) -> bool:
    """Say whether a test is the other way round: <>, NOT IN, NOT LIKE, NOT (…)."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    turned = isinstance(node, (exp.NEQ, exp.NullSafeNEQ)) or bool(node.args.get("negate"))
    return turned != isinstance(parent, exp.Not)


def equality(node: Any) -> tuple[Any, list[Any]]:
    """Return what is compared and the constants of a test for equality, (None, []) if it is none."""
    if isinstance(node, exp.In):
        return (node.this, _constants(node.expressions)) if not node.args.get("query") else (None, [])
    if isinstance(node, exp.Case):
        return (
            (node.this, _constants(branch.this for branch in node.args["ifs"])) if node.this else (None, [])
        )
    if isinstance(node, exp.ArrayContains):
        return node.expression, _constants(_items(node.this))
    if isinstance(node, exp.Like):
        plain = is_constant(node.expression) and not wildcards(node)
        return (node.this, [node.expression]) if plain else (None, [])
    left, right = node.this, node.expression
    if is_constant(left) and not is_constant(right):
        left, right = right, left
    if isinstance(right, exp.Any):
        return left, _constants(_items(right.this))
    return (left, [right]) if is_constant(right) and not is_constant(left) else (None, [])


def wildcards(node: Any) -> bool:
    """Say whether the pattern of a LIKE has wildcards, or an escape sign that would have to be understood."""
    return bool({"%", "_"} & set(str(literal(node.expression)))) or isinstance(node.parent, exp.Escape)


def _items(node: Any) -> list[Any]:
    array = node.unnest() if isinstance(node, exp.Paren) else node
    return list(array.expressions) if isinstance(array, (exp.Array, exp.Tuple)) else []


def _constants(items: Iterable[Any]) -> list[Any]:
    return [item for item in items if is_constant(item)]


@dataclass
class Possible:
    """What the conjuncts of a WHERE clause leave possible for one column."""

    written: list[str] = field(default_factory=list)
    allowed: set[Constant] | None = None
    lower: tuple[Constant, bool] | None = None  # (bound, strict)
    upper: tuple[Constant, bool] | None = None
    null: bool = False
    kinds: set[type] = field(default_factory=set)

    def is_contradiction(self) -> bool:
        """Say whether no value at all can fulfil it; False if the constants cannot be compared."""
        if len(self.kinds) > 1:
            return False
        if self.null and (self.allowed is not None or self.lower or self.upper):
            return True
        if self.allowed is not None:
            return not any(self._inside(value) for value in self.allowed)
        if self.lower and self.upper:
            (low, low_strict), (high, high_strict) = self.lower, self.upper
            return low > high or (low == high and (low_strict or high_strict))  # type: ignore[operator]
        return False

    def _inside(self, value: Constant) -> bool:
        if self.lower and not (value > self.lower[0] or (value == self.lower[0] and not self.lower[1])):  # type: ignore[operator]
            return False
        return not self.upper or bool(
            value < self.upper[0] or (value == self.upper[0] and not self.upper[1])  # type: ignore[operator]
        )

    def allow(self, values: Iterable[Constant]) -> None:
        """Narrow to these values."""
        given = set(values)
        self.kinds |= {type(value) for value in given}
        self.allowed = given if self.allowed is None else self.allowed & given

    def bound(self, value: Constant, *, above: bool, strict: bool) -> None:
        """Narrow to values above (below) a bound."""
        self.kinds.add(type(value))
        if len(self.kinds) > 1:
            return
        known = self.lower if above else self.upper
        tighter = known is None or (value > known[0] if above else value < known[0])  # type: ignore[operator]
        if tighter or (known is not None and value == known[0] and strict):
            if above:
                self.lower = (value, strict)
            else:
                self.upper = (value, strict)


def possibilities(conditions: Sequence[Any], scope: Scope) -> dict[str, Possible]:
    """Return what AND-ed conditions leave possible, by column as written."""
    found: dict[str, Possible] = {}
    for node in conditions:
        column, _ = _column_of(node)
        if column is None:
            continue
        possible = found.setdefault(text(column).lower(), Possible())
        if _narrow(possible, node):
            possible.written.append(text(node))
    return found


def _column_of(node: Any) -> tuple[Any, bool]:
    """Return the column that a condition restricts, and whether it stands on the right."""
    if isinstance(node, (exp.In, exp.Between, exp.Is)):
        return (node.this, False) if _is_column(node.this) else (None, False)
    if isinstance(node, (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE)):
        if _is_column(node.this) and is_constant(node.expression):
            return node.this, False
        if _is_column(node.expression) and is_constant(node.this):
            return node.expression, True
    return None, False


def _is_column(node: Any) -> bool:
    """Say whether the node is a column, or one that is cast."""
    return isinstance(node.this if isinstance(node, exp.Cast) else node, exp.Column)


def runs_backwards(between: Any) -> bool:
    """Say whether a BETWEEN goes from a value to the same one less something, or from one plus something."""
    low, high = between.args["low"], between.args["high"]
    less = isinstance(high, exp.Sub) and text(high.this) == text(low) and _is_positive(high.expression)
    more = isinstance(low, exp.Add) and text(low.this) == text(high) and _is_positive(low.expression)
    return less or more


def _is_positive(node: Any) -> bool:
    amount = node.this if isinstance(node, exp.Interval) else node
    value = literal(amount) if amount is not None else None
    try:
        return value is not None and float(value) > 0
    except ValueError:
        return False


def _narrow(possible: Possible, node: Any) -> bool:
    """Narrow by one condition; say whether it was understood."""
    if isinstance(node, exp.Is):
        possible.null = possible.null or isinstance(node.expression, exp.Null)
        return possible.null
    if isinstance(node, exp.In):
        values = [literal(item) for item in node.expressions]
        known = [value for value in values if value is not None]
        if node.args.get("query") or len(known) != len(values) or not values:
            return False
        possible.allow(known)
        return True
    if isinstance(node, exp.Between):
        low, high = literal(node.args["low"]), literal(node.args["high"])
        if low is None or high is None:
            return False
        possible.bound(low, above=True, strict=False)
        possible.bound(high, above=False, strict=False)
        return True
    return _compare(possible, node)


def _compare(possible: Possible, node: Any) -> bool:
    _, mirrored = _column_of(node)
    value = literal(node.this if mirrored else node.expression)
    if value is None:
        return False
    kind = _MIRRORED.get(type(node), type(node)) if mirrored else type(node)
    if kind is exp.EQ:
        possible.allow([value])
    else:
        possible.bound(value, above=kind in (exp.GT, exp.GTE), strict=kind in (exp.GT, exp.LT))
    return True


def always_holds(alternatives: Any) -> Any:
    """Return the column of which every value fulfils an OR by itself, None if there is none."""
    parts = list(alternatives.flatten(unnest=False))
    for index, one in enumerate(parts):
        for other in parts[index + 1 :]:
            column, other_column = _tested(one), _tested(other)
            if column is None or other_column is None or text(column) != text(other_column):
                continue
            if _cover(one, other):
                return column
    return None


def _tested(node: Any) -> Any:
    if isinstance(node, exp.NEQ):
        return node.this if isinstance(node.this, exp.Column) and is_constant(node.expression) else None
    return _column_of(node)[0] if not isinstance(node, (exp.In, exp.Between, exp.Is)) else None


def _cover(one: Any, other: Any) -> bool:
    """Say whether every value fulfils one of two conditions: no value fulfils neither."""
    if isinstance(one, exp.NEQ) and isinstance(other, exp.NEQ):
        return text(one.expression) != text(other.expression) and is_constant(one.expression)
    negated = Possible()
    for node in (one, other):
        opposite = _OPPOSITE.get(type(node))
        if opposite is None:
            return False
        _compare(negated, opposite(this=node.this.copy(), expression=node.expression.copy()))
    return negated.is_contradiction()


_OPPOSITE: dict[type, type] = {
    exp.GT: exp.LTE, exp.GTE: exp.LT, exp.LT: exp.GTE, exp.LTE: exp.GT, exp.NEQ: exp.EQ,
}  # fmt: skip

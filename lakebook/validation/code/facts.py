"""What rules are told of code: calls, comparisons, selections, assignments, and the values in them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from lakebook.validation.code.values import Condition, Frame, Value


@dataclass(frozen=True, slots=True)
class Called:
    """A call.

    Attributes:
        name: of the method, or dotted path of the function. `receiver`: what the method belongs to.
        maybe: it stands under a condition or in a loop.
    """

    node: ast.Call
    name: str
    receiver: Value
    args: tuple[Value, ...]
    named: Mapping[str, Value]
    result: Value
    maybe: bool = False


@dataclass(frozen=True, slots=True)
class Selected:
    """A column of a frame is asked for by name. `within`: "query", "by", "usecols" …, "" for a subscript."""

    node: ast.AST
    frame: Frame
    name: str
    known: tuple[str, ...]
    within: str = ""
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Compared:
    """A series is compared with literals."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Filtered:
    """Rows are selected by conditions, all of which must hold."""

    node: ast.AST
    frame: Frame
    conditions: tuple[Condition, ...]
    result: Frame


@dataclass(frozen=True, slots=True)
class Stored:
    """A column is assigned. `before`: what it was, None if it is new."""

    node: ast.AST
    frame: Frame
    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Operated:
    """An arithmetic operator between two values."""

    node: ast.BinOp
    left: Value
    right: Value


Fact = Called | Selected | Compared | Filtered | Stored | Operated
Kind = TypeVar("Kind", Called, Selected, Compared, Filtered, Stored, Operated)


@dataclass(slots=True)
class Facts:
    """Everything that was seen, in order.

    Attributes:
        unused: variable -> the statement that gave it a frame which nothing ever read.
        asked: (table, column) of the lake for every column that was asked for by name.
    """

    seen: list[Fact] = field(default_factory=list)
    unused: dict[str, ast.AST] = field(default_factory=dict)
    asked: set[tuple[str, str]] = field(default_factory=set)

    def of(self, kind: type[Kind]) -> list[Kind]:
        """Return the facts of one kind."""
        return [fact for fact in self.seen if isinstance(fact, kind)]


def place(node: ast.AST) -> str:
    """Return where a node stands, for the observation of a finding."""
    return f"line {getattr(node, 'lineno', 0)} of the code"


def brief(node: ast.AST, most: int = 80) -> str:
    """Return a node as code, cut where it is long."""
    written = " ".join(ast.unparse(node).split())
    return written if len(written) <= most else written[:most] + "…"

"""Rules on Python that is computed with: pandas statements that do not do what they look like."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule

# Methods that return a new frame and change nothing when their result is not kept.
_RETURNING = frozenset({"dropna", "fillna", "drop_duplicates", "sort_values", "astype", "reset_index"})


def _nodes(invocation: Invocation) -> Iterator[ast.AST]:
    if invocation.tree is not None:
        yield from ast.walk(invocation.tree)


@rule(
    "A4",
    operator="Compute",
    detects="a groupby that drops the rows whose key is missing",
    evidence="null counts of the table under analysis (complete)",
    action="advise",
    reference="catalogue A4",
)
def groupby_drops_nulls(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a group key has nulls and `dropna=False` is not said."""
    if invocation.table is None:
        return
    nulls = {column.name: column.nulls for column in invocation.table.columns if column.nulls}
    for node in _nodes(invocation):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "groupby"
        ):
            continue
        if any(word.arg == "dropna" for word in node.keywords):
            continue
        keys = [word.value for word in node.keywords if word.arg == "by"] + node.args[:1]
        named = {
            constant.value
            for key in keys
            for constant in ast.walk(key)
            if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
        }
        for name in sorted(named & nulls.keys()):
            yield Finding(
                "A4",
                "advise",
                f"groupby({name!r}) leaves out the rows without a {name}.",
                observed=f"{nulls[name]:,} of {invocation.table.rows:,} rows have none",
                hint="Say dropna=False to keep them, or dropna=True to show that it is meant.",
            )


@rule(
    "O12",
    operator="Compute",
    detects="an assignment through two subscripts, which pandas 3 never writes into the frame",
    evidence="the code alone",
    action="reject",
    reference="catalogue O12",
)
def chained_assignment(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject `df[mask]["column"] = value`."""
    for node in _nodes(invocation):
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AugAssign)
            else []
        )
        for target in targets:
            if _is_chain(target):
                yield Finding(
                    "O12",
                    "reject",
                    f"{ast.unparse(target)} = … writes into a copy and is lost.",
                    observed=f"line {target.lineno} of the code",
                    hint="Write df.loc[rows, column] = value.",
                )


def _is_chain(target: ast.AST) -> bool:
    """A mask or comparison picks rows, then a column name is assigned to: only frames are used so."""
    if not (isinstance(target, ast.Subscript) and isinstance(target.value, ast.Subscript)):
        return False
    rows, column = target.value.slice, target.slice
    return isinstance(rows, (ast.Compare, ast.BinOp)) and isinstance(column, ast.Constant)


@rule(
    "O13",
    operator="Compute",
    detects="a result that is thrown away, or None kept from an in-place method",
    evidence="the code alone",
    action="reject",
    reference="catalogue O13",
)
def discarded_result(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a bare `df.dropna()` before the last line, and `x = df.dropna(inplace=True)`."""
    body = invocation.tree.body if invocation.tree is not None else []
    for position, statement in enumerate(body):
        call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in _RETURNING
        ):
            continue
        in_place = any(
            word.arg == "inplace" and isinstance(word.value, ast.Constant) and word.value.value is True
            for word in call.keywords
        )
        shown = position == len(body) - 1  # a notebook shows the value of the last line
        if isinstance(statement, ast.Expr) and not in_place and not shown:
            message, hint = f"The result of {ast.unparse(call)} is thrown away.", "Assign it to a name."
        elif isinstance(statement, ast.Assign) and in_place:
            message, hint = f"{ast.unparse(statement)} keeps None.", "Leave out inplace=True."
        else:
            continue
        yield Finding("O13", "reject", message, observed=f"line {statement.lineno} of the code", hint=hint)

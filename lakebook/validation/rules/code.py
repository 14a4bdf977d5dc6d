"""Rules on Python as it is written: pandas statements that do not do what they look like.

These need the code alone. What needs to be known of frames and rows is in the families `code_*`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.validation.code.facts import Called, Compared, brief, place
from lakebook.validation.code.interpreter import followed
from lakebook.validation.code.values import Constant, Listed, Mapped
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.nearest import fold
from lakebook.validation.registry import rule

# Methods that return a new frame and change nothing when their result is not kept.
_RETURNING = frozenset({"dropna", "fillna", "drop_duplicates", "sort_values", "astype", "reset_index"})
_WRITING = frozenset(
    {
        "fillna",
        "replace",
        "clip",
        "ffill",
        "bfill",
        "where",
        "mask",
        "interpolate",
        "dropna",
        "drop_duplicates",
    }
)
_LEAST_CELLS = 6  # numbers in a table written out in the code, from which on it counts as data


def _nodes(invocation: Invocation) -> Iterator[ast.AST]:
    if invocation.tree is not None:
        yield from ast.walk(invocation.tree)


@rule(
    "O12",
    operator="Compute",
    detects="an assignment through two subscripts, which pandas 3 never writes into the frame",
    evidence="the code alone",
    action="reject",
    reference="catalogue O12",
)
def chained_assignment(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject `df[mask]["column"] = value` and `df["column"].fillna(value, inplace=True)`."""
    for node in _nodes(invocation):
        if isinstance(node, ast.Call) and _writes_into_copy(node):
            function = node.func
            assert isinstance(function, ast.Attribute)  # noqa: S101
            yield Finding(
                "O12",
                "reject",
                f"{brief(node)} changes a copy of the column, not the frame.",
                observed=place(node),
                hint=f"Assign it: {brief(function.value)} = {brief(function.value)}.{function.attr}(…).",
            )
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
                    f"{brief(target)} = … writes into a copy and is lost.",
                    observed=place(target),
                    hint="Write df.loc[rows, column] = value.",
                )


def _writes_into_copy(node: ast.Call) -> bool:
    """A method with `inplace=True` on a column taken by its literal name."""
    function = node.func
    return (
        isinstance(function, ast.Attribute)
        and function.attr in _WRITING
        and isinstance(function.value, ast.Subscript)
        and isinstance(function.value.slice, ast.Constant)
        and isinstance(function.value.slice.value, str)
        and any(
            word.arg == "inplace" and isinstance(word.value, ast.Constant) and word.value.value is True
            for word in node.keywords
        )
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
            message, hint = f"The result of {brief(call)} is thrown away.", "Assign it to a name."
        elif isinstance(statement, ast.Assign) and in_place:
            message, hint = f"{brief(statement)} keeps None.", "Leave out inplace=True."
        else:
            continue
        yield Finding("O13", "reject", message, observed=place(statement), hint=hint)


@rule(
    "O14py",
    operator="Compute",
    detects="an exception that is swallowed without a word",
    evidence="the code alone",
    action="advise",
    reference="catalogue O14",
)
def swallowed(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on handlers that do nothing with any exception at all."""
    for node in _nodes(invocation):
        if not isinstance(node, ast.ExceptHandler):
            continue
        broad = node.type is None or (
            isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
        )
        silent = all(
            isinstance(one, (ast.Pass, ast.Continue))
            or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
            for one in node.body
        )
        if broad and silent:
            yield Finding(
                "O14py",
                "advise",
                "An exception is swallowed: what failed is left out of the result without a word.",
                observed=place(node),
                hint="Name the exception that is expected, and count what is left out.",
            )


@rule(
    "F6py",
    operator="Compute",
    detects="comparisons joined by & or | without parentheses: the sign binds before the comparison",
    evidence="the code alone",
    action="reject",
    reference="catalogue F6",
)
def precedence(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject `df.a == 1 & df.b == 2`."""
    for node in _nodes(invocation):
        if not isinstance(node, ast.Compare):
            continue
        middle = [
            one
            for one in node.comparators
            if isinstance(one, ast.BinOp)
            and isinstance(one.op, (ast.BitAnd, ast.BitOr))
            and isinstance(one.left, ast.Constant)
            and not isinstance(one.right, ast.Constant)
        ]
        if middle:
            yield Finding(
                "F6py",
                "reject",
                f"In {brief(node)} the & or | binds before the comparison.",
                observed=f"{brief(middle[0])} is computed first; {place(node)}",
                hint="Put each comparison in parentheses.",
            )


@rule(
    "F8py",
    operator="Compute",
    detects="a comparison with NaN or None, which no value of a column equals",
    evidence="the code alone",
    action="reject",
    reference="catalogue F8",
)
def equals_missing(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject `== np.nan`, and `== None` on a column."""
    for node in _nodes(invocation):
        if not (isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq))):
            continue
        left, right = node.left, node.comparators[0]
        nan = any(
            isinstance(one, ast.Attribute) and one.attr in ("nan", "NaN", "NA", "NaT")
            for one in (left, right)
        )
        none = (
            isinstance(right, ast.Constant)
            and right.value is None
            and _is_column(node, invocation, knowledge)
        )
        if nan or none:
            always = "False" if isinstance(node.ops[0], ast.Eq) else "True"
            yield Finding(
                "F8py",
                "reject",
                f"{brief(node)} is {always} in every row: nothing equals a missing value.",
                observed=place(node),
                hint="Use .isna() or .notna().",
            )


def _is_column(node: ast.Compare, invocation: Invocation, knowledge: Knowledge) -> bool:
    return any(fact.condition.node is node for fact in followed(invocation, knowledge).of(Compared))


@rule(
    "O10py",
    operator="Compute",
    detects="a table of data written out in the code instead of read from a source",
    evidence="the code, and the column names of the known tables",
    action="reject",
    reference="catalogue O10; invented data tables",
)
def written_out(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a table under the names of a known one when no source is read; else advise."""
    facts = followed(invocation, knowledge).of(Called)
    reads = bool(invocation.frames) or any(fact.name.startswith("pandas.read_") for fact in facts)
    for fact in facts:
        given = fact.args[0] if fact.args else fact.named.get("data")
        if fact.name != "pandas.DataFrame" or not isinstance(given, Mapped):
            continue
        columns = {str(name): _literals(value) for name, value in given.items.items()}
        rows = min((len(values) for values in columns.values()), default=0)
        numbers = sum(isinstance(one, (int, float)) for values in columns.values() for one in values)
        if rows < 3 or len(columns) < 2 or numbers < _LEAST_CELLS:
            continue
        named = {fold(name) for name in columns}
        like = [
            table.name
            for table in knowledge.tables.values()
            if len(named & {fold(column.name) for column in table.columns}) >= 2
        ]
        yield Finding(
            "O10py",
            "reject" if like and not reads else "advise",
            f"{brief(fact.node)} holds {numbers} numbers that no source was read for.",
            observed=f"{rows} rows of {', '.join(columns)} are written out in the code; {place(fact.node)}",
            hint=f"Compute over {like[0]}." if like else "Read the values from the source.",
        )


def _literals(value: object) -> list[object]:
    items = value.items if isinstance(value, Listed) and value.whole else []
    return [one.value for one in items if isinstance(one, Constant)]

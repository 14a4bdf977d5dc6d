"""Syntactic mutants of right code, each of one class; what a class is is said beside its operator.

An operator changes one place. Of a code, at most `most` places of a class are changed, chosen by a seed.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutation:
    """A class of errors: `change` alters a node in place and says whether it did.

    Attributes:
        needs_question: the mutant is a sound operation by itself; only the question says that it is wrong.
    """

    kind: str
    change: Callable[[ast.AST, ast.Module], bool]
    needs_question: bool = False


def mutants(code: str, seed: int, most: int = 2) -> Iterator[tuple[Mutation, str]]:
    """Yield the mutants of a code with their classes, in a fixed order."""
    tree = ast.parse(code)
    for mutation in MUTATIONS:
        places = [
            place for place, node in enumerate(ast.walk(tree)) if mutation.change(copy.deepcopy(node), tree)
        ]
        draw = random.Random(f"{seed}{mutation.kind}{code}")  # noqa: S311
        chosen = draw.sample(places, min(most, len(places)))
        for place in sorted(chosen):
            mutant = copy.deepcopy(tree)
            node = list(ast.walk(mutant))[place]
            mutation.change(node, mutant)
            written = ast.unparse(ast.fix_missing_locations(mutant))
            if written != ast.unparse(tree):
                yield mutation, written


def _method(node: ast.AST, *names: str) -> tuple[ast.Call, ast.Attribute] | None:
    """Return a call of one of the methods, with its function."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
        return node, node.func
    return None


def _is_call(node: ast.AST, *names: str) -> bool:
    return _method(node, *names) is not None


def _turn_into(node: ast.AST, other: ast.AST) -> bool:
    """Make a node the other in place, so that whatever holds it need not be known."""
    if type(node) is not type(other):
        node.__class__ = other.__class__  # type: ignore[assignment]
    node.__dict__.clear()
    node.__dict__.update(copy.deepcopy(other).__dict__)
    return True


def _wrong_join_type(node: ast.AST, tree: ast.Module) -> bool:
    found = _method(node, "merge")
    if found is None:
        return False
    call, _ = found
    for word in call.keywords:
        if word.arg == "how" and isinstance(word.value, ast.Constant):
            word.value.value = "inner" if word.value.value != "inner" else "left"
            return True
    call.keywords.append(ast.keyword("how", ast.Constant("outer")))
    return True


def _cross_join(node: ast.AST, tree: ast.Module) -> bool:
    found = _method(node, "merge")
    if found is None:
        return False
    call, _ = found
    dropped = ("on", "left_on", "right_on", "how", "left_index", "right_index")
    call.keywords = [word for word in call.keywords if word.arg not in dropped]
    call.keywords.append(ast.keyword("how", ast.Constant("cross")))
    return True


def _lost_filter(node: ast.AST, _: ast.Module) -> bool:
    mask = (ast.Compare, ast.BinOp, ast.Call)
    if not (
        isinstance(node, ast.Subscript) and isinstance(node.slice, mask) and isinstance(node.ctx, ast.Load)
    ):
        return False
    if isinstance(node.slice, ast.BinOp) and not isinstance(node.slice.op, (ast.BitAnd, ast.BitOr)):
        return False
    if isinstance(node.slice, ast.Call) and not _is_call(node.slice, "isin", "notna", "isna", "contains"):
        return False
    return _turn_into(node, node.value)


def _changed_case(node: ast.AST, _: ast.Module) -> bool:
    if not (isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq)):
        return False
    right = node.comparators[0]
    if not (
        isinstance(right, ast.Constant)
        and isinstance(right.value, str)
        and right.value.swapcase() != right.value
    ):
        return False
    if not isinstance(node.left, (ast.Subscript, ast.Attribute)):
        return False
    right.value = right.value.swapcase()
    return True


def _misspelt_column(node: ast.AST, _: ast.Module) -> bool:
    if not (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)):
        return False
    if not (
        isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
        and len(node.slice.value) > 3
    ):
        return False
    if not isinstance(node.value, ast.Name):
        return False
    node.slice.value = node.slice.value[:-2] + node.slice.value[-1]
    return True


def _swapped_column(node: ast.AST, tree: ast.Module) -> bool:
    if not (_is_column(node) and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)):
        return False
    names = [
        one.slice.value
        for one in ast.walk(tree)
        if _is_column(one) and isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Constant)
    ]
    others = sorted({name for name in names if name != node.slice.value})
    if not others:
        return False
    node.slice.value = others[0]
    return True


def _is_column(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
        and isinstance(node.value, ast.Name)
    )


def _lost_percent(node: ast.AST, _: ast.Module) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, ast.Constant) and one.value in (100, 100.0):
                return _turn_into(node, other)
    return False


def _sample_left_in(node: ast.AST, tree: ast.Module) -> bool:
    found = _method(node, "read_csv")
    if found is None:
        return False
    call, _ = found
    if any(word.arg == "nrows" for word in call.keywords):
        return False
    call.keywords.append(ast.keyword("nrows", ast.Constant(20)))
    return True


def _head_left_in(node: ast.AST, _: ast.Module) -> bool:
    if not (isinstance(node, ast.Assign) and _is_call(node.value, "read_csv", "dropna", "copy")):
        return False
    node.value = ast.Call(ast.Attribute(node.value, "head", ast.Load()), [ast.Constant(20)], [])
    return True


def _whole_division(node: ast.AST, _: ast.Module) -> bool:
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
        return False
    if isinstance(node.right, ast.Constant) and isinstance(node.right.value, str):
        return False  # a path
    node.op = ast.FloorDiv()
    return True


def _lost_dropna(node: ast.AST, tree: ast.Module) -> bool:
    found = _method(node, "dropna", "drop_duplicates")
    if found is None:
        return False
    _, function = found
    return _turn_into(node, function.value)


def _other_statistic(node: ast.AST, tree: ast.Module) -> bool:
    others = {"mean": "median", "median": "mean", "sum": "mean", "max": "mean", "nunique": "count"}
    found = _method(node, *others)
    if found is None:
        return False
    _, function = found
    function.attr = others[function.attr]
    return True


def _other_bound(node: ast.AST, _: ast.Module) -> bool:
    others: dict[type[ast.cmpop], ast.cmpop] = {
        ast.Gt: ast.GtE(), ast.GtE: ast.Gt(), ast.Lt: ast.LtE(), ast.LtE: ast.Lt(),
    }  # fmt: skip
    if not (isinstance(node, ast.Compare) and type(node.ops[0]) in others):
        return False
    node.ops[0] = others[type(node.ops[0])]
    return True


def _other_order(node: ast.AST, tree: ast.Module) -> bool:
    found = _method(node, "sort_values")
    if found is None:
        return False
    call, _ = found
    for word in call.keywords:
        if word.arg == "ascending" and isinstance(word.value, ast.Constant):
            word.value.value = not word.value.value
            return True
    call.keywords.append(ast.keyword("ascending", ast.Constant(False)))
    return True


def _thrown_away(node: ast.AST, tree: ast.Module) -> bool:
    methods = ("dropna", "drop_duplicates", "sort_values", "fillna", "astype", "reset_index")
    if not (isinstance(node, ast.Module) and len(node.body) > 1):
        return False
    for place, statement in enumerate(node.body[:-1]):
        if isinstance(statement, ast.Assign) and _is_call(statement.value, *methods):
            node.body[place] = ast.Expr(statement.value)
            return True
    return False


def _chained_write(node: ast.AST, _: ast.Module) -> bool:
    """`df.loc[mask, "c"] = v` becomes `df[mask]["c"] = v`."""
    if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)):
        return False
    target = node.targets[0]
    if not isinstance(target.value, ast.Attribute) or target.value.attr != "loc":
        return False
    if not isinstance(target.slice, ast.Tuple) or len(target.slice.elts) != 2:
        return False
    rows, column = target.slice.elts
    if not isinstance(rows, (ast.Compare, ast.BinOp)) or not isinstance(column, ast.Constant):
        return False
    node.targets[0] = ast.Subscript(ast.Subscript(target.value.value, rows, ast.Load()), column, ast.Store())
    return True


MUTATIONS = (
    Mutation("misspelt column", _misspelt_column),
    Mutation("changed case of a filter value", _changed_case),
    Mutation("sample left in (nrows=)", _sample_left_in),
    Mutation("sample left in (head)", _head_left_in),
    Mutation("cross join", _cross_join),
    Mutation("integer division", _whole_division),
    Mutation("result thrown away", _thrown_away),
    Mutation("write into a copy", _chained_write),
    Mutation("lost dropna or drop_duplicates", _lost_dropna),
    Mutation("wrong join type", _wrong_join_type, True),
    Mutation("lost filter", _lost_filter, True),
    Mutation("column of another meaning", _swapped_column, True),
    Mutation("lost × 100", _lost_percent, True),
    Mutation("another statistic", _other_statistic, True),
    Mutation("another bound", _other_bound, True),
    Mutation("another order", _other_order, True),
)

"""Methods of data frames: which columns of a frame its result wants, and what a call changes in place.

Most methods make each column of their result from the same column of the receiver, so that wanting one column
wants one column (`Memory.copy`). What decides which *rows* are there is read whole: a mask, the keys of a
merge, every column for a `dropna` without `subset`. A method that is not known to work so reads every column.
"""

from __future__ import annotations

import ast
import re

from lakebook.notebooks import taxonomy
from lakebook.notebooks.slicing.arguments import Arguments
from lakebook.notebooks.slicing.library import LibraryCalls
from lakebook.notebooks.slicing.memory import NOTHING, Objects, own
from lakebook.notebooks.taxonomy import names

_LENIENT = ("rename", "fillna", "replace")  # leave alone what they do not find, where others fail
_QUERY_NAMES = re.compile(r"`([^`]+)`|([^\W\d]\w*)")
FRAMES = ("frame", "empty frame", "column")


class FrameCalls(LibraryCalls):
    """Calls methods of frames and columns."""

    def frame_method(self, node: ast.Call, name: str, receiver: Objects, kind: str) -> Objects:
        """Call a method of a frame, a column, or something that is changed in place."""
        if kind == "frame" and name in ("merge", "join") and merges(node, name):
            return self.merged(node, receiver, node.args[:1], by_index=name == "join")
        keys = self.column_arguments(node)
        named = self._named(receiver, keys)
        self.uses |= own(receiver)
        if name in names("methods", "keyed").exact and not self._keys_are_known(node, name, receiver):
            self.consume(receiver)
        changes = changes_in_place(node, name) or name in taxonomy.mutators(kind or "frame")
        by_column = kind == "frame" and self._is_columnwise(node, name, keys, receiver)
        if changes and by_column:
            self._change_by_column(node, name, receiver, named)
            return NOTHING
        lazy = name in names("methods", "lazy").exact
        if name not in _LENIENT:
            self.uses |= own(named)
        if changes or not (by_column or lazy or self._reads_only(node, name, receiver, kind)):
            self.consume(receiver)
        self._call_arguments(node, name, receiver)
        if changes:
            self.change(receiver)
            return self.fresh() if name == "pop" else NOTHING
        return receiver if lazy else self._result(node, name, receiver, by_column=by_column)

    def _result(self, node: ast.Call, name: str, receiver: Objects, *, by_column: bool) -> Objects:
        """Return what a method hands out that changes nothing in place."""
        memory = self.memory
        if by_column:
            renamed = renames(node) if name == "rename" else None
            made = memory.copy(receiver, self.transfers, renamed=renamed)
            if name == "reset_index":
                self.uses |= own(memory.select(receiver, "index"))
            for keyword in node.keywords if name == "assign" else ():
                memory.detach(made, keyword.arg or "")
            return made
        if name in names("methods", "view").exact and name not in ("get",):
            return memory.view(receiver)
        if id(node) in self.thrown_away and name not in names("methods", "pure").exact:
            self.change(receiver)
        return self.fresh("frame" if memory.kind(receiver) in ("frame", "empty frame") else "column")

    def _named(self, receiver: Objects, keys: tuple[str, ...]) -> Objects:
        found: Objects = NOTHING
        for key in keys:
            found |= self.memory.select(receiver, key)
        return found

    def _keys_are_known(self, node: ast.Call, name: str, receiver: Objects) -> bool:
        """Return True if all columns that decide on rows or groups are named or brought along."""
        items = list(node.args[1:] if name in ("nlargest", "nsmallest") else node.args[:1])
        items += [
            keyword.value for keyword in node.keywords if keyword.arg in ("by", "keys", "columns", None)
        ]
        return all(self._is_known_key(item, receiver) for item in items)

    def _is_known_key(self, node: ast.expr, receiver: Objects) -> bool:
        keys = self.keys_of(node)
        self.uses |= own(self._named(receiver, keys.names)) if keys is not None else 0
        if isinstance(node, ast.Constant) or keys is not None:
            return True
        if isinstance(node, (ast.List, ast.Tuple)):
            return all(self._is_known_key(item, receiver) for item in node.elts)
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            key = self.keys_of(keyword.value)
            if keyword.arg == "key" and key is not None:  # pandas.Grouper
                self.uses |= own(self._named(receiver, key.names))
                return True
        return self.memory.kind(self.refer(node)) == "column"

    def _call_arguments(self, node: ast.Call, name: str, receiver: Objects) -> Arguments:
        arguments = self.arguments(node)
        self.common_keywords(node, arguments)
        self.call_back(arguments, receiver)
        self.method_resources(node, name, arguments)
        return arguments

    def _change_by_column(self, node: ast.Call, name: str, receiver: Objects, named: Objects) -> None:
        """Change a frame in place so that each column depends on itself and on the named ones alone."""
        if name == "drop" and named and drops_columns(node):
            self.drop_columns(node, receiver)
            return
        self._call_arguments(node, name, receiver)
        if name not in _LENIENT:
            self.uses |= own(named)
        self.weak |= self.memory.reach(receiver)
        renamed = renames(node) if name == "rename" else None
        for new, old in (renamed or {}).items():
            made, given = self.memory.select(receiver, new), self.memory.select(receiver, old)
            self.weak |= own(made)
            self.transfers.append((own(made), own(given)))

    def drop_columns(self, node: ast.Call, receiver: Objects) -> None:
        """Take the named columns out of a frame."""
        dropped = own(self._named(receiver, self.column_arguments(node)))
        self.uses |= own(receiver) | dropped
        self.weak |= dropped
        self.arguments(node)

    def _is_columnwise(self, node: ast.Call, name: str, keys: tuple[str, ...], receiver: Objects) -> bool:
        """Return True if each column of the result comes from one column, and all rows from what is named."""
        if name in names("methods", "row_by_row").exact:
            return bool(keys)
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        if name == "rename":
            return renames(node) is not None or (not node.args and "columns" not in given)
        if name == "astype":  # converting every column may fail in any of them
            return bool(node.args) and isinstance(node.args[0], ast.Dict) and bool(keys)
        if name == "fillna":  # a number for every column fails where one of them is text
            value = given.get("value", node.args[0] if node.args else None)
            return value is None or isinstance(value, ast.Dict)
        if name == "query":
            return bool(node.args) and self._read_query(node.args[0], receiver)
        return name in names("methods", "columnwise").exact

    def _read_query(self, node: ast.expr, receiver: Objects) -> bool:
        """Use the columns that a literal query mentions; False if it is none."""
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            return False
        for quoted, plain in _QUERY_NAMES.findall(node.value):
            self.uses |= own(self.memory.select(receiver, quoted or plain))
        return True

    def _reads_only(self, node: ast.Call, name: str, receiver: Objects, kind: str) -> bool:
        """Return True if a method reads no other columns than those it names, which are used."""
        if kind == "column":
            return False
        if kind == "frame" and name in names("methods", "counts_rows").exact:
            self.uses |= own(self.memory.select(receiver, "index"))
            return True
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        if name in ("pivot_table", "pivot"):
            return all(role in given and self.keys_of(given[role]) for role in ("index", "values"))
        if name == "melt":
            return all(role in given and self.keys_of(given[role]) for role in ("id_vars", "value_vars"))
        if name in ("agg", "aggregate"):
            return self._aggregates(node, receiver)
        if name == "apply" and len(node.args) == 1:
            axis = given.get("axis")
            by_row = isinstance(axis, ast.Constant) and axis.value in (1, "columns")
            return by_row and names_its_columns(node.args[0])
        return False

    def _aggregates(self, node: ast.Call, receiver: Objects) -> bool:
        """Use the columns that a literal aggregation names; False if it may read others."""
        named: list[ast.expr | None] = []
        for argument in node.args:
            named += argument.keys if isinstance(argument, ast.Dict) else [None]
        for keyword in node.keywords:
            value = keyword.value
            named.append(value.elts[0] if isinstance(value, ast.Tuple) and value.elts else None)
        texts = [one.value for one in named if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        for text in texts:
            self.uses |= own(self.memory.select(receiver, text))
        return bool(texts) and len(texts) == len(named)

    # -- frames put together -------------------------------------------------------------------------------

    def merged(
        self, node: ast.Call, left: Objects, others: list[ast.expr], *, by_index: bool = False
    ) -> Objects:
        """Merge frames: the rows depend on the keys alone, a column on that column of either side."""
        memory = self.memory
        sides = left
        for other in others:
            right = self.refer(other)
            sides |= right
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        for role, value in given.items():
            if role in ("left", "right"):
                sides |= self.refer(value)
            else:
                self.value(value)
        frames = frozenset(one for one in sides if memory.kinds.get(one) == "frame")
        self.uses |= own(frames)
        self.consume(sides - frames)
        for role in ("on", "left_on", "right_on"):
            keys = self.keys_of(given.get(role))
            for key in keys.names if keys is not None else ():
                self.uses |= own(memory.select(frames, key))
            if keys is None and role in given:
                self.consume(frames)
        if by_index or {"left_index", "right_index"} & given.keys():
            self.uses |= own(memory.select(frames, "index"))
        return memory.copy(frames, self.transfers, suffixes=("_x", "_y")) or self.fresh("frame")

    def combined(self, node: ast.Call, name: str) -> Objects | None:
        """Call `pandas.merge` or `pandas.concat`; None if it is neither or reads every column."""
        if name == "merge" and merges(node, name):
            return self.merged(node, NOTHING, node.args[:2])
        if name != "concat" or not node.args or {"keys", "names", None} & {one.arg for one in node.keywords}:
            return None
        memory = self.memory
        given = self.refer(node.args[0])
        for keyword in node.keywords:
            self.value(keyword.value)
        parts = memory.elements(given)
        frames = frozenset(one for one in parts if memory.kinds.get(one) == "frame")
        if not frames or memory.kind(given) != "list":
            self.consume(given)
            return self.fresh("frame")
        self.uses |= own(given) | own(frames)
        self.consume(parts - frames)
        return memory.copy(frames, self.transfers)

    def method_resources(self, node: ast.Call, name: str, arguments: Arguments) -> None:
        """Do what a method does beside its receiver: to files, its arguments, the random state."""
        if name in names("methods", "writes_file").exact and (node.args or node.keywords):
            self.write_file(self.path_argument(node))
            self.change(self.streams(arguments))
        if name in names("methods", "saves_picture").exact:
            self.write_picture(self.path_argument(node))
        if name == "to_sql":
            self.frame_to_table(node)
        if (
            name in names("functions", "random_unless_state").exact
            and "random_state" not in arguments.keywords
        ):
            self.randomize()


def changes_in_place(node: ast.Call, name: str) -> bool:
    """Return True if a method may work in place: by `inplace=`, or by options that are spread out."""
    return any(
        keyword.arg == "inplace" and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
        for keyword in node.keywords
    ) or (
        name in names("methods", "in_place").exact
        and any(keyword.arg is None and not isinstance(keyword.value, ast.Dict) for keyword in node.keywords)
    )


def drops_columns(node: ast.Call) -> bool:
    """Return True for a `drop` that names columns, not labels of rows."""
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    axis = given.get("axis", node.args[1] if len(node.args) > 1 else None)
    if isinstance(axis, ast.Constant):
        return axis.value in (1, "columns") and "index" not in given
    return axis is None and "columns" in given and "index" not in given and not node.args


def renames(node: ast.Call) -> dict[str, str] | None:
    """Return new name -> old name for a literal `rename(columns={...})`, None if the names cannot be seen."""
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    mapping = given.get("columns", node.args[0] if node.args and "axis" in given else None)
    if not isinstance(mapping, ast.Dict):
        return None
    pairs = list(zip(mapping.keys, mapping.values, strict=True))
    found = {
        str(new.value): str(old.value)
        for old, new in pairs
        if isinstance(old, ast.Constant) and isinstance(new, ast.Constant)
    }
    return found if len(found) == len(pairs) else None


def merges(node: ast.Call, name: str) -> bool:
    """Return True for a merge whose keys are given, and whose names of columns are the usual ones."""
    given = {keyword.arg for keyword in node.keywords}
    if None in given or {"suffixes", "lsuffix", "rsuffix", "indicator"} & given:
        return False
    if name == "join":
        return len(node.args) == 1 and given <= {"how", "on", "sort"}
    keyed = "on" in given or {"left_on", "right_on"} <= given or {"left_index", "right_index"} <= given
    return keyed and len(node.args) <= 2


def names_its_columns(function: ast.expr) -> bool:
    """Return True for a lambda of one row that only ever takes columns out of it by name."""
    if not isinstance(function, ast.Lambda) or len(function.args.args) != 1:
        return False
    row = function.args.args[0].arg
    taken = seen = 0
    for node in ast.walk(function.body):
        if isinstance(node, ast.Name) and node.id == row:
            seen += 1
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == row:
            taken += isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return seen == taken > 0

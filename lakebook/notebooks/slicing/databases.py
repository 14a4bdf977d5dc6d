"""Databases as state: connections hold tables, as frames hold columns; SQL says which it reads and writes.

A connection is an object; its tables are slots of the database behind it, which connections to one file
share. DuckDB also reads frames by the names of their variables. What a text of SQL says is told in `sql`;
where the text is not known, all tables are read and written.
"""

from __future__ import annotations

import ast

from lakebook.notebooks.slicing import sql
from lakebook.notebooks.slicing.files import DATABASE_FILE, Files
from lakebook.notebooks.slicing.memory import NOTHING, Objects, own
from lakebook.notebooks.taxonomy import names

_RESULT = " result"  # slot of a connection: no table has such a name
_SCHEMA, _CATALOG = " schema ", " catalog "
_PART = "\x1f"  # between the parts of a name


class Databases(Files):
    """Reads and writes databases."""

    def __init__(self) -> None:
        super().__init__()
        self.databases: dict[str, int] = {}
        self.cursors: dict[int, Objects] = {}  # what `execute` returned -> what it was called on
        self.database_files: dict[int, str] = {}

    def connect(self, node: ast.Call, path: str) -> Objects:
        """Connect to a database: a file of its own, one in memory, or DuckDB's default one."""
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self.value(argument)
        given = node.args or [one.value for one in node.keywords if one.arg in ("database", "name", "url")]
        keys = self.keys_of(given[0]) if given else None
        place = keys.names[0].rpartition("///")[2] if keys is not None and keys.names else ""
        made = self.fresh("connection")
        if place and not place.startswith(":memory:"):
            self.read_file(place, databases=False, pictures=False)
            self.memory.viewed[min(made)] = self._database(place)
        return made

    def default_database(self) -> Objects:
        """Return the database that functions of the module `duckdb` use."""
        return self._database("")

    def connections(self, objects: Objects) -> Objects:
        """Return the connections among the objects."""
        return frozenset(one for one in objects if self.memory.kinds.get(one) == "connection")

    def run_sql(self, node: ast.expr | None, connection: Objects) -> Objects:
        """Run SQL; return what its result refers to."""
        texts = self._sql_texts(node)
        self.uses |= own(connection)
        if not texts and node is not None:
            self.doubts.append("SQL has a text that cannot be seen")
            self.change(connection)
            return self._frames(None)
        found: Objects = NOTHING
        for text in texts:
            for statement in sql.touched(text):
                found |= self._run_statement(statement, connection)
        return found

    def read_table(self, name: sql.Name, connection: Objects) -> Objects:
        """Read a table; return it with the frames that it may mean."""
        memory = self.memory
        tables: Objects = NOTHING
        for owner in self._owners(connection):
            slots = memory.slots.get(owner, {})
            tables |= frozenset(
                slot
                for key, slot in slots.items()
                if not key.startswith(" ") and sql.is_same(tuple(key.split(_PART)), name)
            )
            self._use_schemas(owner, name)
        self.consume(tables)
        return tables | (self._frames(name[0]) if len(name) == 1 else NOTHING)

    def write_table(self, name: sql.Name, connection: Objects, held: Objects = NOTHING) -> None:
        """Make or change a table; `held` is what it goes on referring to."""
        memory = self.memory
        self.uses |= own(connection)
        for owner in self._owners(connection):
            if memory.viewed.get(owner):
                continue
            slot = memory.slot(owner, _PART.join(name))
            memory.hold(slot, memory.contents.get(slot, NOTHING) | held)
            self.uses |= 1 << slot
            self.weak |= 1 << slot
            self._write_database(owner)
            self._use_schemas(owner, name)

    def connection_method(self, node: ast.Call, name: str, receiver: Objects) -> Objects | None:
        """Call a method of a connection or cursor; None if it is one that only changes it."""
        memory = self.memory
        receiver = frozenset().union(*(self.cursors.get(one, (one,)) for one in receiver))
        first = node.args[0] if node.args else None
        if name in names("databases", "runs_sql").exact:
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                self.value(argument)
            found = self.run_sql(first, receiver)
            if name in names("databases", "lazy").exact:
                return self.fresh("relation", found)
            results = frozenset(memory.slot(one, _RESULT) for one in receiver)
            self.weak |= own(results)
            self.kill |= own(results) if self.depth == 0 else 0
            for one in results:
                before = NOTHING if self.depth == 0 else memory.contents.get(one, NOTHING)
                memory.hold(one, found | before)
            made = self.fresh("connection", found)
            self.cursors[min(made)] = receiver
            return made
        if name in names("databases", "fetches").exact:
            results = memory.select(receiver, _RESULT)
            self.uses |= (own(results) & ~self.kill) | own(self._owners(receiver))
            self.weak |= own(results)
            held = memory.elements_of_slots(results)
            self.consume(held)
            return self.fresh("frame" if "df" in name else "", held)
        if name in names("databases", "opens").exact:
            self.uses |= own(receiver)
            return memory.view(receiver)
        keys = self.keys_of(first)
        if name == "register" and keys is not None and len(node.args) > 1:
            self.write_table((keys.names[0].lower(),), receiver, self.value(node.args[1]))
            return NOTHING
        if name == "table" and keys is not None:
            return self.fresh("relation", self.read_table((keys.names[0].lower(),), receiver))
        return None

    def frame_to_table(self, node: ast.Call) -> None:
        """Do what `to_sql` does to the database."""
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        name = node.args[0] if node.args else given.get("name")
        link = node.args[1] if len(node.args) > 1 else given.get("con")
        connection = self._linked(link)
        keys = self.keys_of(name)
        if keys is None or not connection:
            self.change(connection)
            return
        for one in keys.names:
            self.write_table((one.lower(),), connection)

    def table_to_frame(self, node: ast.Call) -> Objects:
        """Do what `pandas.read_sql` does; return the frame."""
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        text = node.args[0] if node.args else given.get("sql") or given.get("table_name")
        link = node.args[1] if len(node.args) > 1 else given.get("con")
        connection = self._linked(link)
        texts = self._sql_texts(text)
        if len(texts) == 1 and texts[0].isidentifier():
            self.read_table((texts[0].lower(),), connection)
        else:
            self.run_sql(text, connection)
        self.uses |= own(connection)
        return self.fresh("frame")

    # -- inside --------------------------------------------------------------------------------------------

    def _run_statement(self, statement: sql.Touched, connection: Objects) -> Objects:
        for path in statement.files:
            if statement.writes_files:
                self.write_file(path)
            else:
                self.read_file(path)
        found: Objects = NOTHING
        for name in statement.reads:
            found |= self.read_table(name, connection)
        self.consume(found)
        for name in statement.writes:
            self.write_table(name, connection, found)
        for name in statement.schemas:
            self._make_schema(_SCHEMA, name, connection)
        for name in statement.catalogs:
            self._make_schema(_CATALOG, name, connection)
        if statement.reads_all:
            self.consume(connection)
            found |= self._frames(None)
        if statement.changes_all:
            self.change(connection)
            for one in self._owners(connection):
                self._write_database(one)
        return found

    def _make_schema(self, kind: str, name: sql.Name, connection: Objects) -> None:
        memory = self.memory
        for owner in self._owners(connection):
            self._use_schemas(owner, name, only_catalogs=True)
            slot = memory.slot(owner, kind + _PART.join(name))
            self.uses |= 1 << slot
            self.weak |= 1 << slot

    def _use_schemas(self, owner: int, name: sql.Name, *, only_catalogs: bool = False) -> None:
        """Use who made the schema and the database that a name lies in."""
        for key, slot in self.memory.slots.get(owner, {}).items():
            kind = key[: key.find(" ", 1) + 1]
            made = tuple(key.removeprefix(kind).split(_PART))
            is_around = len(name) > 1 and (
                made == name[:1] if kind == _CATALOG else kind == _SCHEMA and sql.is_same(made, name[:-1])
            )
            if is_around and not (only_catalogs and kind == _SCHEMA):
                self.uses |= 1 << slot

    def _owners(self, connection: Objects) -> Objects:
        """Return the connections with the databases behind them."""
        found: set[int] = set()
        pending = list(connection)
        while pending:
            one = pending.pop()
            if one not in found:
                found.add(one)
                pending.extend(self.memory.viewed.get(one, ()))
        return frozenset(found)

    def _database(self, place: str) -> Objects:
        made = self.databases.get(place)
        if made is None:
            made = self.databases[place] = self.memory.allocate("", "connection")
            if place:
                self.database_files[made] = place
        return frozenset((made,))

    def _write_database(self, one: int) -> None:
        place = self.database_files.get(one)
        if place is not None:
            self.weak |= self.memory.resource(f"{DATABASE_FILE} {place}")

    def _linked(self, node: ast.expr | None) -> Objects:
        """Return the connections that an argument of pandas stands for; an address is one as well."""
        if node is None:
            return NOTHING
        keys = self.keys_of(node)
        if keys is not None and keys.single:
            return self._database(keys.names[0].rpartition("///")[2])
        return self.connections(self.refer(node))

    def _sql_texts(self, node: ast.expr | None) -> tuple[str, ...]:
        """Return what is known of a text; `text("select ...")` and `"...".format(...)` are seen through."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            return self.known_texts(node.func.value)
        if isinstance(node, ast.Call) and len(node.args) == 1 and self.module_path(node.func):
            return self._sql_texts(node.args[0])
        return self.known_texts(node)

    def _frames(self, name: str | None) -> Objects:
        """Return the frames that DuckDB finds under a name, or under any."""
        found: Objects = NOTHING
        for known in [*self.globals, *(self.scope.values if self.scope is not None else ())]:
            if (name is None or known.lower() == name) and self._is_table(self.look_up(known)):
                found |= self.read_name(known)
        self.consume(found)
        return found

    def _is_table(self, objects: Objects) -> bool:
        kinds = {self.memory.kinds.get(one, "") for one in objects}
        return bool(kinds & {"frame", "empty frame", "relation", ""})

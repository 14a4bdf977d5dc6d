"""Files and folders as state: who writes a path is needed by who reads it, by the folder, or in it.

Each path that a program names literally is a resource; so are all paths that cannot be seen, as one. After
the working folder has changed, no relative path says any more which file it is.
"""

from __future__ import annotations

import ast
import posixpath

from lakebook.notebooks.slicing.effects import FILES
from lakebook.notebooks.slicing.memory import NOTHING, Objects
from lakebook.notebooks.slicing.texts import Texts
from lakebook.notebooks.taxonomy import lists_with, names

_FOLDER = "working folder"
DATABASE_FILE, PICTURE, MADE = "database file", "picture file", "made folder"


class Files(Texts):
    """Reads and writes files."""

    def __init__(self) -> None:
        super().__init__()
        self.has_moved = False

    def path_argument(self, node: ast.Call, at: int = 0) -> str:
        """Return the path that an argument names literally, "" if it cannot be seen."""
        given: ast.expr | None = node.args[at] if len(node.args) > at else None
        for keyword in node.keywords:
            if keyword.arg in names("files", "keywords").exact:
                given = keyword.value
        keys = self.keys_of(given)
        if keys is None and isinstance(given, ast.Call):
            made = self.path_argument(given) if len(given.args) == 1 else ""
            return made if self.module_path(given.func) in names("files", "path_classes") else ""
        return keys.names[0] if keys is not None and keys.single and len(keys.names) == 1 else ""

    def write_file(self, path: str) -> None:
        """Write a file or folder; "" is one that cannot be seen."""
        bits = self._bits_of(path)
        self.uses |= self._around(path) | (0 if path else bits)
        self.weak |= bits

    def read_file(self, path: str, *, databases: bool = True, pictures: bool = True) -> None:
        """Read a file or folder; "" is one that cannot be seen, which may be any.

        Args:
            path: as the program names it.
            databases: what was written by way of a database counts too.
            pictures: it may be a picture.
        """
        if pictures:
            self._read_picture(path)
        self.uses |= self.memory.resource(FILES)
        if self.has_moved:
            self.uses |= self.memory.resource(_FOLDER)
        known = self.memory.resources
        if path and not self.has_moved:
            clean = posixpath.normpath(path)
            self.uses |= self._bits_of(path) | known(f"{FILES} {clean}/")
        else:
            clean = ""
            self.uses |= known(f"{FILES} ")
        if databases:
            self.uses |= known(f"{DATABASE_FILE} {clean}")

    def write_picture(self, path: str) -> None:
        """Save a picture: no table is ever read from it, so that it is kept apart from other files."""
        self.uses |= self._around(path)
        self.weak |= self.memory.resource(f"{PICTURE} {posixpath.normpath(path)}" if path else PICTURE)

    def _read_picture(self, path: str) -> None:
        exact = f"{PICTURE} {posixpath.normpath(path)}" if path and not self.has_moved else PICTURE
        self.uses |= self.memory.resource(PICTURE) | self.memory.resources(exact)

    def change_folder(self, path: str) -> None:
        """Change the working folder."""
        self.read_file(path, databases=False, pictures=False)
        self.has_moved = True
        bit = self.memory.resource(_FOLDER)
        self.uses |= bit
        self.weak |= bit

    def use_files(self, node: ast.Call, path: str) -> None:
        """Do what a library function, given by its full path, does to files."""
        does = lists_with("files", path)
        if "moves" in does:
            self.change_folder(self.path_argument(node))
        elif "copies" in does:
            self.read_file(self.path_argument(node))
            self.write_file(self.path_argument(node))
            self.write_file(self.path_argument(node, 1))
        elif "lists" in does:
            self.read_file("")
        elif "reads" in does:
            self.read_file(self.path_argument(node), pictures="data" not in does)
        elif "pictures" in does:
            self.write_picture(self.path_argument(node))
        elif "makes_folder" in does:
            self._make_folder(self.path_argument(node))
        elif "writes" in does and (node.args or node.keywords):
            self.write_file(self.path_argument(node, 1 if "second_is_path" in does else 0))
        elif self.has_moved and path.startswith(("os.", "pathlib.")):
            self.uses |= self.memory.resource(_FOLDER)

    def open_file(self, node: ast.Call) -> Objects:
        """Open a file; what is written into the handle is written into the file."""
        path = self.path_argument(node)
        mode = node.args[1] if len(node.args) > 1 else None
        mode = next((keyword.value for keyword in node.keywords if keyword.arg == "mode"), mode)
        keys = self.keys_of(mode)
        letters = set("r" if mode is None else keys.names[0] if keys is not None and keys.names else "r+")
        if letters & set("ra+"):
            self.read_file(path)
        if not letters & set("wax+"):
            return self._stream(NOTHING)
        self.write_file(path)
        return self._stream(frozenset((self._bits_of(path).bit_length() - 1,)))

    def use_path_method(self, node: ast.Call, name: str, receiver: Objects) -> None:
        """Do what a method of a `pathlib` path does to the file."""
        does = lists_with("files", name)
        if not does:
            return
        is_path = self.memory.kind(receiver) == "path"
        texts = [text for one in receiver for text in self.memory.strings.get(one, ())]
        path = texts[0] if len(texts) == 1 else ""
        if is_path and name == "mkdir":
            self._make_folder(path)
        if "path_writes" in does or (is_path and "path_changes" in does):
            self.write_file(path)
        if "path_reads" in does or (is_path and "path_looks" in does):
            self.read_file(path)
        if is_path and name == "open" and node.args:
            self.write_file(path)

    def _stream(self, file: Objects) -> Objects:
        made = self.fresh("stream", file)
        self.defer(made, lambda: None, once=True)
        return made

    def _bits_of(self, path: str) -> int:
        if not path or self.has_moved:
            return self.memory.resource(FILES)
        return self.memory.resource(f"{FILES} {posixpath.normpath(path)}")

    def _make_folder(self, path: str) -> None:
        """Make a folder; "" is one that cannot be seen, in which whatever is written may lie."""
        self.write_file(path)
        self.weak |= self.memory.resource(f"{MADE} {posixpath.normpath(path)}" if path else MADE)

    def _around(self, path: str) -> int:
        """Return the bits of the folders that a path may lie in, as far as something was done to them."""
        bits = self.memory.resource(_FOLDER) if self.has_moved else 0
        if not path or "/" in path:
            bits |= self.memory.resource(MADE)
        if not path:
            bits |= self.memory.resources(f"{MADE} ")
        known = self.memory.known_resource
        folder = posixpath.dirname(posixpath.normpath(path)) if path else ""
        while folder not in ("", "/"):
            bits |= known(f"{FILES} {folder}")
            folder = posixpath.dirname(folder)
        return bits

"""What library calls do to the state of a notebook, loaded once from `taxonomy.toml`.

The file is the place to add a mutator, a view, a chart or a style call; no call is named in the code of the
slicer. What a name does depends on the kind of its receiver where the kind is known (NotebookRAG §4.2.1:
"a taxonomy of common data-processing libraries to recognize implicit state mutations").
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import resources

_FILE = "taxonomy.toml"


class Names:
    """A set of names; those that end in `.` or `_` stand for every longer name."""

    __slots__ = ("exact", "prefixes")

    def __init__(self, words: Iterable[str]) -> None:
        listed = tuple(words)
        self.exact = frozenset(listed)
        self.prefixes = tuple(word for word in listed if word.endswith((".", "_")))

    def __contains__(self, name: object) -> bool:
        return name in self.exact or (
            bool(self.prefixes) and isinstance(name, str) and name.startswith(self.prefixes)
        )


@cache
def _tables() -> dict[str, dict[str, str]]:
    text = resources.files(__package__ or "lakebook.notebooks").joinpath(_FILE).read_text("utf-8")
    tables: dict[str, dict[str, str]] = tomllib.loads(text)
    return tables


@cache
def names(table: str, key: str) -> Names:
    """Return one list of the taxonomy, e.g. `names("methods", "pure")`."""
    return Names(_tables()[table][key].split())


@lru_cache(maxsize=8192)
def lists_with(table: str, name: str) -> frozenset[str]:
    """Return the lists of a table that a name is in: "writes" for `lists_with("files", "numpy.save")`."""
    return frozenset(key for key in _tables()[table] if name in names(table, key))


@cache
def any_mutators() -> frozenset[str]:
    """Return the methods that change some kind of receiver, for receivers of unknown kind."""
    return frozenset(word for words in _tables()["mutators"].values() for word in words.split())


@cache
def mutators(kind: str) -> frozenset[str]:
    """Return the methods that change a receiver of that kind; those of any kind if it is not listed."""
    words = _tables()["mutators"].get(kind)
    return any_mutators() if words is None else frozenset(words.split())


@cache
def chart_types() -> dict[str, str]:
    """Return the chart type that each plot call draws."""
    return {call: chart for chart, calls in _tables()["charts"].items() for call in calls.split()}


def may_draw(code: str) -> bool:
    """Return False for the code of a notebook that surely draws nothing: it names nothing that draws."""
    return _drawing_words().search(code) is not None


@cache
def _drawing_words() -> re.Pattern[str]:
    """Return what finds one of the words without which nothing is drawn.

    Whatever draws is a function or plot method of the lists, is handed axes, or is a method of what one of
    these made. Of a dotted path the last part must stand somewhere, in an import or in the call.
    """
    paths = [*names("modules", "pyplot").exact, "seaborn", *names("methods", "plot_calls").exact]
    for key in ("draws_current_figure", "draws_own_figure"):
        paths.extend(names("functions", key).exact)
    words = {re.escape(path.rstrip(".").rpartition(".")[2]) for path in paths}
    ended = (word if word.endswith("_") else rf"{word}\b" for word in sorted(words))
    return re.compile(rf"\b(?:ax\b|exec\b|{'|'.join(ended)})")


@lru_cache(maxsize=4096)
def is_known_module(name: str) -> bool:
    """Return True for a module of the standard library or a library that notebooks commonly import."""
    top = name.partition(".")[0]
    return top in sys.stdlib_module_names or top in names("modules", "known").exact or top == "__future__"

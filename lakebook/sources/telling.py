"""Which names of columns say what a table is about.

Names that a reader gives (`column_3`, `geometry_type`) and names that stand in any table (`id`, `value`) are
the same in tables that have nothing to do with each other, so they are no evidence that two belong together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_INVENTED = re.compile(r"(?:column|unnamed)\d+")
_STRUCTURE = frozenset(
    {"geometrytype", "featureid", "west", "south", "east", "north", "lon", "lat"}
    | {"parentrow", "parentid", "parentname"}
)
_ANYWHERE = frozenset(
    {"id", "name", "key", "code", "value", "values", "type", "title", "description", "label", "index"}
    | {"count", "number", "text", "url", "path"}
)


def named(columns: Iterable[str]) -> frozenset[str]:
    """Return the names (letters alone, in lower case) that stand in the file itself."""
    return frozenset(name for name in columns if not _INVENTED.fullmatch(name) and name not in _STRUCTURE)


def telling(columns: Iterable[str]) -> frozenset[str]:
    """Return the names that say what a table is about; a single letter says nothing."""
    return frozenset(name for name in named(columns) - _ANYWHERE if len(name) > 1)

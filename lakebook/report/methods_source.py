"""The source of the methods that a notebook uses, and of nothing else.

`lakebook.analyst.methods` knows its modules and resolves what calls what; here it is only decided which
names one notebook needs.
"""

from __future__ import annotations

from collections.abc import Iterable

from lakebook.analyst.methods import method_source

HEADER = "# Methods used below, in full: the notebook needs no package beyond the imports at the top.\n"


def source_of(names: Iterable[str]) -> str:
    """Return runnable source of the named methods, with what they call and import; "" for no names.

    Raises:
        AnalystError: if a name is not that of a method.
    """
    wanted = sorted(set(names))
    return HEADER + method_source(wanted) if wanted else ""

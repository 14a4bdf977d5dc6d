"""Warnings of the cells as records, those that the cells silence too.

A catch-all stands first in the list of filters and stays there, so that every warning, of Python code and of
C code, reaches `_showwarnmsg`. There it is noted, and the filters of the cells then decide, by Python's own
rules, whether it is shown, raised or dropped.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import Any

CELL_FILES = "/workspace/cell-"
"""How the names begin that the code of cells is compiled under (`shell`)."""
_MOST_RECORDS = 200
_MOST_CALLS = 5000
_LONGEST = 2000

_machinery: Any = warnings  # whose inner parts no stub tells of
_Filter = tuple[Any, ...]
_ALL: _Filter = ("always", None, Warning, None, 0)


class _NeverWarning(Warning):
    """Nobody warns with this."""


_NONE: _Filter = ("always", None, _NeverWarning, None, 0)


class Filters(list[Any]):
    """The filters of the cells behind one of ours, which whoever changes the list does not see."""

    def __init__(self, others: Iterable[_Filter] = (), first: _Filter = _ALL) -> None:
        super().__init__((first, *others))

    def insert(self, index: Any, item: Any) -> None:
        """Insert among the cells' own."""
        super().insert(int(index) + 1 if index >= 0 else index, item)

    def remove(self, item: Any) -> None:
        """Remove one of the cells' own. Raises ValueError."""
        del self[self.index(item, 1)]

    def clear(self) -> None:
        """Remove all of the cells' own."""
        super().__delitem__(slice(1, None))

    def others(self) -> list[_Filter]:
        """Return the filters of the cells."""
        return list(self)[1:]

    def __contains__(self, item: object) -> bool:
        return item in self.others()

    def __getitem__(self, index: Any) -> Any:
        if index == slice(None):
            return Filters(self.others(), super().__getitem__(0))
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(slice(1, None) if index == slice(None) else index, value)


class Warned:
    """Notes the warnings of one cell after the other."""

    def __init__(self) -> None:
        self._seen: set[Any] = set()
        self.start()

    def install(self) -> None:
        """Stand before Python's own machinery, once for this process and its copies."""
        if isinstance(_machinery.filters, Filters):
            return
        self._show, self._mutated = _machinery._showwarnmsg, _machinery._filters_mutated
        _machinery.filters = Filters(_machinery.filters)
        _machinery._showwarnmsg = self._note
        _machinery._filters_mutated = self._forget
        self._forget()

    def start(self, blank: int = 0) -> None:
        """A new cell begins, with so many blank lines that the shell does not count."""
        self._blank = blank
        self._records: dict[tuple[str, str, int], dict[str, Any]] = {}
        self._calls = self._more = 0
        self._catch(_ALL)

    def records(self) -> list[dict[str, Any]]:
        """Return what was noted of this cell: category, message, line in the cell, how often, if shown."""
        found = list(self._records.values())
        if self._more:
            found.append(_record("Warning", "more warnings than are kept", 0, self._more, shown=False))
        return found

    def _catch(self, which: _Filter) -> None:
        if isinstance(_machinery.filters, Filters) and _machinery.filters[0] != which:
            _machinery.filters[0] = which
            self._mutated()

    def _forget(self) -> None:
        """Forget what was shown once, as Python does whenever the filters change."""
        self._seen.clear()
        self._mutated()

    def _note(self, message: Any) -> None:
        frame = sys._getframe(1)
        action = self._action(message, _module(frame, message))
        shown = action == "show"
        self._calls += 1
        if self._calls > _MOST_CALLS:
            self._catch(_NONE)  # a warning in a long loop: from here on Python itself drops what is ignored
        line = _line(frame, message)
        self._keep(message, line + self._blank if line else 0, shown)
        if action == "raise":
            raise message.message
        if shown:
            self._show(message)

    def _keep(self, message: Any, line: int, shown: bool) -> None:
        text = str(message.message)[:_LONGEST].encode("utf-8", "backslashreplace").decode()
        key = (message.category.__name__, text, line)
        if key in self._records:
            self._records[key]["count"] += 1
            self._records[key]["shown"] |= shown
        elif len(self._records) < _MOST_RECORDS:
            self._records[key] = _record(*key, 1, shown=shown)
        else:
            self._more += 1

    def _action(self, message: Any, module: str) -> str:
        """Return "show", "drop" or "raise": the first filter that fits decides (`warnings.warn_explicit`)."""
        text, category, line = str(message.message), message.category, message.lineno
        found = _machinery.defaultaction
        filters = _machinery.filters
        for action, pattern, kind, place, number in (
            filters.others() if isinstance(filters, Filters) else filters
        ):
            fits = issubclass(category, kind) and number in (0, line)
            if fits and _matches(pattern, text) and _matches(place, module):
                found = action
                break
        if found in ("ignore", "error"):
            return "drop" if found == "ignore" else "raise"
        key = {"once": (text, category), "module": (text, category, module)}.get(
            found, (text, category, module, line)
        )
        if found in ("always", "all") or key not in self._seen:
            self._seen.add(key)
            return "show"
        return "drop"


def _matches(pattern: Any, text: str) -> bool:
    """Tell whether a part of a filter fits; the interpreter's own first filters hold plain text."""
    return pattern is None or (pattern == text if isinstance(pattern, str) else bool(pattern.match(text)))


def _record(category: str, message: str, line: int, count: int, *, shown: bool) -> dict[str, Any]:
    return {"category": category, "message": message, "line": line, "count": count, "shown": shown}


def _module(frame: Any, message: Any) -> str:
    """Return the name of the module that the warning is blamed on."""
    while frame is not None:
        if (frame.f_code.co_filename, frame.f_lineno) == (message.filename, message.lineno):
            return str(frame.f_globals.get("__name__", ""))
        frame = frame.f_back
    return str(message.filename).removesuffix(".py")


def _line(frame: Any, message: Any) -> int:
    """Return the line of the cell that led to the warning, 0 if none did."""
    if message.filename.startswith(CELL_FILES):
        return int(message.lineno)
    while frame is not None:
        if frame.f_code.co_filename.startswith(CELL_FILES):
            return int(frame.f_lineno)
        frame = frame.f_back
    return 0

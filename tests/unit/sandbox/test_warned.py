"""Warnings are noted whatever the filters say, and shown, dropped or raised just as the filters say."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from lakebook.sandbox.worker.warned import CELL_FILES, Filters, Warned

CELL = f"{CELL_FILES}1234.py"


class Cells:
    """Runs code as cells do, and notes what would be printed."""

    def __init__(self) -> None:
        self.warned = Warned()
        self.shown: list[str] = []
        self.names: dict[str, object] = {"__name__": "__main__", "warnings": warnings, "np": np}

    def run(self, code: str) -> list[tuple[str, str, int, int, bool]]:
        self.warned.start()
        self.shown.clear()
        exec(compile(code, CELL, "exec"), self.names)
        return [tuple(record.values()) for record in self.warned.records()]  # type: ignore[misc]


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cells]:
    """Stand between Python and its warnings for the time of one test."""
    made = Cells()
    for name in ("_showwarnmsg", "_filters_mutated"):
        monkeypatch.setattr(warnings, name, getattr(warnings, name))
    plain = [
        ("default", None, DeprecationWarning, "__main__", 0),  # as the interpreter itself writes it
        ("ignore", None, DeprecationWarning, None, 0),
    ]
    monkeypatch.setattr(warnings, "filters", plain)
    monkeypatch.setattr(warnings, "showwarning", warnings._showwarning_orig)  # type: ignore[attr-defined]
    monkeypatch.setattr(
        warnings, "_showwarnmsg_impl", lambda message: made.shown.append(str(message.message))
    )
    mutated = warnings._filters_mutated  # type: ignore[attr-defined]
    made.warned.install()
    yield made
    monkeypatch.undo()
    mutated()


def test_a_warning_is_noted_with_its_line_and_shown(cells: Cells) -> None:
    assert cells.run("x = 1\nwarnings.warn('odd')") == [("UserWarning", "odd", 2, 1, True)]
    assert cells.shown == ["odd"]


@pytest.mark.parametrize(
    "silence",
    [
        "warnings.filterwarnings('ignore')",
        "warnings.simplefilter('ignore')",
        "warnings.filterwarnings('ignore', message='od')",
        "warnings.filterwarnings('ignore', category=UserWarning, module='__main__')",
        "warnings.simplefilter('always'); warnings.simplefilter('ignore')",
    ],
)
def test_a_silenced_warning_is_noted_and_not_shown(cells: Cells, silence: str) -> None:
    assert cells.run(f"{silence}\nwarnings.warn('odd')") == [("UserWarning", "odd", 2, 1, False)]
    assert cells.shown == []


def test_a_filter_that_does_not_fit_silences_nothing(cells: Cells) -> None:
    for filters in ("message='other'", "category=FutureWarning", "module='elsewhere'", "lineno=7"):
        code = f"warnings.resetwarnings()\nwarnings.filterwarnings('ignore', {filters})\nwarnings.warn('odd')"
        assert cells.run(code)[0][-1] is True
        assert cells.shown == ["odd"]


def test_the_first_filters_of_python_itself_are_understood(cells: Cells) -> None:
    assert cells.run("warnings.warn('old', DeprecationWarning)")[0][-1] is True
    cells.names["__name__"] = "elsewhere"
    assert cells.run("warnings.warn('older', DeprecationWarning)")[0][-1] is False


def test_warnings_of_c_code_are_noted_too(cells: Cells) -> None:
    code = "warnings.filterwarnings('ignore')\nnp.log(np.array([-1.0]))"
    assert cells.run(code) == [("RuntimeWarning", "invalid value encountered in log", 2, 1, False)]


def test_a_block_that_catches_warnings_catches_what_its_filters_let_through(cells: Cells) -> None:
    code = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('{filter}')
    warnings.warn('odd')
seen = len(caught)
"""
    assert cells.run(code.format(filter="ignore"))[0][-1] is False
    assert cells.names["seen"] == 0
    cells.run(code.format(filter="always"))
    assert cells.names["seen"] == 1
    assert cells.run("warnings.warn('after')") == [("UserWarning", "after", 1, 1, True)]


def test_a_filter_makes_an_error_of_it(cells: Cells) -> None:
    with pytest.raises(UserWarning, match="odd"):
        cells.run("warnings.simplefilter('error')\nwarnings.warn('odd')")
    assert cells.warned.records()[0]["message"] == "odd"


@pytest.mark.parametrize(
    ("action", "shown"), [("always", 6), ("default", 4), ("module", 2), ("once", 2), ("ignore", 0)]
)
def test_how_often_it_is_shown_is_pythons_own_rule(cells: Cells, action: str, shown: int) -> None:
    code = f"""
warnings.simplefilter({action!r})
for turn in range(3):
    warnings.warn('one')
    warnings.warn('two')
    if turn == 1:
        continue
warnings.warn('one')
warnings.warn('two')
"""
    twice = code.replace("range(3)", "range(2)")
    records = cells.run(twice)
    assert len(cells.shown) == shown
    assert {record[1]: sum(r[3] for r in records if r[1] == record[1]) for record in records} == {
        "one": 3,
        "two": 3,
    }


def test_a_long_loop_of_warnings_is_bounded(cells: Cells) -> None:
    records = cells.run("warnings.simplefilter('ignore')\nfor n in range(9000):\n    warnings.warn(str(n))")
    assert len(records) == 201
    assert records[-1][1] == "more warnings than are kept"
    assert records[-1][3] == 5001 - 200
    assert cells.run("warnings.warn('next')") == [("UserWarning", "next", 1, 1, False)]


def test_the_list_of_filters_keeps_ours_first_and_shows_only_theirs() -> None:
    filters = Filters([("ignore", None, Warning, re.compile("x"), 0)])
    ours = list(filters)[0]  # noqa: RUF015
    theirs = ("error", None, Warning, None, 0)
    filters.insert(0, theirs)
    assert list(filters)[:2] == [ours, theirs]
    filters.append(ours)
    assert ours in filters
    filters.remove(ours)
    assert list(filters)[0] == ours  # noqa: RUF015
    assert ours not in filters
    filters.remove(theirs)
    assert len(filters.others()) == 1
    copy = filters[:]
    copy.clear()
    assert list(copy) == [ours]
    assert len(filters.others()) == 1
    filters[:] = [theirs]
    assert list(filters) == [ours, theirs]
    with pytest.raises(ValueError):  # noqa: PT011 - a list's own
        filters.remove(("once", None, Warning, None, 0))

from __future__ import annotations

from lakebook.validation.cells import Cells


def test_what_is_written_is_listed_as_it_stands_in_the_text() -> None:
    cell = Cells()
    text = f"near {cell('JFK')}; has {cell.several(['a', 1, 'it' + chr(39) + 's'], most=2)}; {cell('x' * 99)}"
    for written in cell.shown():
        assert written in text
        text = text.replace(written, "?")
    assert text == "near ?; has ?, ? …; ?"


def test_a_value_written_twice_is_listed_once() -> None:
    cell = Cells()
    assert (cell("b"), cell("a"), cell("b")) == ("'b'", "'a'", "'b'")
    assert cell.shown() == ("'b'", "'a'")

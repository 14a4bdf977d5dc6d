"""Lines cut into records: line numbers, stray and unclosed quotation marks, comments, other ways to cut."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.sources.formats.delimited import records
from lakebook.sources.formats.delimited.records import Style, physical_lines, read_records


def cut(
    text: str, style: Style | None = None, width: int = 0, is_comment: Callable[[str], bool] | None = None
) -> list[tuple[int, int, list[str] | None]]:
    lines = iter(physical_lines(text))
    found = read_records(lines, style or Style(","), width=width, is_comment=is_comment)
    return [(record.line, record.last, record.cells) for record in found]


def test_lines_end_where_csv_says_and_nowhere_else() -> None:
    assert physical_lines("a\nb\r\nc\rd\x0be\x85f\u2028g") == ["a\n", "b\r\n", "c\r", "d\x0be\x85f\u2028g"]
    assert physical_lines("a\n\nb") == ["a\n", "\n", "b"]


def test_records_know_their_lines() -> None:
    assert cut('a,b\n"x\ny",1\n\n2,3') == [
        (1, 1, ["a", "b"]),
        (2, 3, ["x\ny", "1"]),
        (4, 4, []),
        (5, 5, ["2", "3"]),
    ]


def test_an_unclosed_quotation_mark_costs_one_line() -> None:
    found = list(read_records(iter(physical_lines('1,2\n"un,3\n4,5\n')), Style(",")))
    assert [record.cells for record in found] == [["1", "2"], None, ["4", "5"]]
    assert found[1].problem == "a quotation mark that opens here is never closed"
    assert (found[2].line, found[2].is_ahead) == (3, False)


def test_a_stray_quotation_mark_that_meets_another_costs_one_line() -> None:
    found = list(read_records(iter(physical_lines('"5 inch,1\n2,3\n4,"x" y\n')), Style(",")))
    assert [record.cells for record in found] == [None, ["2", "3"], ["4", "x y"]]
    assert found[0].problem.endswith("not closed where its cell ends")
    assert [record.is_sloppy for record in found] == [False, False, True]


def test_rows_inside_a_cell_are_rows() -> None:
    text = '1,"5,x\n2,3,4\n5,6,7\n8,9,4\n1,2",9\n'
    assert [cells for _, _, cells in cut(text, width=3)][1:3] == [["2", "3", "4"], ["5", "6", "7"]]
    letter = '1,"Dear all,\nwe met.\nWe left.\nBye",9\n'
    assert len(cut(letter, width=3)) == 1


def test_a_cell_that_never_ends_is_given_up_before_memory_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_PATIENCE", 100)
    text = '"open,1\n' + "2,3\n" * 100
    found = cut(text)
    assert found[0] == (1, 1, None)
    assert found[1:] == [(line, line, ["2", "3"]) for line in range(2, 102)]


def test_comments_are_no_records_but_lines_inside_a_cell_are_no_comments() -> None:
    text = '#c "\na,b\n"x\n#y",1\n#z'
    found = cut(text, is_comment=lambda line: line.startswith("#"))
    assert found == [(1, 1, None), (2, 2, ["a", "b"]), (3, 4, ["x\n#y", "1"]), (5, 5, None)]


@pytest.mark.parametrize(
    ("style", "line", "cells"),
    [
        (Style(" "), ' 1\t"x y"  2 \n', ["1", "x y", "2"]),
        (Style("::", quote=""), "1::a:b::2\n", ["1", "a:b", "2"]),
        (Style(",", escape="\\"), '"a\\"b",c\\,d\n', ['a"b', "c,d"]),
        (Style(",", quote="'"), "'it''s, so',2\n", ["it's, so", "2"]),
        (Style(",", quote=""), '5" pipe,"x\n', ['5" pipe', '"x']),
        (Style(",", skip_blanks=True), '1, "a, b"\n', ["1", "a, b"]),
        (Style("", quote="", spans=((0, 3), (5, None))), "ab    12\n", ["ab", "12"]),
    ],
)
def test_other_ways_to_cut(style: Style, line: str, cells: list[str]) -> None:
    assert cut(line, style) == [(1, 1, cells)]


def test_text_between_fixed_columns_is_a_problem() -> None:
    style = Style("", quote="", spans=((0, 3), (5, None)))
    assert cut("ab    12\nabcd  12\n", style)[1] == (2, 2, None)

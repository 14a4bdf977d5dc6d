"""Delimiter, quoting, header and banner found on small texts, with texts that only resemble them."""

from __future__ import annotations

import pytest

from lakebook.sources.formats.delimited.dialect import Dialect, find_dialect, why_none
from lakebook.sources.formats.delimited.records import physical_lines


def dialect(text: str, suffix: str = ".csv") -> Dialect | None:
    return find_dialect(physical_lines(text), suffix)


def names(text: str, suffix: str = ".csv") -> tuple[str, ...] | None:
    found = dialect(text, suffix)
    return None if found is None else found.names


def told(text: str, suffix: str = ".csv") -> Dialect:
    found = dialect(text, suffix)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", ("a", "b")),
        ("a;b\n1,5;2,5\n3,5;4,5\n", ("a", "b")),
        ("a|b\nx, y|2\nz, w|3\n", ("a", "b")),
        ("a\n1\n2\n", ("a",)),
        ("1,2\n3,4\n", ("column_1", "column_2")),
        ("1,2,3\n", ("column_1", "column_2", "column_3")),
        ("a,b\n", ("a", "b")),
        ("country,2019,2020\nPeru,1,2\nChad,3,4\n", ("country", "2019", "2020")),
        ("Peru,10,20\nChad,30,40\nMali,50,60\n", ("column_1", "column_2", "column_3")),
        ("team,0,1,2,3\nHawks,.5,.4,.3,.2\nNets,.5,.6,.7,.8\n", ("team", "0", "1", "2", "3")),
        ("Peru,1,2,3\nChad,3,5,4\nMali,5,6,6\n", ("column_1", "column_2", "column_3", "column_4")),
        ("land,2020-01-31,2020-02-29\nPeru,1,2\nChad,3,4\n", ("land", "2020-01-31", "2020-02-29")),
        ("Peru,2020-01-31,2\nChad,2020-02-29,4\n", ("column_1", "column_2", "column_3")),
        ("x,y\nred,blue\nblue,green\n", ("x", "y")),
        ("red,blue\nred,blue\nblue,red\n", ("column_1", "column_2")),
        ("title\n\na,b,c\n1,2,3\n4,5,6\n7,8,9\n", ("a", "b", "c")),
        ("Report,,\na,b,c\n1,2,3\n4,5,6\n", ("a", "b", "c")),
        ("a,b\nx,1,2\ny,3,4\nz,5,6\n", ("", "a", "b")),
        ("a,b\n1,2,\n3,4,\n5,6,\n", ("a", "b", "")),
        ("k,y,v,\nA,1959,5.8\nA,1960,5.1\nA,1961,5.3\n", ("k", "y", "v")),
        ("a,b\n1,2\na,b\n3,4\na,b\n5,6\n", ("a", "b")),
    ],
)
def test_names(text: str, expected: tuple[str, ...]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("delimiter", "text"),
    [
        (";", "a;b\n" + "1,5;2,5\n" * 50),
        (";", "a;b\n" + "1.234,50;x, y\n" * 5),
        (",", "when,what\n" + "2020-01-01 10:30:00,a;b\n" * 5),
        (",", "time,temp\n1:00,1.5\n2:00,1.7\n"),
        ("::", "1::1193::5::978300760\n1::661::3::978302109\n"),
        ("||", "a||b||c\n1||2||3\n4||5||6\n"),
        ("~", "a~b~c\n1~2~3\n4~5~6\n"),
        ("^", "a^b^c\n1^2^3\n4^5^6\n"),
        (":", "root:x:0\nbin:x:1\ndaemon:x:2\n"),
        ("\x1f", "a\x1fb\n1\x1f2\n3\x1f4\n"),
        ("\x01", "a\x01b\n1\x012\n3\x014\n"),
        (" ", "a b c\n1  2 3\n 4 5  6\n"),
        (" ", "t\tx\n1.0  2,5\n 2.0\t3,5\n1.5 4,5\n".replace("\t", " ")),
        ("\t", "a\tb\n1\t2\n"),
        (",", "a,,c\n1,,3\n4,,6\n"),
    ],
)
def test_delimiters(delimiter: str, text: str) -> None:
    assert told(text).delimiter == delimiter


@pytest.mark.parametrize(
    ("text", "quote", "escape"),
    [
        ('a,b\n"x, y",1\n"say ""hi""",2\n', '"', ""),
        ('a,b\n"x \\"y\\", z",1\n"q",2\n', '"', "\\"),
        ('a,b\n"C:\\dir\\",1\n"D:\\",2\n', '"', ""),
        ("a,b,c\n'x, y',1,2\n'q',2,3\n'z, w',4,5\n", "'", ""),
        ("a,b\nit's,1\n'tis,2\ndogs',3\n", '"', ""),
        ('id,size,n\n1,5" pipe,2\n2,"6" tube,3\n3,7",4\n', "", ""),
        ('"a","b"\n"0","he said:"so.""\n"1","no, "not, yes." go"\n"2","x"\n', '"', ""),
        ('a,b\n"x",1\n"y",2\n"z,3\n"u",4\n"v",5\n"w",6\n"r",7\n', '"', ""),
        ('a,b\n"x",1\n"y",2\n"z"z,3\n', '"', ""),
        ('123|T|a\n345|T|"text\\"2\\""\n"567"|T|b\n', '"', "\\"),
        ("t,u\nSeltsam\\, oder,1\nx,2\ny\\, z,3\n", '"', "\\"),
    ],
)
def test_quotation_marks(text: str, quote: str, escape: str) -> None:
    style = told(text).style
    assert (style.quote, style.escape) == (quote, escape)


def test_blanks_before_quotation_marks() -> None:
    assert told('a, b, c\n1, "x, y", 2\n3, "z", 4\n').style.skip_blanks
    assert not told("a, b, c\n1, x, 2\n3, z, 4\n").style.skip_blanks


def test_columns_of_fixed_width() -> None:
    text = "name       age  city\nAnn Smith   31  New York\nBob         42  Rome\nC D          7  Oslo S\n"
    found = told(text, ".txt")
    assert found.style.spans == ((0, 9), (11, 14), (16, None))
    assert found.names == ("name", "age", "city")
    assert dialect("one two  three four\nfive six  seven\na b  c d e\nof the  sort\n", ".txt") is None
    assert dialect("A B  C\n1   2  3 4\n1   2  3 4\n5   6  7 8\n9   1  2 3\n" * 2, ".txt") is None


def test_an_excel_separator_line_is_believed() -> None:
    found = told("sep=;\na;b\n1;2\n")
    assert (found.delimiter, found.above, found.names) == (";", 1, ("a", "b"))


def test_comment_lines() -> None:
    found = told("# made\n# by us\na,b,c\n1,2,3\n# note, x\n4,5,6\n#7,8,9\n")
    assert (found.comment, found.above, found.names) == ("#", 2, ("a", "b", "c"))
    assert found.is_comment("#7,8,9\n")
    assert not found.is_comment("7,8,9\n")
    bed = told("#chrom\tstart\tend\nchr1\t1\t2\nchr1\t3\t4\n", ".tsv")
    assert (bed.above, bed.names) == (0, ("#chrom", "start", "end"))
    colors = told("color,name\n#ff0000,red\n#00ff00,green\n#0000ff,blue\n")
    assert colors.comment == ""
    assert colors.names == ("color", "name")


def test_prose_is_no_table_unless_the_name_says_so() -> None:
    prose = "Dear all, we met, and talked at length.\nThen we left, as always, for our homes.\n"
    assert names(prose, ".txt") is None
    assert names(prose, ".csv") is None
    assert names("a,b,c\n1,2,3\n4,5,6\n", ".txt") == ("a", "b", "c")
    assert names("one, two\nthree, four\n", ".txt") is None
    assert names("", ".txt") is None
    assert names(",,\n,,\n") is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("milk,bread\nbeer\nmilk,beer,wine,eggs\nbread\nmilk,a,b,c,d\n", "with ',': 1 to 5 fields"),
        ("We met, and talked at length, as ever.\nThen we left, and slept, until noon.\n", "prose"),
        ('{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n', "no delimiter"),
        ("movies\n11,830,420\n", "with ',': 1 to 3 fields"),
        ("PAR1 not really\n", "no delimiter"),
        ("\n \n", "blank"),
        (";;\n;;\n", "nothing but delimiters"),
        ("x" * 20_000, "no delimiter"),
    ],
)
def test_what_is_no_table_says_why(text: str, why: str) -> None:
    assert dialect(text) is None
    assert why in why_none(physical_lines(text))


def test_one_column_stays_one_column() -> None:
    assert told("t\n10:00:00\n10:00:05\n10:01:00\n").width == 1
    assert told("link\nhttp://a.b/c\nhttp://a.b/d\n").width == 1
    comments = told("text\nI like it, really\nNo way\nAha, so, yes\n")
    assert comments.width == 1
    assert any("one column" in note for note in comments.notes)

"""Any table written in any supported dialect comes back equal, or what was lost is reported; rows add up."""

from __future__ import annotations

import csv
import io
import tempfile
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pandas as pd
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lakebook.sources.card import SourceUnit
from lakebook.sources.encoding import Encoding
from lakebook.sources.formats.delimited import fast as delimited_fast
from lakebook.sources.formats.delimited import rows as delimited_rows
from lakebook.sources.formats.delimited.dialect import Dialect
from lakebook.sources.formats.delimited.records import Style
from lakebook.sources.formats.delimited.rows import RowReader
from lakebook.sources.peek import peek
from lakebook.sources.profile import profile_lake, table_file
from lakebook.sources.scan import scan

CELLS = st.one_of(
    st.text(alphabet="abcXYZäé ,;|\"'\n\t.-/0123456789%$", max_size=12),
    st.integers(-(10**17), 10**17).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.dates().map(str),
    st.sampled_from(
        ["NA", "", "True", "false", "007", "1,5", "1.234,5", "1/2/2020", "13/2/2020", "nan", "inf", "-"]
    ),
)
WORDS = st.text(alphabet="abcdefXYZéü", min_size=1, max_size=8)


@dataclass(frozen=True)
class Written:
    """A table, how it was written, and the content."""

    names: list[str]
    rows: list[list[str]]
    content: bytes
    above: int
    below: int
    comments: int
    ragged: int


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    width = draw(st.integers(2, 5))
    names = [f"name {index}" for index in range(width)]
    same_kind = draw(st.booleans())
    if same_kind:
        kinds = [draw(st.sampled_from(["int", "float", "date", "text"])) for _ in range(width)]
        pick = {
            "int": st.integers(-99, 9999).map(str),
            "float": st.floats(-9, 9).map(repr),
            "date": st.dates().map(str),
            "text": CELLS,
        }
        row = st.tuples(*(pick[kind] for kind in kinds)).map(list)
    else:
        row = st.lists(CELLS, min_size=width, max_size=width)
    return names, draw(st.lists(row, min_size=1, max_size=12))


@st.composite
def dialects(draw: st.DrawFn) -> Written:
    """A table of a number, words, and a date, written in some dialect with things around and between."""
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", "~", "^", "\x1f", "::"]))
    quoting = draw(st.sampled_from(["double", "backslash", "single", "none"]))
    count = draw(st.integers(8, 20))
    one_char = len(delimiter) == 1
    text = WORDS
    if quoting != "none" and one_char:
        text = st.one_of(WORDS, st.text(alphabet=f"ab {delimiter}\n", min_size=1, max_size=6))
    rows = [
        [str(number), draw(text), draw(st.dates()).isoformat(), draw(WORDS)] for number in range(1, count + 1)
    ]
    names = ["id", "word", "day", "other"]
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))

    def write(cells: list[str]) -> str:
        if quoting == "none" or not one_char:
            return delimiter.join(cells) + end
        mark = "'" if quoting == "single" else '"'
        escape = {"backslash": "\\"}.get(quoting)
        buffer = io.StringIO(newline="")
        csv.writer(
            buffer,
            delimiter=delimiter,
            quotechar=mark,
            escapechar=escape,
            doublequote=escape is None,
            quoting=csv.QUOTE_ALL,
            lineterminator=end,
        ).writerow(cells)
        return buffer.getvalue()

    above = draw(st.integers(0, 2))
    lines = ["Report of our office" + end] * above + [write(names)]
    comments = ragged = 0
    for row in rows:
        if draw(st.integers(0, 9)) == 0:
            lines.append("# a remark" + end)
            comments += 1
        if draw(st.integers(0, 9)) == 0:
            lines.append(write(draw(st.sampled_from([row[:3], [*row, "more"]]))))
            ragged += 1
        lines.append(write(row))
    assume(ragged <= 0.15 * count)
    below = draw(st.integers(0, 1))
    lines += ["Source: our own count" + end] * below
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252", "utf-32", "utf-16-le"]))
    return Written(names, rows, "".join(lines).encode(encoding), above, below, comments, ragged)


def read(content: bytes, name: str = "a.csv") -> tuple[SourceUnit, pd.DataFrame, pd.DataFrame] | str:
    """Profile one file; return its unit, the stored table, and what the load code gives, or the reason."""
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder) / "lake", Path(folder) / "state"
        root.mkdir()
        (root / name).write_bytes(content)
        card = profile_lake(root, scan(root), state).cards[0]
        if card.status == "failed":
            return card.reason
        (unit,) = card.units
        stored = pd.read_parquet(table_file(state, card, unit))
        names: dict[str, object] = {"DATA_DIR": root, "pd": pd}
        exec(unit.load_code, names)
        loaded = names["df"]
        assert isinstance(loaded, pd.DataFrame)
        return unit, stored, loaded


def same(loaded: pd.DataFrame, stored: pd.DataFrame) -> None:
    for column in stored:
        if str(loaded[column].dtype) == "boolean":
            stored[column] = stored[column].astype("boolean")
    pd.testing.assert_frame_equal(loaded, stored)


@settings(max_examples=120, deadline=None)
@given(
    table=tables(),
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_a_written_table_comes_back(
    table: tuple[list[str], list[list[str]]], delimiter: str, encoding: str
) -> None:
    names, rows = table
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(names)
    writer.writerows(rows)
    found = read(buffer.getvalue().encode(encoding))
    assert not isinstance(found, str), found
    unit, stored, loaded = found
    assert unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped == len(rows)
    same(loaded, stored)
    kept = [row for row in rows if any(row)]
    assert unit.rows == len(kept)
    assert list(stored.columns) == names
    for index, column in enumerate(unit.columns):
        given_cells = [row[index] for row in kept]
        if column.type == "text":
            assert stored[column.name].fillna("").tolist() == given_cells
        if column.type == "integer":
            numbers = [None if pd.isna(value) else int(value) for value in stored[column.name]]
            plain = [cell.replace(",", "").strip("$% \n\t") for cell in given_cells]
            assert [n for n in numbers if n is not None] == [
                int(c) for c in plain if c.lstrip("+-").isdigit()
            ]


@settings(max_examples=120, deadline=None)
@given(dialects())
def test_any_dialect_comes_back(written: Written) -> None:
    found = read(written.content)
    assert not isinstance(found, str), found
    unit, stored, loaded = found
    same(loaded, stored)
    assert [column.original_name for column in unit.columns] == written.names
    assert stored["word"].tolist() == [row[1] for row in written.rows]
    assert stored["id"].astype(int).tolist() == [int(row[0]) for row in written.rows]
    assert stored["day"].astype(str).str[:10].tolist() == [row[2] for row in written.rows]
    assert unit.rows_rejected == written.ragged
    assert unit.rows_skipped == written.above + written.below + written.comments
    assert unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped


@settings(max_examples=120, deadline=None)
@given(st.lists(st.text(alphabet='ab1, "\n', max_size=20), max_size=15))
def test_rows_always_add_up(lines: list[str]) -> None:
    content = "x,y,z\n1,2,3\n4,5,6\n7,8,9\n" + "\n".join(lines)
    found = read(content.encode())
    if isinstance(found, str):
        assert "no table was found" in found
        return
    unit, stored, loaded = found
    assert unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped
    assert len(unit.rejected) == unit.rows_rejected
    same(loaded, stored)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=20))
def test_numbers_come_back_bit_for_bit(numbers: list[float]) -> None:
    content = "n,k\n" + "".join(f"{number!r},x\n" for number in numbers)
    found = read(content.encode())
    assert not isinstance(found, str), found
    _, stored, loaded = found
    assert stored["n"].astype(float).tolist() == numbers
    same(loaded, stored)


PIECES = st.sampled_from(
    [
        "1",
        "x",
        "é",
        "",
        '"',
        '""',
        ",",
        ",,",
        "\n",
        "\r\n",
        "\r",
        " ",
        '"a"',
        '"a,b"',
        '"a\nb"',
        "k,v,w\n",
        "#",
    ]
)
ROWS = st.lists(
    st.sampled_from(
        ["1,x,y\n", '"a,b",2,3\n', '"two\nlines",5,6\r\n', ",,\n", '7,"say ""hi""",8\n', '"",9,\r']
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=250, deadline=None)
@given(
    rows=ROWS,
    pieces=st.lists(PIECES, max_size=8),
    at=st.integers(0, 12),
    size=st.integers(5, 40),
    comment=st.sampled_from(["", "#"]),
)
def test_the_fast_way_is_the_exact_way(
    rows: list[str], pieces: list[str], at: int, size: int, comment: str
) -> None:
    content = "k,v,w\n" + "".join([*rows[:at], *pieces, *rows[at:]])
    dialect = Dialect(Style(","), 3, ("k", "v", "w"), comment=comment)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(content.encode())
        readings = []
        for worthwhile, block in ((1, size), (10**9, size), (10**9, 10**6)):
            with (
                mock.patch.object(delimited_fast, "WORTHWHILE", worthwhile),
                mock.patch.object(delimited_rows, "BLOCK", block),
            ):
                reader = RowReader(peek(path, "a.csv"), Encoding("utf-8"), dialect)
                batches = list(reader.batches())
            cells = [
                row
                for batch in batches
                for row in zip(*(column.to_pylist() for column in batch), strict=True)
            ]
            places = [reader.place(index) for index in range(len(cells))]
            readings.append((cells, places, reader.findings.account()))
    assert readings[0] == readings[1] == readings[2]
    account = readings[0][2]
    assert account.rows_in_file == account.rows + account.rows_rejected + account.rows_skipped

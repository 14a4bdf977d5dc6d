"""Delimited files read to the last line: dialects and load code, bad input, budgets, long files in blocks."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from lakebook.errors import SourceError
from lakebook.sources.card import SourceCard, SourceUnit
from lakebook.sources.formats.delimited import fast as delimited_fast
from lakebook.sources.formats.delimited import feed as delimited_feed
from lakebook.sources.formats.delimited import profiler as delimited
from lakebook.sources.formats.delimited import rows as delimited_rows
from lakebook.sources.formats.delimited.profiler import Delimited
from lakebook.sources.peek import Peek, peek
from lakebook.sources.profile import profile_lake, table_file
from lakebook.sources.reading import WHOLE, Budget, RawTable, Reading, Typing
from lakebook.sources.scan import scan


class Lake:
    """A folder with one file at a time, and what profiling makes of it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.state = folder / "lake", folder / "state"
        self.root.mkdir()

    def peek(self, content: str | bytes, name: str = "a.csv") -> Peek:
        path = self.root / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return peek(path, name)

    def read(self, content: str | bytes, name: str = "a.csv", budget: Budget = WHOLE) -> Reading:
        profiler = Delimited()
        file = self.peek(content, name)
        assert profiler.can_read(file)
        (part,) = profiler.units(file)
        return profiler.profile(part, budget)

    def card(self, content: str | bytes, name: str = "a.csv") -> SourceCard:
        for old in self.root.iterdir():
            old.unlink()
        self.peek(content, name)
        (card,) = profile_lake(self.root, scan(self.root), self.state).cards
        return card

    def table(self, content: str | bytes, name: str = "a.csv") -> tuple[SourceUnit, pd.DataFrame]:
        """Return unit and table, after checking the law of rows and the load code."""
        card = self.card(content, name)
        assert card.units, card.reason
        (unit,) = card.units
        assert unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped
        stored = pd.read_parquet(table_file(self.state, card, unit))
        names: dict[str, object] = {"DATA_DIR": self.root, "pd": pd}
        exec(unit.load_code, names)
        loaded = names["df"]
        assert isinstance(loaded, pd.DataFrame)
        pd.testing.assert_frame_equal(loaded, stored)
        return unit, stored


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path)


def rows_of(table: RawTable) -> list[tuple[str, ...]]:
    columns = [column.values.to_pylist() for column in table.columns]
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize(
    "content",
    [
        "k~word~n\na~x y~1\nb~z~2\n",
        "k::word::n\na::x:y::1\nb::z::2\n",
        "k\x1fword\x1fn\na\x1fx y\x1f1\nb\x1fz\x1f2\n",
        "sep=;\nk;word;n\na;x y;1\nb;z;2\n",
        "k,word,n\r'a','x, y',1\r'b','z',2\r",
        'k,word,n\r\na,"x \\"y\\", w",1\r\nb,"z",2\r\n',
        'k,word,n\na,5" pipe,1\nb,"6" x,2\n',
        'k, word, n\na, "x, y", 1\nb, "z", 2\n',
        "k     word  n\n1     x     1\n 2    z     2\n",
        "k     word  n\na     x y   1\nb     z     2\nc d   w     3\n",
        "# made\nk,word,n\na,x,1\n# more\nb,z,2\n",
        "# made\nk,word,n\n" + "a,x,1\n# more\nb,z,2\n" * 30,
        "# made\nk,word,n\n" + "a,x,1\n# more\n#b,z,2\n" * 30,
        "#  k ,word,n\na,x,1\nb,z,2\n",
        "k,word,n\na,x,1\nk,word,n\nb,z,2\n",
        'k,word,n\na,"x" y,1\nb,"z,2\nc,w,3\n',
        "k,word,n\na,x\x00y,1\nb,z,2\n" + "c,w,3\n" * 200,
        '"k\n1",word,n\na,"x\ny",1\nb,z,2\n',
    ],
)
def test_load_code_reads_the_same_rows_in_every_dialect(lake: Lake, content: str) -> None:
    unit, table = lake.table(content)
    assert len(unit.columns) == 3
    assert [column.type for column in unit.columns][2] == "integer"
    assert table.iloc[:2, 2].tolist()[0] == 1
    assert len(table) >= 2


def test_a_lone_mark_is_a_character_where_no_cell_is_quoted(lake: Lake) -> None:
    reading = lake.read("k,n\n" + "a,1\n" * 50 + '"b,2\n' + "c,3\n" * 50)
    assert reading.table is not None
    assert rows_of(reading.table)[50] == ('"b', "2")
    assert any("characters like any other" in warning for warning in reading.warnings)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-32", "utf-16-be", "utf-8-sig"])
def test_encodings_and_line_ends(lake: Lake, encoding: str) -> None:
    content = "name,city\r\nJosé,Málaga\nJürgen,Köln\rZoë,Genève\r\n".encode(encoding)
    unit, table = lake.table(content)
    assert table.values.tolist() == [["José", "Málaga"], ["Jürgen", "Köln"], ["Zoë", "Genève"]]
    assert unit.rows_in_file == 3


def test_damaged_bytes_are_shown_and_said(lake: Lake) -> None:
    content = b"name,n\n" + "Málaga,1\n".encode() * 20 + b"caf\xe9,2\n"
    unit, table = lake.table(content)
    assert table["name"].tolist()[-1] == "caf\ufffd"
    assert any("UTF-8" in warning for warning in unit.warnings)


def test_text_encoded_twice_is_noticed(lake: Lake) -> None:
    twice = "name,n\nJosé,1\nZoë,2\n".encode().decode("cp1252")
    assert any("encoded twice" in warning for warning in lake.read(twice).warnings)
    assert lake.read("name,n\nSÃO PAULO,1\nÂngela,2\n").warnings == ()


def test_what_stands_between_the_rows_is_counted_with_its_lines(lake: Lake) -> None:
    content = "Report of ours\n# made by us\nk,n,m\na,1,2\n# note\nk,n,m\n\nb,2\nc,3,4\nSource: us\n"
    reading = lake.read(content)
    assert reading.table is not None
    assert rows_of(reading.table) == [("a", "1", "2"), ("c", "3", "4")]
    assert [reading.table.place(index) for index in range(2)] == ["line 4", "line 9"]
    assert (reading.rows_in_file, reading.rows_rejected, reading.rows_skipped) == (9, 1, 6)
    assert [(row.line, row.text) for row in reading.rejected] == [(8, "b,2")]
    assert reading.skipped == (
        "line 1 (banner): Report of ours",
        "line 10 (footer): Source: us",
        "2 comment lines (lines 2, 5)",
        "the header again, 1 times (line 6)",
        "1 blank rows",
    )


def test_a_last_row_that_is_a_remark_is_said(lake: Lake) -> None:
    reading = lake.read("k,n,m\na,1,2\nb,3,4\nSource: our office,,\n")
    assert any("looks like a remark" in warning for warning in reading.warnings)
    assert lake.read("k,n,m\na,1,2\nb,3,4\nNew York,,\nc,5,6\n").warnings == ()


def test_many_rejected_rows_put_the_reading_in_doubt(lake: Lake) -> None:
    content = "k,n,m\n" + "a,1,2\n" * 500 + "b,1\n" * 100
    assert any("17% of the rows do not fit" in warning for warning in lake.read(content).warnings)
    assert lake.read("k,n,m\n" + "a,1,2\n" * 500 + "b,1\n" * 5).warnings == ()


def test_the_end_mark_of_old_systems_is_no_row(lake: Lake) -> None:
    reading = lake.read("k,n,m\na,1,2\nb,3,4\n\x1a")
    assert (reading.rows_in_file, reading.rows_rejected, reading.rows_skipped) == (3, 0, 1)


@pytest.mark.parametrize("rows", [3, 600])
def test_lines_of_blanks_in_a_single_column(lake: Lake, rows: int) -> None:
    unit, table = lake.table("k\n" + "a\n  \n" * rows)
    assert table["k"].tolist() == ["a", "  "] * rows
    assert unit.rows_rejected == 0


def test_a_stray_quotation_mark_costs_its_own_row_only(lake: Lake) -> None:
    content = "k,n\n" + '"a, b",1\n' * 50 + '"b,2\n' + "c,3\n" * 50
    reading = lake.read(content)
    assert reading.table is not None
    assert reading.table.rows == 100
    assert [(row.line, row.text) for row in reading.rejected] == [(52, '"b,2')]
    assert reading.table.place(50) == "line 53"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (",,\n,,\n,,\n", "nothing but delimiters"),
        ("\n\n \n", "blank"),
        ("Dear all, we met, and talked.\nThen we left, as ever, late.\n", "prose"),
        ("a,b,c\n1\n1,2,3,4\n1,2\n5,6,7,8,9\n", "equally many fields"),
    ],
)
def test_what_is_no_table_fails_with_the_reason(lake: Lake, content: str, why: str) -> None:
    card = lake.card(content)
    assert card.status == "failed"
    assert why in card.reason


def test_other_content_under_the_name_is_refused(lake: Lake) -> None:
    assert "HTML" in lake.card("<!DOCTYPE html><html><body>404</body></html>").reason
    assert lake.card(bytes(range(256)) * 40).status == "failed"
    assert "LFS" in lake.card("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n").reason
    assert lake.card("").reason == "the file is empty (0 bytes)"
    assert lake.card("a,b\n").units[0].rows == 0


@pytest.mark.parametrize("name", ["a b.csv", 'it\'s "so".csv', "a#1.csv", "a\nb.csv", "größe.csv", "a.CSV"])
def test_any_file_name(lake: Lake, name: str) -> None:
    _unit, table = lake.table("k,n\na,1\nb,2\n", name)
    assert table["n"].tolist() == [1, 2]


def test_a_line_without_end_is_refused(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited_feed, "_LONGEST_LINE", 10_000)
    monkeypatch.setattr(delimited_rows, "BLOCK", 4_000)
    with pytest.raises(SourceError, match="a line of more than"):
        lake.read("k,n\na,1\nb,2\n" + "x" * 50_000)


def test_a_budget_reads_the_first_rows_and_says_what_is_left_out(lake: Lake) -> None:
    content = "k,n\n" + "".join(f"a{number},{number}\n" for number in range(1_000))
    reading = lake.read(content, budget=Budget(rows=100))
    assert reading.table is not None
    assert (reading.table.rows, reading.rows_in_file) == (100, 100)
    assert reading.table.columns[1].values.to_pylist()[-1] == "99"
    assert reading.left_out == "all rows after the first 100, about 90 % of the file"
    assert lake.read("k,n\na,1\nb,2\n", budget=Budget(rows=100)).left_out == ""


@pytest.mark.parametrize("content", ["k,n\na,x\nb,y\nc,z\n", "k,n\na,x\nb\nb,y\nc,z\n"])
def test_load_code_within_a_budget_reads_the_same_rows(lake: Lake, content: str) -> None:
    reading = lake.read(content, budget=Budget(rows=2))
    assert reading.table is not None
    typings = {name: Typing("text", pa.array([], pa.string()), plain=True) for name in ("k", "n")}
    statements, _ = reading.table.opening(typings)
    names: dict[str, object] = {"DATA_DIR": lake.root, "pd": pd}
    exec("\n".join(statements), names)
    loaded = names["df"]
    assert isinstance(loaded, pd.DataFrame)
    assert loaded.values.tolist() == [["a", "x"], ["b", "y"]] == [list(row) for row in rows_of(reading.table)]


def test_a_long_file_is_read_in_blocks_as_often_as_asked(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "KEPT_BYTES", 10_000)
    monkeypatch.setattr(delimited_rows, "BLOCK", 2_000)
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(["k", "text", "n"])
    rows = [(f"a{n}", 'say "hi"\nand go' if n % 7 == 0 else "plain, text", str(n)) for n in range(2_000)]
    writer.writerows(rows)
    content = buffer.getvalue() + "short,1\n"
    reading = lake.read(content)
    assert reading.table is not None
    assert reading.table.blocks is not None
    assert reading.account is not None
    for _ in range(2):
        batches = list(reading.table.blocks())
        assert len(batches) > 10
        assert max(batch.nbytes for batch in batches) < 10_000
        table = pa.Table.from_batches(batches)
        assert list(zip(*(column.to_pylist() for column in table.columns), strict=True)) == rows
        account = reading.account()
        assert (account.rows, account.rows_in_file, account.rows_rejected) == (2_000, 2_001, 1)
    assert [reading.table.place(index) for index in (0, 1, 8, 1_999)] == [
        "line 2",
        "line 4",
        "line 12",
        f"line {1_999 + 2 + 286:,}",
    ]


def test_the_fast_way_leaves_alone_what_is_not_surely_regular(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[bool] = []
    original = delimited_fast.cut_block

    def watched(block: bytes, *arguments: object, **options: object) -> object:
        found = original(block, *arguments, **options)  # type: ignore[arg-type]
        used.append(found is not None)
        return found

    monkeypatch.setattr(delimited_rows, "cut_block", watched)
    monkeypatch.setattr(delimited_fast, "WORTHWHILE", 1)
    regular = 'k,text,n\na,"x, ""y""\nz",1\nb,,2\n,,\n'
    for extra, is_fast in [
        ("", True),
        ("\n", False),
        ("c,d\n", False),
        ('c,"d" e,1\n', False),
        ("k,text,n\n", False),
    ]:
        used.clear()
        lake.read(regular + extra)
        assert used[0] is is_fast, extra


def test_sums_cut_by_their_own_commas_are_refused(lake: Lake) -> None:
    rows = "".join(f"P{n},CA,${n},{n * 37 % 900 + 100}.50\n" for n in range(1, 9))
    with pytest.raises(SourceError, match="sums in 'amount' hold commas") as refused:
        lake.read(f"order,state,amount\n{rows}")
    assert "quotes" in (refused.value.hint or "")


def test_a_price_beside_a_price_is_not_cut(lake: Lake) -> None:
    """One row whose second sum is no group of three digits shows two columns."""
    reading = lake.read("state,low,high\nA,CA,$1,100\nB,NY,$2,2000\nC,TX,$3,300\n")
    assert isinstance(reading.table, RawTable)
    assert [column.original_name for column in reading.table.columns] == ["", "state", "low", "high"]
    assert any("the first column is taken for the one without a name" in text for text in reading.warnings)

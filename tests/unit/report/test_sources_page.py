"""The source map as a page: warnings first, everything escaped, small however wide the lake is."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakebook.report.sources_page import write_sources_page
from lakebook.report.sparklines import BINS, bars, counts_of
from lakebook.sources.card import (
    Column,
    ColumnPair,
    MemberSchema,
    Quantile,
    SourceCard,
    SourceGroup,
    SourceMap,
    SourceUnit,
    ValueCount,
)
from lakebook.sources.profile import table_file

EVIL = "<script>alert('x')</script>"


def _column(name: str, **more: object) -> Column:
    values = tuple(ValueCount(f"value {n}", 100 - n) for n in range(50))
    return Column(name, name, "text", "category", 3, 50, values=values, **more)  # type: ignore[arg-type]


def _map(*columns: Column) -> SourceMap:
    unit = SourceUnit(
        "", "table", "a", rows=100, rows_in_file=103, rows_rejected=2, rows_skipped=1, columns=columns
    )
    cards = (
        SourceCard("a.csv", "partial", "csv", 1, "aa", reason="2 rows could not be loaded", units=(unit,)),
        SourceCard(EVIL, "failed", "parquet", 1, "bb", reason=f"damaged {EVIL}"),
    )
    schemas = (
        MemberSchema("a.csv", "2019", renamed=(ColumnPair("Old", "new", 0.93, "same values"),)),
        MemberSchema("b.csv", "2020", missing=("price",)),
    )
    group = SourceGroup(
        "{date}.csv", "pattern", ("a.csv", "b.csv"), "paths", "all_years", "year", ("new",), schemas
    )
    return SourceMap(cards, (group,))


def test_failed_files_come_first_and_nothing_is_run(tmp_path: Path) -> None:
    page = write_sources_page(_map(_column(EVIL, warnings=("ambiguous dates",))), EVIL, tmp_path)
    assert "<script" not in page
    assert "http" not in page
    order = [page.index(text) for text in ("damaged", "2 rows could not be loaded", "ambiguous dates")]
    assert order == sorted(order)


def test_rows_are_accounted_for_and_members_compared(tmp_path: Path) -> None:
    page = write_sources_page(_map(_column("c")), "lake", tmp_path)
    assert "103 rows in the file = 100 loaded + 2 rejected + 1 set aside" in page
    assert "Old → new (93%)" in page
    assert "<code>all_years</code>" in page
    assert "<th>only here</th>" not in page


def test_what_holds_for_several_files_is_said_once(tmp_path: Path) -> None:
    unit = SourceUnit("", "table", "t", rows=1, rows_in_file=1, warnings=("a guess",))
    cards = tuple(SourceCard(f"{n}.csv", "ok", "csv", 1, "same", units=(unit,)) for n in range(7))
    page = write_sources_page(SourceMap(cards, ()), "lake", tmp_path)
    warnings = page[page.index("<h2>Warnings") : page.index("<h2>Files")]
    assert warnings.count("a guess") == 1
    assert "0.csv; 1.csv; 2.csv; 3.csv; 4.csv and 2 more" in warnings
    assert "hold the same content" in warnings


def test_totals_that_were_set_aside_are_listed_once(tmp_path: Path) -> None:
    unit = SourceUnit(
        "", "table", "t", rows=2, rows_in_file=3, rows_skipped=1,
        skipped=("row 4: total row, sums of the rows above: Total 3",),
        total_rows=("row 4: Total 3 (sums of the rows above)", "1 row has 'all' and sums of the other rows"),
    )  # fmt: skip
    page = write_sources_page(
        SourceMap((SourceCard("a.xlsx", "ok", "workbook", 1, "aa", units=(unit,)),), ()), "lake", tmp_path
    )
    assert page.count("Total 3") == 1
    assert "set aside: 1 row has" not in page
    assert page.count("sums of the other rows") == 2


def test_only_a_certain_match_reads_a_hundred_percent(tmp_path: Path) -> None:
    schema = MemberSchema(
        "a.csv", "2019", renamed=(ColumnPair("A", "a", 0.998, "x"), ColumnPair("B", "b", 1.0, "x"))
    )
    group = SourceGroup("{date}.csv", "pattern", ("a.csv",), "paths", "t", "year", ("a", "b"), (schema,))
    page = write_sources_page(SourceMap((), (group,)), "lake", tmp_path)
    assert "A → a (99%), B → b (100%)" in page


def test_two_hundred_columns_stay_under_two_megabytes(tmp_path: Path) -> None:
    wide = tuple(_column(f"column {n}", warnings=("something to know " * 5,)) for n in range(200))
    page = write_sources_page(_map(*wide), "wide", tmp_path)
    assert "column 199" in page
    assert len(page.encode()) < 2_000_000


def test_more_columns_than_fit_are_counted(tmp_path: Path) -> None:
    page = write_sources_page(_map(*(_column(f"c{n}") for n in range(1_000))), "wider", tmp_path)
    assert re.search(r"and 700 more columns", page)


def _stored(tmp_path: Path, values: pa.Array) -> Path:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": values}), path)
    return path


def test_a_histogram_counts_every_value_and_far_ones_do_not_squeeze_it(tmp_path: Path) -> None:
    values = [float(n) for n in range(1_000)] + [1e9, None]
    quantiles = tuple(Quantile(share, str(share * 1_000)) for share in (0.05, 0.5, 0.95))
    column = Column(
        "x", "x", "number", "measure", 1, 1_001, min="0.0", max="1000000000.0", quantiles=quantiles
    )
    counts = counts_of(column, _stored(tmp_path, pa.array(values)))
    assert len(counts) == BINS
    assert sum(counts) == 1_001
    assert sum(count > 0 for count in counts) > BINS / 2


def test_times_have_histograms_and_unique_texts_have_no_picture(tmp_path: Path) -> None:
    days = pa.array(range(0, 100 * 86_400_000_000, 86_400_000_000), pa.timestamp("us"))
    column = Column("x", "x", "date", "time", 0, 100, min="1970-01-01", max="1970-04-10")
    assert sum(counts_of(column, _stored(tmp_path, days))) == 100
    unique = Column("x", "x", "text", "identifier", 0, 2, values=(ValueCount("a", 1), ValueCount("b", 1)))
    assert counts_of(unique, tmp_path / "none") == []
    assert bars([], "x") == ""


@pytest.mark.parametrize("counts", [[1], [5, 0, 3], [0, 0]])
def test_bars_stay_inside_the_picture(counts: list[int]) -> None:
    heights = [float(text) for text in re.findall(r"v-([\d.]+)", bars(counts, "t"))]
    assert len(heights) == sum(count > 0 for count in counts)
    assert all(1 <= height <= 22 for height in heights)


def test_pictures_come_from_the_stored_table(tmp_path: Path) -> None:
    column = Column("x", "x", "integer", "measure", 0, 40, min="0", max="39")
    source_map = _map(column)
    stored = table_file(tmp_path, source_map.cards[0], source_map.cards[0].units[0])
    stored.parent.mkdir(parents=True)
    pq.write_table(pa.table({"x": list(range(40))}), stored)
    assert 'class="spark"' in write_sources_page(source_map, "lake", tmp_path)

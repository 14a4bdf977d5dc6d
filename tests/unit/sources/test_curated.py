"""Curated notes: read to the line, put on the cards, and never a silent typing error."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakebook.errors import UsageError
from lakebook.sources.card import Column, FileEntry, Manifest, SourceCard, SourceMap, SourceUnit
from lakebook.sources.curated import Curated, curate, unused_entries, without_ignored
from lakebook.sources.curated_file import find_curated, read_curated

NOTES = """\
version: 1
files:
  orders.csv:
    meaning: Orders of the web shop, one row a line
    dates: day
    columns:
      amount: {meaning: net of tax, unit: EUR, role: measure}
      shipped: {dates: month}
      2015: the first year
      no: running number
  old/*:
    ignore: copies from before the move
  book.xlsx#Prices: list prices
"""


def _notes(folder: Path, text: str = NOTES) -> Curated:
    path = folder / "sources.yml"
    path.write_text(text, encoding="utf-8")
    return read_curated(path)


def _column(name: str) -> Column:
    return Column(name, name, "number", "category", 0, 3)


def _map() -> SourceMap:
    orders = SourceUnit(
        "", "table", "orders", columns=tuple(map(_column, ("amount", "shipped", "2015", "no")))
    )
    prices = SourceUnit("Prices", "table", "book_prices", columns=(_column("price"),))
    other = SourceUnit("Stock", "table", "book_stock", columns=(_column("stock"),))
    return SourceMap(
        (
            SourceCard("orders.csv", "ok", "csv", 1, "a", units=(orders,)),
            SourceCard("book.xlsx", "ok", "workbook", 1, "b", units=(prices, other)),
            SourceCard("old/x.csv", "ok", "csv", 1, "c"),
        )
    )


def test_what_people_say_stands_on_the_cards(tmp_path: Path) -> None:
    cards = curate(_map(), _notes(tmp_path)).cards
    assert cards[0].meaning == "Orders of the web shop, one row a line"
    amount, shipped, first, number = cards[0].units[0].columns
    assert (amount.meaning, amount.unit, amount.role) == ("net of tax", "EUR", "measure")
    assert (shipped.meaning, shipped.role) == ("", "category")
    assert (first.meaning, number.meaning) == ("the first year", "running number")
    assert [unit.meaning for unit in cards[1].units] == ["list prices", ""]


def test_a_column_s_date_order_wins_over_its_file_s(tmp_path: Path) -> None:
    notes = _notes(tmp_path)
    assert notes.day_order("orders.csv", "", "ordered") == "day"
    assert notes.day_order("orders.csv", "", "shipped") == "month"
    assert notes.day_order("other.csv", "", "shipped") is None


def test_ignored_files_get_a_card_with_the_reason_and_are_not_read(tmp_path: Path) -> None:
    manifest = Manifest((FileEntry("old/x.csv", 1, "c"), FileEntry("orders.csv", 1, "a")))
    kept, cards = without_ignored(manifest, _notes(tmp_path))
    assert [entry.path for entry in kept.files] == ["orders.csv"]
    assert [(card.path, card.status) for card in cards] == [("old/x.csv", "skipped")]
    assert "copies from before the move" in cards[0].reason


def test_entries_that_fit_nothing_are_reported_with_the_nearest_name(tmp_path: Path) -> None:
    notes = _notes(tmp_path, "files:\n  order.csv: x\n  orders.csv:\n    columns:\n      amont: y\n")
    first, second = unused_entries(_map(), notes)
    assert "line 2" in first
    assert "'orders.csv'" in first
    assert "'amount'" in second
    assert unused_entries(_map(), _notes(tmp_path)) == ()


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("files:\n  a:\n    dates: dya\n", "line 3", "`day` or `month`"),
        ("files:\n  a:\n    columns:\n      b: {role: mesure}\n", "line 4", "measure"),
        ("files:\n  a:\n    colums: {}\n", "line 3", "unknown key 'colums'; is 'columns' meant?"),
        ("files:\n  a:\n    columns:\n      b: {datess: day}\n", "line 4", "is 'dates' meant?"),
        ("fils: {}\n", "line 1", "is 'files' meant?"),
        ("files:\n  a: x\n  a: y\n", "line 3", "twice"),
        ("files: [\n", "line 2", "not valid YAML"),
        ("version: 2\n", "line 1", "version 1"),
        ("- a\n", "line 1", "files:"),
    ],
)
def test_a_fault_is_named_with_its_line_and_what_may_stand_there(
    tmp_path: Path, text: str, place: str, words: str
) -> None:
    with pytest.raises(UsageError) as caught:
        _notes(tmp_path, text)
    assert place in str(caught.value)
    assert words in str(caught.value)


def test_the_sources_file_of_another_tool_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "sources.yml").write_text("version: 2\nsources:\n  - name: shop\n", encoding="utf-8")
    assert find_curated(tmp_path, tmp_path) is None
    (tmp_path / "sources.yml").write_text("file:\n  a.csv: x\n", encoding="utf-8")
    assert find_curated(tmp_path, tmp_path) is not None, "a typing error must not go unseen"


def test_the_notes_of_the_project_win_over_those_in_the_lake(tmp_path: Path) -> None:
    project, lake = tmp_path / "project", tmp_path / "lake"
    for folder in (project, lake):
        folder.mkdir()
    assert find_curated(project, lake) is None
    (lake / "sources.yml").touch()
    assert find_curated(project, lake) == lake / "sources.yml"
    (project / "sources.yml").touch()
    assert find_curated(project, lake) == project / "sources.yml"
    assert read_curated(project / "sources.yml").sources == ()

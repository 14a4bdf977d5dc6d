"""A first sources.yml: valid, says nothing by itself, and names everything exactly."""

from __future__ import annotations

from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st

from lakebook.sources.card import Column, SourceCard, SourceGroup, SourceMap, SourceUnit, ValueCount
from lakebook.sources.curated import curate, unused_entries
from lakebook.sources.curated_file import read_curated
from lakebook.sources.suggest import scalar, suggest


def _map() -> SourceMap:
    columns = (
        Column("when", "when", "date", "time", 0, 9, ambiguous_dates=True, warnings=("ambiguous dates: …",)),
        Column("amount: net", "amount: net", "number", "measure", 0, 9, min="-1", max="5", unit="EUR"),
        Column("#", "#", "integer", "identifier", 0, 9, sentinels=(ValueCount("-999", 3),)),
    )
    cards = [
        SourceCard(
            f"s/{year}.csv", "ok", "csv", 1, "x", units=(SourceUnit("", "table", "t", 9, columns=columns),)
        )
        for year in (2018, 2019, 2020)
    ]
    book = (
        SourceUnit("My sheet", "table", "b", 9, columns=columns),
        SourceUnit("Notes", "text", "", text_length=9),
    )
    cards.append(SourceCard("book 'a'.xlsx", "ok", "workbook", 1, "y", units=book))
    cards.append(SourceCard("broken.parquet", "failed", "parquet", 1, "z", reason="damaged: cut off"))
    group = SourceGroup("s/{date}.csv", "pattern", tuple(card.path for card in cards[:3]), "paths differ")
    return SourceMap(tuple(cards), (group,))


def test_the_suggestion_is_valid_and_changes_no_card(tmp_path: Path) -> None:
    path = tmp_path / "sources.yml"
    path.write_text(suggest(_map()), encoding="utf-8")
    notes = read_curated(path)
    assert [entry.pattern for entry in notes.sources] == [
        "s/*.csv",
        "book 'a'.xlsx#My sheet",
        "book 'a'.xlsx#Notes",
        "broken.parquet",
    ]
    assert unused_entries(_map(), notes) == ()
    assert curate(_map(), notes) == _map()


def test_what_was_seen_stands_in_the_comments() -> None:
    text = suggest(_map())
    assert "3 files" in text
    assert "add `dates: day` or `dates: month`" in text
    assert "codes for missing? -999" in text
    assert "unit: EUR" in text
    assert "failed: damaged: cut off" in text


def test_an_empty_lake_gives_a_valid_file(tmp_path: Path) -> None:
    path = tmp_path / "sources.yml"
    path.write_text(suggest(SourceMap(())), encoding="utf-8")
    assert read_curated(path).sources == ()


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_name_survives_as_a_scalar(name: str) -> None:
    assert yaml.load(f"{scalar(name)}: x", Loader=yaml.BaseLoader) == {name: "x"}

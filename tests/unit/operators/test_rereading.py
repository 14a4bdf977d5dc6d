"""Suspicious loads: what other readings of the first lines would give."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lakebook.operators.rereading import other_readings, told
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import Column, SourceCard, SourceMap, SourceUnit


def card_of(*names: str, encoding: str = "utf-8", kind: str = "csv") -> SourceCard:
    columns = tuple(Column(name, name, "text", "category", 0, 3) for name in names)
    unit = SourceUnit("", "table", "t", rows=3, rows_in_file=3, columns=columns)
    return SourceCard("t.csv", "ok", kind, 1, "0" * 64, units=(unit,), encoding=encoding)


SEMICOLONS = "city;year;people\n" + "".join(f"Town {n};20{n:02d};{n}00\n" for n in range(10, 30))


def test_a_column_full_of_separators_is_cut_at_them(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(SEMICOLONS)
    card = card_of("city;year;people")
    [best, *_] = other_readings(tmp_path / "t.csv", card, card.units[0])
    assert (best.delimiter, best.names, best.share) == (";", ("city", "year", "people"), 1.0)
    finding = told((best,))
    assert finding.action == "advise"
    assert "3 columns" in finding.message
    assert finding.values == ("'city'", "'year'", "'people'")


def test_letters_of_another_encoding_are_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(SEMICOLONS.replace("city", "cité").encode())
    card = card_of("citÃ©", "year", "people", encoding="cp1252")
    readings = other_readings(tmp_path / "t.csv", card, card.units[0])
    assert ("utf-8", ("cité", "year", "people")) in [(one.encoding, one.names) for one in readings]


@pytest.mark.parametrize("kind", ["xlsx", "parquet"])
def test_what_is_no_delimited_text_has_no_other_reading(tmp_path: Path, kind: str) -> None:
    (tmp_path / "t.csv").write_text(SEMICOLONS)
    card = card_of("city;year;people", kind=kind)
    assert other_readings(tmp_path / "t.csv", card, card.units[0]) == ()


def test_a_table_that_was_read_well_has_none(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(SEMICOLONS)
    card = card_of("city", "year", "people")
    assert other_readings(tmp_path / "t.csv", card, card.units[0]) == ()
    assert other_readings(tmp_path / "none.csv", card, card.units[0]) == ()
    (tmp_path / "empty.csv").write_text("")
    assert other_readings(tmp_path / "empty.csv", card, card.units[0]) == ()


def test_the_record_of_a_suspicious_load_tells_of_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(SEMICOLONS)
    for card, suspicious in ((card_of("city;year;people"), True), (card_of("city", "year", "people"), False)):
        source_map = SourceMap((replace(card, bytes=1),))
        with Runtime(source_map, lambda card, unit: tmp_path / "none", root=tmp_path) as runtime:
            record = runtime.load("t")
        assert ("R2" in {finding.rule for finding in record.findings}) is suspicious
        assert ("readings" in {seen.kind for seen in record.observations}) is suspicious

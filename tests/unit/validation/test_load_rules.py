"""The rules on loads, over files read for the purpose, so that they rest on the reader's own notes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lakebook.operators.record import Finding
from lakebook.sources.card import Column, SourceCard, SourceMap, SourceUnit, ValueCount
from lakebook.sources.map_lake import map_lake
from lakebook.sources.scan import scan
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, knowledge_of
from lakebook.validation.registry import check

Loaded = Callable[[str, str], list[Finding]]


def rows(header: str, *cells: str, times: int = 4) -> str:
    return "\n".join([header, *(cells * times)]) + "\n"


FILES = {
    "plain.csv": rows("name,amount,day", "a,1.5,2024-01-05", "b,2.5,2024-01-06", "c,3.25,2024-02-28"),
    "page.csv": "<!DOCTYPE html><html><body><table><tr><th>a</th><th>b</th></tr>"
    "<tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table></body></html>",
    "comma.csv": rows("id;price", "1;1.234,50", "2;99,90", "3;12,5;", times=5).replace("12,5;", "12,5"),
    "ambiguous.csv": rows("id,day", "1,03/04/2020", "2,05/06/2020", "3,01/02/2020"),
    "formats.csv": rows("id,day", "1,2020-03-14", "2,14.03.2020", "3,2020-05-20", "4,20.05.2020"),
    "short.csv": rows("id,day", "1,13/04/98", "2,25/06/99", "3,21/02/97"),
    "zones.csv": rows(
        "id,at", "1,2024-01-05T10:00:00Z", "2,2024-01-06T11:00:00", "3,2024-01-07T12:00:00+02:00"
    ),
    "serials.csv": rows("id,date", "1,43831", "2,43862", "3,43891"),
    "country.csv": rows("code,people", "NA,2", "DE,83", "FR,68", "AT,9"),
    "answer.csv": rows("who,answer", "a,yes", "b,None", "c,no", "d,maybe"),
    "twice.csv": rows("id,value,value", "1,2,3", "2,3,4"),
    "total.csv": rows("region,sales", "North,10", "South,20", "West,30", "Total,60", times=1),
    "zip.csv": rows("zip,people", "1040,5", "90210,6", "10115,7"),
    "stray.csv": rows("id,level", *[f"{at},{at * 3}" for at in range(60)], "99,about 7", times=1),
    "blocks.csv": "state,city,people\nOhio,Akron,1\n,Dayton,2\n,Erie,3\nTexas,Austin,4\n,Dallas,5\n,Waco,6\n",
}


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> SourceMap:
    root: Path = tmp_path_factory.mktemp("loads")
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    return map_lake(root, scan(root), tmp_path_factory.mktemp("state"))


@pytest.fixture
def loaded(cards: SourceMap) -> Loaded:
    """Load the first unit of a file: what one rule says of it."""

    def run(name: str, rule: str) -> list[Finding]:
        card = cards.card(name)
        assert card is not None
        assert card.units, card.reason
        found = check(Invocation("Load", card=card, unit=card.units[0]), knowledge_of(cards), "before")
        return [finding for finding in found if finding.rule == rule]

    return run


@pytest.mark.parametrize(
    ("name", "rule", "action"),
    [
        ("page.csv", "L11", "reject"),
        ("ambiguous.csv", "L5", "advise"),
        ("formats.csv", "L5", "advise"),
        ("short.csv", "L5", "advise"),
        ("serials.csv", "L5", "advise"),
        ("zones.csv", "L6", "advise"),
        ("country.csv", "L9", "advise"),
        ("answer.csv", "L9", "advise"),
        ("twice.csv", "L10", "advise"),
        ("total.csv", "L12", "advise"),
        ("zip.csv", "L13", "advise"),
        ("stray.csv", "L14", "advise"),
        ("blocks.csv", "L8", "advise"),
    ],
)
def test_a_rule_speaks_on_its_file(loaded: Loaded, name: str, rule: str, action: str) -> None:
    (finding,) = loaded(name, rule)
    assert finding.action == action
    assert finding.observed
    assert finding.hint


def test_no_rule_speaks_on_a_plain_file(cards: SourceMap) -> None:
    card = cards.card("plain.csv")
    assert card is not None
    assert check(Invocation("Load", card=card, unit=card.units[0]), knowledge_of(cards), "before") == ()


@pytest.mark.parametrize("rule", ["L4", "L5", "L6", "L7", "L8", "L9", "L10", "L11", "L12", "L13", "L14"])
def test_each_rule_is_silent_on_the_files_of_the_others(cards: SourceMap, rule: str) -> None:
    spoken = {
        card.path
        for card in cards.cards
        for unit in card.units
        for finding in check(Invocation("Load", card=card, unit=unit), Knowledge(), "before")
        if finding.rule == rule
    }
    meant = {
        "L4": set(), "L5": {"ambiguous.csv", "formats.csv", "short.csv", "serials.csv"}, "L6": {"zones.csv"},
        "L7": set(), "L8": {"blocks.csv"}, "L9": {"country.csv", "answer.csv"}, "L10": {"twice.csv"},
        "L11": {"page.csv"}, "L12": {"total.csv"}, "L13": {"zip.csv"}, "L14": {"stray.csv", "formats.csv"},
    }  # fmt: skip
    assert spoken <= meant[rule]


def table(*columns: Column, name: str = "t", rows_loaded: int = 10) -> SourceUnit:
    return SourceUnit(name, "table", name, rows=rows_loaded, rows_in_file=rows_loaded, columns=columns)


def text_column(name: str, *values: str) -> Column:
    listed = tuple(ValueCount(value, 3) for value in values)
    return Column(name, name, "text", "category", 0, len(values), values=listed, values_complete=True)


def say(unit: SourceUnit, rule: str, *others: SourceUnit) -> list[Finding]:
    card = SourceCard("book.xlsx", "ok", "xlsx", 1, "0" * 64, units=(unit, *others))
    found = check(Invocation("Load", card=card, unit=unit), Knowledge(), "before")
    return [finding for finding in found if finding.rule == rule]


def test_l1_sees_other_signs_between_cells_and_missing_headers() -> None:
    (finding,) = say(table(text_column("a => b", "1 => 2", "3 => 4", "5 => 6")), "L1")
    assert "'=>'" in finding.message
    assert say(table(text_column("how?!", "x", "y", "z")), "L1") == []
    unit = replace(
        table(text_column("column_1", "x")), warnings=("there is no header: the columns are named",)
    )
    assert [finding.action for finding in say(unit, "L1")] == ["advise"]


def test_l10_sees_names_that_differ_in_letter_case_only() -> None:
    assert len(say(table(text_column("year", "1"), text_column("Year", "2")), "L10")) == 1


def test_l4_reads_decimal_commas_that_stayed_text() -> None:
    (finding,) = say(table(text_column("price", "1.234,50", "99,90", "12,5")), "L4")
    assert finding.action == "advise"
    assert "'99,90'" in finding.values
    assert len(say(table(text_column("price", "1,5", "12,3", "unknown")), "L4")) == 1
    assert len(say(table(text_column("weight", "1,5 kg", "2,5 kg")), "L4")) == 1
    assert say(table(replace(text_column("ids", "1,25,300", "4,5,6"), role="list")), "L4") == []
    assert say(table(text_column("place", "Graz, AT", "Wels", "Linz")), "L4") == []
    assert say(table(text_column("pair", "1,200", "x")), "L4") == []


def test_l7_names_the_other_tables_with_the_same_columns() -> None:
    first, second = (table(text_column("a"), text_column("b"), name=name) for name in ("May", "June"))
    (finding,) = say(first, "L7", second)
    assert finding.action == "advise"
    assert "June" in finding.observed
    assert say(first, "L7", table(text_column("a"), text_column("c"), name="Notes")) == []


def test_l8_tells_of_headers_that_were_pieced_together() -> None:
    unit = replace(
        table(text_column("a", "x", "y")), warnings=("no header row was found: the columns are numbered",)
    )
    assert [finding.action for finding in say(unit, "L8")] == ["advise"]


def test_l1_sees_a_separator_in_the_values() -> None:
    (finding,) = say(table(text_column("record", "a;1;x", "b;2;y", "c;3;z")), "L1")
    assert "';'" in finding.message
    assert say(table(text_column("note", "a, b", "c", "d, e, f")), "L1") == []


def test_l1_sees_a_header_among_the_data_and_data_in_the_header() -> None:
    assert len(say(table(text_column("a", "x", "a"), text_column("b", "y", "b")), "L1")) == 1
    assert len(say(table(text_column("1.5", "x"), text_column("2024-01-05", "y")), "L1")) == 1
    assert say(table(text_column("a", "x", "a"), text_column("b", "y")), "L1") == []
    assert say(table(text_column("2023", "x"), text_column("2024", "y")), "L1") == []

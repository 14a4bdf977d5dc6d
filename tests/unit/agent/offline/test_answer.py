"""Questions of many forms against a small lake, with the answers worked out by hand or in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import mean, median

import pytest

from lakebook.agent.offline import Declined, OfflineAnswer, answer
from lakebook.operators.runtime import Runtime
from lakebook.sandbox.base import Json
from lakebook.sources.map_lake import map_lake
from lakebook.sources.profile import table_file
from lakebook.sources.scan import scan

Asked = Callable[[str], OfflineAnswer | Declined]
PRICES = [100 + n + 0.5 for n in range(40)]
PIECES = [n * 3 for n in range(40)]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many rows are there?", None),  # of which table?
        ("How many orders were placed?", None),  # forty lines of twenty orders
        ("How many distinct order ids are there?", 20),
        ("How many shops are there?", 5),
        ("What is the average list price?", mean(PRICES)),
        ("median list price of organic orders", median(PRICES[::2])),
        ("total pieces", sum(PIECES)),
        ("How many pieces were sold in 2016?", sum(PIECES[1::3])),
        ("What is the highest list price?", 139.5),
        ("total pieces for conventional in 2015", sum(n * 3 for n in range(40) if n % 2 and n % 3 == 0)),
        ("total pieces between 2016 and 2017", sum(n * 3 for n in range(40) if n % 3)),
        ("total pieces excluding organic", sum(PIECES[1::2])),
        ("total pieces where the list price is above 120", sum(n * 3 for n in range(40) if n >= 20)),
        ("number of records with at least 60 pieces", 20),
        ("What percentage of records are organic?", 50.0),
        ("Which year has the most pieces?", 2015),
        ("Which 2 years have the most pieces?", [2015, 2017]),
        ("Which kind has the lowest average list price?", "organic"),
        ("How many orders have no note?", 4),
        ("What is the floor area of Shop B?", 30),
        ("Which shop has the highest floor area?", "Shop E"),
        (
            "total pieces in the North region",
            sum(n * 3 for n in range(40) if n % 5 in (0, 3)),
        ),  # by the shops
        ("How did the total pieces change from 2015 to 2016?", sum(PIECES[1::3]) - sum(PIECES[::3])),
        ("average list price, rounded to two decimal places", 120.0),
        ("total pieces in 2016 or more", None),
        ("total pieces excluding organic and 2016", None),  # is 2016 excluded too?
        ("How many organic were sold?", None),  # rows, or pieces?
        ("Which order has the highest total pieces?", "o19"),
        ("What share of records have at least 60 pieces?", 50.0),
    ],
)
def test_answers(ask: Asked, question: str, value: Json) -> None:
    found = ask(question)
    if value is None:
        assert isinstance(found, Declined)
        return
    assert isinstance(found, OfflineAnswer), found
    assert found.value == (pytest.approx(value) if isinstance(value, float) else value)
    assert found.verdict != "reject"


@pytest.mark.parametrize(
    "question",
    [
        "What is the average salary?",
        "How many purple orders are there?",
        "Which shop is the best?",
        "average list price in Atlantis",
        "pieces total shop the most kind",
        "total pieces per employee",
        "Why did pieces fall?",
        "What is the price?",
        "",
        "???",
        "How many orders were returned?",
        "average list price of organic orders excluding",
    ],
)
def test_declines(ask: Asked, question: str) -> None:
    found = ask(question)
    assert isinstance(found, Declined)
    assert found.reason
    assert found.help


def test_a_decline_names_the_word_and_near_columns(ask: Asked) -> None:
    found = ask("What is the average price?")
    assert isinstance(found, Declined)
    assert found.unread == ("price",)
    assert "orders.list_price" in found.help


def test_groups_come_as_rows(ask: Asked) -> None:
    found = ask("average list price by kind")
    assert isinstance(found, OfflineAnswer)
    assert found.type == "table"
    assert found.value == [
        {"kind": "conventional", "result": pytest.approx(mean(PRICES[1::2]))},
        {"kind": "organic", "result": pytest.approx(mean(PRICES[::2]))},
    ]


def test_every_number_of_the_sentence_is_claimed_and_rests_on_the_query(ask: Asked, runtime: Runtime) -> None:
    found = ask("total pieces for organic in 2016")
    assert isinstance(found, OfflineAnswer)
    assert found.text.startswith("The total of pieces where")
    assert {claim.record for claim in found.claims} == {found.records[0]}
    assert runtime.records[-1].operator == "Answer"
    assert runtime.records[-1].verdict == "pass"
    assert found.sources[0].source == "orders.csv"
    assert "\"kind\" = 'organic'" in found.sql


def test_two_readings_that_differ_are_put_to_the_person(runtime: Runtime) -> None:
    found = answer("How many rows are there?", runtime)
    assert isinstance(found, Declined)
    assert len(found.options) == 2
    chosen = answer("How many rows are there?", runtime, ask=lambda question, options: options.index(
        next(option for option in options if "shops" in option)
    ))  # fmt: skip
    assert isinstance(chosen, OfflineAnswer)
    assert chosen.value == 5


def test_what_the_words_leave_open_is_said(ask: Asked) -> None:
    found = ask("Which year has the most pieces?")
    assert isinstance(found, OfflineAnswer)
    assert any(text.startswith("pieces is added up") for text in found.assumptions)
    missing = ask("How many records have no note?")
    assert isinstance(missing, OfflineAnswer)
    assert any("note has no value" in text for text in missing.assumptions)


def test_ties_at_the_cut_are_all_named(ask: Asked) -> None:
    found = ask("What is the most common kind?")
    assert isinstance(found, OfflineAnswer)
    assert found.value == ["conventional", "organic"]
    assert any("tie" in note for note in found.notes)


def _files(folder: Path, days: dict[str, tuple[str, ...]]) -> Path:
    for name, inside in days.items():
        rows = [f"{day},{place},{n + 1}" for n, day in enumerate(inside) for place in ("Oslo", "Rome")]
        (folder / f"bread_{name}.csv").write_text("\n".join(["day,town,price", *rows]) + "\n")
    return folder


@pytest.mark.parametrize(
    ("files", "answered"),
    [
        ({"2016": ("2016-01-05", "2016-02-05"), "2017": ("2017-01-05", "2017-02-05")}, True),
        ({"2016": ("2015-01-05", "2016-02-05"), "2017": ("2015-01-05", "2016-02-05", "2017-03-05")}, False),
    ],
    ids=["each file a year", "the later file holds the earlier"],
)
def test_vintages_of_one_table_are_not_added_up(
    tmp_path: Path, files: dict[str, tuple[str, ...]], answered: bool
) -> None:
    (tmp_path / "lake").mkdir()
    folder, state = _files(tmp_path / "lake", files), tmp_path / "state"
    source_map = map_lake(folder, scan(folder), state)
    with Runtime(source_map, lambda card, unit: table_file(state, card, unit)) as runtime:
        found = answer("How many rows are there for Rome?", runtime)
        assert isinstance(found, OfflineAnswer) is answered
        if isinstance(found, OfflineAnswer):
            assert (found.value, found.files) == (4, ("2016 (4 rows)", "2017 (4 rows)"))

"""Old columns matched to new ones: with the old table, with what is known of it, with names alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from lakebook.correspondence.evidence import OldColumn
from lakebook.correspondence.match import APPLIED, ASKED, SILENT, Match, match
from lakebook.correspondence.profile import ColumnProfile, profiles_of_table

RANDOM = np.random.default_rng(3)
ROWS = 600
DATA: dict[str, object] = {
    "price": RANDOM.gamma(3, 20, ROWS).round(2),
    "units": RANDOM.integers(1, 500, ROWS),
    "region": RANDOM.choice([f"district {n}" for n in range(12)], ROWS),
    "grade": RANDOM.choice(["A", "B", "C", "D"], ROWS, p=[0.5, 0.3, 0.15, 0.05]),
    "share": RANDOM.beta(2, 9, ROWS),
}


def table(rename: dict[str, str] | None = None, **change: object) -> tuple[ColumnProfile, ...]:
    columns = {(rename or {}).get(name, name): values for name, values in {**DATA, **change}.items()}
    return profiles_of_table(pa.table({name: pa.array(values) for name, values in columns.items()}))


def names(*given: str) -> list[OldColumn]:
    return [OldColumn(name) for name in given]


def bare(*given: str) -> list[ColumnProfile]:
    return [ColumnProfile(name) for name in given]


def test_values_find_what_names_cannot() -> None:
    rename = {"price": "zq1", "region": "zq3", "units": "zq2"}
    found = match(table(), table(rename))
    assert {old: pair.new for old, pair in found.by_old().items()} == {
        name: rename.get(name, name) for name in DATA
    }
    assert found.mode == "values"
    assert "same labels" in found.by_old()["region"].reason
    blind = match(names(*DATA), bare(*(rename.get(name, name) for name in DATA)))
    assert blind.mode == "names"
    assert "region" not in blind.by_old()


def test_a_column_without_a_partner_is_refused_with_the_nearest_name() -> None:
    smaller = tuple(profile for profile in table() if profile.name != "region")
    found = match(table(), smaller)
    assert "region" not in found.by_old()
    (refused,) = [pair for pair in (*found.asked, *found.refused) if pair.old == "region"]
    assert refused.probability < APPLIED
    assert refused.new in {profile.name for profile in smaller}


def test_an_equal_name_in_another_unit_is_said_not_silent() -> None:
    pair = match(table(), table(price=np.asarray(DATA["price"]) * 1000)).by_old()["price"]
    assert pair.verdict == "said"
    assert pair.scale == "1000 times the old values"
    assert pair.warnings == ("the new values are 1000 times the old values",)
    assert match(table(), table()).by_old()["price"].verdict == "silent"


def test_an_equal_name_of_another_kind_is_said_not_silent() -> None:
    words = [f"text {n}" for n in range(ROWS)]
    changed = match(table(), table(price=words))
    (pair,) = [p for p in (*changed.pairs, *changed.asked, *changed.refused) if p.old == "price"]
    assert pair.verdict != "silent"
    assert match(table(), table()).by_old()["price"].warnings == ()


def test_another_level_is_said() -> None:
    shifted = match(table(), table(units=np.asarray(DATA["units"]) * 7.3 + 900)).by_old()["units"]
    assert "middle value went from" in shifted.warnings[0]


def test_a_plain_name_is_not_applied_to_one_of_several() -> None:
    found = match(names("temp", "city"), bare("low_temp", "avg_temp", "high_temp", "city"))
    assert set(found.by_old()) == {"city"}


@pytest.mark.parametrize(("old", "new"), [("gdp", "gdp_per_capita"), ("favorite", "favorite_prob")])
def test_a_rate_is_not_what_it_is_a_rate_of(old: str, new: str) -> None:
    assert match(names(old, "city", "year"), bare(new, "city", "year")).by_old().keys() == {"city", "year"}


def test_initials_and_last_word() -> None:
    assert match(names("mage", "weeks"), bare("MomAge", "weeks")).by_old()["mage"].new == "MomAge"


def test_saved_outputs_help_where_the_table_is_gone() -> None:
    new = table({"share": "zq5", "region": "zq3"})
    prices = np.asarray(DATA["share"])
    quartiles = tuple(float(q) for q in np.quantile(prices, [0, 0.25, 0.5, 0.75, 1]))
    shown = tuple(str(value) for value in list(np.asarray(DATA["region"])[:5]))
    old = [
        OldColumn("price"),
        OldColumn("share", "number", quartiles=quartiles),
        OldColumn("region", shown=shown),
    ]
    found = match(old, new)
    assert found.mode == "evidence"
    assert "quartiles" in {p.old: p for p in (*found.pairs, *found.asked)}["share"].reason
    blind = match(names("price", "share", "region"), new, in_order=True)
    assert {p.old: p.probability for p in (*found.pairs, *found.asked, *found.refused)}["share"] > {
        p.old: p.probability for p in (*blind.pairs, *blind.asked, *blind.refused)
    }["share"]


def test_the_second_best_is_named() -> None:
    pair = match(table(), table()).by_old()["price"]
    assert pair.second in set(DATA) - {"price"}
    assert pair.second_probability < pair.probability


@pytest.mark.parametrize(
    ("probability", "verdict"),
    [
        (SILENT, "silent"),
        (0.84, "said"),
        (APPLIED, "said"),
        (0.49, "asked"),
        (ASKED, "asked"),
        (0.1, "refused"),
    ],
)
def test_verdicts(probability: float, verdict: str) -> None:
    assert Match("a", "b", probability, "").verdict == verdict


def test_every_old_column_has_one_outcome() -> None:
    old = table({"price": "cost", "grade": "class"})
    found = match(old, table())
    every = [pair.old for pair in (*found.pairs, *found.asked, *found.refused)]
    assert sorted(every) == sorted(profile.name for profile in old)


def test_nothing_new() -> None:
    assert [pair.old for pair in match(names("a"), ()).refused] == ["a"]

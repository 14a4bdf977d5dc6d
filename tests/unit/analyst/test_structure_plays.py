"""Every structure and one-variable play, run as the notebook runs it: code alone, claims evaluated anew."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from lakebook.analyst.intent import Intent
from lakebook.analyst.offline import find_structure, prepare_code
from lakebook.analyst.play import Play
from lakebook.analyst.plays import all_plays, play_of
from lakebook.analyst.plays.smaller_checks import SmallerChecks

OWN = [p for p in all_plays() if p.family in ("structure", "one_variable")]
FRAMES = ["panel", "orders", "catalogue"]


def prepared(kernel, table, intent):
    table, observed = find_structure(table, intent, kernel.run)
    exec(prepare_code(table), kernel.names)
    return table, observed


@pytest.fixture(params=FRAMES)
def frame(request) -> pd.DataFrame:
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("play", OWN, ids=lambda play: play.id)
def test_code_runs_alone_claims_hold_and_figures_draw(
    play: Play, frame, table_of, kernel_of, describe
) -> None:
    kernel = kernel_of(frame)
    table, _ = prepared(kernel, table_of(frame), describe)
    for candidate, facts, draft in kernel.play(play, table, describe):
        for template, text in zip(draft.insights, kernel.tell(draft), strict=True):
            assert "{" not in text
            assert not re.search(
                r"\d", re.sub(r"\{\w+\}", "", template.template).replace(frame.columns[-1], "")
            )
        assert len(draft.title) <= 80
        code = play.figure(candidate, facts, table)
        assert kernel.draw(code) == (1 if code else 0)


@pytest.mark.parametrize("play", OWN, ids=lambda play: play.id)
def test_two_runs_give_the_same_facts(play: Play, frame, table_of, kernel_of, describe) -> None:
    runs = []
    for _ in range(2):
        kernel = kernel_of(frame)
        table, _observed = prepared(kernel, table_of(frame), describe)
        runs.append([(c, f, d) for c, f, d in kernel.play(play, table, describe)])
    assert runs[0] == runs[1]


ODD = {
    "no rows": pd.DataFrame({"a": pd.Series([], dtype=float), "b": pd.Series([], dtype=str)}),
    "one row": pd.DataFrame({"a": [1.5], "b": ["x"]}),
    "all null": pd.DataFrame({"a": [np.nan] * 60, "b": pd.Series([None] * 60, dtype=str)}),
    "constant": pd.DataFrame(
        {"sales": [3.0] * 60, "kind": ["x"] * 60, "day": [pd.Timestamp("2020-01-01")] * 60}
    ),
    "two levels": pd.DataFrame({"sales": np.arange(60.0), "kind": ["x", "y"] * 30}),
    "odd names": pd.DataFrame(
        {
            "größe €": np.arange(80.0) ** 2,
            'it\'s "q" {x}': ["a", "b"] * 40,
            "日付": pd.date_range("2020-01-01", periods=80),
            "back\\slash\nline": np.arange(80),
            "$cost$": np.linspace(0.5, 90, 80),
        }
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_tables_break_nothing(name: str, table_of, kernel_of, describe) -> None:
    frame = ODD[name]
    kernel = kernel_of(frame)
    table, _ = prepared(kernel, table_of(frame), describe)
    for play in OWN:
        proposal = play.propose(table, describe)
        assert proposal.candidates or proposal.reason
        for candidate, facts, draft in kernel.play(play, table, describe):
            assert candidate.key.isidentifier()
            kernel.draw(play.figure(candidate, facts, table))
            if "{x}" not in str(candidate.columns):
                kernel.tell(draft)


def test_the_panels_traps_are_all_found(panel, table_of, kernel_of) -> None:
    intent = Intent("forecast price", "forecast", target="price", columns=("price",))
    kernel = kernel_of(panel)
    table, observed = prepared(kernel, table_of(panel), intent)
    s = table.structure
    assert set(s.key) == {"week", "kind", "place"}
    assert (s.time, s.time_step, set(s.entities)) == ("week", "week", {"kind", "place"})
    assert s.totals == (("place", ("Total",)),)
    assert set(dict(s.parts)["place"]) == {"North", "South", "East"}
    assert s.weights == (("price", "volume"),)
    assert s.stale == ("2019-12-30",)
    assert len(s.gaps) == 1
    base = kernel.names["base"]
    assert set(base["place"]) == {"North", "South", "East"}
    assert not (base["week"] == "2019-12-30").any()
    true_total = panel.loc[(panel["place"] == "Total") & (panel["week"] != "2019-12-30"), "volume"].sum()
    assert base["volume"].sum() == pytest.approx(true_total)
    assert {candidate.play for candidate, _ in observed} >= {"S01", "S02", "S04", "S06", "S08", "S09"}


def test_the_sentence_on_the_total_says_what_is_true(panel, table_of, kernel_of, describe) -> None:
    kernel = kernel_of(panel)
    table, _ = prepared(kernel, table_of(panel), describe)
    found = [(c, d) for c, _, d in kernel.play(play_of("S04"), table, describe) if d.verdict == "supported"]
    assert len(found) == 1
    text = " ".join(kernel.tell(found[0][1]))
    factor = panel["volume"].sum() / panel.loc[panel["place"] == "Total", "volume"].sum()
    assert "Total is not one place among others" in text
    assert f"{factor:,.2f} times over" in text
    assert found[0][1].always


def test_a_clean_table_raises_no_alarm(table_of, kernel_of, describe) -> None:
    rng = np.random.default_rng(11)
    days = pd.date_range("2020-01-01", periods=400)
    clean = pd.DataFrame({"day": np.repeat(days, 5), "place": list("abcde") * 400})
    clean["sales"] = np.round(rng.lognormal(3, 0.5, 2000), 2)
    clean["price"] = np.round(rng.normal(10, 1, 2000), 2)
    kernel = kernel_of(clean)
    table, _ = prepared(kernel, table_of(clean), describe)
    s = table.structure
    found = (s.totals, s.weights, s.stale, s.gaps, s.off_grid, s.lists, s.units, s.identities, s.policies)
    assert not any(found)
    assert kernel.names["base"] is clean
    for name in ("S04", "S08", "S05", "S09", "S14", "U04"):
        verdicts = {d.verdict for _, _, d in kernel.play(play_of(name), table, describe)}
        assert verdicts <= {"not_supported", "not_applicable"} or name == "U04"


def test_shuffled_columns_find_no_structure(panel, table_of, kernel_of, describe) -> None:
    rng = np.random.default_rng(5)
    noise = panel.assign(**{c: rng.permutation(panel[c].to_numpy()) for c in ("price", "volume", "place")})
    kernel = kernel_of(noise)
    table, _ = prepared(kernel, table_of(noise), describe)
    s = table.structure
    assert not any((s.totals, s.weights, s.stale, s.identities, s.policies))


def test_copies_that_break_the_key_are_dropped_from_base_only(table_of, kernel_of, describe) -> None:
    frame = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=50), "x": np.arange(50) * 1.5})
    twice = pd.concat([frame, frame.iloc[[4, 7]]], ignore_index=True)
    kernel = kernel_of(twice)
    table, _ = prepared(kernel, table_of(twice), describe)
    assert table.structure.copies_dropped
    assert (len(kernel.names["base"]), len(kernel.names["df"])) == (50, 52)
    genuine = pd.DataFrame({"item": ["tea", "tea", "bun"] * 20, "paid": [1.5, 1.5, 2.0] * 20})
    kernel = kernel_of(genuine)
    table, _ = prepared(kernel, table_of(genuine), describe)
    assert not table.structure.copies_dropped
    assert len(kernel.names["base"]) == 60


def test_equal_lines_of_a_receipt_are_no_copies(table_of, kernel_of, describe) -> None:
    rng = np.random.default_rng(0)
    lines = pd.DataFrame(
        {"receipt": np.repeat(np.arange(900, 1000), 3), "item": np.tile(["tea", "bun", "jam"], 100)}
    )
    lines["paid"] = np.round(rng.lognormal(1, 0.5, 300), 2)
    twice = pd.concat([lines, lines.iloc[[5]]], ignore_index=True)
    kernel = kernel_of(twice)
    table, _ = prepared(kernel, table_of(twice), describe)
    assert len(kernel.names["base"]) == 301
    ((_, _, draft),) = kernel.play(play_of("S01"), table, describe)
    assert "equal rows can be genuine" in " ".join(kernel.tell(draft))


def test_a_policy_is_told_from_a_choice(orders, table_of, kernel_of) -> None:
    intent = Intent("why is profit low", "regress", target="Profit", columns=("Profit", "Discount"))
    kernel = kernel_of(orders)
    table, _ = prepared(kernel, table_of(orders), intent)
    assert {frozenset(policy[:2]) for policy in table.structure.policies} == {frozenset({"State", "Product"})}
    ((_, _, draft),) = kernel.play(play_of("S09"), table, intent)
    assert "12 combinations" in kernel.tell(draft)[0]
    assert draft.effect == 1.0
    assert table.structure.coarse_key == "Order ID"


def test_the_catalogue_is_read(catalogue, table_of, kernel_of, describe) -> None:
    kernel = kernel_of(catalogue)
    table, _ = prepared(kernel, table_of(catalogue), describe)
    assert table.structure.units == ("duration",)
    assert table.structure.lists == (("genres", ","),)
    blanks = [d for c, _, d in kernel.play(play_of("S13"), table, describe) if c.columns == ("director",)]
    assert blanks[0].verdict == "supported"
    assert "where type is TV Show" in kernel.tell(blanks[0])[0]
    assert blanks[0].tests
    units = kernel.play(play_of("S10"), table, describe)[0][2]
    assert "1 values of this kind stand in rating" in " ".join(kernel.tell(units))


def test_smaller_checks_gather_what_has_no_section_of_its_own(panel, table_of, kernel_of, describe) -> None:
    kernel = kernel_of(panel)
    table, _ = prepared(kernel, table_of(panel), describe)
    play = SmallerChecks()
    (candidate,) = play.propose(table, describe, frozenset({"S08", "S09"})).candidates
    inside = [part["play"] for part in candidate.params["parts"]]
    assert "S08" not in inside
    assert "S03" in inside
    facts = kernel.run(candidate, play.compute(candidate, table))
    text = " ".join(kernel.tell(play.read(candidate, facts, table, describe)))
    assert "has a row at every date" in text
    assert "Looked for and not found" in text


def test_every_play_has_an_id_of_its_own_and_can_be_found() -> None:
    names = [play.id for play in all_plays()]
    assert len(names) == len(set(names))
    assert {"S01", "S02", "S04", "S06", "S08", "S09", "U01", "U02", "U03", "T01", "G01"} <= set(names)
    assert play_of("S04").title == "Totals among the parts"

"""A table with more columns than a screen can try says so, and what it can try it tries."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lakebook.analyst.intent import Intent
from lakebook.analyst.methods.forecasting import baseline_errors
from lakebook.analyst.methods.relations import leak_hints
from lakebook.analyst.plays.choices import affordable, tried_only
from lakebook.analyst.plays.relations import PLAYS
from lakebook.analyst.plays.targets import Leaks
from lakebook.analyst.table import Table, TableColumn

INTENT = Intent("predict target", "regress", target="target", columns=("target",))


def wide(columns: int, rows: int) -> Table:
    made = [TableColumn("target", "number", "ratio", 0, 200, "0", "1")]
    made += [TableColumn(f"x{n}", "number", "ratio", 0, 200, "0", "1") for n in range(columns)]
    return Table("w.csv", "w.csv", "", "0" * 64, rows, rows, tuple(made), "")


def frame(columns: int, rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    made = pd.DataFrame({f"x{n}": rng.normal(size=rows) for n in range(columns)})
    made.insert(0, "target", rng.normal(size=rows))
    return made


def test_a_short_wide_table_is_tried_whole_and_a_late_leak_is_found() -> None:
    table, data = wide(120, 300), frame(120, 300)
    data["x119"] = 2 * data["target"] + 1
    (candidate,) = Leaks().propose(table, INTENT).candidates
    assert set(candidate.columns) == {column.name for column in table.columns}
    facts, _ = leak_hints(data, "target", list(candidate.columns[1:]), clusters=[])
    draft = Leaks().read(candidate, facts, table, INTENT)
    assert draft.title == "A column may contain target"
    assert not any("were tried here" in insight.template for insight in draft.insights)


def test_a_long_table_is_tried_in_part_and_the_text_says_so() -> None:
    table = wide(120, 1_000_000)
    assert affordable(table) < 120
    (candidate,) = Leaks().propose(table, INTENT).candidates
    facts, _ = leak_hints(frame(120, 300), "target", list(candidate.columns[1:]), clusters=[])
    draft = Leaks().read(candidate, facts, table, INTENT)
    assert "no column that was tried leaks it" in draft.title
    assert any("only {tried} were tried" in insight.template for insight in draft.insights)


def test_no_column_is_said_to_help_where_none_does() -> None:
    table = wide(6, 300)
    (candidate,) = Leaks().propose(table, INTENT).candidates
    facts, _ = leak_hints(frame(6, 300), "target", list(candidate.columns[1:]), clusters=[])
    draft = Leaks().read(candidate, facts, table, INTENT)
    assert facts["useful"] == 0
    assert draft.title.startswith("No column alone says much about target")


def test_the_closest_partner_is_looked_for_in_every_column_of_a_short_table() -> None:
    play = next(play for play in PLAYS if play.id == "R02")
    (candidate,) = play.propose(wide(120, 300), INTENT).candidates
    assert "x119" in candidate.columns


def test_nothing_is_said_where_all_was_tried() -> None:
    assert tried_only(["a", "b"], 2) == ()
    (caution,) = tried_only(["a", "b"], 3)
    assert caution.caution
    assert [claim.name for claim in caution.claims] == ["tried", "all_columns"]


def test_of_rules_that_are_as_good_the_simplest_is_to_beat() -> None:
    steps = np.random.default_rng(3).normal(size=400).cumsum()
    index = pd.date_range("2015-01-04", periods=400, freq="7D")
    facts, errors = baseline_errors(pd.Series(steps + 50, index=index), "week")
    near = errors.iloc[0]
    assert abs(near["drift"] / near["last value"] - 1) < 0.01, "the two are as good here"
    assert facts["best"][0] == "last value"
    assert facts["best_error"][0] == near["last value"]

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lakebook.analyst.methods.structure import (
    calendar_coverage,
    distinct_rows,
    duplicate_rows,
    find_key,
    grain_key,
    is_row_counter,
    missing_overview,
    panel_balance,
)
from lakebook.analyst.methods.trust import (
    additive_identities,
    dependencies,
    list_cells,
    misplaced_values,
    mixed_units,
    placeholders,
    stale_stamps,
    total_members,
    weight_of_ratio,
    weighted_mean,
)


def shuffled(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    return frame.assign(**{column: np.random.default_rng(1).permutation(frame[column].to_numpy())})


def test_the_smallest_key_is_found(panel) -> None:
    assert set(find_key(panel, ["kind", "place", "week"])) == {"kind", "place", "week"}
    assert find_key(panel.assign(id=range(len(panel))), ["kind", "id"]) == ["id"]


def test_no_key_where_rows_repeat(panel) -> None:
    twice = pd.concat([panel, panel.head(3)])
    assert find_key(twice, ["kind", "place", "week"]) == []
    facts = grain_key(twice, ["kind", "place", "week"])
    assert facts["copies"] == 3
    assert set(facts["key_without_copies"]) == {"kind", "place", "week"}


def test_order_lines_are_told_from_orders(orders) -> None:
    facts = grain_key(orders, ["State", "Product", "Row ID", "Order ID"], ids=["Order ID", "Row ID"])
    assert (facts["row_number"], facts["coarse"]) == ("Row ID", "Order ID")
    assert facts["coarse_units"] == orders["Order ID"].nunique()
    assert {"Order Date", "State"} <= set(facts["fixed_by_coarse"])


def test_no_coarser_unit_among_random_ids(orders) -> None:
    mixed = orders.assign(**{"Order ID": np.random.default_rng(0).permutation(orders["Order ID"].to_numpy())})
    assert grain_key(mixed, ["State"], ids=["Order ID"])["coarse"] == ""


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2, 3, 4], True),
        ([4, 3, 2, 1], True),
        ([0, 1, 2, 0, 1, 2], True),
        ([1, 3, 2], False),
        ([5, 5, 5], False),
        ([1, 2], False),
    ],
)
def test_row_counters(values, expected) -> None:
    assert is_row_counter(pd.Series(values)) is expected


def test_missing_values_count_as_a_value() -> None:
    assert distinct_rows(pd.DataFrame({"a": [None, None, "x"], "b": [1, 1, 1]}), ["a", "b"]) == 2


def test_the_calendar_is_read(panel) -> None:
    facts = calendar_coverage(panel["week"])
    weeks = pd.date_range("2019-01-06", periods=130, freq="7D")
    assert facts["step"] == "week"
    assert facts["gaps"] == [[str(weeks[59].date()), str(weeks[63].date()), 3]]
    assert facts["missing_steps"] == 3
    assert facts["expected_steps"] == 130
    assert facts["off_grid"] == [str((weeks[51] + pd.Timedelta(days=1)).date())]
    assert facts["shared_slots"] == facts["off_grid"]
    assert [year for year, *_ in facts["partial_years"]] == [2020, 2021]
    assert facts["complete_years"] == [2019]


@pytest.mark.parametrize(
    ("freq", "step"),
    [
        ("D", "day"),
        ("7D", "week"),
        ("MS", "month"),
        ("ME", "month"),
        ("QS", "quarter"),
        ("YS", "year"),
        ("h", "hour"),
    ],
)
def test_a_regular_calendar_has_no_gap(freq: str, step: str) -> None:
    facts = calendar_coverage(pd.Series(pd.date_range("2015-01-01", periods=60, freq=freq)))
    assert (facts["step"], facts["gaps"], facts["off_grid"], facts["shared_slots"]) == (step, [], [], [])


def test_a_missing_month_is_a_gap() -> None:
    months = pd.Series(pd.date_range("2015-01-01", periods=40, freq="MS").delete(7))
    assert calendar_coverage(months)["gaps"] == [["2015-07-01", "2015-09-01", 1]]


def test_events_have_no_step_and_thin_years_are_named() -> None:
    rng = np.random.default_rng(0)
    days = pd.Series(pd.Timestamp("2018-01-01") + pd.to_timedelta(rng.integers(0, 1000, 400) ** 1, unit="D"))
    facts = calendar_coverage(pd.concat([days, pd.Series([pd.Timestamp("2014-05-01"), pd.NaT])]))
    assert facts["step"] == "irregular"
    assert facts["gaps"] == []
    assert facts["rows_without"] == 1
    assert 2014 in [year for year, _ in facts["thin_years"]]
    assert 2014 not in facts["complete_years"]


@pytest.mark.parametrize("values", [[], [pd.NaT], [pd.Timestamp("2020-01-01")]])
def test_a_calendar_of_nothing(values) -> None:
    facts = calendar_coverage(pd.Series(values, dtype="datetime64[ns]"))
    assert facts["stamps"] == len([v for v in values if v is not pd.NaT])
    assert facts["gaps"] == []


def test_panel_balance_counts_missing_cells(panel) -> None:
    assert panel_balance(panel, "week", ["kind", "place"])["missing"] == 0
    short = panel.drop(panel[(panel["place"] == "East") & (panel["week"] < "2019-03-01")].index)
    facts = panel_balance(short, "week", ["kind", "place"])
    assert facts["missing"] == len(panel) - len(short)
    assert (facts["with_gaps"], facts["late"], facts["early"]) == (2, 2, 0)
    assert facts["names"] == ["organic / East", "plain / East"]


def test_repeats_and_spellings() -> None:
    frame = pd.DataFrame({"id": [1, 2, 3], "name": ["Ann Lee", "ann  lee", "Bo"], "x": [1, 1, 2]})
    facts = duplicate_rows(frame.assign(name=["Ann", "Ann", "Bo"]), ids=["id"])
    assert (facts["copies"], facts["copies_but_ids"]) == (0, 1)
    assert duplicate_rows(frame, names=["name"])["spellings"] == {"name": [1, "Ann Lee / ann  lee"]}
    assert duplicate_rows(frame.head(1), names=["name"])["spellings"] == {}


def test_missing_values_are_counted_by_column() -> None:
    frame = pd.DataFrame({"a": [1, None, None], "b": ["x", "unknown", "Unknown"], "c": [1, 2, 3]})
    facts = missing_overview(frame, blanks=["unknown"])
    assert facts["nulls"] == {"a": 2}
    assert facts["complete_rows"] == 1
    assert facts["pseudo"] == {"b": [2, "unknown"]}
    assert missing_overview(frame[["c"]])["nulls"] == {}


def test_a_total_is_found_without_its_name(panel) -> None:
    renamed = panel.replace({"place": {"Total": "Zz"}})
    facts = total_members(renamed, "place", "volume", ["week", "kind"])
    assert facts["totals"] == {"Zz": ["North", "South", "East"]} or set(facts["totals"]["Zz"]) == {
        "North",
        "South",
        "East",
    }
    assert facts["residual"] < 1e-6
    assert set(facts["others"]) == {"Alpha", "Beta"}
    assert facts["factor"] == pytest.approx(
        renamed["volume"].sum() / renamed.loc[renamed["place"] == "Zz", "volume"].sum()
    )
    assert facts["covers_all"] is False
    assert total_members(panel, "place", "volume", ["week", "kind"])["covers_all"] is True


def test_no_total_where_there_is_none(panel) -> None:
    parts = panel[panel["place"] != "Total"]
    assert total_members(parts, "place", "volume", ["week", "kind"])["totals"] == {}
    assert total_members(shuffled(panel, "volume"), "place", "volume", ["week", "kind"])["totals"] == {}


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_totals_need_cells(panel, rows: int) -> None:
    assert total_members(panel.head(rows), "place", "volume", ["week", "kind"])["totals"] == {}


def test_nested_totals_are_resolved_to_the_finest_level() -> None:
    rng = np.random.default_rng(2)
    days = pd.date_range("2020-01-01", periods=40)
    leaves = {name: rng.lognormal(3, 0.5, 40) for name in "abcd"}
    sums = leaves | {"left": leaves["a"] + leaves["b"], "all": sum(leaves.values())}
    frame = pd.concat([pd.DataFrame({"day": days, "who": name, "x": v}) for name, v in sums.items()])
    facts = total_members(frame, "who", "x", ["day"])
    assert set(facts["totals"]) == {"all", "left"}
    assert set(facts["level"]) == set("abcd")
    assert facts["others"] == []


def test_the_weight_of_an_average_is_proved(panel) -> None:
    args = ("place", "Total", ["North", "South", "East"], ["week", "kind"])
    decoy = panel.assign(other=np.random.default_rng(0).lognormal(3, 1, len(panel)))
    facts = weight_of_ratio(decoy, "price", ["volume", "other"], *args)
    assert facts["weight"] == "volume"
    assert facts["shares"]["volume"] > 0.9 > 0.6 > facts["shares"]["other"]
    assert weight_of_ratio(decoy, "price", ["other"], *args)["weight"] == ""


def test_weighted_mean_leaves_out_blanks() -> None:
    assert weighted_mean(pd.Series([1.0, 3.0, None]), pd.Series([1.0, 3.0, 9.0])) == 2.5
    assert np.isnan(weighted_mean(pd.Series([], dtype=float), pd.Series([], dtype=float)))


def test_a_copied_date_is_found(panel) -> None:
    facts = stale_stamps(panel, "week", ["kind", "place"], ["volume", "price"])
    assert [stamp[:2] for stamp in facts["stamps"]] == [["2019-12-30", "2019-12-29"]]
    assert facts["stamps"][0][2] == 1.0
    assert facts["largest_elsewhere"] < 0.1


def test_no_copied_date_in_noise_nor_in_constant_series(panel) -> None:
    clean = panel[panel["week"] != pd.Timestamp("2019-12-30")]
    assert stale_stamps(clean, "week", ["kind", "place"], ["volume"])["stamps"] == []
    constant = clean.assign(volume=7.0)
    assert stale_stamps(constant, "week", ["kind", "place"], ["volume"])["stamps"] == []


def test_rules_and_policies(orders) -> None:
    facts = dependencies(orders, ["State", "Area", "Product"], choices=["Discount"])
    assert ["State", "Area", 4, 2] in facts["pairs"]
    ((group, choice, combinations),) = facts["policies"]
    assert (set(group), choice, combinations) == ({"Product", "State"}, "Discount", 12)
    broken = orders.copy()
    broken.loc[0, "Discount"] = 0.95
    assert dependencies(broken, ["State", "Area", "Product"], choices=["Discount"])["policies"] == []
    assert dependencies(shuffled(orders, "Area"), ["State", "Area"])["pairs"] == []


def test_units_lists_and_misplaced_values(catalogue) -> None:
    units = mixed_units(catalogue["duration"])["units"]
    assert set(units) == {"min", "season"}
    assert mixed_units(pd.Series(["5 kg", "6 kg"] * 20))["units"] == {}
    assert mixed_units(pd.Series(["a", "b"]))["units"] == {}
    assert misplaced_values(catalogue, "duration") == [["rating", 1, "74 min"]]
    lists = list_cells(catalogue["genres"])
    assert lists["distinct_entries"] == 5
    drama = catalogue["genres"].str.contains("Drama").sum()
    assert ["Drama", int(drama)] in [entry[:2] for entry in lists["top"]]


def test_an_entry_counts_once_a_row_and_blanks_not_at_all() -> None:
    facts = list_cells(pd.Series(["a, a, b", "a,,", " ", None]))
    assert facts["top"] == [["a", 2, 0], ["b", 1, 0]]
    assert facts["blank_entries"] == 3


def test_placeholders_stand_alone_and_zeros_of_counts_do_not() -> None:
    rng = np.random.default_rng(0)
    price = pd.Series(np.round(rng.normal(50, 5, 500), 2))
    planted = pd.concat([price, pd.Series([-1.0] * 40)])
    assert placeholders(planted)["value"] == -1.0
    assert placeholders(planted)["rows"] == 40
    assert placeholders(price)["value"] is None
    assert placeholders(pd.Series(rng.poisson(1.0, 500).astype(float)))["value"] is None
    assert placeholders(pd.Series([], dtype=float))["value"] is None


def test_sums_and_products_are_found_and_noise_is_not() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(np.round(rng.lognormal(3, 1, (300, 3)), 2), columns=["a", "b", "c"])
    frame["abc"] = frame.sum(axis=1)
    frame["units"] = rng.integers(1, 20, 300)
    frame["money"] = frame["a"] * frame["units"]
    found = {
        item["column"]: (item["sign"], set(item["parts"]))
        for item in additive_identities(frame, list(frame.columns))
    }
    assert found["abc"] == ("+", {"a", "b", "c"})
    assert found["money"] == ("×", {"a", "units"}) or found["money"][0] == "×"
    noise = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("wxyz"))
    assert additive_identities(noise, list("wxyz")) == []


def test_a_sum_of_sums_is_found_by_its_nearest_parts() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(np.round(rng.lognormal(3, 1, (300, 4)), 2), columns=list("abcd"))
    frame["ab"] = frame["a"] + frame["b"]
    frame["all"] = frame["ab"] + frame["c"] + frame["d"]
    found = {item["column"]: set(item["parts"]) for item in additive_identities(frame, list(frame.columns))}
    assert found == {"ab": {"a", "b"}, "all": {"ab", "c", "d"}}

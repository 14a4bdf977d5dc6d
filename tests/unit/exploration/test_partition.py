"""Every file belongs to one group, and only files that belong together share one."""

from __future__ import annotations

from collections.abc import Callable

from lakebook.exploration.partition import partition
from lakebook.sources.card import SourceCard, SourceGroup, SourceMap
from tests.unit.exploration.conftest import Lake

Make = Callable[[dict[str, str]], Lake]


def families(lake: Lake) -> dict[str, set[str]]:
    source_map = lake.map()
    groups = partition(source_map)
    assert sorted(file for group in groups for file in group.files) == list(range(len(source_map.cards)))
    assert len({group.id for group in groups}) == len(groups)
    return {group.id: {source_map.cards[file].path for file in group.files} for group in groups}


def test_files_whose_names_share_their_last_words(make_lake: Make) -> None:
    names = ("carson", "m_street", "malibu")
    files = {f"{name}_beach_datasheet.csv": f"Date,Rain,{name}\n1,2,3\n" for name in names}
    found = families(make_lake(files | {"other_datasheet.csv": "x,y,z\n1,2,3\n"}))
    assert set(files) in found.values()
    assert {"other_datasheet.csv"} in found.values()


def test_a_publisher_in_front_joins_nothing(make_lake: Make) -> None:
    files = {
        f"2024_CSN_{name}.csv": f"{name},{name}_share,rank\n1,2,3\n"
        for name in ("Fraud", "Losses_by_Age", "Top_Ten_of_States", "States_Rank")
    }
    assert all(len(members) == 1 for members in families(make_lake(files)).values())


def test_numbered_files_with_other_columns_stay_apart(make_lake: Make) -> None:
    files = {f"mmc{n}.csv": f"a{n},b{n},c{n}\n1,2,3\n" for n in (1, 3, 4)}
    assert len(families(make_lake(files))) == 3


def test_unread_files_of_one_pattern_stand_together() -> None:
    paths = [f"POD_2024_{n:02}.xyz" for n in range(1, 5)] + ["other.xyz"]
    cards = tuple(SourceCard(path, "failed", "", 0, "", reason="gone") for path in paths)
    assert [len(group.files) for group in partition(SourceMap(cards))] == [4, 1]
    two = tuple(SourceCard(f"mmc{n}.xlsx", "failed", "", 0, "", reason="gone") for n in (2, 6))
    assert [len(group.files) for group in partition(SourceMap(two))] == [1, 1]


def test_alike_sheets_join_no_workbooks() -> None:
    cards = tuple(SourceCard(path, "skipped", "", 0, "") for path in ("one.xlsx", "two.xlsx"))
    group = SourceGroup("{like README}", "compatible", ("one.xlsx#README", "two.xlsx#README"))
    assert [len(found.files) for found in partition(SourceMap(cards, (group,)))] == [1, 1]

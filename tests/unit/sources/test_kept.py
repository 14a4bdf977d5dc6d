"""What is kept of a lake: found again, moved with its file, dropped when it is not needed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from lakebook.sources import kept
from lakebook.sources.card import (
    Column,
    FileEntry,
    Manifest,
    Quantile,
    RejectedRow,
    SourceCard,
    SourceMap,
    SourceUnit,
    TimeCoverage,
    ValueCount,
)
from lakebook.sources.compact import dump, load
from lakebook.sources.curated import SettledOrder
from lakebook.sources.profile import profile_lake, prune, table_file
from lakebook.sources.scan import scan
from lakebook.sources.stat_index import StatIndex


class Lake:
    """A folder and its state; `map` counts what was profiled anew."""

    def __init__(self, root: Path, state: Path) -> None:
        self.root, self.state = root, state
        root.mkdir()

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(text)

    def map(self) -> SourceMap:
        return profile_lake(self.root, scan(self.root, state=self.state), self.state)

    def tables(self) -> set[str]:
        return {path.name for path in (self.state / "tables").iterdir()}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake", tmp_path / "state")


@pytest.fixture
def nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what makes reading any file an error."""

    def forbid() -> None:
        def fail(*_: object) -> None:
            raise AssertionError("a file was read")

        monkeypatch.setattr("lakebook.sources.profile.peek", fail)

    return forbid


def test_an_unchanged_lake_is_not_read(lake: Lake, nothing_is_read: Callable[[], None]) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    lake.write("b.md", "# Title\n\ntext\n")
    first = lake.map()
    nothing_is_read()
    assert lake.map() == first


def test_one_new_file_is_read_alone(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    lake.map()
    lake.write("b.csv", "a,b\n2,x\n")
    told: list[str] = []
    from lakebook.sources import profile

    peek = profile.peek
    monkeypatch.setattr(profile, "peek", lambda path, name: (told.append(name), peek(path, name))[1])
    assert [card.path for card in lake.map().cards] == ["a.csv", "b.csv"]
    assert told == ["b.csv"]


def test_equal_files_are_read_once(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    lake.write("b.csv", "a,b\n1,x\n")
    told: list[str] = []
    from lakebook.sources import profile

    peek = profile.peek
    monkeypatch.setattr(profile, "peek", lambda path, name: (told.append(name), peek(path, name))[1])
    first, second = lake.map().cards
    assert told == ["a.csv"]
    assert '"b.csv"' in second.units[0].load_code
    assert first.units[0].columns == second.units[0].columns


def test_a_moved_folder_is_recognised(lake: Lake, nothing_is_read: Callable[[], None]) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    first = lake.map()
    lake.root.rename(lake.root.with_name("moved"))
    nothing_is_read()
    moved = lake.root.with_name("moved")
    assert profile_lake(moved, scan(moved), lake.state) == first


def test_an_interrupted_pass_goes_on_where_it_stopped(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, nothing_is_read: Callable[[], None]
) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    monkeypatch.setattr("lakebook.sources.profile._SAVE_EVERY_SECONDS", -1.0)
    monkeypatch.setattr("lakebook.sources.profile.find_groups", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        lake.map()
    monkeypatch.setattr("lakebook.sources.profile.find_groups", lambda _: ())
    nothing_is_read()
    assert lake.map().cards[0].units[0].rows == 1


def test_what_is_gone_is_dropped_after_some_passes_and_when_it_is_old(lake: Lake) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    lake.write("b.csv", "a,b\n2,x\n")
    lake.map()
    (lake.root / "b.csv").unlink()
    lake.map()
    assert prune(lake.state, older_than=-1) == []  # it may come back
    for number in range(6):
        lake.write("a.csv", f"a,b\n1,{number}\n")
        lake.map()
    assert len(lake.tables()) == 8  # nothing that young is touched
    removed = prune(lake.state, older_than=-1)
    assert len(removed) == 2
    assert len(lake.tables()) == 6
    card = lake.map().cards[0]
    assert table_file(lake.state, card, card.units[0]).exists()


def test_old_files_that_no_card_needs_are_removed_at_the_end_of_a_pass(lake: Lake) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    lake.write("b.csv", "a,b\n2,x\n")
    lake.map()
    for path in (lake.state / "tables").iterdir():
        os.utime(path, (1, 1))
    (lake.root / "b.csv").unlink()
    for number in range(7):
        lake.write("c.csv", f"a,b\n1,{number}\n")
        lake.map()
    assert sum(path.stat().st_mtime == 1 for path in (lake.state / "tables").iterdir()) == 1
    assert {card.status for card in lake.map().cards} == {"ok"}


def test_damaged_cards_are_made_anew(lake: Lake) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    first = lake.map()
    for file in (lake.state / "cards").iterdir():
        file.write_bytes(file.read_bytes()[:-10])
    assert lake.map() == first


def test_a_settled_order_makes_another_card_and_table(lake: Lake) -> None:
    lake.write("a.csv", "d,n\n01/02/2020,1\n03/04/2020,2\n")
    before = lake.map().cards[0]
    manifest = scan(lake.root)
    orders = {("a.csv", "", "d"): SettledOrder("day", "notes.md, line 2")}
    after = profile_lake(lake.root, manifest, lake.state, day_orders=orders).cards[0]
    assert before.units[0].columns[0].ambiguous_dates
    assert (after.units[0].columns[0].min, after.units[0].columns[0].ambiguous_dates) == ("2020-02-01", False)
    assert after.settled == "d: day first, as notes.md, line 2 says"
    assert table_file(lake.state, before, before.units[0]) != table_file(lake.state, after, after.units[0])
    assert lake.map().cards[0] == before


def test_a_large_file_shows_its_first_rows_first(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakebook.sources.profile._LARGE", 1)
    lake.write("a.csv", "k,v\n" + "".join(f"{n},{n % 7}\n" for n in range(30_000)))
    lake.write("b.csv", "k,v\n1,2\n2,3\n")
    shown: list[SourceCard] = []
    profile_lake(lake.root, scan(lake.root), lake.state, on_card=shown.append)
    assert [(card.path, card.status) for card in shown] == [
        ("a.csv", "partial"), ("a.csv", "ok"), ("b.csv", "ok"),
    ]  # fmt: skip
    assert [card.units[0].rows for card in shown] == [20_000, 30_000, 2]
    assert [card.units[0].coverage.complete for card in shown] == [False, True, True]
    assert "20,000" in shown[0].reason
    assert lake.tables() == {table_file(lake.state, card, card.units[0]).name for card in shown[1:]}


# --- hashes by stat -------------------------------------------------------------------------------------


def test_an_unchanged_file_is_not_hashed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake, state = tmp_path / "lake", tmp_path / "state"
    lake.mkdir()
    (lake / "a.csv").write_text("1")
    monkeypatch.setattr("lakebook.sources.stat_index._FRESH_NANOSECONDS", 0)
    first = scan(lake, state=state)
    hashed: list[str] = []
    scan(lake, lambda _stage, _done, _total, what: hashed.append(what), state)
    (lake / "a.csv").write_text("2")
    second = scan(lake, lambda _stage, _done, _total, what: hashed.append(what), state)
    assert hashed == ["a.csv"]
    assert first.files[0].sha256 != second.files[0].sha256


def test_a_change_that_keeps_size_and_time_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake, state = tmp_path / "lake", tmp_path / "state"
    lake.mkdir()
    (lake / "a.csv").write_text("1")
    os.utime(lake / "a.csv", (1, 1))
    monkeypatch.setattr("lakebook.sources.stat_index._FRESH_NANOSECONDS", 0)
    first = scan(lake, state=state)
    (lake / "a.csv").write_text("2")
    os.utime(lake / "a.csv", (1, 1))
    assert scan(lake, state=state) != first


def test_a_file_changed_just_before_the_scan_is_hashed_again(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1")
    index = StatIndex(None)
    found = (tmp_path / "a.csv").stat()
    index.note("a.csv", found, "hash")
    assert index.hash_of("a.csv", found) == ""
    index = StatIndex(None, _began=found.st_ctime_ns + 10**10)
    index.note("a.csv", found, "hash")
    assert index.hash_of("a.csv", found) == "hash"


# --- the compact form -----------------------------------------------------------------------------------


def test_every_field_of_a_card_survives() -> None:
    column = Column(
        "a", "A", "number", "measure", 1, 2, False, "1", None, (ValueCount("1", 2),), True, "", "kg", ("w",),
        (Quantile(0.5, "1.5"),), False, ("kg", "g"), (ValueCount("-9", 3),),
        TimeCoverage("day", 2, 3, (("2020-01-02", "2020-01-03"),)), True, "weight",
    )  # fmt: skip
    unit = SourceUnit(
        "u", "table", "t", 1, 2, 3, 4, columns=(column,), rejected=(RejectedRow(1, "r", "t"),),
        candidate_keys=(("a",), ("b", "c")), attributes=(("shape", "3 × 4"),),
    )  # fmt: skip
    card = SourceCard("p", "ok", "csv", 1, "h", units=(unit, replace(unit, columns=())))
    source_map = SourceMap((card,))
    assert load(dump(source_map), SourceMap) == source_map


@dataclass(frozen=True)
class Old:
    a: int


def test_another_shape_is_not_misread() -> None:
    content = dump(Old(1))

    @dataclass(frozen=True)
    class New:
        a: int
        b: int = 0

    with pytest.raises(ValueError, match="another version"):
        load(content, New)
    with pytest.raises(ValueError, match="damaged"):
        load(content[:-2], Old)
    assert load(content, Old) == Old(1)


def test_another_version_of_the_profilers_keeps_nothing(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    lake.map()
    monkeypatch.setattr(kept, "PROFILER_VERSION", "next")
    monkeypatch.setattr("lakebook.sources.profile.profiler_for", lambda _file: None)
    assert lake.map().cards[0].status == "failed"


def test_problems_of_the_manifest_are_cards_and_never_found_again(lake: Lake) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    entry = scan(lake.root).files[0]
    manifest = Manifest((entry,), (("b.csv", "cannot be read"),))
    assert [card.status for card in profile_lake(lake.root, manifest, lake.state).cards] == ["ok", "failed"]
    lake.write("b.csv", "a,b\n1,2\n")
    manifest = Manifest((entry, FileEntry("b.csv", 8, "")))
    assert profile_lake(lake.root, manifest, lake.state).cards[1].status == "ok"

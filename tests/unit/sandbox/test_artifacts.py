"""The artifact index keeps what each cell did, and DuckDB reads it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import duckdb
import pytest

from lakebook.errors import SandboxError
from lakebook.sandbox.artifacts import ArtifactIndex, Producer, cells_of
from lakebook.sandbox.snapshot import Change, Entry

WHEN = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)


def entry(path: str, sha256: str) -> Entry:
    return Entry(path, 3, sha256, "csv")


@pytest.fixture
def index(tmp_path: Path) -> ArtifactIndex:
    made = ArtifactIndex(tmp_path / "artifacts.jsonl")
    made.record([Change("a", "new", entry("a", "1")), Change("b", "new", entry("b", "2"))], cell(1), WHEN)
    made.record([Change("a", "changed", entry("a", "3"), entry("a", "1"))], cell(2), WHEN)
    made.record([Change("b", "deleted", None, entry("b", "2"))], cell(3), WHEN)
    return made


def cell(number: int) -> Producer:
    return Producer("s", number, "", f"code{number}")


def test_every_change_is_kept_with_what_made_it(index: ArtifactIndex) -> None:
    assert [(one.path, one.change, one.cell) for one in index.read()] == [
        ("a", "new", 1),
        ("b", "new", 1),
        ("a", "changed", 2),
        ("b", "deleted", 3),
    ]
    changed = index.of_cell("s", 2)[0]
    assert (changed.sha256, changed.earlier_sha256, changed.code_sha256) == ("3", "1", "code2")
    assert changed.time == "2026-01-02T03:04:05.000+00:00"
    assert index.of_cell("other", 2) == ()


def test_what_is_there_and_which_cell_made_it(index: ArtifactIndex) -> None:
    assert [(one.path, one.sha256) for one in index.present()] == [("a", "3")]
    assert cells_of(index.read()) == {1: ("a", "b"), 2: ("a",)}


def test_nothing_done_writes_nothing(tmp_path: Path) -> None:
    empty = ArtifactIndex(tmp_path / "none.jsonl")
    assert empty.record([], cell(1)) == ()
    assert not empty.file.exists()
    assert empty.read() == ()


def test_duckdb_reads_it(index: ArtifactIndex) -> None:
    last = "select path, max(cell) from read_json(?) group by path order by path"
    rows = duckdb.execute(last, [str(index.file)]).fetchall()
    assert rows == [("a", 2), ("b", 3)]


def test_a_line_cut_by_a_crash_is_passed_over_and_written_over(index: ArtifactIndex) -> None:
    with index.file.open("ab") as file:
        file.write(b'{"path": "cut')
    assert len(index.read()) == 4
    index.record([Change("c", "new", entry("c", "4"))], cell(4), WHEN)
    assert [one.path for one in index.read()] == ["a", "b", "a", "b", "c"]


def test_what_is_no_index_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("not json\n")
    with pytest.raises(SandboxError, match="no artifact index"):
        ArtifactIndex(tmp_path / "other").read()

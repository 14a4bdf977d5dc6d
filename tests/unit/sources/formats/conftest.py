"""What tests of formats share: a file that the test writes, read by its profiler down to loaded tables."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from lakebook.sources.card import SourceCard, SourceUnit
from lakebook.sources.describe import describe
from lakebook.sources.formats.registry import profiler_for
from lakebook.sources.peek import peek
from lakebook.sources.profile import profile_lake, table_file
from lakebook.sources.reading import WHOLE, Reading
from lakebook.sources.scan import scan


@dataclass(frozen=True, slots=True)
class Read:
    """A unit of a file with its reading and, for a table, the frame that its load code gives."""

    unit: SourceUnit
    reading: Reading
    frame: pd.DataFrame | None = None


Units = Callable[[Path], dict[str, Read]]


@pytest.fixture
def read_units() -> Units:
    """Return a function that reads all units of a file and checks the law of rows and the load code."""
    return _read


def _read(path: Path) -> dict[str, Read]:
    file = peek(path, path.name)
    profiler = profiler_for(file)
    assert profiler is not None
    units = {}
    for part in profiler.units(file):
        reading = profiler.profile(part, WHOLE)
        described = describe(reading)
        unit = described.unit
        assert unit.unit not in units
        assert unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped
        frame = None
        if described.table is not None:
            stored = io.BytesIO()
            pq.write_table(described.table, stored)
            expected = pd.read_parquet(stored)
            frame = _run(unit.load_code, path.parent)
            for column in expected:
                if str(frame[column].dtype) == "boolean":
                    expected[column] = expected[column].astype("boolean")
            pd.testing.assert_frame_equal(frame, expected)
        units[unit.unit] = Read(unit, reading, frame)
    return units


def _run(code: str, folder: Path) -> pd.DataFrame:
    names: dict[str, object] = {"DATA_DIR": folder, "pd": pd}
    exec(code, names)
    frame = names["df"]
    assert isinstance(frame, pd.DataFrame)
    return frame


class Lake:
    """A folder of files that a test writes, and the cards and tables that profiling makes of them."""

    def __init__(self, root: Path, state: Path) -> None:
        self.root, self.state = root, state

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the lake."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def card(self, name: str) -> SourceCard:
        """Return the card of a file."""
        card = profile_lake(self.root, scan(self.root), self.state).card(name)
        assert card is not None
        return card

    def table(self, name: str, unit: str = "") -> tuple[SourceUnit, pd.DataFrame]:
        """Return a unit and its table, after checking the law of rows and the load code."""
        card = self.card(name)
        found = next((item for item in card.units if item.unit == unit), None)
        assert found is not None, (card.status, card.reason, [item.unit for item in card.units])
        assert found.rows_in_file == found.rows + found.rows_rejected + found.rows_skipped
        stored = pd.read_parquet(table_file(self.state, card, found))
        loaded = _run(found.load_code, self.root)
        expected = stored.copy()
        for column in expected:
            if str(loaded[column].dtype) == "boolean":
                expected[column] = expected[column].astype("boolean")
        pd.testing.assert_frame_equal(loaded, expected)
        assert len(stored) == found.rows
        assert tuple(stored.columns) == tuple(column.name for column in found.columns)
        return found, stored


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Return an empty lake."""
    (tmp_path / "lake").mkdir()
    return Lake(tmp_path / "lake", tmp_path / "state")

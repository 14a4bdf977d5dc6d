"""What tests of sources share: a lake that the test writes, its cards, and what must hold of them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from lakebook.sources.card import SourceCard, SourceMap, SourceUnit
from lakebook.sources.profile import profile_lake, table_file
from lakebook.sources.scan import scan


def run_load_code(code: str, folder: Path) -> pd.DataFrame:
    """Return the frame that a unit's load code gives."""
    names: dict[str, object] = {"DATA_DIR": folder, "pd": pd}
    exec(code, names)
    frame = names["df"]
    assert isinstance(frame, pd.DataFrame)
    return frame


def assert_loads_as_stored(loaded: pd.DataFrame, stored: pd.DataFrame) -> None:
    """Check that load code gives the rows, names and types of the stored table.

    Parquet knows one kind of boolean, pandas two.
    """
    expected = stored.copy()
    for column in expected:
        if str(loaded[column].dtype) == "boolean":
            expected[column] = expected[column].astype("boolean")
    pd.testing.assert_frame_equal(loaded, expected)


class Lake:
    """A folder of files that a test writes, and what profiling makes of it."""

    def __init__(self, root: Path, state: Path) -> None:
        self.root, self.state = root, state

    def write(self, name: str, content: str | bytes, encoding: str = "utf-8") -> None:
        """Write a file of the lake."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))

    def map(self) -> SourceMap:
        """Return the map of the lake as it is now."""
        return profile_lake(self.root, scan(self.root), self.state)

    def card(self, name: str) -> SourceCard:
        """Return the card of a file."""
        card = self.map().card(name)
        assert card is not None
        return card

    def table(self, name: str, unit: str = "") -> tuple[SourceUnit, pd.DataFrame]:
        """Return a unit and its table, after checking the law of rows and the load code."""
        card = self.card(name)
        found = next((item for item in card.units if item.unit == unit), None)
        assert found is not None, (card.status, card.reason, [item.unit for item in card.units])
        assert found.rows_in_file == found.rows + found.rows_rejected + found.rows_skipped
        stored = pd.read_parquet(table_file(self.state, card, found))
        assert_loads_as_stored(run_load_code(found.load_code, self.root), stored)
        assert len(stored) == found.rows
        assert tuple(stored.columns) == tuple(column.name for column in found.columns)
        return found, stored


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Return an empty lake."""
    (tmp_path / "lake").mkdir()
    return Lake(tmp_path / "lake", tmp_path / "state")

"""What tests of formats share: a file that the test writes, read by its profiler down to loaded tables."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from lakebook.sources.card import SourceUnit
from lakebook.sources.describe import describe
from lakebook.sources.formats.registry import profiler_for
from lakebook.sources.peek import peek
from lakebook.sources.reading import WHOLE, Reading
from tests.unit.sources.conftest import assert_loads_as_stored, run_load_code


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
            frame = run_load_code(unit.load_code, path.parent)
            assert_loads_as_stored(frame, pd.read_parquet(stored))
        units[unit.unit] = Read(unit, reading, frame)
    return units

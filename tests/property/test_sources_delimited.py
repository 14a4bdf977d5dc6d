"""Any table written in any supported dialect comes back equal, or what was lost is reported; rows add up."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.sources.card import SourceUnit
from lakebook.sources.profile import profile_lake, table_file
from lakebook.sources.scan import scan

CELLS = st.one_of(
    st.text(alphabet="abcXYZäé ,;|\"'\n\t.-/0123456789%$", max_size=12),
    st.integers(-(10**17), 10**17).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.dates().map(str),
    st.sampled_from(
        ["NA", "", "True", "false", "007", "1,5", "1.234,5", "1/2/2020", "13/2/2020", "nan", "inf", "-"]
    ),
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    width = draw(st.integers(2, 5))
    names = [f"name {index}" for index in range(width)]
    same_kind = draw(st.booleans())
    if same_kind:
        kinds = [draw(st.sampled_from(["int", "float", "date", "text"])) for _ in range(width)]
        pick = {
            "int": st.integers(-99, 9999).map(str),
            "float": st.floats(-9, 9).map(repr),
            "date": st.dates().map(str),
            "text": CELLS,
        }
        row = st.tuples(*(pick[kind] for kind in kinds)).map(list)
    else:
        row = st.lists(CELLS, min_size=width, max_size=width)
    return names, draw(st.lists(row, min_size=1, max_size=12))


def read(content: bytes, name: str = "a.csv") -> tuple[SourceUnit, pd.DataFrame, pd.DataFrame]:
    """Profile one file; return its unit, the stored table, and what the load code gives."""
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder) / "lake", Path(folder) / "state"
        root.mkdir()
        (root / name).write_bytes(content)
        card = profile_lake(root, scan(root), state).cards[0]
        assert card.status in ("ok", "partial"), card.reason
        (unit,) = card.units
        stored = pd.read_parquet(table_file(state, card, unit))
        names: dict[str, object] = {"DATA_DIR": root, "pd": pd}
        exec(unit.load_code, names)
        loaded = names["df"]
        assert isinstance(loaded, pd.DataFrame)
        return unit, stored, loaded


def same(loaded: pd.DataFrame, stored: pd.DataFrame) -> None:
    for column in stored:
        if str(loaded[column].dtype) == "boolean":
            stored[column] = stored[column].astype("boolean")
    pd.testing.assert_frame_equal(loaded, stored)


@settings(max_examples=120, deadline=None)
@given(
    table=tables(),
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_a_written_table_comes_back(
    table: tuple[list[str], list[list[str]]], delimiter: str, encoding: str
) -> None:
    names, rows = table
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(names)
    writer.writerows(rows)
    unit, stored, loaded = read(buffer.getvalue().encode(encoding))
    assert unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped == len(rows)
    same(loaded, stored)
    kept = [row for row in rows if any(row)]
    assert unit.rows == len(kept)
    assert list(stored.columns) == names
    for index, column in enumerate(unit.columns):
        given_cells = [row[index] for row in kept]
        if column.type == "text":
            assert stored[column.name].fillna("").tolist() == given_cells
        if column.type == "integer":
            numbers = [None if pd.isna(value) else int(value) for value in stored[column.name]]
            plain = [cell.replace(",", "").strip("$% \n\t") for cell in given_cells]
            assert [n for n in numbers if n is not None] == [
                int(c) for c in plain if c.lstrip("+-").isdigit()
            ]


@settings(max_examples=120, deadline=None)
@given(st.lists(st.text(alphabet='ab1, "\n', max_size=20), max_size=15))
def test_rows_always_add_up(lines: list[str]) -> None:
    content = "x,y,z\n1,2,3\n4,5,6\n7,8,9\n" + "\n".join(lines)
    unit, stored, loaded = read(content.encode())
    assert unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped
    assert len(unit.rejected) <= unit.rows_rejected
    same(loaded, stored)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=20))
def test_numbers_come_back_bit_for_bit(numbers: list[float]) -> None:
    content = "n,k\n" + "".join(f"{number!r},x\n" for number in numbers)
    _, stored, loaded = read(content.encode())
    assert stored["n"].astype(float).tolist() == numbers
    same(loaded, stored)

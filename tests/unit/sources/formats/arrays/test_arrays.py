"""NumPy arrays: flat ones are tables with their types, others are described, pickles are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


def test_flat_arrays_are_tables(lake: Any) -> None:
    np.save(lake.root / "line.npy", np.array([1, 5, 3]))
    np.save(lake.root / "plane.npy", np.array([[0.5, np.nan], [2.5, -1.0]]))
    np.save(lake.root / "swapped.npy", np.array([[1, 2], [3, 4]], dtype=">i4"))
    unit, table = lake.table("line.npy")
    assert table["value"].tolist() == [1, 5, 3]
    assert unit.attributes == (("shape", "3"), ("dtype", "int64"), ("min", "1"), ("max", "5"))
    unit, table = lake.table("plane.npy")
    assert list(table.columns) == ["column_1", "column_2"]
    assert dict(unit.attributes)["NaN"] == "1"
    assert dict(unit.attributes)["min"] == "-1.0"
    assert lake.table("swapped.npy")[1]["column_2"].tolist() == [2, 4]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.array([True, False]), "boolean"),
        (np.array(["2020-01-01", "2020-01-02"], "datetime64[D]"), "date"),
        (np.array(["ab", "c"]), "text"),
        (np.array([b"ab", b"c"]), "text"),
        (np.array([1, 2**63 + 1], np.uint64), "text"),
        (np.array([1.5, 2], np.float16), "number"),
        (np.array([1.5, 2], np.float32), "number"),
    ],
)
def test_element_types(lake: Any, values: Any, kind: str) -> None:
    np.save(lake.root / "a.npy", values)
    unit, table = lake.table("a.npy")
    assert unit.columns[0].type == kind
    assert len(table) == 2


def test_records_become_columns(lake: Any) -> None:
    dtype = [("id", ">i4"), ("name", "U5"), ("place", "f8", (2,))]
    np.save(lake.root / "a.npy", np.array([(1, "Ann", (0, 1)), (2, "Bob", (2, 3))], dtype))
    unit, table = lake.table("a.npy")
    assert table.values.tolist() == [[1, "Ann"], [2, "Bob"]]
    assert unit.skipped == ("field 'place': elements of type ('<f8', (2,)), left out",)


def test_others_are_described(lake: Any) -> None:
    np.save(lake.root / "cube.npy", np.arange(24.0).reshape(2, 3, 4))
    np.save(lake.root / "wide.npy", np.zeros((2, 500)))
    np.save(lake.root / "complex.npy", np.array([1 + 2j]))
    for name in ("cube.npy", "wide.npy", "complex.npy"):
        assert [unit.kind for unit in lake.card(name).units] == ["array"]
    cube = dict(lake.card("cube.npy").units[0].attributes)
    assert cube == {"shape": "2 × 3 × 4", "dtype": "float64", "min": "0.0", "max": "23.0"}


def test_archives_of_arrays(lake: Any) -> None:
    np.savez(lake.root / "a.npz", x=np.array([1, 2]), cube=np.zeros((2, 2, 2)), bad=np.array([{}], object))
    np.savez_compressed(lake.root / "b.npz", y=np.array([0.5]))
    card = lake.card("a.npz")
    assert (card.format, card.status) == ("npz", "partial")
    assert {unit.unit: unit.kind for unit in card.units} == {"x": "table", "cube": "array"}
    assert card.reason.startswith("bad: it holds Python objects as a pickle")
    assert lake.table("a.npz", "x")[1]["value"].tolist() == [1, 2]
    assert lake.table("b.npz", "y")[1]["value"].tolist() == [0.5]


def test_pickles_and_damage_are_refused(lake: Any) -> None:
    np.save(lake.root / "o.npy", np.array([{"a": 1}], object))
    card = lake.card("o.npy")
    assert card.status == "failed"
    assert "would run code" in card.reason
    np.save(lake.root / "c.npy", np.arange(1000))
    whole = (lake.root / "c.npy").read_bytes()
    lake.write("c.npy", whole[:2000])
    assert "cut off" in lake.card("c.npy").reason

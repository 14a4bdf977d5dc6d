"""HDF5 and netCDF: variables along one dimension are a table with real values, others are described."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import netcdf_file

h5py = pytest.importorskip("h5py")


def classic(path: Path) -> None:
    with netcdf_file(str(path), "w", mmap=False) as file:
        for name, length in (("time", 3), ("lat", 2), ("lon", 2)):
            file.createDimension(name, length)
        time = file.createVariable("time", "i4", ("time",))
        time[:] = [0, 1, 31]
        time.units = "days since 2000-01-01"
        level = file.createVariable("level", "i2", ("time",))
        level[:] = [100, -999, 250]
        level.scale_factor, level.add_offset, level._FillValue = 0.5, 10.0, np.int16(-999)
        level.long_name = "water level"
        lat = file.createVariable("lat", "f4", ("lat",))
        lat[:] = [48.0, 49.5]
        lat.units = "degrees_north"
        heat = file.createVariable("heat", "f4", ("time", "lat", "lon"))
        heat[:] = np.arange(12).reshape(3, 2, 2)
        heat.units = "K"


def netcdf4(path: Path) -> None:
    with h5py.File(path, "w") as file:
        time = file.create_dataset("time", data=np.array([0.0, 1.5]))
        time.attrs["units"] = "hours since 2020-02-28 12:00"
        time.make_scale("time")
        station = file.create_dataset("station", data=np.array(["Ulm", "Bonn"], dtype=h5py.string_dtype()))
        rain = file.create_dataset("rain", data=np.array([-1, 7], "i4"))
        rain.attrs["_FillValue"] = np.int32(-1)
        cube = file.create_dataset("cube", data=np.zeros((2, 4)))
        for item in (station, rain, cube):
            item.dims[0].attach_scale(time)


def test_classic_netcdf(lake: Any) -> None:
    classic(lake.root / "a.nc")
    card = lake.card("a.nc")
    assert {unit.unit: unit.kind for unit in card.units} == {"time": "table", "lat": "array", "heat": "array"}
    unit, table = lake.table("a.nc", "time")
    assert {column.name: column.type for column in unit.columns} == {"time": "date", "level": "number"}
    assert [str(day.date()) for day in table["time"]] == ["2000-01-01", "2000-01-02", "2000-02-01"]
    assert table["level"].tolist()[::2] == [60.0, 135.0]
    assert np.isnan(table["level"][1])
    assert ("level: long_name", "water level") in unit.attributes
    heat = dict(next(unit for unit in card.units if unit.unit == "heat").attributes)
    assert heat["shape"] == "3 × 2 × 2"
    assert heat["units"] == "K"
    assert heat["max"] == "11.0"
    assert heat["along lat"] == "48.0 to 49.5 degrees_north"
    assert heat["along time"].startswith("2000-01-01")


def test_netcdf4_by_its_dimension_scales(lake: Any) -> None:
    netcdf4(lake.root / "a.nc")
    card = lake.card("a.nc")
    assert card.format == "hdf5"
    unit, table = lake.table("a.nc", "time")
    assert sorted(table.columns) == ["rain", "station", "time"]
    assert str(table["time"][1]) == "2020-02-28 13:30:00"
    assert table["station"].tolist() == ["Ulm", "Bonn"]
    assert np.isnan(table["rain"][0])
    assert table["rain"][1] == 7
    assert unit.column("rain").nulls == 1
    cube = dict(next(unit for unit in card.units if unit.unit == "cube").attributes)
    assert cube["dimensions"] == "time, "


def test_characters_unsigned_and_unwritten_values(lake: Any) -> None:
    with netcdf_file(str(lake.root / "a.nc"), "w", mmap=False) as file:
        for name, length in (("n", 3), ("letters", 4), ("wide", 2)):
            file.createDimension(name, length)
        names = file.createVariable("name", "c", ("n", "letters"))
        names[:] = np.array([list(b"Ulm\0"), list(b"Bonn"), list(b"Kiel")], np.uint8).view("S1")
        count = file.createVariable("count", "i2", ("n",))
        count[:] = [1, -1, 3]
        count._Unsigned = "true"
        level = file.createVariable("level", "i4", ("n",))
        level[:] = [5, -2147483647, 7]
        whole = file.createVariable("whole", "i4", ("n",))
        whole[:] = [5, 6, 7]
        packed = file.createVariable("packed", "i2", ("n", "wide"))
        packed[:] = [[0, 10], [20, -32767], [30, 40]]
        packed.scale_factor, packed.add_offset = -0.5, 100.0
        title = file.createVariable("title", "c", ("letters",))
        title[:] = np.frombuffer(b"Rain", "S1")
    unit, table = lake.table("a.nc", "n")
    assert table["name"].tolist() == ["Ulm", "Bonn", "Kiel"]
    assert table["count"].tolist() == [1, 65535, 3]
    assert unit.column("level").nulls == 1
    assert unit.column("whole").type == "integer"
    units = {unit.unit: dict(unit.attributes) for unit in lake.card("a.nc").units}
    assert (units["packed"]["min"], units["packed"]["max"]) == ("80", "100")
    assert units["packed"]["missing"] == "1"
    assert units["title"]["text"] == "Rain"


@pytest.mark.parametrize(
    ("units", "calendar"),
    [
        ("days since 2000-01-01", "noleap"),
        ("days since 0001-01-01", ""),
        ("metres", ""),
        ("days since then", ""),
    ],
)
def test_times_of_other_calendars_stay_numbers(lake: Any, units: str, calendar: str) -> None:
    with netcdf_file(str(lake.root / "a.nc"), "w", mmap=False) as file:
        file.createDimension("n", 2)
        time = file.createVariable("t", "i4", ("n",))
        time[:] = [1, 2]
        time.units = units
        if calendar:
            time.calendar = calendar
    unit, table = lake.table("a.nc", "n")
    assert table["t"].tolist() == [1, 2]
    assert ("t: units", units) in unit.attributes


def test_hdf5_datasets_and_records(lake: Any) -> None:
    with h5py.File(lake.root / "a.h5", "w") as file:
        group = file.create_group("runs/first")
        group.create_dataset("signal", data=np.array([1.0, np.nan, 3.0])).attrs["units"] = "V"
        records = np.array(
            [(1, b"Ann", [1, 2]), (2, b"Bob", [3, 4])], [("id", ">i4"), ("who", "S5"), ("xy", "f4", 2)]
        )
        file.create_dataset("people", data=records)
        file.create_dataset("one", data=5)
    card = lake.card("a.h5")
    assert {unit.unit: unit.kind for unit in card.units} == {
        "one": "array", "people": "table", "runs/first/signal": "array",
    }  # fmt: skip
    signal = dict(next(unit for unit in card.units if unit.unit.endswith("signal")).attributes)
    assert signal == {"shape": "3", "dtype": "float64", "min": "1.0", "max": "3.0", "NaN": "1", "units": "V"}
    unit, table = lake.table("a.h5", "people")
    assert table.values.tolist() == [[1, "Ann"], [2, "Bob"]]
    assert any("'xy'" in note for note in unit.skipped)


def test_values_in_other_files_are_not_followed(lake: Any, tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(b"\1" * 80)
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = np.arange(3)
    with h5py.File(lake.root / "a.h5", "w") as file:
        file.create_dataset("raw", shape=(10,), dtype="f8", external=[(str(tmp_path / "secret.bin"), 0, 80)])
        layout = h5py.VirtualLayout(shape=(3,), dtype="i8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "x", shape=(3,))
        file.create_virtual_dataset("borrowed", layout)
        file["link"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "/x")
        file["mine"] = np.arange(2)
    card = lake.card("a.h5")
    assert [unit.unit for unit in card.units] == ["mine"]
    assert card.status == "partial"
    assert "raw: its values lie in another file" in card.reason
    assert "borrowed: its values lie in another file" in card.reason


def test_damage_and_missing_library_are_reasons(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    netcdf4(lake.root / "a.nc")
    classic(lake.root / "b.nc")
    lake.write("a.nc", (lake.root / "a.nc").read_bytes()[:1500])
    lake.write("b.nc", (lake.root / "b.nc").read_bytes()[:100])
    lake.write("c.nc", b"CDF\x05" + b"\0" * 50)
    assert lake.card("a.nc").status == "failed"
    assert lake.card("b.nc").status == "failed"
    assert "nccopy" in lake.card("c.nc").reason
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    lake.write("d.h5", b"\x89HDF\r\n\x1a\n" + b"\0" * 50)
    assert 'pip install "lakebook[formats]"' in lake.card("d.h5").reason

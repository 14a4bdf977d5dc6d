"""Images, files of statistics programs, dBase tables, and the kinds of files that are refused by name."""

from __future__ import annotations

import gzip
import io
import os
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import PIL.Image
import pytest
from scipy.io import savemat

from lakebook.sources.magic import recognise
from lakebook.sources.profile import profile_lake
from lakebook.sources.scan import scan


def image(kind: str, size: tuple[int, int] = (4, 3), **options: Any) -> bytes:
    buffer = io.BytesIO()
    PIL.Image.new("RGB", size).save(buffer, kind, **options)
    return buffer.getvalue()


# --- images ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "ICO"])
def test_images_show_what_their_header_says(lake: Any, kind: str) -> None:
    lake.write("a.dat", image(kind, (32, 16) if kind != "ICO" else (32, 32)))
    card = lake.card("a.dat")
    assert (card.status, card.format, card.units[0].kind) == ("ok", "image", "image")
    said = dict(card.units[0].attributes)
    assert said["format"] == kind
    assert said["size"].startswith("32 × ")


def test_exif_and_frames(lake: Any) -> None:
    exif = PIL.Image.Exif()
    exif[0x0132], exif[0x0110] = "2024:05:06 07:08:09", "Box 5"
    lake.write("a.jpg", image("JPEG", exif=exif))
    buffer = io.BytesIO()
    frames = [PIL.Image.new("L", (2, 2), shade) for shade in (0, 128, 255)]
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:])
    lake.write("b.gif", buffer.getvalue())
    said = dict(lake.card("a.jpg").units[0].attributes)
    assert (said["taken"], said["camera"]) == ("2024:05:06 07:08:09", "Box 5")
    assert dict(lake.card("b.gif").units[0].attributes)["frames"] == "3"


def test_a_huge_and_a_broken_image(lake: Any) -> None:
    content = bytearray(image("BMP"))
    content[18:26] = struct.pack("<ii", 100_000, 100_000)
    lake.write("huge.bmp", bytes(content))
    assert lake.card("huge.bmp").status == "ok"
    lake.write("bad.png", b"\x89PNG\r\n\x1a\n...")
    card = lake.card("bad.png")
    assert card.status == "failed"
    assert card.reason.startswith("a png image that is damaged")


# --- statistics programs --------------------------------------------------------------------------------


def test_stata_with_labels(lake: Any) -> None:
    frame = pd.DataFrame(
        {
            "age": [31.0, None],
            "sex": pd.Categorical(["male", "female"]),
            "born": pd.to_datetime(["1990-01-31", "2000-02-01"]),
            "name": ["Ann", "Zoë"],
        }
    )
    frame.to_stata(
        lake.root / "a.dta",
        write_index=False,
        version=118,
        variable_labels={"age": "age in years"},
        convert_dates={"born": "td"},
    )
    unit, table = lake.table("a.dta")
    assert {column.name: column.type for column in unit.columns} == {
        "age": "number", "sex": "text", "born": "date", "name": "text",
    }  # fmt: skip
    assert table["sex"].tolist() == ["male", "female"]
    assert ("age: label", "age in years") in unit.attributes
    assert ("codes sex", "0 = female, 1 = male") in unit.attributes
    lake.write("b.dta", (lake.root / "a.dta").read_bytes()[:200])
    assert lake.card("b.dta").status == "failed"


# --- dBase ----------------------------------------------------------------------------------------------


def dbf(
    fields: list[tuple[str, str, int]], rows: Sequence[tuple[str, ...]], deleted: tuple[int, ...] = ()
) -> bytes:
    width = 1 + sum(length for *_, length in fields)
    head = struct.pack("<4BIHH20x", 3, 120, 5, 6, len(rows), 33 + 32 * len(fields), width)
    described = b"".join(
        struct.pack("<11sc4xBB14x", name.encode(), kind.encode(), length, 0) for name, kind, length in fields
    )
    records = b"".join(
        (b"*" if at in deleted else b" ")
        + b"".join(
            (cell.encode().rjust(length) if kind == "N" else cell.encode().ljust(length))
            for cell, (_, kind, length) in zip(row, fields, strict=True)
        )
        for at, row in enumerate(rows)
    )
    return head + described + b"\r" + records + b"\x1a"


FIELDS = [("NAME", "C", 10), ("POP", "N", 8), ("DAY", "D", 8), ("OLD", "L", 1), ("MEMO", "M", 10)]
ROWS = [
    ("Ulm", "126329", "20200131", "T", ""),
    ("Bonn", "****", "00000000", "?", ""),
    ("gone", "1", "20200101", "F", ""),
    ("Köln", "1", "20200201", "n", ""),
]


def test_dbase_tables(lake: Any) -> None:
    lake.write("a.dbf", dbf(FIELDS, ROWS, deleted=(2,)))
    unit, table = lake.table("a.dbf")
    assert {column.name: column.type for column in unit.columns} == {
        "NAME": "text", "POP": "integer", "DAY": "date", "OLD": "boolean",
    }  # fmt: skip
    assert table["NAME"].tolist() == ["Ulm", "Bonn", "Köln"]
    assert [column.nulls for column in unit.columns] == [0, 1, 1, 1]
    assert (unit.rows, unit.rows_in_file, unit.rows_skipped) == (3, 4, 1)
    assert unit.skipped == ("field 'MEMO': of type M, left out", "1 rows are marked as deleted")


def test_a_cut_off_dbase_table_says_how_much_is_missing(lake: Any) -> None:
    whole = dbf([("NAME", "C", 10)], [(f"n{n}",) for n in range(100)])
    lake.write("a.dbf", whole[:-500])
    unit, _ = lake.table("a.dbf")
    assert unit.rows_in_file == 100
    assert not unit.coverage.complete
    assert f"{100 - unit.rows:,} rows are missing" in unit.skipped[0]


def test_the_encoding_of_a_dbase_table(lake: Any) -> None:
    plain = bytearray(dbf([("NAME", "C", 10)], [("Ulm",)]).replace(b"Ulm", "Öl".encode("cp850") + b" "))
    lake.write("guessed.dbf", bytes(plain))
    assert any("guess" in warning for warning in lake.table("guessed.dbf")[0].warnings)
    plain[29] = 0x02  # the header names code page 850
    lake.write("named.dbf", bytes(plain))
    unit, table = lake.table("named.dbf")
    assert table["NAME"].tolist() == ["Öl"]
    assert unit.warnings == ()


# --- listings of arrays ---------------------------------------------------------------------------------


def test_matlab_variables_are_listed(lake: Any) -> None:
    savemat(lake.root / "a.mat", {"grid": np.zeros((2, 3)), "name": "Ulm"})
    card = lake.card("a.mat")
    assert {unit.unit: dict(unit.attributes) for unit in card.units} == {
        "grid": {"shape": "2 × 3", "class": "double"},
        "name": {"shape": "1", "class": "char"},
    }
    lake.write("b.mat", (lake.root / "a.mat").read_bytes()[:150])
    assert lake.card("b.mat").status == "failed"


def fits(*cards: str, data: int = 0) -> bytes:
    header = b"".join(card.ljust(80).encode() for card in (*cards, "END"))
    return header.ljust(-(-len(header) // 2880) * 2880) + b"\0" * (-(-data // 2880) * 2880)


def test_fits_headers_are_listed(lake: Any) -> None:
    first = fits(
        "SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    2",
        "NAXIS1  =                  100", "NAXIS2  =                   50", "OBJECT  = 'M 31  '",
        data=20_000,
    )  # fmt: skip
    second = fits("XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 0", "EXTNAME = 'STARS'")
    lake.write("a.fits", first + second)
    units = lake.card("a.fits").units
    assert [unit.unit for unit in units] == ["header 1", "STARS"]
    assert dict(units[0].attributes) == {"shape": "100 × 50", "bits": "-32", "OBJECT": "M 31"}
    lake.write("b.fits", first[:500])
    assert lake.card("b.fits").status == "failed"


# --- what is not read -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "status", "reason"),
    [
        ("m.pkl", b"\x80\x04\x95\x10\0\0\0\0\0\0\0", "skipped", "would run code"),
        ("m.pickle", b"(dp0\nS'a'\np1\nI1\ns.", "skipped", "text of a kind"),
        ("a.sav", b"$FL2@(#) SPSS DATA FILE" + b"\0" * 50, "skipped", "save it as CSV"),
        ("a.rds", b"\x1f\x8b", "failed", "damaged"),
        ("a.mdb", b"\0\1\0\0Standard Jet DB\0", "skipped", "Access database"),
        ("a.shp", b"\0\0\x27\x0a" + b"\0" * 100, "skipped", ".dbf"),
        ("a.prj", b'GEOGCS["WGS 84"]', "skipped", "projection"),
        ("a.mp3", b"ID3\4\0\0" + b"\0" * 50, "skipped", "an mp3 recording"),
        ("a.mp4", b"\0\0\0\x20ftypisom" + b"\0" * 50, "skipped", "an mp4 film"),
        ("a.wav", b"RIFF\x24\0\0\0WAVEfmt " + b"\0" * 50, "skipped", "a wav recording"),
        ("a.woff2", b"wOF2" + b"\0" * 50, "skipped", "a woff2 font"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c" + b"\0" * 50, "skipped", "unpack it"),
        ("a.exe", b"MZ\x90\0" + b"\0" * 50, "skipped", "a windows program"),
        ("a.yaml", b"a: 1\nb: 2\n", "skipped", "YAML"),
        ("a.toml", b"a = 1\n", "skipped", "TOML"),
        ("a.avro", b"Obj\x01" + b"\0" * 50, "skipped", "Avro"),
        ("a.shx", b"\0\0\x27\x0a" + b"\0" * 100, "skipped", "index of the shapefile"),
        ("twice.csv.gz", gzip.compress(gzip.compress(b"a,b\n", mtime=0), mtime=0), "failed", "packed twice"),
        ("a.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\3", "failed", "cut off"),
        ("a.parquet", bytes(range(256)) * 4, "failed", "no table was found"),
    ],
)
def test_what_is_not_read_says_why_and_what_to_do(
    lake: Any, name: str, content: bytes, status: str, reason: str
) -> None:
    lake.write(name, content)
    card = lake.card(name)
    assert card.status == status
    assert reason in card.reason


@pytest.mark.parametrize(
    "text",
    [
        b"name,city\nAnn,Ulm\n",
        b"BM,Bonn\n1,2\n",
        b"MZ,a\n1,2\n",
        b"ORC,goblin\n",
        "Größe;Öl\n1;2\n".encode(),
        b"PAR,1\n",
        b"ID,name\n1,x\n",
    ],
)
def test_text_is_not_taken_for_something_else(text: bytes) -> None:
    assert recognise(text) == "text"


# --- odd files of a folder ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a b.parquet", "a'b.db", 'a"b.db', "a#1.duckdb", "ä ö.npy", "a\nb.parquet"])
def test_odd_names(lake: Any, name: str, tmp_path: Path) -> None:
    import sqlite3

    import duckdb

    path, unit = lake.root / name, ""
    if name.endswith(".parquet"):
        pd.DataFrame({"n": [1]}).to_parquet(path)
    elif name.endswith(".npy"):
        np.save(path, np.array([1]))
    elif name.endswith(".db"):
        unit = "t"
        connection = sqlite3.connect(tmp_path / "plain.db")
        connection.execute("CREATE TABLE t AS SELECT 1 AS n")
        connection.commit()
        connection.close()
        (tmp_path / "plain.db").rename(path)
    else:
        unit = "t"
        with duckdb.connect(str(tmp_path / "plain.duckdb")) as store:
            store.execute("CREATE TABLE t AS SELECT 1 AS n")
        (tmp_path / "plain.duckdb").rename(path)
    assert lake.table(name, unit)[0].rows == 1


def test_pipes_loops_and_forbidden_files_never_stop_a_lake(lake: Any) -> None:
    lake.write("good.csv", b"a,b\n1,2\n")
    os.mkfifo(lake.root / "pipe.csv")
    (lake.root / "loop.csv").symlink_to(lake.root / "loop.csv")
    with (lake.root / "sparse.bin").open("wb") as file:
        file.truncate(50_000_000)
    found = profile_lake(lake.root, scan(lake.root), lake.state)
    assert {card.path: card.status for card in found.cards} == {
        "good.csv": "ok",
        "loop.csv": "failed",
        "sparse.bin": "skipped",
    }

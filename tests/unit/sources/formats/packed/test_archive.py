"""Archives and packed files: every member that can be read is, the others are named with the reason."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakebook.sources.formats.packed import archive, unpacking

CSV = b"a,b\n1,x\n2,y\n"


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return buffer.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as packed:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            packed.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zstd(content: bytes) -> bytes:
    packed = pa.compress(content, codec="zstd", asbytes=True)
    assert isinstance(packed, bytes)
    return packed


def parquet() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"n": [1, 2, 3]}), buffer)
    return buffer.getvalue()


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name in ("North", "South"):
        sheet = book.create_sheet(name)
        for row in (["city", "n"], ["Bonn", 1], ["Ulm", 2]):
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def database(path: Path) -> bytes:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE people (id INTEGER, name TEXT)")
        connection.execute("INSERT INTO people VALUES (1, 'Ann')")
        connection.commit()
    return path.read_bytes()


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
}


@pytest.mark.parametrize("suffix", PACKINGS)
def test_packed_text_parquet_and_workbooks(lake: Any, suffix: str) -> None:
    pack = PACKINGS[suffix]
    lake.write(f"a.csv.{suffix}", pack(CSV))
    lake.write(f"b.parquet.{suffix}", pack(parquet()))
    lake.write(f"c.xlsx.{suffix}", pack(workbook()))
    lake.write(f"d.json.{suffix}", pack(b'[{"k": 1}, {"k": 2}]'))
    assert lake.table(f"a.csv.{suffix}")[1].values.tolist() == [[1, "x"], [2, "y"]]
    assert lake.table(f"b.parquet.{suffix}")[1]["n"].tolist() == [1, 2, 3]
    assert lake.table(f"c.xlsx.{suffix}", "South")[1]["city"].tolist() == ["Bonn", "Ulm"]
    assert lake.table(f"d.json.{suffix}")[1]["k"].tolist() == [1, 2]
    formats = [lake.card(f"{name}.{suffix}").format for name in ("a.csv", "b.parquet", "c.xlsx", "d.json")]
    assert formats == ["csv", "parquet", "workbook", "json"]


@pytest.mark.parametrize("suffix", PACKINGS)
def test_a_cut_off_packing_is_told(lake: Any, suffix: str) -> None:
    text = b"a,b\n" + b"".join(b"%d,%d\n" % (n, n * 7919 % 104729) for n in range(50_000))
    whole = PACKINGS[suffix](text)
    lake.write(f"a.csv.{suffix}", whole[: len(whole) // 2])
    card = lake.card(f"a.csv.{suffix}")
    assert card.status in ("failed", "partial")
    assert card.reason


def test_two_gzip_members_are_one_content(lake: Any) -> None:
    lake.write("a.csv.gz", gzip.compress(CSV) + gzip.compress(b"3,z\n"))
    assert lake.table("a.csv.gz")[1]["a"].tolist() == [1, 2, 3]


def test_packed_by_content_not_by_name(lake: Any) -> None:
    lake.write("a.csv", lzma.compress(CSV))
    lake.write("b.csv.gz", CSV)
    lake.write("c.parquet", zipped({"only.parquet": parquet()}))
    assert lake.table("a.csv")[0].rows == 2
    assert lake.table("b.csv.gz")[0].rows == 2
    assert lake.table("c.parquet")[0].rows == 3


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.zip", zipped),
        ("a.tar", tarred),
        ("a.tar.gz", lambda members: gzip.compress(tarred(members))),
        ("a.tgz", lambda members: gzip.compress(tarred(members))),
        ("a.tar.bz2", lambda members: bz2.compress(tarred(members))),
        ("a.tar.xz", lambda members: lzma.compress(tarred(members))),
        ("a.tar.zst", lambda members: zstd(tarred(members))),
    ],
)
def test_every_member_gives_its_units(
    lake: Any, tmp_path: Path, name: str, pack: Callable[[dict[str, bytes]], bytes]
) -> None:
    members = {
        "jan.csv": CSV,
        "deep/feb.csv.gz": gzip.compress(b"a,b\n3,z\n"),
        "book.xlsx": workbook(),
        "t.parquet": parquet(),
        "d.db": database(tmp_path / "d.db"),
        "run.exe": b"MZ\x90\x00" + b"\0" * 100,
        "__MACOSX/._jan.csv": b"\0\5\x16\7",
    }
    lake.write(name, pack(members))
    card = lake.card(name)
    assert card.format == ("zip" if name == "a.zip" else "tar")
    assert (card.status, card.reason) == ("ok", "")
    assert sorted(unit.unit for unit in card.units) == [
        "book.xlsx/North",
        "book.xlsx/South",
        "d.db/people",
        "deep/feb.csv.gz",
        "jan.csv",
        "t.parquet",
    ]
    for unit in card.units:
        assert lake.table(name, unit.unit)[0].rows in (1, 2, 3)
    notes = [note for unit in card.units for note in unit.skipped]
    assert notes == ["run.exe: a windows program, which is not read"]


def test_dangerous_names_are_harmless(lake: Any, tmp_path: Path) -> None:
    lake.write("a.zip", zipped({"../../up.csv": CSV, "/abs/olute.csv": CSV, "C:\\w.csv": CSV}))
    lake.write("b.tar", tarred({"../../up.csv": CSV, "/abs/olute.csv": CSV}))
    before = sorted(tmp_path.rglob("*"))
    for name in ("a.zip", "b.tar"):
        for unit in lake.card(name).units:
            assert lake.table(name, unit.unit)[0].rows == 2
    written = {path.name for path in set(tmp_path.rglob("*")) - set(before)}
    assert not written & {"up.csv", "olute.csv", "w.csv"}


def test_links_and_devices_in_a_tar_are_not_followed(lake: Any) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as packed:
        link = tarfile.TarInfo("secret.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(link)
        pipe = tarfile.TarInfo("pipe.csv")
        pipe.type = tarfile.FIFOTYPE
        packed.addfile(pipe)
        info = tarfile.TarInfo("a.csv")
        info.size = len(CSV)
        packed.addfile(info, io.BytesIO(CSV))
    lake.write("a.tar", buffer.getvalue())
    card = lake.card("a.tar")
    assert [unit.unit for unit in card.units] == ["a.csv"]
    assert card.units[0].skipped == (
        "secret.csv: a link, which is not followed",
        "pipe.csv: a device or pipe, which is not followed",
    )


def test_an_encrypted_member_is_named_and_the_others_are_read(lake: Any) -> None:
    content = bytearray(zipped({"a.csv": CSV, "b.csv": CSV}))
    content[content.rindex(b"PK\1\2") + 8] |= 1  # the flag of the second entry in the directory
    lake.write("a.zip", bytes(content))
    card = lake.card("a.zip")
    assert card.status == "partial"
    assert card.reason == "b.csv: encrypted: unpack it with its password"
    assert [unit.unit for unit in card.units] == ["a.csv"]


def test_a_damaged_member_does_not_stop_the_others(lake: Any) -> None:
    content = bytearray(zipped({"a.csv": CSV * 1000, "b.csv": CSV}))
    start = content.index(b"a.csv") + 10
    content[start : start + 20] = b"\xff" * 20
    lake.write("a.zip", bytes(content))
    card = lake.card("a.zip")
    assert (card.status, [unit.unit for unit in card.units]) == ("partial", ["b.csv"])
    assert card.reason.startswith("a.csv: ")


def test_a_cut_off_archive_gives_what_stands_before_the_end(lake: Any) -> None:
    whole = tarred({"a.csv": CSV, "b.csv": CSV * 10_000})
    lake.write("a.tar", whole[:40_000])
    card = lake.card("a.tar")
    assert card.status == "partial"
    assert "cut off" in card.reason or "end of data" in card.reason
    assert [unit.unit for unit in card.units] == ["a.csv"]


def test_archives_inside_archives_one_level_deep(lake: Any) -> None:
    inner = zipped({"x.csv": CSV, "y.csv": CSV})
    deeper = zipped({"inner.zip": inner, "z.csv": CSV})
    lake.write("a.zip", zipped({"deeper.zip": deeper, "t.tar.gz": gzip.compress(tarred({"q.csv": CSV}))}))
    card = lake.card("a.zip")
    assert sorted(unit.unit for unit in card.units) == ["deeper.zip/z.csv", "t.tar.gz/q.csv"]
    notes = [note for unit in card.units for note in unit.skipped]
    assert notes == ["inner.zip: an archive nested too deeply to be read"]
    assert lake.table("a.zip", "deeper.zip/z.csv")[0].rows == 2
    assert lake.table("a.zip", "t.tar.gz/q.csv")[0].rows == 2


def test_a_name_that_stands_twice_is_read_once(lake: Any) -> None:
    lake.write("a.tar", tarred({"a.csv": CSV})[:1024] + tarred({"a.csv": b"a,b\n9,w\n"}))
    unit, table = lake.table("a.tar", "a.csv")
    assert table.values.tolist() == [[9, "w"]]
    assert unit.skipped == ("a.csv: stands more than once; the last one is read",)


def test_an_archive_of_other_things_says_what_it_holds(lake: Any) -> None:
    lake.write("a.zip", zipped({"a.exe": b"MZ" + b"\0" * 90, "b.py": b"print(1)"}))
    card = lake.card("a.zip")
    assert (card.status, len(card.units), card.units[0].text_length) == ("ok", 1, 0)
    assert card.units[0].skipped == ("a.exe: a windows program, which is not read", "b.py: source code")
    lake.write("empty.zip", zipped({}))
    assert lake.card("empty.zip").reason == "the archive is empty"


def test_a_link_in_a_zip_is_not_followed(lake: Any) -> None:
    info = zipfile.ZipInfo("secret.csv")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(lake.root / "a.zip", "w") as packed:
        packed.writestr(info, "/etc/passwd")
        packed.writestr("a.csv", CSV)
    assert lake.card("a.zip").units[0].skipped == ("secret.csv: a link, which is not followed",)


def test_what_unpacks_to_too_much_is_refused(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "SUSPECT_BYTES", 100_000)
    lake.write("a.parquet.gz", gzip.compress(b"PAR1" + b"\0" * 3_000_000))
    assert "more than 200 times its size" in lake.card("a.parquet.gz").reason
    lake.write("b.parquet.gz", gzip.compress(parquet()))
    assert lake.table("b.parquet.gz")[0].rows == 3
    monkeypatch.setattr(unpacking, "MOST_BYTES", 1 << 30)
    monkeypatch.setattr(archive, "MOST_MEMBERS", 1)
    lake.write("c.zip", zipped({"a.csv": CSV, "b.csv": CSV}))
    assert lake.card("c.zip").reason == "1 members beyond the first 1 are not read"

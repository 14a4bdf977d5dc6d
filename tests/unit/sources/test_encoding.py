"""Encodings found from the bytes of short texts, with how sure that is; damage is noticed."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

import pytest

from lakebook.sources.encoding import Encoding, detect
from lakebook.sources.peek import HEAD_BYTES, peek


def found(folder: Path, content: bytes) -> Encoding:
    path = folder / "a.csv"
    path.write_bytes(content)
    return detect(peek(path, "a.csv"))


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "name,city\nJosé,Málaga\nJürgen,Köln\n"),
        ("cp1252", "Preis;€ 5\nGröße;7\nÄpfel;3\n"),
        ("cp1252", "pays,n\nÎle-de-France,1\nCÔTE D'OR,2\n"),
        ("cp1252", "x,y\n20°C,1\n"),
        ("cp1252", "it’s – “ok”,1\n"),
        ("cp1250", "miasto,n\nŁódź,1\nKraków,2\nGdańsk,3\nWrocław,4\n"),
        ("cp1250", "mesto\nPlzeň\nČeské Budějovice\nŽilina\nTřebíč\n"),
        ("cp1251", "город,н\nМосква,1\nСанкт-Петербург,2\n"),
        ("koi8_r", "город,н\nМосква,1\nСанкт-Петербург,2\n"),
        ("cp1253", "πόλη,ν\nΑθήνα,1\nΘεσσαλονίκη,2\n"),
        ("cp1254", "şehir\nİstanbul\nIğdır\nDiyarbakır\nŞanlıurfa\n"),
        ("gb18030", "城市,人口\n北京,1\n上海,2\n广州,3\n"),
        ("cp932", "都市,人口\n東京都,1\n大阪市,2\nさいたま,3\n"),
        ("cp949", "도시,인구\n서울,1\n부산,2\n"),
        ("big5", "城市,人口\n臺北,1\n高雄,2\n臺中,3\n"),
        ("mac_roman", "name\nJosé\nJürgen\nMálaga\n"),
    ],
)
def test_what_looks_most_like_words_wins_and_says_how_sure_it_is(
    tmp_path: Path, encoding: str, text: str
) -> None:
    seen = found(tmp_path, text.encode(encoding))
    assert text.encode(encoding).decode(seen.name) == text
    confidence = re.search(r"guess \(confidence (0\.\d\d)\)", seen.warning)
    assert confidence is not None
    assert 0 < float(confidence[1]) < 1


def test_more_evidence_makes_a_guess_surer(tmp_path: Path) -> None:
    def confidence(text: str) -> float:
        return float(found(tmp_path, text.encode("cp1252")).warning[-5:-1])

    assert confidence("Málaga\n" * 20) > confidence("a é b\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marks_and_utf8_are_certain(tmp_path: Path, encoding: str) -> None:
    assert found(tmp_path, "á,日本\n".encode(encoding)) == Encoding(encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_without_a_mark(tmp_path: Path, encoding: str) -> None:
    seen = found(tmp_path, "name,n\nJosé,1\n".encode(encoding))
    assert seen.name == encoding
    assert "without a byte-order mark" in seen.warning


def test_a_few_damaged_bytes_do_not_make_it_another_encoding(tmp_path: Path) -> None:
    seen = found(tmp_path, "Málaga, Köln, José\n".encode() * 20 + b"caf\xe9\n")
    assert (seen.name, seen.is_damaged, seen.errors) == ("utf-8", True, "replace")
    assert "shown as" in seen.warning
    cut = found(tmp_path, codecs.BOM_UTF16_LE + "name\n".encode("utf-16-le") + b"x")
    assert (cut.name, cut.is_damaged) == ("utf-16", True)


def test_a_strange_byte_far_from_the_start_is_seen(tmp_path: Path) -> None:
    plain = b"name,n\n" * (HEAD_BYTES // 6)
    assert found(tmp_path, plain) == Encoding("utf-8")
    assert found(tmp_path, plain + "Málaga,1\n".encode()) == Encoding("utf-8")
    assert found(tmp_path, plain + "Málaga,1\n".encode("cp1252")).name == "cp1252"


def test_bytes_that_cp1252_lacks_are_read_as_latin1(tmp_path: Path) -> None:
    seen = found(tmp_path, b"caf\xe9\x81\x8d\x8f\x90\x9d\xff\n")
    assert seen.warning != ""
    b"caf\xe9\x81\x8d\x8f\x90\x9d\xff\n".decode(seen.name)

"""XML: repeated elements as records, inner ones joined back, entities left alone, broken text kept so far."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lakebook.errors import SourceError
from lakebook.sources.formats.registry import profiler_for
from lakebook.sources.peek import peek
from tests.unit.sources.formats.conftest import Read, Units

HEAD = '<?xml version="1.0"?>\n'


def write(folder: Path, content: str | bytes, name: str = "a.xml") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def types(read: Read) -> dict[str, str]:
    return {column.name: column.type for column in read.unit.columns}


def rows(read: Read) -> list[list[Any]]:
    assert read.frame is not None
    return [[None if pd.isna(cell) else cell for cell in row] for row in read.frame.astype(object).to_numpy()]


def test_attributes_and_elements_are_columns(tmp_path: Path, read_units: Units) -> None:
    content = (
        f"{HEAD}<shop><!-- c -->"
        "<book id='b1'><title>A</title><price>4.5</price><pub><on>2020-01-31</on></pub></book>"
        "<book id='b2'><title> B </title><price cur='EUR'>5</price><pub/></book></shop>"
    )
    units = read_units(write(tmp_path, content))
    assert list(units) == ["/shop/book"]
    read = units["/shop/book"]
    assert types(read) == {
        "id": "text", "title": "text", "price.text": "number", "pub.on": "date", "price.cur": "text",
    }  # fmt: skip
    assert rows(read)[1] == ["b2", "B", 5.0, None, "EUR"]
    assert read.unit.rows_in_file == 2


def test_several_sets_and_lists_inside_records(tmp_path: Path, read_units: Units) -> None:
    content = (
        "<d><orders><o no='1'><i sku='a'/><i sku='b'/></o><o no='2'><i sku='c'/></o></orders>"
        "<people><p1><name>x</name><tag>t</tag><tag>u</tag></p1><p1><name>y</name></p1></people></d>"
    )
    units = read_units(write(tmp_path, HEAD + content))
    assert list(units) == ["/d/orders/o", "/d/orders/o/*/i", "/d/people/p1"]
    assert rows(units["/d/orders/o/*/i"]) == [[1, "a"], [1, "b"], [2, "c"]]
    assert rows(units["/d/people/p1"]) == [["x", '["t", "u"]'], ["y", None]]


def test_feeds_with_namespaces(tmp_path: Path, read_units: Units) -> None:
    rss = (
        f'{HEAD}<rss xmlns:dc="urn:dc"><channel><title>T</title><item><title>one</title>'
        "<dc:creator>me</dc:creator><link>l</link></item></channel></rss>"
    )
    read = read_units(write(tmp_path, rss, "a.rss"))["/rss/channel/item"]
    assert list(types(read)) == ["title", "dc:creator", "link"]
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title><entry><id>1</id><link href="a"/></entry>'
        '<entry><id>2</id><link href="b"/></entry></feed>'
    )
    read = read_units(write(tmp_path, HEAD + atom))["/feed/entry"]
    assert rows(read) == [[1, "a"], [2, "b"]]


def test_names_that_meet_and_mixed_content(tmp_path: Path, read_units: Units) -> None:
    content = (
        f"{HEAD}<d><r id='1'><id>2</id><note k='x'>Hello <b>big</b> world</note></r>"
        "<r id='3'><id>4</id></r></d>"
    )
    read = read_units(write(tmp_path, content))["/d/r"]
    assert list(types(read)) == ["@id", "id", "note.k", "note.text"]
    assert rows(read)[0] == [1, 2, "x", "Hello big world"]


def test_plain_values_are_a_table_only_where_they_are_many(tmp_path: Path, read_units: Units) -> None:
    many = read_units(write(tmp_path, f"{HEAD}<d>{''.join(f'<v>{n}</v>' for n in range(12))}</d>"))
    assert rows(many["/d/v"])[11] == [11]
    (few,) = read_units(write(tmp_path, f"{HEAD}<d><v>1</v><v>2</v><w>x</w></d>", "b.xml")).values()
    assert few.unit.kind == "text"


def test_settings_and_prose_are_text(tmp_path: Path, read_units: Units) -> None:
    settings = f"{HEAD}<config><db host='x'><user>me</user></db><log>info</log></config>"
    (read,) = read_units(write(tmp_path, settings)).values()
    assert (read.unit.kind, read.unit.headings) == ("text", ("db", "log"))
    assert "db/user: me" in read.reading.passages[0].text
    prose = (
        f"{HEAD}<doc><section><p>One.</p><p>Two <b>x</b>.</p></section><section><p>Three.</p></section></doc>"
    )
    (read,) = read_units(write(tmp_path, prose, "b.xml")).values()
    assert "Two x." in "".join(passage.text for passage in read.reading.passages)


def test_entities_are_not_expanded_and_nothing_is_fetched(tmp_path: Path, read_units: Units) -> None:
    secret = write(tmp_path, "secret", "secret.txt")
    content = (
        f'{HEAD}<!DOCTYPE d [<!ENTITY a "aa"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "{secret.as_uri()}">]>'
        "<d><r><n>x&b;y</n></r><r><n>&f;</n></r><r><n>&lt;&#228;</n></r></d>"
    )
    read = read_units(write(tmp_path, content))["/d/r"]
    assert rows(read) == [["x&b;y"], ["&f;"], ["<ä"]]
    assert "not expanded" in read.unit.warnings[0]
    known = f'{HEAD}<!DOCTYPE d SYSTEM "d.dtd"><d><r><n>M&uuml;ller</n></r><r><n>z</n></r></d>'
    assert rows(read_units(write(tmp_path, known, "b.xml"))["/d/r"]) == [["Müller"], ["z"]]


@pytest.mark.parametrize(
    ("rest", "said"),
    [("<r><n>3", "Premature end of data"), ("<r><n>3</r><r><n>4</n></r></d>", "tag mismatch")],
)
def test_a_text_that_breaks_off_keeps_what_was_read(
    tmp_path: Path, read_units: Units, rest: str, said: str
) -> None:
    read = read_units(write(tmp_path, f"{HEAD}<d><r><n>1</n></r>\n<r><n>2</n></r>\n{rest}"))["/d/r"]
    assert rows(read) == [[1], [2]]
    (rejected,) = read.unit.rejected
    assert rejected.line == 4
    assert said in rejected.reason


@pytest.mark.parametrize("content", ["<d><r>", "<d><r>&nope;</r></d>", ""])
def test_no_xml_says_where(tmp_path: Path, content: str) -> None:
    path = write(tmp_path, HEAD + content)
    file = peek(path, path.name)
    profiler = profiler_for(file)
    assert profiler is not None
    with pytest.raises(SourceError, match=r"not XML: .+ at line \d"):
        list(profiler.units(file))


def test_drawings_and_stylesheets_are_not_read(tmp_path: Path) -> None:
    for root in ("svg", "xsl:stylesheet xmlns:xsl='urn:x'", "project"):
        path = write(tmp_path, f"{HEAD}<!-- x --><{root}><g/><g/></{root.split()[0]}>")
        assert profiler_for(peek(path, path.name)) is None


def test_encodings_and_packing(tmp_path: Path, read_units: Units) -> None:
    content = '<?xml version="1.0" encoding="ISO-8859-1"?><d><r><n>é</n></r><r><n>ü</n></r></d>'
    packed = gzip.compress(content.encode("latin-1"))
    assert rows(read_units(write(tmp_path, packed, "a.xml.gz"))["/d/r"]) == [["é"], ["ü"]]
    wide = content.replace("ISO-8859-1", "UTF-16").encode("utf-16")
    assert rows(read_units(write(tmp_path, wide))["/d/r"]) == [["é"], ["ü"]]

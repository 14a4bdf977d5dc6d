"""JSON in every shape: which tables are found, what they hold, and what is said of text that is no JSON."""

from __future__ import annotations

import bz2
import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lakebook.errors import SourceError
from lakebook.sources.formats.nested import json_records
from lakebook.sources.formats.registry import profiler_for
from lakebook.sources.peek import peek
from lakebook.sources.reading import Budget
from tests.unit.sources.formats.conftest import Read, Units


def write(folder: Path, content: Any, name: str = "a.json") -> Path:
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def types(read: Read) -> dict[str, str]:
    return {column.name: column.type for column in read.unit.columns}


def rows(read: Read) -> list[list[Any]]:
    assert read.frame is not None
    return [[None if pd.isna(cell) else cell for cell in row] for row in read.frame.astype(object).to_numpy()]


def warnings(read: Read, column: str = "") -> str:
    if not column:
        return " | ".join(read.unit.warnings)
    found = read.unit.column(column)
    assert found is not None
    return " | ".join(found.warnings)


def reason(path: Path) -> str:
    file = peek(path, path.name)
    profiler = profiler_for(file)
    assert profiler is not None
    with pytest.raises(SourceError) as caught:
        list(profiler.units(file))
    return caught.value.message


# --- shapes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "unit", "names", "expected"),
    [
        ([{"a": 1}, {"a": 2}], "", ["a"], [[1], [2]]),
        ({"d": {"e": [{"a": 1}]}}, "/d/e", ["a"], [[1]]),
        ({"a/b": {"~": [{"a": 1}]}}, "/a~1b/~0", ["a"], [[1]]),
        ({"x": {"n": 1}, "y": {"n": 2}, "z": {"n": 3}}, "", ["key", "n"], [["x", 1], ["y", 2], ["z", 3]]),
        (
            {"x": {"key": 1}, "y": {"key": 2}, "z": {"key": 3}},
            "",
            ["_key", "key"],
            [["x", 1], ["y", 2], ["z", 3]],
        ),
        ({"2019": [{"n": 1}], "2020": [{"n": 2}]}, "", ["key", "n"], [["2019", 1], ["2020", 2]]),
        ({"a": [1, 2], "b": ["x", "y"]}, "", ["a", "b"], [[1, "x"], [2, "y"]]),
        (
            {"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}},
            "",
            ["index", "a", "b"],
            [["0", 1, "x"], ["1", 2, "y"]],
        ),
        ({"columns": ["a", "b"], "index": [0], "data": [[1, 2]]}, "", ["a", "b"], [[1, 2]]),
        ({"columns": ["a"], "index": ["r"], "data": [[1]]}, "", ["index", "a"], [["r", 1]]),
        (
            {"schema": {"fields": [{"name": "a", "type": "integer"}]}, "data": [{"a": 1}, {"a": 2}]},
            "",
            ["a"],
            [[1], [2]],
        ),
        (
            {"meta": {"view": {"columns": [{"name": "k"}, {"name": "n"}]}}, "data": [["x", 1], ["y", 2]]},
            "",
            ["k", "n"],
            [["x", 1], ["y", 2]],
        ),
        ([["name", "pop"], ["A", 12], ["B", None]], "", ["name", "pop"], [["A", 12], ["B", None]]),
        ([["NAME", "POP"], ["A", "12"], ["B", "13"]], "", ["NAME", "POP"], [["A", "12"], ["B", "13"]]),
        ([["a", "b"], ["c", "d"]], "", ["column_1", "column_2"], [["a", "b"], ["c", "d"]]),
        ([1, 2, 3], "", ["value"], [[1], [2], [3]]),
        ({"years": list(range(10))}, "/years", ["years"], [[n] for n in range(10)]),
        (
            {"DE": ["Bonn"] * 5, "FR": ["Nice"] * 4, "IT": ["Rome"]},
            "",
            ["key", "value"],
            [["DE", "Bonn"]] * 5 + [["FR", "Nice"]] * 4 + [["IT", "Rome"]],
        ),
        ({f"k{n}": n for n in range(10)}, "", ["key", "value"], [[f"k{n}", n] for n in range(10)]),
    ],
)  # fmt: skip
def test_shapes(
    tmp_path: Path, read_units: Units, document: Any, unit: str, names: list[str], expected: list[list[Any]]
) -> None:
    units = read_units(write(tmp_path, document))
    assert list(units) == [unit]
    assert list(types(units[unit])) == names
    assert rows(units[unit]) == expected
    assert units[unit].unit.rows_in_file == len(expected)


@pytest.mark.parametrize(
    "document",
    [
        {"name": "x", "version": "1.0", "scripts": {"build": "tsc"}, "files": ["dist"]},
        {"server": {"port": 1}, "database": {"url": "x", "user": "y"}, "log": {"level": "info"}},
        {"type": "Polygon", "coordinates": [[[0, 1], [2, 3], [4, 5], [0, 1]]]},
        5,
        '"words"',
        [],
        {},
        [{}, {}],
        [{"a": {}}, {"a": {"b": {}}}],
    ],
)
def test_settings_and_single_values_are_text_not_tables(
    tmp_path: Path, read_units: Units, document: Any
) -> None:
    (read,) = read_units(write(tmp_path, document)).values()
    assert read.unit.kind == "text"
    assert read.reading.text_length == sum(len(passage.text) for passage in read.reading.passages)


def test_settings_have_their_keys_as_headings(tmp_path: Path, read_units: Units) -> None:
    (read,) = read_units(write(tmp_path, {"name": "x", "deps": {"a": "^1"}})).values()
    assert read.unit.headings == ("name", "deps")
    assert [(item.position, item.heading) for item in read.reading.passages] == [
        ("/name", "name"),
        ("/deps", "deps"),
    ]
    assert '"a": "^1"' in read.reading.passages[1].text


def test_several_lists_are_several_units_and_plain_values_beside_them_are_kept(
    tmp_path: Path, read_units: Units
) -> None:
    document = {"count": 3, "note": "n", "nodes": [{"id": 1, "w": 2}], "links": [{"from": 1, "to": 1}]}
    units = read_units(write(tmp_path, document))
    assert list(units) == ["/nodes", "/links"]
    assert units["/nodes"].unit.attributes == (("count", "3"), ("note", "n"))


def test_members_of_another_kind_are_rejected_with_their_place(tmp_path: Path, read_units: Units) -> None:
    read = read_units(write(tmp_path, [{"a": 1}, "x", {"a": 2}]))[""]
    assert rows(read) == [[1], [2]]
    assert [(row.line, row.reason, row.text) for row in read.unit.rejected] == [(2, "not a record", '"x"')]
    keyed = {"a": {"n": 1}, "b": {"n": 2}, **{f"k{n}": {"n": n} for n in range(20)}, "odd": 7}
    read = read_units(write(tmp_path, keyed))[""]
    assert (read.unit.rows, read.unit.rows_rejected) == (22, 1)
    read = read_units(write(tmp_path, [[1, 2]] * 20 + [[3]]))[""]
    assert (read.unit.rows, read.unit.rejected[0].reason) == (20, "1 cells where 2 are expected")


# --- records inside records -----------------------------------------------------------------------------


def test_lists_inside_records_are_units_that_join_back(tmp_path: Path, read_units: Units) -> None:
    orders = [
        {"id": 7, "box": {"items": [{"sku": "a"}, {"sku": "b", "tax": [{"t": 1.5}]}]}},
        {"id": 8, "box": None},
        {"id": 9, "box": {"items": [{"sku": "c"}]}},
    ]
    units = read_units(write(tmp_path, {"orders": orders}))
    assert list(units) == ["/orders", "/orders/*/box/items", "/orders/*/box/items/*/tax"]
    assert rows(units["/orders"]) == [[7], [8], [9]]
    items = units["/orders/*/box/items"]
    assert list(types(items)) == ["parent_row", "parent_id", "sku"]
    assert rows(items) == [[1, 7, "a"], [1, 7, "b"], [3, 9, "c"]]
    assert rows(units["/orders/*/box/items/*/tax"]) == [[2, 1.5]]


def test_records_that_are_nothing_but_inner_lists_have_no_table(tmp_path: Path, read_units: Units) -> None:
    units = read_units(write(tmp_path, [{"items": [{"x": 1}]}, {"items": [{"x": 2}]}]))
    assert list(units) == ["/*/items"]
    assert rows(units["/*/items"]) == [[1, 1], [2, 2]]


def test_very_many_lists_inside_a_record_stay_cells(tmp_path: Path, read_units: Units) -> None:
    units = read_units(write(tmp_path, [{chr(65 + n): [{"x": n}] for n in range(26)}]))
    assert list(units) == [""]
    assert set(types(units[""]).values()) == {"json"}


def test_names_of_the_parent_do_not_hide_those_of_the_items(tmp_path: Path, read_units: Units) -> None:
    document = [{"id": 1, "items": [{"parent_row": 5, "parent_id": 6}]}]
    units = read_units(write(tmp_path, document))
    assert list(types(units["/*/items"])) == ["_parent_row", "_parent_id", "parent_row", "parent_id"]


def test_lists_that_are_not_always_lists_stay_cells(tmp_path: Path, read_units: Units) -> None:
    units = read_units(write(tmp_path, [{"a": [{"x": 1}]}, {"a": "none"}]))
    assert list(units) == [""]
    assert types(units[""]) == {"a": "json"}
    assert "1 list, 1 text" in warnings(units[""], "a")


# --- columns --------------------------------------------------------------------------------------------


def test_list_and_object_cells_are_json_text_with_lengths(tmp_path: Path, read_units: Units) -> None:
    read = read_units(write(tmp_path, [{"t": ["ä", 1]}, {"t": []}, {"t": None}]))[""]
    assert types(read) == {"t": "json"}
    assert rows(read) == [['["ä", 1]'], ["[]"], [None]]
    assert read.unit.attributes == (("t", "lists (2), length 0-2"),)
    column = read.unit.column("t")
    assert column is not None
    assert (column.distinct, column.nulls) == (2, 1)


def test_mixed_kinds_are_text_with_counts(tmp_path: Path, read_units: Units) -> None:
    read = read_units(write(tmp_path, [{"a": 1}, {"a": "x"}, {"a": True}, {"a": None}, {"a": 2.5}]))[""]
    assert types(read) == {"a": "text"}
    assert rows(read) == [["1"], ["x"], ["True"], [None], ["2.5"]]
    assert "2 number, 1 text, 1 boolean" in warnings(read, "a")


def test_numbers_are_exact(tmp_path: Path, read_units: Units) -> None:
    document = [
        {"big": 12345678901234567890, "stamp": 1600000000000000, "whole": 1.0, "l": [2**60]},
        {"big": 1, "stamp": None, "whole": None, "l": None},
    ]
    read = read_units(write(tmp_path, document))[""]
    assert types(read) == {"big": "text", "stamp": "integer", "whole": "integer", "l": "json"}
    assert rows(read)[0][:2] == ["12345678901234567890", 1600000000000000]
    assert "2^53" in warnings(read, "big")


def test_late_keys_have_their_fill_rate(tmp_path: Path, read_units: Units) -> None:
    lines = [json.dumps({"a": n}) for n in range(30_000)]
    lines[25_000] = json.dumps({"a": 1, "late": {"k": {"deep": "x"}}})
    read = read_units(write(tmp_path, "\n".join(lines), "a.jsonl"))[""]
    assert types(read) == {"a": "integer", "late.k.deep": "text"}
    assert "late.k.deep (1 of 30,000), first in record 25,001" in warnings(read)
    assert warnings(read_units(write(tmp_path, [{"a": 1}, {"a": 2}]))[""]) == ""


def test_objects_and_null_in_one_key_leave_no_empty_column(tmp_path: Path, read_units: Units) -> None:
    read = read_units(write(tmp_path, [{"who": None, "n": 1}, {"who": {"name": "x"}, "n": 2}]))[""]
    assert types(read) == {"n": "integer", "who.name": "text"}


def test_keys_with_dots_do_not_overwrite_each_other(tmp_path: Path, read_units: Units) -> None:
    for document in ([{"a.b": 1, "a": {"b": 2}}], [{"a.b": 1}, {"a": {"b": 2}}]):
        read = read_units(write(tmp_path, document))[""]
        assert types(read) == {"a.b": "integer", "a": "json"}


def test_very_deep_and_very_wide_records(tmp_path: Path, read_units: Units) -> None:
    deep: Any = 1
    for _ in range(80):
        deep = {"k": deep}
    assert types(read_units(write(tmp_path, [{"a": 1, "d": deep}]))[""]) == {"a": "integer", "d.k": "json"}
    wide = [{"id": n, "by": {f"k{n}_{m}": 1 for m in range(400)}} for n in range(3)]
    assert types(read_units(write(tmp_path, wide))[""]) == {"id": "integer", "by": "json"}
    path = write(tmp_path, '{"a": ' * 300 + "1" + "}" * 300)
    assert read_units(path)[""].unit.kind == "text"
    assert "nested too deeply" in reason(write(tmp_path, "[" * 100_000))


def test_names_are_made_unique_and_writable(tmp_path: Path, read_units: Units) -> None:
    read = read_units(write(tmp_path, '[{"": 1, "k\\ud800": "x\\udc00y"}]'))[""]
    assert types(read) == {"Unnamed: 0": "integer", "k\ufffd": "text"}
    assert rows(read) == [[1, "x\ufffdy"]]
    assert "lone surrogates" in warnings(read)
    read = read_units(write(tmp_path, '[{"a": "\\ud83d\\ude00"}]'))[""]
    assert rows(read) == [["😀"]]
    assert warnings(read) == ""


# --- what JSON does not allow, and how the text is written ----------------------------------------------


def test_duplicate_keys_and_unknown_constants_are_reported(tmp_path: Path, read_units: Units) -> None:
    text = '[{"a": 1, "a": 2, "b": NaN, "c": true, "d": "x"}, {"a": 3, "b": Infinity, "c": NaN, "d": NaN}]'
    read = read_units(write(tmp_path, text))[""]
    assert types(read) == {"a": "integer", "b": "number", "c": "boolean", "d": "text"}
    assert rows(read) == [[2, None, True, "x"], [3, float("inf"), None, None]]
    assert "'a' (1)" in warnings(read)
    assert "NaN (3), Infinity (1)" in warnings(read)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_encodings(tmp_path: Path, read_units: Units, encoding: str) -> None:
    content = json.dumps([{"stadt": "Köln"}, {"stadt": "Zürich"}], ensure_ascii=False).encode(encoding)
    read = read_units(write(tmp_path, content))[""]
    assert rows(read) == [["Köln"], ["Zürich"]]
    assert list(types(read)) == ["stadt"]


def test_packed(tmp_path: Path, read_units: Units) -> None:
    text = b'{"a": 1}\n{"a": 2}\n'
    write(tmp_path, gzip.compress(text), "a.jsonl.gz")
    write(tmp_path, bz2.compress(json.dumps([{"a": 1}, {"a": 2}]).encode()), "a.json.bz2")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("inner.jsonl", text)
    for name in ("a.jsonl.gz", "a.json.bz2", "a.zip"):
        (read,) = read_units(tmp_path / name).values()
        assert rows(read) == [[1], [2]], name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("not json", "line 1, column 1"),
        ('{\n // settings\n "a": 1}', "line 2, column 2"),
        ('{"a": 1,\n "b": 2,\n}', "a comma too many before } at line 3, column 1"),
        ('{"a": 1', "the text ends at line 1, column 8"),
        ('{"a": "x', "the text ends inside a value at line 1, column 9"),
        ('{"a": 1} and more', "something follows the JSON document"),
        ('var data = [{"a": 1}]', "line 1, column 1"),
    ],
)
def test_text_that_is_no_json_says_where(tmp_path: Path, text: str, said: str) -> None:
    assert said in reason(write(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "expected", "line", "said"),
    [
        ('{"d": {"l": [{"a": 1},\n{"a": 2},\n{"a": "x', [[1], [2]], 3, "the text ends inside a value"),
        ('[{"a": 1},\n{"a": 2},\n]', [[1], [2]], 3, "a comma too many"),
        ('[{"a": 1},\n{"a": 2},\n{"a": x},\n{"a": 4}]', [[1], [2]], 3, "expecting value"),
        ('{"a": 1,\n"b": {}}\n{"a": 2}\n{"a": ', [[1], [2]], 4, "the text ends"),
        ('{"l": [{"a": 1}, {"a": 2}], "m": [', [[1], [2]], 1, "the text ends"),
    ],
)
def test_a_document_that_breaks_off_keeps_what_was_read(
    tmp_path: Path, read_units: Units, text: str, expected: list[list[int]], line: int, said: str
) -> None:
    (read,) = read_units(write(tmp_path, text)).values()
    assert rows(read) == expected
    (rejected,) = read.unit.rejected
    assert rejected.line == line
    assert said in rejected.reason
    assert not read.unit.coverage.complete


def test_a_document_cut_inside_a_character(tmp_path: Path, read_units: Units) -> None:
    whole = json.dumps([{"a": "é"}, {"a": "ü"}], ensure_ascii=False).encode()
    read = read_units(write(tmp_path, whole[: whole.index("ü".encode()) + 1]))[""]
    assert rows(read) == [["é"]]
    assert read.unit.rows_rejected == 1


# --- lines ----------------------------------------------------------------------------------------------


def test_lines_of_rows_and_of_one_record(tmp_path: Path, read_units: Units) -> None:
    read = read_units(write(tmp_path, '["k", "n"]\n["x", 1]\n["y", 2]\n', "a.jsonl"))[""]
    assert (list(types(read)), rows(read)) == (["k", "n"], [["x", 1], ["y", 2]])
    assert rows(read_units(write(tmp_path, '{"a": 1}', "b.jsonl"))[""]) == [[1]]
    assert rows(read_units(write(tmp_path, json.dumps([{"a": 1}], indent=1), "c.jsonl"))[""]) == [[1]]


def test_lines_without_a_telling_name(tmp_path: Path, read_units: Units) -> None:
    assert rows(read_units(write(tmp_path, '{"a": 1}\n{"a": 2}\n', "a.txt"))[""]) == [[1], [2]]
    (read,) = read_units(write(tmp_path, "[Verse 1]\nLa la\n[Verse 2]\nLa\n", "b.txt")).values()
    assert read.unit.kind == "text"


def test_bad_lines_and_inner_lists(tmp_path: Path, read_units: Units) -> None:
    lines = ['{"n": 1, "l": [{"x": 1}, {"x": 2}]}', "{broken", "", "7", '{"n": 2, "l": [{"x": 3}]}', '{"n"']
    units = read_units(write(tmp_path, "\n".join(lines), "a.jsonl"))
    unit = units[""].unit
    assert [row.line for row in unit.rejected] == [2, 4, 6]
    assert (unit.rows, unit.rows_in_file, unit.rows_skipped) == (2, 6, 1)
    assert rows(units["/*/l"]) == [[1, 1], [1, 2], [2, 3]]


# --- long documents -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "unit"),
    [
        ([{"a": n, "s": "x" * 50} for n in range(300)], ""),
        ({"meta": {"v": 1}, "skip": [1, 2], "rows": [{"a": n, "s": "é"} for n in range(300)]}, "/rows"),
        ({f"k{n}": {"a": n} for n in range(300)}, ""),
        ({"columns": ["a", "b"], "data": [[n, "x"] for n in range(300)]}, ""),
    ],
)
def test_a_long_document_is_read_value_by_value(
    tmp_path: Path, read_units: Units, monkeypatch: pytest.MonkeyPatch, document: Any, unit: str
) -> None:
    path = write(tmp_path, document)
    expected = read_units(path)[unit]
    monkeypatch.setattr(json_records, "_WHOLE_UP_TO", 1_000)
    monkeypatch.setattr(json_records, "_SAMPLED", 20)
    monkeypatch.setattr("lakebook.sources.formats.nested.json_stream._CHUNK", 64)
    monkeypatch.setattr("lakebook.sources.formats.nested.json_text._CHUNK", 64)
    file = peek(path, path.name)
    profiler = profiler_for(file)
    assert profiler is not None
    (part,) = profiler.units(file)
    reading = profiler.profile(part, Budget())
    assert reading.unit == unit
    assert reading.table is not None
    assert reading.table.blocks is not None
    assert reading.account is not None
    got = [row for batch in reading.table.blocks() for row in batch.to_pylist()]
    assert [list(row.values()) for row in got] == rows(expected)
    assert reading.account().rows == len(got) == reading.account().rows_in_file
    assert rows(read_units(path)[unit]) == rows(expected)  # described from blocks, loaded by the same code


def test_a_value_beyond_the_limit_is_refused_with_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, [{"a": "x" * 5_000}])
    monkeypatch.setattr(json_records, "_WHOLE_UP_TO", 1_000)
    monkeypatch.setattr("lakebook.sources.formats.nested.json_stream.LONGEST_VALUE", 2_000)
    monkeypatch.setattr("lakebook.sources.formats.nested.json_stream._CHUNK", 64)
    monkeypatch.setattr("lakebook.sources.formats.nested.json_text._CHUNK", 64)
    assert "the limit" in reason(path)


def test_a_budget_of_rows(tmp_path: Path) -> None:
    path = write(tmp_path, [{"a": n} for n in range(100)])
    file = peek(path, path.name)
    profiler = profiler_for(file)
    assert profiler is not None
    (part,) = profiler.units(file)
    reading = profiler.profile(part, Budget(rows=10))
    assert reading.table is not None
    assert reading.table.rows == 10
    assert reading.left_out == "only the first 10 rows were read"

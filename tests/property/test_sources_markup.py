"""Any HTML or XML is read without a crash: rows add up, and load code gives the same tables."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.sources.profile import profile_lake, table_file
from lakebook.sources.scan import scan
from tests.unit.sources.conftest import assert_loads_as_stored, run_load_code

TEXTS = st.one_of(
    st.text(alphabet="abZé <&;\"'\n1.,-", max_size=8),
    st.sampled_from(["", "1", "2,000", "007", "2020-01-31", "n/a", "true", "5 %", "&b;"]),
)
NAMES = st.sampled_from(["a", "b", "item", "row", "id", "text", "p", "x:y"])


def check(content: bytes, name: str) -> None:
    """Profile one file; every table equals what its load code gives, and its rows add up."""
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder) / "lake", Path(folder) / "state"
        root.mkdir()
        (root / name).write_bytes(content)
        card = profile_lake(root, scan(root), state).cards[0]
        assert card.status == "ok" or card.reason
        for unit in card.units:
            assert unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped
            if unit.kind == "table":
                stored = pd.read_parquet(io.BytesIO(table_file(state, card, unit).read_bytes()))
                assert_loads_as_stored(run_load_code(unit.load_code, root), stored)


@st.composite
def elements(draw: st.DrawFn, depth: int = 0) -> str:
    name = draw(NAMES)
    attributes = draw(st.dictionaries(st.sampled_from(["k", "id", "b"]), TEXTS, max_size=2))
    shown = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    parts = [escape(draw(TEXTS))]
    if depth < 3:
        parts += draw(st.lists(elements(depth + 1), max_size=3))
    parts.append(escape(draw(TEXTS)))
    return f"<{name}{shown}>{''.join(parts)}</{name}>"


@settings(max_examples=100, deadline=None)
@given(st.lists(elements(), max_size=5), st.floats(0.5, 1.2))
def test_any_xml_cut_anywhere(inside: list[str], share: float) -> None:
    content = f'<?xml version="1.0"?><d xmlns:x="urn:x">{"".join(inside)}</d>'.encode()
    check(content[: int(share * len(content))], "a.xml")


@st.composite
def cells(draw: st.DrawFn) -> str:
    tag = draw(st.sampled_from(["td", "td", "td", "th"]))
    spans = draw(st.dictionaries(st.sampled_from(["colspan", "rowspan"]), st.integers(-1, 4), max_size=2))
    shown = "".join(f' {name}="{value}"' for name, value in spans.items())
    inside = draw(st.sampled_from(["{}", "<b>{}</b>", "{}<br>x", "<p>{}</p>", "<script>{}</script>"]))
    return f"<{tag}{shown}>{inside.format(escape(draw(TEXTS)))}</{tag}>"


@settings(max_examples=120, deadline=None)
@given(st.lists(st.lists(cells(), max_size=4), max_size=8), st.floats(0.5, 1.2), st.booleans())
def test_any_html_table_cut_anywhere(lines: list[list[str]], share: float, has_head: bool) -> None:
    rows = ["<tr>" + "".join(line) + "</tr>" for line in lines]
    head = f"<thead>{rows[0]}</thead>" if has_head and rows else ""
    content = f"<!doctype html><html><body><h1>T</h1><table>{head}{''.join(rows)}</table></html>".encode()
    check(content[: int(share * len(content))], "a.html")

"""Passages of a document: ranking, context, and what is cut."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lakebook.exploration.passages import FoundPassages, find_passages
from lakebook.sources.card import SourceCard, SourceUnit
from lakebook.sources.profile import text_file

UNIT = SourceUnit("", "text", "t")
CARD = SourceCard("a.md", "ok", "text", 1, "0" * 64, units=(UNIT,))
WORTH = {"revenue": 2.0, "tax": 1.0}


def find(state: Path, passages: Sequence[tuple[str, str, str]], **worth: float) -> FoundPassages:
    columns = {
        name: [one[place] for one in passages] for place, name in enumerate(("position", "heading", "text"))
    }
    file = text_file(state, CARD, UNIT)
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), file)
    return find_passages(CARD, UNIT, state, worth or WORTH)


def test_the_rarest_words_come_first(tmp_path: Path) -> None:
    found = find(
        tmp_path,
        [("line 1", "", "The tax is the tax of tax"), ("line 3", "", "Revenue counts"), ("line 5", "", "No")],
    )
    assert [passage.position for passage in found.passages] == ["line 3", "line 1"]
    assert found.coverage == "all 3 passages"
    assert found.omitted == ()


def test_a_list_comes_with_the_line_before_it_and_not_with_what_follows(tmp_path: Path) -> None:
    found = find(
        tmp_path,
        [
            ("line 1", "", "How it is defined:"),
            ("lines 3-4", "", "- revenue net\n- after returns"),
            ("line 6", "", "Unrelated words."),
        ],
    )
    assert found.passages[0].position == "lines 1-4"
    assert found.passages[0].text == "How it is defined:\n\n- revenue net\n- after returns"


def test_a_line_that_announces_comes_with_what_it_announces(tmp_path: Path) -> None:
    found = find(tmp_path, [("page 1", "", "Revenue is:"), ("page 2", "", "| a | b |"), ("page 2", "", "x")])
    assert (found.passages[0].position, found.passages[0].text) == (
        "page 1; page 2",
        "Revenue is:\n\n| a | b |",
    )


def test_headings_count(tmp_path: Path) -> None:
    found = find(tmp_path, [("line 1", "Other", "sums"), ("line 9", "Revenue", "sums")])
    assert [passage.position for passage in found.passages] == ["line 9"]


def test_cuts_and_further_passages_are_said(tmp_path: Path) -> None:
    long = "revenue " * 400
    found = find(tmp_path, [("line 1", "", long), *((f"line {n}", "", "tax") for n in range(2, 7))])
    assert found.passages[0].text.endswith("[…]")
    assert len(found.passages[0].text) < 1_300
    assert found.omitted == (
        "line 1: cut after 1,200 of 3,200 characters",
        "4 more passages hold words of the question",
    )


def test_a_text_that_is_not_kept_is_said(tmp_path: Path) -> None:
    found = find_passages(CARD, UNIT, tmp_path, WORTH)
    assert found.passages == ()
    assert "not kept" in found.omitted[0]

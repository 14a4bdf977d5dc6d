"""Passages: whole enough to be understood, short enough to be shown, none across sections."""

from __future__ import annotations

from lakebook.sources.formats.documents.passages import Block, Piece, cut, titles


def block(kind, *texts, start=1, **more):
    pieces = tuple(Piece(start + n, start + n, text) for n, text in enumerate(texts))
    return Block(kind, pieces, **more)


SENTENCE = "The harbour had twelve cranes of which nine were in use in spring. "


def test_headings_lead_to_the_passages_below_them():
    blocks = [
        block("heading", "A", level=1),
        block("paragraph", "one", start=2),
        block("heading", "B", start=3, level=2),
        block("paragraph", "two", start=4),
        block("heading", "C", start=5, level=2),
        block("paragraph", "three", start=6),
        block("heading", "D", start=7, level=1),
    ]
    found = [(passage.heading, passage.text, passage.position) for passage in cut(blocks, "line")]
    assert found == [
        ("A", "one", "line 2"),
        ("A > B", "two", "line 4"),
        ("A > C", "three", "line 6"),
        ("D", "D", "line 7"),
    ]
    assert titles(blocks) == ("A", "B", "C", "D")


def test_a_section_that_only_holds_sections_needs_no_passage_of_its_own():
    blocks = [
        block("heading", "A", level=1),
        block("heading", "B", level=2),
        block("paragraph", "x", start=3),
    ]
    assert [passage.heading for passage in cut(blocks, "line")] == ["A > B"]


def test_short_paragraphs_are_joined_and_long_ones_cut_at_sentences():
    short = [block("paragraph", "Short one.", start=n) for n in range(1, 6)]
    assert [passage.position for passage in cut(short, "line")] == ["lines 1-5"]
    found = list(cut([block("paragraph", SENTENCE * 100)], "page"))
    assert all(300 <= len(passage.text) <= 1200 for passage in found[:-1])
    assert all(passage.text.endswith(".") for passage in found)
    assert " ".join(passage.text for passage in found) == (SENTENCE * 100).strip()


def test_text_without_blanks_is_cut_too():
    found = list(cut([block("paragraph", "x" * 5000)], "line"))
    assert "".join(passage.text for passage in found) == "x" * 5000
    assert max(len(passage.text) for passage in found) <= 1200


def test_a_list_keeps_the_line_that_introduces_it():
    filler = block("paragraph", SENTENCE * 5)
    intro = block("paragraph", "These count as sales:", start=2)
    items = block("list", "- orders", "- returns, negative", start=3)
    found = list(cut([filler, intro, items], "line"))
    assert [passage.position for passage in found] == ["line 1", "lines 2-4"]
    assert found[1].text.startswith("These count as sales:")


def test_every_part_of_a_long_list_repeats_the_introduction_and_cuts_no_item():
    intro = block("paragraph", "The codes are:")
    items = [f"- code {n}: " + "what it means " * 10 for n in range(40)]
    found = list(cut([intro, block("list", *items, start=3)], "line"))
    assert len(found) > 3
    assert all(passage.text.startswith("The codes are:") for passage in found)
    assert found[0].position.startswith("lines 1-")
    assert found[1].position.startswith("lines ")
    assert "1-" not in found[1].position.split()[1][:2]
    lines = [line for passage in found for line in passage.text.splitlines() if line.startswith("- ")]
    assert lines == items


def test_every_part_of_a_long_table_repeats_its_header():
    rows = [f"| {n} | {'x' * 100} |" for n in range(50)]
    table = block("table", "| a | b |", "|---|---|", *rows, lead=2)
    found = list(cut([table], "line"))
    assert len(found) > 3
    assert all(passage.text.startswith("| a | b |\n|---|---|\n| ") for passage in found)
    assert sum(passage.text.count("xxx |") for passage in found) == 50

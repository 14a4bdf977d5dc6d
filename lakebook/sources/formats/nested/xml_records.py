"""XML: repeated elements are records, every set of them is a unit named by its path; the rest is text.

How elements are read and become records stands in `xml_tree`, workbooks written as XML in `xml_workbook`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import lxml.etree as etree

from lakebook.errors import SourceError
from lakebook.sources.formats.documents.passages import Block, Piece, cut
from lakebook.sources.formats.nested.json_shapes import Row, Stray
from lakebook.sources.formats.nested.record_tables import RecordTable, Tally, read_table, with_inner
from lakebook.sources.formats.nested.xml_tree import (
    STATEMENTS,
    Node,
    Path,
    Records,
    elements,
    name_of,
    survey,
    text_of,
)
from lakebook.sources.formats.opened import opened
from lakebook.sources.load_code import literals
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

_NAMES = ".xml .rss .atom .kml .gpx .osm .gml .rdf .opml .tmx .xlf .tei .gexf .graphml"
_SUFFIXES = frozenset(_NAMES.split())
# Programs, drawings and descriptions of other data: XML that holds none itself.
_FOREIGN_ROOTS = (
    "svg stylesheet transform schema definitions html project beans Configuration plist resources"
)
_FOREIGN = frozenset(_FOREIGN_ROOTS.split())
_ROOT = re.compile(rb"<(?![?!])(?:[\w.-]+:)?([\w.-]+)")
_ENTITIES = "it declares entities of its own, which are not expanded, for safety"
_LONG = 32 * 1024 * 1024
_MOST_TABLES = 50
_TEXT_LIMIT = 16 * 1024 * 1024


class XmlRecords:
    """Reads XML documents that hold records or text."""

    format = "xml"

    def can_read(self, file: Peek) -> bool:
        """Return True for XML, except what only programs read."""
        is_xml = file.magic == "xml" or (
            file.magic == "text"
            and file.suffix in _SUFFIXES
            and file.head.lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n")[:1] == b"<"
        )
        return is_xml and (file.suffix in _SUFFIXES or not file.suffix) and not is_foreign(file)

    def units(self, file: Peek) -> Iterator[Part]:
        """Find the sets of records in the document."""
        with file.open() as stream:
            found = survey(stream)
        tables = found.tables()
        if found.problem and not tables:
            raise SourceError(f"not XML: {found.problem}.", where=file.relative)
        if not tables:
            yield Part(file, content=_as_text(file))
            return
        attributes = (("root", found.name),)
        is_first = True
        for number, (path, node) in enumerate(tables[:_MOST_TABLES], start=1):
            is_last = number == len(tables[:_MOST_TABLES])
            broken = None
            if found.problem and is_last:
                said = f"not XML from here on: {found.problem}; what follows was not read"
                broken = Stray(found.line, said, "")
            table = _table(
                file, path, node, attributes, broken, is_first=is_first, is_cut=bool(found.problem)
            )
            yield from with_inner(table)
            is_first = False
        if len(tables) > _MOST_TABLES:
            yield Part(
                file, content=Reading(problem=f"only the first {_MOST_TABLES} sets of records were read")
            )

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one set of records, or the text that the document is."""
        if isinstance(part.content, Reading):
            return part.content
        table: RecordTable = part.content
        return read_table(table, budget)


def is_foreign(file: Peek) -> bool:
    """Return True for XML that is a drawing, a program, settings, or describes other data."""
    root = _ROOT.search(re.sub(rb"<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", b"", file.head, flags=re.S))
    return root is not None and root[1].decode("ascii", "replace") in _FOREIGN


def _table(
    file: Peek,
    path: Path,
    node: Node,
    attributes: tuple[tuple[str, str], ...],
    broken: Stray | None,
    *,
    is_first: bool,
    is_cut: bool,
) -> RecordTable:
    dressed = {path[-1]} if node.has_parts else set()
    maker = Records(frozenset(node.lists()), frozenset({*dressed, *node.dressed()}))

    def rows(_: Tally) -> Iterator[Row]:
        with file.open() as stream:
            for element in elements(stream, path):
                yield maker.record(element)

    def opening(exact: bool, tally: Tally) -> list[str]:
        whole = None
        if is_cut:
            with file.open() as stream:
                whole = sum(1 for _ in elements(stream, path))
        return _statements(file, path, maker, whole)

    return RecordTable(
        "/" + "/".join(path),
        file,
        rows,
        opening,
        warnings=(_ENTITIES,) if b"<!ENTITY" in file.head else (),
        attributes=attributes,
        broken=broken,
        is_long=file.size > _LONG,
        is_first=is_first,
        is_text=True,
    )


def _statements(file: Peek, path: Path, maker: Records, whole: int | None) -> list[str]:
    """Return the statements that bind `records`; of a text that breaks off, the whole ones."""
    imports, line = opened(file)
    steps = "".join(f"/*[name()='{name}']" for name in path)
    options = "resolve_entities=False" + ("" if whole is None else ", recover=True")
    taken = "" if whole is None else f"[:{whole}]"
    return [
        "import html",
        "import lxml.etree as etree",
        *imports,
        f"{line}\n    tree = etree.parse(file, etree.XMLParser({options}))",
        f'elements = tree.xpath("{steps}"){taken}',
        f"lists = set({literals(sorted(maker.lists))})",
        f"dressed = set({literals(sorted(maker.dressed))})",
        *(f"\n{statement}\n" if statement.startswith("def ") else statement for statement in STATEMENTS),
    ]


def _as_text(file: Peek) -> Reading:
    """Return a document without records as text: a paragraph for every element that holds text."""
    with file.open() as stream:
        content = stream.read(_TEXT_LIMIT + 1)
    if len(content) > _TEXT_LIMIT:
        raise SourceError(
            f"no records were found in it, and text of more than {_TEXT_LIMIT >> 20} MB is not read.",
            where=file.relative,
        )
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    root = etree.fromstring(content, parser)
    lines = list(islice(_lines(root, ()), 100_000))
    pieces = [Piece(number, number, text) for number, text in enumerate(lines, start=1)]
    blocks = [Block("paragraph", (piece,)) for piece in pieces]
    return Reading(
        text_length=sum(map(len, lines)),
        headings=tuple(name_of(part) for part in root if isinstance(part.tag, str))[:200],
        passages=tuple(cut(blocks, "element")),
        attributes=(("root", name_of(root)),),
    )


def _lines(element: Any, path: Path) -> Iterator[str]:
    """Yield "path: text" for every element with text of its own, and for every attribute."""
    here = (*path, name_of(element))
    for key, value in element.attrib.items():
        yield f"{'/'.join(here[1:]) or here[0]}@{etree.QName(key).localname}: {value}"
    parts = [part for part in element if isinstance(part.tag, str)]
    own = (element.text or "") + "".join(part.tail or "" for part in element)
    if own.strip() or not parts:
        text = " ".join(text_of(element).split())
        if text:
            yield f"{'/'.join(here[1:]) or here[0]}: {text}"
        return
    for part in parts:
        yield from _lines(part, here)

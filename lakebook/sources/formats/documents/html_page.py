"""An HTML page as a tree without what no reader sees, and its text in blocks.

Tables as data are the matter of `html_tables`; cutting blocks into passages that of `passages`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from typing import Any

import lxml.etree
import lxml.html

from lakebook.errors import SourceError
from lakebook.sources.encoding import detect
from lakebook.sources.formats.documents.passages import Block, Piece
from lakebook.sources.formats.opened import opened
from lakebook.sources.peek import Peek

LIMIT = 64 * 1024 * 1024
Element = Any  # lxml has no types of its own

_UNSEEN = (
    "//script | //style | //noscript | //template"
    ' | //sup[contains(@class, "reference")] | //span[contains(@class, "mw-editsection")]'
    ' | //*[contains(translate(@style, " ", ""), "display:none")]'
)
_ENDS = ("br", "p", "div", "li", "dd", "dt")
_DROPPED = frozenset({"head", "svg", "math", "iframe", "object", "select", "textarea", "button"})
_INLINE_TAGS = (
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img input ins kbd label mark q s samp "
    "small span strike strong sub sup time tt u var wbr"
)
_INLINE = frozenset(_INLINE_TAGS.split())
_STRUCTURE = ".//h1 | .//h2 | .//h3 | .//h4 | .//h5 | .//h6 | .//table | .//pre"
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)


def encoding_of(file: Peek) -> tuple[str, str, str]:
    """Return encoding, what to do with bytes that do not fit, and a warning if it is a guess.

    A page that is not UTF-8 is what it says it is; only a page that says nothing is guessed.
    """
    found = detect(file)
    if not found.warning:
        return found.name, "", ""
    declared = _CHARSET.search(file.head)
    if declared and (name := _codec(declared[1].decode("ascii", "replace"))):
        return name, "replace", ""
    return found.name, "" if found.errors == "strict" else found.errors, found.warning


def _codec(label: str) -> str:
    """Return Python's codec for a label; browsers read both of these Western ones as cp1252."""
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return ""
    return "cp1252" if name in ("iso8859-1", "ascii") else "" if name.startswith("utf") else name


def read_page(file: Peek, encoding: str, errors: str) -> Element:
    """Return the page without what no reader sees.

    Raises:
        SourceError: it is too large, or there is nothing in it.
    """
    with file.open() as stream:
        content = stream.read(LIMIT + 1)
    if len(content) > LIMIT:
        raise SourceError(f"an HTML page of more than {LIMIT >> 20} MB is not read.", where=file.relative)
    text = content.decode(encoding, errors or "strict").replace("\0", "")
    parser = lxml.html.HTMLParser(encoding="utf-8")
    try:
        page = lxml.html.document_fromstring(text.encode(), parser)
    except (lxml.etree.LxmlError, AssertionError, ValueError) as error:
        raise SourceError(f"the page cannot be read ({error}).", where=file.relative) from error
    for unseen in page.xpath(_UNSEEN):
        if unseen.getparent() is not None:
            unseen.drop_tree()
    for end in page.iter(*_ENDS):
        end.tail = " " + (end.tail or "")
    return page


def page_statements(file: Peek, encoding: str, errors: str) -> list[str]:
    """Return the statements that bind `page` as `read_page` does."""
    imports, line = opened(file, encoding, errors)
    unseen = " |".join(f"\n    {part.strip()}" for part in _UNSEEN.split("|"))
    return [
        "import lxml.html",
        *imports,
        f'{line}\n    content = file.read().replace("\\0", "").encode()',
        'page = lxml.html.document_fromstring(content, lxml.html.HTMLParser(encoding="utf-8"))',
        f'unseen = """{unseen}\n"""',
        "for element in page.xpath(unseen):\n"
        "    if element.getparent() is not None:\n"
        "        element.drop_tree()",
        f"for element in page.iter({', '.join(repr(tag) for tag in _ENDS)}):\n".replace("'", '"')
        + '    element.tail = " " + (element.tail or "")',
    ]


def plain(element: Element) -> str:
    """Return an element's text in one line."""
    return " ".join(str(element.text_content()).split())


def title_of(page: Element) -> str:
    """Return the page's title, "" if it has none."""
    titles = page.xpath("//title")
    return plain(titles[0])[:200] if titles else ""


def blocks_of(page: Element, tables: dict[Element, Sequence[Sequence[str]]]) -> list[Block]:
    """Return the page's text in blocks, in reading order.

    Args:
        page: the page.
        tables: cells of the tables that hold data; others are read through.
    """
    reader = _Reader(tables)
    for body in page.xpath("//body") or [page]:
        reader.read(body)
    reader.end_paragraph()
    return reader.blocks


class _Reader:
    """Walks through a page; text between two block elements is a paragraph."""

    def __init__(self, tables: dict[Element, Sequence[Sequence[str]]]) -> None:
        self.blocks: list[Block] = []
        self._tables = tables
        self._text: list[str] = []
        self._number = 0

    def read(self, element: Element) -> None:
        tag = element.tag
        if not isinstance(tag, str) or tag in _DROPPED:
            return
        if re.fullmatch("h[1-6]", tag):
            self._add("heading", [plain(element)], level=int(tag[1]))
        elif element in self._tables:
            self._add("table", [" | ".join(line) for line in self._tables[element]], lead=1)
        elif tag in ("ul", "ol", "dl") and not element.xpath(_STRUCTURE):
            self._add("list", list(_items(element)))
        elif tag == "pre":
            self._add("code", str(element.text_content()).splitlines())
        else:
            self._read_inside(element, is_inline=tag in _INLINE)

    def end_paragraph(self) -> None:
        text = " ".join("".join(self._text).split())
        self._text = []
        if text:
            self._add("paragraph", [text])

    def _read_inside(self, element: Element, *, is_inline: bool) -> None:
        if not is_inline:
            self.end_paragraph()
        self._text.append(element.text or "")
        for child in element:
            self.read(child)
            self._text.append(child.tail or "")
        if not is_inline:
            self.end_paragraph()

    def _add(self, kind: Any, texts: Sequence[str], level: int = 0, lead: int = 0) -> None:
        if self._text:
            self.end_paragraph()
        texts = [text for text in texts if text.strip()]
        if not texts:
            return
        self._number += 1
        pieces = tuple(Piece(self._number, self._number, text) for text in texts)
        self.blocks.append(Block(kind, pieces, level, min(lead, len(pieces) - 1)))


def _items(element: Element) -> Iterator[str]:
    """Yield the items of a list, those of lists inside them indented."""
    for item in element.iter("li", "dt", "dd"):
        inner = item.xpath("./ul | ./ol | ./dl")
        texts = [item.text or ""]
        for child in item:
            if child not in inner:
                texts.append(plain(child) if isinstance(child.tag, str) else "")
            texts.append(child.tail or "")
        text = " ".join(" ".join(texts).split())
        depth = sum(1 for above in item.iterancestors("ul", "ol", "dl")) - sum(
            1 for above in element.iterancestors("ul", "ol", "dl")
        )
        if text:
            yield f"{'  ' * (depth - 1)}- {text}"

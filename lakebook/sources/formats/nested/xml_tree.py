"""XML read element by element, and what its elements repeat: records are siblings with the same name.

Entities are not expanded, nothing is fetched, and no parser limit is lifted. Which records become tables is
decided by `xml_records`.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any

import lxml.etree as etree

from lakebook.errors import SourceError

Element = Any  # lxml has no types of its own
Path = tuple[str, ...]

_MOST_PATHS = 20_000
_ENOUGH_TEXTS = 10
# Elements that are records even where there is only one.
_RECORDS = frozenset({"item", "entry", "row", "record"})
_PROSE = frozenset(
    {"p", "para", "section", "chapter", "ul", "ol", "li", "listitem", "itemizedlist", "subsection"}
)

# How load code makes records of `elements`, given the sets `lists` and `dressed`; `Records` does the same.
STATEMENTS = (
    """def name_of(element):
    local = etree.QName(element).localname
    return f"{element.prefix}:{local}" if element.prefix else local""",
    """def text_of(element):
    text = element.text or ""
    for part in element:
        if part.tag is etree.Entity:
            text += html.unescape(part.text)
        elif isinstance(part.tag, str):
            text += text_of(part)
        text += part.tail or ""
    return text""",
    """def value_of(element):
    parts = [part for part in element if isinstance(part.tag, str)]
    own = (element.text or "") + "".join(part.tail or "" for part in element)
    is_plain = not parts or bool(own.strip())
    if is_plain and not element.attrib:
        text = text_of(element).strip() or None
        return {"text": text} if text and name_of(element) in dressed else text
    names = [name_of(part) for part in parts]
    found = {}
    for key, content in element.attrib.items():
        key = etree.QName(key).localname
        found[f"@{key}" if key in names else key] = content or None
    if is_plain:
        if text := text_of(element).strip():
            found["#text" if "text" in found else "text"] = text
        return found
    for name, part in zip(names, parts):
        if name in lists:
            found.setdefault(name, []).append(value_of(part))
        else:
            found[name] = value_of(part)
    return found""",
    """records = [value_of(element) for element in elements]
records = [
    record if isinstance(record, dict) else {name_of(element): record}
    for element, record in zip(elements, records)
]""",
)


@dataclass(slots=True)
class Node:
    """What was seen at one path.

    Attributes:
        count: so many elements. most: so many in one parent at most.
        has_parts: one has attributes or elements inside.
        inner: what stands inside, by name.
    """

    count: int = 0
    most: int = 0
    has_parts: bool = False
    inner: dict[str, Node] = field(default_factory=dict)

    def lists(self) -> Iterator[str]:
        """Yield the names of what stands several times in one parent, at any depth below."""
        for name, node in self.inner.items():
            if node.most >= 2:
                yield name
            yield from node.lists()

    def dressed(self) -> Iterator[str]:
        """Yield the names of what has attributes or elements inside, at any depth below."""
        for name, node in self.inner.items():
            if node.has_parts:
                yield name
            yield from node.dressed()


@dataclass(frozen=True, slots=True)
class Survey:
    """A document's root with all paths below it, and where the text breaks off ("" if nowhere)."""

    name: str
    root: Node
    problem: str = ""
    line: int = 0

    def tables(self) -> list[tuple[Path, Node]]:
        """Return the paths of records, outer ones first; nothing is looked for inside a record.

        A text marked up for readers has none: its paragraphs and list items repeat as well.
        """
        counts = Counter({self.name: 1})
        _count(self.root, counts)
        prose = sum(count for name, count in counts.items() if name.lower() in _PROSE)
        return [] if prose >= 0.2 * counts.total() else list(_tables(self.root, (self.name,)))


def _count(node: Node, counts: Counter[str]) -> None:
    for name, inner in node.inner.items():
        counts[name] += inner.count
        _count(inner, counts)


def _tables(node: Node, path: Path) -> Iterator[tuple[Path, Node]]:
    for name, inner in node.inner.items():
        is_record = inner.has_parts and (inner.most >= 2 or name in _RECORDS)
        if is_record or inner.most >= _ENOUGH_TEXTS:
            yield (*path, name), inner
        elif inner.has_parts:
            yield from _tables(inner, (*path, name))


def _events(stream: IO[bytes]) -> Any:
    return etree.iterparse(
        stream,
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
    )


def name_of(element: Element) -> str:
    """Return an element's name as the document writes it: `dc:creator`."""
    local = etree.QName(element).localname
    return f"{element.prefix}:{local}" if element.prefix else str(local)


def survey(stream: IO[bytes]) -> Survey:
    """Walk through a document once."""
    top = Node()
    path: list[tuple[Node, Counter[str]]] = [(top, Counter())]
    paths = 0
    problem, line = "", 0
    events = _events(stream)
    try:
        for event, element in events:
            if event == "end":
                node, _ = path.pop()
                node.has_parts = node.has_parts or bool(element.attrib)
                forget(element)
                continue
            name = name_of(element)
            parent, seen = path[-1]
            paths += name not in parent.inner
            if paths > _MOST_PATHS:
                raise SourceError(f"its elements have more than {_MOST_PATHS:,} different paths.")
            node = parent.inner.setdefault(name, Node())
            node.count += 1
            seen[name] += 1
            node.most = max(node.most, seen[name])
            parent.has_parts = True
            path.append((node, Counter()))
    except etree.XMLSyntaxError as error:
        problem, line = _problem(error, events)
    for name, root in top.inner.items():
        return Survey(name, root, problem, line)
    return Survey("", Node(), problem or "there is no element in it", line)


def _problem(error: etree.XMLSyntaxError, events: Any) -> tuple[str, int]:
    """Return what the parser says and at which line; it may know more than its exception does."""
    entry = events.error_log.last_error
    message = error.msg or "not XML"
    line, column = error.position
    if entry is not None and not line:
        message, line, column = entry.message, entry.line, entry.column
    message = message.partition(", line")[0]
    return f"{message} at line {line:,}, column {column:,}", line


def forget(element: Element) -> None:
    """Free an element that was read, and its elder siblings."""
    element.clear(keep_tail=True)
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def elements(stream: IO[bytes], path: Path) -> Iterator[Element]:
    """Yield the elements at a path, one by one; where the text breaks off they end."""
    here: list[str] = []
    try:
        for event, element in _events(stream):
            if event == "start":
                here.append(name_of(element))
                continue
            depth = len(here)
            if depth == len(path) and tuple(here) == path:
                yield element
            here.pop()
            if depth <= len(path) or tuple(here[: len(path)]) != path:
                forget(element)
    except etree.XMLSyntaxError:
        return


@dataclass(frozen=True, slots=True)
class Records:
    """Makes records of elements: attributes and elements inside become members.

    Attributes:
        lists: names that may stand several times in one element, so that they are always lists.
        dressed: names that may have attributes or elements inside, so that their text is always a member.
    """

    lists: frozenset[str]
    dressed: frozenset[str]

    def record(self, element: Element) -> dict[str, Any]:
        """Return an element as a record."""
        value = self._value(element)
        return value if isinstance(value, dict) else {name_of(element): value}

    def _value(self, element: Element) -> Any:
        parts = [part for part in element if isinstance(part.tag, str)]
        own = (element.text or "") + "".join(part.tail or "" for part in element)
        is_plain = not parts or bool(own.strip())
        if is_plain and not element.attrib:
            text = text_of(element).strip() or None
            return {"text": text} if text and name_of(element) in self.dressed else text
        names = [name_of(part) for part in parts]
        found: dict[str, Any] = {}
        for key, content in element.attrib.items():
            key = etree.QName(key).localname
            found[f"@{key}" if key in names else key] = content or None
        if is_plain:
            if text := text_of(element).strip():
                found["#text" if "text" in found else "text"] = text
            return found
        for name, part in zip(names, parts, strict=True):
            if name in self.lists:
                found.setdefault(name, []).append(self._value(part))
            else:
                found[name] = self._value(part)
        return found


def text_of(element: Element) -> str:
    """Return the text in an element; entities that HTML knows are what they stand for, others stay."""
    text: str = element.text or ""
    for part in element:
        if part.tag is etree.Entity:
            text += html.unescape(part.text)
        elif isinstance(part.tag, str):
            text += text_of(part)
        text += part.tail or ""
    return text

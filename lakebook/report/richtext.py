"""Safe rich text: HTML of unknown origin, parsed into a small tree that holds only what may be shown.

Every format is written from this tree, never from the original text, so a script, a style, an event handler
or a remote picture has no way into a report. What is not on the white list is dropped; its text stays,
except for elements whose text is not for readers.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


BLOCKS = _names(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table thead tbody tfoot tr th td caption blockquote pre hr div "
    "figure figcaption details summary"
)
INLINE = _names("a em strong b i u s del ins sup sub code kbd mark small abbr span br img")
VOID = _names("br hr img")
_SILENT = _names(
    "script style iframe object applet noscript template title head svg math select textarea button "
    "audio video canvas form noembed noframes xmp plaintext frameset"
)
_SILENT_VOID = _names("input link meta base source track wbr area param frame embed")
_CLASS = re.compile(r"[a-z]{1,3}[0-9]?")
_LINK = re.compile(r"(?:https?://|mailto:|#)", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_DATA_IMAGE = re.compile(r"data:image/(png|jpeg|gif|webp|svg\+xml);base64,([A-Za-z0-9+/=\s]+)")
_INVISIBLE = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\ufeff]")
_DEEPEST = 60
# End tags that HTML allows to leave out: what a start tag ends, and how far up it looks.
_ENDED_BY: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (_names("li p"), _names("ul ol div blockquote td th")),
    "dt": (_names("dt dd p"), _names("dl div td th")),
    "dd": (_names("dt dd p"), _names("dl div td th")),
    "p": (_names("p"), _names("div li blockquote td th dd")),
    "tr": (_names("tr td th"), _names("table")),
    "td": (_names("td th"), _names("table tr")),
    "th": (_names("td th"), _names("table tr")),
}


@dataclass(slots=True, eq=False)
class Element:
    """A node of the tree: tag, safe attributes, children that are elements or text; equal only to itself."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    def walk(self) -> Iterator[Element]:
        """Yield this element and all below it, in document order."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def text(self) -> str:
        """Return all text below, as it is read."""
        return "".join(
            child if isinstance(child, str) else ("\n" if child.tag == "br" else child.text())
            for child in self.children
        )

    def find(self, *tags: str) -> list[Element]:
        """Return the elements below that have one of these tags, in document order."""
        return [element for element in self.walk() if element is not self and element.tag in tags]


ResolveImage = Callable[[str], str]


def parse_html(text: str, resolve_image: ResolveImage | None = None) -> Element:
    """Parse HTML of unknown origin into a safe tree whose root is a `div`.

    Args:
        text: the HTML; it need not be well-formed.
        resolve_image: turns the `src` of a picture into a data URI, "" if it cannot.
    """
    parser = _SafeParser(resolve_image)
    parser.feed(text)
    parser.close()
    return parser.root


class _SafeParser(HTMLParser):
    def __init__(self, resolve_image: ResolveImage | None) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("div")
        self._open = [self.root]
        self._silent: list[str] = []
        self._resolve_image = resolve_image

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT_VOID:
            return
        if tag in _SILENT or self._silent:
            self._silent.append(tag)
            return
        if tag not in BLOCKS and tag not in INLINE:
            return
        given = {name: value or "" for name, value in attrs}
        if tag == "img":
            self._add_image(given)
            return
        if tag in _ENDED_BY:
            self._close_unended(tag)
        if tag not in VOID and len(self._open) >= _DEEPEST:
            return
        element = Element(tag, _safe_attributes(tag, given))
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID and tag not in _SILENT_VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            if tag in self._silent:
                del self._silent[len(self._silent) - 1 - self._silent[::-1].index(tag) :]
            return
        for depth in range(len(self._open) - 1, 0, -1):
            if self._open[depth].tag == tag:
                del self._open[depth:]
                return
            if self._open[depth].tag in ("td", "th", "table") and tag not in (
                "tr",
                "table",
                "tbody",
                "thead",
            ):
                return

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._open[-1].children.append(data)

    def _close_unended(self, tag: str) -> None:
        """Close the outermost element that this start tag ends."""
        ended, fence = _ENDED_BY[tag]
        outermost = 0
        for depth in range(len(self._open) - 1, 0, -1):
            if self._open[depth].tag in ended:
                outermost = depth
            elif self._open[depth].tag in fence:
                break
        if outermost:
            del self._open[outermost:]

    def _add_image(self, given: dict[str, str]) -> None:
        source, alt = given.get("src", ""), given.get("alt", "")
        if not is_safe_image(source) and self._resolve_image:
            source = self._resolve_image(source)
        if is_safe_image(source):
            self._open[-1].children.append(Element("img", {"src": source, "alt": alt}))
        else:
            self._open[-1].children.append(
                Element("em", {}, [f"[picture left out: {alt or 'not embedded'}]"])
            )


def _safe_attributes(tag: str, given: dict[str, str]) -> dict[str, str]:
    safe = {}
    if tag == "a" and is_safe_link(given.get("href", "")):
        safe["href"] = given["href"].strip()
    if tag == "a" and (name := given.get("id") or given.get("name")):
        safe["id"] = name
    if tag == "span" and _CLASS.fullmatch(given.get("class", "")):
        safe["class"] = given["class"]
    if tag in ("td", "th"):
        safe |= {key: given[key] for key in ("colspan", "rowspan") if given.get(key, "").isdigit()}
        side = re.search(r"text-align:\s*(left|right|center)", given.get("style", "")) or re.fullmatch(
            r"(left|right|center)", given.get("align", "")
        )
        safe |= {"align": side.group(1)} if side else {}
    if tag == "ol" and given.get("start", "").isdigit():
        safe["start"] = given["start"]
    return safe


def is_safe_link(target: str) -> bool:
    """Return True for web, mail, fragment and relative links; never for javascript: and the like."""
    plain = _INVISIBLE.sub("", html.unescape(target))
    return (
        bool(plain) and (bool(_LINK.match(plain)) or not _SCHEME.match(plain)) and not plain.startswith("//")
    )


def is_safe_image(source: str) -> bool:
    """Return True for a picture that is wholly inside its data URI."""
    match = _DATA_IMAGE.fullmatch(source.strip())
    if not match:
        return False
    try:
        base64.b64decode(match.group(2), validate=False)
    except binascii.Error:
        return False
    return True


def to_html(node: Element | str) -> str:
    """Write the tree as HTML; text and attribute values are escaped."""
    if isinstance(node, str):
        return html.escape(node, quote=False)
    attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in node.attributes.items())
    if node.tag in VOID:
        return f"<{node.tag}{attributes}>"
    return f"<{node.tag}{attributes}>{inner_html(node)}</{node.tag}>"


def inner_html(node: Element) -> str:
    """Write what is inside an element as HTML."""
    return "".join(to_html(child) for child in node.children)

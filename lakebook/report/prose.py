"""Markdown cells and highlighted code as safe rich text, read the way Jupyter reads them."""

from __future__ import annotations

import html
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from lakebook.report.richtext import Element, parse_html

_CLAIM_LINKS = re.compile(r" ?<sup>\[[^\]]*\]\(#Where-every-number-comes-from\)</sup>")


class _Renderer(IPythonRenderer):  # type: ignore[misc]
    """Jupyter's renderer, but pictures keep their address: what is shown is decided later."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Write a picture as it is named; an attachment that is missing is no error."""
        return f'<img src="{html.escape(url)}" alt="{html.escape(text)}">'


def render_markdown(source: str, attachments: Mapping[str, Mapping[str, str]] | None = None) -> Element:
    """Render a Markdown cell; pictures come from its attachments or its own data URIs only."""
    renderer = _Renderer(escape=False, exclude_anchor_links=True)
    rendered: str = MarkdownWithMath(renderer=renderer).render(source)

    def attached(target: str) -> str:
        bundle = (attachments or {}).get(target.removeprefix("attachment:"), {})
        return next((f"data:{mime};base64,{data}" for mime, data in bundle.items()), "")

    return parse_html(rendered, attached)


def render_code(source: str, language: str = "python") -> Element:
    """Highlight code; spans carry pygments' short class names."""
    with warnings.catch_warnings():
        # A language that is not known is shown plain, which needs no warning.
        warnings.simplefilter("ignore", UserWarning)
        highlighted: Any = Highlight2HTML(pygments_lexer=language)(source)
    return parse_html(str(highlighted))


def without_claim_links(source: str) -> str:
    """Return an insight's Markdown without the links to its claims, where each number gets one of its own."""
    return _CLAIM_LINKS.sub("", source)


def mark_claims(root: Element, mentions: Sequence[tuple[str, str]]) -> None:
    """Put a superscript link to its claim after each number or word that a claim carries.

    A claim whose words are not found as they are is linked at the end of the text.

    Args:
        root: is changed in place.
        mentions: (claim id, words shown) in the order of the text.
    """
    places = _text_places(root)
    paragraphs = [child for child in root.children if isinstance(child, Element)]
    start = 0
    for claim, shown in mentions:
        # Claims mostly stand in the order of the text; one that does not is looked for from the top.
        found = _find(places, shown, start) or _find(places, shown, 0)
        if found is not None:
            start = _mark(places, *found, claim)
        elif paragraphs:
            paragraphs[-1].children.append(_claim_link(claim))


def _claim_link(claim: str) -> Element:
    link = Element("a", {"href": f"#claim-{claim}", "class": "claim"}, [claim_number(claim)])
    return Element("sup", {}, [link])


def claim_number(claim: str) -> str:
    """Return the number by which a text points to a claim: c012 -> 12."""
    return claim.lstrip("c0") or claim


def _text_places(root: Element) -> list[tuple[Element, int]]:
    """Return where text stands that may be marked: not in code, links or headings."""
    if root.tag in ("code", "pre", "sup", "a", "h1", "h2", "h3", "h4", "h5", "h6"):
        return []
    places = []
    for index, child in enumerate(root.children):
        places += [(root, index)] if isinstance(child, str) else _text_places(child)
    return places


def _find(places: list[tuple[Element, int]], shown: str, start: int) -> tuple[int, int] | None:
    """Return the first place from `start` on that holds the words, and where they end in it."""
    if not shown:
        return None
    pattern = re.compile(rf"(?<!\w){re.escape(shown)}(?!\w|[.,]\d)", re.IGNORECASE)
    for position in range(start, len(places)):
        element, index = places[position]
        if match := pattern.search(str(element.children[index])):
            return position, match.end()
    return None


def _mark(places: list[tuple[Element, int]], position: int, end: int, claim: str) -> int:
    """Put the link in, and return the position of the text after it."""
    element, index = places[position]
    text = str(element.children[index])
    element.children[index : index + 1] = [text[:end], _claim_link(claim), text[end:]]
    later = [(other, at + 2 if other is element else at) for other, at in places[position + 1 :]]
    places[position:] = [(element, index), (element, index + 2), *later]
    return position + 1

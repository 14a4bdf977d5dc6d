"""Markdown cells and highlighted code as safe rich text, read the way Jupyter reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from lakebook.report.richtext import Element, parse_html

_CLAIM_LINKS = re.compile(r" ?<sup>\[[^\]]*\]\(#Where-every-number-comes-from\)</sup>")


def render_markdown(source: str, attachments: Mapping[str, Mapping[str, str]] | None = None) -> Element:
    """Render a Markdown cell; pictures come from its attachments or its own data URIs only."""
    renderer = IPythonRenderer(escape=False, exclude_anchor_links=True)
    rendered: str = MarkdownWithMath(renderer=renderer).render(source)

    def attached(target: str) -> str:
        bundle = (attachments or {}).get(target.removeprefix("attachment:"), {})
        return next((f"data:{mime};base64,{data}" for mime, data in bundle.items()), "")

    return parse_html(rendered, attached)


def render_code(source: str, language: str = "python") -> Element:
    """Highlight code; spans carry pygments' short class names."""
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
    for claim, shown in mentions:
        if not (shown and _mark(places, claim, shown)) and paragraphs:
            paragraphs[-1].children.append(_claim_link(claim))


def _claim_link(claim: str) -> Element:
    number = claim.lstrip("c0") or claim
    return Element("sup", {}, [Element("a", {"href": f"#claim-{claim}", "class": "claim"}, [number])])


def _text_places(root: Element) -> list[tuple[Element, int]]:
    """Return where text stands that may be marked: not in code, links or headings."""
    if root.tag in ("code", "pre", "sup", "a", "h1", "h2", "h3", "h4", "h5", "h6"):
        return []
    places = []
    for index, child in enumerate(root.children):
        places += [(root, index)] if isinstance(child, str) else _text_places(child)
    return places


def _mark(places: list[tuple[Element, int]], claim: str, shown: str) -> bool:
    pattern = re.compile(rf"(?<![\w]){re.escape(shown)}(?!\w|[.,]\d)", re.IGNORECASE)
    for position, (element, index) in enumerate(places):
        text = element.children[index]
        match = pattern.search(text) if isinstance(text, str) else None
        if match is None or not isinstance(text, str):
            continue
        element.children[index : index + 1] = [text[: match.end()], _claim_link(claim), text[match.end() :]]
        # What stands before this claim cannot hold the next one: texts are walked in reading order.
        shifted = [(e, i + 2) if e is element and i > index else (e, i) for e, i in places[position + 1 :]]
        places[:] = [(element, index + 2), *shifted]
        return True
    return False

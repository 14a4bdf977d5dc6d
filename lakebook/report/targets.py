"""Where links inside a report lead: headings get ids, and Jupyter's fragments are mapped to them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

from lakebook.report.richtext import Element

_HEADINGS = ("h1", "h2", "h3", "h4")


class HeadingTargets:
    """The headings of a report in order, each with an id that is unique in it."""

    def __init__(self) -> None:
        self.headings: list[tuple[int, str, str]] = []
        self._by_fragment: dict[str, str] = {}
        self._taken: set[str] = set()

    def add(self, body: Element) -> None:
        """Give every heading and named place in the text its id."""
        for element in body.walk():
            if element.tag in _HEADINGS:
                text = " ".join(element.text().split())
                target = self._unique(_slug(text))
                element.attributes["id"] = target
                self.headings.append((int(element.tag[1]), text, target))
                for fragment in (text.replace(" ", "-"), text.replace(" ", "-").lower(), _slug(text)):
                    self._by_fragment.setdefault(fragment, target)
            elif "id" in element.attributes:
                name = element.attributes["id"]
                element.attributes["id"] = self._unique(f"at-{_slug(name)}")
                self._by_fragment.setdefault(name, element.attributes["id"])

    def _unique(self, wish: str) -> str:
        target, number = wish, 2
        while target in self._taken:
            target, number = f"{wish}-{number}", number + 1
        self._taken.add(target)
        return target

    def find(self, heading: str) -> tuple[str, str]:
        """Return the text and id of a heading, ("", "") if there is none of that text."""
        return next(((text, target) for _, text, target in self.headings if text == heading), ("", ""))

    def resolve(self, bodies: Iterable[Element]) -> None:
        """Point links at the ids; a link to a place that the report does not have loses its target."""
        for body in bodies:
            for element in body.walk():
                href = element.attributes.get("href", "")
                if not href.startswith("#") or href.startswith("#claim-"):
                    continue
                target = self._by_fragment.get(unquote(href[1:]))
                if target:
                    element.attributes["href"] = f"#{target}"
                elif unquote(href[1:]) == "Where-every-number-comes-from":
                    element.attributes["href"] = "#claims"
                else:
                    del element.attributes["href"]


def _slug(text: str) -> str:
    return re.sub(r"[^\w]+", "-", text.lower()).strip("-")[:80] or "part"

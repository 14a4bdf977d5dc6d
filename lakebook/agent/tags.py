"""A reply cut into sections by its action tags (DA-Studio's protocol), whatever a model wrote around them.

What belongs here: where sections begin and end. What their text means is read in `protocol`. Any text can be
cut; nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast, get_args

Tag = Literal["Analyze", "Understand", "Code", "Execute", "Answer", "Ask"]
TAGS: tuple[Tag, ...] = get_args(Tag)

LONGEST = 100_000  # letters of a reply that are read
_NAMES = {tag.lower(): tag for tag in TAGS}
_TAG = re.compile(rf"<\s*(/?)\s*({'|'.join(TAGS)})\b[^<>\n]*>", re.IGNORECASE)
# Tags and fences that share a line are put on lines of their own.
_JOINED = re.compile(r"(?<=>)[ \t]*(?=(?:```|~~~))|(?<=```)[ \t]*(?=<)|(?<=~~~)[ \t]*(?=<)")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
# Between backticks; and HTML's own `code` within a sentence.
_QUOTED = re.compile(r"`[^`\n]+`|(?<=[\w,.:(] )<code>[^\n]*?</code>")
_ALONE = re.compile(rf"^\s*<\s*/?\s*(?:{'|'.join(TAGS)})\s*>\s*$", re.IGNORECASE | re.MULTILINE)
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a reply; `tag` is None outside all tags, `closed` False if the end was missing."""

    tag: Tag | None
    text: str
    closed: bool = True


def sections(reply: str) -> tuple[Section, ...]:
    """Cut a reply into its sections, in order, those without text left out.

    A missing closing tag ends where the next section begins, or with the reply. A tag that opens what is open
    already, or closes what is not, is passed over. Tags in closed code fences and between backticks are text.
    What a thinking model writes between <think> tags is dropped. So is everything from a written <Execute>
    on: results are not a model's to write, and what follows them rests on them.
    """
    text = _JOINED.sub("\n", _THOUGHT.sub("", reply[:LONGEST].rpartition("</think>")[2]))
    found: list[Section] = []
    open_tag: Tag | None = None
    start = 0
    for match in _tags(text):
        tag = _NAMES[match.group(2).lower()]
        closes = bool(match.group(1))
        before = text[start : match.start()]
        if closes and tag == open_tag:
            found.append(Section(tag, before.strip()))
            open_tag, start = None, match.end()
        elif not closes and (tag != open_tag or before.strip()):
            found.append(Section(open_tag, before.strip(), closed=open_tag is None))
            open_tag, start = tag, match.end()
        elif not closes:
            start = match.end()
        else:
            # A stray closing tag: what stands before it belongs to the open section all the same.
            text = text[: match.start()] + " " * len(match.group()) + text[match.end() :]
        if open_tag == "Execute":
            break
    else:
        found.append(Section(open_tag, text[start:].strip(), closed=open_tag is None))
    return tuple(section for section in found if section.text)


def _tags(text: str) -> Iterator[re.Match[str]]:
    """Yield the tags that are meant as tags."""
    masked = _masked(text)
    yield from _TAG.finditer(masked)


def _masked(text: str) -> str:
    """Blank out what is quoted, letter by letter, so that places stay.

    A fence with a line that is a tag and nothing else was not closed: its end is that of the next fence.
    """

    def blank(match: re.Match[str]) -> str:
        return match.group() if _ALONE.search(match.group()) else " " * len(match.group())

    return _QUOTED.sub(blank, _FENCE.sub(blank, text))


def tag(name: str, text: str) -> str:
    """Write a section."""
    return f"<{cast(Tag, name)}>\n{text}\n</{name}>"


def without_tags(text: str) -> str:
    """Return prose in which no tag is left, so that it can stand in a section."""
    return _TAG.sub(lambda match: f"[{match.group(2)}]", text).strip()

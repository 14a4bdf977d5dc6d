"""Quoting: text of data, notebooks and documents goes before a model between marks that it cannot close.

What belongs here: the marks and what is done to a text between them. An instruction in such a text is never
followed: nothing in this program reads it as one, and every prompt says so (design rule 5).
"""

from __future__ import annotations

import re

_MOST = 20_000
# Whatever looks like a mark of ours, like a tag that a reply is read by, or like a mark of a chat template.
_OPENS = re.compile(r"<(?=[A-Za-z/|!?<])|(?<=\|)>|\[(?=/?INST\])", re.IGNORECASE)
# Characters that show nothing: controls, marks that turn text around, tags that only a machine reads.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_ESCAPED = {"<": "&lt;", ">": "&gt;", "[": "&#91;"}


def plain(text: str) -> str:
    """Return a text in which nothing can close a fence, open a tag, or hide."""
    seen = _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _OPENS.sub(lambda match: _ESCAPED[match[0]], seen)


def one_line(text: str) -> str:
    """Return `plain` text on one line, for a name or a source."""
    return " ".join(plain(text).split()).replace('"', "'")


def quoted(text: str, source: str, most: int = _MOST) -> str:
    """Return a text between marks.

    Args:
        text: whatever it says, it is data.
        source: where it is from, in a few words.
        most: letters that are shown; how many were left out is said.
    """
    shown = plain(text)
    cut = len(shown) - most
    if cut > 0:
        shown = f"{shown[:most]}\n… {cut:,} more letters"
    return f'<data from="{one_line(source)}">\n{shown}\n</data>'

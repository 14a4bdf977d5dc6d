"""Secrets in notebooks, masked before anything else sees them: what is masked is never indexed or copied.

Known are the shapes of common keys and tokens, and literals that are stored under a name such as `password`.
A literal under such a name that reads like a word (`token = "word"`) is left, since it may be what a
computation works on.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MASK = "***"
_LONG = 20_000
_EMBEDDED = re.compile(r"(;base64,[A-Za-z0-9+/=]{200,})")

_SHAPES = (
    (
        "a private key",
        "-----BEGIN",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    ),
    ("an AWS key", "AKIA", r"\bAKIA[0-9A-Z]{16}\b"),
    ("an AWS key", "ASIA", r"\bASIA[0-9A-Z]{16}\b"),
    *(("a GitHub token", f"gh{sort}_", rf"\bgh{sort}_[A-Za-z0-9]{{30,}}") for sort in "opsur"),
    ("a GitHub token", "github_pat_", r"\bgithub_pat_\w{22,}"),
    ("a GitLab token", "glpat-", r"\bglpat-[\w-]{20,}"),
    ("an API key", "sk-", r"\bsk-(?=[\w-]*\d)[\w-]{20,}"),
    ("a payment key", "k_live_", r"\b[rs]k_live_[0-9A-Za-z]{16,}"),
    ("a payment key", "k_test_", r"\b[rs]k_test_[0-9A-Za-z]{16,}"),
    ("a Slack token", "xox", r"\bxox[abeprs]-[\w-]{10,}"),
    ("a Google key", "AIza", r"\bAIza[\w-]{35}"),
    ("a Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{30,}"),
    ("a signed token", "eyJ", r"\beyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]+)?"),
    ("a bearer token", "earer ", r"(?P<kept>[Bb]earer )[\w.~+/-]{16,}=*"),
    ("a password in an address", "@", r"(?P<kept>://[^\s:/@\"'{}<>]+:)[^\s@/\"'{}<>]+(?=@)"),
)
_KNOWN = tuple((kind, mark, re.compile(shape, re.S)) for kind, mark, shape in _SHAPES)
_MARKS = tuple(mark.encode() for _, mark, _ in _KNOWN)
_STEMS = (b"passw", b"passphrase", b"pwd", b"secret", b"credential", b"token")
_KEYS = (b"api", b"access", b"private", b"consumer", b"account", b"auth", b"subscription")
_BEFORE_KEY = (*_KEYS, *(word + b"_" for word in _KEYS))
_WORDS = (
    r"(?:passw(?:or)?d|passphrase|pwd|secret|credential"
    r"|(?:api|access|secret|private|consumer|account|auth|subscription)_?key|token)"
)
_STORED = re.compile(
    rf"""(?P<head>(?P<name>{_WORDS}s?\d?)
        (?:(?P<keyed>["']\s*:)|(?:["']\s*\])?\s*(?::\s*str\s*)?=(?!=))\s*[rbuf]?)
        (?P<quote>["'])(?P<value>[^"'\s]{{3,}})(?P=quote)""",
    re.X | re.I,
)
_NAME_BEFORE = re.compile(r"\w{0,40}\Z")


class Suspects(NamedTuple):
    """What kinds of secrets a text may hold.

    Attributes:
        shapes: of keys and tokens, as numbers.
        stored: something may be stored under a name such as `password`.
    """

    shapes: tuple[int, ...]
    stored: bool


def suspects(text: str) -> Suspects:
    """Return what may be in a text; nearly always nothing, so that whole notebooks are looked at first."""
    data = _without_pictures(text).encode("utf-8", "replace")  # twice as fast to search as text
    shapes = tuple(at for at, mark in enumerate(_MARKS) if mark in data)
    return Suspects(shapes, _may_store(data.lower()))


def masked(text: str, suspected: Suspects | None = None) -> tuple[str, tuple[str, ...]]:
    """Return text without its secrets, and what was masked, in words and without the secrets.

    Args:
        text: whatever may hold secrets.
        suspected: what may be in it, if that is known of the whole that it is a part of.
    """
    wanted = suspected if suspected is not None else suspects(text)
    if not any(wanted):
        return text, ()
    found: list[str] = []
    if len(text) < _LONG:
        return _masked(text, wanted, found), tuple(dict.fromkeys(found))
    parts = _EMBEDDED.split(text)  # pictures in the text are long and hold none
    safe = [_masked(part, wanted, found) if at % 2 == 0 else part for at, part in enumerate(parts)]
    return "".join(safe), tuple(dict.fromkeys(found))


def names_secret(name: str) -> bool:
    """Return True for the name of a column or variable that holds secrets."""
    return re.search(rf"(?:^|[\W_]){_WORDS}s?$", name, re.I) is not None


def _masked(text: str, wanted: Suspects, found: list[str]) -> str:
    for at in wanted.shapes:
        kind, mark, shape = _KNOWN[at]
        if mark in text:
            text, times = shape.subn(_hide, text)
            found.extend([kind] * times)
    if not wanted.stored or not _may_store(text.encode("utf-8", "replace").lower()):
        return text

    def hide_stored(match: re.Match[str]) -> str:
        if not _is_secret(match):
            return match[0]
        before = _NAME_BEFORE.search(match.string, max(0, match.start() - 40), match.start())
        found.append(f"the value of `{before[0] if before else ''}{match['name']}`")
        return f"{match['head']}{match['quote']}{MASK}{match['quote']}"

    return _STORED.sub(hide_stored, text)


def _without_pictures(text: str) -> str:
    return _EMBEDDED.sub("", text) if len(text) > _LONG and ";base64," in text else text


def _may_store(low: bytes) -> bool:
    """Return True if a text in small letters has a name that secrets are stored under."""
    if any(stem in low for stem in _STEMS):
        return True
    at = low.find(b"key")
    while at >= 0:
        if low.endswith(_BEFORE_KEY, 0, at):
            return True
        at = low.find(b"key", at + 3)
    return False


def _hide(match: re.Match[str]) -> str:
    return f"{match.groupdict().get('kept') or ''}{MASK}"


def _is_secret(match: re.Match[str]) -> bool:
    value, name = match["value"], match["name"].lower()
    if value == MASK:
        return False
    has_digit = any(sign.isdigit() for sign in value)
    if "token" in name:
        return has_digit and len(value) >= 16
    return has_digit and len(value) >= 6 if match["keyed"] else True

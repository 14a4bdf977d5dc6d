"""Secrets in notebooks, masked before anything else sees them: what is masked is never indexed or copied.

Known are the shapes of common keys and tokens, and literals that are stored under a name such as `password`.
A literal under such a name that reads like a word (`token = "word"`) is left, since it may be what a
computation works on.
"""

from __future__ import annotations

import re

MASK = "***"
_LONG = 20_000
_EMBEDDED = re.compile(r"(;base64,[A-Za-z0-9+/=]{200,})")

_SHAPES = (
    (
        "a private key",
        "-----begin",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    ),
    ("an AWS key", "akia", r"\bAKIA[0-9A-Z]{16}\b"),
    ("an AWS key", "asia", r"\bASIA[0-9A-Z]{16}\b"),
    ("a GitHub token", "gh", r"\bgh[opsur]_[A-Za-z0-9]{30,}"),
    ("a GitHub token", "github_pat_", r"\bgithub_pat_\w{22,}"),
    ("a GitLab token", "glpat-", r"\bglpat-[\w-]{20,}"),
    ("an API key", "sk-", r"\bsk-(?=[\w-]*\d)[\w-]{20,}"),
    ("a payment key", "k_live_", r"\b[rs]k_live_[0-9A-Za-z]{16,}"),
    ("a payment key", "k_test_", r"\b[rs]k_test_[0-9A-Za-z]{16,}"),
    ("a Slack token", "xox", r"\bxox[abeprs]-[\w-]{10,}"),
    ("a Google key", "aiza", r"\bAIza[\w-]{35}"),
    ("a Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{30,}"),
    ("a signed token", "eyj", r"\beyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]+)?"),
    ("a bearer token", "bearer ", r"(?P<kept>[Bb]earer )[\w.~+/-]{16,}=*"),
    ("a password in an address", "://", r"(?P<kept>://[^\s:/@\"'{}<>]+:)[^\s@/\"'{}<>]+(?=@)"),
)
_KNOWN = tuple((kind, mark, re.compile(shape, re.S)) for kind, mark, shape in _SHAPES)
_STEMS = ("passw", "passphrase", "pwd", "secret", "credential", "key", "token")
_MARKS = (*_STEMS, *(mark for _, mark, _ in _SHAPES))
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


def may_hold_secret(text: str) -> bool:
    """Return False for text that surely holds nothing that is masked; made for whole notebooks."""
    low = text.lower()
    return any(mark in low for mark in _MARKS)


def masked(text: str) -> tuple[str, tuple[str, ...]]:
    """Return text without its secrets, and what was masked, in words and without the secrets."""
    found: list[str] = []
    if len(text) < _LONG:
        return _masked(text, found), tuple(dict.fromkeys(found))
    parts = _EMBEDDED.split(text)  # pictures in the text are long and hold none
    safe = [_masked(part, found) if at % 2 == 0 else part for at, part in enumerate(parts)]
    return "".join(safe), tuple(dict.fromkeys(found))


def names_secret(name: str) -> bool:
    """Return True for the name of a column or variable that holds secrets."""
    return re.search(rf"(?:^|[\W_]){_WORDS}s?$", name, re.I) is not None


def _masked(text: str, found: list[str]) -> str:
    def hide_stored(match: re.Match[str]) -> str:
        if not _is_secret(match):
            return match[0]
        before = _NAME_BEFORE.search(match.string, max(0, match.start() - 40), match.start())
        found.append(f"the value of `{before[0] if before else ''}{match['name']}`")
        return f"{match['head']}{match['quote']}{MASK}{match['quote']}"

    low = text.lower()
    for kind, mark, shape in _KNOWN:
        if mark in low:
            text, times = shape.subn(_hide, text)
            found.extend([kind] * times)
    if any(stem in low for stem in _STEMS):
        text = _STORED.sub(hide_stored, text)
    return text


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

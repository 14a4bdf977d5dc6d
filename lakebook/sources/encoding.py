"""Find out in which encoding a text is written, from all of its bytes.

A mark or valid UTF-8 settles it. Anything else is a guess that says how sure it is: the lines with bytes
beyond ASCII are read in every likely encoding, and what looks most like words wins. No splitting here.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lakebook.sources.peek import HEAD_BYTES, Peek

_CHUNK = 8 << 20
_UNREADABLE = "\N{REPLACEMENT CHARACTER}"
_SAMPLE = 12_000
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# In order of how common they are in data files; the order decides between equal readings.
_CANDIDATES = (
    "cp1252",
    "cp1250",
    "cp1251",
    "gb18030",
    "cp932",
    "cp949",
    "big5",
    "euc_jp",
    "iso8859_2",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "koi8_r",
    "mac_roman",
    "cp850",
)
_WIDE = {"gb18030": "gb2312", "cp932": "euc_jp", "euc_jp": "euc_jp", "big5": "big5", "cp949": "euc_kr"}
# The lead byte at which the rare characters of each standard begin.
_RARE_FROM = {"gb2312": 0xD8, "euc_jp": 0xD0, "big5": 0xC9, "euc_kr": 0xCA}
_COMMON_LATIN = frozenset("éèêëàâáäãåçñíìîïóòôöõøúùûüßæœąćęłńśźżčďěňřšťůžýőűğışşţăâșț")
_PUNCTUATION = frozenset("€£¥°–—‘’“”„«»…®™©·•½¼¾²³µ±×§¿¡ºª\xa0")
_LANGUAGES = (
    frozenset("éèêëàâçîïôùûüœæ"),
    frozenset("äöüßéè"),
    frozenset("áéíóúñüãõâêôàçºª"),
    frozenset("àèéìòù"),
    frozenset("æøåäöé"),
    frozenset("áðéíóúýþæö"),
    frozenset("ąćęłńóśźż"),
    frozenset("áčďéěíňóřšťúůýžĺľŕôäđć"),
    frozenset("áéíóöőúüű"),
    frozenset("ăâîşţșț"),
    frozenset("çğıiöşüâîû"),
)
# Letters of a script with its vowels: words of consonants alone are another encoding misread.
_VOWELS = (
    ("\u0430", "\u045f", frozenset("аеёиоуыэюяіїє")),
    ("\u03ac", "\u03ce", frozenset("αεηιουωάέήίόύώ")),
)
_WORD = re.compile(r"[A-Za-z]*(?:[^\x00-\x7f]+[A-Za-z]*)+")
_PRIOR = 0.004
_CONVINCING = 0.5
_BETTER = 0.8
# UTF-8 is damaged, not refuted, where far more characters are sound than not.
_DAMAGED_BELOW = 0.2


@dataclass(frozen=True, slots=True)
class Encoding:
    """In which encoding to read a text.

    Attributes:
        warning: how sure that is, "" if it is certain.
        is_damaged: some bytes do not fit it; they are read as U+FFFD, and the warning says so.
    """

    name: str
    warning: str = ""
    is_damaged: bool = False

    @property
    def errors(self) -> str:
        """What to do with bytes that do not fit."""
        return "replace" if self.is_damaged else "strict"


def find_encoding(file: Peek) -> tuple[str, str]:
    """Return the encoding's name and, if it is a guess, a warning that says so."""
    found = detect(file)
    return found.name, found.warning


def detect(file: Peek, *, whole: bool = True) -> Encoding:
    """Find the encoding of a text.

    Args:
        file: the text.
        whole: look at all of its bytes, not only at the first.
    """
    head = file.head
    for mark, name in _MARKS:
        if head.startswith(mark):
            return _verified(file, name, "", whole)
    sample = head[:4096]
    if b"\x00" in sample and (wide := _wide(sample)):
        return _verified(file, wide, f"{wide.upper()} without a byte-order mark", whole)
    if _is_ascii(file, whole) or all(map(_is_utf8, _chunks(file, whole))):
        return Encoding("utf-8")
    return _guess(file, whole)


def _wide(sample: bytes) -> str:
    """Name UTF-16 or UTF-32 by where the zero bytes stand; "" if they are something else."""
    zeros = np.frombuffer(sample[: len(sample) // 4 * 4], np.uint8).reshape(-1, 4) == 0
    if not len(zeros):
        zeros = np.zeros((1, 4), bool)
    shares = zeros.mean(axis=0)
    if min(shares[1:]) > 0.5 and shares[0] < 0.5:
        return "utf-32-le"
    if min(shares[:3]) > 0.5 and shares[3] < 0.5:
        return "utf-32-be"
    little, big = sample[1::2].count(0), sample[0::2].count(0)
    half = max(1, len(sample) // 2)
    if max(little, big) > 0.3 * half and min(little, big) < 0.05 * half:
        return "utf-16-le" if little > big else "utf-16-be"
    return ""


def _chunks(file: Peek, whole: bool) -> Iterator[bytes]:
    """Yield the content in pieces that end at a line end (the last as it comes)."""
    if len(file.head) < HEAD_BYTES or not whole:
        cut = len(file.head) if len(file.head) < HEAD_BYTES else file.head.rfind(b"\n") + 1
        yield file.head[: cut or len(file.head)]
        return
    rest = b""
    with file.open() as stream:
        while chunk := stream.read(_CHUNK):
            chunk = rest + chunk if rest else chunk
            cut = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1 or len(chunk)
            while cut == len(chunk) and cut and chunk[cut - 1] >= 0x80 and len(chunk) - cut < 4:
                cut -= 1
            rest = chunk[cut:]
            yield chunk[:cut]
    if rest:
        yield rest


def _is_ascii(file: Peek, whole: bool) -> bool:
    """Look for the first byte beyond ASCII: quick where there is none, and soon over where there are many."""
    if not file.head.isascii():
        return False
    if len(file.head) < HEAD_BYTES or not whole:
        return True
    with file.open() as stream:
        while chunk := stream.read(1 << 20):
            if not chunk.isascii():
                return False
    return True


def _is_utf8(chunk: bytes) -> bool:
    if chunk.isascii():
        return True
    ends = pa.py_buffer(np.array([0, len(chunk)], np.int64))
    text = pa.Array.from_buffers(pa.large_string(), 1, [None, ends, pa.py_buffer(chunk)])
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _verified(file: Peek, name: str, warning: str, whole: bool) -> Encoding:
    if _fits(file, name, whole):
        return Encoding(name, warning)
    damage = f"some bytes are not {name}: they are shown as {_UNREADABLE}"
    return Encoding(name, f"{warning}; {damage}" if warning else damage, is_damaged=True)


def _fits(file: Peek, name: str, whole: bool) -> bool:
    decoder = codecs.getincrementaldecoder(name)()
    try:
        if len(file.head) < HEAD_BYTES or not whole:
            decoder.decode(file.head, final=len(file.head) < HEAD_BYTES)
            return True
        with file.open() as stream:
            while chunk := stream.read(_CHUNK):
                decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _guess(file: Peek, whole: bool) -> Encoding:
    sample = _strange_lines(file, whole)
    decoded = sample.decode("utf-8", errors="replace")
    damaged = decoded.count("\ufffd")
    sound = sum(character > "\x7f" for character in decoded) - damaged
    if damaged < _DAMAGED_BELOW * sound:
        note = f"almost all of it is UTF-8, but some bytes are not: they are shown as {_UNREADABLE}"
        return Encoding("utf-8", note, is_damaged=True)
    scores = _ranked(sample)
    for rank, (score, name) in enumerate(scores):
        if not _fits(file, name, whole):
            continue
        own = sample.decode(name)
        rivals = (other for other, rival in scores[rank + 1 :] if sample.decode(rival) != own)
        sure = _confidence(score, next(rivals, -1.0), sound + damaged)
        return Encoding(name, f"not UTF-8; read as {name}, which is a guess (confidence {sure:.2f})")
    return Encoding("latin-1", "not UTF-8; read as latin-1, which is a guess (confidence 0.30)")


def _strange_lines(file: Peek, whole: bool) -> bytes:
    """Return the first lines that hold bytes beyond ASCII."""
    found: list[bytes] = []
    size = 0
    for chunk in _chunks(file, whole):
        if chunk.isascii():
            continue
        for line in chunk.splitlines():
            if not line.isascii():
                found.append(line[:4000])
                size += len(found[-1])
                if size >= _SAMPLE:
                    return b"\n".join(found)
    return b"\n".join(found)


def _ranked(sample: bytes) -> list[tuple[float, str]]:
    """Return scores and encodings, best first; the usual one goes first unless another is clearly better."""
    scores = sorted(_scores(sample), key=lambda item: -item[0])
    usual = next((item for item in scores if item[1] == _CANDIDATES[0]), None)
    if usual and scores[0][0] < _CONVINCING and scores[0][0] < usual[0] + _BETTER:
        scores = [usual, *(item for item in scores if item is not usual)]
    return scores


def _scores(sample: bytes) -> Iterator[tuple[float, str]]:
    for rank, name in enumerate(_CANDIDATES):
        try:
            text = sample.decode(name)
        except UnicodeDecodeError:
            continue
        yield _likeness(text, name) - _PRIOR * rank, name


def _confidence(best: float, second: float, seen: int) -> float:
    """Return how sure the reading is: how good, how far before the next one, on how many characters."""
    margin = min(1.0, max(0.0, best - second) / 0.4)
    return round(
        max(0.05, min(0.99, (0.4 + 0.6 * margin) * max(0.2, min(1.0, best)) * seen / (seen + 0.5))), 2
    )


def _likeness(text: str, name: str) -> float:
    """Return how much the characters beyond ASCII look like parts of words, about -1..1."""
    words = _WORD.findall(text)
    fits = [
        _fit(character, word[index - 1 : index], word[index + 1 : index + 2], name)
        for word in words
        for index, character in enumerate(word)
        if character > "\x7f"
    ]
    if not fits:
        return 0.0
    strange = [character for word in words for character in word if character > "\x7f"]
    return sum(fits) / len(fits) + _language(strange)


def _language(characters: list[str]) -> float:
    """Return a bonus if the letters are those of one language, a malus if they cannot be spoken."""
    letters = [character.lower()[0] for character in characters if character.isalpha()]
    latin = [letter for letter in letters if _is_latin(letter)]
    bonus = 0.0
    if latin:
        covered = max(sum(letter in language for letter in latin) for language in _LANGUAGES)
        bonus += 0.4 * (covered / len(latin) - 1) * len(latin) / len(letters)
    for first, last, vowels in _VOWELS:
        script = [letter for letter in letters if first <= letter <= last]
        if len(script) > 3:
            share = sum(letter in vowels for letter in script) / len(script)
            bonus -= max(0.0, 0.25 - share) * 4 * len(script) / len(letters)
    return bonus


def _fit(character: str, before: str, after: str, name: str) -> float:
    """Return how well a character stands between its neighbours."""
    kind = unicodedata.category(character)
    if kind in ("Cc", "Cn", "Co"):
        return -1.0
    if name in _WIDE:
        return _fit_wide(character, before, after, name)
    if not kind.startswith("L"):
        inside = before.isalpha() and after.isalpha() and character not in "’·"
        return -1.0 if inside or character not in _PUNCTUATION else 0.8
    if character.isupper() and before.islower():
        return -1.0
    if character == "ς" and after.isalpha():
        return -1.0  # a final sigma within a word
    if not _is_latin(character):
        beside_ascii = (before + after).isascii() and (before + after).isalpha()
        return -0.5 if beside_ascii else 0.9
    if not (before + after).isalpha():
        return 0.4  # a letter that stands alone
    if min(before, after) > "\x7f":
        return 0.0
    return 0.9 if character.lower() in _COMMON_LATIN else 0.4


def _fit_wide(character: str, before: str, after: str, name: str) -> float:
    """Judge a character of an East Asian encoding: is it common, and among its like?"""
    if (before.isascii() and before.isalpha()) and (after.isascii() and after.isalpha()):
        return -1.0
    if "\uff61" <= character <= "\uff9f":  # half-width kana: what other encodings look like here
        return -0.3
    try:
        code = character.encode(_WIDE[name])
    except UnicodeEncodeError:
        return -0.6
    if len(code) != 2:
        return -0.6
    lone = 0.4 if before < "\x80" and after < "\x80" else 1.0
    if "\u3040" <= character <= "\u30ff":
        return lone if name in ("cp932", "euc_jp") else -0.2
    if "\uac00" <= character <= "\ud7a3":
        return lone if name == "cp949" else -0.2
    if not ("\u4e00" <= character <= "\u9fff"):
        return 0.3
    if name == "cp949":
        return -0.3
    return 0.9 * lone if code[0] < _RARE_FROM[_WIDE[name]] else -0.6


def _is_latin(character: str) -> bool:
    return unicodedata.name(character, "").startswith("LATIN") or character in "ªº"

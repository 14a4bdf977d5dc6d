"""The content of a text as UTF-8, in blocks of whole lines, to be taken whole or line by line.

Decoding and bounded memory live here. What the lines mean is decided by `delimited_rows`.
"""

from __future__ import annotations

import codecs
import itertools
import re
from collections import deque
from collections.abc import Iterator

from lakebook.errors import SourceError
from lakebook.sources.encoding import Encoding
from lakebook.sources.formats.delimited.records import physical_lines
from lakebook.sources.peek import Peek

_LONGEST_LINE = 64 << 20
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Feed:
    """The blocks of a text, taken whole or line by line."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._coming = next(blocks, b"")
        self._lines: deque[str] = deque()
        self.block = b""
        self.has_nul = False

    @property
    def is_last(self) -> bool:
        """No other block follows the one at hand."""
        return not self._coming

    @property
    def is_used_up(self) -> bool:
        """All lines of the block at hand were taken."""
        return not self._lines

    def fill(self) -> bool:
        """Have a block at hand; return False at the end of the text."""
        if self._lines:
            self.block = "".join(self._lines).encode()
            self._lines.clear()
        if not self.block:
            self._next()
        return bool(self.block)

    def use(self, size: int) -> None:
        """Take some bytes of the block; what is left is put before the next one."""
        rest = self.block[size:]
        self.block = b""
        if rest:
            self._next()
            self.block = rest + self.block

    def take(self, count: int) -> list[str]:
        """Take so many lines."""
        taken: list[str] = []
        while len(taken) < count and self.fill():
            end = 0
            for line in itertools.islice(_LINE.finditer(self.block), count - len(taken)):
                taken.append(line[0].decode())
                end = line.end()
            self.block = self.block[end:]
        return taken

    def lines(self) -> Iterator[str]:
        """Yield the lines of the block at hand, and then those of further blocks."""
        while self.fill():
            self.has_nul |= b"\x00" in self.block
            self._lines.extend(physical_lines(self.block.decode()))
            self.block = b""
            while self._lines:
                yield self._lines.popleft()

    def _next(self) -> None:
        self.block = self._coming
        self._coming = next(self._blocks, b"")


def utf8_blocks(file: Peek, encoding: Encoding, size: int) -> Iterator[bytes]:
    """Yield the content as UTF-8, in blocks of whole lines."""
    decoder = None
    if encoding.name not in ("utf-8", "utf-8-sig") or encoding.is_damaged:
        decoder = codecs.getincrementaldecoder(encoding.name)(encoding.errors)
    rest = b""
    is_first = True
    with file.open() as stream:
        while chunk := stream.read(size):
            if not decoder and chunk[-1:] != b"\n" and b"\n" in chunk:
                chunk += stream.readline(_LONGEST_LINE)
            chunk = decoder.decode(chunk).encode() if decoder else chunk
            block = rest + chunk if rest else chunk
            if is_first:
                block = block.removeprefix(codecs.BOM_UTF8)
                is_first = False
            # a "\r" at the very end may be half of a line end
            cut = max(block.rfind(b"\n"), block.rfind(b"\r", 0, -1)) + 1
            rest = block[cut:]
            if len(rest) > _LONGEST_LINE:
                size_shown = _LONGEST_LINE >> 20
                raise SourceError(f"it has a line of more than {size_shown} MB, which is no row of a table.")
            if cut:
                yield block[:cut]
    if decoder:
        rest += decoder.decode(b"", final=True).encode()
    if rest:
        yield rest

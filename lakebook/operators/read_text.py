"""The Read operator: passages of a document, or lines of a file as it stands in the lake (RADAR §3.1).

Passages come from what the profilers kept, lines from the file itself, by the path of its card and nothing
else. Whatever is read is data. Patterns are RE2, which takes time in proportion to the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lakebook.errors import OperatorError
from lakebook.operators.arguments import Read
from lakebook.operators.record import DataInput, Observation
from lakebook.operators.state import Ran, SharedState
from lakebook.sandbox.base import Json
from lakebook.sources.card import Coverage, SourceCard, SourceUnit
from lakebook.sources.profile import text_file
from lakebook.validation.nearest import fold

LETTERS = 8_000  # of all that one Read shows
LINE_LETTERS = 1_000
LINES = 100
MOST_LETTERS_READ = 20_000_000


def read_text(state: SharedState, operation: Read) -> Ran:
    """Return passages or lines, with how much of the source they are.

    Raises:
        OperatorError: there is no such source or passage, it is no text, or it was changed since it was read.
    """
    card, unit = state.find_source(operation.path)
    if not operation.span and unit is not None and unit.kind == "text":
        return _passages(state, operation, card, unit)
    if operation.position:
        documents = [one.unit or card.path for one in card.units if one.kind == "text"]
        hint = f"Its documents: {', '.join(documents)}." if documents else "Give span to read its raw lines."
        raise OperatorError(f"{operation.path} is no document with positions.", hint=hint)
    return _lines(state, operation, card)


def _passages(state: SharedState, operation: Read, card: SourceCard, unit: SourceUnit) -> Ran:
    file = text_file(state.kept, card, unit) if state.kept is not None else None
    if file is None or not file.is_file():
        raise OperatorError("its text is not kept.", where=operation.path, hint="Profile the folder again.")
    table = pq.read_table(file, columns=["position", "heading", "text"])
    every = [dict(row) for row in table.to_pylist()]
    wanted = every
    if operation.position:
        wanted = _at(every, operation.position)
        if not wanted:
            places = ", ".join(str(row["position"]) for row in every[:10])
            raise OperatorError(
                f"{operation.path} has nothing at {operation.position!r}.", hint=f"It begins with: {places}."
            )
    if operation.pattern:
        holding = _matching([str(row["text"]) for row in wanted], operation.pattern)
        wanted = [row for row, holds in zip(wanted, holding, strict=True) if holds]
    shown: list[Json] = []
    letters = 0
    for row in wanted:
        text = str(row["text"])[: max(LETTERS - letters, 0)]
        if not text and row["text"]:
            break
        letters += len(text)
        cut = len(text) < len(str(row["text"]))
        shown.append({"position": row["position"], "heading": row["heading"], "text": text, "cut": cut})
        if cut:
            break
    said = f"{len(shown):,} of {len(every):,} passages"
    if len(shown) < len(wanted):
        said += f"; {len(wanted) - len(shown):,} more fit"
    source = f"{card.path}#{unit.unit}" if unit.unit else card.path
    whole = len(shown) == len(every) and not any(isinstance(row, dict) and row["cut"] for row in shown)
    return _ran(source, card, {"passages": shown, "shown": said}, Coverage(whole, "" if whole else said))


def _at(passages: Sequence[dict[str, object]], position: str) -> list[dict[str, object]]:
    """Return the passages that stand there: by position, or all below a heading."""
    wanted = fold(position)
    exact = [row for row in passages if fold(str(row["position"])) == wanted]
    parts = {fold(part) for part in position.split(";")}
    return (
        exact
        or [row for row in passages if fold(str(row["heading"])) == wanted]
        or [row for row in passages if fold(str(row["position"])) in parts]
    )


def _matching(texts: Sequence[str], pattern: str) -> list[bool]:
    try:
        held = pc.match_substring_regex(pa.array(texts, pa.string()), pattern, ignore_case=True)
    except pa.ArrowInvalid as error:
        raise OperatorError(
            f"the pattern {pattern!r} is no regular expression.", hint=str(error).splitlines()[0]
        ) from error
    return [bool(value) for value in held.to_pylist()]


def _lines(state: SharedState, operation: Read, card: SourceCard) -> Ran:
    file = _raw_file(state, card)
    first, last = operation.span or (1, LINES)
    last = min(last, first + LINES - 1)
    shown: list[Json] = []
    letters, fitting, seen, taken, ended = 0, 0, 0, 0, True
    with file.open(encoding=card.encoding or "utf-8", errors="replace", newline=None) as stream:
        for numbers, texts, length in _blocks(stream):
            holding = _matching(texts, operation.pattern) if operation.pattern else [True] * len(texts)
            for number, text, holds in zip(numbers, texts, holding, strict=True):
                inside = operation.span is None or first <= number <= operation.span[1]
                if not (holds and inside):
                    continue
                fitting += 1
                fits = number <= last if not operation.pattern else len(shown) < LINES
                if fits and letters < LETTERS:
                    shown.append({"line": number, "text": text[:LINE_LETTERS]})
                    letters += len(text[:LINE_LETTERS])
            seen, taken = numbers[-1], taken + length
            searched = bool(operation.pattern) and operation.span is None
            if (not searched and seen >= last) or taken > MOST_LETTERS_READ:
                ended = not stream.read(1)
                break
    said = f"{len(shown):,} lines; the file was read to line {seen:,}{'' if not ended else ', its last'}"
    if operation.pattern:
        said += f"; {fitting:,} of them fit"
    whole = ended and len(shown) == seen and not operation.pattern
    return _ran(card.path, card, {"lines": shown, "shown": said}, Coverage(whole, "" if whole else said))


def _blocks(stream: TextIO) -> Iterator[tuple[range, list[str], int]]:
    """Give the lines in blocks, with their numbers and length; of a very long line only its start."""
    number, texts, length = 1, [], 0
    while line := stream.readline(10 * LINE_LETTERS):
        texts.append(line.rstrip("\n"))
        length += len(line)
        while not line.endswith("\n") and (line := stream.readline(1000 * LINE_LETTERS)):
            length += len(line)
        if len(texts) == LINES or length > MOST_LETTERS_READ:
            yield range(number, number + len(texts)), texts, length
            number, texts, length = number + len(texts), [], 0
    if texts:
        yield range(number, number + len(texts)), texts, length


def _raw_file(state: SharedState, card: SourceCard) -> Path:
    if state.root is None:
        raise OperatorError("the lake's files cannot be read here.", hint="Use Inspect or Query.")
    file = state.root / card.path
    if not file.is_file() or file.stat().st_size != card.bytes:
        raise OperatorError(
            "the file was changed since it was read.", where=card.path, hint="Map the lake again."
        )
    with file.open("rb") as stream:
        if b"\0" in stream.read(8192) and not (card.encoding or "").lower().startswith(("utf-16", "utf-32")):
            raise OperatorError(
                f"the file is no text ({card.format}).", where=card.path, hint="Use Inspect or Query."
            )
    return file


def _ran(source: str, card: SourceCard, result: Json, coverage: Coverage) -> Ran:
    return Ran(
        inputs=(DataInput(source, card.sha256),),
        observations=(Observation("text", source, result, coverage),),
        result=result,
    )

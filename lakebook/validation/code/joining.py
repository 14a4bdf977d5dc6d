"""Merging and stacking frames: which columns and rows result, and whether rows are repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from lakebook.validation.code.values import Field, Frame, Joined, Rows, names, new_labels

if TYPE_CHECKING:
    from lakebook.validation.code.method import Call


def joined(call: Call, left: Frame, right: Frame) -> Frame:
    """Return the frame that `left.merge(right, …)` makes; `call` holds the options after the right frame."""
    how = str(call.constant(1, "how", "inner"))
    pairs = key_pairs(call, left, right)
    if pairs is None:
        return Frame(
            {**right.fields, **left.fields}, False, Rows(tables=left.rows.tables + right.rows.tables)
        )
    for one, other in pairs:
        call.runs.column(call.node, left, one, "on")
        call.runs.column(call.node, right, other, "on")
    suffixes = call.constant(9, "suffixes", ["_x", "_y"])
    shared = {one for one, other in pairs if one == other}
    both = (left.fields.keys() & right.fields.keys()) - shared
    ends = suffixes if isinstance(suffixes, list) and len(suffixes) == 2 else None
    fields: dict[str, Field] = {}
    sides: list[frozenset[str]] = []
    for side, (frame, end) in enumerate(zip((left, right), ends or (None, None), strict=True)):
        named = {
            (f"{name}{end or ''}" if name in both and ends else name): _after(one, how, side)
            for name, one in frame.fields.items()
            if not (side == 1 and name in shared)
        }
        fields.update(named)
        sides.append(frozenset(named))
    if call.said(9, "indicator"):
        named = call.constant(9, "indicator")
        fields[named if isinstance(named, str) else "_merge"] = Field(kind="text", nulls=0)
    index = {
        one: field
        for one, other in pairs
        if one == other and (field := left.index.get(one) or right.index.get(one)) and one not in fields
    }
    repeats, seen, certain = _repeats(left, right, pairs, how)
    kept = replace(left.rows, count=None, labels=new_labels(), narrowed=True)
    rows = replace(
        kept,
        tables=tuple(dict.fromkeys(left.rows.tables + right.rows.tables)),
        taken=left.rows.taken or right.rows.taken,
        keys=left.rows.keys if repeats in ("", "right") else (),
        joined=Joined(
            how,
            pairs,
            sides[0],
            sides[1],
            repeats,
            seen,
            certain,
            single=1 in (left.rows.count, right.rows.count),
        ),
    )
    whole = left.whole and right.whole and ends is not None
    lost = frozenset(name for name in both if name not in fields) if whole else frozenset()
    return Frame(fields, whole, rows, index, lost, label=f"{left.label} with {right.label}")


def _after(field: Field, how: str, side: int) -> Field:
    """Return a field after rows were matched: an outer join adds rows in which it is missing."""
    stays = how in ("outer", "left" if side == 1 else "right")
    return replace(field, nulls=None) if stays or field.nulls != 0 else field


def key_pairs(call: Call, left: Frame, right: Frame) -> tuple[tuple[str, str], ...] | None:
    """Return the pairs of key columns, None if they are not known; a cross product has none."""
    if call.constant(1, "how", "inner") == "cross":
        return ()
    if any(word in call.named for word in ("left_index", "right_index")):
        return None
    if call.said(2, "on"):
        on = names(call.given(2, "on"))
        return tuple((name, name) for name in on) if on else None
    if "left_on" in call.named or "right_on" in call.named:
        one, other = names(call.named.get("left_on")), names(call.named.get("right_on"))
        if one is None or other is None or len(one) != len(other):
            return None
        return tuple(zip(one, other, strict=True))
    if not (left.whole and right.whole):
        return None
    return tuple((name, name) for name in left.fields if name in right.fields) or None


Repeats = Literal["", "left", "right", "both"]


def _repeats(
    left: Frame, right: Frame, pairs: Sequence[tuple[str, str]], how: str
) -> tuple[Repeats, str, bool]:
    """Say which side's rows may stand several times, what shows it, and whether it is certain."""
    if how == "cross":
        return "", "", all((frame.rows.count or 0) > 1 for frame in (left, right))
    one = _unique(left, [pair[0] for pair in pairs])
    other = _unique(right, [pair[1] for pair in pairs])
    if not pairs or one is None or other is None:
        return "", "", False
    if one and other:
        return "", "", False
    seen = "; ".join(
        f"{name} stands {told}"
        for unique, frame, place in ((one, left, 0), (other, right, 1))
        if not unique and (name := pairs[0][place]) and (told := _told(frame, name))
    )
    certain = len(pairs) == 1 and not left.rows.narrowed and not right.rows.narrowed
    if not one and not other:
        return "both", seen, certain and _meet_twice(left.fields[pairs[0][0]], right.fields[pairs[0][1]])
    return ("right" if other else "left"), seen, certain


def _meet_twice(left: Field, right: Field) -> bool:
    """Say whether some value stands several times on both sides."""
    if left.origin is None or right.origin is None:
        return False
    often = [
        {value.value for value in one.origin.column.values if value.rows > 1}
        for one in (left, right)
        if one.origin
    ]
    return bool(often[0] & often[1])


def _told(frame: Frame, name: str) -> str:
    origin = (frame.find(name) or Field()).origin
    if origin is None:
        return "several times"
    return f"{origin.column.distinct:,} different values in {origin.table.rows:,} rows of {origin.table.name}"


def _unique(frame: Frame, keys: Sequence[str]) -> bool | None:
    """Say whether the key columns tell the rows apart; None if that is not known."""
    if frame.rows.keys:
        return set(frame.rows.keys) <= set(keys) or None
    found = [frame.find(name) for name in keys]
    if not frame.rows.joined and _is_key(found):
        return True
    for field in found:
        origin = field.origin if field else None
        if origin and origin.column.distinct_exact and not frame.rows.joined:
            if origin.column.distinct >= origin.table.rows - max(0, origin.column.nulls - 1):
                return True
            if len(keys) == 1 and not frame.rows.narrowed:
                return False
    return None


def _is_key(fields: Sequence[Field | None]) -> bool:
    """Say whether among the columns are all of a known key of one table."""
    origins = [field.origin for field in fields if field is not None and field.origin is not None]
    named = {origin.column.name for origin in origins}
    return any(set(key) <= named for origin in origins for key in origin.table.keys)


def stacked(frames: Sequence[Frame]) -> Frame:
    """Return the frame that `pd.concat(frames)` makes, one below the other."""
    fields: dict[str, Field] = {}
    for frame in frames:
        for name, field in frame.fields.items():
            same = name in fields and fields[name].origin == field.origin
            fields[name] = (
                field if name not in fields or same else Field(kind=field.kind, of=frozenset((name,)))
            )
    counts = [frame.rows.count for frame in frames]
    rows = Rows(
        new_labels(),
        sum(count or 0 for count in counts) if all(counts) else None,
        tuple(dict.fromkeys(name for frame in frames for name in frame.rows.tables)),
        taken=next((frame.rows.taken for frame in frames if frame.rows.taken), None),
    )
    if len(frames) > 1:
        fields = {
            name: replace(field, origin=None, values=None, nulls=None) for name, field in fields.items()
        }
    return Frame(fields, all(frame.whole for frame in frames), rows, label=" and ".join(rows.tables))

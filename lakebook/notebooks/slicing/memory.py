"""The abstract memory of a notebook: objects, their columns and contents, each one a bit of an integer.

An *object* stands for everything that one place of the program allocates. Names point to sets of objects, so
two names of one table are aliases and a change through either is seen through both. Below an object hang

* *slots*: what is stored under a literal key, `df["price"]` or `self.total`; a slot is an object itself;
* *contents*: objects kept under no known key (elements of a list);
* *viewed* objects: memory that is shared without being the same thing (a slice, a reshaped array);
* a *source*: the object is a copy; wanting its column `c` means wanting column `c` of the source, no more.

Sets of bits are plain integers, which makes one backward scan over a notebook a matter of microseconds.
Nothing here knows Python's syntax; `effects` and what builds on it fill the memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

Objects = frozenset[int]
NOTHING: Objects = frozenset()

Transfer = tuple[int, int]
"""If any bit of the first is wanted after the statement, the second is wanted before it."""

_REMEMBERED = 2_000  # sets of objects, each with up to some kilobytes of bits
_CHANGES_FOLLOWED = 200


@dataclass(slots=True)
class Source:
    """Where a copy comes from.

    Attributes:
        suffixes: what the copy may have added to names of columns that both sides of a merge had.
        rest: bit that stands for all columns of the copy which nobody named.
        transfers: list of the statement that made the copy; grows as columns of the copy are named.
    """

    origins: Objects
    rest: int
    renamed: Mapping[str, str]
    transfers: list[Transfer]
    suffixes: tuple[str, ...] = ()

    def columns(self, key: str) -> Iterator[str]:
        """Yield the columns of the originals that a column of the copy may come from."""
        yield self.renamed.get(key, key)
        for suffix in self.suffixes:
            if key.endswith(suffix):
                yield key.removesuffix(suffix)


@dataclass(slots=True)
class Memory:
    """All objects of one notebook; `fixed` are texts and numbers, which never change."""

    size: int = 0
    labels: list[str] = field(default_factory=list)
    kinds: dict[int, str] = field(default_factory=dict)
    slots: dict[int, dict[str, int]] = field(default_factory=dict)
    contents: Mapping[int, Objects] = field(init=False)  # to be changed by `hold` alone
    viewed: dict[int, Objects] = field(default_factory=dict)
    sources: dict[int, Source] = field(default_factory=dict)
    strings: dict[int, tuple[str, ...]] = field(default_factory=dict)
    fixed: int = 0
    many: set[int] = field(default_factory=set)
    visits: int = 0
    _contents: dict[int, Objects] = field(default_factory=dict)
    _changes: list[tuple[int, int]] = field(default_factory=list)  # owner, what it has more; 0 for less
    _reached: dict[Objects, tuple[int, int]] = field(default_factory=dict)
    _named: list[tuple[str, int]] = field(default_factory=list)
    _prefixes: dict[str, tuple[int, int]] = field(default_factory=dict)
    _owners: int = 0
    _counted: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    _bits: dict[int, tuple[Objects | None, Objects | None, int, int]] = field(default_factory=dict)
    _resources: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.contents = self._contents

    def allocate(self, label: str = "", kind: str = "", contents: Objects = NOTHING) -> int:
        """Return a new object."""
        made = self.size
        self.size += 1
        self.labels.append(label)
        if kind:
            self.kinds[made] = kind
            if kind in ("text", "scalar"):
                self.fixed |= 1 << made
        if contents:
            self._contents[made] = contents
        return made

    def resource(self, name: str) -> int:
        """Return the bit of a named resource (a variable, the plot style, the random state, a file)."""
        bit = self._resources.get(name)
        if bit is None:
            bit = self._resources[name] = 1 << self.allocate(name)
            self._named.append((name, bit))
        return bit

    def resources(self, prefix: str) -> int:
        """Return the bits of all resources known so far whose name starts so."""
        seen, mask = self._prefixes.get(prefix, (0, 0))
        if seen < len(self._named):
            for name, bit in self._named[seen:]:
                if name.startswith(prefix):
                    mask |= bit
            self._prefixes[prefix] = len(self._named), mask
        return mask

    def known_resource(self, name: str) -> int:
        """Return the bit of a named resource, 0 if nothing has made it so far."""
        return self._resources.get(name, 0)

    def kind(self, objects: Iterable[int]) -> str:
        """Return the kind of the first object that has one."""
        for one in objects:
            kind = self.kinds.get(one)
            if kind:
                return kind
        return ""

    def slot(self, owner: int, key: str) -> int:
        """Return the object stored in `owner` under a literal key."""
        slots = self.slots.setdefault(owner, {})
        found = slots.get(key)
        if found is not None:
            return found
        made = slots[key] = self.allocate(f"{self.labels[owner]}[{key!r}]")
        self._changes.append((owner, 1 << made))
        if self.kinds.get(owner) == "frame":
            self.kinds[made] = "column"
        source = self.sources.get(owner)
        if source is not None:
            below = frozenset().union(*(self.select(source.origins, one) for one in source.columns(key)))
            source.transfers.append((1 << made, own(below)))
            kept = frozenset().union(*(self.contents.get(one, NOTHING) for one in below))
            if kept:
                self._contents[made] = kept
        return made

    def detach(self, owners: Objects, key: str) -> None:
        """Give the owners a slot of their own under a key, whatever they are copies of."""
        for owner in owners:
            made = self.slots.setdefault(owner, {})[key] = self.allocate(f"{self.labels[owner]}[{key!r}]")
            self._changes.append((owner, 1 << made))
            self.kinds[made] = "column"

    def select(self, owners: Objects, key: str) -> Objects:
        """Return what stands under a key of any of the owners, views included."""
        found: set[int] = set()
        pending = list(owners)
        while pending:
            owner = pending.pop()
            found.add(self.slot(owner, key))
            pending.extend(self.viewed.get(owner, ()))
        return frozenset(found)

    def known(self, owners: Objects, key: str) -> Objects:
        """Return the slots of that key that exist already, without making any."""
        return frozenset(
            self.slots[owner][key] for owner in owners if owner in self.slots and key in self.slots[owner]
        )

    def elements(self, owners: Iterable[int]) -> Objects:
        """Return what may be kept inside: contents and slots with their contents."""
        found: set[int] = set()
        for owner in owners:
            found |= self.contents.get(owner, NOTHING)
            for slot in self.slots.get(owner, {}).values():
                found.add(slot)
                found |= self.contents.get(slot, NOTHING)
        return frozenset(found)

    def elements_of_slots(self, slots: Objects) -> Objects:
        """Return what is stored in the slots themselves."""
        found: Objects = NOTHING
        for slot in slots:
            found |= self.contents.get(slot, NOTHING)
        return found

    def hold(self, owner: int, objects: Objects) -> None:
        """Let the owner hold these objects from now on, and no others."""
        before = self.contents.get(owner, NOTHING)
        if objects != before:
            self._contents[owner] = objects
            self._changes.append((owner, own(objects - before) if before <= objects else 0))

    def reach(self, objects: Objects) -> int:
        """Return the bits of the objects and of everything below them.

        What is below a set of objects is remembered, and brought up to date by what changed there since.
        """
        bits = own(objects)
        pending = bits & self._inner()
        if not pending:
            return bits
        mask = self._remembered(objects) or self._with_below(bits, pending)
        if len(self._reached) > _REMEMBERED:
            self._reached.clear()
        self._reached[objects] = mask, len(self._changes)
        return mask

    def _remembered(self, objects: Objects) -> int:
        """Return what is below objects of which it was known before, 0 if it has to be found anew."""
        mask, seen = self._reached.get(objects, (0, 0))
        if not mask or seen == len(self._changes) or len(self._changes) - seen > _CHANGES_FOLLOWED:
            return mask if seen == len(self._changes) else 0
        added = 0
        for owner, more in self._changes[seen:]:
            if mask >> owner & 1:
                if not more:
                    return 0
                added |= more
        added &= ~mask
        return self._with_below(mask | added, added & self._inner()) if added else mask

    def _with_below(self, mask: int, pending: int) -> int:
        """Return the bits with what hangs below those that are pending."""
        inner = self._inner()
        sources = self.sources
        while pending:
            one = pending.bit_length() - 1
            pending ^= 1 << one
            self.visits += 1
            if one in sources:
                mask |= sources[one].rest
            below = self._below(one)
            pending |= below & ~mask & inner
            mask |= below
        return mask

    def surface(self, objects: Iterable[int]) -> int:
        """Return the bits of the objects, of their slots and of what they share memory with; no contents."""
        mask = 0
        pending = list(objects)
        while pending:
            one = pending.pop()
            if not mask >> one & 1:
                mask |= 1 << one | own(self.slots.get(one, {}).values())
                pending.extend(self.viewed.get(one, ()))
        return mask

    def _inner(self) -> int:
        """Return the bits of all objects that may have something below them; keys are never taken out."""
        owners: tuple[Mapping[int, Any], ...] = (self.contents, self.viewed, self.slots, self.sources)
        for at, known in enumerate(owners):
            counted = self._counted[at]
            if len(known) > counted:
                self._owners |= own(islice(known, counted, None))
                self._counted[at] = len(known)
        return self._owners

    def _below(self, one: int) -> int:
        """Return the bits of what hangs directly below an object.

        They are remembered for as long as the sets that they were made of are the same objects.
        """
        contents, viewed, slots = self.contents.get(one), self.viewed.get(one), self.slots.get(one)
        if contents is None and viewed is None and slots is None:
            return 0
        known = self._bits.get(one)
        length = len(slots) if slots is not None else 0
        if known is not None and known[0] is contents and known[1] is viewed and known[2] == length:
            return known[3]
        bits = own(contents or ()) | own(viewed or ()) | own(slots.values() if slots is not None else ())
        self._bits[one] = (contents, viewed, length, bits)
        return bits

    def view(self, objects: Objects) -> Objects:
        """Return a new object that shares memory with the given ones without being one of them."""
        if not objects:
            return NOTHING
        made = self.allocate(self.labels[min(objects)], self.kind(objects))
        self.viewed[made] = objects
        return frozenset((made,))

    def copy(
        self,
        objects: Objects,
        transfers: list[Transfer],
        *,
        renamed: Mapping[str, str] | None = None,
        suffixes: tuple[str, ...] = (),
        only: tuple[str, ...] | None = None,
    ) -> Objects:
        """Return a copy that passes the demand for each column on to the same column of the original."""
        if not objects:
            return NOTHING
        label, kind = self.labels[min(objects)], self.kind(objects)
        made = self.allocate(label, kind)
        rest = 1 << self.allocate(f"{label}[…]")
        if only is None:
            transfers.append((rest, self.reach(objects)))
        else:
            wanted = [self.select(objects, key) for key in only]
            transfers.append((rest, own(frozenset().union(*wanted))))
        kept = frozenset().union(*(self.contents.get(one, NOTHING) for one in objects))
        if kept:
            self._contents[made] = kept
        self.sources[made] = Source(objects, rest, renamed or {}, transfers, suffixes)
        return frozenset((made,))


def own(objects: Iterable[int]) -> int:
    """Return the bits of the objects themselves."""
    mask = 0
    for one in objects:
        mask |= 1 << one
    return mask

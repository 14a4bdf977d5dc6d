import random
from itertools import pairwise

import pytest

from lakebook.notebooks.slicing.memory import Memory, own


def walked(memory: Memory, start: frozenset[int]) -> int:
    """Follow everything below some objects, remembering nothing."""
    found: set[int] = set()
    pending = list(start)
    while pending:
        one = pending.pop()
        if one not in found:
            found.add(one)
            pending += [*memory.contents.get(one, ()), *memory.viewed.get(one, ())]
            pending += memory.slots.get(one, {}).values()
    return own(found)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_below_is_right_however_the_memory_changed_since(seed: int) -> None:
    chance = random.Random(seed)
    memory = Memory()
    for _ in range(12):
        memory.allocate()
    for _ in range(300):
        some = frozenset(chance.sample(range(memory.size), chance.randint(1, 3)))
        owner = chance.randrange(memory.size)
        action = chance.randrange(6)
        if action == 0:
            memory.hold(owner, memory.contents.get(owner, frozenset()) | some)
        elif action == 1:
            memory.hold(owner, some)
        elif action == 2:
            memory.slot(owner, chance.choice("abc"))
        elif action == 3 and memory.size < 60:
            memory.view(some)
        asked = frozenset((owner,)) if action == 4 else some
        assert memory.reach(asked) == walked(memory, asked)


def test_looking_twice_costs_once() -> None:
    memory = Memory()
    chain = [memory.allocate() for _ in range(100)]
    for outer, inner in pairwise(chain):
        memory.hold(outer, frozenset((inner,)))
    memory.reach(frozenset((chain[0],)))
    visits = memory.visits
    memory.hold(chain[99], frozenset((memory.allocate(),)))

    assert memory.reach(frozenset((chain[0],))).bit_count() == 101
    assert memory.visits == visits

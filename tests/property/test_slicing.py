"""Whatever a small program does, its slice shows the same as all of it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.notebooks.slicing.slicer import analyze
from lakebook.notebooks.slicing.undefined import may_use_undefined

PROLOGUE = """
class Box:
    pass
def push(x):
    x.append(9)
def same(x):
    return x
def both(x, y):
    x.extend(y[:3])
    return y
def wrap(x):
    return [x]
def late():
    a.append(7)
def setter(box, x):
    box.v = x
def pusher(x):
    def inner(y):
        x.append(y)
    return inner
def counter():
    count = 0
    def step():
        nonlocal count
        count += 1
        return count
    return step
def keep(x, seen=[]):
    seen.append(x)
    return list(seen)
def each(x):
    for y in list(x)[:2]:
        x.append(0)
        yield y
class Tally:
    coins = []
    def __len__(self):
        return len(self.coins)
    def add(self, x):
        self.coins.append(x)
tick = counter()
t = Tally()
a = [1]
b = [2, 3]
c = []
d = {"p": [4], "q": [5]}
e = {"p": [6], "q": [7]}
o = Box()
o.v = [8]
p = Box()
p.v = [9]
n = 1
m = 2
f = push
add = c.append
s = iter([3, 4])
r = iter([5, 6, 7])
"""
LISTS, DICTS, BOXES, NUMBERS, KEYS = "abc", "de", "op", "nm", "pq"
TEMPLATES = (
    "{l} = {k}",
    "{l} = {k}[:]",
    "{l} = {k} + [{i}]",
    "{l} += [{i}]",
    "{l} = [{k}, {i}]",
    "{l}.append({i})",
    "{l}.append({k})",
    "{l}.extend({k}[:2])",
    "{l}.insert(0, {n})",
    "{l}.reverse()",
    "{l}[:1] = [{i}]",
    "{l} = [x for x in {k}]",
    "{l}, {k} = {k}, {l}",
    "{l} = {d}['{s}']",
    "{d}['{s}'] = {l}",
    "{d}['{s}'].append({i})",
    "{d}['{s}'] = {e}['{t}']",
    "{d} = {e}",
    "{d} = dict({e})",
    "{d} = {{'p': {l}, 'q': {k}}}",
    "{o}.v = {l}",
    "{o}.v.append({i})",
    "{l} = {o}.v",
    "{o} = {q}",
    "{o}.v = {q}.v",
    "{n} = {i}",
    "{n} += {m}",
    "{n} = len({l})",
    "push({l})",
    "{l} = same({k})",
    "{l} = both({k}, {l})",
    "{l} = wrap({k})",
    "late()",
    "setter({o}, {l})",
    "pusher({l})({i})",
    "f({l})",
    "f = pusher({l})",
    "f = push",
    "list(map(f, [{l}]))",
    "for x in [{l}, {k}]:\n    x.append({i})",
    "for {n} in range(2):\n    {l}.append({n})",
    "if {n} > {m}:\n    {l} = {k}\nelse:\n    {l}.append({n})",
    "while len({l}) < 3:\n    {l}.append({i})",
    "try:\n    {l} = {k}[9]\nexcept IndexError:\n    {l} = []",
    "for x in {l}:\n    if isinstance(x, list):\n        x.append({i})",
    "{l} = {l}[-1] if {l} and isinstance({l}[-1], list) else {l}",
    "del {l}[:1]",
    "{l} = [y for x in [{l}, {k}] for y in x]",
    "{l} = (lambda x: x)({k})",
    "{n} = tick()",
    "{l} = keep({i})",
    "keep({n})",
    "add = {l}.append",
    "add({i})",
    "s = (x for x in {l} if x != {n})",
    "s = map(lambda x: x, {l})",
    "s = zip({l}, r)",
    "s = each({l})",
    "{l} = list(s)",
    "{n} = next(r, {i})",
    "r = iter({l})",
    "r = enumerate({l})",
    "for x in r:\n    if x == {n}:\n        break",
    "vars({o})['v'] = {l}",
    "globals()['{l}'] = {k}",
    "exec('{l}.append({i})')",
    "{n} = eval('len({l})')",
    "t.add({i})",
    "Tally.coins = {l}",
    "{n} = len(t)",
    "t = Tally()",
    "with open('/dev/null') as x:\n    {l}.append({i})",
    "{n} = getattr({o}, 'v').count({m})",
    "setattr({o}, 'v', {l})",
    "{l} = sorted({k}, key=str)",
    "list(map(add, [{i}]))",
)


@st.composite
def statements(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(TEMPLATES)).format(
        l=draw(st.sampled_from(LISTS)),
        k=draw(st.sampled_from(LISTS)),
        d=draw(st.sampled_from(DICTS)),
        e=draw(st.sampled_from(DICTS)),
        o=draw(st.sampled_from(BOXES)),
        q=draw(st.sampled_from(BOXES)),
        n=draw(st.sampled_from(NUMBERS)),
        m=draw(st.sampled_from(NUMBERS)),
        s=draw(st.sampled_from(KEYS)),
        t=draw(st.sampled_from(KEYS)),
        i=draw(st.integers(10, 99)),
    )


TARGETS = st.sampled_from(
    (
        "a",
        "b",
        "c",
        "d['p']",
        "e['q']",
        "d",
        "o.v",
        "p.v",
        "n",
        "m",
        "[a, d]",
        "list(s)",
        "list(r)",
        "tick()",
        "keep(0)",
        "len(t)",
        "t.coins",
    )
)


def shown(texts: list[str]) -> list[str]:
    found: list[str] = []
    exec("\n".join(texts), {"show": lambda value: found.append(repr(value))})
    return found


@settings(max_examples=300, deadline=None)
@given(st.lists(statements(), min_size=1, max_size=12), TARGETS)
def test_a_slice_shows_what_the_whole_program_shows(body: list[str], target: str) -> None:
    program = analyze([(0, PROLOGUE), (1, "\n".join(body)), (2, f"show({target})")])

    whole = shown([one.text for one in program.statements])
    sliced = shown([kept.statement.text for kept in program.explain(2)])

    assert sliced == whole


@settings(max_examples=100, deadline=None)
@given(st.lists(statements(), min_size=1, max_size=8), TARGETS)
def test_a_slice_is_in_order_and_ends_with_its_target(body: list[str], target: str) -> None:
    program = analyze([(0, PROLOGUE), (1, "\n".join(body)), (2, f"show({target})")])

    kept = program.slice(2)

    assert kept == sorted(set(kept))
    assert program.statements[kept[-1]].text == f"show({target})"


@settings(max_examples=200, deadline=None)
@given(st.lists(statements(), min_size=1, max_size=8), st.permutations([0, 1, 2]))
def test_what_the_syntax_settles_the_forward_pass_finds_defined(body: list[str], order: list[int]) -> None:
    cells = [PROLOGUE, "\n".join(body[::2]), "\n".join(body[1::2]) or "pass"]
    taken = [cells[at] for at in order]

    program = analyze(list(enumerate(taken)))

    assert may_use_undefined(taken) or not any(one.unresolved for one in program.statements)

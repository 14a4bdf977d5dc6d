"""The slicer on the cases of its peers and on our own constructs: right in all, and as small as they say."""

import pytest

from tests.unit.notebooks.slicing.cases import Case, load, names
from tests.unit.notebooks.slicing.running import RAISED, Runner

COLLECTIONS = [load(name) for name in names()]
ALL = [case for one in COLLECTIONS for case in one.cases]
CASES = [
    pytest.param(
        case,
        id=f"{one.name}: {case.name}",
        marks=[pytest.mark.xfail(reason=case.exception, strict=True)] if case.exception else [],
    )
    for one in COLLECTIONS
    for case in one.cases
]


@pytest.fixture(scope="module")
def runner():
    made = Runner()
    yield made
    made.close()


@pytest.mark.parametrize("collection", COLLECTIONS, ids=lambda one: one.name)
def test_no_case_of_a_project_is_left_out(collection) -> None:
    assert collection.counted_cases() == collection.count


@pytest.mark.parametrize("case", CASES)
def test_the_slice_shows_what_the_whole_shows(case: Case, runner: Runner) -> None:
    whole = runner.shown(case.whole(), case.files, tolerant=case.fails)
    kept = case.slice()

    assert len(whole) == (0 if case.doubt and case.fails else 1)
    assert not any(text.startswith(RAISED) for text in whole)
    assert runner.shown(kept, case.files, tolerant=case.fails) == whole
    assert not case.missing(kept)


@pytest.mark.parametrize("case", [one for one in ALL if not one.exception], ids=lambda case: case.name)
def test_the_slice_is_as_small_as_the_case_says(case: Case) -> None:
    surplus = case.surplus(case.slice())

    assert not surplus or case.wide


@pytest.mark.parametrize("case", [one for one in ALL if one.doubt], ids=lambda case: case.name)
def test_what_cannot_be_seen_is_said(case: Case) -> None:
    said = [reason for one in case.slice() for reason in (*one.doubts, *one.unresolved)]

    assert any(case.doubt in reason for reason in said)

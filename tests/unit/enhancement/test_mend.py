"""The loop of runs and fixes: what helps stays, what does not is taken back."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

import pytest

from lakebook.analyst.table import Table
from lakebook.enhancement import mend
from lakebook.enhancement.adapt import adapt
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.mend import MOST_REPAIRS, run_and_mend
from lakebook.enhancement.repairs.rule import Fault, RepairRule
from lakebook.enhancement.run import Run
from lakebook.notebooks.component import Component
from lakebook.retrieval.result import RetrievedComponent
from lakebook.sandbox.base import CellResult, Evaluation

SIX = "abcdef"


class _Unused:
    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        raise NotImplementedError


@pytest.fixture
def adapted(
    table: Table, make_component: Callable[..., Component], make_retrieved: Callable[..., RetrievedComponent]
) -> Adapted:
    component = make_component("df = pd.read_csv('a.csv')\n" + "\n".join(f"{x}()" for x in SIX))
    made = adapt(make_retrieved(component), component, table, 1)
    assert isinstance(made, Adapted)
    return made


def rule(kind: str, change: Callable[[str], str], fault: str) -> RepairRule:
    """A rule that rewrites the text of what failed."""

    def edit(statement: ast.stmt) -> ast.AST:
        return ast.parse(change(ast.unparse(statement))).body[0]

    return RepairRule(kind, "", edit, fault, reach="fault")


def swap(old: str, new: str) -> RepairRule:
    """A rule that calls another function where the old one failed."""
    return rule(f"{old}_to_{new}", lambda text: text.replace(f"{old}()", f"{new}()"), f"^E: {old}$")


def runs(monkeypatch: pytest.MonkeyPatch, rules: Sequence[RepairRule], known: str) -> list[str]:
    """Let every call fail that is not known; return the list of codes that will have run."""
    seen: list[str] = []

    def run_once(adapted: Adapted, session: object, seconds: float) -> Run:
        seen.append(str(adapted.script))
        called = [line for line in str(adapted.script).splitlines() if line[1] == "("]
        bad = next((line for line in called if line[0] not in known or "a(a" in line), "")
        return Run(Fault("E", bad[0], (bad,)) if bad else None)

    monkeypatch.setattr(mend, "run_once", run_once)
    monkeypatch.setattr(mend, "answering", lambda fault: [r for r in rules if r.answers(fault)])
    return seen


def test_fixes_compose(monkeypatch: pytest.MonkeyPatch, adapted: Adapted, table: Table) -> None:
    runs(monkeypatch, [swap("a", "A"), swap("c", "C")], "ACbdef")
    mended, run = run_and_mend(adapted, table, _Unused(), 1)
    assert run.fault is None
    assert [repair.kind for repair in mended.repairs][-2:] == ["a_to_A", "c_to_C"]


def test_a_fix_that_does_not_help_is_taken_back_and_the_next_one_tried(
    monkeypatch: pytest.MonkeyPatch, adapted: Adapted, table: Table
) -> None:
    idle = rule("idle", lambda text: "a(a())", "^E: a$")
    seen = runs(monkeypatch, [idle, swap("a", "A")], "Abcdef")
    mended, run = run_and_mend(adapted, table, _Unused(), 1)
    assert run.fault is None
    assert "idle" not in [repair.kind for repair in mended.repairs]
    assert len(seen) == 3


def test_what_nothing_answers_fails_with_its_code_as_it_was(
    monkeypatch: pytest.MonkeyPatch, adapted: Adapted, table: Table
) -> None:
    seen = runs(monkeypatch, [], "")
    assert run_and_mend(adapted, table, _Unused(), 1) == (adapted, Run(Fault("E", "a", ("a()",))))
    assert len(seen) == 1


def test_at_most_five_kinds(monkeypatch: pytest.MonkeyPatch, adapted: Adapted, table: Table) -> None:
    runs(monkeypatch, [swap(x, x.upper()) for x in SIX], SIX.upper())
    mended, run = run_and_mend(adapted, table, _Unused(), 1)
    assert run.fault == Fault("E", "f", ("f()",))
    assert len([r for r in mended.repairs if "_to_" in r.kind]) == MOST_REPAIRS


def test_one_kind_may_be_needed_in_more_places(
    monkeypatch: pytest.MonkeyPatch, adapted: Adapted, table: Table
) -> None:
    upper = rule("upper", str.upper, "E")
    runs(monkeypatch, [upper], SIX.upper())
    mended, run = run_and_mend(adapted, table, _Unused(), 1)
    assert run.fault is None
    assert {r.kind for r in mended.repairs} >= {"upper"}

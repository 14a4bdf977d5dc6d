"""The shape and form of an answer and its files, against what was declared."""

from __future__ import annotations

from typing import Any

import pytest

from lakebook.operators.record import ExecutionRecord
from lakebook.validation.contract import Artifact, Contract
from lakebook.validation.invocation import ArtifactSeen, Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import check

EVERYTHING = ExecutionRecord(
    "r001", "Query", "", {}, result={"rows": [list(range(2, 60)), [0.5, 3.14, 3.14159]]}
)


def findings(contract: Contract, value: Any = None, text: str = "", **fields: Any) -> list[tuple[str, str]]:
    invocation = Invocation(
        "Answer", value=value, text=text, contract=contract, references=(), records=(EVERYTHING,), **fields
    )
    return [(finding.rule, finding.action) for finding in check(invocation, Knowledge(), "before")]


KEPT: list[tuple[Contract, Any]] = [
    (Contract(), 5),
    (Contract(type="number"), 5),
    (Contract(type="number", decimals=2), 3.14),
    (Contract(type="number", decimals=2), 5),
    (Contract(type="number", decimals=0), 5.0),
    (Contract(type="integer"), 5.0),
    (Contract(type="text"), "Rome"),
    (Contract(type="text", choices=("Rome", "Oslo")), "Rome"),
    (Contract(type="text", pattern=r"[A-Z]\w+"), "Rome"),
    (Contract(type="boolean"), False),
    (Contract(type="boolean", choices=("Yes", "No")), "Yes"),
    (Contract(type="date"), "2024-02-29"),
    (Contract(type="date"), "2024-02-29T12:00:00"),
    (Contract(type="date", pattern=r"\d\d/\d{4}"), "02/2024"),
    (Contract(type="list", length=2), ["a", "b"]),
    (Contract(type="list", choices=("a", "b")), ["b"]),
    (Contract(type="list", decimals=2), [3.14, 5]),
    (Contract(type="table", length=2), [["a", 5], ["b", 6]]),
    (Contract(type="table"), [{"k": "a", "n": 5}]),
]  # fmt: skip
BROKEN: list[tuple[Contract, Any, str]] = [
    (Contract(type="number"), [5], "O6"),
    (Contract(type="number"), None, "O6"),
    (Contract(type="number"), list(range(2, 27)), "O6"),
    (Contract(type="number"), {"n": 5}, "O6"),
    (Contract(type="list"), 5, "O6"),
    (Contract(type="list", length=3), ["a", "b"], "O6"),
    (Contract(type="table"), ["a", "b"], "O6"),
    (Contract(type="table"), [["a", 5], ["b"]], "O6"),
    (Contract(type="table", length=1), [["a"], ["b"]], "O6"),
    (Contract(type="number"), "5", "O7"),
    (Contract(type="number"), True, "O7"),
    (Contract(type="number", decimals=2), 3.14159, "O7"),
    (Contract(type="integer"), 0.5, "O7"),
    (Contract(type="text"), 5, "O7"),
    (Contract(type="text", choices=("Rome", "Oslo")), "rome", "O7"),
    (Contract(type="text", choices=("Rome", "Oslo")), "Lima", "O7"),
    (Contract(type="text", pattern=r"[A-Z]{2}"), "Rome", "O7"),
    (Contract(type="boolean"), "yes", "O7"),
    (Contract(type="date"), "29.02.2024", "O7"),
    (Contract(type="date"), "2023-02-29", "O7"),
    (Contract(type="list", decimals=1), [0.5, 3.14], "O7"),
    (Contract(type="list", choices=("a",)), ["a", "b"], "O7"),
]  # fmt: skip


@pytest.mark.parametrize(("contract", "value"), KEPT)
def test_an_answer_that_keeps_its_contract_passes(contract: Contract, value: Any) -> None:
    if (isinstance(contract.pattern, str) and value == "02/2024") or "2024" in str(value):
        assert {rule for rule, _ in findings(contract, value)} <= {"O9"}  # the date stands in no record here
    else:
        assert findings(contract, value) == []


@pytest.mark.parametrize(("contract", "value", "rule"), BROKEN)
def test_an_answer_that_breaks_it_is_rejected(contract: Contract, value: Any, rule: str) -> None:
    assert (rule, "reject") in findings(contract, value)


def test_the_hint_says_how_to_write_it() -> None:
    def hint(contract: Contract, value: Any) -> str:
        invocation = Invocation(
            "Answer", value=value, contract=contract, references=(), records=(EVERYTHING,)
        )
        return check(invocation, Knowledge(), "before")[0].hint

    assert hint(Contract(type="number", decimals=2), 3.14159) == "Round it at the end: 3.14."
    assert hint(Contract(choices=("Rome", "Oslo")), "rome") == "Write 'Rome'."


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        ("%", "It is 50 percent."),
        ("%", "It is 50%."),
        ("USD", "It is $5."),
        ("km", "It is 5km."),
        ("days", "5 days"),
        ("EUR", ""),
    ],
)
def test_a_unit_that_is_named_passes(unit: str, text: str) -> None:
    assert findings(Contract(unit=unit), 5, text) == []


@pytest.mark.parametrize(
    ("unit", "text", "action"),
    [
        ("USD", "It is 5 euros.", "reject"),
        ("EUR", "It is $5.", "reject"),
        ("km", "It is 5.", "advise"),
        ("%", "It is 5.", "advise"),
    ],
)
def test_another_unit_or_none_is_told(unit: str, text: str, action: str) -> None:
    assert ("O7", action) in findings(Contract(unit=unit), 5, text)


FILE = Artifact("out.csv", columns=("city", "n"), sorted_by=("-n",), rows=3)
FOUND = ArtifactSeen("out.csv", size=10, tables=((("city", "n"), 3),))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (FILE, FOUND),
        (Artifact("out.csv"), FOUND),
        (Artifact("plot.png"), ArtifactSeen("plot.png", size=10)),
        (None, ArtifactSeen("notes.txt", size=1)),
    ],
)
def test_o8_passes_files_as_declared(wanted: Artifact | None, found: ArtifactSeen) -> None:
    contract = Contract(artifacts=(wanted,) if wanted else ())
    assert findings(contract, artifacts=(found,)) == []


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ((), "does not come with out.csv"),
        ((ArtifactSeen("out.csv", kept=False),), "No computation wrote out.csv"),
        ((ArtifactSeen("out.csv"),), "is empty"),
        ((ArtifactSeen("out.csv", size=9, problem="no text"),), "cannot be read"),
        ((ArtifactSeen("out.csv", size=9),), "holds no table"),
        ((ArtifactSeen("out.csv", size=9, tables=((("n", "city"), 3),)),), "columns in another order"),
        ((ArtifactSeen("out.csv", size=9, tables=((("Unnamed: 0", "city", "n"), 3),)),), "other columns"),
        ((ArtifactSeen("out.csv", size=9, tables=((("city", "n"), 2),)),), "has 2 rows"),
        ((ArtifactSeen("out.csv", size=9, tables=((("city", "n"), 3),), unsorted=("-n",)),), "is not sorted"),
        ((ArtifactSeen("Out.csv", size=9),), "does not come with out.csv"),
    ],
)  # fmt: skip
def test_o8_rejects_files_that_are_not_as_declared(found: tuple[ArtifactSeen, ...], told: str) -> None:
    invocation = Invocation("Answer", contract=Contract(artifacts=(FILE,)), references=(), artifacts=found)
    (finding,) = check(invocation, Knowledge(), "before")
    assert (finding.rule, finding.action) == ("O8", "reject")
    assert told in finding.message


def test_o8_rejects_a_file_that_nobody_wrote_or_that_is_unreadable() -> None:
    assert findings(Contract(), artifacts=(ArtifactSeen("a.csv", kept=False),)) == [("O8", "reject")]
    assert findings(Contract(), artifacts=(ArtifactSeen("a.csv", size=1, problem="x"),)) == [("O8", "reject")]
    empty = ArtifactSeen("a.csv", size=9, tables=((("n",), 0),))
    assert findings(Contract(artifacts=(Artifact("a.csv"),)), artifacts=(empty,)) == [("O8", "reject")]

"""Arguments of the operators: what is read, and what a wrong one is told."""

from __future__ import annotations

from typing import Any

import pytest

from lakebook.errors import OperatorError
from lakebook.operators.arguments import (
    OPERATORS,
    Answer,
    Batch,
    Compute,
    Load,
    Probe,
    Query,
    read_batch,
    read_operation,
)
from lakebook.operators.schema import operation_schema


def test_every_operator_is_read_by_its_name() -> None:
    given: list[dict[str, Any]] = [
        {"operator": "Search", "query": "prices of avocados", "k": 5, "view": "fields"},
        {"operator": "Read", "path": "notes.md", "position": "lines 4-9"},
        {"operator": "Load", "path": "book.xlsx", "unit": "2016"},
        {"operator": "Inspect", "table": "orders", "kind": "sample", "rows": 3},
        {"operator": "Probe", "table": "orders", "columns": ["a", "b"], "kind": "key"},
        {"operator": "Query", "sql": "select 1", "inputs": ["orders"], "output": "one"},
        {"operator": "Compute", "code": "x = 1", "inputs": ["t"], "outputs": ["x"], "artifacts": ["p.png"]},
        {"operator": "Answer", "value": [1, 2], "text": "1 and 2", "references": ["r001"]},
    ]  # fmt: skip
    batch = read_batch(given)
    assert [one.operator for one in batch.operations] == list(OPERATORS)
    assert read_batch({"operations": given}) == batch
    assert read_batch(given[0]) == Batch(operations=batch.operations[:1])
    assert [read_operation(one) for one in given] == list(batch.operations)


def test_one_name_stands_for_a_list_of_one_and_nothing_for_none() -> None:
    assert read_operation({"operator": "Compute", "code": "x", "output": "a", "inputs": "t"}) == Compute(
        code="x", outputs=("a",), inputs=("t",)
    )
    assert read_operation({"operator": "Probe", "table": "t", "columns": "a"}) == Probe(
        table="t", columns=("a",)
    )
    empty = {"operator": "Query", "sql": "select 1", "inputs": [], "output": "", "purpose": ""}
    assert read_operation(empty) == Query(sql="select 1")


def test_a_record_keeps_what_was_given() -> None:
    query = Query(sql="select 1", purpose="a try")
    assert query.arguments == {"sql": "select 1", "confirm_cross": False}
    assert Answer(value=0, text="none").arguments == {"value": 0, "text": "none"}
    assert Load(table="t").arguments == {"table": "t"}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"operator": "Query", "querysql": "x"}, "Query needs `sql`"),
        ({"operator": "Query", "sql": "x", "input": "t"}, "no argument 'input' (nearest: inputs); it takes"),
        ({"operator": "Qery", "sql": "x"}, "no operator 'Qery' (nearest: Query); there are Search, Read"),
        ({"sql": "x"}, "it has no `operator`; the operators are Search"),
        ({"operator": "Query", "sql": 5}, "Query, sql: text is needed, not 5"),
        ({"operator": "Probe", "table": "t", "columns": "a", "kind": "distnct"}, "(nearest: distinct); use"),
        ({"operator": "Probe", "table": "t", "columns": []}, "Probe, columns: it must not be empty"),
        ({"operator": "Probe", "table": "t", "columns": ["a", "b"]}, "takes one column"),
        ({"operator": "Probe", "table": "t", "columns": "a", "kind": "match"}, "needs other_table"),
        ({"operator": "Probe", "table": "t", "columns": "a", "other_table": "u"}, "for kind match only"),
        ({"operator": "Compute", "code": "x", "outputs": ["a b"]}, "'a b' is no name for a result"),
        ({"operator": "Compute", "code": "x", "artifacts": ["../x"]}, "relative to the workspace"),
        ({"operator": "Compute", "code": "x", "artifacts": ["/etc/x"]}, "relative to the workspace"),
        ({"operator": "Search", "query": "x", "k": 99}, "Search, k: 99 is out of range"),
        ({"operator": "Inspect", "table": "t", "rows": 0}, "Inspect, rows: 0 is out of range"),
        ({"operator": "Load"}, "give table, or path"),
        ({"operator": "Load", "table": "t", "unit": "u"}, "unit needs path"),
        ({"operator": "Read", "path": "a", "span": [3, 1]}, "1 <= first <= last"),
        ({"operator": "Read", "path": "a", "span": [3]}, "Read, span: [3] is too short"),
        ({"operator": "Read", "path": "a", "span": [1, 2], "position": "p"}, "not both"),
        ({"operator": "Query", "sql": "x", "inputs": [1]}, "entry 1 of inputs: text is needed, not 1"),
        ({"operator": "Query", "sql": "x", "confirm_cross": "maybe"}, "true or false is needed"),
        ({"operator": "Query", "sql": ""}, "Query, sql: it must not be empty"),
        ({"operator": "Answer"}, "give value, text or artifacts"),
        ({"operator": "Answer", "value": float("nan")}, "NaN and infinity are no values"),
        ({"operator": "Answer", "value": [[1, float("inf")]]}, "NaN and infinity are no values"),
        ({"operator": "Answer", "value": 1, "text": "x" * 20_001}, "at most 20000"),
        (5, "an operation is an object"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_told_what_is_allowed(given: object, told: str) -> None:
    with pytest.raises(OperatorError) as caught:
        read_operation(given)
    assert told in caught.value.message
    assert "pydantic" not in caught.value.message
    assert "nothing was run" in caught.value.hint


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([{"operator": "Load", "path": "t"}, {"operator": "Loud"}], "operation 2: there is no operator"),
        ({"operations": []}, "at least one operation"),
        ({"ops": []}, "a batch has no 'ops'"),
        ({"operations": "x"}, "`operations` is a list of operations, not 'x'"),
        ("x", "an operation is an object"),
    ],
)  # fmt: skip
def test_a_wrong_batch_says_which_operation(given: object, told: str) -> None:
    with pytest.raises(OperatorError) as caught:
        read_batch(given)
    assert told in caught.value.message


def test_the_schema_has_only_what_structured_output_takes() -> None:
    schema = operation_schema()

    def nodes(node: Any) -> list[dict[str, Any]]:
        below = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        return [
            *([node] if isinstance(node, dict) else []),
            *(one for child in below for one in nodes(child)),
        ]

    assert sorted(schema["$defs"]) == sorted(OPERATORS)
    for definition in schema["$defs"].values():
        assert definition["additionalProperties"] is False
        assert definition["required"] == list(definition["properties"])
    for node in nodes(schema):
        named = {"properties", "$defs"} & node.keys()
        assert not {"oneOf", "discriminator", "prefixItems"} & node.keys()
        assert named or "default" not in node
        assert "$ref" not in node or len(node) == 1

"""Whatever is sent as operations is read or refused in words, never otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.errors import OperatorError
from lakebook.operators.arguments import OPERATORS, read_batch, read_operation

NAMES = sorted({name for model in OPERATORS.values() for name in model.model_fields} | {"output", "x"})
LEAVES: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers(-3, 200) | st.floats() | st.text(max_size=4)
    | st.sampled_from(["distinct", "head", "all", "../x", "t", "\ud800"])
)  # fmt: skip
ANY = st.recursive(
    LEAVES,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(NAMES), below, max_size=3),
    max_leaves=5,
)  # fmt: skip
OPERATION = st.builds(
    lambda operator, given: {**given, "operator": operator},
    st.sampled_from([*OPERATORS, "Qery", "", 5, None]),  # type: ignore[list-item]
    st.dictionaries(st.sampled_from(NAMES), ANY, max_size=6),
)


def refusal(read: Callable[[Any], object], given_: Any) -> str:
    """Return what is said of what cannot be read; "" if it can."""
    try:
        read(given_)
    except OperatorError as error:
        return error.message
    return ""


@settings(max_examples=300, deadline=None)
@given(OPERATION | ANY)
def test_an_operation_is_read_or_refused_in_words(given_: Any) -> None:
    said = refusal(read_operation, given_)
    if not said:
        operation = read_operation(given_)
        again = {"operator": operation.operator, "purpose": operation.purpose, **operation.arguments}
        assert read_operation(again) == operation
    assert "pydantic" not in said


@settings(max_examples=150, deadline=None)
@given(st.lists(OPERATION | ANY, max_size=3) | ANY | st.dictionaries(st.just("operations"), ANY))
def test_a_batch_is_read_or_refused_in_words(given_: Any) -> None:
    said = refusal(read_batch, given_)
    assert said or read_batch(given_).operations

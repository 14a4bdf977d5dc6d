"""Vectors: one exchange a batch, kept by text, bounded by the budget, written into the ledger."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lakebook.analyst.model.budget import Budget
from lakebook.analyst.model.client import OpenAIEmbedder
from lakebook.analyst.model.embedding import Embeddings
from lakebook.analyst.model.protocol import BudgetSpent, EmbeddingRequest, EndpointFailed
from tests.unit.analyst.model.conftest import Endpoint


def vectors(body: dict[str, Any]) -> bytes:
    """Answer with vectors that tell the length of the text, in reversed order."""
    data = [
        {"index": place, "embedding": [float(len(text)), 1.0]} for place, text in enumerate(body["input"])
    ]
    return json.dumps({"data": data[::-1], "usage": {"total_tokens": 7}}).encode()


@pytest.fixture
def make(endpoint: Endpoint, tmp_path: Path) -> Callable[..., Embeddings]:
    def build(calls: int = 5) -> Embeddings:
        wire = OpenAIEmbedder("small", base_url=endpoint.url, api_key="secret")
        return Embeddings(wire, tmp_path / "vectors", Budget(calls, 1_000), tmp_path / "calls.jsonl")

    return build


def test_vectors_come_in_the_order_of_the_texts(endpoint: Endpoint, make: Callable[..., Embeddings]) -> None:
    endpoint.says(vectors)
    found = make().vectors(EmbeddingRequest(("abc", "a")))
    assert np.allclose(found, [[3 / 10**0.5, 1 / 10**0.5], [1 / 2**0.5, 1 / 2**0.5]])
    assert endpoint.bodies[0]["input"] == ["abc", "a"]
    assert not {"x-stainless-os", "x-stainless-arch", "x-stainless-runtime"} & set(endpoint.headers[0])


def test_a_kept_vector_is_not_asked_for_again(
    endpoint: Endpoint, make: Callable[..., Embeddings], tmp_path: Path
) -> None:
    endpoint.says(vectors)
    make().vectors(EmbeddingRequest(("abc", "a")))
    make().vectors(EmbeddingRequest(("a", "abcd", "a")))
    assert [body["input"] for body in endpoint.bodies] == [["abc", "a"], ["abcd"]]
    calls = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert [call["texts"] for call in calls] == [["abc", "a"], ["abcd"]]
    assert calls[0]["tokens"] == {"prompt": 7, "completion": 0}
    assert "secret" not in (tmp_path / "calls.jsonl").read_text()


def test_the_budget_stops_before_the_call(endpoint: Endpoint, make: Callable[..., Embeddings]) -> None:
    endpoint.says(vectors)
    with pytest.raises(BudgetSpent):
        make(calls=0).vectors(EmbeddingRequest(("abc",)))
    assert endpoint.bodies == []


@pytest.mark.parametrize(
    "answer",
    [
        500,
        b"no json",
        b'{"data": []}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 0, "embedding": ["x"]}]}',
        b'{"choices": []}',
    ],
)
def test_what_is_no_vector_is_refused(
    endpoint: Endpoint, make: Callable[..., Embeddings], tmp_path: Path, answer: Any
) -> None:
    endpoint.says(answer)
    with pytest.raises(EndpointFailed):
        make().vectors(EmbeddingRequest(("abc",)))
    assert json.loads((tmp_path / "calls.jsonl").read_text())["error"]
    assert not list(tmp_path.glob("vectors/*"))

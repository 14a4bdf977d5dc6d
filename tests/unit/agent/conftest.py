"""A tiny lake, and a model that says what a test has it say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lakebook.agent.loop import Task, ask
from lakebook.agent.outcome import Outcome
from lakebook.analyst.model.protocol import LanguageModel, ModelFailed, OnText, Reply, Request
from lakebook.operators.opening import open_lake_runtime
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import SourceMap
from lakebook.sources.map_lake import map_lake
from lakebook.sources.scan import scan

SALES = "region,shop,amount,Net Amount\nNorth,A,10,9.5\nNorth,B,30,28.5\nSouth,C,5,4.75\nSouth,D,5,4.75\n"


class Scripted:
    """A model that gives its replies in order, and keeps what it was asked; "…" ends one that is cut off."""

    name = "scripted"

    def __init__(self, *replies: str | ModelFailed) -> None:
        self.replies = list(replies)
        self.requests: list[Request] = []

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Give the next reply."""
        self.requests.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, ModelFailed):
            raise reply
        if on_text is not None:
            on_text(reply)
        return Reply(reply.removesuffix("…"), 10, 10, "length" if reply.endswith("…") else "stop")

    @property
    def last(self) -> str:
        """What the model was told last."""
        return self.requests[-1].messages[-1][1]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    folder.mkdir()
    (folder / "sales.csv").write_text(SALES, encoding="utf-8")
    return folder


@pytest.fixture
def source_map(lake: Path, tmp_path: Path) -> SourceMap:
    return map_lake(lake, scan(lake), tmp_path / "state")


@pytest.fixture
def runtime(source_map: SourceMap, tmp_path: Path) -> Iterator[Runtime]:
    with open_lake_runtime(source_map, tmp_path / "state", tmp_path / "run") as opened:
        yield opened


Asker = Callable[[Task, LanguageModel], Outcome]


@pytest.fixture
def put(runtime: Runtime, source_map: SourceMap) -> Asker:
    """Return what puts a task to a model."""
    return lambda task, model: ask(task, model, runtime, source_map)

"""A session that is replaced when it breaks, and only then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest

from lakebook.errors import SandboxFailed
from lakebook.sandbox.base import CellResult, Evaluation
from lakebook.sandbox.reopening import ReopeningSession


class Fragile:
    """Breaks at the cell "break"."""

    opened: ClassVar[list[Fragile]] = []

    def __init__(self) -> None:
        Fragile.opened.append(self)
        self.closed = False
        self.ended = ""

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        if "break" in cells:
            raise SandboxFailed("it broke.")
        return [CellResult(())], []

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def session() -> ReopeningSession:
    Fragile.opened.clear()
    return ReopeningSession(Fragile)  # type: ignore[arg-type]


def test_it_starts_on_first_use_and_is_kept(session: ReopeningSession) -> None:
    assert not session.is_open
    session.run_forked(["1"])
    session.run_forked(["2"])
    assert len(Fragile.opened) == 1
    assert session.is_open


def test_what_breaks_it_costs_only_itself(session: ReopeningSession) -> None:
    with pytest.raises(SandboxFailed):
        session.run_forked(["break"])
    assert not session.is_open
    assert Fragile.opened[0].closed
    assert session.run_forked(["1"])[0]
    assert len(Fragile.opened) == 2


def test_one_that_ended_meanwhile_costs_nothing(session: ReopeningSession) -> None:
    session.run_forked(["1"])
    Fragile.opened[0].ended = "it was not used for 1800 s"
    assert session.run_forked(["2"])[0]
    assert Fragile.opened[0].closed
    assert len(Fragile.opened) == 2


def test_close_ends_it(session: ReopeningSession) -> None:
    session.close()
    session.run_forked(["1"])
    session.close()
    assert Fragile.opened[0].closed

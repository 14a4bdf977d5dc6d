"""A session that is replaced when it breaks, and only then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
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

    def run(self, code: str, *, seconds: float | None = None) -> CellResult:
        return self.run_forked([code])[0][0]

    @contextmanager
    def copied(self) -> Iterator[None]:
        yield

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


def test_a_copy_ends_with_the_session_that_it_is_of(session: ReopeningSession) -> None:
    reached = []

    def nested() -> None:
        with session.copied():
            session.run("1")
            with session.copied():
                session.run("break")
                reached.append("inner")
            reached.append("outer")

    def swallowed() -> None:
        with session.copied():
            with suppress(SandboxFailed):
                session.run("break")
            session.run("1")  # in a new session it would be another state

    with pytest.raises(SandboxFailed):
        swallowed()
    assert len(Fragile.opened) == 1
    with pytest.raises(SandboxFailed):
        nested()
    assert (reached, len(Fragile.opened), session.is_open) == ([], 2, False)


def test_close_ends_it(session: ReopeningSession) -> None:
    session.close()
    session.run_forked(["1"])
    session.close()
    assert Fragile.opened[0].closed

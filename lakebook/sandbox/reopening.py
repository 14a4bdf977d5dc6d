"""A session that is started when it is first needed, and anew after it broke.

For work that runs one piece of foreign code after the other, each in a fork: a piece that takes the whole
session down costs only itself. What belongs elsewhere: the session itself (`session`), and who needs state
that lasts (they must know when it is lost).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from lakebook.errors import SandboxError, SandboxFailed
from lakebook.sandbox.base import CellResult, Evaluation, Session


class ReopeningSession:
    """Runs in copies of a session that is replaced whenever it fails."""

    def __init__(self, start: Callable[[], Session]) -> None:
        """Prepare; `start` gives a session in the state that every run begins with."""
        self._start = start
        self._session: Session | None = None
        self._copies = 0

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        """Run as `Session.run_forked` does. Raises SandboxError; the next run gets a new session."""
        with self._opened() as session:
            return session.run_forked(cells, evaluate=evaluate, seconds=seconds)

    def run(self, code: str, *, seconds: float | None = None) -> CellResult:
        """Run as `Session.run` does, inside `copied` only: elsewhere the state would be lost unseen."""
        with self._opened() as session:
            return session.run(code, seconds=seconds)

    def evaluate(self, expressions: Sequence[str]) -> list[Evaluation]:
        """Evaluate as `Session.evaluate` does."""
        with self._opened() as session:
            return session.evaluate(expressions)

    @contextmanager
    def copied(self) -> Iterator[None]:
        """Work in a copy as `Session.copied` does. A session that fails inside ends the block too."""
        with self._opened() as session, session.copied():
            self._copies += 1
            try:
                yield
            finally:
                self._copies -= 1

    @contextmanager
    def _opened(self) -> Iterator[Session]:
        if self._copies:
            if self._session is None:
                raise SandboxFailed(
                    "the session whose copy this is has ended.", hint="Leave the block first."
                )
        elif self._session is None or self._session.ended:  # idle for too long, which is no piece's fault
            self.close()
            self._session = self._start()
        try:
            yield self._session
        except SandboxError:
            self.close()
            raise

    @property
    def is_open(self) -> bool:
        """Whether there is a session that has not failed."""
        return self._session is not None

    def close(self) -> None:
        """End the session, if one is open."""
        if self._session is not None:
            self._session.close()
            self._session = None

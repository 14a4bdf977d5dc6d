"""A session that is started when it is first needed, and anew after it broke.

For work that runs one piece of foreign code after the other, each in a fork: a piece that takes the whole
session down costs only itself. What belongs elsewhere: the session itself (`session`), and who needs state
that lasts (they must know when it is lost).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakebook.errors import SandboxError
from lakebook.sandbox.base import CellResult, Evaluation, Session


class ReopeningSession:
    """Forked runs in a session that is replaced whenever it fails."""

    def __init__(self, start: Callable[[], Session]) -> None:
        """Prepare; `start` gives a session in the state that every run begins with."""
        self._start = start
        self._session: Session | None = None

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        """Run as `Session.run_forked` does. Raises SandboxError; the next run gets a new session."""
        if self._session is not None and self._session.ended:  # idle for too long, which is no piece's fault
            self.close()
        if self._session is None:
            self._session = self._start()
        try:
            return self._session.run_forked(cells, evaluate=evaluate, seconds=seconds)
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

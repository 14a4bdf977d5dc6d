from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lakebook.sandbox import owner
from lakebook.sandbox.owner import Owner, is_orphan, mark, read_mark


def other(**changes: object) -> str:
    mine = read_mark(mark())
    assert mine is not None
    return str(mine._replace(**changes))  # type: ignore[arg-type]


def test_a_mark_can_be_read_back_from_a_name() -> None:
    mine = read_mark(mark())
    assert mine == Owner(mine.boot, mine.space, os.getuid(), os.getpid(), mine.started) if mine else False
    assert read_mark(f"lakebook-{mark()}-7.scope") == mine
    assert read_mark("lakebook-session") is None


def test_what_lives_is_no_orphan() -> None:
    assert not is_orphan(mark())


def test_another_process_of_the_same_number_is_gone() -> None:
    assert is_orphan(other(started=1))


def test_a_process_that_ended_is_gone() -> None:
    code = "from lakebook.sandbox.owner import mark; print(mark())"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert is_orphan(ended.strip())


@pytest.mark.parametrize(
    "changes",
    [
        {"boot": "0000aaaa", "started": 1},
        {"space": "1", "started": 1},
        {"started": 1, "user": os.getuid() + 1},
    ],
)
def test_what_is_of_others_or_from_elsewhere_is_left_alone(changes: dict[str, object]) -> None:
    assert not is_orphan(other(**changes))


@pytest.mark.parametrize("text", ["", "1234", "lakebook", "..."])
def test_what_has_no_mark_is_left_alone(text: str) -> None:
    assert not is_orphan(text)


def test_where_starts_cannot_be_read_a_number_that_is_taken_counts_as_alive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(owner, "_started", lambda process: 0)
    assert not is_orphan(other(started=1))
    assert is_orphan(other(process=2**22 - 1, started=1))

"""Frames that code inside forges fail the call or nothing."""

from __future__ import annotations

import contextlib

import pytest

from lakebook.errors import SandboxFailed
from lakebook.sandbox.session import WorkerSession
from tests.integration.attacks.conftest import Opener, attack


def test_frames_printed_to_stdout_are_only_text(session: WorkerSession) -> None:
    code = r"""
        import json, os, struct
        end = {"id": 1, "kind": "end", "ended": "done", "detail": "forged", "dead": False}
        body = json.dumps(end).encode()
        frame = struct.pack(">I", len(body)) + body
        os.write(1, frame)
        os.write(2, frame)
        print(frame)
    """
    assert "forged" in attack(session, code)
    assert session.evaluate(["2 + 2"])[0].value == 4


FORGE = r"""
import json, os, stat, struct
def forge(body):
    for fd in range(3, 200):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode):
                os.write(fd, struct.pack(">I", len(body)) + body)
        except OSError:
            continue
"""


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b"[]",
        b'{"id": 999999, "kind": "end"}',
        b'{"kind": "cell", "cell": {"outputs": "x"}}',
        b"{" * 100_000,
    ],
)
def test_frames_written_to_found_descriptors_fail_the_call_at_most(open_session: Opener, body: bytes) -> None:
    with open_session() as opened:
        try:
            results, _ = opened.run_forked([FORGE, f"forge({body!r})"])
        except SandboxFailed:
            with pytest.raises(SandboxFailed, match="ended"):
                opened.run("1")
        else:
            assert results[-1].ended in ("done", "died")


def test_a_hostile_frame_from_the_state_ends_the_session(open_session: Opener) -> None:
    with open_session() as opened:
        opened.run(FORGE)
        with contextlib.suppress(SandboxFailed):
            opened.run('forge(b\'{"id": 2, "kind": "cell", "cell": {"outputs": [7]}}\')')
        with pytest.raises(SandboxFailed):
            opened.run("1")


def test_killing_everything_in_reach_fails_only_this_session(
    session: WorkerSession, open_session: Opener
) -> None:
    with open_session() as opened:
        results, _ = opened.run_forked(["import os\nos.kill(-1, 9)"])
        assert results[-1].error is not None
        assert results[-1].error.name == "PermissionError"
        with contextlib.suppress(SandboxFailed):
            opened.run("import os\nos.kill(-1, 9)")
    assert session.run("1 + 1").error is None


def test_a_call_after_close_says_so(open_session: Opener) -> None:
    opened = open_session()
    opened.close()
    opened.close()
    with pytest.raises(SandboxFailed, match="closed"):
        opened.run("1")

from __future__ import annotations

import errno

import pytest

from lakebook.sandbox.worker.faults import end_of


def chained(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "ended"),
    [
        (None, "done"),
        (MemoryError(), "memory"),
        (OSError(errno.ENOMEM, "fork"), "memory"),
        (OSError(errno.ENOSPC, "write"), "disk"),
        (OSError(errno.EDQUOT, "write"), "disk"),
        (OSError(errno.EFBIG, "write"), "disk"),
        (chained(ValueError("wrapped"), OSError(errno.ENOSPC, "write")), "disk"),
        (FileNotFoundError(errno.ENOENT, "open"), "error"),
        (OSError("no number"), "error"),
        (ModuleNotFoundError("No module named 'x'"), "error"),
        (KeyboardInterrupt(), "error"),
    ],
)
def test_what_ended_a_cell_is_read_off_its_exception(error: BaseException | None, ended: str) -> None:
    assert end_of(error) == ended


def test_a_ring_of_causes_ends() -> None:
    one, other = ValueError(), ValueError()
    one.__cause__, other.__cause__ = other, one
    assert end_of(one) == "error"

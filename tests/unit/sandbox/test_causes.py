from __future__ import annotations

from typing import get_args

import pytest

from lakebook.sandbox.base import CellError, CellResult, Ended, Limits
from lakebook.sandbox.causes import cause_of, explain, named
from lakebook.sandbox.protocol import Cause, End

LIMITS = Limits(cores=2, memory_mb=300, disk_mb=20, file_mb=5, files=100)


@pytest.mark.parametrize(
    ("ended", "detail", "name", "message"),
    [
        ("cpu", "", "TimeoutError", "timed out after 3 s of CPU time"),
        ("died", "", "ProcessDied", "killed"),
        ("died", "killed by SIGSEGV", "ProcessDied", "killed by SIGSEGV"),
        ("disk", "", "OSError", "disk full at 20 MB"),
        ("files", "", "OSError", "disk full at 100 files"),
        ("memory", "", "MemoryError", "out of memory at 300 MB"),
        ("memory", "together", "MemoryError", "out of memory at 300 MB (together)"),
        ("timeout", "", "TimeoutError", "timed out after 1.5 s"),
    ],
)
def test_each_end_is_told_with_its_number(ended: Cause, detail: str, name: str, message: str) -> None:
    end = End(ended, detail, False)
    assert explain(end, LIMITS, 1.5) == CellError(name, message)
    assert cause_of(end) in get_args(Ended)


@pytest.mark.parametrize(
    ("ended", "said", "told"),
    [
        ("disk", "[Errno 27] File too large", "file full at 5 MB: [Errno 27] File too large"),
        ("disk", "[Errno 28] No space left", "disk full at 20 MB: [Errno 28] No space left"),
        ("error", "[Errno 2] No such file", "[Errno 2] No such file"),
        ("memory", "", "out of memory at 300 MB"),
        ("memory", "Unable to allocate 8 GiB", "out of memory at 300 MB: Unable to allocate 8 GiB"),
    ],
)
def test_an_exception_of_a_limit_begins_with_the_number(ended: Ended, said: str, told: str) -> None:
    result = named(CellResult((), CellError("E", said, ("line",)), ended, 1.0), LIMITS)
    assert result == CellResult((), CellError("E", told, ("line",)), ended, 1.0)


def test_a_result_without_error_stays() -> None:
    assert named(CellResult(()), LIMITS) == CellResult(())

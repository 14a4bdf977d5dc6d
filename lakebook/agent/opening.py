"""The runtime of one question, opened: what the command, the benchmark and the studio share.

Nothing is read or started before it is needed; a sandbox only once Python is to be run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lakebook.agent.kept import Asked
from lakebook.operators.runtime import Runtime
from lakebook.operators.workbench import Workbench, bench_opener
from lakebook.sources.card import SourceMap
from lakebook.sources.profile import table_file
from lakebook.validation.question import read_question

if TYPE_CHECKING:
    from lakebook.sandbox.base import Limits, Sandbox

EXPLORATION, VALIDATION = "exploration", "validation"


@contextmanager
def open_runtime(
    asked: Asked,
    source_map: SourceMap,
    lake: Path,
    state: Path,
    folder: Path,
    sandbox: Callable[[], Sandbox],
    limits: Limits | None = None,
) -> Iterator[Runtime]:
    """Open the runtime of a question, and close it at the end.

    Args:
        asked: the question with its contract and ablations.
        source_map: the cards of the lake.
        lake: its folder.
        state: where tables, passages and indexes are kept.
        folder: of this run; what computations write is kept in it.
        sandbox: chooses the isolation, when it is first needed.
        limits: of the sandbox session.
    """

    def open_bench() -> Workbench:
        return bench_opener(sandbox(), folder, limits=limits)()

    with Runtime(
        source_map,
        lambda card, unit: table_file(state, card, unit),
        question=read_question(asked.question),
        contract=asked.contract,
        validation=VALIDATION not in asked.ablations,
        root=lake,
        kept=state,
        bench=open_bench,
    ) as runtime:
        yield runtime

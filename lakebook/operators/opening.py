"""Opens a runtime over a lake that was mapped: where its tables, index, files and computations are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lakebook.exploration.selection import Selector
from lakebook.operators.runtime import Runtime
from lakebook.operators.workbench import bench_opener
from lakebook.sandbox.base import Limits, Sandbox
from lakebook.sources.card import SourceMap
from lakebook.sources.profile import table_file
from lakebook.validation.contract import Contract
from lakebook.validation.question import Question
from lakebook.validation.repair import Repairing


def open_lake_runtime(
    source_map: SourceMap,
    state: Path,
    folder: Path,
    *,
    root: Path | None = None,
    sandbox: Callable[[], Sandbox] | None = None,
    limits: Limits | None = None,
    question: Question | None = None,
    contract: Contract | None = None,
    validation: bool = True,
    selector: Selector | None = None,
    repairing: Repairing | None = None,
) -> Runtime:
    """Return a runtime with all eight operators; close it when the question is answered.

    Args:
        source_map: the lake's cards.
        state: where its tables, passages and index are kept.
        folder: of this question: its workspace, the files that code writes, and its records are kept there.
        root: the lake itself, for Read of raw lines; None leaves it alone.
        sandbox: finds the isolation when the first Compute runs (`lambda: choose_sandbox(setting)`); None
            refuses Compute.
        limits: of the sandbox's session.
        question: as of `Runtime`, as are the following.
        contract: what the answer was declared to be.
        validation: False switches the rules off.
        selector: the model that chooses among what Search found.
        repairing: mends statements that fail; None leaves them as they are.
    """
    return Runtime(
        source_map,
        partial(table_file, state),
        question=question,
        contract=contract,
        validation=validation,
        root=root,
        kept=state,
        bench=bench_opener(sandbox, folder, limits=limits) if sandbox is not None else None,
        selector=selector,
        repairing=repairing,
    )

"""What must be known before rows are added up: copies of a file, and totals among the loaded rows.

Read from cards only; totals themselves are found by `totals` and by the profilers of workbooks.
"""

from __future__ import annotations

from collections import defaultdict

from lakebook.sources.card import SourceMap, SourceUnit


def find_copies(source_map: SourceMap) -> tuple[tuple[str, ...], ...]:
    """Return the files of a lake that hold the same bytes, by their hashes.

    What nobody reads (ignored, failed) is nobody's copy.

    Returns:
        the paths, a tuple for each content that stands twice or more.
    """
    paths: dict[str, list[str]] = defaultdict(list)
    for card in source_map.cards:
        if card.status in ("ok", "partial") and card.sha256:
            paths[card.sha256].append(card.path)
    return tuple(tuple(same) for same in paths.values() if len(same) > 1)


def loaded_totals(unit: SourceUnit) -> tuple[str, ...]:
    """Return what is said of loaded rows that hold sums of others; `skipped` names those set aside."""
    aside = {text.partition(":")[0] for text in unit.skipped}
    return tuple(text for text in unit.total_rows if text.partition(":")[0] not in aside)

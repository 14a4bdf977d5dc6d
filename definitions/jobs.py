"""The jobs: refresh the sources, refresh the notebooks, or make a whole analysis with all that it needs."""

from __future__ import annotations

import dagster as dg

from lakebook.pipeline import STAGES

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def _selection(*groups: str) -> dg.AssetSelection:
    names = [stage.name for stage in STAGES.values() if stage.group in groups and not stage.observed]
    return dg.AssetSelection.assets(*names)


refresh_sources = dg.define_asset_job(
    "refresh_sources",
    _selection("sources"),
    description="Make the source map of the lake anew where files changed.",
)
refresh_notebooks = dg.define_asset_job(
    "refresh_notebooks", _selection("notebooks"), description="Cut and index the notebooks that changed."
)
analyze = dg.define_asset_job(
    "analyze",
    _selection("sources", "notebooks", "analysis"),
    description="One analysis from lake and corpus to notebook and report; unchanged results stand.",
)
JOBS = (refresh_sources, refresh_notebooks, analyze)

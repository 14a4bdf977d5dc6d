"""The code location: where assets, checks, resources and jobs meet. No logic belongs here.

`build_defs(overrides)` returns fresh definitions for tests and the command line; `defs` is what Dagster
loads, on the lake and corpus of the last run or those that `lakebook.toml` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dagster as dg

from assets import analysis, checks, notebooks, sources
from definitions.automation import refresh_when_changed
from definitions.jobs import JOBS
from resources.configured import configured_project


def build_defs(overrides: Mapping[str, Any] | None = None) -> dg.Definitions:
    """Return the definitions; `overrides` replaces resources by name."""
    resources = dict(overrides or {})
    resources.setdefault("project", configured_project())
    return dg.Definitions(
        assets=[*dg.load_assets_from_modules([sources, notebooks, analysis])],
        asset_checks=checks.ALL,
        jobs=list(JOBS),
        sensors=[refresh_when_changed],
        # Steps share one warm sandbox, and a step costs far less than a process: decision 0002.
        executor=dg.in_process_executor,
        resources=resources,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """Return the definitions that Dagster's own tools load."""
    return build_defs()

"""Asset checks: one for every entry of `lakebook.pipeline.checks`, and Great Expectations on two tables.

One check function has one asset (a function that spans two can be skipped silently), and after each run
the planned checks are compared with the evaluated ones: see `definitions.launch`.
"""

from __future__ import annotations

import dagster as dg

from assets.checks.expectations import EXPECTATIONS
from assets.checks.factory import asset_check_of
from lakebook.pipeline.checks import CHECKS

ALL: list[dg.AssetChecksDefinition] = [*(asset_check_of(check) for check in CHECKS), *EXPECTATIONS]

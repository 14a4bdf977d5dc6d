"""Asset checks: every entry of `lakebook.pipeline.checks`, Great Expectations, every validation rule.

One check function has one asset (a function that spans two can be skipped silently), and after each run
the planned checks are compared with the evaluated ones: see `definitions.launch`.
"""

from __future__ import annotations

import dagster as dg

from assets.checks.expectations import EXPECTATIONS
from assets.checks.factory import asset_check_of
from assets.checks.rules import validation_rules
from lakebook.pipeline.checks import CHECKS

ALL: list[dg.AssetChecksDefinition] = [
    *(asset_check_of(check) for check in CHECKS),
    *EXPECTATIONS,
    validation_rules,
]

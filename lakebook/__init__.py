"""Lakebook: a lake of data files, old notebooks and an intent become a verified analysis notebook.

This package is the domain. It never imports Dagster; `definitions`, `assets` and `resources` hold the
orchestration and call in here. See docs/architecture.md for the map.
"""

__version__ = "0.1.0"

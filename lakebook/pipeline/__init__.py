"""The stages from a lake to a report, as plain functions over a store: one truth for assets, CLI and API.

`stage` says what a stage is and when it is made anew; `sources`, `notebooks` and `analysis` hold the stages
of the three asset groups; `project` is what they work on. Nothing here knows Dagster.
"""

from lakebook.pipeline import analysis, notebooks, sources
from lakebook.pipeline.stage import Stage

STAGES: dict[str, Stage] = {
    stage.name: stage for stage in (*sources.STAGES, *notebooks.STAGES, *analysis.STAGES)
}
"""Every stage by name, each one after all that it depends on."""

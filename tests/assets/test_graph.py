"""The asset graph as Dagster sees it: what exists, what stands before what, which checks guard it."""

from __future__ import annotations

import warnings

import dagster as dg
import pytest

from assets.checks import ALL
from assets.checks.rules import validation_rules
from definitions import build_defs
from lakebook.pipeline import STAGES
from lakebook.pipeline.checks import CHECKS
from lakebook.pipeline.project import Project
from lakebook.validation.registry import rules
from resources.project import ProjectResource

EXPECTED = {
    "sources": ["lake_files", "source_cards", "source_groups", "source_index"],
    "notebooks": ["corpus_notebooks", "notebook_cells", "notebook_components", "component_index"],
    "analysis": [
        "eda_queries",
        "retrieved_components",
        "enhanced_components",
        "eda_plan",
        "execution_records",
        "insights",
        "eda_notebook",
        "eda_report",
    ],
}


@pytest.fixture
def defs(project: Project) -> dg.Definitions:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build_defs({"project": ProjectResource.of(project)})


def test_every_asset_of_the_design_exists_in_its_group() -> None:
    groups: dict[str, list[str]] = {}
    for stage in STAGES.values():
        groups.setdefault(stage.group, []).append(stage.name)
    assert groups == EXPECTED


def test_dagster_knows_every_stage_with_its_group_and_dependencies(defs: dg.Definitions) -> None:
    graph = defs.resolve_asset_graph()
    for stage in STAGES.values():
        node = graph.get(dg.AssetKey(stage.name))
        assert node.group_name == stage.group
        assert {key.to_user_string() for key in node.parent_keys} == set(stage.upstream)
        assert (node.partitions_def is not None) == stage.partitioned
        if not stage.observed:
            assert node.description
            assert node.owners == ["team:lakebook"]
            assert "python" in node.kinds
            assert node.code_version


def test_a_stage_stands_after_all_that_it_reads() -> None:
    seen: set[str] = set()
    for stage in STAGES.values():
        assert set(stage.upstream) <= seen
        seen.add(stage.name)


def test_every_check_is_an_asset_check_and_a_step_of_checks_has_one_asset(defs: dg.Definitions) -> None:
    keys = defs.resolve_asset_graph().asset_check_keys
    names = {(key.asset_key.to_user_string(), key.name) for key in keys}
    assert {(check.asset, check.name) for check in CHECKS} <= names
    assert len(names) == sum(len(list(definition.check_keys)) for definition in ALL)
    for definition in ALL:
        assert len({key.asset_key for key in definition.check_keys}) == 1


def test_every_rule_is_a_check_of_the_records_that_blocks_nothing(defs: dg.Definitions) -> None:
    keys = defs.resolve_asset_graph().asset_check_keys
    names = {key.name for key in keys if key.asset_key.to_user_string() == "execution_records"}
    assert {f"rule_{rule.id}" for rule in rules()} <= names
    assert len(rules()) > 30
    assert not any(spec.blocking for spec in validation_rules.check_specs)


def test_every_materialized_asset_has_a_check() -> None:
    guarded = {check.asset for check in CHECKS}
    assert guarded == {stage.name for stage in STAGES.values() if not stage.observed}


def test_check_names_say_what_holds() -> None:
    names = [check.name for check in CHECKS]
    assert len(set(names)) == len(names)
    assert all(check.description.strip().endswith(".") for check in CHECKS)


def test_the_jobs_can_be_resolved(defs: dg.Definitions) -> None:
    selected = {
        name: {key.to_user_string() for key in defs.resolve_job_def(name).asset_layer.executable_asset_keys}
        for name in ("refresh_sources", "refresh_notebooks", "analyze")
    }
    assert selected["analyze"] == {stage.name for stage in STAGES.values() if not stage.observed}
    assert selected["refresh_sources"] == {"source_cards", "source_groups", "source_index"}

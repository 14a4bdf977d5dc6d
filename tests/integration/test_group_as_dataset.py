"""A group of files as the dataset of an analysis: from the files to the executed notebook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from lakebook.analysis import Analysis
from lakebook.errors import SandboxUnavailable
from lakebook.pipeline import STAGES
from lakebook.pipeline.documents import Inquiry, NotebookRun
from lakebook.pipeline.project import Project, declare_analysis
from lakebook.pipeline.stage import build, is_current
from lakebook.report.verification import changed_sources
from lakebook.sandbox.choose import choose_sandbox


def isolation() -> str:
    try:
        choose_sandbox()
    except SandboxUnavailable as error:
        return str(error)
    return ""


pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(bool(why := isolation()), reason=f"no isolation here: {why}"),
]

YEARS = range(2015, 2020)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five years of ten towns: the names of columns change in the third year, one column comes later."""
    folder = tmp_path_factory.mktemp("lake")
    for year in YEARS:
        old = year < 2017
        lines = ["Town,Happiness Score,Income" if old else "town,happiness_score,income,trust"]
        for town in range(40):
            score = 3 + town / 10 + (year - 2015) / 4 + (town * 7 + year) % 5 / 10
            cells = [f"Town {town}", f"{score:.2f}", f"{1000 + 37 * town + (town * year) % 11}"]
            lines.append(",".join(cells + ([] if old else [f"0.{town:02d}{year % 10}"])))
        (folder / f"{year}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def made(lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, str]]:
    """The analysis, made stage by stage."""
    place = tmp_path_factory.mktemp("place")
    project = Project(state=place / "state", data=lake)
    analysis = Analysis("how did the happiness score change over the years?", "*.csv")
    declare_analysis(project.state, analysis, place / "out")
    stages = [stage for stage in STAGES.values() if stage.name != "eda_report"]
    for stage in stages:
        build(stage, project, analysis.id)
    assert is_current(stages, project, analysis.id), "what was made a moment ago would be made again"
    yield project, analysis.id
    project.close()


def test_every_claim_of_the_executed_notebook_holds(made: tuple[Project, str]) -> None:
    project, partition = made
    run = project.store.read_document("eda_notebook", NotebookRun, partition)
    assert run.error == ""
    assert len(run.checks) >= 10
    assert all(check.holds for check in run.checks)


def test_the_year_is_the_time_of_the_table(made: tuple[Project, str]) -> None:
    project, partition = made
    inquiry = project.store.read_document("eda_queries", Inquiry, partition)
    uses = {column.name: column.use for column in inquiry.table.columns}
    assert uses["year"] == "time"
    assert (inquiry.table.rows, inquiry.table.rows_in_file) == (200, 200)
    assert inquiry.intent.target == "happiness_score"


def test_the_notebook_names_all_files_and_sees_a_changed_one(
    made: tuple[Project, str], lake: Path, tmp_path: Path
) -> None:
    project, partition = made
    run = project.store.read_document("eda_notebook", NotebookRun, partition)
    folder = project.store.folder("eda_notebook", partition)
    notebook = nbformat.read(folder / run.file, as_version=4)
    assert [source["path"] for source in notebook.metadata.lakebook.sources] == [f"{y}.csv" for y in YEARS]
    load = next(cell.source for cell in notebook.cells if cell.id == "load")
    assert all(f'"{year}.csv"' in load for year in YEARS)
    assert changed_sources(notebook, lake) == ()
    for year in YEARS:
        (tmp_path / f"{year}.csv").write_bytes((lake / f"{year}.csv").read_bytes())
    text = (tmp_path / "2018.csv").read_text(encoding="utf-8")
    (tmp_path / "2018.csv").write_text(text.replace("Town 3,", "Town X,"), encoding="utf-8")
    assert changed_sources(notebook, tmp_path) == ("2018.csv",)

"""The benchmark of reruns tells kinds of figures and drawn data apart, and keeps datasets in one half."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
Marks = Mapping[str, Mapping[str, Sequence[Any]]]


@pytest.fixture
def rerunning(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from rerunning import cases, facts, report, verdicts  # type: ignore[import-not-found]

    yield SimpleNamespace(cases=cases, facts=facts, report=report, verdicts=verdicts)
    for name in [
        name for name in sys.modules if name.partition(".")[0] in {"oracle", "rerunning", "enhancement"}
    ]:
        del sys.modules[name]


@pytest.fixture
def driver() -> Iterator[dict[str, Any]]:
    """Both halves of the driver, as they stand in a sandbox."""
    names: dict[str, Any] = {"__name__": "driver"}
    for part in ("figure_driver.py", "drawn_driver.py"):
        exec((BENCHMARKS / "oracle" / part).read_text(encoding="utf-8"), names)
    yield names
    names["plt"].close("all")


def axes(**marks: Any) -> dict[str, Any]:
    return {"marks": marks, "labels": ["", ""], "title": "", "ticks": 0}


def bars(*heights: float) -> dict[str, Any]:
    spread = [float(value) for value in np.percentile(heights, [0, 25, 50, 75, 100])]
    width = [len(heights), *[0.8] * 6]
    return axes(bar={"x": width, "y": [len(heights), *spread, float(np.mean(heights))]})


def shown(driver: dict[str, Any], code: str) -> list[dict[str, Any]]:
    """Draw and return the axes that the driver notes."""
    driver["_shown"].clear()
    exec(code, driver)
    driver["collect"]()
    return [one for _, text, _ in driver["_shown"] for one in json.loads(text)]


def test_the_same_bars_are_the_same_figure(rerunning: SimpleNamespace) -> None:
    likeness = rerunning.facts.compare([bars(1, 2, 3)], [bars(1, 2, 3)], [bars(1, 2, 3)])
    assert (likeness.kind, likeness.data, likeness.extra) == (True, True, 0)


def test_other_heights_are_the_same_kind_with_other_data(rerunning: SimpleNamespace) -> None:
    likeness = rerunning.facts.compare([bars(1, 2, 3)], [bars(1, 2, 3)], [bars(1, 2, 9)])
    assert (likeness.kind, likeness.data) == (True, False)


def test_a_line_is_not_a_bar(rerunning: SimpleNamespace) -> None:
    line = axes(line={"x": [2, 0, 0, 0, 1, 1, 0.5], "y": [2, 0, 0, 0, 1, 1, 0.5]})
    assert not rerunning.facts.compare([bars(1, 2)], [bars(1, 2)], [line]).kind


def test_what_differs_between_two_runs_of_the_oracle_is_not_asked_for(rerunning: SimpleNamespace) -> None:
    likeness = rerunning.facts.compare([bars(1, 2, 3)], [bars(4, 2, 3)], [bars(1, 2, 9)])
    assert likeness.data


def test_a_missing_axes_is_the_wrong_kind_and_one_too_many_is_counted(rerunning: SimpleNamespace) -> None:
    two, one = [bars(1, 2), bars(3, 4)], [bars(1, 2)]
    assert not rerunning.facts.compare(two, two, one).kind
    assert rerunning.facts.compare(one, one, two).extra == 1


def test_wider_bars_are_a_matter_of_style(rerunning: SimpleNamespace) -> None:
    wide = bars(1, 2, 3)
    wide["marks"]["bar"]["x"] = [3, *[0.5] * 6]
    assert rerunning.facts.compare([bars(1, 2, 3)], [bars(1, 2, 3)], [wide]).data


def test_a_single_bar_is_hard_to_read_and_three_are_not(rerunning: SimpleNamespace) -> None:
    assert rerunning.facts.hard_to_read([bars(5)])
    assert not rerunning.facts.hard_to_read([bars(5, 6, 7)])


@pytest.mark.parametrize(
    ("code", "mark"),
    [
        ("plt.bar(['a', 'b'], [3, 4])", "bar"),
        ("plt.imshow(np.eye(3))", "image"),
        ("plt.pie([1, 2])", "pie"),
        ("plt.plot([1, 2, 3])", "line"),
        ("plt.scatter([1, 2], [3, 4])", "point"),
        ("sns.boxplot(x=[1, 2, 3, 9])", "box"),
    ],
)
def test_marks_are_read(driver: dict[str, Any], rerunning: SimpleNamespace, code: str, mark: str) -> None:
    found = shown(driver, code)
    assert [rerunning.facts.main_mark(one) for one in found] == [mark]


def test_an_empty_figure_has_no_marks(driver: dict[str, Any], rerunning: SimpleNamespace) -> None:
    driver["_shown"].clear()
    exec("plt.plot([])", driver)
    driver["collect"]()
    assert rerunning.facts.axes_of(driver["_shown"]) == []


def test_one_dataset_is_in_one_half_whatever_its_file_is_called(rerunning: SimpleNamespace) -> None:
    source = SimpleNamespace(path=Path("repo/x.ipynb"), dataset="x")
    names = ["SampleSuperstore.csv", "superstore_2019.csv", "Sample - Superstore.csv"]
    families = {rerunning.cases.family_of(source, [name]) for name in names}
    assert families == {"superstore"}


def test_a_short_name_inside_another_word_names_no_dataset(rerunning: SimpleNamespace) -> None:
    source = SimpleNamespace(path=Path("repo/x.ipynb"), dataset="multiple")
    assert rerunning.cases.family_of(source, ["multiple.csv"]) == "multiple"


def test_the_truth_of_a_vintage_has_the_old_names_dates_and_values(
    rerunning: SimpleNamespace, tmp_path: Path
) -> None:
    new = tmp_path / "new.csv"
    new.write_text("day;place;extra\n1/31/2020;Total U.S.;9\n", encoding="utf-8")
    vintage = rerunning.cases.Vintage(
        "v",
        "f",
        (),
        "new.csv",
        names={"day": "Date", "place": "region"},
        dates={"Date": ["%m/%d/%Y", "%Y-%m-%d"]},
        values={"region": {"Total U.S.": "TotalUS"}},
        index="No",
    )
    rerunning.cases.make_truth(vintage, new, tmp_path / "truth.csv", ["No", "Date", "region", "gone"])
    table = pd.read_csv(tmp_path / "truth.csv")
    assert table.to_dict("list") == {"No": [0], "Date": ["2020-01-31"], "region": ["TotalUS"]}


def test_every_vintage_of_the_labels_is_read(rerunning: SimpleNamespace) -> None:
    vintages = rerunning.cases.read_vintages()
    assert len({vintage.name for vintage in vintages}) == len(vintages) > 10
    assert all(vintage.columns and vintage.new for vintage in vintages)


def test_a_color_bar_is_no_chart(driver: dict[str, Any], rerunning: SimpleNamespace) -> None:
    driver["_shown"].clear()
    exec("sns.heatmap(np.eye(3))", driver)
    driver["collect"]()
    assert len(rerunning.facts.axes_of(driver["_shown"])) == 1


def test_labels_whose_figure_was_seen_stand_apart(
    rerunning: SimpleNamespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from rerunning.repairs import LABELS, SEEN, print_precision  # type: ignore[import-not-found]

    labels = [
        {"kind": "one", "verdict": "right", "seen": "figure"},
        {"kind": "one", "verdict": "wrong", "seen": "difference"},
    ]
    file = tmp_path / "labels.json"
    file.write_text(json.dumps(labels), encoding="utf-8")
    print_precision(file)
    seen, unseen = capsys.readouterr().out.split("without the figure")
    assert [int(number) for number in seen.split("\n  one")[1].split()[:3]] == [1, 0, 0]
    assert [int(number) for number in unseen.split("\n  one")[1].split()[:3]] == [0, 0, 1]

    places = [
        tuple(label[name] for name in ("repository", "path", "cell", "kind", "stratum"))
        for label in json.loads(LABELS.read_text(encoding="utf-8"))
    ]
    assert len(places) == len(set(places))
    assert {label["seen"] for label in json.loads(LABELS.read_text(encoding="utf-8"))} == set(SEEN)


def test_what_delivered_code_calls_is_there_when_it_is_drawn_again(rerunning: SimpleNamespace) -> None:
    from rerunning.product import _helpers  # type: ignore[import-not-found]

    from lakebook.enhancement.adapted import Adapted
    from lakebook.enhancement.script import Script

    adapted = Adapted(None, "component_1", Script([]), "lake", {"new": "old"})  # type: ignore[arg-type]
    code = "\n".join((*adapted.tail(), "bars_for_wedges(plt.gcf().axes[0])", "own_function()"))
    names: dict[str, Any] = {}
    exec(_helpers(code), names)
    assert {"relabel", "bars_for_wedges"} <= set(names)
    assert "keep_longest" not in names
    assert "own_function" not in names


def test_only_the_named_cases_are_run_in_their_order(
    rerunning: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import enhancement  # type: ignore[import-not-found]

    cases = [SimpleNamespace(folder=Path(name)) for name in ("a", "b", "c")]
    file = tmp_path / "cases.txt"
    file.write_text("c\n\na\n", encoding="utf-8")
    assert [case.folder.name for case in enhancement._wanted(cases, file)] == ["c", "a"]
    assert enhancement._wanted(cases, None) == cases
    file.write_text("d\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="no such case in the chosen part: d"):
        enhancement._wanted(cases, file)

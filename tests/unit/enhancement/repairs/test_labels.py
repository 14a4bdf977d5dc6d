"""Fixed labels over counted values."""

from __future__ import annotations

from typing import Any

import pytest

from lakebook.enhancement.repairs.labels import FIXES

(LABELS,) = FIXES


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "plt.pie(df['show'].value_counts(), labels=['TV Shows', 'Movies'])",
            "plt.pie(df['show'].value_counts(), labels=df['show'].value_counts().index)",
        ),
        (
            "c = df['show'].value_counts()\nplt.pie(c.values, labels=['Series', 'Films'])",
            "c = df['show'].value_counts()\nplt.pie(c.values, labels=c.index)",
        ),
        (
            "df['sex'].value_counts().plot.pie(labels=['Female', 'Male'])",
            "df['sex'].value_counts().plot.pie(labels=df['sex'].value_counts().index)",
        ),
    ],
)
def test_values_name_themselves_where_labels_would_stand_over_others(
    before: str, after: str, mend: Any
) -> None:
    code, repairs = mend(LABELS, before)
    assert code == after
    assert [(repair.kind, repair.changes_meaning) for repair in repairs] == [("own_labels", True)]


@pytest.mark.parametrize(
    "code",
    [
        "plt.pie(df['show'].value_counts(), labels=['Movies', 'TV Shows'])",
        "plt.pie(df['sex'].value_counts(), labels=['Male', 'Female'])",
        "plt.pie(df['show'].value_counts(), labels=['', ''])",
        "plt.pie(df['show'].value_counts())",
        "plt.pie([3, 4], labels=['a', 'b'])",
        "plt.pie(df['show'].value_counts(), labels=names)",
    ],
)
def test_labels_that_fit_are_left_alone(code: str, mend: Any) -> None:
    assert mend(LABELS, code) == (code, ())


def test_labels_over_codes_are_marked(mend: Any) -> None:
    line = "plt.pie(df['Survived'].value_counts(), labels=['Died', 'Lived'])"
    code, repairs = mend(LABELS, line)
    assert code == line
    assert [(r.kind, r.before, r.after) for r in repairs] == [("doubtful_labels", line, line)]
    assert repairs[0].changes_meaning

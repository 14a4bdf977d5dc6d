"""Errors carry where and hint, survive pickling, and mean the exit codes of the contract."""

from __future__ import annotations

import pickle

import pytest

from lakebook import errors


def test_the_text_holds_place_cause_and_next_step() -> None:
    error = errors.SourceError("row 3 has no end.", where="a.csv:3", hint="Close the quote.")
    assert str(error) == "a.csv:3: row 3 has no end. Close the quote."


@pytest.mark.parametrize(
    "error",
    [
        errors.SourceError("m", where="w", hint="h"),
        errors.DatasetNotFound("sale.csv", ["sales.csv"]),
        errors.RejectedInvocation("m"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_survive_pickling(error: errors.LakebookError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.LakebookError, 1),
        (errors.SandboxUnavailable, 1),
        (errors.UsageError, 2),
        (errors.SettingsError, 2),
        (errors.RejectedInvocation, 3),
        (errors.CheckFailed, 3),
    ],
)
def test_exit_codes(kind: type[errors.LakebookError], code: int) -> None:
    assert kind.exit_code == code


def test_a_missing_dataset_offers_the_nearest_names() -> None:
    assert "sales.csv" in str(errors.DatasetNotFound("sale.csv", ["sales.csv"]))
    assert "lakebook sources" in str(errors.DatasetNotFound("x", []))

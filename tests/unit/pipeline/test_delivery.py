"""What the notebook says beside its findings: the title, and columns read with reservations."""

from __future__ import annotations

from lakebook.pipeline.delivery import reservations
from lakebook.sources.card import Column, SourceCard, SourceUnit


def card(*columns: Column) -> SourceCard:
    unit = SourceUnit("", "table", "sales", columns=columns)
    return SourceCard("sales.csv", "ok", "csv", 1, "0" * 64, units=(unit,))


def test_columns_with_warnings_are_named_in_the_limits() -> None:
    clean = Column("sales", "sales", "number", "measure", 0, 3)
    doubtful = Column("day", "day", "date", "time", 0, 3, warnings=("day and month may be swapped",))
    assert reservations([card(clean, doubtful)], "") == (
        "\n- Read with reservations, which stand under *The files*: `day`."
    )


def test_nothing_is_said_of_clean_columns_or_of_other_units() -> None:
    doubtful = Column("day", "day", "date", "time", 0, 3, warnings=("ambiguous",))
    assert reservations([card(Column("sales", "sales", "number", "measure", 0, 3))], "") == ""
    assert reservations([card(doubtful)], "Sheet1") == ""

"""Dates in questions, paths, texts and columns."""

from __future__ import annotations

import pytest

from lakebook.exploration.periods import period_of_path, period_of_text, periods_of_question, years_of_units
from lakebook.sources.card import Column, SourceUnit, ValueCount

YEAR_2013 = (20130101, 20131231)


@pytest.mark.parametrize(
    ("question", "periods"),
    [
        ("the 2013 season", (YEAR_2013,)),
        ("from 2002 to 2010", ((20020101, 20101231),)),
        ("between 2010 and 2002", ((20020101, 20101231),)),
        ("March 2014 vs July 2018", ((20140301, 20140331), (20180701, 20180731))),
        ("May 10-13, 2024", ((20240510, 20240513),)),
        ("between March 3 and April 5, 2021", ((20210303, 20210405),)),
        ("from January to March 2020", ((20200101, 20200331),)),
        ("on 3 May 2021", ((20210503, 20210503),)),
        ("2018-10-01 to 2018-10-10", ((20181001, 20181010),)),
        ("2018-10-01", ((20181001, 20181001),)),
        ("since Jan 2000", ((20000101, 29991231),)),
        ("since 2020", ((20200101, 29991231),)),
        ("in the 1990s", ((19900101, 19991231),)),
        ("2002\N{EN DASH}2004", ((20020101, 20041231),)),
        ("over 100k people, 1234567 rows, in room 12013", ()),
        ("may it rain", ()),
    ],
)
def test_periods_of_questions(question: str, periods: tuple[tuple[int, int], ...]) -> None:
    assert periods_of_question(question) == periods


@pytest.mark.parametrize(
    ("path", "period"),
    [
        ("omni-wu334-20160824_to_20161023.csv", (20160824, 20161023)),
        ("a/x_20190901T235942_20190902T235942_0201.sp3", (20190901, 20190902)),
        ("POD_2024_03_v02.txt", (20240301, 20240331)),
        ("sales-2020-03-05.csv", (20200305, 20200305)),
        ("water-2013.csv", YEAR_2013),
        ("x_2019-2021.csv", (20190101, 20211231)),
        ("year=2020/month=1/a.parquet", (20200101, 20201231)),
        ("id_99887766.csv", None),
        ("plain.csv", None),
    ],
)
def test_period_of_path(path: str, period: tuple[int, int] | None) -> None:
    assert period_of_path(path) == period


def test_period_of_text() -> None:
    assert period_of_text(":Issued: 2025 Mar 09 1230 UTC") == (20250309, 20250309)
    assert period_of_text("written 2024-02-01") == (20240201, 20240201)
    assert period_of_text("nothing") is None


def column(name: str, kind: str, low: str, high: str, **more: object) -> Column:
    return Column(name, name, kind, "time", 0, 3, min=low, max=high, **more)  # type: ignore[arg-type]


def test_years_of_columns() -> None:
    dates = column("day", "date", "2019-05-01", "2021-01-01")
    listed = tuple(ValueCount(year, 1) for year in ("2001", "2005"))
    years = column("year", "integer", "2001", "2005", values=listed, values_complete=True)
    amounts = Column("amount", "amount", "integer", "measure", 0, 3, min="1900", max="2100")
    wide = Column("1998", "1998", "number", "measure", 0, 3)
    unit = SourceUnit("", "table", "t", columns=(dates, years, amounts, wide))
    assert years_of_units([unit]) == (1998, 2001, 2005, 2019, 2020, 2021)

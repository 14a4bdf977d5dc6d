"""The question against the operations: wrong ones are told, right ones of many shapes are not."""

from __future__ import annotations

import pytest

from lakebook.operators.record import DataInput, ExecutionRecord, Finding
from lakebook.sources.card import ValueCount
from lakebook.validation.contract import Contract
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Enumeration, Knowledge
from lakebook.validation.question import read_question
from lakebook.validation.registry import check


def query(sql: str, number: int = 1, output: str = "", source: str = "flights.csv") -> ExecutionRecord:
    return ExecutionRecord(
        f"r{number:03d}", "Query", "", {"sql": sql}, inputs=(DataInput(source, ""),), output=output
    )


def compute(code: str) -> ExecutionRecord:
    return ExecutionRecord("r001", "Compute", "", {"code": code}, inputs=(DataInput("flights.csv", ""),))


def said(question: str, knowledge: Knowledge, *records: ExecutionRecord) -> list[Finding]:
    invocation = Invocation(
        "Answer", question=read_question(question), records=records, references=(records[-1].id,)
    )
    found = check(invocation, knowledge, "before")
    return [finding for finding in found if finding.rule.startswith("W")]


MEDIAN = "What is the median distance?"
PER = "What is the average distance per carrier?"
TOP = "Which are the top 5 carriers by total distance?"
HIGHEST = "Which carrier has the highest total distance?"
SHARE = "What share of flights had a departure delay?"
BETWEEN = "How many flights were there between 2015 and 2018?"
WITHOUT = "What is the average distance excluding JFK?"
DISTINCT = "How many distinct carriers flew?"
ABOVE = "How many flights are longer than 1000, that is, more than 1000 miles?"
NAMED = "How long were flights from Newark on average?"
FIRST_TEN = "select carrier, sum(distance) d from flights group by 1 order by d desc limit 10"
RISING = "select carrier, sum(distance) d from flights group by 1 order by d limit 1"


@pytest.mark.parametrize(
    ("question", "record", "rule"),
    [
        (MEDIAN, query("select avg(distance) from flights"), "W1"),
        (MEDIAN, compute("df = pd.read_csv('f.csv')\nprint(df['distance'].mean())"), "W1"),
        ("What is the total distance?", query("select avg(distance) from flights"), "W1"),
        ("Give the correlation of delay and distance", query("select avg(distance) from flights"), "W1"),
        (PER, query("select avg(distance) from flights"), "W2"),
        (PER, compute("df['distance'].mean()"), "W2"),
        ("Average distance by origin", query("select avg(distance) from flights"), "W2"),
        ("What is the average of average_delay?", query("select median(average_delay) from flights"), "W1"),
        ("What is the most common carrier?", query(RISING), "W7"),
        (DISTINCT, query("select count(carrier) from flights"), "W3"),
        (DISTINCT, compute("len(df['carrier'])"), "W3"),
        (SHARE, query("select count(*) from flights where dep_delay > 0"), "W4"),
        (BETWEEN, query("select count(*) from flights"), "W5"),
        (BETWEEN, compute("len(df)"), "W5"),
        ("How many flights were there in 2016?", query("select count(*) from flights"), "W5"),
        (ABOVE, query("select 1 from flights where distance > 100"), "W5"),
        (WITHOUT, query("select avg(distance) from flights where origin = 'JFK'"), "W6"),
        (WITHOUT, compute("df['distance'].mean()"), "W6"),
        (TOP, query(FIRST_TEN), "W7"),
        (HIGHEST, query(RISING), "W7"),
    ],
)  # fmt: skip
def test_what_is_asked_and_not_done(
    question: str, record: ExecutionRecord, rule: str, knowledge: Knowledge
) -> None:
    found = said(question, knowledge, record)
    assert rule in {finding.rule for finding in found}
    for finding in found:
        assert finding.action == "advise"
        assert finding.observed
        assert finding.hint


@pytest.mark.parametrize(
    ("question", "record"),
    [
        (MEDIAN, query("select median(distance) from flights")),
        (MEDIAN, query("select quantile_cont(distance, 0.5) from flights")),
        (MEDIAN, compute("df['distance'].median()")),
        (MEDIAN, compute("np.percentile(df['distance'], 50)")),
        (MEDIAN, compute("def mid(x):\n    return sorted(x)[len(x) // 2]\nmid(list(df['distance']))")),
        ("What is the average distance?", query("select sum(distance) / count(*) from flights")),
        ("What is the highest average price?", query("select max(average_price) from prices")),
        (PER, query("select carrier, avg(distance) from flights group by carrier")),
        (PER, query("select distinct carrier, avg(distance) over (partition by carrier) from flights")),
        (PER, compute("df.groupby('carrier')['distance'].mean()")),
        (PER, compute("{c: df[df['carrier'] == c]['distance'].mean() for c in set(df['carrier'])}")),
        ("Top 5 carriers by distance", query(FIRST_TEN.replace("10", "5"))),
        ("Total distance, sorted by origin", query("select sum(distance) from flights")),
        ("Who has the highest rank?", query("select carrier from flights order by rank limit 1")),
        ("What is the total number of flights?", query("select count(*) from flights")),
        ("What is the GDP per capita?", query("select gdp_per_capita from countries")),
        (DISTINCT, query("select count(distinct carrier) from flights")),
        (DISTINCT, query("select count(*) from (select carrier from flights group by carrier)")),
        (DISTINCT, compute("df['carrier'].nunique()")),
        (SHARE, query("select avg((dep_delay > 0)::int) from flights")),
        (SHARE, query("select count(*) filter (where dep_delay > 0) / count(*) from flights")),
        (SHARE, compute("(df['dep_delay'] > 0).mean()")),
        (BETWEEN, query("select count(*) from flights where year between 2015 and 2018")),
        (BETWEEN, query("select count(*) from flights where day >= '2015-01-01' and day < '2019-01-01'")),
        (BETWEEN, query("select count(*) from flights", source="flights_2015_2018.csv")),
        (BETWEEN, compute("df[df['year'].between(2015, 2018)].shape[0]")),
        (WITHOUT, query("select avg(distance) from flights where origin <> 'JFK'")),
        (WITHOUT, query("select avg(distance) from flights where origin not in ('JFK')")),
        (WITHOUT, compute("df[~(df['origin'] == 'JFK')]['distance'].mean()")),
        ("What is the mean distance, excluding missing values?", query("select avg(distance) from flights")),
        (TOP, query("select carrier, sum(distance) d from flights group by 1 order by d desc limit 5")),
        (TOP, compute("df.groupby('carrier')['distance'].sum().nlargest(5)")),
        (HIGHEST, query("select carrier, sum(distance) d from flights group by 1 order by d desc limit 1")),
        (HIGHEST, compute("df.groupby('carrier')['distance'].sum().idxmax()")),
        (ABOVE, query("select count(*) from flights where distance > 1000")),
        ("Is the p-value of the test less than 0.05?", compute("stats.ttest_ind(a, b)")),
        (f"Show the flights\n{MEDIAN} Round to 2 decimals.", query("select avg(distance) from flights")),
        ("List all flights", query("select * from flights")),
    ],
)  # fmt: skip
def test_what_is_asked_and_done(question: str, record: ExecutionRecord, knowledge: Knowledge) -> None:
    assert said(question, knowledge, record) == []


def test_a_named_value_must_play_a_part(knowledge: Knowledge) -> None:
    values = tuple(ValueCount(town, 1) for town in ("Newark", "Kennedy"))
    knowledge.enumerations["flights", "origin"] = Enumeration(values, complete=True)
    (finding,) = said(NAMED, knowledge, query("select avg(distance) from flights"))
    assert finding.rule == "W9"
    assert "Newark" in finding.message
    assert said(NAMED, knowledge, query("select avg(distance) from flights where origin = 'Newark'")) == []
    assert said(NAMED, knowledge, query("select origin, avg(distance) from flights group by 1")) == []


def test_operations_behind_a_kept_result_count_too(knowledge: Knowledge) -> None:
    first = query("select carrier, median(distance) m from flights group by 1", 1, "medians")
    last = query("select avg(m) from medians", 2, source="result medians")
    assert said("What is the average of the median distance per carrier?", knowledge, first, last) == []
    other = query("select avg(distance) from flights", 2)
    (finding,) = said("What is the median distance?", knowledge, first, other)
    assert finding.rule == "W1"  # the first is no part of this answer


def test_digits_after_the_point(knowledge: Knowledge) -> None:
    question = read_question("What is the mean distance, rounded to two decimal places?")
    records = (query("select avg(distance) from flights"),)

    def rounding(value: float, contract: Contract | None = None) -> list[str]:
        invocation = Invocation(
            "Answer", question=question, records=records, references=("r001",), value=value, contract=contract
        )
        return [one.hint for one in check(invocation, knowledge, "before") if one.rule == "W8"]

    assert rounding(3.14159) == ["Give 3.14."]
    assert rounding(3.14) == []
    assert rounding(3.14159, Contract(decimals=2)) == []  # the contract has a rule of its own


def test_without_a_question_or_what_can_be_read_nothing_is_said(knowledge: Knowledge) -> None:
    record, broken, asked = query("select avg(distance) from flights"), query("selec"), read_question(MEDIAN)
    for records, question in (((record,), None), ((broken,), asked), ((), asked)):
        invocation = Invocation("Answer", question=question, records=records)
        assert [one for one in check(invocation, knowledge, "before") if one.rule[0] == "W"] == []

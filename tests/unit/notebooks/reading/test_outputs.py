import pytest

from lakebook.notebooks.component import ShownColumn
from lakebook.notebooks.reading.outputs import evidence

LOADED = "df = pd.read_csv('a.csv')\n"


def table(names: list[str], rows: list[list[str]]) -> dict[str, object]:
    head = "".join(f"<th>{name}</th>" for name in ["", *names])
    body = "".join(
        f"<tr><th>{label}</th>{''.join(f'<td>{value}</td>' for value in values)}</tr>"
        for label, *values in rows
    )
    html = f'<table class="dataframe"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return {"output_type": "execute_result", "data": {"text/html": html}}


HEAD = table(["Region", "Price"], [["0", "North", "1.5"], ["1", "South &amp; West", "NaN"]])
QUARTILES = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]
DESCRIBED = table(["Price"], [[label, str(number)] for number, label in enumerate(QUARTILES)])


def test_the_first_rows_of_a_loaded_table_are_values_of_its_columns() -> None:
    assert evidence(LOADED + "df.head()", [HEAD], set()) == (
        ShownColumn("Region", values=("North", "South & West")),
        ShownColumn("Price", values=("1.5",)),
    )


@pytest.mark.parametrize("line", ["df", "df.tail(3)", "display(df.sample(5))", "df.head();  # look"])
def test_other_ways_to_show_rows(line: str) -> None:
    assert len(evidence(LOADED + line, [HEAD], set())) == 2


@pytest.mark.parametrize(
    "line",
    [
        "df.groupby('Region').mean()",
        "other.head()",
        "df.corr()",
        "df.head().T",
        "grouped = df.groupby('a').sum()\ngrouped",
    ],
)
def test_tables_that_are_no_rows_tell_nothing(line: str) -> None:
    assert evidence(LOADED + line, [HEAD], set()) == ()


def test_a_name_that_holds_an_aggregate_later_tells_nothing_from_then_on() -> None:
    loaded = {"df"}

    evidence("df = df.groupby('Region').mean()", [], loaded)

    assert evidence("df.head()", [HEAD], loaded) == ()


def test_a_description_gives_quartiles() -> None:
    expected = (ShownColumn("Price", "number", quartiles=(3.0, 4.0, 5.0, 6.0, 7.0)),)

    assert evidence(LOADED + "df.describe()", [DESCRIBED], set()) == expected
    turned = table(QUARTILES, [["Price", *map(str, range(8))]])
    assert evidence(LOADED + "df.describe().T", [turned], set()) == expected


def test_a_description_of_text_gives_none() -> None:
    text = table(["Name"], [["count", "3"], ["unique", "2"], ["top", "a"], ["freq", "2"]])

    assert evidence(LOADED + "df.describe()", [text], set()) == ()


@pytest.mark.parametrize(
    "text",
    [
        " #   Column     Non-Null Count  Dtype\n 0   Unit Price  9 non-null      float64\n"
        " 1   When        9 non-null      datetime64[ns]\n 2   Name        9 non-null      object\n",
        "Unit Price  9 non-null float64\nWhen        9 non-null datetime64[ns]\nName  9 non-null object\n",
    ],
)
def test_info_gives_types_but_object_may_be_anything(text: str) -> None:
    stream = {"output_type": "stream", "text": text.splitlines(keepends=True)}

    assert evidence(LOADED + "df.info()", [stream], set()) == (
        ShownColumn("Unit Price", "number"),
        ShownColumn("When", "datetime"),
    )
    assert evidence("df.info()", [stream], set()) == ()


def test_secrets_in_outputs_are_not_kept() -> None:
    shown = table(["password", "note"], [["0", "hunter2", "AKIAABCDEFGHIJKLMNOP"], ["1", "x", "plain"]])

    assert evidence(LOADED + "df.head()", [shown], set()) == (ShownColumn("note", values=("***", "plain")),)


def test_a_table_with_two_rows_of_heads_tells_nothing() -> None:
    html = '<table class="dataframe"><thead><tr><th></th><th colspan="2">a</th></tr></thead></table>'

    assert evidence(LOADED + "df", [{"data": {"text/html": html}}], set()) == ()

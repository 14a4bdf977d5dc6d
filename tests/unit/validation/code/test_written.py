"""Rules on code as it is written: no table is needed."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    "code", ["df['a'].fillna(0, inplace=True)", "df['a'].replace('x', 'y', inplace=True)\nprint(df)"]
)
def test_o12_rejects_what_changes_a_copy_of_a_column(found: Any, code: str) -> None:
    (finding,) = found(code, "O12")
    assert finding.hint == f"Assign it: df['a'] = df['a'].{code.split('.')[1].split('(')[0]}(…)."


@pytest.mark.parametrize(
    "code", ["df.fillna(0, inplace=True)", "s.fillna(0, inplace=True)", "df['a'].fillna(0)"]
)
def test_o12_is_silent_on_frames_and_series_of_their_own(found: Any, code: str) -> None:
    assert found(code, "O12") == []


@pytest.mark.parametrize("handler", ["except: pass", "except Exception:\n    pass", "except Exception: ..."])
def test_o14_advises_on_a_swallowed_exception(found: Any, handler: str) -> None:
    assert len(found(f"try:\n    x = load()\n{handler}", "O14py")) == 1


@pytest.mark.parametrize(
    "handler",
    [
        "except ValueError:\n    pass",
        "except Exception as error:\n    print(error)",
        "except Exception:\n    raise",
    ],
)
def test_o14_is_silent_on_expected_or_told_exceptions(found: Any, handler: str) -> None:
    assert found(f"try:\n    x = load()\n{handler}", "O14py") == []


@pytest.mark.parametrize(
    "code", ["df[df.a == 1 & df.b]", "df[df.a == 1 & df.b == 2]", "df[df['a'] > 3 | df['b']]"]
)
def test_f6_rejects_missing_parentheses(found: Any, code: str) -> None:
    assert {finding.action for finding in found(code, "F6py")} == {"reject"}


@pytest.mark.parametrize("code", ["df[(df.a == 1) & (df.b == 2)]", "x == (mask & other)", "flags == 1 & 3"])
def test_f6_is_silent_on_parentheses_and_bits(found: Any, code: str) -> None:
    assert found(code, "F6py") == []


@pytest.mark.parametrize(
    "code", ["df[df['a'] == np.nan]", "df['a'] != pd.NA", "orders[orders['region'] == None]"]
)
def test_f8_rejects_equality_with_what_is_missing(found: Any, code: str) -> None:
    assert [finding.action for finding in found(code, "F8py")] == ["reject"]


@pytest.mark.parametrize(
    "code", ["df[df['a'].isna()]", "options['a'] == None", "x is None", "df['a'] == 'nan'"]
)
def test_f8_is_silent_on_other_tests(found: Any, code: str) -> None:
    assert found(code, "F8py") == []


INVENTED = (
    "import pandas as pd\n"
    "df = pd.DataFrame({'region': ['north', 'south', 'west'], 'amount': [10.5, 20.1, 7.3],\n"
    " 'size': [1, 2, 3]})\n"
)


def test_o10_rejects_a_known_table_written_out_and_advises_on_other_data(found: Any) -> None:
    (finding,) = found(INVENTED + "df['amount'].sum()", "O10py", bound=False)
    assert finding.action == "reject"
    assert finding.hint == "Compute over orders."
    assert [one.action for one in found(INVENTED, "O10py")] == ["advise"]
    other = INVENTED.replace("region", "planet").replace("amount", "mass").replace("size", "moons")
    assert [one.action for one in found(other, "O10py", bound=False)] == ["advise"]


@pytest.mark.parametrize(
    "code",
    [
        "pd.DataFrame({'statistic': ['mean', 'sd'], 'value': [1.5, 2.5]})",
        "pd.DataFrame({'region': names, 'amount': sums})",
        "pd.DataFrame({'name': ['a', 'b', 'c'], 'text': ['x', 'y', 'z']})",
        "{'north': 1, 'south': 2}",
    ],
)
def test_o10_is_silent_on_small_results_and_computed_ones(found: Any, code: str) -> None:
    assert found("import pandas as pd\n" + code, "O10py", bound=False) == []

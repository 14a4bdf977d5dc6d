import pytest

from lakebook.notebooks.bare_code import bare_code


@pytest.mark.parametrize(
    ("code", "bare"),
    [
        ("df = read('/home/ann/pay.csv')  # Ann's", "df = read('…')"),
        ("df[df['city'] == 'Rome']['pay'].hist()", "df[df['city'] == '…']['pay'].hist()"),
        ("df['pay'].plot(kind='bar')", "df['pay'].plot(kind='bar')"),
        ("x = df[df.pay > 51234.5][:5]", "x = df[df.pay > 0][:5]"),
        ("plt.title(f'Pay of {name} in 2019')", "plt.title(f'{name}')"),
        ("key = b'secret'\nz = 3j + True", "key = '…'\nz = 0 + True"),
        ('def f():\n    """Of Ann."""\n    return 1', "def f():\n    '…'\n    return 1"),
        ("df.groupby('pay').agg('mean')", "df.groupby('pay').agg('mean')"),
    ],
)
def test_texts_and_numbers_that_may_be_values_are_hidden(code: str, bare: str) -> None:
    hidden = bare_code(code, ["city", "pay"])

    assert hidden.replace('"""…"""', "'…'") == bare


def test_what_no_column_is_called_is_hidden() -> None:
    assert "city" not in bare_code("df['city'].hist()", [])

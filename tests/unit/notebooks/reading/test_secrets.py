import pytest

from lakebook.notebooks.reading.secrets import masked, names_secret, suspects

KEY = "A1b2C3d4E5f6G7h8I9j0"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"x = 'sk-{KEY}{KEY}'", "an API key"),
        ("x = 'AKIAABCDEFGHIJKLMNOP'", "an AWS key"),
        (f"clone https://ghp_{KEY}{KEY}@x", "a GitHub token"),
        (f"t = 'hf_{KEY}{KEY}'", "a Hugging Face token"),
        (f"k = 'AIza{KEY}123456789012345'", "a Google key"),
        ("c = 'postgres://me:hunter2@host/db'", "a password in an address"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "a private key"),
        (f"h = {{'Authorization': 'Bearer {KEY}'}}", "a bearer token"),
        ("password = 'hunter2'", "the value of `password`"),
        ("connect(user='a', DB_PWD=\"hunter2\")", "the value of `DB_PWD`"),
        ("os.environ['MY_API_KEY'] = 'abc123def'", "the value of `MY_API_KEY`"),
        (f"access_token: str = '{KEY}'", "the value of `access_token`"),
        ("{'client_secret': 'abc123'}", "the value of `client_secret`"),
    ],
)
def test_secrets_are_masked_and_named(text: str, kind: str) -> None:
    safe, found = masked(text)

    assert found == (kind,)
    assert "***" in safe
    for secret in (KEY, "hunter2", "abc123", "AKIA", "\nabc\n"):
        assert secret not in safe


@pytest.mark.parametrize(
    "text",
    [
        "df = pd.read_csv('a.csv')",
        "df['password'] == 'hunter2'",
        "token = 'word'",
        "df.rename(columns={'pwd': 'wellbeing', 'token': 'word'})",
        "key = 'date'; keys = ['a']",
        "password = getpass.getpass('Password: ')",
        "api_key = os.environ['API_KEY']",
        "import sklearn as sk-learn-is-a-long-name-without",
        "https://example.org:8080/a@b",
        "sort(key='value')",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == (text, ())


def test_long_text_with_pictures_is_masked_around_them() -> None:
    picture = ";base64," + "QUtJQUFCQ0RFRkdISUpLTE1OT1A" * 2_000

    safe, found = masked(f"{picture} password = 'hunter2'")

    assert safe == f"{picture} password = '***'"
    assert found == ("the value of `password`",)


def test_masking_twice_is_masking_once() -> None:
    once, _ = masked("password = 'hunter2'")

    assert masked(once) == (once, ())


@pytest.mark.parametrize(("name", "secret"), [("password", True), ("user_token", True), ("price", False)])
def test_columns_of_secrets_are_known_by_name(name: str, secret: bool) -> None:
    assert names_secret(name) is secret


def test_a_notebook_without_secrets_is_told_from_its_whole_text() -> None:
    assert not any(suspects("sort(key='asia'); weights_key = 3\nsee https://example.org, right?"))
    assert any(suspects("Account_Key = 'x'"))
    assert masked("password = 'hunter2'", suspects("x = 'AKIA'")) == ("password = 'hunter2'", ())

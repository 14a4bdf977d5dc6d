"""Settings: order of precedence, origins, analyses, and clear refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakebook.analysis import Analysis
from lakebook.errors import SettingsError
from lakebook.sandbox.base import Limits
from lakebook.settings import ModelSettings, load_settings


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")


def test_defaults_name_their_origin(tmp_path: Path) -> None:
    settings = load_settings(directory=tmp_path, environment={})
    assert settings["sandbox"] == "auto"
    assert settings.values["sandbox"].origin == "default"
    assert settings.state == tmp_path / ".lakebook"
    assert settings.data is None


def test_flags_beat_environment_beats_dotenv_beats_file(tmp_path: Path) -> None:
    write(tmp_path, "lakebook.toml", '[lakebook]\nmodel = "file"\n')
    assert load_settings(directory=tmp_path, environment={})["model"] == "file"
    write(tmp_path, ".env", "LAKEBOOK_MODEL='dotenv'\n# LAKEBOOK_MODEL=comment\n")
    assert load_settings(directory=tmp_path, environment={})["model"] == "dotenv"
    environment = {"LAKEBOOK_MODEL": "environment"}
    assert load_settings(directory=tmp_path, environment=environment)["model"] == "environment"
    given = load_settings({"model": "flag"}, directory=tmp_path, environment=environment)
    assert (given["model"], given.values["model"].origin) == ("flag", "flag")


def test_the_project_file_is_found_from_a_folder_below(tmp_path: Path) -> None:
    write(tmp_path, "lakebook.toml", '[lakebook]\ndata = "lake"\n')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    settings = load_settings(directory=below, environment={})
    assert settings.root == tmp_path
    assert settings.data == tmp_path / "lake"


def test_analyses_are_read(tmp_path: Path) -> None:
    write(tmp_path, "lakebook.toml", '[[analyses]]\nintent = "forecast prices"\ndataset = "a.csv"\n')
    assert load_settings(directory=tmp_path, environment={}).analyses == (
        Analysis("forecast prices", "a.csv"),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[lakebook", "not valid TOML"),
        ("[lakebook]\ncolour = 1\n", "unknown setting 'colour'"),
        ("[[analyses]]\ndataset = 'a.csv'\n", "has no intent"),
        ("lakebook = 3\n", "must be a table"),
    ],
)
def test_a_faulty_project_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, "lakebook.toml", text)
    with pytest.raises(SettingsError, match=message):
        load_settings(directory=tmp_path, environment={})


@pytest.mark.parametrize("value", ["-1", "0", "inf", "nan", "soon"])
@pytest.mark.parametrize(
    "name", ["cell_seconds", "cores", "disk_mb", "idle_seconds", "memory_mb", "processes"]
)
def test_a_limit_must_be_a_positive_number(tmp_path: Path, name: str, value: str) -> None:
    settings = load_settings({name: value}, directory=tmp_path, environment={})
    with pytest.raises(SettingsError, match=name):
        _ = settings.limits


def test_limits_are_the_sandboxs_own_unless_they_are_set(tmp_path: Path) -> None:
    assert load_settings(directory=tmp_path, environment={}).limits == Limits()
    write(tmp_path, "lakebook.toml", "[lakebook]\nmemory_mb = 500\ndisk_mb = 64\n")
    given = load_settings(directory=tmp_path, environment={"LAKEBOOK_IDLE_SECONDS": "90.5"}).limits
    assert given == Limits(memory_mb=500, disk_mb=64, idle_seconds=90.5)


def test_secrets_are_never_shown(tmp_path: Path) -> None:
    shown = load_settings(directory=tmp_path, environment={"OPENAI_API_KEY": "s3cret"}).shown()
    assert "s3cret" not in str(shown)
    assert shown["api_key"]["value"] == "(set)"


def test_an_analysis_id_is_readable_stable_and_distinct() -> None:
    one = Analysis("Forecast avocado prices", "avocado_2020.csv")
    assert one.id == Analysis("Forecast avocado prices", "avocado_2020.csv").id
    assert one.id.startswith("avocado-2020-forecast")
    assert one.id != Analysis("Forecast avocado sales", "avocado_2020.csv").id
    assert Analysis("価格を予測する").id


def test_a_model_needs_a_name_and_a_key_or_an_address(tmp_path: Path) -> None:
    def model(**environment: str) -> ModelSettings | None:
        return load_settings(directory=tmp_path, environment=environment).language_model

    assert model() is None
    assert model(LAKEBOOK_MODEL="m") is None
    assert model(OPENAI_API_KEY="k") is None
    assert model(LAKEBOOK_MODEL="m", OPENAI_API_KEY="k") == ModelSettings("m", "", "k")
    found = model(LAKEBOOK_MODEL="m", OPENAI_BASE_URL="http://h:1/v1", LAKEBOOK_PRIVACY="schema")
    assert found == ModelSettings("m", "http://h:1/v1", "", "schema")
    assert model(LAKEBOOK_MODEL="m", OPENAI_API_KEY="k", LAKEBOOK_MAX_CALLS="0").max_calls == 0  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("LAKEBOOK_PRIVACY", "none", "privacy is 'none'"),
        ("LAKEBOOK_MAX_CALLS", "many", "max_calls is 'many'"),
        ("LAKEBOOK_MAX_TOKENS", "-1", "max_tokens is '-1'"),
        ("OPENAI_BASE_URL", "localhost:80", "base_url is"),
        ("OPENAI_BASE_URL", "http://h:port", "base_url is"),
    ],
)
def test_a_model_setting_that_cannot_be_is_refused(tmp_path: Path, name: str, value: str, said: str) -> None:
    environment = {"LAKEBOOK_MODEL": "m", "OPENAI_API_KEY": "k", name: value}
    with pytest.raises(SettingsError, match=said):
        _ = load_settings(directory=tmp_path, environment=environment).language_model

from __future__ import annotations

from pathlib import Path

import pytest

from lakebook.errors import SandboxUnavailable, SettingsError
from lakebook.sandbox import choose
from lakebook.sandbox.base import Sandbox
from lakebook.sandbox.bubblewrap import BubblewrapSandbox
from lakebook.sandbox.choose import choose_sandbox
from lakebook.sandbox.container import ContainerSandbox
from lakebook.sandbox.local import LocalSandbox
from lakebook.sandbox.remedy import remedy


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "isolating", lambda: (BubblewrapSandbox([]), ContainerSandbox([])))


@pytest.fixture
def working(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = BubblewrapSandbox([])
    sandbox.program = "/usr/bin/bwrap"
    monkeypatch.setattr(choose, "isolating", lambda: (sandbox, ContainerSandbox([])))


class _WorkingContainer(ContainerSandbox):
    def probe(self) -> str:
        return ""


@pytest.mark.parametrize("preference", ["auto", "docker"])
def test_a_container_is_taken_where_bubblewrap_does_not_work(
    monkeypatch: pytest.MonkeyPatch, preference: str
) -> None:
    monkeypatch.setattr(choose, "isolating", lambda: (BubblewrapSandbox([]), _WorkingContainer()))
    assert choose_sandbox(preference).name == "docker"


def test_a_backend_asked_for_by_name_is_not_replaced_by_another(working: None) -> None:
    with pytest.raises(SandboxUnavailable, match="No container engine answers"):
        choose_sandbox("docker")


@pytest.mark.parametrize("preference", ["auto", "bubblewrap"])
def test_what_isolates_is_chosen(working: None, preference: str) -> None:
    chosen = choose_sandbox(preference)
    assert (chosen.name, chosen.isolated) == ("bubblewrap", True)


@pytest.mark.parametrize("preference", ["auto", "bubblewrap"])
def test_nothing_that_isolates_is_a_refusal_with_a_remedy(broken: None, preference: str) -> None:
    with pytest.raises(SandboxUnavailable, match="apt install bubblewrap"):
        choose_sandbox(preference)


def test_no_isolation_must_be_asked_for_by_name(broken: None) -> None:
    chosen: Sandbox = choose_sandbox("unsafe-local")
    assert isinstance(chosen, LocalSandbox)
    assert not chosen.isolated
    assert chosen.probe() == ""


def test_an_unknown_preference_is_a_usage_error() -> None:
    with pytest.raises(SettingsError, match="unsafe-local") as caught:
        choose_sandbox("Docker!")
    assert caught.value.exit_code == 2


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


@pytest.mark.parametrize(
    ("path", "text", "advice"),
    [
        ("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", "bwrap-userns-restrict"),
        ("proc/sys/kernel/unprivileged_userns_clone", "0\n", "unprivileged_userns_clone=1"),
        ("proc/sys/user/max_user_namespaces", "0\n", "max_user_namespaces="),
        (".dockerenv", "", "--security-opt"),
        ("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "0\n", "apt install bubblewrap"),
    ],
)
def test_the_remedy_fits_the_machine(tmp_path: Path, path: str, text: str, advice: str) -> None:
    write(tmp_path, path, text)
    said = remedy(["bwrap: no"], tmp_path)
    assert advice in said
    assert "bwrap: no" in said
    assert said.count("sudo sysctl") <= 1


def test_without_any_bubblewrap_it_says_what_to_install(tmp_path: Path) -> None:
    assert remedy([], tmp_path).startswith("There is no bubblewrap")

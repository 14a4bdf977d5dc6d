"""Chooses the sandbox: the first backend that works, found out by running something in it."""

from __future__ import annotations

import functools

from lakebook.errors import SandboxUnavailable, SettingsError
from lakebook.sandbox.bubblewrap import BubblewrapSandbox
from lakebook.sandbox.container import ContainerSandbox
from lakebook.sandbox.local import LocalSandbox
from lakebook.sandbox.remedy import OTHERWISE

PREFERENCES = ("auto", "bubblewrap", "docker", "unsafe-local")

ChosenSandbox = BubblewrapSandbox | ContainerSandbox | LocalSandbox


@functools.cache
def isolating() -> tuple[BubblewrapSandbox, ContainerSandbox]:
    """Return the backends that isolate, the one that starts fastest first; each remembers what it found."""
    return BubblewrapSandbox(), ContainerSandbox()


def choose_sandbox(preference: str = "auto") -> ChosenSandbox:
    """Return a sandbox that works here.

    Args:
        preference: "auto" takes the first that isolates; "unsafe-local" must be asked for by name, and then
            the caller warns that nothing is isolated (`isolated` is False).

    Raises:
        SandboxUnavailable: nothing that isolates works; the hint says what to install or allow.
        SettingsError: the preference is none of `PREFERENCES`.
    """
    if preference not in PREFERENCES:
        raise SettingsError(
            f"there is no sandbox {preference!r}.", hint=f"Use one of {', '.join(PREFERENCES)}."
        )
    if preference == "unsafe-local":
        return LocalSandbox()
    troubles: list[str] = []
    for sandbox in isolating():
        if preference in ("auto", sandbox.name):
            trouble = sandbox.probe()
            if not trouble:
                return sandbox
            troubles.append(trouble)
    raise SandboxUnavailable(
        "no isolation works on this machine, so no code is run.", hint=" ".join([*troubles, OTHERWISE])
    )

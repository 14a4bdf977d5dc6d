"""Chooses the sandbox: the first backend that works, found out by running something in it."""

from __future__ import annotations

import functools

from lakebook.errors import SandboxUnavailable, SettingsError
from lakebook.sandbox.bubblewrap import BubblewrapSandbox
from lakebook.sandbox.local import LocalSandbox

PREFERENCES = ("auto", "bubblewrap", "unsafe-local")

ChosenSandbox = BubblewrapSandbox | LocalSandbox


@functools.cache
def _bubblewrap() -> BubblewrapSandbox:
    return BubblewrapSandbox()


def choose_sandbox(preference: str = "auto") -> ChosenSandbox:
    """Return a sandbox that works here.

    Args:
        preference: "auto" takes what isolates; "unsafe-local" must be asked for by name, and then the
            caller warns that nothing is isolated (`isolated` is False).

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
    sandbox = _bubblewrap()
    trouble = sandbox.probe()
    if trouble:
        raise SandboxUnavailable("no isolation works on this machine, so no code is run.", hint=trouble)
    return sandbox

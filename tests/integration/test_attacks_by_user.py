"""The attack suite once more, as an ordinary user of this machine, where the tests run as root.

Root's home is closed to others and Python may live in it, so it is shown to the user through a mount of its
own, in a mount namespace that ends with the test.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from lakebook.sandbox.container import ContainerSandbox

ROOT = Path(__file__).parents[2]
USER = 12345
AS_USER = """set -e
mount --make-rprivate /
mkdir "$1/python"; mount --bind "$2" "$1/python"
mount -t tmpfs -o mode=755 none /root
mkdir -p "$2"; mount --move "$1/python" "$2"
groups=$3
shift 3
exec setpriv --reuid 12345 --regid 12345 $groups "$@"
"""


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.skipif(os.getuid() != 0, reason="the whole suite runs as an ordinary user already")
@pytest.mark.skipif(not (shutil.which("unshare") and shutil.which("setpriv")), reason="needs util-linux")
@pytest.mark.parametrize("backend", ["bubblewrap", "docker"])
def test_the_attacks_fail_for_an_ordinary_user_too(tmp_path: Path, backend: str) -> None:
    base = Path(sysconfig.get_config_var("installed_base") or sys.base_prefix).resolve()
    if not (base.is_relative_to("/root") and ROOT.stat().st_mode & 0o005 == 0o005):
        pytest.skip("Python is not in root's home, or the project is closed to other users")
    more, groups = [], "--clear-groups"
    if backend == "docker":
        trouble = (found := ContainerSandbox()).probe()
        if trouble:
            pytest.skip(trouble)
        address = found.program.partition(",")[0]
        more, groups = [f"DOCKER_HOST={address}"], f"--groups={Path(address[7:]).stat().st_gid}"
    own = tmp_path / "own"
    own.mkdir()
    os.chown(own, USER, USER)
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents:
        if (
            parent.is_relative_to(tempfile.gettempdir())
            and parent.owner() == "root"
            and parent.stat().st_mode & 0o77 == 0
        ):
            parent.chmod(0o755)
    report = own / "report.xml"
    test = ["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
    # Those that open a session of their own take longest and do not depend on the user.
    slow = "frames or hostile or killing or outlives or close or owner or idle or living or state"
    chosen = ["-k", f"{backend} and not ({slow})", f"--junitxml={report}"]
    chosen += [str(ROOT / "tests/integration/attacks"), "--basetemp", str(own / "t")]
    script = ["unshare", "-m", "sh", "-c", AS_USER, "sh", str(tmp_path), str(base), groups]
    clean = ["env", "-i", "PATH=/usr/bin:/bin", f"HOME={own}", f"PYTHONPATH={ROOT}", *more]
    ran = subprocess.run(
        [*script, *clean, sys.executable, *test, *chosen],
        capture_output=True,
        text=True,
        cwd=own,
        check=False,
    )
    if "unshare:" in ran.stderr or "mount:" in ran.stderr:
        pytest.skip(f"no mount namespace here: {ran.stderr.strip()}")
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-1000:]
    suite = ElementTree.parse(report).getroot()[0].attrib
    assert int(suite["tests"]) > 100
    assert int(suite["skipped"]) <= 1, ran.stdout[-2000:]  # what is of the other backend only

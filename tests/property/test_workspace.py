"""No name, whatever it is, writes or reads outside the workspace."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.sandbox.workspace import UnsafeNameError, Workspace, check_name, check_path

PIECES = st.sampled_from(
    ["..", ".", "", "/", "\\", "a", "b.txt", "link", "\0", "~", "%2e%2e", "C:", "ü", " "]
)
PATHS = st.one_of(
    st.text(max_size=40), st.lists(PIECES, max_size=8).map("/".join), st.lists(PIECES).map("".join)
)


@given(PATHS)
@settings(max_examples=300, deadline=None)
def test_every_path_stays_inside_or_is_refused(path: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        top = Path(name).resolve()
        (top / "space").mkdir()
        (top / "outside").mkdir()
        (top / "outside" / "a").write_bytes(b"secret")
        (top / "space" / "link").symlink_to(top / "outside")
        space = Workspace(top / "space")
        try:
            written = space.write(path, b"mine")
        except UnsafeNameError:
            written = None
        if written is not None:
            assert written.resolve().is_relative_to(top / "space")
            assert space.read(path) == b"mine"
        assert sorted(p.name for p in top.iterdir()) == ["outside", "space"]
        assert [p.name for p in (top / "outside").iterdir()] == ["a"]
        assert (top / "outside" / "a").read_bytes() == b"secret"


@given(st.text(max_size=300))
def test_a_checked_name_is_one_component_of_a_path(name: str) -> None:
    try:
        checked = check_name(name)
    except UnsafeNameError:
        return
    assert Path("folder", checked).parent == Path("folder")
    assert Path("folder", checked).name == checked
    assert check_path(f"x/{checked}") == ("x", checked)

"""Gold pipelines and mutants run in the sandbox: does a mutant give something else, and does it say so?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lakebook.errors import SandboxError
from lakebook.sandbox.base import Limits, Mount, Session, SessionOptions
from lakebook.sandbox.choose import choose_sandbox

_SECONDS = 30.0


class Runs:
    """One session over a material's data; each run is a fork of it."""

    def __init__(self, material: Path) -> None:
        self._session: Session | None = None
        self._data = (material / "data").resolve()

    def output(self, code: str) -> tuple[str, str]:
        """Return what code prints and how it failed, "" if it did not."""
        try:
            cells, _ = self._opened().run_forked([code], seconds=_SECONDS)
        except SandboxError as problem:
            self.close()
            return "", str(problem)[:120]
        printed = "".join(_text(output) for cell in cells for output in cell.outputs)
        failed = next((cell.error for cell in cells if cell.error), None)
        return printed, f"{failed.name}: {failed.message}"[:120] if failed else ""

    def _opened(self) -> Session:
        if self._session is None:
            options = SessionOptions([Mount("data", self._data)], limits=Limits(cell_seconds=_SECONDS))
            self._session = choose_sandbox().open(options)
            here = self._session.inputs["data"]
            opened = self._session.run(f"import os\nos.symlink({here!r}, 'data')")
            if opened.error is not None:
                raise RuntimeError(opened.error.message)
        return self._session

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self._session.close()
            self._session = None


def _text(output: dict[str, Any]) -> str:
    if output.get("output_type") == "stream":
        return str(output.get("text", "")) if output.get("name") == "stdout" else ""
    return str(output.get("data", {}).get("text/plain", ""))

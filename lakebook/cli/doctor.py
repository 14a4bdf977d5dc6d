"""`lakebook doctor`: tests each part that a run needs, and says how to mend what is broken."""

from __future__ import annotations

import importlib.metadata
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import typer

from lakebook.cli import console
from lakebook.errors import LakebookError
from lakebook.settings import Settings, load_settings

_LEAST_FREE_MB = 500
_PYTHON = (3, 11)
_MODEL_SECONDS = 30.0
_REPORT = "Please report this, with the versions of bubblewrap and the kernel."


@dataclass(frozen=True, slots=True)
class Finding:
    """What the test of one part found. `bad` parts make the command exit 1, `limited` ones do not."""

    part: str
    state: Literal["ok", "limited", "bad"]
    detail: str
    hint: str = ""


def doctor(json_output: console.JsonFlag = False) -> None:
    """Test the parts: Python, sandbox, its limits, fonts, disk, PDF, language model, history.

    Exits 1 if a part that every run needs does not work.

    Example: lakebook doctor --json
    """
    settings = load_settings()
    findings = [test(settings) for test in TESTS]
    healthy = all(finding.state != "bad" for finding in findings)
    if json_output:
        console.print_json({"ok": healthy, "parts": findings})
    else:
        _print(findings)
    if not healthy:
        raise typer.Exit(1)


def _print(findings: list[Finding]) -> None:
    from rich.markup import escape

    out = console.out()
    width = max(len(finding.part) for finding in findings)
    marks = {"ok": "[green]ok     [/]", "limited": "[yellow]limited[/]", "bad": "[red]broken [/]"}
    for finding in findings:
        out.print(f"{marks[finding.state]} {finding.part:<{width}}  {escape(finding.detail)}")
        if finding.hint:
            out.print(f"        {'':<{width}}  {escape(finding.hint)}")


def check_python(settings: Settings) -> Finding:
    """Is this Python new enough, and on an operating system that is supported?"""
    version = ".".join(str(part) for part in sys.version_info[:3])
    detail = f"{version} at {sys.executable}"
    if sys.version_info < _PYTHON:
        return Finding("Python", "bad", detail, "Lakebook needs Python 3.11 or later.")
    if sys.platform != "linux":
        return Finding("Python", "limited", f"{detail} on {sys.platform}", "Only Linux has the sandbox.")
    return Finding("Python", "ok", detail)


def check_sandbox(settings: Settings) -> Finding:
    """Does a sandbox start, run a cell, and keep a file of this machine from it?"""
    from lakebook.sandbox.base import SessionOptions
    from lakebook.sandbox.choose import choose_sandbox

    started = time.perf_counter()
    try:
        sandbox = choose_sandbox(settings["sandbox"])
        with tempfile.NamedTemporaryFile() as secret, sandbox.open(SessionOptions()) as session:
            seen = session.evaluate([f"__import__('os').path.exists({secret.name!r})"])[0].value
    except LakebookError as error:
        return Finding("sandbox", "bad", error.message, error.hint)
    seconds = time.perf_counter() - started
    program = getattr(sandbox, "program", "")
    detail = f"{sandbox.name}{f', {program}' if program else ''}; a session starts in {seconds:.1f} s"
    if not sandbox.isolated:
        hint = "Set `sandbox` to auto: code of old notebooks runs with all your rights now."
        return Finding("sandbox", "limited", f"{detail}; NOTHING IS ISOLATED", hint)
    if seen is not False:
        return Finding("sandbox", "bad", f"{detail}, but files of this machine are open to it", _REPORT)
    return Finding("sandbox", "ok", detail, _other_backends(sandbox.name))


def _other_backends(chosen: str) -> str:
    """Return which other kinds of isolation work too, or why they do not."""
    from lakebook.sandbox.choose import isolating

    told = []
    for sandbox in isolating():
        if sandbox.name != chosen:
            trouble = sandbox.probe()
            told.append(f"{sandbox.name}: {trouble or f'works too ({sandbox.program})'}")
    return "Also looked at: " + " ".join(told) if told else ""


def check_limits(settings: Settings) -> Finding:
    """What holds a session to its limits in total, and did earlier ones leave anything behind?"""
    from lakebook.sandbox import local, reaper, totals
    from lakebook.sandbox.choose import choose_sandbox
    from lakebook.sandbox.container import ContainerSandbox

    try:
        limits, sandbox = settings.limits, choose_sandbox(settings["sandbox"])
    except LakebookError as error:
        return Finding("limits", "bad", error.message, error.hint)
    reaper.also_from(local.orphans)
    kind = sandbox.in_force() if isinstance(sandbox, ContainerSandbox) else totals.in_force()
    numbers = (
        f"{limits.memory_mb} MB of memory, {limits.cores:g} processors, {limits.processes} processes, "
        f"{limits.disk_mb} MB on disk, {limits.cell_seconds:g} s a cell, {limits.idle_seconds:g} s idle"
    )
    left = [orphan.what for orphan in reaper.orphans()]
    detail = f"{numbers}; in total by {kind}"
    if left:
        told = f"{detail}; left behind by sessions that were killed: {', '.join(left)}"
        return Finding("limits", "limited", told, "The next session removes it.")
    return Finding("limits", "limited" if "watchdog" in kind else "ok", detail, _better_limits(kind))


def _better_limits(kind: str) -> str:
    """Return how to have limits that the kernel holds by itself."""
    if "watchdog" not in kind:
        return ""
    return (
        "Sums of memory and processes are looked at twice a second only. The kernel holds them where systemd "
        "runs for this user (a login session), where Lakebook may write its own control group, or in a "
        "container (`sandbox = docker`)."
    )


def check_fonts(settings: Settings) -> Finding:
    """Does matplotlib find its own font, so that figures have text?"""
    from matplotlib import font_manager

    try:
        path = font_manager.findfont("DejaVu Sans", fallback_to_default=False)
    except ValueError as error:
        return Finding(
            "fonts", "bad", str(error), "Reinstall matplotlib: `pip install --force-reinstall matplotlib`."
        )
    return Finding("fonts", "ok", f"DejaVu Sans, of {len(font_manager.fontManager.ttflist)} fonts, at {path}")


def check_disk(settings: Settings) -> Finding:
    """Is there room for the state folder?"""
    folder = _nearest(settings.state)
    free = shutil.disk_usage(folder).free >> 20
    detail = f"{free} MB free at {folder}"
    if free < _LEAST_FREE_MB:
        return Finding("disk", "bad", detail, f"A run needs about {_LEAST_FREE_MB} MB for its state.")
    return Finding("disk", "ok", detail)


def check_history(settings: Settings) -> Finding:
    """Can the state folder, which is Dagster's home too, be written?"""
    folder = _nearest(settings.state)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        hint = "Set LAKEBOOK_STATE to a folder that you may write."
        return Finding("history", "bad", f"{folder} cannot be written: {error.strerror}", hint)
    version = importlib.metadata.version("dagster")
    there = "" if settings.state.exists() else " (made by the first run)"
    return Finding("history", "ok", f"Dagster {version}, home inside {settings.state}{there}")


def check_pdf(settings: Settings) -> Finding:
    """Can a PDF with a letter beyond Latin-1 be written?"""
    try:
        import fpdf
        from matplotlib import font_manager

        document = fpdf.FPDF()
        document.add_page()
        document.add_font("body", fname=font_manager.findfont("DejaVu Sans"))
        document.set_font("body", size=10)
        document.cell(text="✓ ≥ é")
        size = len(document.output())
    except (ImportError, OSError, ValueError) as error:
        return Finding("PDF", "limited", f"no PDF: {error}", "`pip install fpdf2`; other formats work.")
    return Finding("PDF", "ok", f"fpdf2 {importlib.metadata.version('fpdf2')}, a page of {size} bytes")


def check_model(settings: Settings) -> Finding:
    """Is a language model configured, and does it answer? None is needed."""
    key, base, model = settings["api_key"], settings["base_url"], settings["model"]
    if not (key or base or model):
        hint = "Optional: set OPENAI_API_KEY (or OPENAI_BASE_URL) and LAKEBOOK_MODEL to use a model."
        return Finding("model", "ok", "none is set: the offline analyst does all the work", hint)
    where = "the address that is set" if base else "the OpenAI service"
    missing = [
        name for name, value in (("LAKEBOOK_MODEL", model), ("OPENAI_API_KEY", key or base)) if not value
    ]
    if missing:
        hint = f"Set {' and '.join(missing)}, or unset the others."
        return Finding("model", "limited", f"half set up for {where}: the offline analyst is used", hint)
    return _ask_model(settings)


def _ask_model(settings: Settings) -> Finding:
    """Make one tiny call, kept in the ledger like every other."""
    from lakebook.analyst.model.client import OpenAIModel, Patient, shown_address
    from lakebook.analyst.model.ledger import LEDGER, Ledgered
    from lakebook.analyst.model.privacy import probe_request
    from lakebook.analyst.model.protocol import BadReply, ModelFailed, json_in

    try:
        chosen = settings.language_model
    except LakebookError as error:
        return Finding("model", "bad", f"{error.where}: {error.message}", error.hint)
    if chosen is None:
        return Finding("model", "limited", "half set up: the offline analyst is used")
    where = f"{chosen.name} at {shown_address(chosen.base_url)}"
    wire = OpenAIModel(chosen.name, base_url=chosen.base_url, api_key=chosen.api_key, seconds=_MODEL_SECONDS)
    started = time.perf_counter()
    try:
        reply = Patient(Ledgered(wire, settings.state / LEDGER), retries=0).complete(probe_request())
        json_in(reply.text)
    except BadReply:
        hint = "The model is too weak for this, and the offline analyst will do most of the work."
        return Finding("model", "limited", f"{where} answers, but not in JSON", hint)
    except ModelFailed as failure:
        detail = f"{where}: {failure.message}; the offline analyst is used"
        return Finding("model", "limited", detail, failure.hint)
    seconds = time.perf_counter() - started
    return Finding("model", "ok", f"{where} answered in {seconds:.1f} s; privacy is {chosen.privacy}")


def _nearest(folder: Path) -> Path:
    """Return the folder, or the first one above it that exists."""
    return next(place for place in (folder, *folder.parents) if place.is_dir())


TESTS: tuple[Callable[[Settings], Finding], ...] = (
    check_python,
    check_sandbox,
    check_limits,
    check_fonts,
    check_disk,
    check_history,
    check_pdf,
    check_model,
)

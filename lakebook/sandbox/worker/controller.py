"""The first process of a session: imports the libraries once, forks the interpreter, guards it.

It alone holds the descriptors to the host, never runs user code, and enforces time, memory and process
limits: an interpreter that overruns is interrupted, then killed; whatever a forked run started is killed
when the run ends, and files that it left are removed. Frames to the host end each request with `end`:
`{"id", "kind": "end", "ended": done|interrupted|timeout|cpu|memory|disk|files|died, "detail", "dead"}`.
"""

from __future__ import annotations

import gc
import os
import select
import shutil
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from . import processes
from .confine import die_with_parent, drop_root, guard_controller, leave_guard, limit_resources
from .disk import Disk, Written
from .framing import FrameBuffer, FrameError, read_frame, unpack, write_frame
from .host import Host, HungUpError
from .litter import Litter
from .outputs import NUDGE, Descriptors, joined, last_words

_TICK_SECONDS = 0.25
_NUDGE_SECONDS = 0.05

Cause = Literal["interrupted", "timeout", "cpu", "memory", "disk", "files", "died", ""]


@dataclass
class _Watch:
    """The state of one request under guard, and what there was when it began."""

    identity: int
    forked: bool = False
    seconds: float = 0.0
    deadline: float = 0.0
    before: frozenset[processes.Process] = frozenset()
    cpu: float = 0.0
    written: Written = field(default=Written(0, 0))
    cause: Cause = ""
    detail: str = ""
    dead: bool = False
    again: bool = False
    in_cell: bool = False


class Controller:
    """Serves the host's requests through the interpreter."""

    def __init__(self, host_in: int, host_out: int, setup: dict[str, Any]) -> None:
        self._host = Host(host_in, host_out)
        self._limits: dict[str, Any] = setup["limits"]
        self._grace = float(self._limits["grace_seconds"])
        writable = [str(folder) for folder in setup["writable"]]
        self._litter, self._disk = Litter(writable), Disk(writable)
        self._descriptors = Descriptors()
        self._copies: list[tuple[frozenset[processes.Process], frozenset[str]]] = []
        self._interpreter = 0
        self._obituary = ""

    def start(self, worker_path: str) -> None:
        """Import what the cells will use and fork the interpreter."""
        _copy_font_list(worker_path)
        gc.disable()  # nothing of an import is garbage; looking for it takes a twentieth of the time
        from . import warm  # heavy; only after confinement

        runner = warm.make_runner(self._limits)
        gc.enable()
        request_reader, self._requests = os.pipe()
        self._replies, reply_writer = os.pipe()
        child = os.fork()
        if child == 0:
            for fd in (self._host.incoming, self._host.outgoing, self._requests, self._replies):
                os.close(fd)
            leave_guard()
            pipes = (request_reader, reply_writer)
            warm.serve(runner, self._descriptors, *pipes, worker_path, int(self._limits["memory_mb"]))
        os.close(request_reader)
        os.close(reply_writer)
        self._interpreter = child
        self._host.finish({"kind": "ready", "id": 0, "versions": warm.versions()})

    def serve(self) -> None:
        """Answer the host until it closes its end."""
        while (request := self._host.request()) is not None:
            if self._obituary:
                watch = _Watch(request["id"], cause="died", detail=self._obituary, dead=True)
            else:
                watch = self._answer(request)
            self._end(watch)
        self.stop()

    def stop(self) -> None:
        """End every process that this session started."""
        processes.kill_all(os.getpid(), frozenset())

    def _end(self, watch: _Watch) -> None:
        end = {"ended": watch.cause or "done", "detail": watch.detail, "dead": watch.dead}
        self._host.finish({"id": watch.identity, "kind": "end", **end})

    def _answer(self, request: dict[str, Any]) -> _Watch:
        do = request["do"]
        forked = do == "fork"
        before, seconds = processes.descendants(os.getpid()), float(request["seconds"])
        known = self._litter.known() if do in ("fork", "copy") else frozenset()
        watch = _Watch(request["id"], forked, seconds, time.monotonic() + seconds, before)
        watch.cpu, watch.written = self._cpu(before), self._disk.written(int(self._limits["files"]))
        write_frame(self._requests, request)
        watch.in_cell = request["do"] == "run"
        self._guard(watch)
        if watch.dead and watch.in_cell:
            for output in last_words(self._descriptors, int(self._limits["output_chars"])):
                self._host.say({"id": watch.identity, "kind": "output", "output": output})
        if watch.dead:
            processes.kill_all(os.getpid(), frozenset())
            self._obituary = f"the session ended earlier: {watch.detail or watch.cause}"
        elif do == "copy":
            self._copies.append((before, known))
        elif do in ("fork", "drop"):
            self._clear(*(self._copies.pop() if do == "drop" else (before, known)))
        return watch

    def _clear(self, before: frozenset[processes.Process], known: frozenset[str]) -> None:
        """End the processes and remove the files that have come since."""
        processes.kill_all(os.getpid(), before)
        self._litter.remove(known)

    def _guard(self, watch: _Watch) -> None:
        """Forward the interpreter's frames until it ends the request, or is made to."""
        buffer = FrameBuffer()
        poll = select.poll()
        looked = time.monotonic()
        while not watch.dead:
            self._host.listen(poll, self._replies, ending=bool(watch.cause))
            tick = _NUDGE_SECONDS if watch.in_cell else _TICK_SECONDS
            wait = min(tick, max(0.0, watch.deadline - time.monotonic()))
            events = dict(poll.poll(wait * 1000 + 1))
            if not events and watch.in_cell and self._descriptors.waiting():
                os.kill(self._interpreter, NUDGE)
            if self._host.outgoing in events:
                self._host.push()
            if self._host.incoming in events:
                self._hear(watch)
            if self._replies in events and self._forward(watch, buffer):
                return
            now = time.monotonic()
            if now >= watch.deadline:
                self._overrun(watch)
            elif now - looked >= _TICK_SECONDS:
                looked = now
                if not watch.cause:
                    self._look(watch)
                elif watch.forked:  # what was forked only after it was told to end
                    processes.kill_all(os.getpid(), watch.before)

    def _hear(self, watch: _Watch) -> None:
        """Do what the host says in between."""
        try:
            if self._host.interrupts(watch.identity) and not watch.cause:
                self._ask_to_end(watch, "interrupted")
        except HungUpError:
            self.stop()
            os._exit(0)

    def _forward(self, watch: _Watch, buffer: FrameBuffer) -> bool:
        """Pass complete frames on; True when the request has ended."""
        chunk = os.read(self._replies, 1 << 20)
        if not chunk:
            watch.dead = True
            if not watch.cause:
                watch.cause, watch.detail = "died", self._how_it_died()
            return True
        buffer.feed(chunk)
        frames: list[dict[str, Any]] = []
        try:
            while (body := buffer.take()) is not None:
                frames.append(unpack(body))
                if frames[-1].get("id") != watch.identity:
                    raise FrameError("a reply to no request")
            for frame in joined(frames):
                if frame.get("kind") == "end":
                    if not watch.cause:
                        watch.cause = "died" if frame.get("ended") == "died" else ""
                        watch.detail = str(frame.get("detail", ""))[:500]
                    return True
                watch.in_cell = watch.in_cell and frame.get("kind") != "cell"
                self._host.say(frame)
        except FrameError as error:
            detail = f"the interpreter broke its protocol: {error}"
            watch.cause, watch.detail, watch.dead = "died", detail, True
            return True
        return False

    def _how_it_died(self) -> str:
        try:
            _, status = os.waitpid(self._interpreter, 0)
        except ChildProcessError:
            return "the interpreter ended"
        return f"{processes.describe_end(status)} (the session's own process)"

    def _look(self, watch: _Watch) -> None:
        """Watch what the kernel limits for each process or folder alone, or not at all."""
        processes.reap(os.getpid(), watch.before)
        running = processes.descendants(os.getpid())
        for cause, detail in (self._memory(running), self._number(running), self._work(watch, running)):
            if cause:
                self._break_off(watch, cause, detail)
                return
        cause, detail = self._writing(watch)
        if cause:
            self._break_off(watch, cause, detail)

    def _memory(self, running: frozenset[processes.Process]) -> tuple[Cause, str]:
        allowed = int(self._limits["process_mb"])
        used = processes.memory_mb(running, allowed)
        return ("memory", f"all processes together used {used} MB") if used > allowed else ("", "")

    def _number(self, running: frozenset[processes.Process]) -> tuple[Cause, str]:
        most = int(self._limits["processes"])
        return ("died", f"killed: more than {most} processes") if len(running) > most else ("", "")

    def _cpu(self, running: frozenset[processes.Process]) -> float:
        own = os.times()
        return processes.cpu_seconds(running) + own.children_user + own.children_system

    def _work(self, watch: _Watch, running: frozenset[processes.Process]) -> tuple[Cause, str]:
        allowed = watch.seconds * float(self._limits["cores"])
        return ("cpu", "") if self._cpu(running) - watch.cpu > allowed else ("", "")

    def _writing(self, watch: _Watch) -> tuple[Cause, str]:
        """What was there already is not held against a cell that writes nothing."""
        most = Written(int(self._limits["disk_mb"]), int(self._limits["files"]))
        now = self._disk.written(most.files)
        if now.megabytes > max(most.megabytes, watch.written.megabytes):
            return "disk", f"{now.megabytes} MB in all its folders"
        if now.files > max(most.files, watch.written.files):
            return "files", ""
        return "", ""

    def _overrun(self, watch: _Watch) -> None:
        if watch.cause and not watch.again and not watch.forked:
            watch.again = True  # the first may have been lost where Python drops exceptions
            watch.deadline += self._grace / 2
            os.kill(self._interpreter, signal.SIGINT)
        elif watch.cause:  # told already, and it did not end
            watch.dead = True
            watch.detail = watch.detail or f"it went on for {self._grace:g} s after it was told to end"
        else:
            self._ask_to_end(watch, "timeout")

    def _ask_to_end(self, watch: _Watch, cause: Cause) -> None:
        watch.cause = cause
        if watch.forked:
            watch.deadline = time.monotonic() + self._grace
            processes.kill_all(os.getpid(), watch.before)
        else:
            watch.deadline = time.monotonic() + self._grace / 2
            os.kill(self._interpreter, signal.SIGINT)

    def _break_off(self, watch: _Watch, cause: Cause, detail: str) -> None:
        watch.cause, watch.detail = cause, detail
        watch.deadline = time.monotonic() + self._grace
        processes.kill_all(os.getpid(), watch.before)
        if not watch.forked:
            os.kill(self._interpreter, signal.SIGINT)


def _copy_font_list(worker_path: str) -> None:
    """Give matplotlib the host's list of fonts, if there is one: building it takes a second."""
    source, target = Path(worker_path, "fonts"), os.environ.get("MPLCONFIGDIR", "")
    if target and source.is_dir():
        Path(target).mkdir(parents=True, exist_ok=True)
        for file in source.glob("fontlist-*.json"):
            shutil.copyfile(file, Path(target, file.name))


def main(worker_path: str) -> None:
    """Confine this process, warm it up, and serve. The first frame from the host holds the setup."""
    host_in, host_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    setup = read_frame(host_in)
    if setup is None:
        return
    if setup["user"] is not None:
        drop_root(int(setup["user"]))
    guard_controller()
    if not setup["limits"]["isolated"]:
        die_with_parent()
    limit_resources(setup["limits"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    controller = Controller(host_in, host_out, setup)
    try:
        controller.start(worker_path)
        controller.serve()
    except (FrameError, BrokenPipeError):
        controller.stop()
        sys.exit(1)

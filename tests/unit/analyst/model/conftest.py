"""A loopback endpoint that answers as it is told, a small table, and findings with claims."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lakebook.analyst.claim import Claim, Insight
from lakebook.analyst.model.analyst import ModelAnalyst, open_analyst
from lakebook.analyst.model.protocol import EndpointFailed, Reply, Request
from lakebook.analyst.plan import Finding
from lakebook.analyst.table import Table, TableColumn
from lakebook.settings import ModelSettings


@dataclass
class Endpoint:
    """What the service answers (`script`, one entry a request, the last for ever), and what it was sent."""

    url: str = ""
    script: list[Any] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def says(self, *answers: Any) -> None:
        """Set the answers: a status, raw bytes, seconds to wait (float), or content for a completion."""
        self.script = list(answers)


@dataclass
class Scripted:
    """Answers as it is told, and remembers what it was asked."""

    says: str = ""
    fails: bool = False
    asked: list[Request] = field(default_factory=list)
    name: str = "scripted"

    def complete(self, request: Request, on_text: Any = None) -> Reply:
        self.asked.append(request)
        if self.fails:
            raise EndpointFailed("no reply", hint="Start it.")
        return Reply(self.says)


def completion(content: str) -> bytes:
    message = {"role": "assistant", "content": content}
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"id": "1", "choices": [choice], "usage": usage}).encode()


def handler_for(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            endpoint.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            endpoint.headers.append({name.lower(): value for name, value in self.headers.items()})
            answer = endpoint.script.pop(0) if len(endpoint.script) > 1 else endpoint.script[0]
            if callable(answer):
                answer = answer(endpoint.bodies[-1])
            if isinstance(answer, float):
                threading.Event().wait(answer)
                answer = "{}"
            status = answer if isinstance(answer, int) else 200
            body = answer if isinstance(answer, bytes) else b'{"error": {"message": "no"}}'
            body = completion(answer) if isinstance(answer, str) else body
            self.send_response(status)
            if status == 307:
                self.send_header("Location", endpoint.url + "/elsewhere")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with contextlib.suppress(OSError):  # the client may have given up
                self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    return Handler


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(made))
    made.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def analyst(endpoint: Endpoint, tmp_path: Path) -> Callable[..., ModelAnalyst]:
    """Open an analyst on the endpoint; keywords change its settings."""

    def opened(**more: Any) -> ModelAnalyst:
        given = {"name": "m", "base_url": endpoint.url, "api_key": "secret-key"} | more
        return open_analyst(ModelSettings(**given), tmp_path / "state")

    return opened


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakebook.analyst.model.client.time.sleep", lambda seconds: None)


@pytest.fixture
def table() -> Table:
    columns = (
        TableColumn("Region", "text", "dim", 0, 2, levels=(("CANARYnorth", 40), ("CANARYsouth", 40))),
        TableColumn("Profit", "number", "flow", 0, 79, min="-77123.5", max="99123.25"),
        TableColumn("Discount", "number", "ratio", 0, 9, min="0", max="0.8"),
        TableColumn("Order", "integer", "key", 0, 80, min="1", max="80"),
    )
    return Table("t.csv", "t.csv", "", "0" * 64, 80, 80, columns, "df = 1")


def claim(number: int, name: str, shown: str, kind: str = "number") -> Claim:
    spec = ",.2f" if kind == "number" else ""
    return Claim(f"c{number:03d}", name, kind, f"f['{name}']", shown, shown, spec)  # type: ignore[arg-type]


def finding(step: str, template: str, *claims: Claim, **more: Any) -> Finding:
    text = template
    for one in claims:
        text = text.replace(f"{{{one.name}}}", one.shown)
    insight = Insight(f"i-{step}", step, template, text, claims, more.pop("held", "verified"))
    given = {"verdict": "supported", "score": 0.5} | more
    return Finding(
        step, "G01", step, f"Title {step}", "", "", "", "", (), (), "", insights=(insight,), **given
    )


@pytest.fixture
def findings() -> tuple[Finding, ...]:
    return (
        finding(
            "s01",
            "Profit is highest for {top} ({top_sum}) and lowest for {bottom} ({bottom_sum}).",
            claim(1, "top", "CANARYnorth", "label"),
            claim(2, "top_sum", "99,123.25"),
            claim(3, "bottom", "CANARYsouth", "label"),
            claim(4, "bottom_sum", "-77,123.50"),
        ),
        finding(
            "s02",
            "Over all rows Profit {word} with Discount (rank correlation {rho}).",
            claim(5, "word", "falls", "direction"),
            claim(6, "rho", "-0.54"),
        ),
        finding("s03", "Profit is below zero in {share} of the rows.", claim(7, "share", "18.70")),
    )


@pytest.fixture
def make_claim() -> Callable[..., Claim]:
    return claim


@pytest.fixture
def make_finding() -> Callable[..., Finding]:
    return finding

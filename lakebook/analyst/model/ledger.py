"""The ledger: every request that left, word for word, with what came back (design rule 5).

One JSON line a call, appended and never changed. No key and no address with a password is ever in it: it is
written from requests, which know neither.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from lakebook.analyst.model.protocol import (
    SEED,
    TEMPERATURE,
    LanguageModel,
    ModelFailed,
    OnText,
    Reply,
    Request,
    request_hash,
)
from lakebook.settings import Price

LEDGER = "llm_calls.jsonl"


class Ledgered:
    """A model whose every call is written down, also the failed ones."""

    def __init__(self, model: LanguageModel, path: Path, price: Price | None = None) -> None:
        self._model, self._path, self._price = model, path, price

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer the request and write both down; the request is written even if the call is interrupted."""
        started, clock = datetime.now(UTC), time.perf_counter()
        outcome: dict[str, Any] = {"error": "interrupted"}
        try:
            reply = self._model.complete(request, on_text)
            outcome = {"reply": reply.text, "finish": reply.finish, "error": ""}
            outcome |= spent(reply.prompt_tokens, reply.completion_tokens, self._price)
        except ModelFailed as failure:
            outcome = {"error": failure.message}
            raise
        finally:
            entry = self._entry(request) | {"started": started.isoformat(timespec="seconds")}
            append(self._path, entry | {"seconds": round(time.perf_counter() - clock, 3)} | outcome)
        return reply

    def _entry(self, request: Request) -> dict[str, Any]:
        return {
            "purpose": request.purpose,
            "model": self.name,
            "hash": request_hash(self.name, request),
            "form": request.form,
            "messages": [{"role": role, "content": text} for role, text in request.messages],
            "images": request.image_hashes(),
            "schema": request.schema if request.form == "schema" else {},
            "max_tokens": request.max_tokens,
            "stop": list(request.stop),
            "settings": {} if request.form == "bare" else {"seed": SEED, "temperature": TEMPERATURE},
        }


def spent(prompt: int, completion: int, price: Price | None) -> dict[str, Any]:
    """Return what an entry says of tokens and, where the price is known, of the cost."""
    said: dict[str, Any] = {"tokens": {"prompt": prompt, "completion": completion}}
    if price is not None:
        said["cost"] = (prompt * price.input + completion * price.output) / 1_000_000
    return said


def entries(path: Path) -> list[dict[str, Any]]:
    """Return what is written down, in order; a line that was cut off is left out."""
    found = []
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return []
    for line in lines:
        try:
            entry = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(entry, dict):
            found.append(entry)
    return found


def append(path: Path, entry: dict[str, Any]) -> None:
    """Append one line in one write, so that two processes cannot mix theirs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, line)
    finally:
        os.close(handle)

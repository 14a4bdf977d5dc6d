"""The endpoint: one exchange over HTTP with any OpenAI-compatible service, and patience with a poor one.

What belongs here: the wire. What is asked is decided in `privacy`, what it may cost in `budget`. Every
exchange is a call of its own (the library's hidden retries are off), so that each is counted and recorded.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
import orjson

from lakebook.analyst.model.heard import Heard, Telling, reply_from
from lakebook.analyst.model.protocol import (
    FORMS,
    SEED,
    TEMPERATURE,
    EmbeddingRequest,
    EndpointFailed,
    LanguageModel,
    OnText,
    Reply,
    Request,
    Vectors,
)

OPENAI_URL = "https://api.openai.com/v1"
SECONDS = 180.0
LARGEST_REPLY = 2_000_000
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_FORM_REFUSED = (400, 404, 415, 422, 501)
_NO_KEY = "none"
# What the library would tell of this machine in headers, which is nobody's business.
_UNTOLD = {
    f"X-Stainless-{name}": openai.Omit()
    for name in ("OS", "Arch", "Runtime", "Runtime-Version", "Lang", "Package-Version", "Async")
}


class _Wire:
    """One service; every exchange is bounded in time and size, and each failure says what to do."""

    def __init__(self, name: str, *, base_url: str = "", api_key: str = "", seconds: float = SECONDS) -> None:
        self._name, self._key, self._seconds = name, api_key, seconds
        address = base_url or OPENAI_URL
        self._where = shown_address(address)
        # A redirect would carry the request to a place that nobody named; a proxy has no part in loopback.
        transport = openai.DefaultHttpxClient(
            follow_redirects=False, trust_env=urlsplit(address).hostname not in _LOOPBACK
        )
        self._client = openai.OpenAI(
            api_key=api_key or _NO_KEY,
            base_url=address,
            timeout=seconds,
            max_retries=0,
            http_client=transport,
        )

    @property
    def name(self) -> str:
        """The model's name, as the endpoint knows it."""
        return self._name

    def _fetch(
        self, create: Callable[..., Any], arguments: dict[str, Any], heard: Heard | None = None
    ) -> bytes:
        """Return the body of one exchange, telling `heard` of each piece that arrives.

        Raises:
            EndpointFailed: with what is wrong and what to do.
        """
        deadline = time.monotonic() + self._seconds
        try:
            with create(**arguments) as response:
                return _read_until(response.iter_bytes(), deadline, heard)
        except (openai.APITimeoutError, httpx2.TimeoutException, TimeoutError) as error:
            hint = "Try a smaller model, or see whether the endpoint is busy."
            raise EndpointFailed(f"no reply within {self._seconds:g} s", hint=hint) from error
        except openai.APIStatusError as error:
            raise self._status_failure(error) from error
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            hint = f"Start the service at {self._where}, or unset OPENAI_BASE_URL and LAKEBOOK_MODEL."
            raise EndpointFailed("the endpoint could not be reached", hint=hint, passing=True) from error
        except (openai.OpenAIError, ValueError) as error:
            hint = "Check OPENAI_API_KEY and OPENAI_BASE_URL for letters that do not belong there."
            raise EndpointFailed("the request could not be sent", hint=hint) from error

    def _status_failure(self, error: openai.APIStatusError) -> EndpointFailed:
        status = error.status_code
        hints = {
            401: "Set OPENAI_API_KEY to a key that this endpoint accepts.",
            403: "Set OPENAI_API_KEY to a key that may use this model.",
            404: f"Check LAKEBOOK_MODEL ({self._name}) and OPENAI_BASE_URL ({self._where}).",
            429: "Wait, or use a key with a higher limit.",
        }
        return EndpointFailed(
            f"the endpoint answered with status {status}",
            hint=hints.get(status, "See the log of the service."),
            passing=status == 429 or (status >= 500 and status != 501),
            form_refused=status in _FORM_REFUSED,
        )


class OpenAIModel(_Wire):
    """A model behind an OpenAI-compatible endpoint; `complete` is exactly one HTTP exchange."""

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Ask once. Raises EndpointFailed with what is wrong and what to do."""
        create = self._client.chat.completions.with_streaming_response.create
        arguments = self._arguments(request)
        if on_text is None:
            return reply_from(self._fetch(create, arguments))
        if request.form != "bare":
            arguments["stream_options"] = {"include_usage": True}
        heard = Heard(on_text)
        return heard.reply(self._fetch(create, arguments | {"stream": True}, heard))

    def _arguments(self, request: Request) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self._name,
            "messages": _messages(request),
            "extra_headers": _UNTOLD,
        }
        if request.stop:
            arguments["stop"] = list(request.stop)
        if request.form == "bare":
            return arguments | {"max_completion_tokens": request.max_tokens}
        arguments |= {"max_tokens": request.max_tokens, "temperature": TEMPERATURE, "seed": SEED}
        if request.form == "schema" and request.schema:
            shape = {"name": request.purpose, "schema": dict(request.schema), "strict": True}
            arguments["response_format"] = {"type": "json_schema", "json_schema": shape}
        return arguments


def _messages(request: Request) -> list[dict[str, Any]]:
    """Return the messages as the wire has them; pictures go inside the last one."""
    messages: list[dict[str, Any]] = [{"role": role, "content": text} for role, text in request.messages]
    if request.images:
        parts: list[dict[str, Any]] = [{"type": "text", "text": messages[-1]["content"]}]
        for image in request.images:
            address = f"data:image/png;base64,{base64.b64encode(image).decode()}"
            parts.append({"type": "image_url", "image_url": {"url": address}})
        messages[-1]["content"] = parts
    return messages


class OpenAIEmbedder(_Wire):
    """An embedding model behind an OpenAI-compatible endpoint; `embed` is exactly one HTTP exchange."""

    def embed(self, request: EmbeddingRequest) -> Vectors:
        """Ask once. Raises EndpointFailed with what is wrong and what to do."""
        arguments = {
            "model": self._name,
            "input": list(request.texts),
            "encoding_format": "float",
            "extra_headers": _UNTOLD,
        }
        create = self._client.embeddings.with_streaming_response.create
        return _vectors_from(self._fetch(create, arguments), len(request.texts))


class Patient:
    """Asks again: a few times when the failure may pass, and in a plainer form when the form is refused.

    Once it gave up, it fails at once for the rest of the run, so that a dead endpoint costs its wait once.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        retries: int = 2,
        pause: float = 0.5,
    ) -> None:
        self._model, self._retries, self._pause = model, retries, pause
        self._form = 0
        self._gave_up: EndpointFailed | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer the request, with at most `retries` further tries in each form.

        Of a reply that broke off, what had arrived was told; the next is told behind a line that says so.
        """
        if self._gave_up is not None:
            raise self._gave_up
        failure = EndpointFailed("the endpoint knows no form of request that we can send")
        for place in range(self._form, len(FORMS)):
            try:
                reply = self._try(replace(request, form=FORMS[place]), on_text)
            except EndpointFailed as error:
                failure = error
                if error.form_refused:
                    continue
                break
            self._form = place
            return reply
        self._gave_up = failure
        raise failure

    def _try(self, request: Request, on_text: OnText | None) -> Reply:
        telling = Telling(on_text) if on_text is not None else None
        for attempt in range(self._retries):
            try:
                return self._model.complete(request, telling.anew() if telling else None)
            except EndpointFailed as error:
                if not error.passing:
                    raise
                time.sleep(self._pause * 2**attempt)
        return self._model.complete(request, telling.anew() if telling else None)


def shown_address(address: str) -> str:
    """Return an address without the name and password that may stand in it."""
    parts = urlsplit(address or OPENAI_URL)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _read_until(chunks: Any, deadline: float, heard: Heard | None = None) -> bytes:
    """Gather the body; one that drips in for ever, or has no end, is given up (timeouts are per chunk)."""
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if heard is not None:
            heard.take(chunk)
        if time.monotonic() > deadline:
            raise TimeoutError
        if len(body) > LARGEST_REPLY:
            raise EndpointFailed("the endpoint sent more than a reply can be")
    return bytes(body)


def _vectors_from(body: bytes, expected: int) -> Vectors:
    """Read the vectors, in the order of the texts: services may send them in another."""
    try:
        document = orjson.loads(body)
        data = sorted(document["data"], key=lambda entry: entry["index"])
        vectors = tuple(tuple(float(number) for number in entry["embedding"]) for entry in data)
        tokens = (document.get("usage") or {}).get("total_tokens") or 0
    except (orjson.JSONDecodeError, LookupError, TypeError, ValueError, AttributeError) as error:
        hint = "Check that LAKEBOOK_EMBEDDING_MODEL names an embedding model of this service."
        raise EndpointFailed("the endpoint's answer holds no vectors", hint=hint) from error
    if (
        len(vectors) != expected
        or len({len(vector) for vector in vectors}) > 1
        or not isinstance(tokens, int)
    ):
        raise EndpointFailed("the endpoint's answer does not hold one vector a text")
    return Vectors(vectors, tokens)

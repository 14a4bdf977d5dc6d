"""What is asked of a language model and what comes back: the types that everything in this package shares.

What belongs here: no network, no prompt. A request names no endpoint and no key, so that it can be kept and
hashed; the same request of the same model has the same hash on every machine.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import orjson

from lakebook.errors import AnalystError

SEED = 7
TEMPERATURE = 0.0

Role = Literal["system", "user", "assistant"]

# How a reply's form is asked for: by JSON schema; in words alone; and without seed and temperature too.
Form = Literal["schema", "words", "bare"]
FORMS: tuple[Form, ...] = ("schema", "words", "bare")

# Is told each piece of a reply as it arrives. Together the pieces are the reply's text.
OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    Attributes:
        purpose: what for, in a word: "intent", "queries", "summary", "sources", "figure", "repair", "test" …
        messages: (role, text), in order. `schema`: JSON schema of the reply.
        max_tokens: the longest reply. `form`: how the schema is imposed; it does not enter the hash.
        images: PNG pictures that go with the last message.
        stop: texts at which the reply ends; they are not part of it.
    """

    purpose: str
    messages: tuple[tuple[Role, str], ...]
    schema: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: int = 700
    form: Form = "schema"
    images: tuple[bytes, ...] = ()
    stop: tuple[str, ...] = ()

    def image_hashes(self) -> list[str]:
        """Return the SHA-256 of each picture, by which it is written down."""
        return [hashlib.sha256(image).hexdigest() for image in self.images]


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """Texts whose vectors are asked for."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vectors:
    """One vector a text, in order; tokens are 0 where the endpoint does not say."""

    vectors: tuple[tuple[float, ...], ...]
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered; tokens are 0 where the endpoint does not say."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish: str = ""

    @property
    def tokens(self) -> int:
        """All tokens of the exchange."""
        return self.prompt_tokens + self.completion_tokens


class LanguageModel(Protocol):
    """Whatever answers requests: an endpoint, or a layer around one."""

    @property
    def name(self) -> str:
        """The model's name, as the endpoint knows it."""
        ...

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer a request, telling `on_text` of each piece that arrives; a kept reply is told at once.

        Raises:
            ModelFailed: no reply could be had. Of one that broke off, pieces may have been told.
        """
        ...


class EmbeddingModel(Protocol):
    """Whatever turns texts into vectors."""

    @property
    def name(self) -> str:
        """The model's name, as the endpoint knows it."""
        ...

    def embed(self, request: EmbeddingRequest) -> Vectors:
        """Return the vectors. Raises ModelFailed if none could be had."""
        ...


class ModelFailed(AnalystError):
    """The model gave nothing that can be used; the offline analyst does the work."""


class EndpointFailed(ModelFailed):
    """The endpoint gave no reply.

    Attributes:
        passing: it may answer if asked again soon. `form_refused`: it may answer if asked in a plainer form.
    """

    def __init__(
        self, message: str, *, hint: str = "", passing: bool = False, form_refused: bool = False
    ) -> None:
        super().__init__(message, hint=hint)
        self.passing = passing
        self.form_refused = form_refused


class BudgetSpent(ModelFailed):
    """The next call would pass the budget, so it was not made."""

    exit_code = 5


class BadReply(ModelFailed):
    """The model answered, and the answer did not stand up to the checks.

    Attributes:
        message: the fault, for a reader; nothing of what the model wrote is in it.
        complaint: the fault with the place, for the model.
    """

    def __init__(self, message: str, complaint: str = "") -> None:
        super().__init__(message)
        self.complaint = complaint or message


def request_hash(model: str, request: Request) -> str:
    """Return the hash by which the reply to a request is kept."""
    asked = {
        "model": model,
        "messages": [list(message) for message in request.messages],
        "schema": request.schema,
        "max_tokens": request.max_tokens,
        "seed": SEED,
        "temperature": TEMPERATURE,
    }
    asked |= {"images": request.image_hashes()} if request.images else {}
    asked |= {"stop": list(request.stop)} if request.stop else {}
    return hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()


def json_in(text: str) -> dict[str, Any]:
    """Return the first JSON object in a reply, whatever is written around it.

    Raises:
        BadReply: there is none.
    """
    said = text.rpartition("</think>")[2]
    decoder = json.JSONDecoder()
    for match in re.finditer(r"\{", said):
        try:
            found, _ = decoder.raw_decode(said, match.start())
        except (json.JSONDecodeError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    raise BadReply("the reply holds no JSON object")

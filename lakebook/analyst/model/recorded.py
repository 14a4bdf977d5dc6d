"""Kept replies: the same request of the same model is answered from the state folder (design rule 6).

So the same inputs give the same bytes although models do not, a rerun costs nothing, and no endpoint need be
there. Without a model behind it this is the test double.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import orjson

from lakebook.analyst.model.protocol import (
    EndpointFailed,
    LanguageModel,
    OnText,
    Reply,
    Request,
    request_hash,
)
from lakebook.storage import replacing

REPLIES = "replies"


class Recorded:
    """A model whose replies are kept, one file a request.

    Args:
        name: the model's name, which is part of what a reply is kept under.
        folder: where replies are kept.
        model: who is asked when no reply is kept; None asks nobody.
    """

    def __init__(self, name: str, folder: Path, model: LanguageModel | None = None) -> None:
        self._name, self._folder, self._model = name, folder, model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Return the kept reply, told whole at once, else ask and keep it. Failures are not kept."""
        kept = self._kept(request)
        if kept is not None:
            if on_text is not None:
                on_text(kept.text)
            return kept
        if self._model is None:
            raise EndpointFailed("no reply to this request is kept, and nobody can be asked")
        reply = self._model.complete(request, on_text)
        self.keep(request, reply)
        return reply

    def keep(self, request: Request, reply: Reply) -> None:
        """Keep a reply, with the request for people who read the file."""
        asked = {"purpose": request.purpose, "model": self._name, "messages": request.messages}
        asked |= {"images": request.image_hashes()} if request.images else {}
        document = {"request": asked, "reply": asdict(reply)}
        with replacing(self._path(request)) as temporary:
            temporary.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))

    def _kept(self, request: Request) -> Reply | None:
        try:
            return Reply(**orjson.loads(self._path(request).read_bytes())["reply"])
        except (OSError, orjson.JSONDecodeError, LookupError, TypeError):
            return None  # a file that is not there, or was cut off or edited: the model is asked again

    def _path(self, request: Request) -> Path:
        return self._folder / f"{request_hash(self._name, request)}.json"

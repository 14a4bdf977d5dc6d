"""What the wire says, read: a whole chat completion, or the pieces of one as they arrive.

What belongs here: the form of the service's answers. What is asked, and what is done with a failure, is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import orjson

from lakebook.analyst.model.protocol import EndpointFailed, OnText, Reply

_NO_COMPLETION = "the endpoint's answer is no chat completion"


def reply_from(body: bytes) -> Reply:
    """Read a chat completion; services differ in all but the few fields that are used here.

    Raises:
        EndpointFailed: it is none.
    """
    try:
        document = orjson.loads(body)
        choice = document["choices"][0]
        text = choice["message"].get("content") or ""
        usage = document.get("usage") or {}
        counts = [usage.get(name) or 0 for name in ("prompt_tokens", "completion_tokens")]
    except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError) as error:
        hint = "Check that OPENAI_BASE_URL is the address of an OpenAI-compatible service, with its /v1."
        raise EndpointFailed(_NO_COMPLETION, hint=hint) from error
    if not isinstance(text, str) or not all(isinstance(count, int) and count >= 0 for count in counts):
        raise EndpointFailed(_NO_COMPLETION)
    return Reply(text, counts[0], counts[1], str(choice.get("finish_reason") or ""))


@dataclass
class Heard:
    """A reply that is told while it arrives (server-sent events); services may send it whole."""

    on_text: OnText
    _rest: bytes = b""
    _parts: list[str] = field(default_factory=list)
    _counts: tuple[int, int] = (0, 0)
    _finish: str = ""
    _events: int = 0

    def take(self, chunk: bytes) -> None:
        """Take bytes as they come; an event may be spread over several."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._line(line)

    def reply(self, body: bytes) -> Reply:
        """Return the reply, all of its bytes having been taken.

        Raises:
            EndpointFailed: they were no chat completion, or it broke off.
        """
        self._line(self._rest)
        self._rest = b""
        if not self._events:
            whole = reply_from(body)
            self.on_text(whole.text)
            return whole
        if not self._finish:
            raise EndpointFailed("the reply broke off", hint="See the log of the service.", passing=True)
        return Reply("".join(self._parts), *self._counts, self._finish)

    def _line(self, line: bytes) -> None:
        if not line.startswith(b"data:"):
            return
        said = line.removeprefix(b"data:").strip()
        self._events += 1
        if said == b"[DONE]":
            self._finish = self._finish or "stop"
            return
        try:
            event = orjson.loads(said)
            usage = event.get("usage") or {}
            counts = [usage.get(name) or 0 for name in ("prompt_tokens", "completion_tokens")]
            choice = (event.get("choices") or [{}])[0]
            text = (choice.get("delta") or {}).get("content") or ""
            if event.get("error") or not isinstance(text, str) or not all(isinstance(n, int) for n in counts):
                raise EndpointFailed(_NO_COMPLETION, passing=bool(event.get("error")))
        except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError) as error:
            raise EndpointFailed(_NO_COMPLETION) from error
        self._counts = (counts[0], counts[1]) if any(counts) else self._counts
        self._finish = str(choice.get("finish_reason") or self._finish)
        if text:
            self._parts.append(text)
            self.on_text(text)


@dataclass
class Telling:
    """Tells of a reply and, if it has to be asked for again, that what was told so far broke off."""

    on_text: OnText
    _told: bool = False

    def anew(self) -> OnText:
        """Return whom to tell of the next try."""
        if self._told:
            self.on_text("\n[the reply broke off; it is asked for again]\n")
            self._told = False
        return self._tell

    def _tell(self, text: str) -> None:
        self._told = True
        self.on_text(text)

"""The outputs of one cell as a notebook keeps them, made from the messages that arrived one by one.

Jupyter's rules: neighbouring text of one stream is one output, `update_display_data` replaces what was shown
under its identity, `clear_output` empties the cell, at once or when the next output comes.
"""

from __future__ import annotations

from typing import Any

Output = dict[str, Any]


class Transcript:
    """Collects checked messages (`protocol.parse_output`)."""

    def __init__(self) -> None:
        self._items: list[Output] = []
        self._text: list[str] = []
        self._shown: dict[str, list[Output]] = {}
        self._clear_next = False

    def __len__(self) -> int:
        return len(self._items)

    def add(self, message: Output) -> None:
        """Take the next message."""
        kind = message["output_type"]
        if kind == "clear_output":
            self._clear(message["wait"])
            return
        identity = message.get("transient", {}).get("display_id")
        if kind == "update_display_data":
            for item in self._shown.get(identity, ()):
                item.update(data=message["data"], metadata=message["metadata"])
            return
        if self._clear_next:
            self._clear(wait=False)
        if kind == "stream":
            self._stream(message)
            return
        self._close_text()
        item = {key: value for key, value in message.items() if key != "transient"}
        self._items.append(item)
        if identity is not None:
            self._shown.setdefault(identity, []).append(item)

    def finish(self) -> tuple[Output, ...]:
        """Return the outputs."""
        self._close_text()
        return tuple(self._items)

    def _stream(self, message: Output) -> None:
        if not self._text or self._items[-1]["name"] != message["name"]:
            self._close_text()
            self._items.append(dict(message))
        self._text.append(message["text"])

    def _close_text(self) -> None:
        if self._text:
            self._items[-1]["text"] = "".join(self._text)
            self._text = []

    def _clear(self, wait: bool) -> None:
        self._clear_next = wait
        if not wait:
            self._items.clear()
            self._text.clear()

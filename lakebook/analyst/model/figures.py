"""What a vision model says of a figure: sentences that go through refinement, and never straight to a reader.

What belongs here: one question about one figure, with its picture; where the service takes no pictures,
with what
is drawn as text. What does not: judging the sentences (`lakebook.enhancement.refinement`). Paper: NotebookRAG
§4.2.4 (the VLM gets intent and picture).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from lakebook.analyst.model.budget import Budget
from lakebook.analyst.model.layers import open_model
from lakebook.analyst.model.privacy import allows, figure_request
from lakebook.analyst.model.protocol import BadReply, EndpointFailed, LanguageModel, ModelFailed, json_in
from lakebook.settings import ModelSettings, Privacy

MOST_LETTERS = 2_000


@dataclass
class FigureReader:
    """Asks a model what figures show.

    Attributes:
        seeing: is asked with pictures. `reading`: the same service, asked without them.
        blind: the service gave no reply to a picture, so that no other is sent.
        trouble: a figure got no reply, so that the result is not what the model would give.
        notes: what went wrong, for the person who runs it.
    """

    seeing: LanguageModel
    reading: LanguageModel
    privacy: Privacy
    blind: bool = False
    trouble: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.seeing.name

    @property
    def version(self) -> str:
        """What results depend on; one made without a reply is made anew in the next run."""
        return f"{self.name}, privacy {self.privacy}{'; no reply' if self.trouble else ''}"

    def text_of(self, question: str, labels: str, values: str, picture: bytes | None) -> str:
        """Return what the model says of a figure, "" if it says nothing that can be used.

        Args:
            question: the intent.
            labels: title, axes and names.
            values: what is drawn, for a service that takes no picture.
            picture: PNG, None if there is none.
        """
        try:
            if picture is not None and not self.blind:
                try:
                    reply = self.seeing.complete(figure_request(question, labels, picture, self.privacy))
                    return said_in(reply.text)
                except EndpointFailed as failure:
                    # A service that knows no pictures says so in many ways; the same text may do.
                    self.blind = True
                    self.notes.append(
                        f"{self.name}: no reply to a picture ({failure.message}); text is sent."
                    )
            request = figure_request(question, f"{labels}\n{values}", None, self.privacy)
            return said_in(self.reading.complete(request).text)
        except ModelFailed as failure:
            self.trouble = self.trouble or not isinstance(failure, BadReply)
            self.notes.append(f"{self.name} was of no use for a figure: {failure.message}")
            return ""


def said_in(reply: str) -> str:
    """Return the sentences of a reply as a text, each once: those of its JSON, else its plain words.

    Of JSON that was cut off where the reply had to end, the texts that are whole are taken.

    Raises:
        BadReply: it holds no words.
    """
    try:
        listed = json_in(reply).get("sentences")
    except BadReply:
        words = reply.rpartition("</think>")[2]
        cut_off = re.search(r'"sentences"\s*:\s*\[(.*)', words, re.DOTALL)
        listed = re.findall(r'"((?:[^"\\]|\\.)*)"', cut_off[1]) if cut_off else [words]
    if not isinstance(listed, list):
        raise BadReply('there is no list "sentences" of texts')
    said = [" ".join(one.split()) for one in listed if isinstance(one, str) and one.strip()]
    if not said:
        raise BadReply("it says nothing")
    ended = dict.fromkeys(one if one.endswith((".", "!", "?")) else f"{one}." for one in said)
    return "\n\n".join(ended)[:MOST_LETTERS]


def open_reader(settings: ModelSettings, state: Path, budget: Budget) -> FigureReader | None:
    """Put the layers together; None where no figure may leave."""
    if not allows(settings.privacy, "full"):
        return None
    # Two, since one that gave up on pictures asks nothing more.
    seeing, reading = (open_model(settings, state, budget) for _ in range(2))
    return FigureReader(seeing, reading, settings.privacy)

"""An analysis: an intent and a dataset, declared in `lakebook.toml` or given on the command line.

It is the partition key of everything that depends on the question asked.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is asked of which dataset; an empty dataset means that the lake's main table is taken."""

    intent: str
    dataset: str = ""

    @property
    def id(self) -> str:
        """A readable, stable name: words of dataset and intent, and a short hash of both."""
        words = re.findall(r"[a-z0-9]+", f"{self.dataset.rsplit('.', 1)[0]} {self.intent}".lower())
        digest = hashlib.sha256(f"{self.dataset}\n{self.intent}".encode()).hexdigest()[:8]
        return (
            "-".join([*words, digest])[-60:].lstrip("-") if len(words) < 4 else "-".join([*words[:6], digest])
        )

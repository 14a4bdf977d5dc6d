"""Answers without a model: a question is read word by word, or declined (design §4, `lakebook ask`).

`answer` is the way in. A question is cut into words (`tokens`), these are bound to columns, values and rows
(`binding`), read by a grammar into plans (`grammar`, `conditions`), computed as SQL (`statement`) and told
(`wording`). Nothing here calls a model, and nothing is guessed.
"""

from lakebook.agent.offline.answer import answer
from lakebook.agent.offline.outcome import Declined, OfflineAnswer

__all__ = ["Declined", "OfflineAnswer", "answer"]

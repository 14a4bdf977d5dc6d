"""What leaves the machine: the one room in which requests are written decides what they hold (design rule 5).

One scale, each level letting out what those before it do:

`schema`: names, types and uses of columns, numbers of rows; in a search also paths of files and names of
their parts; of operations their verdicts, findings and errors without any value. No cell value at all.
`samples`: also the shape of a few values (`XX-99`); sentences of published insights, with a placeholder for
every number and name that a claim carries; of notebooks the code of charts whose columns are in doubt, or
which fail, without its comments, texts and numbers; and, where an embedding model is set, passages of their
prose. What people wrote, an insight's sentence or a passage, may name a value; nothing else does.
`full`: also values, rows of results, passages of documents, and pictures of rerun figures.

The question itself always leaves, and so does what a model wrote itself.

No other package makes a request (tests/architecture/test_requests.py).
"""

from __future__ import annotations

from lakebook.analyst.model.privacy.conversation import conversation_request
from lakebook.analyst.model.privacy.fence import quoted
from lakebook.analyst.model.privacy.levels import LEVELS, NotAllowed, allows
from lakebook.analyst.model.privacy.requests import (
    FEWEST,
    KINDS,
    MOST,
    MOST_GROUPS,
    MOST_NAMES_IN_SCHEMA,
    Statement,
    again,
    columns_request,
    figure_request,
    intent_request,
    probe_request,
    prose_embedding,
    queries_request,
    question_embedding,
    repair_request,
    sources_embedding,
    sources_request,
    statement_of,
    summary_request,
)
from lakebook.analyst.model.privacy.shown import (
    evidence_text,
    record_text,
    schema_names,
    schema_text,
    table_name,
)
from lakebook.analyst.model.privacy.statement import HiddenLiterals, statement_request

__all__ = [
    "FEWEST",
    "KINDS",
    "LEVELS",
    "MOST",
    "MOST_GROUPS",
    "MOST_NAMES_IN_SCHEMA",
    "HiddenLiterals",
    "NotAllowed",
    "Statement",
    "again",
    "allows",
    "columns_request",
    "conversation_request",
    "evidence_text",
    "figure_request",
    "intent_request",
    "probe_request",
    "prose_embedding",
    "queries_request",
    "question_embedding",
    "quoted",
    "record_text",
    "repair_request",
    "schema_names",
    "schema_text",
    "sources_embedding",
    "sources_request",
    "statement_of",
    "statement_request",
    "summary_request",
    "table_name",
]

"""Rules on answers: every number in the text is a claim, and every claim rests on a record without error."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule

_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d[\d,]*(?:\.\d+)?%?")


@rule(
    "O9",
    operator="Answer",
    detects="a number in the text that no claim computes",
    evidence="the claims of the answer (complete)",
    action="reject",
    reference="design §5, rule 3; catalogue O9",
)
def number_without_claim(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a text with a number that is not shown by one of its claims."""
    rest = invocation.text
    for shown in sorted({claim.shown for claim in invocation.claims if claim.shown}, key=len, reverse=True):
        rest = re.sub(rf"(?<![\d.,]){re.escape(shown)}(?![\d]|[.,]\d)", " ", rest)
    for number in dict.fromkeys(_NUMBER.findall(rest)):
        yield Finding(
            "O9",
            "reject",
            f"No claim computes the number {number}.",
            observed=f"The answer has {len(invocation.claims)} claims.",
            hint="Compute it in an operation and claim it, or leave it out.",
        )


@rule(
    "O10",
    operator="Answer",
    detects="a claim that rests on no record, or on a record that failed or was rejected",
    evidence="the execution records (complete)",
    action="reject",
    reference="RADAR §3.1 (references to records)",
)
def claim_without_record(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject claims whose record is not there or holds no result."""
    records = {record.id: record for record in invocation.records}
    for claim in invocation.claims:
        record = records.get(claim.record)
        if record is None:
            message = f"Claim {claim.id} ({claim.shown}) names no execution record."
        elif record.error or record.verdict == "reject":
            message = f"Claim {claim.id} ({claim.shown}) rests on {record.id}, which failed."
        else:
            continue
        yield Finding(
            "O10",
            "reject",
            message,
            observed=f"record {claim.record or '(none)'}",
            hint="Run the operation that computes it.",
        )

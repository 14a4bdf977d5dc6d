"""The end of a run in words, for a terminal: what was found, and whether it was checked."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from lakebook.analyst.plan import Findings
from lakebook.report.insights import published
from lakebook.report.opening import key_findings
from lakebook.report.verification import ClaimCheck

_WIDTH = 88


def summarize(findings: Findings, checks: Sequence[ClaimCheck]) -> str:
    """Return the key findings as a short numbered list, and one line on the checks."""
    shown = [finding for finding in findings.findings if finding.published]
    lines = []
    for rank, position in enumerate(key_findings(shown), start=1):
        finding = shown[position]
        first = published(finding.insights, cautions=False)[0]
        hedge = "" if finding.verdict == "supported" else " (suggestive only)"
        text = f"{rank}. {' '.join(finding.title.split())}: {first.text}{hedge}"
        lines.append(textwrap.fill(text, _WIDTH, subsequent_indent="   "))
    if not lines:
        lines.append("Nothing could be stated with support.")
    return "\n".join([*lines, "", f"{len(shown)} sections. {checks_line(checks)}"])


def checks_line(checks: Sequence[ClaimCheck]) -> str:
    """Say in one sentence how many numbers were recomputed and how many hold."""
    failed = [check for check in checks if not check.holds]
    if not checks:
        return "The text states no number that could be recomputed."
    if len(checks) == 1 and not failed:
        return "The one number in the text was recomputed and holds."
    if not failed:
        return f"All {len(checks)} numbers in the text were recomputed and hold."
    names = ", ".join(check.claim for check in failed[:5]) + (" …" if len(failed) > 5 else "")
    return f"{len(failed)} of {len(checks)} numbers in the text do NOT hold when recomputed: {names}."

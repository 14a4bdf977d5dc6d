"""`lakebook show`: what was asked of models, as the ledger has it: what left, what came back, the cost."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lakebook.cli import console


def show(
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Print what was sent and what came back, word for word.")
    ] = False,
    last: Annotated[
        int, typer.Option("--last", min=0, help="Only so many of the latest calls; 0 is all.")
    ] = 0,
    purpose: Annotated[
        str,
        typer.Option("--purpose", help="Only calls for this (intent, queries, summary, sources, repair …)."),
    ] = "",
    json_output: console.JsonFlag = False,
) -> None:
    """Show every call of a language model: when, what for, tokens, cost; with --prompts all that was sent.

    Example: lakebook show --prompts --last 3
    """
    from lakebook.analyst.model.ledger import LEDGER, entries
    from lakebook.settings import load_settings

    settings = load_settings()
    calls = [one for one in entries(settings.state / LEDGER) if purpose in ("", one.get("purpose"))]
    calls = calls[-last:] if last else calls
    total = _total(calls)
    if json_output:
        shown = calls if prompts else [_without_texts(one) for one in calls]
        console.print_json({"calls": shown, "total": total})
        return
    if not calls:
        console.note(f"No model was asked: there is no such call in {settings.state / LEDGER}.")
        return
    out = console.out()
    for number, one in enumerate(calls, start=1):
        out.print(console.visible(_heading(number, one)), markup=False)
        for line in _texts(one) if prompts else ():
            out.print(console.visible(line), markup=False)
    cost = f", cost {total['cost']:.4g}" if total["cost"] is not None else ""
    out.print(
        f"{total['calls']} calls, {total['tokens']:,} tokens{cost}, {total['seconds']:.1f} s", markup=False
    )


def _total(calls: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the sums; the cost is None if no call has one."""
    costs = [one["cost"] for one in calls if isinstance(one.get("cost"), int | float)]
    return {
        "calls": len(calls),
        "tokens": sum(sum(_tokens(one)) for one in calls),
        "cost": sum(costs) if costs else None,
        "seconds": sum(one.get("seconds") or 0 for one in calls),
    }


def _tokens(call: dict[str, Any]) -> tuple[int, int]:
    told = call.get("tokens") or {}
    return told.get("prompt") or 0, told.get("completion") or 0


def _heading(number: int, call: dict[str, Any]) -> str:
    sent, received = _tokens(call)
    cost = f", cost {call['cost']:.4g}" if "cost" in call else ""
    failed = f", FAILED: {call['error']}" if call.get("error") else ""
    return (
        f"{number}. {call.get('started', '')} {call.get('purpose', '')} of {call.get('model', '')}: "
        f"{sent:,} + {received:,} tokens{cost}, {call.get('seconds', 0)} s{failed}"
    )


def _texts(call: dict[str, Any]) -> list[str]:
    """Return what was sent and what came back, in order, each under a heading of its own."""
    lines = []
    for message in call.get("messages", []):
        lines += [f"--- {message.get('role')} ---", str(message.get("content"))]
    for text in call.get("texts", []):
        lines += ["--- text to be embedded ---", str(text)]
    for image in call.get("images", []):
        lines.append(f"--- picture, SHA-256 {image} ---")
    if "reply" in call:
        lines += ["--- reply ---", str(call["reply"])]
    return [*lines, ""]


def _without_texts(call: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in call.items() if name not in ("messages", "texts", "reply", "schema")
    }

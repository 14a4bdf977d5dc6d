"""The Markdown report: written from the safe trees, so it holds no raw HTML of others; figures are files."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lakebook.report.html import LABELS
from lakebook.report.markup import code, escape, escape_inline, fenced, table
from lakebook.report.outline import Block, Code, Prose, ReportOutline
from lakebook.report.outputs import Output
from lakebook.report.pdf_tables import table_grid
from lakebook.report.richtext import BLOCKS, Element

_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "del": "~~", "s": "~~"}


def write_markdown(outline: ReportOutline, figures: str) -> str:
    """Write the report as Markdown.

    Args:
        outline: what it says.
        figures: folder of the figure files, relative to the report.
    """
    parts = [f"# {escape_inline(outline.title)}"]
    if outline.subtitle:
        parts.append(f"> {escape(outline.subtitle)}")
    if outline.status:
        facts = [f"- {escape_inline(fact.label)}: **{escape_inline(fact.value)}**" for fact in outline.status]
        parts.append("\n".join(facts))
    parts += [text for block in outline.blocks if (text := _block(block, outline.language, figures))]
    if outline.claims:
        parts += ["## Where every number comes from", _claims(outline)]
    return "\n\n".join(parts) + "\n"


def _block(block: Block, language: str, figures: str) -> str:
    if isinstance(block, Prose):
        return to_markdown(block.body)
    if isinstance(block, Code):
        label = LABELS.get(block.role, "Code") + (", failed" if block.failed else "")
        return f"<details><summary>{label}</summary>\n\n{fenced(block.source, language)}\n\n</details>"
    return _output(block, figures)


def _output(output: Output, figures: str) -> str:
    note = f"\n\n*{escape_inline(output.cut)}.*" if output.cut else ""
    if output.kind == "figure":
        return f"![{escape_inline(output.alt)}]({figures}/{output.file_name})"
    if output.body is not None:
        return to_markdown(output.body) + note
    if output.kind == "note":
        return f"*{escape_inline(output.text)}*"
    return "" if output.kind == "stderr" else fenced(output.text, "text") + note


def _claims(outline: ReportOutline) -> str:
    rows = []
    for row in outline.claims:
        claim = row.claim.claim
        holds = {True: "yes", False: "**NO**", None: "–"}[row.holds]
        texts = [row.number, escape(row.claim.text), escape(claim.shown)]
        rows.append([*texts, code(claim.expression), escape(row.record), holds])
    return table(["No.", "Statement", "Shown", "Expression", "Record", "Holds"], rows)


def to_markdown(body: Element) -> str:
    """Write a safe tree as Markdown."""
    return "\n\n".join(part for part in _blocks(body) if part.strip())


def _blocks(element: Element) -> list[str]:
    parts: list[str] = []
    inline: list[Element | str] = []
    for child in element.children:
        if isinstance(child, Element) and child.tag in BLOCKS:
            parts += [_paragraph(inline), *_block_element(child)]
            inline = []
        else:
            inline.append(child)
    return [*parts, _paragraph(inline)]


def _block_element(element: Element) -> list[str]:
    tag = element.tag
    if tag == "p":
        return [_paragraph(element.children)]
    if re.fullmatch(r"h[1-6]", tag):
        return [f"{'#' * int(tag[1])} {_inline(element.children)}"]
    if tag in ("ul", "ol"):
        return [_list(element)]
    if tag == "blockquote":
        return ["\n".join(f"> {line}".rstrip() for line in to_markdown(element).splitlines())]
    if tag == "pre":
        return [fenced(element.text().strip("\n"))]
    if tag == "hr":
        return ["---"]
    return [_table(element)] if tag == "table" else _blocks(element)


def _paragraph(children: Sequence[Element | str]) -> str:
    return _inline(children).strip()


def _inline(children: Sequence[Element | str]) -> str:
    return "".join(_inline_node(child) for child in children)


def _inline_node(node: Element | str) -> str:
    if isinstance(node, str):
        return escape(re.sub(r"\s+", " ", node))
    inner = _inline(node.children)
    if node.tag == "br":
        return "  \n"
    if node.tag in ("code", "kbd"):
        return code(node.text())
    if node.tag == "img":
        return f"*[picture: {escape_inline(node.attributes.get('alt', ''))}]*"
    if node.tag in _MARKS and inner.strip():
        mark, bare = _MARKS[node.tag], inner.strip()
        return inner.replace(bare, f"{mark}{bare}{mark}", 1)
    if node.tag in ("sup", "sub"):
        return f"<{node.tag}>{escape_inline(node.text())}</{node.tag}>"
    href = node.attributes.get("href", "")
    return f"[{inner}]({_target(href)})" if href and inner.strip() else inner


def _target(href: str) -> str:
    plain = href.replace("<", "%3C").replace(">", "%3E")
    return f"<{plain}>" if re.search(r"[\s()]", plain) else plain


def _list(element: Element) -> str:
    items = [child for child in element.children if isinstance(child, Element) and child.tag == "li"]
    lines = []
    for number, item in enumerate(items, start=int(element.attributes.get("start", "1"))):
        lead = f"{number}. " if element.tag == "ol" else "- "
        # Space between blocks of one item would make the whole list a loose one.
        body = "\n".join(part for part in _blocks(item) if part.strip())
        lines.append(lead + body.replace("\n", "\n" + " " * len(lead)))
    return "\n".join(lines)


def _table(element: Element) -> str:
    rows, headers = table_grid(element)
    if not rows:
        return ""
    head = rows[headers - 1] if headers else [""] * len(rows[0])
    body = [*rows[: max(headers - 1, 0)], *rows[headers:]]
    return table(
        [escape_inline(text) for text in head], [[escape_inline(text) for text in row] for row in body]
    )

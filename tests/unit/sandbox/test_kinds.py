"""Kinds of files by what is in them."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from lakebook.sandbox.kinds import HEAD_BYTES, kind_of

SVG = b'<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg xmlns="http://www.w3.org/2000/svg"></svg>'


def parquet() -> bytes:
    buffer = io.BytesIO()
    pd.DataFrame({"a": [1]}).to_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "name", "kind"),
    [
        (b"", "x.csv", "empty"),
        (b"\x89PNG\r\n\x1a\n123", "table.csv", "png image"),
        (SVG, "x.txt", "svg image"),
        (b"<svg width='1'></svg>", "x", "svg image"),
        (b"<!doctype html><html><svg></svg></html>", "x.svg", "html"),
        (b"a,b\n1,2\n3,4\n", "x.txt", "csv"),
        (b'a;b\n1;"2;5"\n', "x", "csv"),
        (b"a\tb\n1\t2\n", "x.csv", "tsv"),
        ("Größe,Wert\n1,2\n".encode(), "x", "csv"),
        (b"one, two\nand no more\n", "x.csv", "text"),
        (b"just words", "x.csv", "text"),
        (b'{"a": 1}', "x.txt", "json"),
        (b"[1, 2]", "x", "json"),
        (b'{"a": 1}\n{"a": 2}\n', "x", "json lines"),
        (b'{"cells": [], "nbformat": 4}', "x.json", "notebook"),
        (b"# Title\n\ntext", "x.md", "markdown"),
        (b"import os", "x.py", "python"),
        (b"\x00\x01\x02\x03" * 20, "x.csv", "binary"),
        (b"%PDF-1.7", "x", "pdf"),
    ],
)
def test_the_content_decides(content: bytes, name: str, kind: str) -> None:
    assert kind_of(content, name) == kind


def test_a_head_that_is_cut_in_a_line_is_still_a_table() -> None:
    content = b"a,b,c\n" + b"1,2,3\n" * 10_000
    assert kind_of(content[: HEAD_BYTES - 2], "x") == "csv"


def test_parquet_is_parquet() -> None:
    assert kind_of(parquet()[:HEAD_BYTES], "x.bin") == "parquet"

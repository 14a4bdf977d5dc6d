"""The store: atomic writes, canonical bytes, versions that ignore declared fields."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from lakebook.errors import LakebookError
from lakebook.storage import Receipt, Store, canonical, hash_file, replacing, version_of


@dataclass(frozen=True)
class Note:
    text: str
    parts: tuple[int, ...] = ()
    seconds: float = 0.0


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state")


def test_a_document_comes_back_as_it_was_written(store: Store) -> None:
    note = Note("größe", (1, 2))
    store.write_document("notes", note, Note)
    assert store.read_document("notes", Note) == note


def test_partitions_do_not_share_documents(store: Store) -> None:
    store.write_document("notes", Note("a"), Note, "one")
    store.write_document("notes", Note("b"), Note, "two")
    assert store.read_document("notes", Note, "one").text == "a"
    assert store.read_document("notes", Note, "two").text == "b"


def test_a_tuple_of_dataclasses_can_be_a_document(store: Store) -> None:
    store.write_document("many", (Note("a"), Note("b")), tuple[Note, ...])
    assert [note.text for note in store.read_document("many", tuple[Note, ...])] == ["a", "b"]


def test_version_ignores_declared_fields_but_nothing_else() -> None:
    assert version_of(Note("a", seconds=1.0), Note) == version_of(Note("a", seconds=2.0), Note)
    assert version_of(Note("a"), Note) != version_of(Note("b"), Note)


def test_equal_values_give_equal_bytes() -> None:
    one = canonical({"b": 1, "a": 2}, dict[str, int])
    assert one == canonical({"a": 2, "b": 1}, dict[str, int])


def test_numbers_that_are_not_finite_come_back(store: Store) -> None:
    store.write_document(
        "notes", (Note("a", seconds=float("inf")), Note("b", seconds=float("nan"))), tuple[Note, ...]
    )
    inf, nan = store.read_document("notes", tuple[Note, ...])
    assert inf.seconds == float("inf")
    assert nan.seconds != nan.seconds


def test_a_missing_document_says_what_to_do(store: Store) -> None:
    with pytest.raises(LakebookError, match="has not been made yet") as caught:
        store.read_document("notes", Note)
    assert "lakebook run" in caught.value.hint


def test_a_document_of_another_shape_is_refused(store: Store) -> None:
    (store.folder("notes") / "document.json").write_text('{"words": 1}', encoding="utf-8")
    with pytest.raises(LakebookError, match="cannot be read"):
        store.read_document("notes", Note)


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    target.write_text("old", encoding="utf-8")

    def write_half() -> None:
        with replacing(target) as temporary:
            temporary.write_text("half", encoding="utf-8")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert target.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_receipts_are_kept_and_forgotten(store: Store) -> None:
    assert store.receipt("notes") is None
    receipt = Receipt({"lake": "v1"}, "code", "v2")
    store.write_receipt("notes", receipt)
    assert store.receipt("notes") == receipt
    store.forget("notes")
    assert store.receipt("notes") is None


def test_a_torn_receipt_counts_as_none(store: Store) -> None:
    (store.folder("notes") / "receipt.json").write_text('{"inputs": {', encoding="utf-8")
    assert store.receipt("notes") is None


def test_tables_come_back(store: Store) -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
    store.write_table("notes", frame)
    back = store.read_table("notes")
    assert back["a"].tolist() == [1, 2]
    assert back["b"].isna().tolist() == [False, True]


def test_hash_file_is_sha256_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    assert hash_file(path) == hashlib.sha256(b"abc").hexdigest()

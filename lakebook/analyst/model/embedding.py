"""Vectors of texts: kept by the hash of the text, asked for within the budget, written into the ledger.

What belongs here: the layers between a request and the wire, as `recorded`, `budget` and `ledger` are for
words. What is embedded is decided in `privacy`.
"""

from __future__ import annotations

import hashlib
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lakebook.analyst.model.budget import Budget, Usage, estimate_texts
from lakebook.analyst.model.ledger import append, spent
from lakebook.analyst.model.protocol import (
    EmbeddingModel,
    EmbeddingRequest,
    EndpointFailed,
    ModelFailed,
    Vectors,
)
from lakebook.settings import Price
from lakebook.storage import replacing

VECTORS = "vectors"
_BATCH = 64


class Embeddings:
    """An embedding model whose vectors are kept.

    Args:
        model: the wire.
        folder: where vectors are kept, one file a model.
        budget: of the run.
        ledger: where every call is written down.
        price: what tokens cost, None if that is not known.
    """

    def __init__(
        self, model: EmbeddingModel, folder: Path, budget: Budget, ledger: Path, price: Price | None = None
    ) -> None:
        self._model, self._budget, self._ledger, self._price = model, budget, ledger, price
        self._file = folder / f"{hashlib.sha256(model.name.encode()).hexdigest()[:16]}.parquet"

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def vectors(self, request: EmbeddingRequest) -> NDArray[np.float64]:
        """Return one vector of length 1 a text, in order. Raises ModelFailed if they cannot be had."""
        kept = self._load()
        missing = [text for text in dict.fromkeys(request.texts) if _key(text) not in kept]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            found = self._ask(EmbeddingRequest(tuple(batch)))  # a part of a request that privacy made
            kept |= dict(zip(map(_key, batch), found.vectors, strict=True))
            self._keep(kept)
        rows = [kept[_key(text)] for text in request.texts]
        if len({len(row) for row in rows}) > 1:
            raise EndpointFailed("vectors of different lengths", hint=f"Delete {self._file}.")
        matrix = np.array(rows, dtype=np.float64)
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        unit: NDArray[np.float64] = matrix / np.maximum(norms, 1e-12)
        return unit

    def _ask(self, request: EmbeddingRequest) -> Vectors:
        expected = estimate_texts(request.texts)
        self._budget.allow(expected, self._price)
        started, clock = datetime.now(UTC), time.perf_counter()
        outcome: dict[str, Any] = {"error": "interrupted"}
        used = expected
        try:
            found = self._model.embed(request)
            used = Usage(found.tokens) if found.tokens else expected
            outcome = {"error": ""} | spent(found.tokens, 0, self._price)
        except ModelFailed as failure:
            outcome = {"error": failure.message}
            raise
        finally:
            self._budget.spend(used, self._price, time.perf_counter() - clock)
            entry = {"purpose": "embedding", "model": self.name, "texts": list(request.texts)}
            entry |= {"started": started.isoformat(timespec="seconds")}
            append(self._ledger, entry | {"seconds": round(time.perf_counter() - clock, 3)} | outcome)
        return found

    def _load(self) -> dict[str, tuple[float, ...]]:
        try:
            table = pq.read_table(self._file)
            pairs = zip(table["key"].to_pylist(), table["vector"].to_pylist(), strict=True)
            return {key: tuple(vector) for key, vector in pairs}
        except (OSError, pa.ArrowException, KeyError):
            return {}  # not there, or damaged: the model is asked again

    def _keep(self, kept: dict[str, tuple[float, ...]]) -> None:
        table = pa.table({"key": list(kept), "vector": pa.array(list(kept.values()), pa.list_(pa.float64()))})
        with replacing(self._file) as temporary:
            pq.write_table(table, temporary, compression="zstd")


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]

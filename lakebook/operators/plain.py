"""Results as plain JSON values, and their hash. Equal results give equal bytes."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import math
import uuid
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import orjson

from lakebook.sandbox.base import Json


def plain(value: Any) -> Json:
    """Return a value as DuckDB or Python gives it in JSON's terms; inf and NaN become text, dates ISO."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return (
            plain(float(value))
            if value != value.to_integral_value() or "." in str(value)
            else plain(int(value))
        )
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return value.hex if isinstance(value, uuid.UUID) else str(value)


def canonical(value: Json) -> bytes:
    """Return the value as JSON with sorted keys and no blanks."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def sha256(value: Json) -> str:
    """Return the hash of the canonical JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()

"""The arguments of the operators as a JSON schema that endpoints for structured output take.

They take less than JSON schema has: every property is required, a choice is `anyOf`, nothing has a default.
What is optional is then sent empty, which means the same.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from lakebook.operators.arguments import Batch

_DROPPED = frozenset({"title", "default", "discriminator", "minLength", "maxLength"})
_SCALAR: list[Any] = [{"type": name} for name in ("string", "number", "boolean", "null")]
_ROW = {"anyOf": [*_SCALAR, {"type": "array", "items": {"anyOf": _SCALAR}}]}
# A value without a schema of its own is not taken; answers are scalars, lists, or rows of scalars.
_VALUE = {"anyOf": [*_SCALAR, {"type": "array", "items": _ROW}]}


@cache
def operation_schema() -> dict[str, Any]:
    """Return the schema of a batch; what fits it is read by `arguments.read_batch`."""
    found: dict[str, Any] = _plain(Batch.model_json_schema())
    del found["$defs"]["Json"]
    return found


def _plain(node: Any) -> Any:
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("$ref", "").endswith("/Json"):
        return {"description": node.get("description", ""), **_VALUE}
    made = {key: _plain(value) for key, value in node.items() if key not in _DROPPED}
    if "oneOf" in made:
        made["anyOf"] = made.pop("oneOf")
    if "prefixItems" in made:
        made["items"] = made.pop("prefixItems")[0]
    if isinstance(properties := node.get("properties"), dict):
        made["properties"] = {name: _plain(value) for name, value in properties.items()}
        made["required"] = list(properties)
    return made

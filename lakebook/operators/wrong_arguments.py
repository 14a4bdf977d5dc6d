"""What is said of arguments that are wrong: which one, what may stand there, and what was probably meant.

Put into words from pydantic's list of errors; nothing here decides whether arguments are right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from lakebook.validation.nearest import nearest

_SHOWN = 80
_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "model_type": "an object",
    "model_attributes_type": "an object",
}


def explain(error: ValidationError, data: object, operators: Mapping[str, type[BaseModel]]) -> str:
    """Return one sentence an error, each with the place where it stands.

    Args:
        error: what pydantic found.
        data: what was given.
        operators: the models by the name of their operator.
    """
    found = [_sentence(one, data, operators) for one in error.errors(include_url=False)]
    return " ".join(dict.fromkeys(found))


def _sentence(one: Mapping[str, Any], data: object, operators: Mapping[str, type[BaseModel]]) -> str:
    steps = list(one["loc"])
    place = ""
    if steps[:1] == ["operations"]:
        if len(steps) == 1:
            return _of_batch(one)
        place = f"operation {int(steps[1]) + 1}: "
        steps = steps[2:]
    elif steps and steps[0] not in operators:
        return f"a batch has no {steps[0]!r}; it is a list of `operations`."
    name = str(steps.pop(0)) if steps and steps[0] in operators else ""
    kind, value = one["type"], one.get("input")
    if kind == "union_tag_not_found":
        return f"{place}it has no `operator`; the operators are {_names(operators)}."
    if kind == "union_tag_invalid":
        tag = str(one.get("ctx", {}).get("tag", ""))
        return f"{place}there is no operator {tag!r}{_near(tag, operators)}; there are {_names(operators)}."
    if not steps and kind != "value_error":
        return f"{place}an operation is an object with `operator` and its arguments, not {_shown(value)}."
    model = operators.get(name)
    if kind == "value_error" or model is None:
        at = f", {steps[0]}" if steps else ""
        return f"{place}{name}{at}: {_message(one)}."
    return place + _of_field(name, model, steps, one)


def _of_batch(one: Mapping[str, Any]) -> str:
    if one["type"] in ("too_short", "missing"):
        return "a batch needs at least one operation in `operations`."
    return f"`operations` is a list of operations, not {_shown(one.get('input'))}."


def _of_field(name: str, model: type[BaseModel], steps: Sequence[Any], one: Mapping[str, Any]) -> str:
    kind, value, field = one["type"], one.get("input"), str(steps[0])
    if len(steps) > 1 and kind != "missing":
        at = f"{name}, entry {int(steps[1]) + 1} of {field}"
        wanted = _KINDS.get(kind)
        return f"{at}: {wanted} is needed, not {_shown(value)}." if wanted else f"{at}: {_message(one)}."
    fields = {key: info for key, info in model.model_fields.items() if key != "operator"}
    if kind == "extra_forbidden":
        return f"{name} has no argument {field!r}{_near(field, fields)}; it takes {_names(fields)}."
    about = fields[field].description if field in fields else ""
    if kind == "missing" and len(steps) > 1:
        return f"{name}, {field}: {_shown(value)} is too short. {about}"
    if kind == "missing":
        return f"{name} needs `{field}`: {about}"
    if kind == "literal_error":
        allowed = [text.strip("' ") for text in str(one["ctx"]["expected"]).replace(" or ", ", ").split(",")]
        return (
            f"{name}, {field}: {value!r} is not allowed{_near(str(value), allowed)}; use {_names(allowed)}."
        )
    if kind in ("string_too_short", "too_short"):
        return f"{name}, {field}: it must not be empty. {about}"
    if kind in ("greater_than_equal", "less_than_equal"):
        return f"{name}, {field}: {value!r} is out of range; {_message(one)}."
    wanted = _KINDS.get(kind, "")
    if wanted:
        return f"{name}, {field}: {wanted} is needed, not {_shown(value)}."
    return f"{name}, {field}: {_message(one)} (given: {_shown(value)})."


def _message(one: Mapping[str, Any]) -> str:
    text = str(one["msg"]).removeprefix("Value error, ").rstrip(".")
    return text[:1].lower() + text[1:] if text.startswith(("Input", "Tuple")) else text


def _near(text: str, known: Mapping[str, Any] | Sequence[str]) -> str:
    found = nearest(text, known, 1)
    return f" (nearest: {found[0]})" if found else ""


def _names(known: Mapping[str, Any] | Sequence[str]) -> str:
    return ", ".join(known)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"

"""The arguments of the eight operators, as a model or a person writes them (RADAR §3.1).

`Operation` is their union, told apart by `operator`; a `Batch` is a list of them. What is written wrongly is
refused here, before anything runs, in words that teach (`wrong_arguments`); whether an operation makes sense
on the data is for the rules. What an operation does stands in the operator's own module.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from lakebook.errors import OperatorError
from lakebook.operators.wrong_arguments import explain
from lakebook.sandbox.base import Json
from lakebook.sandbox.workspace import UnsafeNameError, check_path

View = Literal["all", "names", "fields", "content"]
ProbeKind = Literal["distinct", "range", "nulls", "key", "pattern", "match"]
InspectKind = Literal["schema", "head", "sample"]
_MOST_ROWS = 100
_LONGEST = 100_000  # letters of a statement or of code
_LONGEST_TEXT = 20_000  # letters of an answer


def _identifier(name: str) -> str:
    if name and not (name.isidentifier() and name.isascii()):
        raise ValueError(
            f"{name!r} is no name for a result: use letters, digits and _, and begin with a letter"
        )
    return name


def _inside(path: str) -> str:
    try:
        check_path(path)
    except UnsafeNameError as error:
        raise ValueError(f"{error.message.rstrip('.')}; give a path relative to the workspace") from error
    return path


def _finite(value: Json) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("NaN and infinity are no values; say in the text that there is none")
    for item in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
        _finite(item)
    return value


def _listed(value: Any) -> Any:
    """Take one name for a list of one."""
    return [value] if isinstance(value, str) and value else value or []


Text = Annotated[str, Field(min_length=1)]
ResultName = Annotated[str, AfterValidator(_identifier)]
Names = Annotated[tuple[Text, ...], BeforeValidator(_listed)]
ResultNames = Annotated[tuple[Annotated[Text, AfterValidator(_identifier)], ...], BeforeValidator(_listed)]
Paths = Annotated[tuple[Annotated[Text, AfterValidator(_inside)], ...], BeforeValidator(_listed)]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, validate_default=False)

    purpose: str = Field("", description="What it is run for, in a few words.")

    @property
    def arguments(self) -> dict[str, Json]:
        """What a record keeps: the arguments that were given or have a value."""
        found = self.model_dump(mode="json", exclude={"operator", "purpose"})
        return {name: value for name, value in found.items() if value not in (None, "", [])}


class Search(_Arguments):
    """Find the sources that a question needs, with evidence from the best of them."""

    operator: Literal["Search"] = "Search"
    query: Text = Field(description="What is looked for, in plain words.")
    k: int = Field(10, ge=1, le=50, description="How many groups of sources at most.")
    view: View = Field("all", description="Search paths and names only, columns and values, or content.")


class Read(_Arguments):
    """Read a passage of a document, or lines of a file as it stands in the lake."""

    operator: Literal["Read"] = "Read"
    path: Text = Field(description="`file` or `file#unit`, as Search and the cards write it.")
    position: str = Field("", description="Where a passage stands, as Search writes it, or its heading.")
    span: tuple[int, int] | None = Field(None, description="First and last line of the raw file, from 1.")
    pattern: str = Field("", description="Text or RE2 expression that the passages or lines must hold.")

    @model_validator(mode="after")
    def _span_is_one(self) -> Read:
        if self.span and not 1 <= self.span[0] <= self.span[1]:
            raise ValueError("span is [first, last] with 1 <= first <= last")
        if self.span and self.position:
            raise ValueError("give position (of a passage) or span (of raw lines), not both")
        return self


class Load(_Arguments):
    """Take a table into use: account for its rows and look for signs of a misread file."""

    operator: Literal["Load"] = "Load"
    table: str = Field("", description="Name of the table, as the cards write it.")
    path: str = Field("", description="Instead of the name: the file.")
    unit: str = Field("", description="With path: sheet, table or pointer in the file.")

    @model_validator(mode="after")
    def _names_one(self) -> Load:
        if bool(self.table) == bool(self.path):
            raise ValueError("give table, or path (with unit where the file has several)")
        if self.unit and not self.path:
            raise ValueError("unit needs path")
        return self


class Inspect(_Arguments):
    """Look at the structure of a table: its columns, its first rows, or rows spread over all of it."""

    operator: Literal["Inspect"] = "Inspect"
    table: Text = Field(description="Name of the table.")
    kind: InspectKind = Field("schema", description="Columns; first rows; or rows spread evenly.")
    rows: int = Field(5, ge=1, le=_MOST_ROWS, description="How many rows of head or sample.")


class Probe(_Arguments):
    """Observe columns over all rows; later checks use what was seen."""

    operator: Literal["Probe"] = "Probe"
    table: Text = Field(description="Name of the table.")
    columns: Annotated[tuple[Text, ...], BeforeValidator(_listed), Field(min_length=1)] = Field(
        description="One column; for key and match also several together."
    )
    kind: ProbeKind = Field(
        "distinct",
        description="distinct values; range (smallest, largest); nulls; key (do they identify a row); "
        "pattern (shapes of the texts); match (with the keys of another table).",
    )
    other_table: str = Field("", description="For match: the other table.")
    other_columns: Names = Field((), description="For match: its key; the same names if left out.")

    @model_validator(mode="after")
    def _fits_kind(self) -> Probe:
        if self.kind == "match" and not self.other_table:
            raise ValueError("kind match needs other_table, the table whose keys are compared")
        if self.kind != "match" and (self.other_table or self.other_columns):
            raise ValueError("other_table and other_columns are for kind match only")
        if self.kind not in ("key", "match") and len(self.columns) > 1:
            raise ValueError(f"kind {self.kind} takes one column; send one Probe a column")
        if self.other_columns and len(self.other_columns) != len(self.columns):
            raise ValueError("columns and other_columns must be of one length: they are paired in order")
        return self


class Query(_Arguments):
    """Check and run one SELECT (DuckDB) over the tables of the lake and earlier results."""

    operator: Literal["Query"] = "Query"
    sql: Text = Field(max_length=_LONGEST, description="One SELECT in DuckDB's dialect.")
    inputs: Annotated[tuple[Text, ...] | None, BeforeValidator(lambda v: _listed(v) or None)] = Field(
        None, description="The tables that it reads; any if left out."
    )
    output: ResultName = Field("", description="A name under which later operations can read the result.")
    confirm_cross: bool = Field(False, description="Products without a pairing condition are meant.")


class Compute(_Arguments):
    """Run Python in the sandbox; each input table is a pandas DataFrame under its name."""

    operator: Literal["Compute"] = "Compute"
    code: Text = Field(max_length=_LONGEST, description="Python; no network, no files but the workspace.")
    inputs: Names = Field((), description="Tables of the lake or earlier results that the code uses.")
    outputs: ResultNames = Field(
        (),
        validation_alias=AliasChoices("outputs", "output"),
        description="Variables that are kept: frames become tables, anything else a fact.",
    )
    artifacts: Paths = Field((), description="Files that the code writes into its working folder.")


class Answer(_Arguments):
    """Submit the answer; it is checked against its contract and the records that it names."""

    operator: Literal["Answer"] = "Answer"
    value: Annotated[Json, AfterValidator(_finite)] = Field(
        None, description="The answer itself, of the type that was asked for."
    )
    text: str = Field(
        "",
        max_length=_LONGEST_TEXT,
        description="The answer in words; each number in it must stand in a result.",
    )
    references: Names = Field((), description="Ids of records (r003) or names of results it rests on.")
    artifacts: Paths = Field((), description="Files that belong to the answer.")

    @model_validator(mode="after")
    def _says_something(self) -> Answer:
        if self.value is None and not self.text.strip() and not self.artifacts:
            raise ValueError("give value, text or artifacts")
        return self


Operation = Annotated[
    Search | Read | Load | Inspect | Probe | Query | Compute | Answer, Field(discriminator="operator")
]
OPERATORS: Mapping[str, type[_Arguments]] = {
    kind.model_fields["operator"].default: kind for kind in get_args(get_args(Operation)[0])
}


class Batch(BaseModel):
    """Operations that are run in order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    operations: tuple[Operation, ...] = Field(min_length=1)


_operation: TypeAdapter[Operation] = TypeAdapter(Operation)


def read_operation(data: object) -> Operation:
    """Return the operation that a JSON object describes.

    Raises:
        OperatorError: it describes none; the message says which argument is wrong, and what is allowed.
    """
    try:
        return _operation.validate_python(data)
    except ValidationError as error:
        raise OperatorError(explain(error, data, OPERATORS), hint=_NEXT) from error


def read_batch(data: object) -> Batch:
    """Return the batch that an object, a list of operations, or one operation describes. Raises as above."""
    if isinstance(data, Mapping) and "operator" in data:
        data = [data]
    given = {"operations": data} if isinstance(data, (list, tuple)) else data
    try:
        return Batch.model_validate(given)
    except ValidationError as error:
        raise OperatorError(explain(error, given, OPERATORS), hint=_NEXT) from error


_NEXT = "Correct the arguments and send the operation again; nothing was run."

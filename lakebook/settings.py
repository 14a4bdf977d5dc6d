"""Settings and where each came from: flags > environment > .env > lakebook.toml > defaults.

One frozen object, read only at the edges (command line, resources). Analyses that a project declares in
its `lakebook.toml` are read here too. Nothing else in the package looks at the environment.
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args
from urllib.parse import urlsplit

from lakebook.analysis import Analysis
from lakebook.errors import SettingsError
from lakebook.sandbox.base import Limits
from lakebook.sources.curated import DayOrder

PROJECT_FILE = "lakebook.toml"

# setting -> (environment variable, default)
_KNOWN: dict[str, tuple[str, str]] = {
    "data": ("LAKEBOOK_DATA", ""),
    "notebooks": ("LAKEBOOK_NOTEBOOKS", ""),
    "state": ("LAKEBOOK_STATE", ""),
    "day_order": ("LAKEBOOK_DAY_ORDER", ""),
    "sandbox": ("LAKEBOOK_SANDBOX", "auto"),
    "retrieval": ("LAKEBOOK_RETRIEVAL", "columns"),
    "cell_seconds": ("LAKEBOOK_CELL_SECONDS", "60"),
    "cores": ("LAKEBOOK_CORES", "2"),
    "memory_mb": ("LAKEBOOK_MEMORY_MB", "3072"),
    "processes": ("LAKEBOOK_PROCESSES", "64"),
    "disk_mb": ("LAKEBOOK_DISK_MB", "512"),
    "idle_seconds": ("LAKEBOOK_IDLE_SECONDS", "1800"),
    "api_key": ("OPENAI_API_KEY", ""),
    "base_url": ("OPENAI_BASE_URL", ""),
    "model": ("LAKEBOOK_MODEL", ""),
    "vision_model": ("LAKEBOOK_VISION_MODEL", ""),
    "embedding_model": ("LAKEBOOK_EMBEDDING_MODEL", ""),
    "privacy": ("LAKEBOOK_PRIVACY", "samples"),
    "max_calls": ("LAKEBOOK_MAX_CALLS", "20"),
    "max_tokens": ("LAKEBOOK_MAX_TOKENS", "60000"),
    "max_cost": ("LAKEBOOK_MAX_COST", ""),
    "max_seconds": ("LAKEBOOK_MAX_SECONDS", ""),
}
_SECRET = frozenset({"api_key"})


# What may leave for a language model, from the least to the most; each level includes those before it.
Privacy = Literal["schema", "samples", "full"]
# Names of before. One that would let more out than it did must be chosen anew.
_FORMER_PRIVACY = {"insights": "samples"}

# How old work is found: components by their columns, or cells as texts (the paper's baseline).
RetrievalMode = Literal["columns", "general"]


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in any one currency: those that are sent, and those that come back."""

    input: float
    output: float


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which language model is asked, what may leave for it, and how much it may be asked in a run.

    Attributes:
        base_url: address of the service, "" for OpenAI's. `api_key`: never shown, never stored.
        privacy: `schema` (names, types, counts and the question: no cell value), `samples` (also masked
            values, and sentences of checked findings), or `full` (also values, rows and pictures).
        max_cost: in the currency of the prices, None for no limit; `max_seconds` likewise.
        price: of this model, None if it is not known.
    """

    name: str
    base_url: str = field(default="", repr=False)
    api_key: str = field(default="", repr=False)
    privacy: Privacy = "samples"
    max_calls: int = 20
    max_tokens: int = 60_000
    max_cost: float | None = None
    max_seconds: float | None = None
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its value and where it came from."""

    value: str
    origin: str


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a project.

    Attributes:
        root: the folder of `lakebook.toml`, else the current one; relative paths start here.
        values: every known setting with its origin. analyses: those declared in `lakebook.toml`.
        prices: of models, as `[model.prices]` in `lakebook.toml` gives them.
    """

    root: Path
    values: Mapping[str, Setting]
    analyses: tuple[Analysis, ...] = field(default=())
    prices: Mapping[str, Price] = field(default_factory=dict)

    def __getitem__(self, name: str) -> str:
        """Return the value of a setting."""
        return self.values[name].value

    @property
    def state(self) -> Path:
        """The folder for everything that Lakebook keeps."""
        return self._path("state") or self.root / ".lakebook"

    @property
    def data(self) -> Path | None:
        """The lake, if one is set."""
        return self._path("data")

    @property
    def notebooks(self) -> Path | None:
        """The corpus of old notebooks, if one is set."""
        return self._path("notebooks")

    @property
    def day_order(self) -> DayOrder | None:
        """Which of day and month stands first in dates that no value decides; None if it is not settled.

        Raises:
            SettingsError: it is neither `day` nor `month`.
        """
        self._require(
            "day_order",
            self["day_order"] in ("", *get_args(DayOrder)),
            "Write day or month: which stands first.",
        )
        return cast(DayOrder, self["day_order"]) if self["day_order"] else None

    @property
    def retrieval(self) -> RetrievalMode:
        """How components are found. Raises SettingsError if it is not one of the ways."""
        known = get_args(RetrievalMode)
        self._require("retrieval", self["retrieval"] in known, f"Known: {', '.join(known)}.")
        return cast(RetrievalMode, self["retrieval"])

    @property
    def limits(self) -> Limits:
        """What a sandbox session may use. Raises SettingsError for one that is not a positive number."""
        return Limits(
            cell_seconds=self._positive("cell_seconds", "seconds"),
            cores=self._positive("cores", "processors"),
            memory_mb=round(self._positive("memory_mb", "megabytes", least=64)),
            processes=round(self._positive("processes", "processes", least=4)),
            disk_mb=round(self._positive("disk_mb", "megabytes", least=8)),
            idle_seconds=self._positive("idle_seconds", "seconds"),
        )

    def _positive(self, name: str, unit: str, *, least: int = 0) -> float:
        try:
            number = float(self[name])
        except ValueError:
            number = 0.0
        fits = 0 < number < math.inf and number >= least
        self._require(name, fits, f"Give a number of {unit} {f'of {least} or more' if least else 'above 0'}.")
        return number

    @property
    def language_model(self) -> ModelSettings | None:
        """The language model; None unless both a model and a key or an address are set.

        Raises:
            SettingsError: the address, the privacy or a limit has a value that it cannot have.
        """
        return self._model("model")

    @property
    def embedding_model(self) -> ModelSettings | None:
        """The model that turns texts into vectors, at the same address; None and errors as above."""
        return self._model("embedding_model")

    @property
    def vision_model(self) -> ModelSettings | None:
        """The model that looks at figures, at the same address; None and errors as above."""
        return self._model("vision_model")

    def _model(self, which: str) -> ModelSettings | None:
        if not self[which] or not (self["api_key"] or self["base_url"]):
            return None
        self._require(
            "base_url", _is_address(self["base_url"]), "Give an address such as http://host:port/v1."
        )
        privacy = _FORMER_PRIVACY.get(self["privacy"], self["privacy"])
        known = get_args(Privacy)
        hint = f"Known, from the least that may leave to the most: {', '.join(known)}."
        if privacy == "figures":
            hint = "It is called full now, and lets values and rows of tables out too; or write samples."
        self._require("privacy", privacy in known, hint)
        for name in ("max_calls", "max_tokens"):
            self._require(name, self[name].isdecimal(), "Give a whole number, 0 or more.")
        return ModelSettings(
            name=self[which],
            base_url=self["base_url"],
            api_key=self["api_key"],
            privacy=cast(Privacy, privacy),
            max_calls=int(self["max_calls"]),
            max_tokens=int(self["max_tokens"]),
            max_cost=self._max_cost(self[which]),
            max_seconds=self._positive("max_seconds", "seconds") if self["max_seconds"] else None,
            price=self.prices.get(self[which]),
        )

    def _max_cost(self, model: str) -> float | None:
        """Return the limit on the cost. Raises SettingsError where no price is known to keep it by."""
        if not self["max_cost"]:
            return None
        if model not in self.prices:
            raise SettingsError(
                f"the price of {model} is not known, so a limit on the cost cannot be kept.",
                where=self.values["max_cost"].origin,
                hint=f"Give it in {PROJECT_FILE}, a million tokens, 0 for a model of your own: "
                f'[model.prices] "{model}" = {{ input = 0.40, output = 1.60 }}.',
            )
        try:
            limit = float(self["max_cost"])
        except ValueError:
            limit = -1.0
        self._require("max_cost", 0 <= limit < math.inf, "Give a number of 0 or more.")
        return limit

    def _require(self, name: str, fits: bool, hint: str) -> None:
        if not fits:
            setting = self.values[name]
            raise SettingsError(f"{name} is {setting.value!r}.", where=setting.origin, hint=hint)

    def shown(self) -> dict[str, dict[str, str]]:
        """Return every setting for display; secrets are masked."""
        return {
            name: {
                "value": "(set)" if name in _SECRET and setting.value else setting.value,
                "origin": setting.origin,
            }
            for name, setting in self.values.items()
        }

    def _path(self, name: str) -> Path | None:
        value = self[name]
        return (self.root / value).resolve() if value else None


def load_settings(
    flags: Mapping[str, str | None] | None = None,
    *,
    directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Read the settings for a folder (default: the current one and those above it).

    Args:
        flags: settings given on the command line; None means not given.
        directory: where to start looking for `lakebook.toml`.
        environment: the environment, for tests.

    Raises:
        SettingsError: `lakebook.toml` is not valid or names a setting that does not exist.
    """
    start = (directory or Path.cwd()).resolve()
    root = next((folder for folder in (start, *start.parents) if (folder / PROJECT_FILE).is_file()), start)
    declared = _read_project_file(root / PROJECT_FILE)
    dotenv = _read_dotenv(root / ".env")
    environment = os.environ if environment is None else environment
    values: dict[str, Setting] = {}
    for name, (variable, default) in _KNOWN.items():
        given = (flags or {}).get(name)
        if given is not None:
            values[name] = Setting(given, "flag")
        elif environment.get(variable):
            values[name] = Setting(environment[variable], f"environment {variable}")
        elif dotenv.get(variable):
            values[name] = Setting(dotenv[variable], f".env {variable}")
        elif name in declared.get("lakebook", {}):
            values[name] = Setting(str(declared["lakebook"][name]), PROJECT_FILE)
        else:
            values[name] = Setting(default, "default")
    return Settings(root, values, _declared_analyses(declared, root), _declared_prices(declared, root))


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return not text or (parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0)
    except ValueError:
        return False


def _read_project_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        declared = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"not valid TOML: {error}.", where=str(path)) from error
    section = declared.get("lakebook", {})
    if not isinstance(section, dict):
        raise SettingsError(
            "`lakebook` must be a table: write [lakebook] above the settings.", where=str(path)
        )
    unknown = sorted(set(section) - set(_KNOWN))
    if unknown:
        raise SettingsError(
            f"unknown setting {unknown[0]!r}.", where=str(path), hint=f"Known: {', '.join(sorted(_KNOWN))}."
        )
    return declared


def _declared_analyses(declared: Mapping[str, Any], root: Path) -> tuple[Analysis, ...]:
    analyses = []
    for number, entry in enumerate(declared.get("analyses", []), start=1):
        intent = entry.get("intent", "") if isinstance(entry, dict) else ""
        if not intent:
            raise SettingsError(
                f"analysis {number} has no intent.",
                where=str(root / PROJECT_FILE),
                hint='Write [[analyses]] with intent = "…" and, for a lake of many tables, dataset.',
            )
        analyses.append(Analysis(intent=intent, dataset=str(entry.get("dataset", ""))))
    return tuple(analyses)


def _declared_prices(declared: Mapping[str, Any], root: Path) -> dict[str, Price]:
    """Return the prices of models. Raises SettingsError for one that is not two numbers of 0 or more."""
    section = declared.get("model", {})
    listed = section.get("prices", {}) if isinstance(section, dict) else None
    if not isinstance(listed, dict):
        raise SettingsError(
            "`model.prices` must be a table.",
            where=str(root / PROJECT_FILE),
            hint='Write [model.prices] and a line a model: "name" = { input = 0.40, output = 1.60 }.',
        )
    prices = {}
    for name, given in listed.items():
        parts = [given.get("input"), given.get("output", 0)] if isinstance(given, dict) else []
        numbers = [part for part in parts if isinstance(part, int | float) and 0 <= part < math.inf]
        if len(numbers) != 2 or not set(given) <= {"input", "output"}:
            raise SettingsError(
                f"the price of {name!r} is {given!r}.",
                where=str(root / PROJECT_FILE),
                hint="Write { input = 0.40, output = 1.60 }: what a million tokens cost, sent and received.",
            )
        prices[name] = Price(float(numbers[0]), float(numbers[1]))
    return prices


def _read_dotenv(path: Path) -> dict[str, str]:
    """Read KEY=value lines; quotes around a value are dropped, anything else is taken as it stands."""
    if not path.is_file():
        return {}
    found = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        name, mark, value = line.strip().removeprefix("export ").partition("=")
        if mark and name and not name.startswith("#"):
            found[name.strip()] = value.strip().strip("\"'")
    return found

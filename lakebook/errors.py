"""Every error that Lakebook raises on purpose, and the exit code that each one means.

The tree::

    LakebookError                 exit 1
    ├── UsageError                exit 2   what was asked for cannot be (a folder that is not there …)
    │   ├── DatasetNotFound
    │   └── SettingsError
    ├── SourceError               a source file or unit cannot be read
    ├── NotebookError             an old notebook cannot be read or cut
    ├── RetrievalError            the component index cannot be built or searched
    ├── SandboxError
    │   ├── SandboxUnavailable    no isolation works on this machine
    │   ├── SandboxFailed         the sandbox broke its protocol or died
    │   └── TimedOut
    ├── OperatorError
    │   └── RejectedInvocation    exit 3   a rule refused the operation
    ├── CheckFailed               exit 3   a blocking check failed
    ├── AnalystError              the analyst could not plan or answer
    │   └── BudgetSpent           exit 5   a call would pass a limit (analyst.model.protocol)
    └── ReportError               a notebook or report cannot be written

What does not belong here: errors of libraries, which are caught where they arise and re-raised as one of
these with the file, the cause and the next step for the person who reads it.
"""

from __future__ import annotations

from collections.abc import Sequence


class LakebookError(Exception):
    """An error with what a reader needs: what is wrong, where, and what to do next.

    Attributes:
        message: one sentence that says what is wrong.
        where: file, sheet, line, column or cell, as far as it is known.
        hint: the next step.
    """

    exit_code = 1

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message, where, hint)
        self.message = message
        self.where = where
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling: keyword-only arguments are restored from the state."""
        return (type(self)._restore, (type(self), self.__dict__.copy()))

    @staticmethod
    def _restore(kind: type[LakebookError], state: dict[str, object]) -> LakebookError:
        error = kind.__new__(kind)
        Exception.__init__(error, state.get("message", ""), state.get("where", ""), state.get("hint", ""))
        error.__dict__.update(state)
        return error

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" {self.hint}" if self.hint else ""
        return f"{place}{self.message}{advice}"


class UsageError(LakebookError):
    """What was asked for cannot be done as asked."""

    exit_code = 2


class SettingsError(UsageError):
    """A setting has a value that it cannot have."""


class DatasetNotFound(UsageError):
    """The named dataset is not in the lake; `nearest` are the closest names that are."""

    def __init__(self, name: str, nearest: Sequence[str]) -> None:
        near = ", ".join(nearest)
        super().__init__(
            f"there is no dataset {name!r} in the lake.",
            hint=f"Nearest: {near}." if near else "Run `lakebook sources DIR` to see what is there.",
        )
        self.name = name
        self.nearest = tuple(nearest)


class SourceError(LakebookError):
    """A source file or one of its units cannot be read."""


class NotebookError(LakebookError):
    """An old notebook cannot be read or cut into components."""


class RetrievalError(LakebookError):
    """The component index cannot be built or searched."""


class SandboxError(LakebookError):
    """Code could not be run in isolation."""


class SandboxUnavailable(SandboxError):
    """No isolation works on this machine; the hint says what to install."""


class SandboxFailed(SandboxError):
    """The sandboxed worker died or broke its protocol."""


class TimedOut(SandboxError):
    """The code ran past its time limit and was ended."""


class OperatorError(LakebookError):
    """An operator could not do its work."""


class RejectedInvocation(OperatorError):
    """A validation rule refused the operation before it ran."""

    exit_code = 3


class CheckFailed(LakebookError):
    """A blocking check failed, or a planned check was never evaluated."""

    exit_code = 3


class AnalystError(LakebookError):
    """The analyst could not plan, compute or answer."""


class ReportError(LakebookError):
    """A notebook or a report could not be written."""

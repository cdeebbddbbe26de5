"""What can go wrong, as exceptions: each message is one line that says what was wrong and what to do."""
from __future__ import annotations


class PeError(Exception):
    """Whatever this package raises of its own."""


class UsageError(PeError, ValueError):
    """A parameter, name or combination that makes no sense: the caller's to mend."""


class ArrayError(UsageError):
    """An array that cannot be taken: of objects, of no axis, without a value, or of a type that no tool reads."""


class ToolMissing(PeError, FileNotFoundError):
    """The tools are not in the package, not on PATH, and not where PE_TOOLS says."""


class CannotTell(PeError, RuntimeError):
    """Nothing was found out: a file that cannot be read, time or memory that ran out. Neither a pass nor a failure."""

    def __init__(self, message: str, kind: str = "untold") -> None:
        super().__init__(message)
        #: "file", "mathematics", "time", "memory", "fault", "ended" or "untold", as `pe-verify serve --help` has them.
        self.kind = kind


class ToolDied(CannotTell):
    """A tool ended without an answer, and so did the one that was started in its place."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "ended")

"""Where the tools lie, and one run of one of them."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from pe.errors import ToolDied, ToolMissing, UsageError

#: Where the wheel has them.
INSIDE = Path(__file__).resolve().parent / "tools" / "bin"


def find(tool: str) -> str:
    """The path of `tool`: in the folder PE_TOOLS where that is set, else in the package, else on PATH.

    Raises ToolMissing.
    """
    folder = os.environ.get("PE_TOOLS")
    if folder:
        path = os.path.join(folder, tool)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
        raise ToolMissing(f"PE_TOOLS names the folder {folder!r}, which holds no program {tool}: name the one that does, or unset it")
    inside = INSIDE / tool
    if os.access(inside, os.X_OK):
        return str(inside)
    found = shutil.which(tool)
    if found:
        return found
    raise ToolMissing(f"{tool} is neither in this package nor on PATH: install the wheel that holds the tools, or build them "
                      "(scripts/demo) and name their folder in PE_TOOLS")


def last_line(talk: str, tool: str) -> str:
    """What a tool said last, without its name before it."""
    lines = [line for line in talk.splitlines() if line.strip()]
    said = lines[-1] if lines else ""
    return said[len(tool) + 2:] if said.startswith(tool + ": ") else said


def run(tool: str, words: Sequence[str], stdout: int, keep: Sequence[int] = ()) -> str:
    """Runs it with standard output into the descriptor `stdout`; returns what it said on standard error.

    Raises ToolMissing, UsageError with the line of its failure, ToolDied where it left none.
    """
    path = find(tool)
    for word in words:
        if "\0" in word:
            raise UsageError(f"{word!r} has the character NUL in it, which no option can")
    try:
        done = subprocess.run([path, *words], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                              pass_fds=tuple(keep), check=False)
    except OSError as error:
        raise ToolMissing(f"{path} cannot be started: {error.strerror or error}") from error
    talk = done.stderr.decode("utf-8", "replace")
    if done.returncode == 0:
        return talk
    said = last_line(talk, tool)
    if done.returncode < 0 or not said:
        raise ToolDied(f"{tool} ended with {done.returncode} and without a word" if not said else said)
    raise UsageError(said)


def _become(tool: str) -> None:
    try:
        path = find(tool)
    except ToolMissing as error:
        print(f"{tool}: {error}", file=sys.stderr)
        sys.exit(2)
    os.execv(path, [tool, *sys.argv[1:]])


def pe_gen() -> None:
    """The command pe-gen of the wheel."""
    _become("pe-gen")


def pe_apply() -> None:
    """The command pe-apply of the wheel."""
    _become("pe-apply")


def pe_verify() -> None:
    """The command pe-verify of the wheel."""
    _become("pe-verify")


def pe_analyze() -> None:
    """The command pe-analyze of the wheel."""
    _become("pe-analyze")

"""One `pe-verify serve` for this process: asked by any thread, started again when it died, forgotten by forks."""
from __future__ import annotations

import atexit
import itertools
import json
import os
import subprocess
import tempfile
import threading
from typing import IO, Any

from pe import _tools
from pe.errors import CannotTell, ToolDied, ToolMissing, UsageError

Answer = dict[str, Any]


class Server:
    """A process that answers requests one after the other; the threads of this one wait for their turn."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._talk: IO[bytes] | None = None
        self._path = ""
        self._ids = itertools.count(1)

    def ask(self, request: dict[str, Any]) -> Answer:
        """The answer, told or not. Raises ToolMissing and ToolDied."""
        with self._turn:
            number = next(self._ids)
            try:
                line = json.dumps({"id": number, **request}, allow_nan=False, ensure_ascii=False).encode() + b"\n"
            except (TypeError, ValueError) as error:
                raise UsageError(f"a parameter is nothing that JSON can say: {error}") from error
            for attempt in (1, 2):
                process = self._running()
                try:
                    answer = self._exchange(process, line)
                except BaseException:  # Ctrl-C above all: its answer would be taken for that of the next request
                    self._drop(kill=True)
                    raise
                if answer is not None and answer.get("id") == number:
                    return answer
                said = self._drop(kill=True)
        raise ToolDied(f"pe-verify serve ended twice without an answer{': ' if said else ''}{said}")

    def close(self) -> None:
        """Ends the process; the next request starts another."""
        with self._turn:
            self._drop()

    def process_id(self) -> int | None:
        """Of the process, where one runs."""
        return self._process.pid if self._process else None

    def forget(self) -> None:
        """In a forked child: the process is the parent's, and so are its pipes."""
        self._turn = threading.Lock()
        process, talk, self._process, self._talk = self._process, self._talk, None, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout, talk):
            if pipe is not None:
                pipe.close()
        process.returncode = 0  # nobody waits for it here

    def _running(self) -> subprocess.Popen[bytes]:
        path = _tools.find("pe-verify")
        if self._process is not None and path != self._path:
            self._drop()
        if self._process is None:
            self._talk = tempfile.TemporaryFile()
            try:  # a session of its own: Ctrl-C is this process's, which then ends it
                self._process = subprocess.Popen([path, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                 stderr=self._talk, start_new_session=True)
            except OSError as error:
                self._drop()
                raise ToolMissing(f"{path} cannot be started: {error.strerror or error}") from error
            self._path = path
        return self._process

    @staticmethod
    def _exchange(process: subprocess.Popen[bytes], line: bytes) -> Answer | None:
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(line)
            process.stdin.flush()
            said = process.stdout.readline()
        except (BrokenPipeError, ConnectionError):
            return None
        if not said.endswith(b"\n"):
            return None
        try:
            answer = json.loads(said)
        except ValueError:
            return None
        return answer if isinstance(answer, dict) and isinstance(answer.get("exit_code"), int) else None

    def _drop(self, kill: bool = False) -> str:
        process, talk, self._process, self._talk = self._process, self._talk, None, None
        if process is not None:
            if kill:
                process.kill()
            for pipe in (process.stdin, process.stdout):
                try:
                    if pipe is not None:
                        pipe.close()
                except OSError:  # what was to be flushed has no reader
                    pass
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        said = ""
        if talk is not None:
            talk.seek(0)
            said = _tools.last_line(talk.read().decode("utf-8", "replace"), "pe-verify")
            talk.close()
        return said


server = Server()
atexit.register(server.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=server.forget)


def told(request: dict[str, Any]) -> Answer:
    """The answer to a request, where it could be told (exit code 0 or 1); raises UsageError or CannotTell where not."""
    answer = server.ask(request)
    if answer["exit_code"] == 2:
        raise untold(answer)
    return answer


def untold(answer: Answer) -> UsageError | CannotTell:
    """Why there is no answer, as an exception."""
    kind = str(answer.get("kind", "untold"))
    error = str(answer.get("error") or "").removeprefix("request, check 1 (check): ")
    if not error:
        checks = (answer.get("report") or {}).get("checks") or [{}]
        error = str(checks[0].get("sentence") or "nothing could be told, and pe-verify did not say why")
    return UsageError(error) if kind == "usage" else CannotTell(error, kind)

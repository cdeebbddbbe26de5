"""pytest collects manifests: each entry of a file *.pe.json is a test.

An entry passes as in `pe-verify run`. One that was expected to fail (`"expect": {"verdict": "fail", …}`) and does, for the cause
that is named, is reported as xfailed, and fails where it does not. One of which no law could be judged is skipped, with the
reason; one that could not be told fails.
"""
from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional, Union

import pytest

from pe._server import server, untold
from pe._verify import verdict_of
from pe.errors import PeError

SUFFIX = ".pe.json"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Optional["ManifestFile"]:
    """Takes what ends with .pe.json."""
    if file_path.name.endswith(SUFFIX):
        made: ManifestFile = ManifestFile.from_parent(parent, path=file_path)
        return made
    return None


class ManifestFile(pytest.File):
    """One manifest."""

    def collect(self) -> Iterator["EntryItem"]:
        """An item for each entry; what is no manifest is refused in one line."""
        try:
            tree = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise self.CollectError(f"{self.path}: it is no JSON: {error}") from error
        if not isinstance(tree, dict) or tree.get("schema_version") != 1 or not isinstance(tree.get("checks"), list) or not tree["checks"]:
            raise self.CollectError(f"{self.path}: a manifest is an object with schema_version 1 and checks, a list of at least one "
                                    "(pe-verify run --schema)")
        names = set()
        for number, entry in enumerate(tree["checks"], 1):
            name = entry.get("name") if isinstance(entry, dict) else None
            name = name if isinstance(name, str) and name else f"check {number}"
            if name in names:
                raise self.CollectError(f"{self.path}: two checks have the name '{name}'")
            names.add(name)
            item: EntryItem = EntryItem.from_parent(self, name=name, entry=entry)
            yield item


class NotAsExpected(Exception):
    """An entry's verdict, which is not the one that was to be."""


class EntryItem(pytest.Item):
    """One entry of a manifest."""

    def __init__(self, *, entry: Any, **given: Any) -> None:
        super().__init__(**given)
        self.entry = entry

    def runtest(self) -> None:
        """Puts the entry before `pe-verify serve`."""
        answer = server.ask({"check": self.entry, "manifest": str(self.path)})
        if answer["exit_code"] == 2:
            if not answer.get("error"):
                pytest.skip(str(untold(answer)))
            raise untold(answer)
        verdict = verdict_of(answer, f"pe-verify run {self.path}")
        surprise = verdict.json.get("unlike_expected")
        if not verdict.ok:
            raise NotAsExpected(f"{verdict.text.rstrip()}" + (f"\n  but          {surprise}" if surprise else ""))
        expected = self.entry.get("expect") or {}
        if expected.get("verdict") == "fail":
            pytest.xfail(verdict.sentence)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The verdict, or the line of what went wrong, and no traceback."""
        if isinstance(excinfo.value, (NotAsExpected, PeError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Union[Path, str], Optional[int], str]:
        """The manifest and the entry's name."""
        return self.path, None, f"{self.path.name}: {self.name}"

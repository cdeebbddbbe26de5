"""Assertions for tests."""
from __future__ import annotations

from typing import Any

from pe._verify import check
from pe.results import Verdict


def assert_encoding(*arrays: Any, **what: Any) -> Verdict:
    """Fails with the verdict as its message unless the arrays are the encoding that they ought to be.

    Arguments as `pe.check` takes them: `assert_encoding(cos, sin, model="llama-3.1-8b", accept="drift")`. Returns the verdict.
    Raises AssertionError, and what `pe.check` raises where nothing could be told.
    """
    __tracebackhide__ = True
    verdict = check(*arrays, **what)
    if not verdict.ok:
        raise AssertionError(f"{verdict.text.rstrip()}\n  asked        {verdict.command}")
    return verdict

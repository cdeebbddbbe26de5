"""Position encodings of transformers: computed exactly, applied, checked, identified, compared and measured.

    cos, sin = my_cache()
    verdict = pe.check(cos, sin, model="llama-3.1-8b")
    assert verdict, verdict                              # or pe.testing.assert_encoding(cos, sin, model="llama-3.1-8b")
    print(pe.identify(cos, sin).summary)
    exact = pe.table("rope", model="llama-3.1-8b", length=8192)["cos"]

The work is that of the tools (pe-gen, pe-apply, pe-verify, pe-analyze); arrays reach them, and come from them, in shared memory.
They are taken from the folder PE_TOOLS where that is set, else from this package, else from PATH.
"""
from __future__ import annotations

from pe import testing
from pe._make import analyze, apply, table
from pe._verify import check, compare, identify
from pe.errors import ArrayError, CannotTell, PeError, ToolDied, ToolMissing, UsageError
from pe.results import Arrays, Cause, Cell, Columns, Comparison, Identification, Verdict

__all__ = ["analyze", "apply", "check", "compare", "identify", "table", "testing",
           "Arrays", "Cause", "Cell", "Columns", "Comparison", "Identification", "Verdict",
           "ArrayError", "CannotTell", "PeError", "ToolDied", "ToolMissing", "UsageError"]

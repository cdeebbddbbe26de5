"""Arrays and columns that the other tools make."""
from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from pe import _tools
from pe._arrays import Array
from pe._memory import MemoryFile
from pe._options import config_path, strings, tensors_put_by, words
from pe._verify import _named, _renamed
from pe.errors import UsageError
from pe.results import Arrays, Columns


def _write_arrays(tool: str, said: list[str], stack: ExitStack, paths: Mapping[str, str]) -> Arrays:
    file = stack.enter_context(MemoryFile())
    try:
        talk = _tools.run(tool, [*said, "--format", "safetensors"], file.descriptor)
    except Exception as error:
        error.args = tuple(_renamed(part, paths) for part in error.args)
        raise
    arrays, metadata, bfloat16 = file.read_arrays()
    return Arrays(arrays, _renamed(metadata, paths), bfloat16, _renamed(talk, paths))


#: Options of the tools that say where the result goes, and so cannot be Python's.
_OUTPUT = frozenset({"o", "output", "format", "tidy", "help", "version"})


def _begin(encoding: str | None, config: Any, options: Mapping[str, Any], stack: ExitStack, paths: dict[str, str]) -> list[str]:
    strings(encoding=encoding)
    for name in _OUTPUT & set(options):
        raise UsageError(f"{name} says where a tool writes to, and Python gets the arrays themselves: leave it out")
    said = [encoding] if encoding else []
    path, memory = stack.enter_context(config_path(config))
    if memory is not None:
        paths[memory.path] = "config.json"
    if path is not None:
        said.append(f"--config={path}")
    return said + words(tensors_put_by(options, stack, paths))


def table(encoding: str | None = None, *, model: str | None = None, config: Any = None, length: int | None = None,
          positions: Any = None, dtype: str | None = None, dialect: str | None = None, fields: Any = None,
          **options: Any) -> Arrays:
    """The arrays of an encoding by name, as `pe-gen` makes them: correctly rounded, or as a dialect rounds them.

    `encoding` may be left out where `model` or `config` means one. `length`: positions 0 … length-1, or `positions`: a range, a
    list, or "START:STOP[:STEP]". `dtype`: "f64", "f32", "f16" or "bf16". `fields`: names of arrays (`pe-gen list fields`).
    `options`: the encoding's parameters, as `pe-gen ENCODING --help` has them, with underscores; trained weights as arrays.
    `pe.table("rope", model="llama-3.1-8b", length=8192)` has `cos` and `sin` [8192, 64] and `.metadata`.

    Raises UsageError, ToolMissing, ToolDied.
    """
    with ExitStack() as stack:
        paths: dict[str, str] = {}
        options = {"model": model, "length": length, "positions": positions, "dtype": dtype, "dialect": dialect, "fields": fields,
                   **options}
        made = _write_arrays("pe-gen", _begin(encoding, config, options, stack, paths), stack, paths)
    return made


def apply(encoding: str | None = None, *, config: Any = None, **tensors_and_options: Any) -> Arrays:
    """Tensors with an encoding applied to them, as `pe-apply` does it.

    Tensors go to the option of their name: `q`, `k`, `v` [batch, heads, positions, channels], `x` [batch, positions, dim] of a
    table, `weights` and others; the rest are options as `pe-apply ENCODING --help` has them, with underscores.
    `pe.apply("rope", q=q, k=k, base=500000)` has `q_out` and `k_out`, turned, and `logits`.

    Raises UsageError (ArrayError of an array), ToolMissing, ToolDied.
    """
    with ExitStack() as stack:
        paths: dict[str, str] = {}
        made = _write_arrays("pe-apply", _begin(encoding, config, tensors_and_options, stack, paths), stack, paths)
    return made


def _column(texts: Sequence[str]) -> Array:
    """Numbers where all are, whole ones as such; else texts. What is left out is NaN among numbers."""
    try:
        return np.array([int(text) for text in texts], dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    try:
        return np.array([float(text) if text else np.nan for text in texts])
    except ValueError:
        return np.array(texts)


def analyze(quantity: str, encoding: str | None = None, *arrays: Any, versus: str | Sequence[str] = (), config: Any = None,
            **options: Any) -> Columns:
    """A curve of an encoding, as `pe-analyze` measures it: columns by name.

    `quantity`: of `pe-analyze list quantities`. `arrays`: somebody's instead of the encoding's own values, as `pe.check` takes
    them. `versus`: other subjects on the same axis, each an encoding and its options: "alibi --heads 8"; the column `subject`
    then names them. `options`: those of `pe-analyze QUANTITY ENCODING --help`, with underscores.

    Raises UsageError, ToolMissing, ToolDied.
    """
    strings(quantity=quantity)
    others = [versus] if isinstance(versus, str) else versus
    if not isinstance(others, Sequence) or not all(isinstance(other, str) for other in others):
        raise UsageError(f"versus must be a string such as 'alibi --heads 8', or a list of them, got {versus!r}")
    with ExitStack() as stack:
        paths: dict[str, str] = {}
        said = [quantity, *_begin(encoding, config, options, stack, paths)]
        for other in others:
            said.append(f"--versus={other}")
        if arrays:
            file = stack.enter_context(MemoryFile())
            file.write_arrays(_named(arrays))
            paths[file.path] = "arrays.safetensors"
            said.append(f"--file={file.path}")
        written = stack.enter_context(MemoryFile())
        try:
            talk = _tools.run("pe-analyze", [*said, "--format", "csv"], written.descriptor)
        except Exception as error:
            error.args = tuple(_renamed(part, paths) for part in error.args)
            raise
        rows = list(csv.reader(io.StringIO(written.read_text())))
    if not rows:
        raise UsageError(f"{quantity} has no columns")
    head, body = rows[0], rows[1:]
    return Columns({name: _column([row[i] for row in body]) for i, name in enumerate(head)}, _renamed(talk, paths).strip())

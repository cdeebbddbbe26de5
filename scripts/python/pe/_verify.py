"""Arrays in memory put before pe-verify."""
from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from pe._arrays import Taken, take
from pe._memory import MemoryFile
from pe._options import _plain, _word, config_path, flag, parameters, seconds, strings, tensors_put_by, words
from pe._server import Answer, told
from pe.errors import UsageError
from pe.results import Cause, Cell, Comparison, Identification, Verdict


def _names(count: int) -> list[str]:
    return {1: ["array"], 2: ["cos", "sin"]}.get(count, [f"array{i}" for i in range(count)])


def _named(arrays: tuple[Any, ...]) -> dict[str, Taken]:
    """Arrays by name: those of one mapping by its own, cos and sin where there are two."""
    if len(arrays) == 1 and isinstance(arrays[0], Mapping):
        if not arrays[0]:
            raise UsageError("no array is in the mapping: give at least one")
        if "__metadata__" in arrays[0]:
            raise UsageError("an array cannot have the name '__metadata__'")
        for name in arrays[0]:
            if not isinstance(name, str):
                raise UsageError(f"the name of an array must be a string, got {name!r}")
        return {name: take(value, name) for name, value in arrays[0].items()}
    return {name: take(value, name) for name, value in zip(_names(len(arrays)), arrays)}


def _put(stack: ExitStack, arrays: Mapping[str, Taken]) -> MemoryFile:
    file = stack.enter_context(MemoryFile())
    file.write_arrays(arrays)
    return file


def _renamed(value: Any, paths: Mapping[str, str]) -> Any:
    """The same with the names of files in memory, which end with the call, as what stands in them."""
    if isinstance(value, str):
        for path, name in paths.items():
            value = value.replace(path, name)
        return value
    if isinstance(value, dict):
        return {key: _renamed(item, paths) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, paths) for item in value]
    return value


def _ask(request: dict[str, Any], paths: Mapping[str, str]) -> Answer:
    try:
        answer: Answer = _renamed(told(request), paths)
    except Exception as error:
        error.args = tuple(_renamed(part, paths) for part in error.args)
        raise
    return answer


def _causes(row: Mapping[str, Any]) -> tuple[Cause, ...]:
    return tuple(Cause(name, sentence) for name, sentence in zip(row.get("causes", ()), row.get("sentences", ())))


def _number(value: Any) -> float:
    return float(value)  # NaN and infinities are strings there


def verdict_of(answer: Answer, command: str) -> Verdict:
    """The one check of an answer."""
    row = answer["report"]["checks"][0]
    tier = row.get("tier")
    cell = row.get("worst_cell")
    return Verdict(ok=answer["exit_code"] == 0, word=tier or ("fails" if row.get("fails") else "holds"), tier=tier,
                   sentence=row["sentence"], causes=_causes(row),
                   worst=Cell(cell["place"], _number(cell["expected"]), _number(cell["got"])) if cell else None,
                   text=answer["text"], json=row, command=command)


def _command(entry: Mapping[str, Any], paths: Mapping[str, str]) -> str:
    """What asks the same in a shell."""
    said = ["pe-verify", "check"]
    if "encoding" in entry:
        said.append(entry["encoding"])
    for name, value in entry.items():
        if name == "parameters":
            said += [f"{flag(key)}={_word(key, item)}" if not isinstance(item, bool) else "--" + ("" if item else "no-") + key
                     for key, item in value.items()]
        elif name not in ("name", "encoding"):
            said += [f"{flag(name)}={item}" for item in (value if isinstance(value, list) else [value])]
    command: str = _renamed(shlex.join(said), paths)
    return command


def check(*arrays: Any, encoding: str | None = None, model: str | None = None, config: Any = None, before: Any = None,
          length: int | None = None, positions: Any = None, dtype: str | None = None, dialect: str | None = None,
          layer_type: str | None = None, part: str | None = None, file_layout: str | None = None, axes: str | None = None,
          accept: str = "drift", timeout: float = 300, **options: Any) -> Verdict:
    """Holds arrays against the encoding that they ought to be, or without arrays the encoding against its own laws.

    `arrays`: one table or cache [positions, columns], `cos` and `sin` [positions, pairs or channels], a bias [heads, queries,
    keys], or with `before` vectors [… positions, channels] after the encoding was applied to those; several go in order, or as
    one mapping from names. Of NumPy, PyTorch, JAX, or anything with `__array__`, `__array_interface__` or `__dlpack__`; float64,
    float32, float16, bfloat16, complex64 or whole numbers; unsigned 16-bit integers are bfloat16 with `dtype="bf16"`.
    `encoding`, `model` (of the catalogue) or `config` (a path, a mapping, or a configuration of transformers): at least one.
    `options`: parameters of the encoding, as `pe-verify check ENCODING --help` has them, with underscores; trained weights as
    arrays.
    `accept`: the worst tier that passes: "exact", "drift" or "storage".

    Raises UsageError (ArrayError of an array), CannotTell where nothing was found out, ToolMissing.
    """
    if encoding is None and model is None and config is None:
        raise UsageError("check needs an encoding, a model or a config: pe.check(cos, sin, model='llama-3.1-8b')")
    dtype = _plain(dtype)
    strings(encoding=encoding, model=model, dtype=dtype, dialect=dialect, layer_type=layer_type, part=part, file_layout=file_layout,
            axes=axes, accept=accept)
    if not arrays and accept != "drift":
        raise UsageError("accept is the worst tier of arrays, and there are none: pe.check(cos, sin, …, accept='exact')")
    timeout = seconds(timeout)
    with ExitStack() as stack:
        entry: dict[str, Any] = {"name": "check"}
        paths: dict[str, str] = {}
        path, memory = stack.enter_context(config_path(config))
        if memory is not None:
            paths[memory.path] = "config.json"
        if arrays:
            file = _put(stack, _named(arrays))
            entry["file"], paths[file.path] = file.path, "arrays.safetensors"
        if before is not None:
            if not arrays:
                raise UsageError("before needs the vectors afterwards, too: pe.check(after, before=before, …)")
            file = _put(stack, _named(before if isinstance(before, tuple) else (before,)))
            entry["before"], paths[file.path] = file.path, "before.safetensors"
        if length is not None and not (hasattr(length, "__index__") and not isinstance(length, bool)):
            raise UsageError(f"length must be a whole number, got {length!r}")
        told_length = None if length is None else length.__index__()
        told_positions = None if positions is None else _word("positions", positions)
        for name, value in (("encoding", encoding), ("model", model), ("config", path), ("layer_type", layer_type), ("part", part),
                            ("length", told_length), ("positions", told_positions), ("dtype", dtype), ("dialect", dialect),
                            ("file_layout", file_layout), ("axes", axes),
                            ("accept", accept if arrays else None)):
            if value is not None:
                entry[name] = value
        given = parameters(tensors_put_by(options, stack, paths))
        if given:
            entry["parameters"] = given
        answer = _ask({"check": entry, "timeout": timeout}, paths)
    return verdict_of(answer, _command(entry, paths))


def identify(*arrays: Any, before: Any = None, dtype: str | None = None, file_layout: str | None = None,
             timeout: float = 300) -> Identification:
    """Which encoding, layout, base, scaling and arithmetic made these arrays, of which nothing is said.

    Arrays, shapes and types as `pe.check` takes them. Raises UsageError, CannotTell, ToolMissing.
    """
    if not arrays:
        raise UsageError("identify needs an array: pe.identify(cos, sin)")
    with ExitStack() as stack:
        file = _put(stack, _named(arrays))
        said, paths = ["identify", file.path], {file.path: "arrays.safetensors"}
        if before is not None:
            file = _put(stack, _named(before if isinstance(before, tuple) else (before,)))
            said += ["--before", file.path]
            paths[file.path] = "before.safetensors"
        said += words({"dtype": dtype, "file_layout": file_layout, "timeout": timeout})
        answer = _ask({"command": said}, paths)
    row = answer["report"]
    return Identification(ok=bool(row["identified"]), encoding=row.get("encoding"), summary=row.get("summary", row.get("seen", "")),
                          parameters=row.get("parameters", {}), scaling=row.get("scaling", ""), layout=row.get("layout", ""),
                          tier=row.get("tier"), causes=_causes(row), models=tuple(row.get("models", ())), make=row.get("make", ""),
                          text=answer["text"], json=row)


def compare(a: Any, b: Any, *, ulps: int = 0, kind: str | None = None, timeout: float = 300) -> Comparison:
    """Two arrays, or two mappings of names to arrays of which those of one name meet, value by value.

    Types are compared in the narrower one, rounded once; shapes may differ by axes of size one. `ulps`: values this many numbers
    of that type apart count as equal. `kind="bias"`: rows are equal that are so up to a constant, which softmax cannot see.
    Raises UsageError (shapes that do not fit among it), CannotTell, ToolMissing.
    """
    with ExitStack() as stack:
        first, second = _put(stack, _named((a,))), _put(stack, _named((b,)))
        said = ["compare", first.path, second.path, *words({"ulps": ulps, "kind": kind, "timeout": timeout})]
        answer = _ask({"command": said}, {first.path: "a", second.path: "b"})
    row = answer["report"]
    pairs = row["pairs"]
    return Comparison(ok=bool(row["equal"]), equal_bits=all(pair["equal_bits"] == pair["values"] for pair in pairs),
                      worst_ulps=max((int(pair["worst_ulps"]) for pair in pairs), default=0),
                      worst_absolute=max((_number(pair["worst_absolute"]) for pair in pairs), default=0.0),
                      text=answer["text"], json=row)

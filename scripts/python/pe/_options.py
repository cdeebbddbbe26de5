"""Python's arguments as the words of a command line, and as the entry of a manifest."""
from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from pe._arrays import take
from pe._memory import MemoryFile
from pe.errors import UsageError


_TYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16"}


def _plain(value: Any) -> Any:
    """NumPy's numbers, arrays and types of elements, ranges and slices as Python's own."""
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        name = np.dtype(value).name
        return _TYPES.get(name, name)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, range):
        return f"{value.start}:{value.stop}:{value.step}"
    if isinstance(value, tuple):
        return list(value)
    return value


def _word(name: str, value: Any) -> str:
    value = _plain(value)
    if name == "positions" and isinstance(value, list) and len(value) == 1 and isinstance(value[0], int):
        return f"{value[0]}:{value[0] + 1}"  # a number alone could be a length
    if isinstance(value, list):
        return ",".join(_word(name, item) for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, str)):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    raise UsageError(f"{name} must be a number, a string, a truth value or a list of numbers, got {type(value).__name__}")


def strings(**given: Any) -> None:
    """Raises UsageError naming the first that is neither a string nor None."""
    for name, value in given.items():
        if value is not None and not isinstance(value, str):
            raise UsageError(f"{name} must be a string, got {type(value).__name__}")


def seconds(value: Any) -> float:
    """`value` as a time that JSON can say; raises UsageError."""
    value = _plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise UsageError(f"timeout must be a number of seconds, got {value!r}")
    return value


def flag(name: str) -> str:
    """`rotary_dim` as --rotary-dim."""
    return "--" + name.rstrip("_").replace("_", "-")


def words(options: Mapping[str, Any]) -> list[str]:
    """Options of a command line: True is the flag alone, False its opposite, None nothing."""
    said: list[str] = []
    for name, value in options.items():
        if value is None:
            continue
        value = _plain(value)
        if value is True:
            said.append(flag(name))
        elif value is False:
            said.append("--no-" + flag(name)[2:])
        else:
            said.append(f"{flag(name)}={_word(name, value)}")
    return said


def parameters(options: Mapping[str, Any]) -> dict[str, Any]:
    """The same as `parameters` of an entry."""
    said: dict[str, Any] = {}
    for name, value in options.items():
        if value is None:
            continue
        value = _plain(value)
        if isinstance(value, float):  # JSON knows no infinity, and its own digits are Python's
            value = repr(value)
        elif isinstance(value, list):
            value = _word(name, value)
        elif not isinstance(value, (bool, int, str)):
            _word(name, value)
        said[flag(name)[2:]] = value
    return said


#: Options of the tools that always name a tensor.
TENSORS = frozenset({"q", "k", "v", "x", "values"})


def tensors_put_by(options: Mapping[str, Any], stack: ExitStack, paths: dict[str, str]) -> dict[str, Any]:
    """The same with the paths of files in memory in place of tensors: arrays of two axes or more, and all that TENSORS name.

    An array of one axis is a list of numbers otherwise. `paths` learns what stands in which file.
    """
    put: dict[str, Any] = {}
    for name, value in options.items():
        is_array = any(hasattr(value, door) for door in ("__array__", "__dlpack__", "__array_interface__"))
        if is_array and not isinstance(value, (np.generic, type)) and (name in TENSORS or getattr(value, "ndim", 2) > 1):
            file = stack.enter_context(MemoryFile())
            file.write_arrays({name: take(value, name)})
            paths[file.path] = name
            value = file.path
        put[name] = value
    return put


@contextmanager
def config_path(config: Any) -> Iterator[tuple[str | None, MemoryFile | None]]:
    """Where a tool finds `config`: None, a path, a mapping as config.json has it, or an object with to_dict() (transformers')."""
    if config is None or isinstance(config, str) or hasattr(config, "__fspath__"):
        yield (None if config is None else str(config)), None
        return
    try:
        tree = config.to_dict() if hasattr(config, "to_dict") else config
    except Exception as error:  # whatever somebody's code raises
        raise UsageError(f"config's to_dict() failed: {type(error).__name__}: {' '.join(str(error).split())[:200]}") from error
    if not isinstance(tree, Mapping):
        raise UsageError(f"config must be a path, a mapping or have to_dict(), got {type(config).__name__}")
    try:
        text = json.dumps(dict(tree), default=str)
    except (TypeError, ValueError) as error:
        raise UsageError(f"config is nothing that JSON can say: {error}") from error
    with MemoryFile() as file:
        file.write_text(text)
        yield file.path, file

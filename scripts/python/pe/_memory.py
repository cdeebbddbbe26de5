"""Files in memory: arrays go to a tool, and come from it, without a copy on a disk."""
from __future__ import annotations

import json
import mmap
import os
import tempfile
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import numpy as np

from pe._arrays import Array, Taken, bfloat16_of
from pe.errors import CannotTell, ToolDied

#: safetensors' names of what a tool writes.
_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1",
           "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1", "BOOL": "?", "C64": "<c8"}


class MemoryFile:
    """A file that another process of this user can open by `path` as long as this lives, and that no disk holds (memfd).

    Where the system has no such files it lies under /dev/shm, or else in the folder of temporary files.
    """

    def __init__(self) -> None:
        self._named = ""
        try:
            self.descriptor = os.memfd_create("pe")
            self.path = f"/proc/{os.getpid()}/fd/{self.descriptor}"
        except (AttributeError, OSError):
            folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
            self.descriptor, self._named = tempfile.mkstemp(prefix="pe-", dir=folder)
            self.path = self._named

    def __enter__(self) -> MemoryFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self.descriptor)
        if self._named:
            os.unlink(self._named)

    def size(self) -> int:
        """In bytes."""
        return os.fstat(self.descriptor).st_size

    def write_text(self, text: str) -> None:
        """`text` alone."""
        self._write(0, memoryview(text.encode()))

    def write_arrays(self, arrays: Mapping[str, Taken]) -> None:
        """All of them, dense and in C order, as safetensors."""
        header: dict[str, Any] = {}
        end = 0
        for name, (values, kind) in arrays.items():
            header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [end, end + values.nbytes]}
            end += values.nbytes
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        first = 8 + len(text)
        try:
            os.truncate(self.descriptor, first + end)
            self._write(0, memoryview(len(text).to_bytes(8, "little") + text))
            for name, (values, _) in arrays.items():
                self._put(first + header[name]["data_offsets"][0], values)
        except OSError as error:
            raise CannotTell(f"no room in memory for arrays of {end} bytes: {error.strerror or error}", "memory") from error

    def read_arrays(self) -> tuple[dict[str, Array], dict[str, str], frozenset[str]]:
        """What a tool wrote as safetensors: the arrays, views of one mapping of the file; its metadata; which are bfloat16."""
        if self.size() < 8:
            raise ToolDied("the tool ended well and wrote no arrays")
        mapped = mmap.mmap(self.descriptor, 0, mmap.MAP_PRIVATE)  # stays as long as an array views it
        length = int.from_bytes(mapped[:8], "little")
        try:
            header = json.loads(mapped[8:8 + length])
        except ValueError as error:
            raise ToolDied("the tool ended well and wrote something else than arrays") from error
        metadata: dict[str, str] = header.pop("__metadata__", {})
        arrays: dict[str, Array] = {}
        for name, row in sorted(header.items(), key=lambda item: int(item[1]["data_offsets"][0])):
            begin, end = row["data_offsets"]
            dtype = np.dtype(_DTYPES[row["dtype"]])
            values = np.frombuffer(mapped, dtype, (end - begin) // dtype.itemsize, 8 + length + begin).reshape(row["shape"])
            arrays[name] = bfloat16_of(values) if row["dtype"] == "BF16" else values
        return arrays, metadata, frozenset(name for name, row in header.items() if row["dtype"] == "BF16")

    def read_text(self) -> str:
        """All of it."""
        return os.pread(self.descriptor, self.size(), 0).decode()

    def _write(self, at: int, data: memoryview) -> None:
        while data:
            count = os.pwrite(self.descriptor, data, at)
            at, data = at + count, data[count:]

    def _put(self, at: int, values: Array) -> None:
        little = values.dtype.newbyteorder("<")
        if values.flags.c_contiguous and values.dtype == little:
            self._write(at, memoryview(values.reshape(-1).view(np.uint8).data))
            return
        mapped = mmap.mmap(self.descriptor, 0)
        into = np.frombuffer(mapped, little, values.size, at).reshape(values.shape)
        into[...] = values  # any strides, any order of bytes, one pass
        del into
        mapped.close()

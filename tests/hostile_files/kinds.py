# Every kind of file, in every way in which it can lie: FILES, by name, each with what is true of it and a function that writes it.
# "lists": its arrays can be told; "parts": they lie so that they can be read in parts. Neither: it cannot be read, or is no file of arrays.
import json
import os
import random
import struct

import numpy as np

from arrays import bomb
from cases import npy_head, sparse
from lists import gguf_text

HOLE = (1 << 26, 8)  # numbers of 2 GiB


def safetensors_head(shape):
    size = 4 * int(np.prod(shape))
    text = json.dumps({"a": {"dtype": "F32", "shape": list(shape), "data_offsets": [0, size]}}).encode()
    return struct.pack("<Q", len(text)) + text, size


def gguf_hole(path):
    shape = HOLE[::-1]
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + gguf_text(b"a") + struct.pack("<IQQIQ", 2, *shape, 0, 0)
    return sparse(path, head + bytes(-len(head) % 32), 4 * HOLE[0] * HOLE[1])


def stored_hole(path):
    """An npz of one member that is stored, and is a hole; its checksum is another's."""
    head = npy_head(HOLE)
    size, name = len(head) + 4 * HOLE[0] * HOLE[1], b"a.npy"
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 1, size, size, len(name), 0) + name + head
    entry = b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 0, 0, 33, 1, size, size, len(name), 0, 0, 0, 0, 0, 0) + name
    sparse(path, local, size - len(head))
    with open(path, "ab") as file:
        file.write(entry + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local) + size - len(head), 0))
    return str(path)


def hdf5(path, make):
    import h5py
    with h5py.File(path, "w", libver="latest") as file:
        make(file)
    return str(path)


def packed_zeros(file):
    """256 MB of zeros."""
    data, rows = file.create_dataset("a", (1 << 23, 8), "f4", chunks=(1 << 18, 8), compression="gzip", compression_opts=1), 1 << 20
    for first in range(0, len(data), rows):
        data[first:first + rows] = np.zeros((rows, 8), "f4")


def one_chunk(file):
    """A few numbers in a chunk of 128 MB."""
    file.create_dataset("a", (1 << 22, 8), "f4", chunks=(1 << 22, 8), compression="gzip", compression_opts=1)[:2, :] = 1


def noted(file):
    file["a"] = np.ones((8, 8), "f4")
    file.attrs["note"] = "x" * 100_000_000


def noise(path):
    path.write_bytes(random.Random(1).randbytes(37_000))
    return str(path)


def words(path, text, times):
    path.write_text(text * times)
    return str(path)


def fifo(path):
    os.mkfifo(path)
    return str(path)


def packed(path):
    return bomb(path, npy_head((1 << 25, 8)), 1 << 30)


FILES = {
    "hole.npy": ("lists parts", lambda path: sparse(path, npy_head(HOLE), 4 << 29)),
    "wide.npy": ("lists", lambda path: sparse(path, npy_head((8, 1 << 26)), 4 << 29)),
    "deep.npy": ("lists", lambda path: sparse(path, npy_head((1 << 26, 4, 2)), 4 << 29)),
    "high.npy": ("lists parts", lambda path: sparse(path, npy_head((2, 4, 1 << 26)), 4 << 29)),
    "planes.npy": ("lists parts", lambda path: sparse(path, npy_head((1 << 15, 1 << 11, 2, 3), descr="<f2"), 12 << 26)),
    "line.npy": ("lists parts", lambda path: sparse(path, npy_head((1 << 29,)), 4 << 29)),
    "turned.npy": ("lists parts", lambda path: sparse(path, npy_head(HOLE, fortran=True), 4 << 29)),
    "cut.npy": ("", lambda path: sparse(path, npy_head(HOLE), 1 << 20)),
    "whole.npy": ("lists parts", lambda path: sparse(path, npy_head((1 << 21, 8), descr="<f2"), 1 << 25)),
    "packed.npz": ("lists parts", packed),
    "stored.npz": ("lists parts", stored_hole),
    "hole.safetensors": ("lists parts", lambda path: sparse(path, *safetensors_head(HOLE))),
    "hole.gguf": ("lists parts", gguf_hole),
    "hole.csv": ("", lambda path: sparse(path, b"position,pe_0\n0,1\n", 4 << 29)),
    "rows.csv": ("", lambda path: words(path, ("0," * 499 + "0\n") * 100, 400)),
    "hole.json": ("", lambda path: sparse(path, b'{"fields": {"a": ', 4 << 29)),
    "lists.json": ("", lambda path: words(path, "[[]" + ",[]" * 3_000_000 + "]", 1)),
    "checks.json": ("", lambda path: words(path, '{"schema_version":1,"tool":"pe-verify","checks":[[]' + ",[]" * 3_000_000 + "]}", 1)),
    "packed.h5": ("lists parts", lambda path: hdf5(path, packed_zeros)),
    "chunk.h5": ("lists", lambda path: hdf5(path, one_chunk)),
    "noted.h5": ("lists", lambda path: hdf5(path, noted)),
    "noise.npy": ("", noise),
    "noise.csv": ("", noise),
    "noise.json": ("", noise),
    "noise.gguf": ("", noise),
    "noise.h5": ("", noise),
    "noise.safetensors": ("", noise),
    "never.npy": ("", fifo),
    "never.json": ("", fifo),
    "zero.npy": ("", lambda path: str(path.symlink_to("/dev/zero") or path)),
    "terminal.csv": ("", lambda path: str(path.symlink_to("/dev/ptmx") or path)),
}

# Arrays to files as programs write them: npy, npz, safetensors, HDF5, CSV, raw bytes, GGUF.
"""A file of bfloat16 numbers holds their 16 bits; npy and npz have no such type, so they hold unsigned integers."""
import json
import struct

import numpy as np

import tables

KINDS = ("npy", "npz", "safetensors", "h5", "bin", "csv", "gguf")
SAFE = {"f64": "F64", "f32": "F32", "f16": "F16", "bf16": "BF16", "i32": "I32", "i64": "I64", "c64": "C64"}
GGML = {"f32": 0, "f16": 1, "bf16": 30}


def as_stored(array, dtype):
    """The array in the file's own elements; bf16 as its bits."""
    if np.iscomplexobj(array):
        with np.errstate(all="ignore"):
            return np.ascontiguousarray(array.astype(np.complex128 if dtype == "f64" else np.complex64))
    if array.dtype.kind in "iu":
        return np.ascontiguousarray(array)
    with np.errstate(over="ignore"):
        if dtype == "bf16":
            return np.ascontiguousarray(tables.bf16_bits(array))
        if dtype == "f16":
            return np.ascontiguousarray(tables.odd(array).astype(np.float16))
        return np.ascontiguousarray(array.astype({"f64": np.float64, "f32": np.float32}[dtype]))


def type_name(stored, dtype):
    if stored.dtype.kind == "c":
        return "c64"
    return stored.dtype.str[1] + str(8 * stored.itemsize) if stored.dtype.kind == "i" else dtype


def safetensors(path, named, dtype):
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, a in named:
        header[name] = {"dtype": SAFE[type_name(a, dtype)], "shape": list(a.shape), "data_offsets": [len(body), len(body) + a.nbytes]}
        body += a.tobytes()
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(struct.pack("<Q", len(head)) + head + body)


def gguf(path, named, dtype):
    """Version 3, no metadata but the architecture; dimensions innermost first; data aligned to 32 bytes."""
    def text(s):
        return struct.pack("<Q", len(s)) + s.encode()
    out = b"GGUF" + struct.pack("<IQQ", 3, len(named), 1) + text("general.architecture") + struct.pack("<I", 8) + text("llama")
    data = b""
    for name, a in named:
        dims = a.shape[::-1] or (1,)
        out += text(name) + struct.pack("<I", len(dims)) + struct.pack(f"<{len(dims)}Q", *dims)
        out += struct.pack("<IQ", GGML[dtype], len(data))
        data += a.tobytes() + b"\0" * (-a.nbytes % 32)
    path.write_bytes(out + b"\0" * (-len(out) % 32) + data)


def csv(path, named):
    """position, then the columns of every array, shortest digits."""
    columns = ["position"] + [f"{name}_{j}" for name, a in named for j in range(a.shape[1])]
    rows = [",".join(columns)]
    for p in range(len(named[0][1])):
        rows.append(",".join([str(p)] + [np.format_float_scientific(v, unique=True) for _, a in named for v in a[p]]))
    path.write_text("\n".join(rows) + "\n")


def bare_csv(path, array):
    """Numbers alone, as numpy.savetxt leaves them."""
    np.savetxt(path, array, delimiter=",", fmt="%.9e" if array.dtype == np.float32 else "%.17e")


def fits(kind, named, dtype):
    """Whether a container can hold these arrays."""
    shapes = [np.shape(a) for _, a in named]
    is_complex = any(np.iscomplexobj(a) for _, a in named)
    whole = any(a.dtype.kind in "iu" for _, a in named)
    if kind == "csv":
        cells = sum(int(np.prod(s)) for s in shapes)
        return all(len(s) == 2 for s in shapes) and not is_complex and not whole and dtype in ("f32", "f64") and cells <= 1 << 17
    if kind == "bin":  # a manifest states one shape
        return not is_complex and not whole and len(set(shapes)) == 1
    if kind == "gguf":
        return dtype in GGML and not is_complex and not whole and all(len(s) <= 4 for s in shapes)
    if kind == "safetensors":
        return not is_complex or dtype == "f32"
    if kind == "h5":
        return not is_complex and dtype != "bf16"
    return True


def write(folder, stem, kind, named, dtype):
    """Writes and returns the `file` entry of a manifest, and keys that go with it. Without a stem the arrays' names are all there is."""
    stored = [(name, as_stored(a, dtype)) for name, a in named]
    more = {"dtype": "bf16"} if dtype == "bf16" and kind in ("npy", "npz") else {}
    if kind in ("npy", "bin"):
        files = []
        for name, a in stored:
            path = folder / f"{stem}{'.' if stem else ''}{name}.{kind}"
            np.save(path, a) if kind == "npy" else path.write_bytes(a.tobytes())
            files.append(path.name)
        if kind == "bin":
            more = {"dtype": type_name(stored[0][1], dtype), "shape": list(stored[0][1].shape)}
        return (files if len(files) > 1 else files[0]), more
    path = folder / f"{stem or 'x'}.{kind}"
    if kind == "npz":
        np.savez(path, **dict(stored))
    elif kind == "safetensors":
        safetensors(path, stored, dtype)
    elif kind == "gguf":
        gguf(path, stored, dtype)
    elif kind == "h5":
        import h5py
        with h5py.File(path, "w") as file:
            for name, a in stored:
                file[name] = a
    elif kind == "csv":
        csv(path, stored)
    names = [f"{path.name}:{name}" for name, _ in stored]
    return (names if len(names) > 1 else path.name), more

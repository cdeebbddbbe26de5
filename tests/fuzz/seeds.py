#!/usr/bin/env python3
"""Makes the seed corpora and dictionaries of the fuzz harnesses: seeds.py FOLDER. Small sound files of every kind, by NumPy, h5py and the tree's own data."""
import io
import json
import pathlib
import re
import struct
import sys
import zipfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = {
    "npy": ["\\x93NUMPY", "'descr': '<f4'", "'fortran_order': True", "'shape': (", "<f2", ">f8", "<i8", "|u1", "<c8"],
    "npz": ["PK\\x03\\x04", "PK\\x01\\x02", "PK\\x05\\x06", "PK\\x06\\x06", "PK\\x06\\x07", ".npy", "\\x93NUMPY", "\\x01\\x00\\x10\\x00"],
    "safetensors": ['"dtype":', '"shape":', '"data_offsets":', '"__metadata__":', '"F32"', '"BF16"', '"F8_E4M3"', '"I64"'],
    "gguf": ["GGUF", "general.alignment", "rope.freq_base", "general.architecture", "rope_freqs.weight"],
    "csv": ["position", "cos_0", "sin_0", "nan", "inf", "1e308", "query", "key", "head", "\\x22"],
    "hdf5": ["\\x89HDF\\x0d\\x0a\\x1a\\x0a", "OHDR", "TREE", "HEAP", "SNOD", "FRHP", "BTHD", "OCHK", "GCOL"],
    "csv_write": ["\\x00\\x00\\x80\\x7f", "\\x00\\x00\\x00\\x80", "\\x01\\x00\\x00\\x00", "\\xff\\xff\\x7f\\x7f", "\\x00\\x7c", "\\x80\\x7f"],
    "weights": ["table=", "input=", "weights=", "keys=", "values=", "projection=", "num-buckets=", "heads=", "dim=8", "a", "\\x93NUMPY", "'descr': '<f4'"],
    "diagnosis": ["dim=8", "base=10000", "heads=2", "scaling=yarn", "factor=4", "dialect=hf-llama", "dtype=bf16", "\\x00\\x00\\x80\\x3f"],
    "options": ["dim=", "base=", "heads=", "scaling=", "factor=", "length=", "positions=0:9:2", "dtype=bf16", "dialect=vllm", "pairing=halves"],
}


# encodings that are told by tensors: their flags, and a shape that fits
WEIGHTS = (("learned", "input=", (16, 8)), ("tupe", "dim=8 heads=2 table=", (16, 8)), ("t5", "weights= num-buckets=8 heads=2", (8, 2)),
           ("kerple", "heads=8 weights=", (2, 8)), ("swin", "weights= heads=1 window=2", (9, 1)), ("shaw", "keys= dim=8 clip=4", (9, 8)),
           ("deberta", "dim=8 position-keys=", (16, 8)), ("transformer-xl", "dim=8 projection=", (8, 8)), ("fire", "hidden-weight= heads=1", (8, 1)))


def arrays():
    turns = np.arange(6)[:, None] * 10000.0 ** (-np.arange(4) / 4)
    yield "f4", np.cos(turns).astype("f4")
    yield "f8", np.sin(turns)
    yield "f2", np.concatenate([np.cos(turns), np.sin(turns)], 1).astype("f2")
    yield "big", np.cos(turns).astype(">f4")
    yield "fortran", np.asfortranarray(np.cos(turns))
    yield "c8", np.exp(1j * turns).astype("c8")
    yield "i8", np.arange(12).reshape(3, 4)
    yield "u1", np.arange(5, dtype="u1")
    yield "scalar", np.float32(3)
    yield "empty", np.zeros((0, 4), "f4")


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def safetensors(tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, array) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def gguf():
    def text(word):
        return struct.pack("<Q", len(word)) + word.encode()
    values = [text("general.architecture") + struct.pack("<I", 8) + text("llama"), text("llama.rope.freq_base") + struct.pack("<If", 6, 1e4),
              text("llama.rope.dimension_count") + struct.pack("<II", 4, 8), text("a.list") + struct.pack("<IIQ3f", 9, 6, 3, 1, 2, 3)]
    tensor = text("rope_freqs.weight") + struct.pack("<IQIQ", 1, 4, 0, 0)
    head = struct.pack("<4sIQQ", b"GGUF", 3, 1, len(values)) + b"".join(values) + tensor
    return head + b"\0" * (-len(head) % 32) + np.ones(4, "f4").tobytes()


def hdf5(path, chunked):
    with h5py.File(path, "w") as file:
        for name, array in arrays():
            file.create_dataset(name, data=array, **({"chunks": True, "compression": "gzip"} if chunked and array.ndim and array.size else {}))
        file.create_group("a/b")["t"] = np.ones(3)
        file["link"] = h5py.ExternalLink("other.h5", "/t")
        file.attrs["encoding"] = "rope"
        if chunked:
            layout = h5py.VirtualLayout((4,), "f8", maxshape=(None,))
            layout[:] = h5py.VirtualSource("other.h5", "t", (4,), maxshape=(None,))[:]
            file.create_virtual_dataset("virtual", layout)


def main():
    folder = pathlib.Path(sys.argv[1])

    def put(target, name, content):
        (folder / target).mkdir(parents=True, exist_ok=True)
        (folder / target / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for name, array in arrays():
        put("npy", name, npy(array))
        cells = np.ascontiguousarray(array).tobytes()
        put("diagnosis", name, bytes([1, 1, 1, 5, 7]) + bytes([len(name)]) + b"dim=8\n" + cells)
    for packing, number in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", number) as archive:
            for name, array in arrays():
                archive.writestr(name + ".npy", npy(array))
        put("npz", packing, out.getvalue())
    f4 = np.ones((2, 3), "f4")
    put("safetensors", "two", safetensors({"a": ("F32", f4), "b": ("BF16", np.ones((2, 2), "u2"))}))
    put("gguf", "small", gguf())
    put("csv", "columns", "position,cos_0,cos_1,sin_0,sin_1\n5,1,2,3,4\n7,5,6,7,8\n")
    put("csv", "tidy", "head,query,key,bias\n0,0,0,1\n0,0,1,2\n0,1,0,3\n0,1,1,4\n")
    for kind in range(4):
        for form in range(4):
            put("csv_write", f"{kind}-{form}", bytes([kind, form, 3, 18]) + np.geomspace(1e-300, 1e300, 76, dtype="f8").tobytes())
    put("csv", "plain", "1,2\n3,4\n5,6\n")
    (folder / "hdf5").mkdir(parents=True, exist_ok=True)
    for chunked in (False, True):
        hdf5(folder / "hdf5" / f"chunked-{chunked}", chunked)
    for path in sorted((ROOT / "data" / "models").glob("*.json"))[:40]:
        put("config", path.name, path.read_bytes())
    for number, path in enumerate((ROOT / "data" / "parity" / "dumps" / "manifest.json", ROOT / "tests" / "notes" / "manifest.json")):
        checks = json.loads(path.read_text())["checks"]
        for at in range(0, len(checks), 20):
            put("manifest", f"{number}-{at}", json.dumps({"schema_version": 1, "checks": checks[at:at + 3]}))
    for number in range(32):
        put("options", f"encoding-{number}", bytes([number]) + b"dim=8\nheads=2\nlength=9\n")
        put("diagnosis", f"encoding-{number}", bytes([1, 2, 2, 1, 11, 11, number]) + b"dim=12\nheads=2\n" + np.linspace(0, 1, 288, dtype="f4").tobytes())
    drawn = np.random.default_rng(0).normal(size=(16, 8)).astype("f4")
    listed = (ROOT / "lib" / "pe" / "encodings" / "encodings.def").read_text()
    numbers = {name.replace("_", "-"): number for number, name in enumerate(re.findall(r"^PE_ENCODING\((\w+)\)", listed, re.MULTILINE))}
    for encoding, flags, shape in WEIGHTS:
        head = bytes([numbers[encoding]]) + "".join(f"{flag}\n" for flag in flags.split()).encode() + b"\n"
        for name, content in (("npy", npy(drawn[:shape[0], :shape[1]])), ("safetensors", safetensors({"a": ("F32", np.ascontiguousarray(drawn[:shape[0], :shape[1]]))}))):
            put("weights", f"{encoding}-{name}", head + content)
    keys = set()
    for path in (ROOT / "data" / "models").glob("*.json"):
        keys |= set(json.loads(path.read_text()))
    schema = json.loads((ROOT / "data" / "manifest.schema.json").read_text())
    words = {**WORDS, "config": sorted(keys), "manifest": sorted(set(json.dumps(schema).replace('"', " ").replace(":", " ").split()))[:300]}
    for target, known in words.items():
        text = "".join(f'"{word}"\n' for word in known if all(" " < c < "\x7f" or c == " " for c in word)).replace('""', '"')
        if target not in ("config", "manifest"):
            text = "".join('"' + word.replace('"', '\\"') + '"\n' for word in known)
        (folder / f"{target}.dict").write_text(text)


if __name__ == "__main__":
    sys.exit(main())

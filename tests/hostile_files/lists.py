# Lists of what is in a file: names, metadata, columns.
import json
import struct

from cases import LONG, STREAMED, TIMEOUT, WHOLE, case, check, sparse


def sparse_head(path, text, data):
    return sparse(path, struct.pack("<Q", len(text)) + text, data)


def safetensors(path, entries, data=0, metadata=None):
    """Of entries, and of metadata, as a dict or as the text between its braces, which is quicker where there are millions."""
    def inside(value):
        return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))[1:-1]
    head = (f'"__metadata__":{{{inside(metadata)}}},' if metadata else "") + inside(entries)
    return sparse_head(path, f"{{{head}}}".encode(), data)


def tensor(begin, end, shape, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def gguf_text(text):
    return struct.pack("<Q", len(text)) + text


def gguf(path, tensors=0, entries=0, body=b""):
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, tensors, entries) + body)
    return str(path)


@case("safetensors of 83 MB of metadata", code=None)
def _(folder):
    return check(safetensors(folder / "metadata.safetensors", {"a": tensor(0, 2048, [64, 8])}, 2048, ",".join(f'"{i}":"xxxxxxxxxxxxxxxxxxxx"' for i in range(2_500_000))))


@case("safetensors of one text of 83 MB", says="larger|longer")
def _(folder):
    return check(safetensors(folder / "text.safetensors", {"a": tensor(0, 2048, [64, 8])}, 2048, {"a": "x" * 83_000_000}))


@case("safetensors of 40 000 tensors", code=None)
def _(folder):
    return check(safetensors(folder / "tensors.safetensors", {f"t{i}": tensor(4 * i, 4 * i + 4, [1]) for i in range(40_000)}, 160_000))


@case("safetensors of 40 000 tensors, identified", code=None, after="safetensors of 40 000 tensors")
def _(folder):
    return ["identify", str(folder / "tensors.safetensors"), "--timeout", TIMEOUT]


@case("safetensors of 40 000 tensors, compared", code=None, after="safetensors of 40 000 tensors")
def _(folder):
    path = str(folder / "tensors.safetensors")
    return ["compare", path, path, "--timeout", TIMEOUT]


@case("safetensors of 40 000 tensors, one that it has not", says="no array", after="safetensors of 40 000 tensors")
def _(folder):
    return check(str(folder / "tensors.safetensors") + ":none")


@case("safetensors of 40 000 tensors as weights", says="holds 40000 arrays", after="safetensors of 40 000 tensors")
def _(folder):
    return ["check", "learned", "--input", str(folder / "tensors.safetensors"), "--timeout", TIMEOUT]


@case("safetensors of 40 000 tensors of long names", says="names")
def _(folder):
    return check(safetensors(folder / "long.safetensors", {f"{i:02000}": tensor(4 * i, 4 * i + 4, [1]) for i in range(40_000)}, 160_000))


@case("safetensors of a million tensors", says="arrays")
def _(folder):
    return check(safetensors(folder / "million.safetensors", ",".join(f'"t{i}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}' for i in range(1_000_000))))


@case("safetensors of rank 10^6", says="axes")
def _(folder):
    return check(safetensors(folder / "rank.safetensors", {"a": tensor(0, 4, [1] * 1_000_000)}, 4))


@case("safetensors of 40 tensors of rank 10^6", says="axes")
def _(folder):
    shape = "1," * 999_999 + "1"
    return check(safetensors(folder / "ranks.safetensors", ",".join(
        f'"t{i}":{{"dtype":"F32","shape":[{shape}],"data_offsets":[{4 * i},{4 * i + 4}]}}' for i in range(40)), 160))


@case("safetensors of a header that nests", says="JSON|entries")
def _(folder):
    return check(sparse_head(folder / "nests.safetensors", b'{"a":' + b"[" * 50_000_000, 0))


# --- CSV

def csv(path, pieces):
    with open(path, "w") as file:
        for piece in pieces:
            file.write(piece)
    return str(path)


@case("csv of one line of 512 MB", says="more than", limit=STREAMED + 128)
def _(folder):
    return check(csv(folder / "line.csv", ["0.123456789," * 100_000 for _ in range(450)]))


@case("csv of one cell of 512 MB", says="longer")
def _(folder):
    return check(csv(folder / "cell.csv", ["0" * 1_000_000 for _ in range(512)]))


@case("csv of a header of 512 MB", says="longer|more than")
def _(folder):
    return check(csv(folder / "header.csv", ["pe_1," * 200_000 for _ in range(512)]))


@case("csv of a million columns", says="columns")
def _(folder):
    names = ",".join(f"c{i}" for i in range(1_000_000))
    return check(csv(folder / "columns.csv", [names + "\n", ",".join(["0"] * 1_000_000) + "\n"]))


@case("csv of a thousand rows of zeros in 4000 columns", code=None, limit=STREAMED + 128)
def _(folder):
    return check(csv(folder / "cells.csv", [",".join(["0"] * 4_000) + "\n"] * 1_000))


@case("csv of 300 MB of zeros", seconds=60, says="whole|more than", limit=WHOLE)
def _(folder):
    return check(csv(folder / "zeros.csv", [("0," * 499 + "0\n") * 1_000] * 300), flags=LONG)


@case("csv of empty lines", seconds=60, says="number", limit=WHOLE)
def _(folder):
    return check(csv(folder / "empty.csv", ["\n" * 1_000_000] * 200), flags=LONG)


# --- GGUF

@case("gguf of an array of 2^60 numbers", says="ends|whole")
def _(folder):
    return check(gguf(folder / "array.gguf", 0, 1, gguf_text(b"k") + struct.pack("<IIQ", 9, 6, 1 << 60) + bytes(1000)))


@case("gguf of an array of 400 MB", code=2)
def _(folder):
    body = gguf_text(b"k") + struct.pack("<IIQ", 9, 0, 400_000_000)
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + body
    return check(sparse(folder / "bytes.gguf", head, 400_000_000))


@case("gguf of 16 arrays of 65 536 long numbers", code=2)
def _(folder):
    array = struct.pack("<IIQ", 9, 12, 1 << 16) + struct.pack("<d", -4.9e-324) * (1 << 16)
    return ["check", "rope", "--config", gguf(folder / "numbers.gguf", 0, 16, b"".join(gguf_text(b"k%d" % i) + array for i in range(16))), "--timeout", TIMEOUT]


@case("gguf of 256 arrays of 4096 long numbers", code=2, says="metadata")
def _(folder):
    array = struct.pack("<IIQ", 9, 12, 1 << 12) + struct.pack("<d", -4.9e-324) * (1 << 12)
    return ["check", "rope", "--config", gguf(folder / "more.gguf", 0, 256, b"".join(gguf_text(b"k%d" % i) + array for i in range(256))), "--timeout", TIMEOUT]


@case("gguf of 50 strings of 20 MB", code=2, says="it has keys and no tensors")
def _(folder):
    path = gguf(folder / "strings.gguf", 0, 50)
    with open(path, "ab") as file:
        for i in range(50):  # each a hole
            file.write(gguf_text(b"k%d" % i) + struct.pack("<IQ", 8, 20_000_000))
            file.truncate(file.tell() + 20_000_000)
            file.seek(0, 2)
    return check(path)


@case("gguf of a list of 50 million empty strings", code=2)
def _(folder):
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + gguf_text(b"k") + struct.pack("<IIQ", 9, 8, 50_000_000)
    return check(sparse(folder / "empty.gguf", head, 400_000_000))


@case("gguf of a million metadata values", code=2, says="metadata")
def _(folder):
    return check(gguf(folder / "values.gguf", 0, 1 << 20, b"".join(gguf_text(b"key %d" % i) + struct.pack("<IB", 0, 1) for i in range(1 << 20))))


@case("gguf of a million tensors", code=2, says="tensors")
def _(folder):
    return check(gguf(folder / "tensors.gguf", 1 << 20, 0,
                      b"".join(gguf_text(b"t%d" % i) + struct.pack("<IQIQ", 1, 1, 0, 0) for i in range(1 << 20)) + bytes(64)))

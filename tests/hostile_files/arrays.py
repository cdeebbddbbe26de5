# Arrays: archives that inflate, holes, other orders, rows and columns without an end.
import os
import struct
import zipfile
import zlib

import numpy as np

from cases import STREAMED, TIMEOUT, case, check, npy_head, sparse


def archive(name, packed, total, sum_):
    """An archive of one deflated member, whose sizes are told in 64 bits."""
    extra = struct.pack("<HHQQ", 1, 16, total, len(packed))
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 45, 0, 8, 0, 33, sum_, 0xffffffff, 0xffffffff, len(name), len(extra)) + name + extra
    entry = (b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 45, 45, 0, 8, 0, 33, sum_, 0xffffffff, 0xffffffff, len(name), len(extra), 0, 0, 0, 0, 0)
             + name + extra)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local) + len(packed), 0)
    return local + packed + entry + end


def bomb(path, head, data):
    """An npz of one deflated member: the head, and zeros (whole MiB of them)."""
    packer, piece, sum_ = zlib.compressobj(9, zlib.DEFLATED, -15), bytes(1 << 20), zlib.crc32(head)
    packed = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    zeros = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)  # looks at nothing before it, so it may stand again and again
    packed += zeros * (data >> 20) + packer.flush()
    for _ in range(data >> 20):
        sum_ = zlib.crc32(piece, sum_)
    path.write_bytes(archive(b"a.npy", packed, len(head) + data, sum_))
    return str(path)


@case("npz of 3.8 MB that inflates to 3.7 GB", seconds=30, code=None)
def _(folder):
    return check(bomb(folder / "bomb.npz", npy_head((15 << 20, 64)), (1 << 20) * 64 * 15 * 4), flags=("--dim", "64", "--timeout", TIMEOUT))


@case("the same, compared with itself", seconds=30, code=None, after="npz of 3.8 MB that inflates to 3.7 GB")
def _(folder):
    path = str(folder / "bomb.npz")
    return ["compare", path, path, "--timeout", TIMEOUT]


@case("npz whose member inflates to less than it claims", says="damaged")
def _(folder):
    path = folder / "short.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", npy_head((1 << 10, 8)) + bytes(1 << 15))
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack("<I", (1 << 15) + len(npy_head((1 << 10, 8)))), struct.pack("<I", (1 << 15) + 4 * len(data))))
    return check(str(path))


def overlapping(path, count, method):
    head = npy_head((2, 4)) + bytes(32)
    data = zlib.compress(head, 9)[2:-4] if method else head
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 33, zlib.crc32(head), len(data), len(head), 1, 0) + b"a" + data
    with open(path, "wb") as file:
        file.write(local)
        bytes_ = 0
        for number in range(count):
            name = b"%d.npy" % number
            entry = (b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, method, 0, 33, zlib.crc32(head), len(data), len(head), len(name), 0, 0, 0,
                                              0, 0, 0) + name)
            bytes_ += file.write(entry)
        wide = count > 0xfffe
        if wide:
            file.write(b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, bytes_, len(local)))
            file.write(b"PK\6\7" + struct.pack("<IQI", 0, len(local) + bytes_, 1))
        small = 0xffff if wide else count
        file.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, small, small, 0xffffffff if wide else bytes_, 0xffffffff if wide else len(local), 0))
    return str(path)


@case("npz of a million members at one place", says="arrays")
def _(folder):
    return check(overlapping(folder / "million.npz", 1_000_000, 0))


@case("npz of 60 000 deflated members at one place", code=None)
def _(folder):
    return check(overlapping(folder / "many.npz", 60_000, 8))


# --- NPY

@case("npy in Fortran order, 8 GB of a hole", code=None, seconds=8)
def _(folder):
    return check(sparse(folder / "fortran.npy", npy_head((1 << 18, 8192), fortran=True), 4 << 31), flags=("--dim", "8192", "--timeout", TIMEOUT))


@case("npy in Fortran order, of two long rows", code=None, seconds=8)
def _(folder):
    path = sparse(folder / "flat.npy", npy_head((2, 1 << 28), fortran=True), 4 << 29)
    return ["compare", path, path, "--timeout", TIMEOUT]


@case("npy in Fortran order, of 2^9 x 2^9 x 2^9 numbers", code=None, seconds=8)
def _(folder):
    path = sparse(folder / "cube.npy", npy_head((1 << 9, 1 << 9, 1 << 9), fortran=True), 4 << 27)
    return ["compare", path, path, "--timeout", TIMEOUT]


for number, shape in enumerate(((3000, 500), (500, 3000), (2, 800_000), (800_000, 2), (7, 1, 90, 1300), (130, 30, 9, 11, 2), (1, 5), (3, 3))):
    @case(f"numbers {shape} in Fortran order are those in C order", code=0)
    def _(folder, shape=shape, number=number):
        array = np.random.default_rng(number).normal(size=shape)
        np.save(folder / "c.npy", array)
        np.save(folder / "f.npy", np.asfortranarray(array.astype(">f8")))
        return ["compare", str(folder / "c.npy"), str(folder / "f.npy")]


@case("deflated numbers too large to be held whole are those that lie plain", code=0, seconds=60)
def _(folder):
    random = np.random.default_rng(1)
    head, packer = npy_head((70_000, 1000)), zlib.compressobj(1, zlib.DEFLATED, -15)
    plain = [random.integers(0, 4, size=(1000, 1000)).astype("f4").tobytes() for _ in range(8)]
    packed = [(packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)), *(packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH) for piece in plain)]
    order = random.integers(0, 8, size=70)  # of eight pieces, each packed once: none looks at what is before it
    with open(folder / "plain.npy", "wb") as file:
        file.write(head)
        file.writelines(plain[i] for i in order)
    sum_ = zlib.crc32(head)
    for i in order:
        sum_ = zlib.crc32(plain[i], sum_)
    (folder / "packed.npz").write_bytes(archive(b"plain.npy", packed[0] + b"".join(packed[i + 1] for i in order) + packer.flush(), len(head) + 70 * 4_000_000, sum_))
    return ["compare", str(folder / "plain.npy"), str(folder / "packed.npz")]


@case("deflated numbers too large to be held whole, one bit of their sum wrong", code=2, seconds=60, says="checksum",
      after="deflated numbers too large to be held whole are those that lie plain")
def _(folder):
    path = folder / "packed.npz"
    data = bytearray(path.read_bytes())
    data[data.rfind(b"PK\1\2") + 16] ^= 1
    path.write_bytes(data)
    return ["compare", str(folder / "plain.npy"), str(path)]


for exponent in (28, 32, 36):
    @case(f"npy of 2^{exponent} rows of one number, a hole", code=None, seconds=8)
    def _(folder, exponent=exponent):
        return check(sparse(folder / f"rows{exponent}.npy", npy_head((1 << exponent, 1)), 4 << exponent), flags=("--dim", "1", "--timeout", TIMEOUT))

    @case(f"npy of 2^{exponent} rows of one number, identified", code=None, seconds=8, after=f"npy of 2^{exponent} rows of one number, a hole")
    def _(folder, exponent=exponent):
        return ["identify", str(folder / f"rows{exponent}.npy"), "--timeout", TIMEOUT]

    for encoding in ("rope", "alibi", "t5", "shaw"):
        # A mark is held for each row.
        @case(f"npy of 2^{exponent} numbers, a hole, as {encoding}", limit=STREAMED + (1 << (exponent - 6) >> 20) + 32, code=None, seconds=8)
        def _(folder, exponent=exponent, encoding=encoding):
            path = folder / f"{encoding}{exponent}.npy"
            shape = (1 << (exponent - 6), 64) if encoding == "rope" else (1 << (exponent // 2), 1 << (exponent // 2))
            flags = {"rope": ("--dim", "128"), "shaw": ("--max-distance", "4")}.get(encoding, ("--heads", "1"))
            return check(sparse(path, npy_head(shape if encoding in ("rope", "shaw") else (1, *shape)), 4 << exponent), encoding=encoding,
                         flags=(*flags, "--timeout", TIMEOUT))


for rows, keys in ((1, 30), (4, 28), (64, 24), (1 << 24, 6)):
    for encoding in ("alibi", "t5", "shaw", "identify"):
        @case(f"npy of {rows} rows of 2^{keys} keys, a hole, as {encoding}", code=None, seconds=8)
        def _(folder, rows=rows, keys=keys, encoding=encoding):
            path = sparse(folder / f"keys{keys}.npy", npy_head((1, rows, 1 << keys)), rows * 4 << keys)
            if encoding == "identify":
                return ["identify", path, "--timeout", TIMEOUT]
            return check(path, encoding=encoding, flags=(*(("--max-distance", "4") if encoding == "shaw" else ("--heads", "1")), "--timeout", TIMEOUT))


@case("npy of one row of 2^30 numbers, a hole", code=None, seconds=8)
def _(folder):
    return check(sparse(folder / "wide.npy", npy_head((1, 1 << 30)), 4 << 30))


@case("npy of one row of 2^30 numbers, identified", code=None, seconds=8, after="npy of one row of 2^30 numbers, a hole")
def _(folder):
    return ["identify", str(folder / "wide.npy"), "--timeout", TIMEOUT]


@case("npy of two rows of 2^29 numbers, compared", code=None, seconds=8)
def _(folder):
    path = sparse(folder / "wide2.npy", npy_head((2, 1 << 29)), 4 << 30)
    return ["compare", path, path, "--kind", "bias", "--timeout", TIMEOUT]


@case("weights that are a hole of 4 GB", says="whole")
def _(folder):
    return ["check", "learned", "--input", sparse(folder / "weights.npy", npy_head((1 << 20, 1024)), 4 << 30), "--timeout", TIMEOUT]


for shape in ((1 << 28,), (1 << 28, 1), (1, 1 << 28), (1 << 24, 1, 16)):
    for encoding in ("rope", "sinusoidal", "t5"):
        @case(f"npy of a hole of shape {shape}, as {encoding}", code=None, seconds=8)
        def _(folder, shape=shape, encoding=encoding):
            return check(sparse(folder / "line.npy", npy_head(shape), 4 << 28), encoding=encoding, flags=("--timeout", TIMEOUT))


for encoding in ("learned", "floater", "sinusoidal", "rope", "index"):
    @case(f"37 kB of noise, a square, as {encoding}", code=1, seconds=3)
    def _(folder, encoding=encoding):
        np.save(folder / "noise.npy", np.random.default_rng(3).normal(size=(96, 96)).astype("f4"))
        drawn = ("--seed", "0") if encoding == "learned" else ()  # asked for: nobody's trained numbers are meant
        return check(str(folder / "noise.npy"), encoding=encoding, flags=("--dim", "96", *drawn, "--timeout", "60"))

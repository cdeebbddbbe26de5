#!/usr/bin/env python3
# Compiles each header of the library alone; what was compiled before, with all it includes unchanged, is not tried again.
"""headers.py [--deal N]

With --deal one in N of those that are left, other ones with each commit.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import source

MEMORY = source.ROOT / "build/headers.json"
COMPILER = os.environ.get("CXX", "g++")
FLAGS = ["-std=c++20", "-Wall", "-Wextra"]
# Most of what a header costs, the largest first. Those that include one all the same find it precompiled: what it drags in they have in
# any case.
HEAVY = [source.ROOT / "lib/pe" / name for name in ("encodings/encoding.hpp", "base/real.hpp", "model/field.hpp", "base/budget.hpp",
                                                    "base/dtype.hpp")]
# What some headers need beyond the library's own folder, by the end of their name.
HDF5 = ["-isystem", "/usr/include/hdf5/serial"]
LAPACK = ['-DPE_LAPACK_FILE="liblapack.so.3"', '-DPE_BLAS_FILE="libblas.so.3"']
NEEDS = {"late_lapack.hpp": LAPACK, "hdf5_functions.hpp": HDF5, "hdf5_handle.hpp": HDF5, "hdf5_memory.hpp": HDF5, "hdf5_given.hpp": HDF5, "hdf5_driver.hpp": HDF5, "hdf5_dataset.hpp": HDF5,
         "hdf5_attributes.hpp": HDF5, "hdf5_ask.hpp": HDF5,
         "lanes_avx2.hpp": ["-mavx2", "-mfma", "-mf16c"], "lanes_avx512.hpp": ["-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl"]}



# Those with the instructions of one machine.
NATIVE = {"lanes_neon.hpp": "aarch64", "lanes_avx2.hpp": "x86_64", "lanes_avx512.hpp": "x86_64"}


def closure(path):
    """The header and all of the library that it includes."""
    reached, waiting = set(), [path]
    while waiting:
        path = waiting.pop()
        if path not in reached and path.exists():
            reached.add(path)
            waiting += [source.ROOT / "lib" / name for _, name in source.includes(path)]
    return reached


def digest(path):
    parts = [COMPILER, *FLAGS] + [part.read_text() for part in sorted(closure(path))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def compiled(text, *options):
    command = [COMPILER, *FLAGS, *options, "-I", str(source.ROOT / "lib")]
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    return result.stderr.strip() or ("the compiler failed" if result.returncode else "")


def precompile(path):
    compiled("", "-x", "c++-header", "-o", f"{path}.gch", path)


def complaint(path, folder):
    """What the compiler says about a file that includes this header alone; empty when nothing."""
    options = NEEDS.get(path.name, [])
    heavy = next((heavy for heavy in HEAVY if heavy in closure(path) and path not in closure(heavy)), None)
    if heavy and not options:
        options = ["-include", f"{folder}/{heavy.name}"]
    return compiled(f'#include "{path.relative_to(source.ROOT / "lib")}"\n', *options, "-fsyntax-only", "-x", "c++", "-")


def remembered():
    try:
        return json.loads(MEMORY.read_text())
    except (OSError, ValueError):
        return {}


def dealt(headers, deal):
    """Every Nth, the first by what the commit is called."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=source.ROOT, capture_output=True, text=True).stdout
    return headers[int(commit or "0", 16) % deal::deal]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deal", type=int, default=1)
    deal = parser.parse_args().deal
    headers = [path for path in source.files(".hpp", folders=["lib"]) if NATIVE.get(path.name, platform.machine()) == platform.machine()]
    digests, known = {path: digest(path) for path in headers}, remembered()
    fresh = [path for path in headers if known.get(str(path.relative_to(source.ROOT))) != digests[path]]
    fresh = dealt(fresh, deal)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for heavy in HEAVY:
            pathlib.Path(folder, heavy.name).write_text(f'#include "{heavy}"\n')
        if len(fresh) > 8:
            list(pool.map(lambda heavy: precompile(f"{folder}/{heavy.name}"), HEAVY))
        complaints = dict(zip(fresh, pool.map(lambda path: complaint(path, folder), fresh)))
    for path, text in complaints.items():
        if text:
            print(f"{path.relative_to(source.ROOT)} does not compile alone:\n{text}")
    failed = sum(map(bool, complaints.values()))
    tried = [path for path in headers if path in complaints or known.get(str(path.relative_to(source.ROOT))) == digests[path]]
    good = {str(path.relative_to(source.ROOT)): digests[path] for path in tried if not complaints.get(path)}
    MEMORY.parent.mkdir(exist_ok=True)
    MEMORY.write_text(json.dumps(good, indent=1))
    print(f"{len(tried) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

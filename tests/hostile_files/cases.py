# What the cases of hostile files share: limits, the list of them, and the simplest files.
import json
import os
import re
import struct

BASE = 24       # MiB that the tool takes without a file: code, libraries, tables of the catalogue
STREAMED = BASE + 64  # a file that is read in parts, or a list of what is in it
WHOLE = STREAMED + 1024  # what has to be held whole: the bytes of a pipe, the numbers of a csv, what HDF5 packs
CASES = []
AFTER = {}      # a case → the one that writes its file
TIMEOUT = "0.5"  # seconds that the tool is given, where it may need more: enough to pass any limit of memory
FAULT = re.compile(r"ERROR: \w+Sanitizer|runtime error: ")  # said by a build with sanitizers, and no answer whatever the exit code
LONG = ("--dim", "8", "--timeout", "60")  # for files that are refused in the end


def case(name, limit=STREAMED, seconds=10, code=2, says=r".", after=None):
    """Registers a function that writes a file and returns the words of the command line; None in them is standard input.
    `after`: the case whose file this one takes; alone, or in another share, it is written for it."""
    def register(make):
        CASES.append((name, limit, seconds, code, says, make))
        AFTER[name] = after
        return make
    return register


def npy_head(shape, descr="<f4", fortran=False):
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}}}".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text


def sparse(path, head, data):
    """A file of that head, and of so many bytes of a hole."""
    path.write_bytes(head)
    os.truncate(path, len(head) + data)
    return str(path)


def check(*files, encoding="learned", flags=("--dim", "8", "--timeout", TIMEOUT)):
    return ["check", encoding, *flags, *(word for file in files for word in ("--file", file))]


def text(path, content):
    path.write_text(content)
    return str(path)


def manifest(path, *checks):
    return text(path, json.dumps({"schema_version": 1, "checks": list(checks)}))

#!/usr/bin/env python3
# Times every law of every encoding at one length, by one pe-verify or by two in turn.
"""laws_bench.py --bin FOLDER [--against FOLDER] [--length N] [--only REGEX]

One line for each law and encoding, and for `check` of all laws: seconds, seconds of the processors, MiB at most; with --against the other
program's seconds of the processors, measured just before, and how many times as much they are. The answers of both must be the same.
"""
import argparse
import json
import os
import re
import subprocess
import time

GRIDS = {"sincos-2d": "362x362", "rope-2d": "362x362", "sincos-3d": "51x51x51", "rope-3d": "51x51x51"}
OWN_LENGTH = {"mrope", "swin", "decomposed"}  # of their segments, window and grid


def measured(command):
    start = time.monotonic()
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    answer = program.stdout.read()
    _, status, usage = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, (program.returncode, answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of pe-verify")
    parser.add_argument("--against", help="folder of another pe-verify")
    parser.add_argument("--length", default="131072")
    parser.add_argument("--only", default="", help="'LAW ENCODING' must match")
    asked = parser.parse_args()
    listed = subprocess.run([asked.bin + "/pe-verify", "list", "properties", "--json"], capture_output=True, text=True, check=True).stdout
    laws = json.loads(listed)["properties"]
    encodings = list(dict.fromkeys(name for law in laws for name in law["encodings"]))
    pairs = [(law["name"], name) for name in encodings for law in laws if name in law["encodings"]] + [("check", name) for name in encodings]
    differ = 0
    for law, name in pairs:
        if not re.search(asked.only, f"{law} {name}"):
            continue
        words = [law, name] + (["--init", "normal"] if name == "learned" else [])
        if name in GRIDS:
            words += ["--grid", GRIDS[name]]
        elif name not in OWN_LENGTH:
            words += ["--length", asked.length]
        before = measured([asked.against + "/pe-verify", *words]) if asked.against else None
        wall, work, size, answer = measured([asked.bin + "/pe-verify", *words])
        line = f"{wall:7.2f} s {work:7.2f} s of processors {size:5.0f} MiB  {law} {name}"
        if before:
            line += f"  (before {before[1]:.2f} s, {before[1] / max(work, 1e-3):.2f} times)" + ("" if before[3] == answer else "  ANSWERS DIFFER")
            differ += before[3] != answer
        print(line, flush=True)
    return differ > 0


if __name__ == "__main__":
    raise SystemExit(main())

#!/usr/bin/env python3
"""One call of the C library fails, or kill -9 comes in its place, at every place in turn: the old file or the new one, exit code 2, one line, nothing left.

  faults.py --bin build/dev/cmd --shim build/dev/tests/faults/libpe_faults.so [--most N] [--kills N] [--seed N]

Of calls that are made more often than --most, that many are drawn; --kills is the number of kills at random times."""
import argparse
import concurrent.futures
import errno
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import time

import h5py

CALLS = ["write", "pwrite", "fsync", "rename", "open", "linkat", "mmap", "malloc", "ftruncate", "fallocate", "fork"]
ERRORS = {"write": errno.ENOSPC, "pwrite": errno.EIO, "fsync": errno.EIO, "rename": errno.EACCES, "open": errno.EMFILE, "linkat": errno.EIO,
          "mmap": errno.ENOMEM, "malloc": errno.ENOMEM, "ftruncate": errno.ENOSPC, "fallocate": errno.ENOSPC, "fork": errno.EAGAIN}
PLAN = "iiqii" + "q" * len(CALLS)
FORMATS = {"csv": "csv", "hdf5": "h5", "npy": "npy", "npz": "npz", "safetensors": "safetensors", "json": "json", "raw": "bin"}
OLD = b"what was there before"
KILL = 0


def without_times(content):
    """Reports say how long each law took: everything else, or the size where the times are binary."""
    return str(len(content)).encode() if content.startswith(b"\x89HDF") else re.sub(rb'"seconds": [^,\n]*', b"", content)


class Case:
    """A command that writes `target`, whatever it was before."""

    def __init__(self, name, words, target, codes=(0,), view=bytes):
        self.name, self.words, self.target, self.codes, self.view = name, words, target, codes, view
        self.expected = None

    def run(self, shim, folder, plan, old):
        """(exit code, stderr, what the plan says now)."""
        for path in folder.iterdir():
            path.unlink()
        if old:
            (folder / self.target).write_bytes(OLD)
        with tempfile.NamedTemporaryFile() as file:
            file.write(struct.pack(PLAN, *plan, 0, *[0] * len(CALLS)))
            file.flush()
            done = subprocess.run(self.words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                                  env={**os.environ, "LD_PRELOAD": str(shim), "PE_FAULTS": file.name})
            told = struct.unpack(PLAN, pathlib.Path(file.name).read_bytes())
        return done.returncode, done.stderr.decode("utf-8", "replace"), told

    def report_is_wrong(self, folder):
        """Why the report that says "could not tell" is not one, or ""."""
        names, content = [path.name for path in folder.iterdir()], (folder / self.target).read_bytes()
        if names != [self.target]:
            return f"leaves {names}"
        if content.startswith(b"\x89HDF"):
            with h5py.File(folder / self.target) as file:
                return "" if len(file) else "an empty report"
        return "" if json.loads(content)["exit_code"] == 2 else "exit 2, but the report says otherwise"

    def files_are_wrong(self, folder, old, whole, may_leave=False):
        """Why what lies in the folder is neither the old nor the new file alone, or ""."""
        names = sorted(path.name for path in folder.iterdir())
        left = [name for name in names if name != self.target]
        if may_leave:
            left = [name for name in left if not re.fullmatch(rf"\.{re.escape(self.target)}\.pe-tmp(\.\d+)?", name)]
        if left:
            return f"leaves {left}"
        if self.target not in names:
            return "the old file is gone" if old else "the new file is missing" if whole else ""
        content = (folder / self.target).read_bytes()
        if self.view(content) != self.expected and (whole or not old or content != OLD):
            return f"{len(content)} bytes that are neither the old file nor the new one"
        return ""


def cases(tools):
    for name, suffix in FORMATS.items():
        target = "t." + suffix
        yield Case(name, [tools / "pe-gen", "rope", "--dim", "8", "--length", "96", "--fields", "cos", "--threads", "2", "-o", target], target)
    yield Case("report", [tools / "pe-verify", "check", "alibi", "--heads", "2", "--length", "8", "--report", "r.json"], "r.json", view=without_times)
    yield Case("hdf5 report", [tools / "pe-verify", "check", "alibi", "--heads", "2", "--length", "8", "--report", "r.h5"], "r.h5", view=without_times)


def after_error(case, shim, folder, call, at, old, no_nameless):
    code, said, told = case.run(shim, folder, (CALLS.index(call), ERRORS[call], at, int(no_nameless)), old)
    if not told[4]:
        return ""
    if code not in (*case.codes, 2):
        return f"exit {code}: {said[:200]!r}"
    # HDF5 that cannot even start prints its own stack before anybody can ask it not to, and one whose malloc failed half-way may give up
    # closing, or leave a heap of which the C library complains: what others print is not held against the one line that is ours.
    own = re.sub(r"^(HDF5-DIAG| +#\d+| +m(aj|in)or: |HDF5: infinite loop closing library| {6}L,T_top|corrupted double-linked list).*\n", "", said,
                 flags=re.MULTILINE)
    reports = case.view is not bytes and code == 2
    if code == 2 and not (reports and not said) and (own.count("\n") != 1 or len(own) > 400):
        return f"{own.count(chr(10))} lines: {own[:200]!r}"
    wrong = case.files_are_wrong(folder, old, code != 2)
    # One check that ran out of memory is that check's "could not tell", in a whole report.
    return wrong and (case.report_is_wrong(folder) if reports and case.target in os.listdir(folder) else wrong)


def after_kill(case, shim, folder, call, at, old, no_nameless):
    code, _, told = case.run(shim, folder, (CALLS.index(call), KILL, at, int(no_nameless)), old)
    if not told[4]:
        return ""
    if code != -9 and call not in ("malloc", "mmap", "open"):  # those may have killed a child that reads
        return f"exit {code}"
    # Only between a name beside the target and its own can a kill leave anything.
    if wrong := case.files_are_wrong(folder, old, False, may_leave=no_nameless or call in ("rename", "malloc", "open", "linkat", "write")):
        return wrong
    left = [path for path in folder.iterdir() if path.name != case.target]
    if left and not no_nameless and call != "rename":
        return f"leaves {[path.name for path in left]}"
    done = subprocess.run(case.words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    if done.returncode not in case.codes:
        return f"the next run: exit {done.returncode}: {done.stderr[:200]!r}"
    return case.files_are_wrong(folder, True, True)


def places(case, shim, folder, most, randomly):
    """Every (what, call, number, old, no_nameless) of the case."""
    for old in (False, True):
        for no_nameless in (False, True):
            plan = case.run(shim, folder, (0, KILL, 0, int(no_nameless)), old)
            content = case.view((folder / case.target).read_bytes())
            case.expected = case.expected or content
            if plan[0] not in case.codes or content != case.expected:
                raise SystemExit(f"{case.name}: exit {plan[0]}: {plan[1]}")
            for call, count in zip(CALLS, plan[2][5:]):
                numbers = range(1, count + 1)
                for number in numbers if count <= most else sorted(randomly.sample(numbers, most)):
                    yield after_error, call, number, old, no_nameless
                    if call != "fork":
                        yield after_kill, call, number, old, no_nameless


def all_places(job):
    case, shim, most, seed = job
    randomly, ran, failures = random.Random(f"{seed} {case.name}"), 0, []
    with tempfile.TemporaryDirectory(prefix="pe-faults-") as name:
        folder = pathlib.Path(name)
        for what, call, number, old, no_nameless in list(places(case, shim, folder, most, randomly)):
            ran += 1
            if wrong := what(case, shim, folder, call, number, old, no_nameless):
                failures.append(f"FAIL {case.name}: {what.__name__} of {call} {number}{', old file' * old}{', no nameless files' * no_nameless}: {wrong}")
    return ran, failures


def killed_at_random(tools, kills, seed):
    """Kills after a random part of the time that the command takes."""
    randomly, failures = random.Random(seed), []
    with tempfile.TemporaryDirectory(prefix="pe-kills-") as name:
        folder = pathlib.Path(name)
        for number in range(kills):
            suffix = list(FORMATS.values())[number % len(FORMATS)]
            case = Case(suffix, [tools / "pe-gen", "rope", "--dim", "64", "--length", "8192", "--fields", "cos", "-o", "t." + suffix], "t." + suffix)
            if number < len(FORMATS):
                start = time.monotonic()
                subprocess.run(case.words, cwd=folder, check=True)
                took, content = time.monotonic() - start, (folder / case.target).read_bytes()
                killed_at_random.known[suffix] = took, content
                (folder / case.target).unlink()
                continue
            took, case.expected = killed_at_random.known[suffix]
            old = randomly.random() < 0.5
            if old:
                (folder / case.target).write_bytes(OLD)
            run = subprocess.Popen(case.words, cwd=folder, stderr=subprocess.DEVNULL)
            time.sleep(randomly.random() * took * 1.1)
            run.kill()
            run.wait()
            if wrong := case.files_are_wrong(folder, old, False, may_leave=True):
                failures.append(f"FAIL kill {number} of {suffix}: {wrong}")
            subprocess.run(case.words, cwd=folder, check=True)
            if wrong := case.files_are_wrong(folder, True, True):
                failures.append(f"FAIL after kill {number} of {suffix}: {wrong}")
            for path in folder.iterdir():
                path.unlink()
    return kills, failures


killed_at_random.known = {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--shim", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="", help="cases whose name matches")
    parser.add_argument("--most", type=int, default=8)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tools, shim = options.bin.resolve(), options.shim.resolve()
    wanted = [case for case in cases(tools) if re.search(options.only, case.name)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(all_places, [(case, shim, options.most, options.seed) for case in wanted]))
    if not options.only:
        results.append(killed_at_random(tools, options.kills, options.seed))
    failures = [line for _, lines in results for line in lines]
    for line in failures:
        print(line)
    ran = sum(number for number, _ in results)
    print(f"{ran - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# The tools as other systems than Linux have them (lib/pe/platform/portable.cpp): the same bytes, nothing left behind, one sentence where they cannot.
"""elsewhere.py --bin FOLDER --elsewhere FOLDER: the usual tools, and those that the tests build beside. The last line reads "N passed, N failed"."""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from count import Count

FILES = ["t.csv", "t.h5", "t.npy", "t.npz", "t.safetensors", "t.json", "t.bin"]
TABLE = ["rope", "--dim", "16", "--length", "3000", "--fields", "cos"]


class Case:
    def __init__(self, options, folder, count):
        self.usual, self.elsewhere = options.bin.resolve(), options.elsewhere.resolve()
        self.folder, self.count = folder, count

    def said(self, where, tool, *words, **how):
        return subprocess.run([where / tool, *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False,
                              **{"stdin": subprocess.DEVNULL, "timeout": 120, **how})

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def clear(self):
        for path in self.folder.iterdir():
            path.unlink()

    # The test is of what it says it is of: these tools ask for nothing that Linux alone has.
    def ask_for_nothing_of_linux(self):
        for tool in ("pe-gen", "pe-apply", "pe-verify", "pe-analyze", "pe_tests"):
            names = subprocess.run(["nm", "--undefined-only", "--dynamic", self.elsewhere / tool], capture_output=True, text=True, check=True).stdout
            named = {line.split()[-1].partition("@")[0] for line in names.splitlines()}
            unwanted = named & {"memfd_create", "pipe2", "prctl", "fallocate", "fallocate64", "renameat2", "sysinfo", "linkat"}
            if tool != "pe_tests":  # whose own cases are of Linux
                self.count.check(not unwanted, f"{tool} asks for {unwanted}")
            self.count.check("tmpfile" in named or "tmpfile64" in named or tool not in ("pe-verify", "pe_tests"), f"{tool} is the portable one")

    def write_the_same(self):
        for name in FILES:
            for where in (self.usual, self.elsewhere):
                done = self.said(where, "pe-gen", *TABLE, "-o", name)
                self.count.check(done.returncode == 0, f"{name}: {done.stderr}")
                made = (self.folder / name).read_bytes()
                self.count.check(where == self.usual or made == before, f"{name}: other bytes")
                before = made
            self.count.check(self.names() == [name], f"{name}: leaves {self.names()}")
            self.clear()

    def keep_what_is_there(self):
        (self.folder / "t.npy").write_bytes(b"old")
        done = self.said(self.elsewhere, "pe-gen", *TABLE, "--no-clobber", "-o", "t.npy")
        self.count.check(done.returncode == 2 and (self.folder / "t.npy").read_bytes() == b"old", f"--no-clobber: {done.stderr}")
        (self.folder / "t.npy").unlink()
        done = self.said(self.elsewhere, "pe-gen", *TABLE, "--no-clobber", "-o", "t.npy")
        self.count.check(done.returncode == 0 and self.names() == ["t.npy"], f"--no-clobber of a new name: {done.stderr}")
        done = self.said(self.elsewhere, "pe-gen", *TABLE, "-o", "/dev/full")
        self.count.check(done.returncode == 2 and "No space left" in done.stderr, f"a full disk: {done.stderr}")
        self.clear()

    def is_begun(self):
        """Whether some file has bytes; one may be gone by when it is asked."""
        try:
            return any((self.folder / name).stat().st_size for name in self.names())
        except FileNotFoundError:
            return False

    # SIGTERM removes the unfinished file; SIGKILL leaves one, which the next run removes.
    def leave_nothing(self):
        for number, left in ((signal.SIGTERM, 0), (signal.SIGKILL, 1)):
            job = subprocess.Popen([self.elsewhere / "pe-gen", "rope", "--dim", "128", "--length", "4000000", "--fields", "cos", "--threads", "1", "-o", "t.npy"], cwd=self.folder)
            until = time.monotonic() + 20
            while not self.is_begun() and time.monotonic() < until:
                time.sleep(0.002)
            job.send_signal(number)
            code = job.wait(timeout=20)
            self.count.check(code == -number and len(self.names()) == left and "t.npy" not in self.names(), f"{number.name}: exit {code}, {self.names()}")
        done = self.said(self.elsewhere, "pe-gen", *TABLE, "-o", "t.npy")
        self.count.check(done.returncode == 0 and self.names() == ["t.npy"], f"the next run leaves {self.names()}")
        self.clear()

    def read_what_needs_no_walls(self):
        for name in FILES[:-1]:
            self.said(self.usual, "pe-gen", *TABLE, "-o", name)
            usual, done = (self.said(where, "pe-verify", "compare", name, name) for where in (self.usual, self.elsewhere))
            if name.endswith(".h5"):
                self.count.check(done.returncode == 2 and done.stderr.count("\n") == 1 and "cannot confine" in done.stderr, f"HDF5: {done.returncode} {done.stderr}")
            else:
                self.count.check((done.returncode, done.stdout) == (0, usual.stdout), f"{name}: {done.returncode} {done.stdout}{done.stderr}")
        self.clear()

    def serve(self):
        requests = [{"id": 1, "command": ["check", "alibi", "--heads", "2", "--length", "9"]}, {"id": 2, "command": ["check", "rope", "--dim", "7"]},
                    {"id": 3, "check": {"encoding": "sinusoidal", "length": 20}}]
        text = "".join(json.dumps(request) + "\n" for request in requests)
        usual, done = ([{**json.loads(line), "report": None, "text": ""} for line in self.said(where, "pe-verify", "serve", input=text, stdin=None).stdout.splitlines()]
                       for where in (self.usual, self.elsewhere))
        self.count.check(done == usual and [answer["exit_code"] for answer in done] == [0, 2, 0], f"answers: {done}")

    # The process of a request that takes minutes ends with the one that serves.
    def end_with_the_server(self):
        slow = {"id": 1, "command": ["identify", "slow"]}
        os.mkfifo(self.folder / "slow")
        for number in (signal.SIGKILL, signal.SIGTERM):
            server = subprocess.Popen([self.elsewhere / "pe-verify", "serve"], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            server.stdin.write(json.dumps(slow) + "\n")
            server.stdin.flush()
            children, until = [], time.monotonic() + 10
            while not children and time.monotonic() < until:
                children = [int(pid) for pid in pathlib.Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()]
            time.sleep(0.2)
            server.send_signal(number)
            server.wait(timeout=10)
            until = time.monotonic() + 5
            while any(alive(pid) for pid in children) and time.monotonic() < until:
                time.sleep(0.01)
            self.count.check(len(children) == 1 and not any(alive(pid) for pid in children), f"{number.name}: {children} live on")
            server.stdin.close()
            server.stdout.close()
        self.clear()


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--elsewhere", type=pathlib.Path, required=True)
    options = parser.parse_args()
    count = Count()
    with tempfile.TemporaryDirectory(prefix="pe-elsewhere-") as folder:
        case = Case(options, pathlib.Path(folder), count)
        for part in (case.ask_for_nothing_of_linux, case.write_the_same, case.keep_what_is_there, case.leave_nothing, case.read_what_needs_no_walls,
                     case.serve, case.end_with_the_server):
            part()
    return count.close()


if __name__ == "__main__":
    raise SystemExit(main())

#!/usr/bin/env python3
# Holds pe-mpi to one process: the same bytes, the same verdicts, and a clear end where one process fails or dies.
"""mpi.py --bin FOLDER; needs mpirun. The last line reads "N passed, N failed"."""
import argparse
import filecmp
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from count import Count

ROOT = pathlib.Path(__file__).resolve().parents[1]
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
MEMORY = 320 << 20  # bytes of address space of each process, of which a table takes more
TABLES = [  # the words behind gen, and the file that they are written to
    ("rope --dim 64 --length 1000", "rope.h5"),
    ("rope --model llama-3.1-8b --length 4097 --dtype bf16", "llama.h5"),
    ("sinusoidal --dim 34 --length 7", "odd.h5"),
    ("rope --dim 8 --length 1", "one.h5"),
    ("alibi --heads 3 --length 17", "alibi.h5"),
    ("t5 --num-buckets 32 --length 40", "t5.h5"),
    ("sinusoidal --dim 512 --length 5000 --dtype f64", "table.npy"),
    ("rope --dim 32 --length 777 --dialect vllm", "cache.npy"),
    ("rope --dim 128 --length 2000 --dtype f16", "half.safetensors"),
    ("sinusoidal --dim 16 --length 100", "plain.bin"),
    ("sincos-2d --dim 64 --grid 14x14", "grid.h5"),
]
CURVES = [
    "base-bound rope --dim 64 --length 128,64,300,64",
    "base-bound rope --dim 32 --length 100,200 --versus 'rope --dim 64' --versus 'rope --dim 128'",
    "precision rope --dim 64 --length 2000",
    "precision rope --dim 64 --length 2000 --draws 777 --threads 3",
    "base-bound rope --dim 32 --length 500 --threads 2",
    "spectrum rope --model llama-3.1-8b --versus 'rope --dim 64' --versus 'rope --scaling ntk --factor 8'",
    "decay rope --dim 64 --length 50 --versus 'alibi --heads 2'",
    "context rope --dim 64 --length 3000",
]


PARTS = ["words", "colours", "tables", "curves", "verdicts", "refusals", "larger_than_memory", "one_fails", "one_misses_dumps", "one_dies", "nodes"]
# Stands in for ssh: a node is a process tree of this machine under a name of its own, which MPI takes for a machine of its own.
NODE = """#!/bin/sh
host=$1
shift
exec unshare --user --map-root-user --uts sh -c 'hostname "$0" && eval "$1"' "$host" "$*"
"""


class Case:
    def __init__(self, folder, options, count):
        self.folder, self.bin, self.count = folder, options.bin.resolve(), count
        self.launcher = MPIRUN

    def one(self, tool, words, folder):
        return subprocess.run(f"'{self.bin / tool}' {words}", shell=True, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def many(self, number, words, folder):
        command = shlex.join(self.launcher) + f" -n {number} '{self.bin / 'pe-mpi'}' {words}"
        return subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)

    def fresh(self, name):
        path = self.folder / name
        path.mkdir(exist_ok=True)
        return path

    # The files of one process and of several, byte for byte.
    def same_file(self, tool, alone, together, name, numbers):
        single = self.one(tool, f"{alone} -o {name}", self.fresh("one"))
        self.count.check(single.returncode == 0, f"{tool} {alone}: {single.stderr}")
        wanted = (self.folder / "one" / name).read_bytes()
        for number in numbers:
            folder = self.fresh(f"of-{number}")
            done = self.many(number, f"{together} -o {name}", folder)
            good = done.returncode == 0 and (folder / name).read_bytes() == wanted
            self.count.check(good, f"{together} by {number}: exit {done.returncode}, {done.stderr[:300]}")
            self.count.check(sorted(p.name for p in folder.iterdir() if p.name.startswith(".")) == [], f"{together} by {number} leaves files")
            (folder / name).unlink(missing_ok=True)

    def tables(self):
        for words, name in TABLES:
            self.same_file("pe-gen", words, f"gen {words}", name, (1, 2, 3) if name == "rope.h5" else (3,))
        same = subprocess.run(["h5diff", "rope.h5", "rope.h5"], cwd=self.folder / "one", capture_output=True)
        self.count.check(same.returncode == 0, "h5diff reads it")

    def curves(self):
        for words in CURVES:
            self.same_file("pe-analyze", words, f"analyze {words}", "curve.h5", (3,))
        for number in (2, 3):  # each process holds the steps of all, and the first writes them
            words = "base-bound rope --dim 64 --length 512,1024 --certificate proof.json"
            self.same_file("pe-analyze", words, f"analyze {words}", "curve.h5", (number,))
            proof, wanted = ((self.folder / name / "proof.json").read_text() for name in (f"of-{number}", "one"))
            self.count.check(proof == wanted and '"steps"' in wanted, f"{words} by {number}: the certificates differ")

    def verdicts(self):
        for manifest in (ROOT / "tests/notes/manifest.json", ROOT / "data/parity/dumps/manifest.json"):
            alone = self.one("pe-verify", f"run {manifest} --report one.json", self.folder)
            for number in (1, 3):
                done = self.many(number, f"run {manifest} --report many.json", self.folder)
                self.count.check(done.returncode == alone.returncode, f"{manifest.name} by {number}: exit {done.returncode}, {done.stderr[:300]}")
                told = [json.loads((self.folder / name).read_text())["checks"] for name in ("one.json", "many.json")]
                for checks in told:
                    for check in checks:
                        check.pop("seconds", None)
                        check.pop("time", None)
                self.count.check(told[0] == told[1], f"{manifest.name} by {number}: the reports differ")
                self.count.check(done.stdout.count("\n") == alone.stdout.count("\n"), f"{manifest.name} by {number}: as many lines")
                (self.folder / "many.json").unlink()

    # One line, a code that is not 0, and what was there before stays.
    def refusals(self):
        folder = self.fresh("refused")
        for words, says in (("gen rope --dim 63 -o a.h5", "pe-gen: "), ("gen rope --dim 64 -o a.csv", "hdf5"), ("gen rope --dim 64", "not csv"),
                            ("gen rope --dim 64 -o no/such/a.h5", "no/such"), ("run nowhere.json", "nowhere.json"), ("fly", "gen, run and analyze"),
                            
                            (f"run {ROOT / 'tests/notes/manifest.json'} --shard 1/2", "--shard"),
                            ("analyze spectrum alibi", "spectrum")):
            done = self.many(3, words, folder)
            lines = [line for line in done.stderr.splitlines() if line.startswith("pe-")]
            self.count.check(done.returncode != 0, f"{words}: exit {done.returncode}")
            self.count.check(len(lines) == 1 and says in lines[0], f"{words}: says {lines}")
            self.count.check(list(folder.iterdir()) == [], f"{words}: leaves {list(folder.iterdir())}")

    # What every tool says of itself: with mpirun once, and to shells and packagers without it.
    def words(self):
        folder, mpi = self.fresh("words"), self.bin / "pe-mpi"
        version = subprocess.run([self.bin / "pe-gen", "--version"], capture_output=True, text=True, check=True).stdout
        told = self.many(3, "--version", folder).stdout
        self.count.check(told.startswith(version.rstrip().replace("pe-gen ", "pe-mpi ", 1)) and "Open MPI" in told and told.count("pe-mpi") == 1, f"--version: {told}")
        told = self.many(2, "--help", folder).stdout
        self.count.check(told.count("EXIT STATUS") == 1 and all(f"pe-mpi {word} " in told for word in ("gen", "run", "analyze")), f"--help: {told}")

        def completed(*words):
            return subprocess.run([words[0] if isinstance(words[0], pathlib.Path) else mpi, "--complete", *map(str, words[isinstance(words[0], pathlib.Path):])],
                                  capture_output=True, text=True, check=True).stdout

        for words, wanted in ((("",), ["gen", "run", "analyze"]), (("--v",), ["--version"]), (("-",), ["--help", "--version"])):
            self.count.check([line.split()[0] for line in completed(*words).splitlines()] == wanted, f"completes {words}: {completed(*words)}")
        for word, tool, before in (("gen", "pe-gen", ()), ("run", "pe-verify", ("run",)), ("analyze", "pe-analyze", ())):
            for begun in (("",), ("rope", "--sc"), ("--report", "")):
                same = completed(self.bin / tool, *before, *begun)
                self.count.check(completed(word, *begun) == same, f"completes {word} {begun} as {tool} does")
        made = folder / "manual"
        subprocess.run([sys.executable, "-B", ROOT / "scripts/manual/main.py", "--bin", self.bin, "--version", "1", "--out", made, "--mpi"], check=True)
        page = (made / "man/man1/pe-mpi.1").read_text()
        self.count.check(all(word in page for word in ("mpirun", "analyze", "EXIT STATUS", "version")), "the manual page")
        done = subprocess.run(["man", "--warnings=w", "-E", "UTF-8", "-l", made / "man/man1/pe-mpi.1"], capture_output=True, text=True, env={**os.environ, "MANWIDTH": "80"})
        self.count.check(done.returncode == 0 and not done.stderr, f"the manual page: {done.stderr}")
        self.count.check(sorted(p.name for p in made.rglob("*pe-mpi*")) == ["_pe-mpi", "pe-mpi", "pe-mpi.1", "pe-mpi.fish"], "completions of three shells")

    # mpirun gives the first process a terminal, whatever its own output is.
    def colours(self):
        done = self.many(2, f"run {ROOT / 'tests/notes/manifest.json'}", self.folder)
        self.count.check(done.stdout and "\x1b" not in done.stdout + done.stderr, "nothing is coloured")

    # The second process has the manifest, and not the dumps.
    def one_misses_dumps(self):
        here, there = self.fresh("here"), self.fresh("there")
        self.one("pe-gen", "alibi --heads 2 --length 16 -o dump.npy", here)
        checks = [{"name": f"check {i}", "encoding": "alibi", "parameters": {"heads": 2}, "length": 16, "file": "dump.npy"} for i in range(40)]
        for folder in (here, there):
            (folder / "manifest.json").write_text(json.dumps({"schema_version": 1, "checks": checks}))
        words = [str(self.bin / "pe-mpi"), "run", "manifest.json", "--report", "report.json"]
        done = subprocess.run([*MPIRUN, "-n", "1", "-wdir", str(here), *words, ":", "-n", "1", "-wdir", str(there), *words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=120)
        told = json.loads((here / "report.json").read_text())["checks"]
        untold = [check["error"] for check in told if check.get("error")]
        self.count.check(done.returncode == 2 and len(told) == 40 and 0 < len(untold) < 40, f"dumps that are missing: exit {done.returncode}, {len(untold)} untold, {done.stderr}")
        self.count.check(all(error.startswith("process 1 of 2 on ") and "dump.npy" in error for error in untold), f"dumps that are missing: {untold[:2]}")
        self.count.check("process 1 of 2 on " in done.stdout, f"dumps that are missing: {done.stdout[:400]}")

    # No process may have as much memory as the table takes: it is written in blocks, and the same bytes as by one that may.
    def larger_than_memory(self):
        one, folder = self.fresh("whole"), self.fresh("larger")
        for words, name in (("rope --dim 128 --length 1200000 --dtype f64 --threads 1", "table.h5"), ("sinusoidal --dim 512 --length 500000 --threads 1", "table.npy")):
            alone = self.one("pe-gen", f"{words} -o {name}", one)
            self.count.check(alone.returncode == 0 and (one / name).stat().st_size > 3 * MEMORY, f"{words}: {alone.stderr[:300]}")
            limited = f"sh -c 'ulimit -v {MEMORY >> 10}; exec \"$0\" \"$@\"' '{self.bin / 'pe-mpi'}'"
            done = subprocess.run(" ".join(MPIRUN) + f" -n 2 {limited} gen {words} -o {name}", shell=True, cwd=folder, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=300)
            good = done.returncode == 0 and filecmp.cmp(folder / name, one / name, shallow=False)
            self.count.check(good, f"{words} in {MEMORY >> 20} MiB a process: exit {done.returncode}, {done.stderr[:300]}")
            (folder / name).unlink(missing_ok=True)
            (one / name).unlink(missing_ok=True)

    # Of two processes the second has another command line or another limit.
    def one_fails(self):
        folder = self.fresh("fails")
        (folder / "old.h5").write_bytes(b"old")
        mpi = str(self.bin / "pe-mpi")
        manifest = str(ROOT / "tests/notes/manifest.json")
        for first, second, says in (
                ([mpi, "gen", "rope", "--dim", "128", "--length", "20000", "-o", "old.h5"],
                 ["-wdir", "/", mpi, "gen", "rope", "--dim", "128", "--length", "20000", "-o", "old.h5"], r"process 1 of 2 on \S+: pe-gen: "),
                ([mpi, "gen", "rope", "--dim", "128", "--length", "20000", "-o", "old.h5"],
                 ["sh", "-c", f"ulimit -f 8; exec '{mpi}' gen rope --dim 128 --length 20000 -o old.h5"], None),
                ([mpi, "run", manifest], [mpi, "run", "nowhere.json"], r"process 1 of 2 on \S+: pe-verify: "),
                ([mpi, "run", "nowhere.json"], [mpi, "run", manifest], r"nowhere.json(.|\n)*pe-mpi: so said process 0 of 2 on \S+, and not all did"),
                ([mpi, "analyze", "base-bound", "rope", "--dim", "64", "--length", "64,128"],
                 [mpi, "analyze", "base-bound", "rope", "--dim", "64", "--length", "64,none"], "process 1 of 2 on ")):
            start = time.monotonic()
            done = subprocess.run([*MPIRUN, "-n", "1", *first, ":", "-n", "1", *second], cwd=folder, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=120)
            lines = [line for line in done.stderr.splitlines() if line.startswith("pe-")]
            self.count.check(done.returncode != 0, f"{second}: exit {done.returncode}")
            good = len(lines) == 1 + ("so said" in (says or "")) and re.search(says, "\n".join(lines)) if says else "File size limit" in done.stderr  # which mpirun says
            self.count.check(good, f"{second}: says {lines}, {done.stderr[:500]}")
            self.count.check(time.monotonic() - start < 60, f"{second}: {time.monotonic() - start:.0f} s")
            self.count.check([p.name for p in folder.iterdir()] == ["old.h5"] and (folder / "old.h5").read_bytes() == b"old",
                             f"{second}: leaves {list(folder.iterdir())}")

    # A process is killed in the middle of a table of some seconds.
    def one_dies(self):
        folder = self.fresh("dies")
        for victim in (0, 1):
            (folder / "old.h5").write_bytes(b"old")
            job = subprocess.Popen([*MPIRUN, "-n", "2", str(self.bin / "pe-mpi"), "gen", "rope", "--dim", "128", "--length", "3000000", "--dtype", "f64",
                                    "--threads", "1", "-o", "old.h5"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
            pids = self.ranks_of(job.pid)
            self.count.check(len(pids) == 2, "two processes were started")
            time.sleep(0.3)
            os.kill(pids[victim], signal.SIGKILL)
            start = time.monotonic()
            code = job.wait(timeout=60)
            self.count.check(code != 0 and time.monotonic() - start < 30, f"process {victim} dies: exit {code} after {time.monotonic() - start:.0f} s")
            self.count.check((folder / "old.h5").read_bytes() == b"old", f"process {victim} dies: the old file stays")
        done = self.many(2, "gen rope --dim 8 --length 5 -o old.h5", folder)
        self.count.check(done.returncode == 0 and [p.name for p in folder.iterdir()] == ["old.h5"], "the next run removes what was left")

    # Two nodes, which share no memory and talk by TCP: numbers are answered by the first process, and a line names its node.
    def nodes(self):
        agent = self.folder / "node"
        agent.write_text(NODE)
        agent.chmod(0o755)
        if subprocess.run([agent, "left", "true"], capture_output=True).returncode != 0:
            print("mpi.py: nodes: no names for nodes here (unshare --uts)")
            return
        launch = [*MPIRUN, "--mca", "plm_rsh_agent", str(agent), "-H", "left:2,right:1"]
        launched, self.launcher = self.launcher, launch
        try:
            told = subprocess.run([*launch, "-n", "3", "hostname"], capture_output=True, text=True, timeout=60).stdout.split()
            self.count.check(sorted(told) == ["left", "left", "right"], f"nodes: {told}")
            self.same_file("pe-gen", "rope --dim 64 --length 1000", "gen rope --dim 64 --length 1000", "nodes.h5", (3,))
            for words in CURVES[1:5]:
                self.same_file("pe-analyze", words, f"analyze {words}", "curve.h5", (3,))
            self.verdicts()
            mpi, folder = str(self.bin / "pe-mpi"), self.fresh("nodes")
            done = subprocess.run([*launch, "-n", "2", mpi, "gen", "rope", "--dim", "8", "--length", "9", "-o", "a.h5", ":", "-n", "1", mpi, "gen", "rope",
                                   "--dim", "7", "--length", "9", "-o", "a.h5"], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
            self.count.check(done.returncode != 0 and "process 2 of 3 on right: pe-gen: " in done.stderr, f"nodes: {done.stderr[:500]}")
            self.count.check(list(folder.iterdir()) == [], f"nodes: leaves {list(folder.iterdir())}")
        finally:
            self.launcher = launched

    @staticmethod
    def ranks_of(parent):
        """The pids of an mpirun's processes in the order of their ranks, when there is a file under way."""
        until = time.monotonic() + 20
        while time.monotonic() < until:
            children = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
            ranks = {}
            for pid in children:
                try:
                    names = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                    writes = any(".pe-tmp" in os.readlink(link) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir())
                except OSError:
                    continue
                rank = [int(name.split(b"=")[1]) for name in names if name.startswith(b"OMPI_COMM_WORLD_RANK=")]
                if rank and writes:
                    ranks[rank[0]] = int(pid)
            if len(ranks) == 2:
                return [ranks[0], ranks[1]]
            time.sleep(0.02)
        return []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "dev" / "cmd")
    parser.add_argument("--only", default="", help=f"one of {', '.join(PARTS)}")
    options = parser.parse_args()
    count = Count()
    with tempfile.TemporaryDirectory(prefix="pe-mpi-") as folder:
        case = Case(pathlib.Path(folder), options, count)
        for name in PARTS:
            if options.only in ("", name):
                getattr(case, name)()
    return count.close()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# How many times as fast two processes of pe-mpi are as one, as ratios of runs that lie side by side; results are compared before times are.
"""mpi_bench.py --bin FOLDER [--rounds N] [--folder FOLDER] [--only NAME]

One thread a process. A round runs the work by one process, by two, and, as the measure of what this machine has, without MPI once and twice
at once: where two at once are not twice as much, memory or the neighbours are the bound and not what the processes say to each other. Files go to --folder (default: a folder in memory, /dev/shm).

Works that write a file have one more measure: how many times as fast two bare processes are as one that write as many bytes to the same places of
one file and compute nothing. A local file system lets one process at a time write to a file, and this is what it leaves; those of clusters do not.

Beside the ratios of rounds stand the shortest run by one against the shortest by two, which neighbours disturb least, and the processor time of
one against that of the busier of two, which they hardly change: it leaves out waiting, for each other and for the system.
"""
import argparse
import hashlib
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRUN = ["mpirun", "--allow-run-as-root", "--bind-to", "core"]
ALONE = ["mpirun", "--allow-run-as-root", "--bind-to", "none"]
# Each process says what processor time it took: the user's and the system's seconds.
TIMED = ["bash", "-c", 'TIMEFORMAT="took %U %S"; time "$0" "$@"']
TOOK = re.compile(r"^took ([\d.]+) ([\d.]+)$", re.M)
MANIFEST = '{{"schema_version": 1, "checks": [{}]}}'
CHECK = '{{"name": "{0}", "encoding": "rope", "parameters": {{"dim": {1}}}, "length": 16384}}'
BLOCK = bytes(range(256)) * 4096
FOLDERS =  ["one", "two", "left", "right", "single"]
WORKS = {  # what pe-mpi is asked for, and the file that it writes
    "table f32": ("gen sinusoidal --dim 256 --length 3000000", "table.npy"),
    "table f64": ("gen rope --dim 128 --length 2000000 --dtype f64", "table.h5"),
    "table bf16": ("gen rope --dim 128 --length 4000000 --dtype bf16", "table.h5"),
    "base-bound": ("analyze base-bound rope --dim 128 --versus 'rope --dim 126' --length 65536", "curve.csv"),
    "precision": ("analyze precision rope --dim 128 --draws 48000", "curve.csv"),
    "manifest": ("run manifest.json", ""),
}


class Bench:
    def __init__(self, options, folder):
        self.mpi, self.folder, self.options = options.bin.resolve() / "pe-mpi", folder, options
        checks = ", ".join(CHECK.format(f"check {i}", 64 + 2 * (i % 32)) for i in range(128))
        for name in FOLDERS:
            (folder / name).mkdir()
            (folder / name / "manifest.json").write_text(MANIFEST.format(checks))

    def words(self, words, file):
        return shlex.split(words) + (["--threads", "1", "-o", pathlib.Path(file).name] if file else [])

    def command(self, launcher, processes, words, file):
        jobs = ["--jobs", "1"] if words.startswith("run") and processes == 1 else []  # alone it would take every processor
        return [*launcher, "-n", str(processes), *TIMED, str(self.mpi), *self.words(words, file), *jobs]

    def tool(self, words, file):
        """The same without MPI."""
        first, *others = self.words(words, file)
        tool = {"gen": ["pe-gen"], "run": ["pe-verify", "run", "--jobs", "1"], "analyze": ["pe-analyze"]}[first]
        return [str(self.mpi.parent / tool[0]), *tool[1:], *others]

    def seconds(self, *commands, folders=FOLDERS):
        """Of all of them at once, each in a folder."""
        start = time.monotonic()
        jobs = [subprocess.Popen(command, cwd=self.folder / folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for command, folder in zip(commands, folders)]
        said = [job.communicate() for job in jobs]
        taken = time.monotonic() - start
        for job, command, (_, error) in zip(jobs, commands, said):
            if job.returncode != 0:
                own = [line for line in error.splitlines() if line.startswith("pe-")] or [error.strip()[-500:]]
                sys.exit(f"mpi_bench.py: {' '.join(command)}: exit {job.returncode}: {own[0]}")
        self.said = [out for out, _ in said]
        self.busiest = max((float(user) + float(system) for _, error in said for user, system in TOOK.findall(error)), default=0)
        return taken

    def bare(self, processes, file, size):
        """Seconds in which so many processes write a file and compute nothing."""
        start = time.monotonic()
        descriptor = os.open(self.folder / file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.posix_fallocate(descriptor, 0, size)
        children = []
        for process in range(processes):
            children.append(os.fork())
            if children[-1] == 0:
                begin, end = (size * number // processes for number in (process, process + 1))
                for place in range(begin, end, len(BLOCK)):
                    os.pwrite(descriptor, BLOCK[:end - place], place)
                os._exit(0)
        for child in children:
            if os.waitpid(child, 0)[1] != 0:
                sys.exit(f"mpi_bench.py: {file} cannot be written")
        os.close(descriptor)
        taken = time.monotonic() - start
        self.drop(file)
        return taken

    def drop(self, *names):
        for name in filter(None, names):
            (self.folder / name).unlink(missing_ok=True)

    def round(self, words, file):
        """Seconds by one process, by two, how many times as much processor time one takes as the busier of two, and how many times as much two
        works at once do as one: what the machine has for two; of bare writers, the same of the file."""
        names = [file and f"{kind}/{file}" for kind in FOLDERS]  # of one name, which a file's provenance holds
        one = self.seconds(self.command(ALONE, 1, words, names[0]))
        size = (self.folder / names[0]).stat().st_size if file else 0
        alone, processor = self.given(names[0]), self.busiest
        two = self.seconds(self.command(MPIRUN, 2, words, names[1]), folders=FOLDERS[1:])
        if self.given(names[1]) != alone:
            sys.exit(f"mpi_bench.py: {words}: two processes gave something else than one")
        processor /= self.busiest
        both = self.seconds(*(self.tool(words, name) for name in names[2:4]), folders=FOLDERS[2:])
        self.drop(*names[2:4])
        single = self.seconds(self.tool(words, names[4]), folders=FOLDERS[4:])
        self.drop(names[4])
        bare = self.bare(1, names[0], size) / self.bare(2, names[0], size) if file.endswith((".npy", ".h5")) else float("nan")
        return one, two, processor, 2 * single / both, bare

    def given(self, name):
        """What tells the results of two runs apart: of a file the digest of its bytes, of a report how many lines it has. The file goes: what the next
        run writes takes its memory, where fresh memory of a machine within a machine takes several times as long."""
        if not name:
            return len(self.said[0].splitlines())
        with open(self.folder / name, "rb") as file:
            digest = hashlib.file_digest(file, "blake2b").digest()
        self.drop(name)
        return digest

    def start(self):
        """Seconds of what has no work, by one and by two."""
        return [statistics.median(self.seconds(self.command(how, n, "analyze spectrum rope --dim 4", "none.csv")) for _ in range(5))
                for how, n in ((ALONE, 1), (MPIRUN, 2))]

    def run(self):
        starts = self.start()
        print(f"start and end  {starts[0]:.2f} s by one, {starts[1]:.2f} s by two, which every figure below holds")
        print("work          one      two      two against one: median (quartiles)   shortest   by processor time   two works at once: as many times one   two bare writers   load")
        for name, (words, file) in WORKS.items():
            if self.options.only not in ("", name):
                continue
            self.round(words, file)  # the first one touches everything
            ones, twos, processors, rooms, bares = zip(*(self.round(words, file) for _ in range(self.options.rounds)))
            low, middle, high = statistics.quantiles((one / two for one, two in zip(ones, twos)), n=4)
            print(f"{name:12} {statistics.median(ones):6.2f} s {statistics.median(twos):6.2f} s   {middle:.2f} ({low:.2f} to {high:.2f}) {'':18} "
                  f"{min(ones) / min(twos):.2f} {'':7} {statistics.median(processors):.2f} {'':15} {statistics.median(rooms):.2f} {'':32} "
                  f"{statistics.median(bares):4.2f} {'':17} {os.getloadavg()[0]:.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/cmd")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()))
    parser.add_argument("--only", choices=["", *WORKS], default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pe-mpi-", dir=options.folder) as folder:
        Bench(options, pathlib.Path(folder)).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())

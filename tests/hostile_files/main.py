#!/usr/bin/env python3
# Holds the tools to their caps of memory and time on files that lie, that are too large, or that never end.
"""main.py --bin FOLDER [--only REGEX] [--share I/N] [--verbose] [--sanitized]

Each case runs the tool alone under a limit of resident memory (the kernel's own peak) and of time: the processor's, for a busy machine
is no fault of the tool, and the clock's where it says that its time was over. It must end with the exit code that the case names, and
where that is 2, with a line that says what was too large, or how long it looked. Then each kind of file is given to each option of each
tool that reads one (everywhere.py). A build with sanitizers takes more of both: --sanitized asks for the rest alone, and for no report of theirs.
The last line reads "N passed, N failed".
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import analysis
import arrays
import everywhere
import lists
import share
import texts
from cases import AFTER, CASES, FAULT, TIMEOUT, manifest, npy_head, sparse

assert {make.__module__ for *_, make in CASES} == {module.__name__ for module in (analysis, arrays, lists, texts)}  # they register their cases


def patient(words, says):
    """The words, with time enough on a busy machine where a file is to be refused for what it holds."""
    if says == "." or "could not tell" in says or "--timeout" not in words:
        return words
    place = words.index("--timeout") + 1
    return [*words[:place], "50" if words[place] == TIMEOUT else words[place], *words[place + 1:]]


def run(folder, words, longest):
    """Exit code, MiB, seconds and what was said; of pe-verify where no tool is named."""
    endless, silent = words[0] is None, words[0] == "silence"
    words = words[1:] if endless or silent else words
    tool, words = (folder / words[0], words[1:]) if words[0].startswith("pe-") else (folder / "pe-verify", words)
    feeder = subprocess.Popen(["cat", "/dev/zero"] if endless else ["sleep", "60"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) if endless or silent else None
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # a child begins with the peak of its parent
    began = time.monotonic()
    done = subprocess.Popen([tool, *words], stdin=feeder.stdout if feeder else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    killer = threading.Timer(longest, done.kill)
    killer.start()
    said = done.stdout.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(done.pid, 0)
    killer.cancel()
    done.returncode = os.waitstatus_to_exitcode(status)
    if feeder:
        feeder.stdout.close()
        feeder.kill()
        feeder.wait()
    by_clock = "could not tell in" in said or done.returncode < 0
    return done.returncode, usage.ru_maxrss >> 10, time.monotonic() - began if by_clock else usage.ru_utime + usage.ru_stime, said


def without_names(said, folder):
    """What was said, less the names of files: what is too large must not be told by them alone."""
    return re.sub(re.escape(str(folder)) + r"/[^\s']*", "FILE", said)


def killed_run_is_wrong(tool, folder):
    """Why a run that is killed loses more than the entry under way."""
    table = sparse(folder / "zeros.npy", npy_head((64, 8)), 2048)
    os.mkfifo(folder / "never.npy")
    names = ["a", "b", "never", "c", "d"]
    checks = [{"name": name, "encoding": "learned", "parameters": {"dim": 8, "seed": 0}, "file": "never.npy" if name == "never" else table} for name in names]
    reports = {suffix: folder / f"killed.{suffix}" for suffix in ("json", "xml", "csv", "h5")}
    words = ["run", manifest(folder / "killed.json.manifest", *checks), "--jobs", "2", *(word for path in reports.values() for word in ("--report", str(path)))]
    done = subprocess.Popen([tool, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120  # each entry waits for the disk, which others may be using

    def outcomes():
        try:
            return [(check["name"], check["outcome"]) for check in json.loads(reports["json"].read_text())["checks"]]
        except (OSError, ValueError):
            return []
    wanted = [(name, "untold" if name == "never" else "failed") for name in names]
    while outcomes() != wanted and time.monotonic() < until:
        time.sleep(0.1)
    done.kill()
    done.wait()
    if missing := [suffix for suffix, path in reports.items() if not path.exists()]:
        return f"no report in {missing}"
    if outcomes() != wanted:
        return f"the report says {outcomes()}"
    return "" if "not done yet" in reports["xml"].read_text() else "the entry under way is not said to be"


def judged(kind, bin_folder, folder, is_wanted, verbose, sanitized):
    """The cases of one module, one after another in a folder of their own; how many passed and failed, and what is to be told."""
    folder.mkdir()
    passed = failed = 0
    told, written = [], set()
    for name, limit, seconds, code, says, make in CASES:
        if make.__module__ != kind or not is_wanted(name):
            continue
        # Written by a process of its own: its peak is no child's of ours.
        with concurrent.futures.ProcessPoolExecutor(1) as pool:
            before = [AFTER[name]] if AFTER[name] and AFTER[name] not in written else []
            words = pool.submit(make_case, [*before, name], folder).result()
        written |= {*before, name}
        got, took, lasted, said = run(bin_folder, patient(words, says), 600 if sanitized else 60)
        wrong = [f"exit {got}" if got not in ((0, 1, 2) if code is None else (code,)) else "",
                 f"{took} MiB of {limit}" if took > limit and not sanitized else "",
                 f"{lasted:.1f} s of {seconds}" if lasted > seconds and not sanitized else "",
                 f"says {fault[0]!r}" if (fault := FAULT.search(said)) else "",
                 "does not say " + says if got == 2 and not re.search(says, without_names(said, folder)) else "",
                 f"says {len(said)} characters" if len(said) > 10_000 and words[0] not in ("run", "compare") else ""]
        wrong = "; ".join(filter(None, wrong))
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong or verbose:
            told.append(f"{'FAIL' if wrong else 'ok  '} {name}: {wrong}\n     exit {got}, {took} MiB, {lasted:.1f} s: {said[:300]!r}")
        for path in folder.glob("*"):
            if path.is_file() and path.stat().st_blocks > 1 << 20:
                path.unlink()
    return passed, failed, told


def killed(bin_folder, folder, is_wanted):
    folder.mkdir()
    if not is_wanted("killed run"):
        return 0, 0, []
    wrong = killed_run_is_wrong(bin_folder / "pe-verify", folder)
    return int(not wrong), int(bool(wrong)), [f"FAIL killed run: {wrong}"] * bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="", help="cases whose name matches")
    share.add_option(parser)
    parser.add_argument("--verbose", action="store_true", help="show what each case took and said")
    parser.add_argument("--sanitized", action="store_true", help="no limits of memory and time, for builds with sanitizers")
    options = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="pe-h-") as scratch, concurrent.futures.ProcessPoolExecutor(2) as pool:
        folder, tools, is_wanted = pathlib.Path(scratch), options.bin.resolve(), share.chooser(options)
        # Two at a time, those that wait most and take longest first. Of 60 000 members each name has the file's whole: folders are short.
        parts = [pool.submit(everywhere.everywhere, tools, folder / "everywhere", is_wanted, options.verbose, options.sanitized),
                 *(pool.submit(judged, kind, tools, folder / kind[:2], is_wanted, options.verbose, options.sanitized) for kind in ("arrays", "texts", "lists", "analysis")),
                 pool.submit(killed, tools, folder / "killed", is_wanted)]
        for part in parts:
            good, bad, told = part.result()
            passed, failed = passed + good, failed + bad
            print(*told, sep="\n", end="\n" * bool(told), flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def make_case(names, folder):
    """What the last of these cases is run with; all of them write their files."""
    made = {name: make for name, *_, make in CASES}
    return [made[name](folder) for name in names][-1]


if __name__ == "__main__":
    sys.exit(main())

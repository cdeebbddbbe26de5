#!/usr/bin/env python3
# Lets every size that pe-analyze is told grow tenfold until work becomes long: what is far beyond --timeout is refused before it starts.
"""growth.py --bin FOLDER [--only REGEX] [--deal N [--first K]] [--estimates N] [--seconds S] [--verbose]

A climb is a quantity, a view of it, an encoding and one size (length, channels, heads, hidden units, draws, points, ...), which is told 10, 100,
... and so on up to what its option takes. Each run answers, refuses in one line, or is out of time. What is wrong: a run that outlives its
--timeout or holds more than 2 GiB; a refusal that takes longer than a second and a half of computing; a run that is out of time a hundred times
beyond a size that was, where it should have been refused; an answer at ten times a size that was refused for taking too long. Of every Nth
command of ESTIMATES the seconds that a refusal speaks of are held against those of computing: within a factor of five.
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
import time

GIB = 1 << 30
LATE = 4  # seconds that a run may need to end when its time is over, on a busy machine
PROMPT = 1.5  # seconds of computing that a refusal may take
SIZES = {"length": 1 << 53, "dim": 65536, "heads": 65536, "hidden": 65536, "head-dim": 65536, "rows": 1 << 30, "num-buckets": 1024, "max-distance": 1 << 30,
         "points": 10**6, "draws": 10**6, "channels": 65536, "samples": 10**9, "steps": 10**6, "trained": 1 << 53, "null": 10**4, "query": 1 << 53,
         "window": 1 << 30, "position-buckets": 1024}
STARTS = {"sinusoidal": "", "learned": "", "floater": "--dynamics mlp", "sincos-2d": "", "rope": "", "rope-2d": "", "mrope": "", "alibi": "", "t5": "",
          "tupe": "", "kerple": "", "fire": "", "swin": "", "decomposed": "", "shaw": "", "deberta": "", "transformer-xl": "", "sandwich": "", "xpos": ""}
GRIDS = {"sincos-2d", "rope-2d", "swin", "decomposed"}
FIXED = ["base-bound rope --dim 4096 --length {}", "base-bound rope --dim 10 --length {}", "drift floater --hidden 8192 --dynamics mlp --length {}",
         "drift floater --dynamics mlp --solvers rk4/{}", "drift floater --solvers euler/{}", "exposure rope --schemes pose:16 --samples {}",
         "exposure rope --trained 2048 --length {}", "shift sinusoidal --view fit --length {} --dim 256", "attention rope --queries all --length {}",
         "attention alibi --heads 64 --content gaussian --draws {}", "precision rope --view summary --length {}", "plan rope --trained 4096 --length {}",
         "laws learned --dim 1024 --length {}", "laws floater --dynamics mlp --hidden {}", "laws alibi --length {} --heads 64",
         "attention rope --tokens a --channels {}", "probe floater --dynamics mlp --hidden {}", "kernel fire --hidden 65536 --length {}"]


ESTIMATES = """scaling rope --dim 20000 --factor 4
interpolation rope --view places --steps 1500
interpolation rope --view curve --length 1000000
context rope --length 300000000
base-bound rope --length 20000
base-bound rope --length 65536
decay rope --draws 5000 --length 512
decay sinusoidal --length 8000 --dim 128
decay alibi --length 300000 --heads 16
similarity rope --length 8000
similarity sinusoidal --view matrix --length 1500 --dim 1024
shift sinusoidal --view fit --length 2048 --dim 128
shift sinusoidal --view turns --length 100000
attention alibi --queries all --length 1024
attention rope --queries all --length 512 --content gaussian --draws 8
attention alibi --view matrix --length 512
precision rope --view summary --length 60000
precision rope --length 131072 --draws 1000
margins sinusoidal --length 8000 --dim 128
margins learned --rows 4000 --length 4000 --dim 512
kernel alibi --length 600
drift floater --length 8000
drift floater --dynamics mlp --length 600
exposure rope --trained 2048 --length 32768 --schemes randpos
exposure rope --schemes pose:8 --samples 4000000
probe sinusoidal --dim 256 --length 512
probe learned --rows 100 --length 100 --dim 64 --draws 300
plan rope --trained 4096 --length 1000000
laws floater --dynamics mlp --length 400
laws alibi --heads 400
laws t5 --heads 200 --length 300
laws fire --hidden 2000""".splitlines()


def estimate_fault(tool, line):
    """What a refusal says, against what one thread computes: its own time, which other work on the machine does not stretch."""
    words = [*line.split(), "--threads", "1"]
    for given in (0.05, 0.2, 0.8):  # a time that has run out before work is counted tells of none
        said = run(tool, words, given)[4]
        found = re.search(r"would take about ([\d.e+]+) (s|minutes|hours),", said)
        if found:
            break
    if not found:
        return f"pe-analyze {line}: no time is said: {said}"
    told = float(found[1]) * {"s": 1, "minutes": 60, "hours": 3600}[found[2]]
    outcome, computed, *_ = run(tool, words, 100)
    if outcome != "answers" or not computed / 5 < told < 5 * computed:
        return f"pe-analyze {line}: {outcome} in {computed:.2f} s, and {told} were told"
    return ""


def climbs(tool):
    listed = json.loads(subprocess.run([tool, "list", "--json"], capture_output=True, text=True, check=True).stdout)
    for quantity in listed["quantities"]:
        of, name = quantity["kind"].split(), quantity["name"]
        views = [["--view", view] for option in quantity["parameters"] if option["name"] == "view" for view in option["choices"]]
        for encoding in listed["encodings"]:
            if encoding["name"] not in STARTS or not ("any" in of or encoding["name"] in of or encoding["kind"] in of):
                continue
            own = {row["name"]: row for row in quantity["parameters"]}
            sizes = ["length"] + [row["name"] for row in encoding["parameters"] + quantity["parameters"] if row["name"] in SIZES]
            for size in dict.fromkeys(sizes):
                row = own.get(size) or next((row for row in encoding["parameters"] if row["name"] == size), {})
                most = min(SIZES[size], int(float(row.get("highest", SIZES[size]))))
                for view in views or [[]]:
                    yield [name, encoding["name"], *STARTS[encoding["name"]].split(), *view, "--" + size, "{}"], most
            if encoding["name"] in GRIDS:
                for view in views or [[]]:
                    yield [name, encoding["name"], *view, "--window" if encoding["name"] == "swin" else "--grid", "{0}x{0}"], 10**7
    for line in FIXED:
        yield line.split(), 10**12


def computed_by(pid):
    """Seconds that all threads of a process computed so far."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def run(tool, words, seconds):
    """(what became of it, seconds of computing, seconds, GiB, its last line)"""
    with tempfile.TemporaryDirectory(prefix="pe-growth-") as folder:
        start = time.monotonic()
        with open(os.path.join(folder, "said"), "w+b") as said:
            child = subprocess.Popen([tool, *words, "--timeout", str(seconds), "-o", "out.h5"], cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
            late = False
            while True:
                pid, status, used = os.wait4(child.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() - start > seconds + 20 and (computed_by(child.pid) > seconds + LATE or time.monotonic() - start > 60 * seconds):
                    late = True
                    child.kill()
                time.sleep(0.02)
            child.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read().decode(errors="replace").strip()
        took = time.monotonic() - start
        computed, memory = used.ru_utime, used.ru_maxrss * 1024 / GIB
        if late:
            return "hangs", computed, took, memory, text
        if child.returncode == 0:
            return "answers", computed, took, memory, text
        over = "could not tell" in text or "is over" in text or "--timeout" in text and "would take" not in text
        return ("out of time" if over else "refuses" if child.returncode == 2 else f"exit {child.returncode}"), computed, took, memory, text


def climb(tool, words, most, seconds, verbose):
    faults, size, first_over, refused, answered, spent = [], 10, 0, "", False, []
    while size <= most:
        told = [word.format(size) for word in words]
        outcome, computed, took, memory, text = run(tool, told, seconds)
        shown = f"pe-analyze {' '.join(told)}"
        if verbose:
            print(f"{outcome:12} {computed:6.2f} s computed {took:6.2f} s {memory:5.2f} GiB  {shown}  {text.splitlines()[-1][:150] if text and outcome != 'answers' else ''}", flush=True)
        starved = computed < seconds / 2  # of a processor, by what else runs here: then it tells nothing of its time
        if outcome == "hangs" or outcome.startswith("exit") or took > seconds + LATE and computed > seconds:
            faults.append(f"{shown}: {outcome} after {took:.1f} s of {seconds}: {text[-200:]}")
        if memory > 2:
            faults.append(f"{shown}: {outcome}, and holds {memory:.1f} GiB")
        if outcome == "refuses" and computed > PROMPT:
            faults.append(f"{shown}: refuses after {computed:.1f} s of computing: {text[-200:]}")
        if outcome == "out of time" and not starved and first_over and size >= 100 * first_over:
            faults.append(f"{shown}: out of time, as it was at {first_over}, and did not say so before: {text[-160:]}")
        if outcome == "answers" and "would take" in refused:
            faults.append(f"{shown}: answers, where less was refused: {refused}")
        answered = answered or outcome == "answers"
        if outcome == "answers":
            spent.append(computed)
        if outcome == "hangs" or outcome == "refuses" and "would take" in text:
            break
        if outcome == "refuses":
            if refused:
                break
            refused = text
        if outcome == "out of time" and not first_over:
            level = len(spent) > 1 and spent[-1] < 2 * spent[-2]  # it grows by a logarithm: a hundred times the size is no longer work
            first_over = size if answered and not starved and not level else 0  # nor is what is out of time at its smallest
            size *= 10
        size *= 10
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--deal", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--estimates", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    tool = str((options.bin / "pe-analyze").resolve())
    wanted = [case for case in climbs(tool) if re.search(options.only, " ".join(case[0]))][options.first::options.deal]
    failed = 0
    estimates = ESTIMATES[options.first % options.estimates::options.estimates] if options.estimates else []
    for fault in filter(None, (estimate_fault(tool, line) for line in estimates)):
        failed += 1
        print(f"FAIL {fault}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for faults in pool.map(lambda case: climb(tool, *case, options.seconds, options.verbose), wanted):
            failed += bool(faults)
            for fault in faults:
                print(f"FAIL {fault}", flush=True)
    print(f"{len(wanted) + len(estimates) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

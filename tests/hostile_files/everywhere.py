# Every kind of file, in every way in which it can lie, given to every option of every tool that reads one.
import concurrent.futures
import itertools
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import time

import numpy as np

from cases import FAULT, STREAMED, npy_head, sparse
from kinds import FILES

CAP = 64  # MiB that PE_MEMORY says: what must be held whole is refused beyond it
WAIT, SECONDS = "0.3", 4


# --- what reads them: FILE stands for the file, OUT for a file to write

WHOLE = {  # takes all numbers of an array, or reads no arrays: 2 of all that is too large
    "pe-gen": ["learned --input FILE -o OUT.npy", "rope --config FILE", "t5 --weights FILE", "shaw --keys FILE -o OUT.npy", "swin --weights FILE",
               "floater --initial FILE -o OUT.npy"],
    "pe-apply": ["rope --q FILE -o OUT.npz", "alibi --q FILE --k FILE -o OUT.npz", "sinusoidal --x FILE -o OUT.npz", "rope --config FILE --random 1,1,2,8 -o OUT.npz"],
    "pe-analyze": ["similarity learned --input FILE --timeout WAIT", "attention rope --q FILE --k FILE --timeout WAIT", "spectrum --config FILE --timeout WAIT",
                   "published --claims FILE --timeout WAIT"],
    "pe-verify": ["check learned --input FILE --timeout WAIT", "unique learned --input FILE --timeout WAIT", "collision-free sinusoidal --embeddings FILE --timeout WAIT",
                  "check --config FILE --timeout WAIT", "run FILE --timeout WAIT", "merge FILE"],
}
PARTS = {  # may tell something of any size
    "pe-gen": ["info FILE", "info FILE --json"],
    "pe-analyze": ["similarity sinusoidal --file FILE --timeout WAIT", "attention rope --file FILE --timeout WAIT", "decay alibi --file FILE --timeout WAIT"],
    "pe-verify": [*(f"check {encoding} --file FILE --timeout WAIT"
                    for encoding in ("rope", "xpos", "mrope --sections 8,12,12", "rope-2d", "sinusoidal", "sincos-2d", "learned", "index", "alibi", "t5", "shaw")),
                  "check rope --before FILE --file FILE --timeout WAIT", "unique sinusoidal --file FILE --timeout WAIT", "linear-shift learned --file FILE --timeout WAIT",
                  "identify FILE --timeout WAIT", "compare FILE FILE --timeout WAIT"],
}


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def taken(tool, words, folder, longest):
    """Exit code, MiB, seconds, what was printed and what was said. The clock is the processor's: a busy machine is no fault of the tool."""
    with open(folder / "stderr", "w+b") as said, open(folder / "stdout", "w+b") as printed:
        done = subprocess.Popen([tool, *words], stdin=subprocess.DEVNULL, stdout=printed, stderr=said, cwd=folder, preexec_fn=limits,
                                env={**os.environ, "PE_MEMORY": f"{CAP}M", "PE_WAIT": WAIT})
        began, status = time.monotonic(), 0
        while True:
            pid, status, usage = os.wait4(done.pid, os.WNOHANG)
            if pid or time.monotonic() - began > longest:
                break
            time.sleep(0.005)
        if not pid:
            done.kill()
            _, status, usage = os.wait4(done.pid, 0)
        done.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (printed, said):
            file.seek(0)
            texts.append(file.read(10_000).decode("utf-8", "replace"))
        return done.returncode, usage.ru_maxrss >> 10, usage.ru_utime + usage.ru_stime, *texts


def what_is_wrong(tool, words, folder, codes, says, sanitized):
    code, took, lasted, printed, said = taken(tool, words, folder, 300 if sanitized else 30)
    lines = [line for line in said.splitlines() if "warning:" not in line]
    limit, untold = STREAMED + CAP, printed and not said  # a verdict that says why
    return "; ".join(filter(None, [
        f"exit {code}, not {codes}" if code not in codes else "",
        f"{took} MiB of {limit}" if took > limit and not sanitized else "",
        f"{lasted:.1f} s of {SECONDS}" if lasted > SECONDS and not sanitized else "",
        f"says {fault[0]!r}" if (fault := FAULT.search(printed + said)) else "",
        f"{len(lines)} lines on stderr" if code == 2 and len(lines) != 1 and not untold else "",
        "does not say " + says if code == 2 and not untold and not re.search(says, said) else "",
    ])), f"exit {code}, {took} MiB, {lasted:.1f} s: {said[:250]!r}"


def cases(files):
    """(name, tool, words, file, the exit codes that are right, what is said with 2)"""
    for name, (what, _) in files.items():
        for where in (WHOLE, PARTS):
            for tool, commands in where.items():
                for command in commands:
                    is_info = command.startswith("info")
                    small = name in ("whole.npy", "noted.h5", "chunk.h5")
                    if "lists" in what and (where is PARTS or small):
                        codes = (0,) if is_info else (0, 1, 2)
                    else:
                        codes = (2,)
                    takes_all = where is WHOLE and re.search("--[a-z0-9]+ FILE", command) and not re.search("--(config|claims) FILE", command)
                    says = (r"PE_WAIT|could not tell" if name.startswith(("never", "terminal")) else
                            r"PE_MEMORY|could not tell" if takes_all and "parts" in what and not small else ".")
                    yield f"{tool} {command.replace('FILE', name)}", tool, command, name, codes, says


def everywhere(bin_folder, scratch, is_wanted, verbose, sanitized):
    """Runs all of them, eight at a time, for most wait for what never comes; how many passed and failed, and what is to be told."""
    bin_folder = bin_folder.resolve()  # each run has a folder of its own
    scratch.mkdir()
    wanted = [case for case in cases(FILES) if is_wanted(case[0])]
    for name in {case[3] for case in wanted}:
        with concurrent.futures.ProcessPoolExecutor(1) as pool:  # its peak is no child's of ours
            pool.submit(write_one, name, scratch).result()

    def judge(case):
        number, (_, tool, command, name, codes, says) = case
        folder = scratch / f"run-{number}"
        folder.mkdir()
        wait = WAIT if name.startswith("never") or command not in itertools.chain(*WHOLE.values()) else "3"
        words = [word.replace("FILE", str(scratch / name)).replace("OUT", "out").replace("WAIT", wait) for word in command.split()]
        try:
            return what_is_wrong(bin_folder / tool, words, folder, codes, says, sanitized)
        finally:
            shutil.rmtree(folder)

    passed = failed = 0
    told = []
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for case, (wrong, seen) in zip(wanted, pool.map(judge, enumerate(wanted))):
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong or verbose:
                told.append(f"{'FAIL' if wrong else 'ok  '} {case[0]}: {wrong}\n     {seen}")
    for name, wrong in asked(bin_folder, scratch, is_wanted):
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong or verbose:
            told.append(f"{'FAIL' if wrong else 'ok  '} {name}: {wrong}")
    return passed, failed, told


def write_one(name, folder):
    FILES[name][1](folder / name)


# --- what the user may ask for, and what is waited for

def slowly(file, seconds, out):
    """A process that writes the file there, after a while."""
    return subprocess.Popen(["sh", "-c", 'sleep "$0"; exec cat "$1"', str(seconds), file], stdout=out)


def asked(bin_folder, folder, is_wanted):
    """(name, what is wrong) of limits that the environment sets, and of pipes."""
    table = folder / "asked.npy"
    np.save(table, np.ones((64, 8), "f4"))
    large = sparse(folder / "asked-large.npy", npy_head((1 << 20, 8)), 1 << 25)

    def run(words, code, says="", stdin=subprocess.DEVNULL, **environment):
        try:
            done = subprocess.run([bin_folder / words[0], *words[1:]], cwd=folder, stdin=stdin, capture_output=True, text=True, timeout=60,
                                  env={**os.environ, "PE_WAIT": WAIT, **environment}, pass_fds=() if isinstance(stdin, int) else (stdin.fileno(),))
        except subprocess.TimeoutExpired:
            return "still there after a minute"
        good = done.returncode == code and says in done.stderr and (code != 2 or len(done.stderr.splitlines()) == 1)
        return "" if good else f"exit {done.returncode}: {done.stderr[:300]!r}"

    def piped(words, by_name):
        feeder = slowly(table, 1, subprocess.PIPE)
        try:
            return run([word.replace("FILE", f"/dev/fd/{feeder.stdout.fileno()}" if by_name else "-") for word in words], 0, stdin=feeder.stdout)
        finally:
            feeder.stdout.close()
            feeder.wait()

    def dribbled():
        os.mkfifo(folder / "dribble.npy")
        feeder = subprocess.Popen(["sh", "-c", 'exec >"$0"; while printf x; do sleep 0.05; done', str(folder / "dribble.npy")], stderr=subprocess.DEVNULL)
        try:
            return run(["pe-gen", "info", str(folder / "dribble.npy")], 2, "PE_WAIT")
        finally:
            feeder.kill()
            feeder.wait()

    def written(words, name, code, says="", reader=None, **environment):
        """Into a FIFO that `reader`, a shell's words, takes from; by default nobody does. More than a pipe holds unread."""
        fifo = folder / name
        os.mkfifo(fifo)
        taker = reader and subprocess.Popen(["sh", "-c", reader, str(fifo)], stdout=subprocess.PIPE)
        try:
            wrong = run([*words, "-o", str(fifo)], code, says, **environment)
            try:
                taken = taker.communicate(timeout=60)[0] if taker and code == 0 else None
            except subprocess.TimeoutExpired:
                return wrong or "the reader found no end within a minute"
            return wrong or ("" if taken is None or taken == b"1048704\n" else f"{taken} bytes came through")
        finally:
            if taker:
                taker.kill()
                taker.wait()

    def refused_beyond(mib, allocated):
        """Tensors beyond what their files allow, which are refused before they are read: 72 MiB on the disk, or a hole."""
        data, others = 1800 << 20, 72 << 20
        head = json.dumps({"q": {"dtype": "F16", "shape": [1, 1, data // 128, 64], "data_offsets": [0, data]},
                           "others": {"dtype": "U8", "shape": [others], "data_offsets": [data, data + others]}}).encode()
        path = folder / f"allowed-{mib}.safetensors"
        sparse(path, struct.pack("<Q", len(head)) + head, data + others)
        with open(path, "r+b") as file:
            if allocated:
                os.posix_fallocate(file.fileno(), 8 + len(head) + data, others)
        wrong = run(["pe-apply", "rope", "--q", f"{path}:q", "-o", "turned.npz"], 2, f"takes 1800 MiB, more than the {mib} MiB that may be")
        path.unlink()
        return wrong

    vllm = "pe-gen rope --dim 128 --length 2048 --dialect vllm".split()
    unread = [(words, f"{name}.{suffix}", reader) for name, reader in (("unread", None), ("opened", 'exec 3<>"$0"; sleep 20'))
              for words, suffix in (*(("pe-gen rope --dim 64 --length 4096", suffix) for suffix in ("npz", "csv", "h5")),
                                    ("pe-apply rope --random 1,1,4096,64", "safetensors"))]
    tensors = ["pe-apply", "rope", "--q", large, "-o", "turned.npz"]
    for name, ask in {
        "memory that was asked for is given": lambda: run(tensors, 0, PE_MEMORY="1G"),
        "memory that was not is refused": lambda: run(tensors, 2, "PE_MEMORY", PE_MEMORY="64M"),
        "pe-apply may hold 16 times what its files take of the disk": lambda: refused_beyond(16 * 72, True),
        "and of files with holes what all tools may": lambda: refused_beyond(1024, False),
        **{f"PE_MEMORY={odd} is refused": lambda odd=odd: run(["pe-gen", "info", str(table)], 2, "PE_MEMORY", PE_MEMORY=odd)
           for odd in ("1", "G", "-1G", "0M", "1.5G", "9999999999999T", "1G ", "all")},
        **{f"PE_WAIT={odd} is refused": lambda odd=odd: run(["pe-gen", "info", str(table)], 2, "PE_WAIT", PE_WAIT=odd) for odd in ("-1", "x", "nan", "1e300")},
        "a slow pipe on standard input is waited for": lambda: piped(["pe-gen", "info", "FILE"], False),
        "a slow pipe that the shell set up is waited for": lambda: piped(["pe-gen", "info", "FILE"], True),
        "a FIFO that never comes to its end is left": dribbled,
        **{f"a FIFO that nobody reads is left: {name}": lambda words=words, name=name, reader=reader: written(words.split(), name, 2, "PE_WAIT", reader)
           for words, name, reader in unread},
        "a FIFO that nobody reads is left: pe-analyze": lambda: written("pe-analyze decay rope --dim 64".split(), "decay.csv", 2, "PE_WAIT"),
        "a FIFO whose reader comes late, and takes its time, gets all":
            lambda: written(vllm, "late.npy", 0, reader='sleep 0.2; { for i in 1 2 3 4 5; do dd bs=65536 count=1 iflag=fullblock 2>/dev/null; sleep 0.2; done; cat; } <"$0" | wc -c'),
    }.items():
        if is_wanted(name):
            yield name, ask()

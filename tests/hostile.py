#!/usr/bin/env python3
# Holds pe-verify to its exit codes on arrays that nobody means: every law, check and identify on zeros, NaN, 1e308 and the like.
"""hostile.py --bin FOLDER [--only REGEX] [--share I/N] [--seed N] [--seconds S]

Each array is given to `check` and to every law of its kind, and to identify. Whatever it holds: the exit code is 0, 1 or 2, the JSON
report says the same one, 0 comes with a verdict on stdout, 2 with a line on stderr or in the report, and nothing takes longer than ten seconds, or S,
as a build with sanitizers does, which must have nothing to say either.
The last line reads "N passed, N failed".
"""
import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy as np

import share

# kind of effect → encodings whose dumps it is, the flags that they need, the shape of each array of a dump
KINDS = {
    "table": (("learned", "--dim 8"), ("sinusoidal", "--dim 8"), (65, 8), 1),
    "rotation": (("rope", "--dim 8"), ("xpos", "--dim 8"), (64, 4), 2),
    "bias": (("alibi", "--heads 2"), ("t5", "--heads 2"), (2, 24, 24), 1),
    "relative": (("shaw", "--clip 4"), ("deberta", ""), (24, 24), 1),
}
# encodings that are made of tensors, their kind, and the flags before a table's name
OWNERS = (("learned", "table", "--length 65 --input"), ("tupe", "bias", "--length 24 --table"), ("t5", "bias", "--length 24 --num-buckets 65 --weights"),
          ("shaw", "relative", "--length 24 --max-distance 32 --seed 1 --keys"))


def arrays(shape, seed):
    """(name, array): what no encoding makes."""
    r = np.random.default_rng(seed)
    one = r.normal(size=shape)
    yield "zeros", np.zeros(shape, "f4")
    yield "negative zeros", np.full(shape, -0.0, "f8")
    yield "ones", np.ones(shape, "f8")
    yield "1e308", np.full(shape, 1e308)
    yield "signs of 1e308", np.where(one > 0, 1e308, -1e308)
    yield "denormals", one * 5e-324
    yield "small f32 denormals", (one * 1e-45).astype("f4")
    yield "1e-30 beside 1e308", np.where(np.arange(one.size).reshape(shape) % 7 == 0, 1e308, 1e-30)
    rows = np.arange(shape[-2])[:, None] + np.zeros(shape)
    yield "rows of 1e-30 beside rows of 1e308", np.where(rows < 20, 1e-30, 1e308)
    yield "rows that grow", 10.0 ** (rows * 600 / shape[-2] - 300)
    yield "2^63", np.full(shape, 2.0 ** 63)
    yield "NaN", np.full(shape, np.nan, "f4")
    yield "inf", np.full(shape, np.inf)
    yield "inf and -inf", np.where(one > 0, np.inf, -np.inf).astype("f2")
    for name, value in (("one NaN", np.nan), ("one inf", np.inf), ("one 1e308", 1e308)):
        spoilt = one.copy()
        spoilt[tuple(n // 2 for n in shape)] = value
        yield name, spoilt
    half = one.copy()
    half[..., 1::2, :] = 0
    yield "every second row zero", half.astype("f4")
    yield "constant rows", np.broadcast_to(one[..., :1, :], shape).copy()
    yield "rank 1", (one[..., :1] * one[..., :1, :]).astype("f8")
    yield "one row", one[..., :1, :]
    yield "one column", one[..., :1]
    yield "no rows", one[..., :0, :]
    yield "no columns", one[..., :0]
    yield "largest integers", np.full(shape, np.iinfo("i8").max)
    yield "least integers", np.full(shape, np.iinfo("i8").min)
    yield "unsigned integers", np.full(shape, np.iinfo("u8").max)
    yield "odd bits", r.integers(0, 2 ** 64, size=shape, dtype="u8").view("f8")

RAW = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]|^ *::", re.MULTILINE)
FAULT = re.compile(r"a crash, which is a fault|ended the program|ERROR: \w+Sanitizer|runtime error: ")  # our own: no answer with exit code 2
NAMES = ("\x1b[31mred","\x1b[2J\x1b]0;x\x07", "a\n::error::b", "\r\n::error file=x::y", "=cmd|' /C calc'!A0", "'; touch x; '", "\u202egnp.exe", "x" * 1_000_000, "\0\x85\x9b31m", "%0A::error::")


def write_named(path, kind, name):
    """A file that gives an array, a key or a check this name."""
    table = np.random.default_rng(0).normal(size=(65, 8)).astype("f4")
    if kind == "npz":
        with zipfile.ZipFile(path, "w") as archive:
            for member in (name[:60_000], "other"):
                with archive.open(member + ".npy", "w") as file:
                    np.lib.format.write_array(file, table)
    elif kind == "safetensors":
        entries = {key: {"dtype": "F32", "shape": list(table.shape), "data_offsets": [i * table.nbytes, (i + 1) * table.nbytes]}
                   for i, key in enumerate((name, "other"))}
        header = json.dumps(entries).encode()
        path.write_bytes(len(header).to_bytes(8, "little") + header + 2 * table.tobytes())
    elif kind == "csv":
        quoted = '"' + name.replace('"', '""') + '"'
        path.write_text(f"{quoted},{quoted}\n1,{quoted}\n2,3\n")
    else:
        check = {"name": name, "encoding": "learned", "file": "other.npy", "parameters": {"dim": name}}
        path.write_text(json.dumps({"model_type": name, "rope_scaling": {"rope_type": name, name: 1}, name: name, "schema_version": 1, "checks": [check]}))


@functools.cache
def laws_of(tool, kind):
    """The laws that say something about the kind."""
    listed = json.loads(subprocess.run([tool, "list", "properties", "--json"], capture_output=True, text=True, check=True).stdout)
    return [law["name"] for law in listed["properties"] if law["kind"] == "any" or kind in law["kind"]]


def shown_by_info(tool, folder, seconds):
    """Why pe-gen info of a file with an odd name in it breaks a promise, for each file and form; or ""."""
    for number, name in enumerate(NAMES):
        for kind in ("npz", "safetensors", "json"):
            path = folder / f"info-{number}.{kind}"
            write_named(path, kind, name)
            for more in ([], ["--json"]):
                done = subprocess.run([tool, "info", str(path), *more], capture_output=True, text=True, errors="replace", timeout=seconds)
                odd = RAW.search(done.stdout + "\n" + done.stderr)
                long = not more and max(map(len, done.stdout.split("\n"))) > 5_000
                yield (f"info {kind} of odd name {number} {' '.join(more)}",
                       f"says {odd[0]!r} raw" if odd else "says a line of more than 5000 characters" if long else "")


def what_is_wrong(tool, words, folder, number, seconds):
    """Why the run breaks a promise, or ""."""
    report = folder / f"{number}.json"
    try:
        done = subprocess.run([tool, *words, "--report", str(report)], capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"takes longer than {seconds} s"
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    if done.returncode not in (0, 1, 2):
        return f"exit {done.returncode}: {err[:200]}"
    if fault := FAULT.search(err):
        return f"says {fault[0]!r}"
    if len(out) > 100_000 or len(err) > 5_000:
        return f"says {len(out)} and {len(err)} characters"
    if odd := RAW.search(out + "\n" + err):
        return f"says {odd[0]!r} raw"
    if report.exists() and (odd := RAW.search(report.read_text())):
        return f"{odd[0]!r} is raw in its report"
    if not report.exists():
        return "" if done.returncode == 2 and err else f"exit {done.returncode} without a report: {(out + err)[:200]}"
    told = json.loads(report.read_text())
    report.unlink()
    said = told["exit_code"] if "exit_code" in told else int(not (told["equal"] if "equal" in told else told["identified"]))
    if said != done.returncode:
        return f"exit {done.returncode}, but the report says {said}"
    if done.returncode < 2 and not out:
        return f"exit {done.returncode} and nothing on stdout"
    if done.returncode == 2 and not (err or out):
        return "exit 2 without a word"
    return ""


def cases(tool, folder, seed):
    """(name, words of the command line)."""
    for kind, (*encodings, shape, files) in KINDS.items():
        laws = laws_of(tool, kind)
        for name, array in arrays(shape, seed):
            paths = [folder / f"{kind}-{name.replace(' ', '-')}-{part}.npy" for part in range(files)]
            for part, path in enumerate(paths):
                np.save(path, array[::-1] if part else array)
            given = [word for path in paths for word in ("--file", str(path))]
            for place, (encoding, flags) in enumerate(encodings):
                for law in ["check", *laws] if place == 0 else ["check"]:
                    yield f"{law} {encoding}: {name}", [law, encoding, *flags.split(), *given]
            yield f"identify {kind}: {name}", ["identify", *given]
            if kind == "table":
                zeros = folder / "table-zeros-0.npy"
                yield f"check learned's zeros: {name}", ["check", "learned", "--length", "65", "--input", str(zeros), *given]
            for owner, of, flags in OWNERS if kind == "table" else ():
                for law in ["check", *laws_of(tool, of)]:
                    yield f"{law} {owner}'s own: {name}", [law, owner, *flags.split(), str(paths[0])]
    # Vectors before and after, as wide as the heads that are meant, wider and narrower.
    before = folder / "vectors-before.npy"
    np.save(before, np.random.default_rng(seed).normal(size=(24, 32)))
    for name, array in arrays((24, 32), seed):
        after = folder / f"vectors-{name.replace(' ', '-')}.npy"
        np.save(after, array)
        for words in ("rope --dim 32", "rope --dim 64", "rope --dim 256", "rope --dim 8", "xpos --dim 64", "mrope --dim 64 --sections 8,12,12"):
            for first in (before, after):
                yield f"check {words} of vectors: {name}", ["check", *words.split(), "--before", str(first), "--file", str(after)]
        yield f"identify vectors: {name}", ["identify", "--before", str(after), str(after)]
    for number, name in enumerate(NAMES):
        for kind in ("npz", "safetensors", "csv", "json"):
            path = folder / f"names-{number}.{kind}"
            write_named(path, kind, name)
            for words in (["check", "learned", "--dim", "8", "--file", f"{path}"], ["identify", f"{path}"], ["check", "rope", "--dim", "8", "--file", f"{path}:{name[:99]}"],
                          ["compare", f"{path}", f"{path}"], ["check", "rope", "--config", f"{path}"], ["run", f"{path}"]):
                yield f"{words[0]} {kind} of odd name {number}", [word.replace("\0", "") for word in words]
    for std in ("0", "1e-45", "1e300"):
        yield f"check learned: std {std}", f"check learned --init normal --std {std} --seed 1 --dim 8 --length 64".split()


def manifest_is_wrong(tool, folder, seed, seconds):
    """Why a manifest of all the dumps, one known to be wrong among them, loses any of them."""
    checks = [{"name": "known failure", "encoding": "sinusoidal", "parameters": {"dim": 8}, "file": str(folder / "table-ones-0.npy")}]
    for kind, (*encodings, shape, files) in KINDS.items():
        for name, _ in arrays(shape, seed):
            paths = [str(folder / f"{kind}-{name.replace(' ', '-')}-{part}.npy") for part in range(files)]
            for encoding, flags in encodings:
                words = flags.replace("--", "").split()
                checks.append({"name": f"{encoding}: {name}", "encoding": encoding, "file": paths, "parameters": dict(zip(words[::2], words[1::2]))})
    (folder / "manifest.json").write_text(json.dumps({"schema_version": 1, "checks": checks}))
    reports = [word for suffix in ("json", "xml", "csv", "h5") for word in ("--report", str(folder / f"all.{suffix}"))]
    done = subprocess.run([tool, "run", str(folder / "manifest.json"), *reports], capture_output=True, text=True, timeout=6 * seconds)
    if done.returncode != 1:
        return f"exit {done.returncode}: {done.stderr[:300]}"
    told = json.loads((folder / "all.json").read_text())["checks"]
    if [check["name"] for check in told] != [check["name"] for check in checks] or told[0]["outcome"] != "failed":
        return f"{len(told)} of {len(checks)} checks are reported"
    return ""


def killed_is_wrong(tool, folder):
    """A run that is killed in its first check leaves a report that says so, and none of an earlier run."""
    report = folder / "killed.json"
    report.write_text('{"exit_code": 0, "checks": []}')
    checks = [{"name": str(n), "encoding": "sinusoidal", "parameters": {"dim": "1024"}, "length": 400000} for n in range(2)]
    (folder / "long.json").write_text(json.dumps({"schema_version": 1, "checks": checks}))
    with subprocess.Popen([tool, "run", folder / "long.json", "--jobs", "1", "--report", report], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        until = time.monotonic() + 5
        while run.poll() is None and time.monotonic() < until and json.loads(report.read_text())["exit_code"] == 0:
            time.sleep(0.02)
        if run.poll() is not None:
            return f"it ended by itself, exit {run.returncode}"
        run.kill()
    told = json.loads(report.read_text())
    untold = [check["name"] for check in told["checks"] if "did not end" in check.get("error", "")]
    return "" if told["exit_code"] == 2 and untold == ["0", "1"] else f"exit_code {told['exit_code']}, not ended: {untold}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="", help="cases whose name matches")
    parser.add_argument("--seed", type=int, default=0)
    share.add_option(parser)
    parser.add_argument("--seconds", type=float, default=10, help="that each may take")
    options = parser.parse_args()
    tool, passed, failed, is_wanted = options.bin / "pe-verify", 0, 0, share.chooser(options)
    with tempfile.TemporaryDirectory(prefix="pe-hostile-") as scratch:
        folder = pathlib.Path(scratch)
        wanted = [(name, words) for name, words in cases(tool, folder, options.seed) if is_wanted(name)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda case: what_is_wrong(tool, case[1][1], folder, case[0], options.seconds), enumerate(wanted))
            for (name, words), wrong in zip(wanted, results):
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if wrong:
                    print(f"FAIL {name}: {wrong}\n     {' '.join(words)}")
        for name, wrong in shown_by_info(options.bin / "pe-gen", folder, options.seconds) if re.search(options.only, "info") else ():
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print(f"FAIL {name}: {wrong}")
        for name, judge in (("manifest", lambda: manifest_is_wrong(tool, folder, options.seed, options.seconds)), ("killed", lambda: killed_is_wrong(tool, folder))):
            if re.search(options.only, name):
                wrong = judge()
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if wrong:
                    print(f"FAIL {name}: {wrong}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

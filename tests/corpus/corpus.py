#!/usr/bin/env python3
# Judges the verifier: dumps made by other code than its own, sound and spoilt, and what it says of them.
"""Writes dumps and manifests into a scratch folder, batch by batch, lets `pe-verify run` judge them, and prints the confusion
matrix: for every cause that was made, the causes that were named first. The last line reads "N passed, N failed"."""
import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import interpreter  # noqa: E402

interpreter.need("numpy", "h5py")
import axes_cases  # noqa: E402
import bias_cases  # noqa: E402
import case  # noqa: E402
import containers  # noqa: E402
import gpu_cases  # noqa: E402
import identifying  # noqa: E402
import mrope  # noqa: E402
import outcome  # noqa: E402
import rope_cases  # noqa: E402
import rope_clean  # noqa: E402
import rope_special  # noqa: E402
import selfcheck  # noqa: E402
import tables_cases  # noqa: E402
import vectors  # noqa: E402
import xpos_cases  # noqa: E402

BATCH_BYTES, BATCH_CASES = 150 << 20, 250
KNOWN = {}  # name of a case → why its data cannot tell


def every_case(folder):
    """folder: for the weights that a check's parameters name."""
    for module in (rope_cases, rope_special, vectors, mrope, axes_cases, xpos_cases, gpu_cases):
        yield from module.spoilt()
    for module in (bias_cases, tables_cases):
        yield from module.spoilt(folder)
    for module in (rope_clean, vectors, mrope, axes_cases, xpos_cases, gpu_cases):
        yield from module.clean()
    for module in (bias_cases, tables_cases):
        yield from module.clean(folder)


def write(folder, number, one):
    """Writes the dump; the manifest's entry."""
    built = one.build()
    stem = f"{number:04d}"
    kind = case.container_for(built.named, built.dtype, one.container)
    file, more = containers.write(folder, stem, kind, built.named, built.dtype)
    check = {"name": f"{one.name} | {built.dtype} {kind}", **one.check, **built.check, **more, "file": file}
    if built.before:
        check["before"], _ = containers.write(folder, stem + "-before", kind, built.before, built.dtype)
    return check


def run(tool, folder, checks):
    """What the verifier says, by name; and what it printed where there is no report."""
    manifest, report = folder / "manifest.json", folder / "report.json"
    manifest.write_text(json.dumps({"schema_version": 1, "checks": checks}, indent=1))
    done = subprocess.run([tool, "run", str(manifest), "--report", str(report)], capture_output=True, text=True)
    if not report.exists():
        return {}, f"exit {done.returncode}: {done.stderr.strip()[-400:]}"
    return {c["name"]: c for c in json.loads(report.read_text())["checks"]}, ""


def batches(cases, folder):
    """(cases, checks) until the files or the cases are enough."""
    ones, checks = [], []
    for number, one in enumerate(cases):
        ones.append(one)
        checks.append(write(folder, number, one))
        if len(ones) >= BATCH_CASES or sum(f.stat().st_size for f in folder.iterdir()) > BATCH_BYTES:
            yield ones, checks
            ones, checks = [], []
    if ones:
        yield ones, checks


def judge(tool, cases, folder, keep):
    matrix, counts, misses, seconds = collections.defaultdict(collections.Counter), collections.Counter(), [], []
    for number, (ones, checks) in enumerate(batches(cases, folder)):
        answers, trouble = run(tool, folder, checks)
        if trouble:
            print(f"batch {number}: {trouble}")
        for one, check in zip(ones, checks):
            answer = answers.get(check["name"])
            matrix[one.made][outcome.word(one, answer)] += 1
            seconds.append(((answer or {}).get("seconds", 0), check["name"]))
            kind = outcome.judged(one, answer)
            counts["known" if kind != "right" and one.name in KNOWN else kind] += 1
            if kind != "right" and one.name not in KNOWN:
                misses.append(f"{kind}: {check['name']}: {outcome.said(one, answer)}")
        for path in folder.iterdir():
            if keep:
                shutil.copy(path, keep / (f"{number}-{path.name}" if path.suffix == ".json" else path.name))
            path.unlink()
    print("slowest: " + "; ".join(f"{t:.1f} s {name}" for t, name in sorted(seconds, reverse=True)[:3]))
    return matrix, misses, counts


def show(matrix):
    for made in sorted(matrix):
        row = matrix[made]
        print(f"{made:<52} {sum(row.values()):4d}: " + ", ".join(f"{word} {n}" for word, n in row.most_common()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "dev" / "cmd", help="folder of pe-verify")
    parser.add_argument("--only", metavar="REGEX", default="", help="cases whose name matches")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep dumps, manifests and reports here")
    parser.add_argument("--identify", action="store_true", help="ask of each sound dump what it is, with nothing said")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another assortment of dtypes, layouts, lengths and containers")
    parser.add_argument("--self-check", action="store_true", help="hold the corpus to itself, without a verifier")
    options = parser.parse_args()
    start = time.monotonic()
    case.Cycle.seed = options.seed
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pe-corpus-") as name:
        folder = pathlib.Path(name)
        cases = [c for c in every_case(folder) if re.search(options.only, c.name)]
        spoilt = sum(bool(c.causes) for c in cases)
        print(f"{spoilt} spoilt and {len(cases) - spoilt} sound dumps, {len({c.made for c in cases})} rows")
        if options.self_check:
            faults = list(selfcheck.cases(cases)) + list(selfcheck.against_mpmath())
            print("\n".join(faults))
            passed, failed = len(cases) - len(faults), len(faults)
        elif options.identify:
            sound = [c for c in cases if not c.causes]
            passed, failed = identifying.judge(options.bin / "pe-verify", sound, folder, write, identifying.untold)
        else:
            tool = options.bin / "pe-verify"
            matrix, misses, counts = judge(tool, cases, folder, options.keep)
            show(matrix)
            print("\n".join(["", *misses]))
            print(outcome.line(counts))
            passed, failed = counts["right"], len(misses)
            if counts["known"]:
                print(f"{counts['known']} known misses: " + "; ".join(sorted(set(KNOWN.values()))))
    print(f"{time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

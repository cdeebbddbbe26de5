# Cases as files and manifests, batch by batch, and what `pe-verify run` says of them.
import json
import os
import shutil
import subprocess

import case
import containers

BATCH_BYTES, BATCH_CASES = 150 << 20, 250
anonymous = False  # every file x.npy, every array x, y, … in a folder of its own
jobs = None  # of `pe-verify run`; none: its own choice


def nameless(named):
    return [("xyzuvw"[i], a) for i, (_, a) in enumerate(named)]


def arrays(folder, stem, kind, named, dtype):
    if not anonymous:
        return containers.write(folder, stem, kind, named, dtype)
    (folder / stem).mkdir()
    file, more = containers.write(folder / stem, "", kind, nameless(named), dtype)
    return ([f"{stem}/{f}" for f in file] if isinstance(file, list) else f"{stem}/{file}"), more


def write(folder, number, one):
    """Writes the dump; the manifest's entry."""
    built = one.build()
    stem = f"{number:04d}"
    kind = case.container_for(built.named, built.dtype, one.container)
    file, more = arrays(folder, stem, kind, built.named, built.dtype)
    check = {"name": f"{one.name} | {built.dtype} {kind}", **one.check, **built.check, **more, "file": file}
    if built.before:
        check["before"], _ = arrays(folder, stem + "-before", kind, built.before, built.dtype)
    return check


def run(tool, folder, checks):
    """What the verifier says, by name; and what it printed where there is no report."""
    manifest, report = folder / "manifest.json", folder / "report.json"
    manifest.write_text(json.dumps({"schema_version": 1, "checks": checks}, indent=1))
    done = subprocess.run([tool, "run", str(manifest), "--report", str(report), *([] if jobs is None else ["--jobs", str(jobs)])], capture_output=True, text=True)
    if not report.exists():
        return {}, f"exit {done.returncode}: {done.stderr.strip()[-400:]}"
    answers = {c["name"]: c for c in json.loads(report.read_text())["checks"]}
    if any("the run did not end" in c.get("error", "") for c in answers.values()):
        print(f"a run did not end: exit {done.returncode}: {done.stderr.strip()[-400:]}", flush=True)
    return answers, ""


def size_of(path):
    return sum(map(size_of, path.iterdir())) if path.is_dir() else path.stat().st_size


def batches(cases, folder):
    """(cases, checks) until the files or the cases are enough."""
    ones, checks, known, size = [], [], set(), 0
    for number, one in enumerate(cases):
        ones.append(one)
        checks.append(write(folder, number, one))
        there = set(os.listdir(folder))
        size += sum(size_of(folder / name) for name in there - known)
        known = there
        if len(ones) >= BATCH_CASES or size > BATCH_BYTES:
            yield ones, checks
            ones, checks, known, size = [], [], set(), 0
    if ones:
        yield ones, checks


def clear(folder, number, keep):
    for path in folder.iterdir():
        if keep:
            to = keep / (f"{number}-{path.name}" if path.suffix == ".json" else path.name)
            shutil.copytree(path, to, dirs_exist_ok=True) if path.is_dir() else shutil.copy(path, to)
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def answers(tool, cases, folder, keep=None):
    """(case, check, what the verifier says) of every case."""
    for number, (ones, checks) in enumerate(batches(cases, folder)):
        told, trouble = run(tool, folder, checks)
        if trouble:
            print(f"batch {number}: {trouble}")
        for one, check in zip(ones, checks):
            yield one, check, told.get(check["name"])
        clear(folder, number, keep)

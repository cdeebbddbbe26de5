# The source as it is packed, and golden values of a few models.
import hashlib
import os
import subprocess
import tarfile
import zipfile

import deb
from install import ROOT, said

MODELS = ["llama-3.1-8b", "bloom-176b", "t5-v1.1-xxl"]  # turns, a bias, buckets


def the_source_is_whole(place):
    out = place.scratch / "source"
    if not (ROOT / ".git").exists():
        print("no git here: no source was packed")
        return
    done = subprocess.run([ROOT / "scripts/package", "source", "--out", out], capture_output=True, text=True, timeout=60)
    changed = said("git", "-c", "safe.directory=*", "-C", ROOT, "status", "--porcelain", "--untracked-files=no")
    if changed:
        assert done.returncode == 2 and "has changes" in done.stderr, done
        return
    assert done.returncode == 0 and not done.stderr, done
    name = f"pe-{deb.version()}"
    with tarfile.open(out / f"{name}.tar.gz") as archive:
        packed = {m.name.removeprefix(f"{name}/") for m in archive.getmembers() if m.isfile()}
        commit = archive.extractfile(f"{name}/COMMIT").read().decode()
        archive.extractall(place.scratch, members=[m for m in archive.getmembers() if "/cmd/" in m.name or m.name.endswith("COMMIT")])
    tracked = set(said("git", "-c", "safe.directory=*", "-C", ROOT, "ls-files").splitlines())
    assert packed == tracked | {"COMMIT"}, packed ^ tracked
    said("cmake", "-D", f"SOURCE={place.scratch / name}", "-D", f"OUT={place.scratch}/commit.inc", "-P", place.scratch / name / "cmd/commit.cmake")
    assert (place.scratch / "commit.inc").read_text() == f'"{commit}"\n'


def goldens_pass_and_are_the_same_twice(place):
    sums = []
    for out in (place.scratch / "once", place.scratch / "twice"):
        out.mkdir()
        said("python3", "-B", ROOT / "scripts/goldens.py", "--bin", place.bin, "--out", out, *(w for m in MODELS for w in ("--only", m)), env=dict(os.environ))
        packed = next(out.glob("pe-goldens-*.zip"))
        sums.append(hashlib.sha256(packed.read_bytes()).hexdigest())
    assert sums[0] == sums[1]
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(place.scratch / "goldens")
    folder = next((place.scratch / "goldens").iterdir())
    said("sha256sum", "--quiet", "-c", "SHA256SUMS", cwd=folder)
    assert "0 failed, 0 untold" in place.said("pe-verify", "run", folder / "manifest.json")
    assert len((folder / "SHA256SUMS").read_text().splitlines()) == len([p for p in folder.rglob("*") if p.is_file()]) - 1


def goldens_refuse_nonsense(place):
    for words in (["--bin", place.bin, "--out", place.scratch, "--only", "no such model"], ["--bin", place.scratch, "--out", place.scratch]):
        done = subprocess.run(["python3", "-B", ROOT / "scripts/goldens.py", *map(str, words)], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done


CHECKS = [the_source_is_whole, goldens_pass_and_are_the_same_twice, goldens_refuse_nonsense]

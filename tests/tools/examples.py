#!/usr/bin/env python3
# Runs every example that a --help page prints, as it is printed.
"""Pages: each tool, each encoding of pe-gen and pe-apply, each law and each quantity with each encoding that it has a
meaning for, and the other commands. The commands of a page run one after another in a fresh folder, in which lie the
files that examples speak of (config.json, tensors, dumps), made by pe-gen and pe-apply for the page's encoding. Each ends
with 0; a law, a check and an identification may end with 1, which their pages document. No page is wider than 100
columns, but for a command.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDEST = 100
MAY_FAIL = {"pe-verify"}


def run(command, folder, tools):
    environment = {"PATH": f"{tools}{os.pathsep}{ROOT / 'scripts'}{os.pathsep}/usr/bin{os.pathsep}/bin", "HOME": folder,
                   "LC_ALL": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "MPLCONFIGDIR": folder}
    return subprocess.run(["/bin/bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


def pages(tools):
    """(words of the page, encoding that it is of)."""
    listed = json.loads(subprocess.run([tools / "pe-gen", "list", "--json"], capture_output=True, check=True).stdout)
    encodings = {row["name"]: row["kind"] for row in listed["encodings"]}
    for tool in ["pe-gen", "pe-apply", "pe-verify", "pe-analyze"]:
        yield [tool], "rope"
        yield [tool, "list"], "rope"
    for name in encodings:
        yield ["pe-gen", name], name
        yield ["pe-apply", name], name
        yield ["pe-verify", "check", name], name
    for law in listed["properties"]:
        for name, kind in encodings.items():
            if law["kind"] == "any" or kind in law["kind"].split(", "):
                yield ["pe-verify", law["name"], name], name
    for quantity in listed["quantities"]:
        subjects = quantity["kind"].split()
        for name, kind in encodings.items():
            if {"any", kind, name} & set(subjects):
                yield ["pe-analyze", quantity["name"], name], name
    for command in ["run", "compare", "identify"]:
        yield ["pe-verify", command], "rope"
    yield ["pe-verify", "dialects", "rope"], "rope"
    yield ["pe-gen", "info"], "rope"


def examples(page):
    lines = page.split("\n")
    if "EXAMPLES" not in lines:
        return []
    start = lines.index("EXAMPLES") + 1
    found = []
    for line in lines[start:]:
        if not line.startswith("  "):
            break
        found.append(line.strip())
    return found


def prepared(folder, encoding, tools):
    """The files that examples speak of."""
    shutil.copy(ROOT / "data/models/llama-3.1-8b.json", folder / "config.json")
    listed = subprocess.run([tools / "pe-gen", "list", "encodings", "--json"], capture_output=True, check=True).stdout
    example = next(row["example"] for row in json.loads(listed)["encodings"] if row["name"] == encoding)
    kept = [word for word in example.split("--fields")[0].split()]
    commands = [f"pe-gen {' '.join(kept)} -o dump.npz",
                f"pe-apply {encoding} --random 1,4,16,64 --seed 1 --fields q,k,v -o a.npz",
                "pe-apply rope --random 1,4,16,64 --seed 1 --fields q,q_out -o turned.npz"]
    for name in "qkv":
        commands.append(f"python3 -c \"import numpy; numpy.save('{name}.npy', numpy.load('a.npz')['{name}'])\"")
    commands += ["pe-gen rope --length 64 -o r.npz",
                 "python3 -c \"import numpy; r = numpy.load('r.npz'); numpy.save('cos.npy', r['cos']); "
                 "numpy.save('sin.npy', r['sin']); numpy.save('cos_sin_cache.npy', numpy.hstack([r['cos'], r['sin']])); "
                 "a = numpy.load('turned.npz'); numpy.save('q_before.npy', a['q']); numpy.save('q_after.npy', a['q_out'])\"",
                 "cp r.npz ours.npz", "cp r.npz theirs.npz"]
    for command in commands:
        run(command, folder, tools)


def faults(words, encoding, tools):
    found = []
    page = subprocess.run([tools / words[0], *words[1:], "--help"], capture_output=True, text=True, check=False)
    if page.returncode or not page.stdout:
        return [f"{' '.join(words)} --help: exit code {page.returncode}: {page.stderr}"]
    for line in page.stdout.split("\n"):
        if len(line) > WIDEST and not line.startswith("  pe-"):
            found.append(f"{' '.join(words)} --help: {len(line)} columns: {line}")
    commands = examples(page.stdout)
    if not commands:
        found.append(f"{' '.join(words)} --help: no examples")
    with tempfile.TemporaryDirectory() as folder:
        if any(any(name in command for name in [".npy", ".npz", "config.json"]) for command in commands):
            prepared(pathlib.Path(folder), encoding, tools)
        for command in commands:
            try:
                done = run(command, folder, tools)
            except subprocess.TimeoutExpired:
                found.append(f"{command}\n  takes more than two minutes")
                continue
            may_fail = command.split()[0] in MAY_FAIL and done.returncode == 1 and not done.stderr
            if done.returncode and not may_fail:
                found.append(f"{command}\n  exit code {done.returncode}: {done.stderr.strip()}")
    return found


def main():
    parser = argparse.ArgumentParser(description="Runs the examples of every --help.")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/cmd", help="folder of the tools")
    parser.add_argument("--only", default="", help="pages whose words hold this text")
    parser.add_argument("--deal", type=int, default=0, help="how many pages of laws and quantities; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of that choice")
    arguments = parser.parse_args()
    tools = arguments.bin.resolve()
    every = [(words, encoding) for words, encoding in pages(tools) if arguments.only in " ".join(words)]
    always = [page for page in every if len(page[0]) < 3 or page[0][1] == "check"]
    others = [page for page in every if page not in always]
    if arguments.deal and arguments.deal < len(others):
        others = random.Random(arguments.seed).sample(others, arguments.deal)
    cases, failed = always + others, 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda case: faults(*case, tools), cases):
            failed += bool(found)
            for fault in found:
                print(fault)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())

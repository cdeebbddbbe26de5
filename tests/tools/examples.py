#!/usr/bin/env python3
# Runs every example that a --help page prints, as it is printed.
"""Pages: each tool, each encoding of pe-gen and pe-apply, each law with each encoding, each quantity with each that it has
a meaning for, and the other commands. The commands of a page run one after another in a fresh folder, in which lie the
files that they speak of and do not make themselves. Each ends with 0; a law or a check may end with 1, which its page
documents. No page is wider than 100 columns, but for a command.

  tests/tools/examples.py --bin build/dev/cmd [--only TEXT] [--deal N --seed S]"""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDEST = 100
MUST_HOLD = {"run", "merge", "compare", "identify", "serve", "dialects", "list"}


def run(command, folder, tools):
    environment = {"PATH": f"{tools}{os.pathsep}{ROOT / 'scripts'}{os.pathsep}/usr/bin{os.pathsep}/bin", "HOME": folder,
                   "LC_ALL": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "MPLCONFIGDIR": folder}
    return subprocess.run(["/bin/bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


def pages(listed):
    """The words that each page is of."""
    encodings = {row["name"]: row["kind"] for row in listed["encodings"]}
    for tool in ["pe-gen", "pe-apply", "pe-verify", "pe-analyze"]:
        yield [tool]
        yield [tool, "list"]
    for name in encodings:
        yield ["pe-gen", name]
        yield ["pe-apply", name]
        yield ["pe-verify", "check", name]
    for command in ["run", "merge", "compare", "identify", "serve"]:
        yield ["pe-verify", command]
    yield ["pe-verify", "dialects", "rope"]
    yield ["pe-gen", "info"]
    yield ["pe-analyze", "published"]
    for law in listed["properties"]:
        for name in encodings:
            yield ["pe-verify", law["name"], name]
    for quantity in listed["quantities"]:
        subjects = quantity["kind"].split()
        for name, kind in encodings.items():
            if {"any", kind, name} & set(subjects):
                yield ["pe-analyze", quantity["name"], name]


def examples(page):
    lines = page.split("\n")
    if "EXAMPLES" not in lines:
        return []
    start = lines.index("EXAMPLES") + 1
    return [line.strip() for line in itertools.takewhile(lambda line: line.startswith("  "), lines[start:])]


# What makes the files that examples speak of and no example makes. The first are those that pages of an encoding tell
# of: tensors of 4 heads, 16 tokens and 64 channels, and trained numbers of the shapes that the options' help gives.
TENSORS = {"q": (1, 4, 16, 64), "k": (1, 4, 16, 64), "v": (1, 4, 16, 64), "weights": (32, 4), "keys": (33, 64), "values": (33, 64),
           "position-keys": (512, 64), "position-queries": (512, 64), "x-weights": (64, 4), "y-weights": (64, 4), "row-vectors": (7, 64), "column-vectors": (7, 64)}
RECIPES = {
    "config.json": f"cp {ROOT}/data/models/llama-3.1-8b.json config.json",
    **{f"{name}.npy": f"python3 -c 'import numpy; numpy.save(\"{name}.npy\", numpy.random.default_rng(1).standard_normal({shape}, \"f4\"))'"
       for name, shape in TENSORS.items()},
    "boxes.npy": "python3 -c 'import numpy; numpy.save(\"boxes.npy\", numpy.random.default_rng(1).integers(0, 1000, (16, 4)))'",
    "cos.npy": "pe-gen rope --model llama-3.1-8b --length 131072 --fields cos -o cos.npy",
    "sin.npy": "pe-gen rope --model llama-3.1-8b --length 131072 --fields sin -o sin.npy",
    "cache.npy": "pe-gen rope --model llama-3.1-8b --dialect vllm -o cache.npy",
    "cos_sin_cache.npy": "pe-gen rope --length 64 --dialect vllm -o cos_sin_cache.npy",
    "q_before.npy": "pe-apply rope --random 1,4,16,64 --fields q -o q_before.npy",
    "q_after.npy": "pe-apply rope --random 1,4,16,64 --fields q_out -o q_after.npy",
    "ours.h5": "pe-gen alibi -o ours.h5",
    "ours.npy": "pe-gen alibi -o ours.npy",
    "theirs.npy": "pe-gen alibi -o theirs.npy",
    "ours.npz": "pe-gen rope --dim 64 -o ours.npz",
    "theirs.npz": "pe-gen rope --dim 64 -o theirs.npz",
    # The bug that the page of `run` says is known, in the encoding that it says.
    "dump.npz": "pe-gen rope --dim 64 --base 500000 -o dump.npz",
}


def prepare(commands, page, folder, tools):
    """Makes the files that the commands read, and the manifest that the page of `run` shows; what went wrong with it."""
    read, made = [], set()
    for command in commands:
        wrote = set(re.findall(r"(?:-o|--report) (\S+)", command))
        read += [name for name in re.findall(r"[\w-]+\.(?:npy|npz|h5|json)", command) if name not in made | wrote]
        made |= wrote
    if "manifest.json" in read:
        shown = page if "schema_version" in page else run("pe-verify run --help", folder, tools).stdout
        text = shown[shown.index('{"schema_version"'):]
        manifest, _ = json.JSONDecoder().raw_decode(text)
        (folder / "manifest.json").write_text(json.dumps(manifest))
        for check in manifest["checks"]:
            files = check.get("file", [])
            read += [name.split(":")[0] for name in ([files] if isinstance(files, str) else files)]
    found = []
    for name in dict.fromkeys(read):
        if name == "manifest.json":
            continue
        if name not in RECIPES:
            found.append(f"{name} is spoken of and nothing here makes it")
            continue
        done = run(RECIPES[name], folder, tools)
        if done.returncode:
            found.append(f"{RECIPES[name]}\n  exit code {done.returncode}: {done.stderr.strip()}")
    return found


def faults(words, tools):
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
        found += prepare(commands, page.stdout, pathlib.Path(folder), tools)
        for command in commands:
            try:
                done = run(command, folder, tools)
            except subprocess.TimeoutExpired:
                found.append(f"{command}\n  takes more than two minutes")
                continue
            judges = command.startswith("pe-verify") and command.split()[1] not in MUST_HOLD
            if done.returncode and not (judges and done.returncode == 1 and not done.stderr):
                said = done.stderr.strip() or done.stdout.split("\n")[0]
                found.append(f"{command}\n  exit code {done.returncode}: {said}")
    return found


def main():
    parser = argparse.ArgumentParser(description="Runs the examples of every --help.")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/cmd", help="folder of the tools")
    parser.add_argument("--only", default="", help="pages whose words hold this text")
    parser.add_argument("--deal", type=int, default=0, help="how many pages of laws and quantities; 0: all of them")
    parser.add_argument("--seed", type=int, default=1, help="of that choice")
    arguments = parser.parse_args()
    tools = arguments.bin.resolve()
    listed = json.loads(subprocess.run([tools / "pe-gen", "list", "--json"], capture_output=True, check=True).stdout)
    every = [words for words in pages(listed) if arguments.only in " ".join(words)]
    dealt = {row["name"] for row in listed["properties"] + listed["quantities"]}
    always = [words for words in every if len(words) < 3 or words[1] not in dealt]
    others = [words for words in every if words not in always]
    if arguments.deal and arguments.deal < len(others):
        others = random.Random(arguments.seed).sample(others, arguments.deal)
    cases, failed = always + others, 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda words: faults(words, tools), cases):
            failed += bool(found)
            for fault in found:
                print(fault, flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())

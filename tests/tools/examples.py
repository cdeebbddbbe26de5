#!/usr/bin/env python3
# Runs every example that a --help page prints, as it is printed.
"""Pages: each tool, each encoding of pe-gen and pe-apply, each law with each encoding, each quantity with each that it has
a meaning for, each of the tools' subcommands without one, and the other commands. The commands of a page run one after
another in an empty folder, so that they make what they read. Each ends with 0; a law that the encoding does not promise, as
its page must say, may end with 1. No page is wider than 100 columns.

  tests/tools/examples.py --bin build/dev/cmd [--only TEXT] [--share I/N] [--deal N --seed S]"""
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

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import share

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDEST = 100
MAY_FAIL = re.compile(r"# \S+ does not promise it: where it fails, the exit code is 1")  # a line before the examples

REVOCABLE = {"length-invariant", "finite", "symmetric", "causal", "clipped"}  # promises that some parameters take back


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
    for command in ["check", "run", "merge", "compare", "identify", "serve"]:
        yield ["pe-verify", command]
    yield ["pe-verify", "dialects", "rope"]
    yield ["pe-gen", "info"]
    yield ["pe-analyze", "published"]
    for law in listed["properties"]:
        yield ["pe-verify", law["name"]]
        for name in encodings:
            yield ["pe-verify", law["name"], name]
    for quantity in listed["quantities"]:
        yield ["pe-analyze", quantity["name"]]
        subjects = quantity["kind"].split()
        for name, kind in encodings.items():
            if {"any", kind, name} & set(subjects):
                yield ["pe-analyze", quantity["name"], name]


def examples(page):
    lines = page.split("\n")
    if "EXAMPLES" not in lines:
        return []
    start = lines.index("EXAMPLES") + 1
    shown = "\n".join(line.strip() for line in itertools.takewhile(lambda line: line.startswith("  "), lines[start:]))
    return shown.replace("\\\n", "").split("\n")  # a backslash ends a line that goes on


def faults(words, tools, promised):
    found = []
    page = subprocess.run([tools / words[0], *words[1:], "--help"], capture_output=True, text=True, check=False)
    if page.returncode or not page.stdout:
        return [f"{' '.join(words)} --help: exit code {page.returncode}: {page.stderr}"]
    for line in page.stdout.split("\n"):
        if len(line) > WIDEST:
            found.append(f"{' '.join(words)} --help: {len(line)} columns: {line}")
    commands = examples(page.stdout)
    if len(words) == 3 and words[1] in promised.get(words[2], {}) and MAY_FAIL.fullmatch(commands[0] if commands else ""):
        found.append(f"{' '.join(words)} --help: it promises this law, and the page says that it does not")
    if not commands:
        found.append(f"{' '.join(words)} --help: no examples")
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            try:
                done = run(command, folder, tools)
            except subprocess.TimeoutExpired:
                found.append(f"{command}\n  takes more than two minutes")
                continue
            may_fail = MAY_FAIL.fullmatch(commands[0]) and command.startswith(f"pe-verify {words[1]} ")
            if done.returncode not in ((0, 1) if may_fail else (0,)):
                said = done.stderr.strip() or done.stdout.split("\n")[0]
                found.append(f"{command}\n  exit code {done.returncode}: {said}")
    return found


def main():
    parser = argparse.ArgumentParser(description="Runs the examples of every --help.")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/cmd", help="folder of the tools")
    parser.add_argument("--only", default="", help="pages whose words hold this text")
    share.add_option(parser)
    parser.add_argument("--deal", type=int, default=0, help="how many pages of laws and quantities; 0: all of them")
    parser.add_argument("--seed", type=int, default=1, help="of that choice")
    arguments = parser.parse_args()
    tools = arguments.bin.resolve()
    listed = json.loads(subprocess.run([tools / "pe-gen", "list", "--json"], capture_output=True, check=True).stdout)
    every = [words for words in pages(listed) if arguments.only in " ".join(words)]
    dealt = {row["name"] for row in listed["properties"] + listed["quantities"]}
    always = [words for words in every if len(words) < 2 or words[1] not in dealt]
    others = [words for words in every if words not in always]
    if arguments.deal and arguments.deal < len(others):
        others = random.Random(arguments.seed).sample(others, arguments.deal)
    promised = {row["name"]: set(row["promises"]) - REVOCABLE for row in listed["encodings"]}
    cases, failed = [words for words in always + others if arguments.share.has(" ".join(words))], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda words: faults(words, tools, promised), cases):
            failed += bool(found)
            for fault in found:
                print(fault, flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())

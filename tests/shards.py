#!/usr/bin/env python3
"""Shards of a run: dealt alike everywhere, merged to what one run gives, and refused where one is lost, doubled, foreign or changed.

  tests/shards.py --bin build/dev/cmd"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

from count import Count

SECONDS = re.compile(r'("seconds": )[-+0-9.e]+|( time=")[0-9.]+|(,)[0-9.e+-]+$', re.M)
SUFFIXES = ("json", "xml", "md", "csv")
count = Count()


def hold(what, good, found=""):
    count.check(good, f"{what}: {str(found)[:600]}")


def write_manifest(folder):
    """Dumps of several sizes and outcomes, laws, one that is not there, and one that is expected to be wrong."""
    def caches(name, rows, base):
        angles = np.arange(rows)[:, None] * base ** (-np.arange(16) / 16.0)
        np.savez(folder / name, cos=np.cos(angles).astype(np.float32), sin=np.sin(angles).astype(np.float32))

    caches("right.npz", 300, 10000.0)
    caches("wrong.npz", 2000, 500000.0)
    caches("small.npz", 20, 10000.0)
    np.save(folder / "noise.npy", np.random.default_rng(1).standard_normal((64, 32)).astype(np.float32))
    rope = {"encoding": "rope", "parameters": {"dim": 32}}
    checks = [
        {"name": "right", **rope, "file": ["right.npz:cos", "right.npz:sin"], "accept": "exact"},
        {"name": "laws of <sinusoids> & others", "encoding": "sinusoidal", "parameters": {"dim": 16}},
        {"name": "wrong", **rope, "file": "wrong.npz"},
        {"name": "known to be wrong", **rope, "file": "wrong.npz", "expect": {"verdict": "fail", "cause": "wrong-base"}},
        {"name": "not there", **rope, "file": "nowhere.npy"},
        {"name": "noise", **rope, "file": "noise.npy"},
        {"name": "a model's laws", "model": "gpt-oss-20b", "length": 64},
        {"name": "small", **rope, "file": "small.npz"},
        {"name": "bias", "encoding": "alibi", "parameters": {"heads": 4}, "length": 32},
        {"name": "failing laws", "encoding": "index", "length": 16},
    ]
    (folder / "manifest.json").write_text(json.dumps({"schema_version": 1, "checks": checks}))
    return [check["name"] for check in checks]


def verify(tools, folder, *words):
    return subprocess.run([tools / "pe-verify", *words], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)


def told(text):
    """A report without what differs from run to run: times, and the command."""
    text = re.sub(r"pe-verify(?: |&#32;|&#45;| )*(?:run|merge)[^\n<\"]*", "COMMAND", text)
    text = re.sub(r"(<code>)[^\n]*COMMAND[^\n]*", "COMMAND", text)
    return SECONDS.sub(lambda found: "".join(part or "" for part in found.groups()) + "T", text)


def reports(folder, stem):
    return {suffix: told((folder / f"{stem}.{suffix}").read_text()) for suffix in SUFFIXES}


def to_reports(stem):
    return [word for suffix in SUFFIXES for word in ("--report", f"{stem}.{suffix}")]


def run_shards(tools, folder, of, manifest="manifest.json"):
    names = []
    for number in range(1, of + 1):
        done = verify(tools, folder, "run", manifest, "--shard", f"{number}/{of}", "--report", f"{of}-{number}.json")
        report = json.loads((folder / f"{of}-{number}.json").read_text())
        hold(f"shard {number}/{of} leaves with its own exit code", done.returncode == report["exit_code"], done.stderr)
        names += [check["name"] for check in report["checks"]]
    return names


def merging_gives_the_whole(tools, folder):
    names = write_manifest(folder)
    whole = verify(tools, folder, "run", "manifest.json", *to_reports("whole"))
    for of in range(1, 10):
        dealt = run_shards(tools, folder, of)
        hold(f"{of} shards have every check once", sorted(dealt) == sorted(names), dealt)
        files = [f"{of}-{number}.json" for number in range(of, 0, -1)]
        merged = verify(tools, folder, "merge", *files, *to_reports(f"merged-{of}"))
        hold(f"{of} shards leave as the whole does", merged.returncode == whole.returncode == 1, merged.stderr)
        hold(f"{of} shards print what the whole prints", merged.stdout == whole.stdout, merged.stdout)
        for (suffix, one), other in zip(reports(folder, "whole").items(), reports(folder, f"merged-{of}").values()):
            hold(f"{of} shards make the same .{suffix}", one == other, f"{len(one)} and {len(other)} characters")


def dealing_is_by_bytes(folder):
    """Of the two largest checks no shard of two has both, and sizes alone decide: a copy elsewhere is dealt alike."""
    shares = [[check["name"] for check in json.loads((folder / f"2-{number}.json").read_text())["checks"]] for number in (1, 2)]
    hold("the two largest are apart", all(len({"wrong", "known to be wrong"} & set(share)) == 1 for share in shares), shares)


def refusals(tools, folder):
    def refused(what, words, *parts):
        done = verify(tools, folder, "merge", *words)
        lines = done.stderr.splitlines()
        hold(what, done.returncode == 2 and len(lines) == 1 and all(part in lines[0] for part in parts) and not done.stdout, done.stderr + done.stdout)

    refused("a lost shard is named", ["3-1.json", "3-3.json"], "shard 2/3 is missing")
    refused("lost shards are named", ["9-4.json"], "1/9, 2/9, 3/9, 5/9", "are missing")
    refused("a shard twice is named", ["3-1.json", "3-2.json", "3-1.json", "3-3.json"], "shard 1/3 is there twice")
    refused("shards of two splits are named", ["3-1.json", "2-2.json"], "3-1.json is shard 1/3", "2/2")
    refused("a whole run is no shard", ["whole.json"], "a report of a whole run")
    refused("a report that is not there is named", ["none.json"], "none.json")
    (folder / "other.json").write_text((folder / "manifest.json").read_text().replace("noise", "voice", 1))
    verify(tools, folder, "run", "other.json", "--shard", "2/2", "--report", "foreign.json")
    refused("another manifest is named", ["2-1.json", "foreign.json"], "foreign.json", "two manifests")
    text = (folder / "2-2.json").read_text()
    for what, changed in (("a verdict", text.replace('"outcome": "failed"', '"outcome": "passed"', 1)), ("a count", re.sub(r'"failed": \d+', '"failed": 0', text)),
                          ("a tail", text[:len(text) // 2]),
                          ("a check less", json.dumps({**json.loads(text), "checks": json.loads(text)["checks"][1:]}, indent=2) + "\n"),
                          ("no object", "[]\n"), ("nothing", ""), ("a version", text.replace('"version": "', '"version": "9', 1)),
                          ("a shard's number", re.sub(r'"number": 2', '"number": 3', text, count=1))):
        (folder / "changed.json").write_text(changed)
        assert changed != text, what
        refused(f"{what} that was changed is refused", ["2-1.json", "changed.json"], "changed.json")
    # What reports claim of the whole asks for no memory.
    for what, pattern, says in (("shards", r'("of": )\d+', "are missing"), ("checks", r'("checks": )\d+', "is in no shard")):
        for number in (1, 2):
            claiming = (folder / f"2-{number}.json").read_text()
            (folder / f"claims-{number}.json").write_text(re.sub(pattern, rf"\g<1>{2 ** 53 - 1}", claiming, count=1))
        refused(f"a number of {what} without an end is refused", ["claims-1.json", "claims-2.json"], says)
    # Sizes that differ between machines: a check lands in two shards, or in none.
    (folder / "small.npz").write_bytes((folder / "wrong.npz").read_bytes() * 9)
    verify(tools, folder, "run", "manifest.json", "--shard", "2/2", "--report", "elsewhere.json")
    done = verify(tools, folder, "merge", "2-1.json", "elsewhere.json")
    hold("a split by other sizes is refused", done.returncode == 2 and "other sizes" in done.stderr, done.stderr)
    for word in ("", "0/2", "3/2", "2", "a/b", "1/0", "/", "1/70000", "-1/2"):
        done = verify(tools, folder, "run", "manifest.json", f"--shard={word}")
        hold(f"--shard {word} is refused", done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "shard" in done.stderr, done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/dev/cmd"))
    tools = parser.parse_args().bin.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        merging_gives_the_whole(tools, folder)
        dealing_is_by_bytes(folder)
        refusals(tools, folder)
    return count.close()


if __name__ == "__main__":
    sys.exit(main())

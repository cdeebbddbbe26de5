#!/usr/bin/env python3
"""What leaves in one format is the same as in every other, to NumPy, to h5py and to our own readers: numbers, complex numbers, provenance.

  tests/formats.py --bin build/dev/cmd"""
import argparse
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import zipfile

import h5py
import numpy as np

from count import Count

count = Count()
PROVENANCE = {"tool", "version", "command", "encoding", "dialect", "accuracy", "source", "parameters"}
HOSTILE = {
    "empty": "", "cut": '{"fields": {"a": {"dtype": "f32", "axes": [{"count": 2}], "values": [1,', "no fields": '{"a": 1}', "a list": "[1, 2]",
    "too few": '{"fields": {"a": {"dtype": "f32", "axes": [{"count": 3}], "values": [1, 2]}}}',
    "too many": '{"fields": {"a": {"dtype": "f32", "axes": [{"count": 1}], "values": [1, 2]}}}',
    "no dtype": '{"fields": {"a": {"axes": [{"count": 1}], "values": [1]}}}',
    "odd dtype": '{"fields": {"a": {"dtype": "f8", "axes": [{"count": 1}], "values": [1]}}}',
    "words": '{"fields": {"a": {"dtype": "i64", "axes": [{"count": 1}], "values": ["x"]}}}',
    "huge count": '{"fields": {"a": {"dtype": "f32", "axes": [{"count": 9007199254740992}, {"count": 9007199254740992}], "values": [1]}}}',
    "negative": '{"fields": {"a": {"dtype": "f32", "axes": [{"count": -1}], "values": [1]}}}',
    "deep": '{"fields": {"a": {"dtype": "f32", "axes": [], "values": ' + "[" * 100 + "1" + "]" * 100 + "}}}",
    "deep keys": '{"fields":' * 200 + "1" + "}" * 200, "values first": '{"fields": {"values": [1, 2], "a": 3}}', "text": "hello", "NaN": '{"fields": {"a": NaN}}',
}


def run(*command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def provenance_of(path):
    if path.suffix == ".json":
        return json.loads(path.read_text())["provenance"]
    if path.suffix == ".npz":
        return json.loads(zipfile.ZipFile(path).comment)["provenance"]
    if path.suffix == ".safetensors":
        data = path.read_bytes()
        return json.loads(json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])["__metadata__"]["provenance"])
    with h5py.File(path) as file:
        return json.loads(file.attrs["provenance"])


def one_provenance(gen, folder):
    for words in (["rope", "--model", "llama-3.1-8b"], ["alibi", "--heads", "6"], ["rope", "--model", "phi-3.5-mini"], ["sinusoidal", "--base", "1e4"]):
        told, shown = [], []
        for suffix in (".json", ".npz", ".safetensors", ".h5"):
            path = folder / ("p" + suffix)
            done = run(gen, *words, "--length", "8", "-o", path.name, folder=folder)
            count.check(done.returncode == 0, f"{words} {suffix}: {done.stderr}")
            told.append(provenance_of(path) | {"command": ""})
            info = json.loads(run(gen, "info", path.name, "--json", folder=folder).stdout or "{}")
            count.check(info.get("provenance") == provenance_of(path) and info.get("metadata") == {}, f"info of {words} in {suffix}: {info}")
            count.check(run(gen, "info", path.name + ":" + info["arrays"][0]["name"], "--json", folder=folder).returncode == 0, f"info of one array, {suffix}")
            shown.append(re.sub("(?m)^command = .*", "", run(gen, "info", path.name, folder=folder).stdout))
        count.check(all(one == told[0] for one in told), f"{words}: provenance differs between formats")
        count.check(len(set(shown)) == 1 and "parameter." in shown[0], f"info of {words} shows formats unlike one another: {shown}")
        count.check(PROVENANCE <= set(told[0]), f"{words}: {sorted(told[0])}")
        with h5py.File(folder / "p.h5") as file:
            for name, entry in told[0]["parameters"].items():
                value, attribute = entry["value"], file.attrs["parameter." + name]
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    count.check(isinstance(attribute, (np.integer, np.floating)) and attribute == value, f"{name} is {attribute!r}, not {value!r}")
                elif isinstance(attribute, np.ndarray):
                    count.check([float(x) for x in value.split(",")] == attribute.tolist(), f"{name} is {attribute!r}, not {value!r}")
                else:
                    count.check(attribute in (value, str(value).lower()), f"{name} is {attribute!r}, not {value!r}")


def foreign_notes(gen, folder):
    """Attributes and metadata of files that others wrote, typed; a crafted provenance is no crash."""
    with h5py.File(folder / "theirs.h5", "w") as file:
        file["x"] = np.arange(3.0)
        file.attrs.update(base=10000.0, heads=8, name="rotary 位置", sections=np.array([16, 24, 24]), fixed=np.bytes_("abc"), words=["a", "b"])
        file.attrs["nothing"] = h5py.Empty("f8")
    info = json.loads(run(gen, "info", "theirs.h5", "--json", folder=folder).stdout)
    count.check(info["provenance"] is None and info["metadata"] == {
        "base": 10000.0, "heads": 8, "name": "rotary 位置", "sections": [16, 24, 24], "fixed": "abc", "words": ["a", "b"]}, f"info of theirs.h5: {info}")
    for crafted in ("{", "[]", '"text"', "7", '{"tool": {"a": [1]}, "parameters": 3}', '{"tool": 1, "parameters": {"a": 1, "b": {"value": [1]}}}', "[" * 100000):
        with h5py.File(folder / "crafted.h5", "w") as file:
            file["x"] = np.arange(3.0)
            file.attrs["provenance"] = crafted if len(crafted) < 60000 else crafted[:60000]
        for more in ([], ["--json"]):
            done = run(gen, "info", "crafted.h5", *more, folder=folder)
            count.check(done.returncode == 0, f"info of the provenance {crafted[:40]}: {done.returncode} {done.stderr}")


def writes_in(pid, folder):
    for link in pathlib.Path(f"/proc/{pid}/fd").glob("*"):
        try:
            if os.readlink(link).startswith(str(folder) + "/"):
                return True
        except OSError:
            pass
    return False


def kept(gen, folder):
    """--no-clobber holds until the end: what comes there while it works stays."""
    for name in ("late.npy", "late.npz", "late.json"):
        path = folder / name
        work = subprocess.Popen([gen, "rope", "--length", "262144", "--fields", "cos", "--no-clobber", "-o", name], cwd=folder, stderr=subprocess.PIPE, text=True)
        while work.poll() is None and not writes_in(work.pid, folder):
            pass
        work.send_signal(signal.SIGSTOP)  # behind its look at the name, in front of the name's giving
        path.write_text("mine")
        work.send_signal(signal.SIGCONT)
        _, said = work.communicate(timeout=300)
        count.check(work.returncode == 2 and said.count("\n") == 1 and "--no-clobber" in said and path.read_text() == "mine", f"{name}: {work.returncode} {said}")
    done = run(gen, "rope", "--length", "4", "--no-clobber", "-o", "new.npz", folder=folder)
    count.check(done.returncode == 0 and (folder / "new.npz").exists(), f"--no-clobber to a new file: {done.stderr}")


def complex_numbers(gen, verify, folder):
    for dtype, wanted in (("f32", np.complex64), ("f64", np.complex128)):
        for suffix in ("npy", "npz", "h5"):
            run(gen, "rope", "--dim", "8", "--length", "5", "--dtype", dtype, "--fields", "complex", "-o", f"c.{suffix}", folder=folder)
        run(gen, "rope", "--dim", "8", "--length", "5", "--dtype", dtype, "--fields", "cos,sin", "-o", "cs.npz", folder=folder)
        turns = np.load(folder / "cs.npz")
        want = turns["cos"] + 1j * turns["sin"]
        with h5py.File(folder / "c.h5") as file:
            stored = file["complex"]
            count.check(stored.dims[0][0].name == "/position" and stored.dims[1][0].name == "/pair", "c.h5: the axes of complex numbers have no scales")
            found = {"npy": np.load(folder / "c.npy"), "npz": np.load(folder / "c.npz")["complex"], "h5": stored[()]}
        for name, values in found.items():
            count.check(values.dtype == wanted and values.shape == (5, 4) and np.array_equal(values, want), f"{name} {dtype}: {values.dtype} {values.shape}")
        for one, other in (("c.npy", "c.h5"), ("c.npz", "c.h5")):
            done = run(verify, "compare", one, other, folder=folder)
            count.check(done.returncode == 0 and "bit for bit" in done.stdout, f"{one}, {other}: {done.stdout}{done.stderr}")
        for path in ("c.npy", "c.h5"):
            done = run(verify, "check", "rope", "--dim", "8", "--file", path, "--length", "5", folder=folder)
            count.check(done.returncode == 0, f"check of {path}: {done.stdout}{done.stderr}")
    done = run(gen, "rope", "--dim", "8", "--length", "5", "--dtype", "f16", "--fields", "complex", "-o", "half.npy", folder=folder)
    count.check(np.load(folder / "half.npy").shape == (5, 4, 2), f"half.npy: {done.stderr}")


def json_back(gen, verify, folder):
    for words in (["rope", "--dim", "64", "--positions", "100000:100200"], ["alibi", "--heads", "3", "--fields", "bias,slope", "--length", "9"], ["sinusoidal", "--dim", "16", "--length", "33"],
                  ["t5", "--fields", "bucket", "--length", "40"], ["rope", "--fields", "inv_freq", "--dim", "64"]):
        for dtype in ("f64", "f32", "f16", "bf16"):
            for path in ("b.json", "b.safetensors"):
                run(gen, *words, "--dtype", dtype, "-o", path, folder=folder)
            done = run(verify, "compare", "b.json", "b.safetensors", folder=folder)
            count.check(done.returncode == 0 and done.stdout.count("bit for bit") == done.stdout.count(" against b.safetensors"), f"{words} {dtype}: {done.stdout}{done.stderr}")
    run(gen, "rope", "--dim", "64", "--length", "300", "--base", "500000", "-o", "r.json", folder=folder)
    done = run(verify, "check", "rope", "--dim", "64", "--file", "r.json", folder=folder)
    count.check(done.returncode == 1 and "[wrong-base]" in done.stdout, f"check: {done.stdout}{done.stderr}")
    done = run(verify, "identify", "r.json", folder=folder)
    count.check(done.returncode == 0 and "base 500000" in done.stdout, f"identify: {done.stdout}{done.stderr}")
    piped = subprocess.run([verify, "identify", "-"], input=(folder / "r.json").read_bytes(), capture_output=True, timeout=60)
    count.check(piped.returncode == 0, f"identify of a pipe: {piped.stderr}")
    for name, text in HOSTILE.items():
        (folder / "x.json").write_text(text)
        done = run(verify, "identify", "x.json", folder=folder)
        count.check(done.returncode == 2 and done.stderr.count("\n") == 1 and "x.json" in done.stderr and not done.stdout, f"{name}: {done.returncode} {done.stderr}")


def own_shapes(gen, verify, folder):
    """What says its shape itself is not read in another that is told."""
    for suffix in ("npy", "npz", "safetensors", "h5", "json", "csv"):
        name = f"s.{suffix}"
        run(gen, "sinusoidal", "--dim", "8", "--length", "10", "-o", name, folder=folder)
        analyze = str(pathlib.Path(gen).with_name("pe-analyze"))
        commands = [[verify, "check", "sinusoidal", "--dim", "8", "--file", name], [verify, "identify", name], [verify, "compare", name, name],
                    [analyze, "similarity", "sinusoidal", "--file", name]]
        for command in commands:
            plain, same, other = (run(*command, *shape, folder=folder) for shape in ([], ["--shape", "10,8"], ["--shape", "4,20"]))
            count.check(plain.returncode == 0 and (same.returncode, same.stdout) == (0, plain.stdout), f"{command} and its own shape: {same.stdout}{same.stderr}")
            count.check(other.returncode == 2 and other.stderr.count("\n") == 1 and "[10, 8]" in other.stderr and not other.stdout, f"{command} in another shape: {other.returncode} {other.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    tools = parser.parse_args().bin.resolve()
    gen, verify = str(tools / "pe-gen"), str(tools / "pe-verify")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        one_provenance(gen, folder)
        foreign_notes(gen, folder)
        kept(gen, folder)
        complex_numbers(gen, verify, folder)
        json_back(gen, verify, folder)
        own_shapes(gen, verify, folder)
    return count.close()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Types what people type first, and holds the answers to what tests/cli/mistakes.txt says they must say.
"""Beside the lines of the file, names are mangled as fingers mangle them: every encoding, scaling, model, law and
quantity in capitals, with underscores, cut short, with two letters swapped, one doubled or one left out; every option
of some encodings with underscores, in capitals, with two letters swapped. The answer must name what was meant.

Every refusal is one line of at most 300 characters, exit code 2, nothing on stdout, and no word of the parser of
options: whoever reads it knows our options, not its classes.
"""
import argparse
import concurrent.futures
import gzip
import io
import json
import math
import os
import pathlib
import pickle
import random
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import share

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINE = re.compile(r"((?:\w+=\S+ )?pe-\S+.*?) =(\d*)> (.*)")
LONGEST = 300

# How CLI11 2.1.2 begins or ends its messages: all the classes of CLI/Error.hpp.
FOREIGN = re.compile(r"required but received|[Ee]xpected (exactly|at (least|most)) \d|At (Most|Least) |not expected|"
                     r"Could not convert|Should be true/false|not an allowed value|required \S+ missing|[Ss]ubcommand|"
                     r"Requires |^\S+: --?\S+ (requires|excludes) |too many inputs|Too many positional|is required|"
                     r"not allowed in a configuration|INI|\bTEXT\b|OPTIONS|SUBCOMMAND|\[Option Group")


def parse(text):
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        found = LINE.fullmatch(line)
        if not found:
            raise ValueError(f"mistakes.txt:{number}: {line!r} is no line of it")
        yield found[1], int(found[2] or 2), found[3].split(" & ")


def mangled(name):
    """How fingers spell a name, each for itself unlike any other name (the caller's to see)."""
    yield name.upper()
    yield name.replace("-", "_")
    yield name.replace("-", "")
    yield name.title()
    if len(name) > 4:
        middle = len(name) // 2
        yield name[:middle] + name[middle + 1] + name[middle] + name[middle + 2:]
        yield name[:middle] + name[middle] + name[middle:]
        yield name[:middle] + name[middle + 1:]
        yield name[:-1]


def generated(tools):
    """(words, text that the answer holds) of every name, mangled."""
    listed = json.loads(subprocess.run([tools / "pe-gen", "list", "--json"], capture_output=True, check=True).stdout)
    names = {what: [row["name"] for row in rows] for what, rows in listed.items()}
    applies = {}
    for quantity in listed["quantities"]:
        applies[quantity["name"]] = quantity["example"].split()[0] if quantity["example"] else ""
    known = {what: set(rows) for what, rows in names.items()}
    for what, line in [("encodings", ["pe-gen", None]), ("scalings", ["pe-gen", "rope", "--factor", "4", "--scaling", None]),
                       ("models", ["pe-gen", "--model", None]), ("properties", ["pe-verify", None, "rope"]),
                       ("quantities", ["pe-analyze", None, "rope"]), ("dialects", ["pe-gen", "rope", "--dialect", None])]:
        for name in names[what]:
            for other in sorted(set(mangled(name)) - known[what]):
                yield [other if word is None else word for word in line], name
    for encoding in listed["encodings"]:
        for option in encoding["parameters"]:
            if len(option["name"]) < 4:
                continue
            for other in {option["name"].upper(), option["name"].replace("-", "_") + "_",
                          option["name"][0] + option["name"][2] + option["name"][1] + option["name"][3:]}:
                if other not in {row["name"] for row in encoding["parameters"]} and other != option["name"]:
                    yield ["pe-gen", encoding["name"], "--" + other], "--" + option["name"]


def field_hints(tools, folder, dealt):
    """What is wrong with the command that each field's name, or each of a share, typed for an encoding's, is answered with."""
    listed = json.loads(subprocess.run([tools / "pe-gen", "list", "fields", "--json"], capture_output=True, check=True).stdout)
    for name in filter(dealt.has, sorted({row["name"] for row in listed["fields"] if row["encodings"]} - {"index"})):  # index is an encoding, too
        answer = subprocess.run([tools / "pe-gen", name], cwd=folder, capture_output=True, text=True, check=False).stderr
        hint = re.search(r"pe-gen (\S+(?: --form \w+)?(?: --seed 1)? --fields \w+)", answer)
        done = hint and subprocess.run([tools / "pe-gen", *hint[1].split(), "-o", "hinted.h5"], cwd=folder, capture_output=True, text=True, check=False)
        meant = hint or "did you mean" in answer  # an encoding's other word, such as sin
        yield name, None if meant and not (done and done.returncode) else f"{answer.strip()} {done.stderr if done else ''}"


def safetensors(path, shapes):
    """A file of zeros, float32."""
    header, end = {}, 0
    for name, shape in shapes.items():
        start, end = end, end + 4 * math.prod(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(end))


def snapshot(folder):
    """A model as the hub has it: a config, weights in shards, their index, what is said of tokens; and the keys of a GGUF file."""
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "rope_theta": 500000.0, "max_position_embeddings": 8192}')
    for name in ("tokenizer_config.json", "generation_config.json"):
        (folder / name).write_text('{"transformers_version": "4.57.0"}')
    layers = [f"model.layers.{layer}.self_attn." for layer in range(2)]
    safetensors(folder / "model-00001-of-00002.safetensors", {layer + name: shape for layer in layers for name, shape in
                                                              (("q_proj.weight", [8, 8]), ("k_proj.weight", [8, 8]), ("rotary_emb.inv_freq", [32]))})
    safetensors(folder / "model-00002-of-00002.safetensors", {f"{layer}{name}_proj.weight": [8, 8] for layer in layers for name in "vo"})
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": {"lm_head.weight": "model-00002-of-00002.safetensors"}}))
    text = b"general.architecture"
    (folder / "keys.gguf").write_bytes(b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, len(text)) + text + struct.pack("<IQ", 8, 5) + b"llama")


def manifests(folder):
    """Manifests with one mistake each."""
    def write(name, checks=None, **top):
        (folder / f"{name}.json").write_text(json.dumps({"schema_version": 1, "checks": [{"encoding": "rope", **checks}] if isinstance(checks, dict) else checks, **top}))
    write("beside", {"dim": 64})
    write("theta", {"rope_theta": 500000.0})
    write("sound", {"length": 2})
    write("words", {"length": "4096"})
    write("listed", {"positions": [0, 1, 2]})
    write("typed", {"dtype": "float32"})
    write("nested", {"config": {"model_type": "llama"}})
    write("expecting", {"expect": {"verdict": "failed"}})
    write("causing", {"expect": {"cause": "qwertyuiop"}})
    write("lawful", {"properties": ["unique"]})
    write("tolerant", {"atol": 1e-5})
    write("one", {}, schema_version=2)
    write("alone", None)
    (folder / "bare.json").write_text('[{"encoding": "rope"}]')
    (folder / "there.toml").write_text("schema_version = 1\n[[checks]]\nencoding = 'rope'\n")
    (folder / "wide.json").write_bytes('{"schema_version": 1}'.encode("utf-16"))


def other_files(folder):
    """Files that people take for dumps, configs and manifests, as other programs write them."""
    folder = pathlib.Path(folder)
    (folder / "there.csv.gz").write_bytes(gzip.compress(b"position,cos_0\n0,1\n"))
    (folder / "there.pkl").write_bytes(pickle.dumps({"cos": [1.0]}))
    (folder / "there.mat").write_bytes(b"MATLAB 5.0 MAT-file, Platform: GLNXA64".ljust(512))
    with tarfile.open(folder / "there.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo("cos.npy"), io.BytesIO())
    shutil.copy(folder / "there.npz", folder / "renamed.npy")
    shutil.copy(folder / "there.npz", folder / "renamed.gguf")
    (folder / "table.npz").write_text("position,cos_0\n0,1\n1,0.5\n")
    (folder / "wide.csv").write_bytes("position,cos_0\n0,1\n".encode("utf-16"))
    (folder / "semicolons.csv").write_text("position;cos_0\n0;1\n")
    (folder / "tabs.csv").write_text("position\tcos_0\n0\t1\n")
    (folder / "empty.npy").touch()
    (folder / "empty.csv").touch()
    (folder / "there.yaml").write_text("schema_version: 1\nmodel_type: llama\n")
    (folder / "config.json").write_text('{"model_type": "llama", "rope_theta": 10000}')
    snapshot(folder / "snapshot")
    manifests(folder)
    (folder / "comma.json").write_text('{"schema_version": 1,\n "checks": [\n  {"name": "a", "encoding": "rope"},\n]}\n')


# Whole commands that an answer tells people to type.
TOLD = re.compile(r"\((pe-[a-z]+ [^()…]*)\)|did you mean (pe-[a-z]+ [^?]*)\?|(?:such as|as in) (pe-[^,();:]*)|behind the name: (pe-[^()]*)$")


def told(answer, folder):
    """The commands of an answer that can be run as they stand: with no word in capitals to fill in, no file that is not there, and no tensors to bring."""
    for found in TOLD.finditer(answer.strip()):
        line = next(filter(None, found.groups())).partition(" | ")[0].strip()
        files = [word for word in line.split() if re.search(r"\.[a-z]\w+$", word)]
        if not line.startswith("pe-apply ") and not re.search(r"\b[A-Z]{2,}\b|[…'\"<>]", line) and all((folder / file).exists() for file in files):
            yield line


def fails_as_told(line, tools, folder):
    """What is wrong with a command that an answer told, or None: verdicts may be any, and there is one."""
    words = line.split()
    run = subprocess.run([tools / words[0] if words[0] != "pe-plot" else ROOT / "scripts/pe-plot", *words[1:]], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                         timeout=120, check=False)
    return run.stderr.decode(errors="replace") or "exit code 2" if run.returncode not in (0, 1) else None


def fault(words, code, texts, tools, folder, commands):
    """What is wrong with the answer, or None; `commands` takes those that it tells people to type."""
    told_so = dict([words[0].split("=", 1)]) if "=" in words[0] else {}  # a variable before the tool
    words = words[len(told_so):]
    run = subprocess.run([tools / words[0] if words[0] != "pe-plot" else ROOT / "scripts/pe-plot", *words[1:]], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                         timeout=60, env={**os.environ, "LC_ALL": "C", "TERM": "dumb", "NO_COLOR": "1", **told_so})
    out, err = run.stdout.decode(errors="replace"), run.stderr.decode(errors="replace")
    if run.returncode != code:
        return f"exit code {run.returncode} where {code} is meant: {err or out[:200]}"
    if code == 2:
        commands.update((line, shlex.join(words)) for line in told(err, pathlib.Path(folder)))
        if out:
            return f"refused, with something on stdout: {out[:200]}"
        if err.count("\n") != 1 or not err.startswith(words[0] + ": "):
            return f"not one line of {words[0]}: {err}"
        if len(err) > LONGEST:
            return f"{len(err)} characters: {err}"
        if FOREIGN.search(re.sub("'[^']*'|[a-z]+: did you mean .*", "", err)):
            return f"the parser's voice: {err}"
    elif not out:
        return "nothing on stdout"
    for text in texts:
        inside = text.removeprefix("not ") in out + err
        if inside == text.startswith("not "):
            return f"{'holds' if inside else 'lacks'} {text.removeprefix('not ')!r}: {(err or out)[:400]}"
    return None


def main():
    parser = argparse.ArgumentParser(description="Types mistakes and reads the answers.")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/cmd", help="folder of the tools")
    parser.add_argument("--only", default="", help="lines that hold this regular expression")
    share.add_option(parser)
    parser.add_argument("--deal", type=int, default=400, help="how many of the mangled names; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of that choice")
    arguments = parser.parse_args()
    tools = arguments.bin.resolve()
    typed = [(shlex.split(line), code, texts) for line, code, texts in parse((ROOT / "tests/cli/mistakes.txt").read_text())]
    made = [(words, 2, [text]) for words, text in generated(tools)]
    if arguments.deal and arguments.deal < len(made):
        made = random.Random(arguments.seed).sample(made, arguments.deal)
    is_wanted = share.chooser(arguments)
    cases = [case for case in typed + made if is_wanted(shlex.join(case[0]))]
    failed, commands = 0, {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        subprocess.run([tools / "pe-gen", "rope", "--length", "2", "-o", "there.npz"], cwd=folder, check=True)
        other_files(folder)
        for (words, _, _), wrong in zip(cases, pool.map(lambda case: fault(*case, tools, folder, commands), cases)):
            if wrong:
                failed += 1
                print(f"{shlex.join(words)}\n  {wrong.strip()}")
        hints = list(field_hints(tools, folder, arguments.share)) if not arguments.only else []
        for line, wrong in zip(commands, pool.map(lambda line: fails_as_told(line, tools, folder), list(commands))):
            if wrong:
                failed += 1
                print(f"{commands[line]}\n  is told {line}, which does not run: {wrong.strip()}")
    for name, wrong in hints:
        if wrong:
            failed += 1
            print(f"pe-gen {name}\n  the hint does not run: {wrong.strip()}")
    cases += [*hints, *commands]
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Holds the verifier to every array of a dump: none passes unseen, whichever field of whichever encoding holds other numbers.
"""Of every encoding a file with all of its fields, sound, with one of them spoilt, and with an array of no known name; frequencies alone, spoilt in
several ways. Prints the last line "N passed, N failed"."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
import interpreter  # noqa: E402

interpreter.need("numpy")
import numpy as np  # noqa: E402
import share  # noqa: E402

GIVEN = {"rope": ["--dim", 16], "xpos": ["--dim", 16], "sinusoidal": ["--dim", 16], "learned": ["--seed", 1, "--dim", 8], "floater": ["--seed", 1, "--dim", 8],
         "t5": ["--seed", 1], "swin": ["--seed", 1], "kerple": ["--seed", 1], "fire": ["--seed", 1], "mrope": ["--dim", 16, "--sections", "4,2,2"]}
GRIDS = ("2d", "3d", "swin", "decomposed")  # have a size of their own
SPOILT = {"stretched": lambda a: a * 1.5, "moved": lambda a: a + 1, "reversed": lambda a: a[::-1], "rolled": lambda a: np.roll(a, 3),
          "one off": lambda a: np.where(np.arange(len(a)) == 1, a * 1.01, a)}


def run(tool, *words):
    return subprocess.run([BIN / tool, *map(str, words)], capture_output=True, text=True)


def fields_of(asked, size):
    told = run("pe-gen", *asked, *size, "--fields", "no-such-field").stderr
    return told.split("choose from ")[1].replace(",", " ").split()


def verdicts_of(encoding, folder):
    """(name, whether it is right, what was said) of every case of an encoding."""
    folder.mkdir()
    file = folder / "dump.npz"

    def judged(asked, size, arrays):
        np.savez(file, **arrays)
        done = run("pe-verify", "check", *asked, *size, "--file", file)
        return done.returncode, " ".join(done.stdout.split("\n  dump")[0].split()) or done.stderr.strip()

    asked = [encoding, *GIVEN.get(encoding, [])]
    size = [] if any(word in encoding for word in GRIDS) else ["--length", 40]
    fields = fields_of(asked, size)
    run("pe-gen", *asked, *size, "--fields", ",".join(fields), "-o", file)
    arrays = dict(np.load(file))
    code, said = judged(asked, size, arrays)
    yield f"{encoding}, all fields", code == 0 and "not looked at" not in said, said
    for name in fields:
        code, said = judged(asked, size, {**arrays, name: (arrays[name] * 1.5 + np.arange(arrays[name].size).reshape(arrays[name].shape) % 3 + 1).astype(arrays[name].dtype)})
        yield f"{encoding}, {name} spoilt", code == 1, said
    code, said = judged(asked, size, {**arrays, "stranger": np.arange(7.0)})
    yield f"{encoding}, a stranger", code == 0 and "stranger was not looked at" in said, said
    if encoding in ("rope", "alibi", "sinusoidal"):
        np.savez(file, **{name: arrays[name] for name in arrays if name not in ("angle", "matrix", "complex")})
        said = run("pe-verify", "identify", file).stdout
        yield f"{encoding}, identified beside others", said.startswith(f"identified: {encoding}") and "not looked at" in said, said
    if "inv_freq" in fields:
        for how, spoil in SPOILT.items():
            code, said = judged(asked, size, {"inv_freq": spoil(arrays["inv_freq"]).astype(np.float32)})
            yield f"{encoding}, frequencies {how}", code == 1, said


def verdicts(folder, dealt):
    encodings = [row["name"] for row in json.loads(run("pe-gen", "list", "--json").stdout)["encodings"] if dealt.has(row["name"])]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for told in pool.map(lambda encoding: list(verdicts_of(encoding, folder / encoding)), encodings):
            yield from told


def main():
    global BIN
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "dev" / "cmd", help="folder of the tools")
    share.add_option(parser)
    options = parser.parse_args()
    BIN = options.bin.resolve()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="pe-unseen-") as scratch:
        for name, good, said in verdicts(pathlib.Path(scratch), options.share):
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(f"FAILED {name}: {said}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Runs the Python of a student's notes as it stands there, and records as small dumps what it computes.
"""record.py --seeds FOLDER [--venv FOLDER]

FOLDER holds the five notes. Each snippet that computes a position encoding is cut out of its note, executed unchanged (one note lost its
indentation on the way through a web page; that alone is put back), and what it gives is written beside this script, with manifest.json,
readings.json and ran.txt, which says what ran and how the others stopped. What the verifier must say stands in WANTED below, by hand.
"""
import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
import parity  # noqa: E402
import parity_dumps  # noqa: E402


def note(folder, number):
    return next(folder.glob(f"{number:03d}_*.txt")).read_text()


def fenced(text, mark):
    """The fenced block that holds `mark`."""
    return next(block for block in re.findall(r"```[a-z-]*\n(.*?)```", text, re.S) if mark in block)


def indented(lines):
    """Indentation put back: a class's functions one step in, bodies one step more, until the usage example."""
    out, inside, level = [], False, 0
    for line in lines:
        if line.startswith("# 使用示例"):
            break
        if line.startswith("class "):
            inside, here, level = True, 0, 1
        elif line.startswith(("def ", "@")):
            here, level = (1, 2) if inside else (0, 1)
        else:
            here = level
        out.append("    " * here + line)
    return "\n".join(out)


def unindented(text, first):
    """A snippet of the note without indentation, from its imports to its usage example."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(first))
    return indented(lines[start:])


class Runs:
    def __init__(self, dumps):
        self.dumps, self.lines = dumps, []

    def run(self, name, source, names=(), ask=None):
        """Executes a snippet; then `ask` takes what it defined and gives what is asked of it. Nothing where it stops."""
        space = dict(names)
        try:
            exec(compile(source, name, "exec"), space)  # noqa: S102: the point of the exercise
            found = ask(space) if ask else space
        except Exception as error:  # noqa: BLE001: whatever it is goes on record
            self.lines.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
            return None
        self.lines.append(f"{name}: runs")
        return found

    def check(self, name, arrays, encoding, wanted=None, before=(), layout=None, **keys):
        import torch
        plain = {key: torch.as_tensor(value).detach().contiguous() for key, value in arrays.items()}
        files = self.dumps.npz(re.sub(r"\W+", "-", name), **plain)
        more = {"before": [files[key] for key in before]} if before else {}
        self.dumps.check(name, [files[key] for key in arrays if key not in before], layout, encoding=encoding, **more, **keys)
        if wanted:
            self.dumps.checks[-1]["expect"] = {"verdict": "fail", "tier": "wrong", "cause": wanted[0]}
            self.dumps.readings.setdefault(name, {})["causes"] = list(wanted)


def table(runs, folder):
    import numpy as np
    import torch
    first = fenced(note(folder, 0), "def sinusoidal_pos_embedding").split("\nP = ")[0]
    runs.run("000 sinusoids", first, {"np": np}, lambda space: space["sinusoidal_pos_embedding"](100, 512, 10000))
    mended = first.replace("k/sin_cos_val", "k/sin_cos_val[0::2]")
    found = runs.run("000 sinusoids, with a frequency for each pair", mended, {"np": np}, lambda space: space["sinusoidal_pos_embedding"](48, 64, 10000))
    runs.check("000 sinusoids, with a frequency for each pair", {"pe": found}, "sinusoidal", parameters={"dim": 64}, layout="interleaved")
    space = {"np": np, "vocab_size": 48, "depth": 64, "embeddings_table": np.zeros((48, 64))}
    found = runs.run("001 sinusoids", fenced(note(folder, 1), "embeddings_table[pos, 2 * i]"), space)
    runs.check("001 sinusoids", {"pe": found["embeddings_table"]}, "sinusoidal", parameters={"dim": 64}, layout="interleaved")
    found = runs.run("002 sinusoids", "import torch\nimport math\n" + unindented(note(folder, 2), "def positional_encoding"), {},
                     lambda space: space["positional_encoding"](48, 64))
    runs.check("002 sinusoids", {"pe": found}, "sinusoidal", parameters={"dim": 64}, layout="interleaved")
    found = runs.run("004 sinusoids", fenced(note(folder, 4), "class SinusoidalPositionalEncoding"), {}, lambda space: space["SinusoidalPositionalEncoding"](64, 48))
    runs.check("004 sinusoids", {"pe": found.pe}, "sinusoidal", parameters={"dim": 64}, layout="interleaved")
    ids = torch.zeros(1, 8, dtype=torch.long)
    runs.run("000 learned table", fenced(note(folder, 0), "class LearnedPositionEmbedding"), {}, lambda space: space["LearnedPositionEmbedding"](16, 8).forward(ids))


def rotary(runs, folder):
    import torch
    code = fenced(note(folder, 0), "class sinusoidalPositionalEmbedding")
    space = {"torch": torch, "nn": torch.nn}
    runs.run("000 rotary table", code, space)
    turning = code[code.index("def rotate_half"):]
    q, cos = torch.randn(1, 2, 8, 16), torch.ones(1, 1, 8, 16)
    runs.run("000 rotary on q and k", turning, space, lambda space: space["apply_rotraty_pos_embedding"](q, q, cos, cos, torch.arange(8)[None]))

    torch.manual_seed(3)
    q, k = torch.randn(1, 2, 24, 32), torch.randn(1, 2, 24, 32)
    found = runs.run("002 rotary", "import torch\nimport torch.nn as nn\n" + unindented(note(folder, 2), "class RotaryPositionalEmbedding"), {},
                     lambda space: space["RotaryPositionalEmbedding"](32, 24))
    runs.check("002 rotary table", {"cos": found.cos_cached, "sin": found.sin_cached}, "rope", parameters={"dim": 32}, layout="halves")
    after = found(q, k, 24)
    runs.check("002 rotary on q and k", {"q": q, "k": k, "q_rot": after[0], "k_rot": after[1]}, "rope", before=("q", "k"), parameters={"dim": 32}, layout="halves")

    code = "import torch, math\n" + fenced(note(folder, 4), "class RotaryPositionalEncoding")
    runs.run("004 rotary, its own example", code, {}, lambda space: space["RotaryPositionalEncoding"](512)(torch.randn(2, 10, 512)))
    found = runs.run("004 rotary", code, {}, lambda space: space["RotaryPositionalEncoding"](32, 24))
    runs.check("004 rotary table", {"cos": found.cos_pos, "sin": found.sin_pos}, "rope", parameters={"dim": 32}, layout="pairs")
    x = torch.randn(1, 24, 2, 32)  # with an axis of heads, for which its comments have no room
    runs.check("004 rotary on vectors with heads", {"x": x, "x_rope": found(x)}, "rope", before=("x",), parameters={"dim": 32, "pairing": "adjacent"}, layout="adjacent")


def scores(runs, folder):
    import torch
    code = "import torch\n" + fenced(note(folder, 4), "class ALiBiPositionalBias")
    found = runs.run("004 ALiBi", code, {}, lambda space: space["ALiBiPositionalBias"](8, 24))
    runs.check("004 ALiBi slopes", {"slopes": found.slopes}, "alibi", ("alibi-ladder",), parameters={"heads": 8})
    runs.check("004 ALiBi", {"bias": found(torch.zeros(1, 8, 24, 24))}, "alibi", ("alibi-ladder",), parameters={"heads": 8, "causal": True})

    code = "import torch\n" + fenced(note(folder, 4), "class RelativePositionalEncoding")

    def index(space):
        """The row of the table that each pair reads: a table whose every row holds its own number."""
        module = space["RelativePositionalEncoding"](4, 9)
        module.rel_pos_bias.data = torch.arange(17.0)[:, None].expand(17, 4).clone()
        return module(torch.zeros(1, 24, 4), torch.zeros(1, 24, 24))[0].to(torch.int32)
    found = runs.run("004 relative positions", code, {}, index)
    runs.check("004 relative positions", {"index": found}, "shaw", parameters={"max-distance": 8, "dim": 4})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=pathlib.Path, required=True, help="folder of the notes")
    parser.add_argument("--venv", type=pathlib.Path, default=parity.ROOT / "build/parity", help="where PyTorch is, or will be installed")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.inside:
        parity.enter(arguments.venv.absolute(), __file__)
    for path in [*HERE.glob("*.npz"), *HERE.glob("*.safetensors")]:
        path.unlink()
    dumps = parity_dumps.Collection(HERE)
    runs = Runs(dumps)
    for part in (table, rotary, scores):
        part(runs, arguments.seeds)
    dumps.write()
    (HERE / "ran.txt").write_text("\n".join(runs.lines) + "\n")
    print(*runs.lines, sep="\n")


if __name__ == "__main__":
    sys.exit(main())

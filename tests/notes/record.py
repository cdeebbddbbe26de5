#!/usr/bin/env python3
# Runs the Python of a student's notes as it stands there, and records as small dumps what it computes.
"""record.py --seeds FOLDER [--venv FOLDER]

FOLDER holds the five notes. Each snippet that computes a position encoding is cut out of its note, executed unchanged (one note lost its
indentation on the way through a web page; that alone is put back), and what it gives is written beside this script, with manifest.json,
readings.json and ran.txt, which says what ran and how the others stopped. What the verifier must say stands beside each check, by hand.
The JavaScript of one note takes node.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts/record"))
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
    code = fenced(note(folder, 1), "full_position_embeddings")
    runs.run("001 learned table", code)
    for number, source in ((2, unindented(note(folder, 2).split("优点缺点")[0], "class LearnablePositionalEncoding")),
                           (4, fenced(note(folder, 4), "class LearnedPositionalEncoding"))):
        torch.manual_seed(1)
        name = re.search(r"class (\w+)", source)[1]
        size = (64, 32) if number == 2 else (32, 64)  # one takes the length first, the other the width
        found = runs.run(f"00{number} learned table", "import torch\nimport torch.nn as nn\n" + source, {}, lambda space, name=name, size=size: space[name](*size))
        runs.dumps.npz(f"00{number}-learned-table", pe=found.pe.detach())
    ids = torch.zeros(1, 8, dtype=torch.long)
    runs.run("000 learned table", fenced(note(folder, 0), "class LearnedPositionEmbedding"), {}, lambda space: space["LearnedPositionEmbedding"](16, 8).forward(ids))


def rotary(runs, folder):
    import torch
    code = fenced(note(folder, 0), "class sinusoidalPositionalEmbedding")
    space = {"torch": torch, "nn": torch.nn}
    runs.run("000 rotary table", code, space)
    pen = {"10000(": "10000 ** (", "max_seq _length": "max_seq_length", "enisum": "einsum", "get_default": "get_default_dtype()", "embed.": "emb."}
    mended = code
    for slip, right in pen.items():
        mended = mended.replace(slip, right)
    runs.run("000 rotary table, its misprints mended", mended, space, lambda space: space["sinusoidalPositionalEmbedding"](32, 24))
    turning = code[code.index("def rotate_half"):]
    q, cos = torch.randn(1, 2, 8, 16), torch.ones(1, 1, 8, 16)
    runs.run("000 rotary on q and k", turning, space, lambda space: space["apply_rotraty_pos_embedding"](q, q, cos, cos, torch.arange(8)[None]))

    torch.manual_seed(3)
    q, k = torch.randn(1, 2, 24, 32), torch.randn(1, 2, 24, 32)
    mended = mended.replace("(nn.Embedding)", "(nn.Module)").replace("x[:, ", "x[..., ")

    def turned(space):
        cos, sin = space["sinusoidalPositionalEmbedding"](32, 24)(q, 24)
        return space["apply_rotraty_pos_embedding"](q, k, cos, sin, torch.arange(24)[None])
    after = runs.run("000 rotary, all mended", mended, space, turned)
    runs.check("000 rotary, all mended", {"q": q, "k": k, "q_embed": after[0], "k_embed": after[1]}, "rope", before=("q", "k"), parameters={"dim": 32}, layout="halves")
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


def nezha(runs, folder):
    """NEZHA's two pieces with PyTorch in TensorFlow's place, the table of its paper between them, and the softmax that the note leaves out."""
    import numpy as np
    import torch
    code = fenced(note(folder, 1), "`relations_key` = [F, T, H]")
    runs.run("001 NEZHA", code)
    tf = types.SimpleNamespace(einsum=torch.einsum, matmul=lambda a, b, transpose_b=False: a @ (b.transpose(-1, -2) if transpose_b else b))
    limit, dim, length = 4, 8, 16
    rows = np.arange(2 * limit + 1)[:, None] / 10000 ** (np.arange(0, dim, 2) / dim)
    rows = np.stack([np.sin(rows), np.cos(rows)], -1).reshape(2 * limit + 1, dim)
    ids = np.clip(np.arange(length)[None] - np.arange(length)[:, None], -limit, limit) + limit
    own = types.SimpleNamespace(get_relative_position_embeddings=lambda *_, **__: torch.tensor(rows[ids], dtype=torch.float32))
    torch.manual_seed(4)
    q, k, v = (torch.randn(1, 2, length, dim) for _ in range(3))
    names = {"tf": tf, "self": own, "query_layer": q, "key_layer": k, "value_layer": v, "use_relative_position_embeddings": True, "size_per_head": dim,
             "from_seq_length": length, "to_seq_length": length, "max_relative_position_embeddings": limit, "use_one_hot_embeddings": False,
             "position_embedding_name": "p"}
    scores, values = code.split("# `context_layer` = [B, N, F, H]\n")
    found = runs.run("001 NEZHA, with PyTorch in TensorFlow's place", scores, names)
    found["attention_probs"] = torch.softmax(found["attention_scores"] / dim ** 0.5, -1)
    exec(compile(values, "001 NEZHA", "exec"), found)
    runs.dumps.npz("001-NEZHA", q=q, k=k, v=v, output=found["context_layer"])


def words(runs, folder):
    """The JavaScript of 002, with the words that its comments name put back, and what its Set then lists."""
    text = note(folder, 2)
    code = text[text.index("const words"):text.index('// [{ word: "我", position: 0 }')]
    ask = 'console.log(JSON.stringify([[...wordSet], [...new Set([...words].reverse())]]));'
    listed = []
    for source in (code, code.replace('["", "", ""]', '["我", "爱", "你"]')):
        done = subprocess.run(["node", "-e", source + ask], capture_output=True, text=True, check=True)
        listed += ["".join(part) for part in json.loads(done.stdout)]
    runs.lines.append(f'002 words in JavaScript: runs, and the Set lists "{listed[0]}"; with the words put back "{listed[2]}", and "{listed[3]}" when they come from behind')


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
    for part in (table, rotary, scores, nezha, words):
        part(runs, arguments.seeds)
    dumps.write()
    (HERE / "ran.txt").write_text("\n".join(runs.lines) + "\n")
    print(*runs.lines, sep="\n")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Runs other people's position code on the catalogue's configurations and records what it gave under data/parity.
"""parity.py [--bin FOLDER] [--venv FOLDER] [--model NAME ...]

Makes a virtual environment with PyTorch and transformers (and rotary-embedding-torch, x-transformers, positional-encodings where they
install), runs their own classes, compares them with pe-gen in the matching dialect at every position up to 131071, and writes
data/parity/*.txt: versions, a hash of each input, frequencies, sampled rows and the largest differences. tests/dialects_test.cpp holds the
library to these records without a network. Exit code 1 when a claim is missed.
"""
import argparse
import hashlib
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "data/parity"
REQUIRED = ["torch==2.13.0", "transformers==5.23.0", "numpy"]
WANTED = ["rotary-embedding-torch", "x-transformers", "positional-encodings"]
LENGTH = 131072
SAMPLES = [1, 4095, 131071]
# model types that live beside a checkpoint: the class whose rotary code is the same
KIN = {"internlm2": "llama", "kimi_k2": "deepseek_v3", "minicpm": "llama", "phi3_v": "phi3"}


def enter(folder, script=__file__):
    """Runs this script again inside a virtual environment that has the programs."""
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run(install + REQUIRED, check=True)
        for package in WANTED:
            if subprocess.run(install + [package]).returncode:
                print(f"parity.py: {package} does not install here, and is left out", file=sys.stderr)
    os.execv(python, [str(python), script, "--inside", *sys.argv[1:]])


def hexes(array):
    """float32 values as the eight hex digits of their bits."""
    return " ".join(f"{bits:08x}" for bits in array.astype("<f4").view("<u4").ravel())


def ulps(a, b):
    """Distance in float32 numbers between two arrays."""
    import numpy as np
    keys = []
    for array in (a, b):
        bits = array.astype(np.float32).view(np.int32).astype(np.int64)
        keys.append(np.where(bits < 0, -(bits & 0x7FFFFFFF), bits))
    return np.abs(keys[0] - keys[1])


class Generator:
    """pe-gen, its arrays read back."""

    def __init__(self, folder):
        self.program = folder / "pe-gen"

    def fields(self, *arguments):
        import numpy as np
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.npz"
            done = subprocess.run([self.program, *arguments, "-o", path], capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"pe-gen {' '.join(arguments)}: {done.stderr.strip()}")
            with np.load(path) as file:
                return {name: file[name] for name in file.files}


def config_of(fields):
    """A transformers configuration of the fields of one catalogue file."""
    from transformers import AutoConfig
    fields = {key: value for key, value in fields.items() if not key.startswith("_")}
    while "text_config" in fields:
        fields = {"model_type": fields["model_type"], **fields["text_config"]}
    kind = KIN.get(fields["model_type"], fields["model_type"])
    fields.pop("model_type")
    fields.pop("vision_config", None)
    return kind, AutoConfig.for_model(kind, **fields)


def rotary_of(kind, config):
    """The model's own rotary module."""
    stem = kind.removesuffix("_text")
    module = importlib.import_module(f"transformers.models.{stem}.modeling_{stem}")
    names = [name for name in dir(module) if name.endswith("RotaryEmbedding") and "Vision" not in name]
    best = sorted(names, key=lambda name: ("Text" not in name, len(name)))
    return getattr(module, best[0])(config=config)


def by_pairs(cos, sin, pairs):
    """One column of each pair, where they are kept as halves or each pair twice."""
    if cos.shape[-1] != 2 * pairs:
        return cos, sin
    step = slice(0, pairs) if (cos[:, :pairs] == cos[:, pairs:]).all() else slice(0, None, 2)
    return cos[:, step], sin[:, step]


def run_rotary(rotary, layer):
    """(inv_freq, cos, sin, factor) of the whole length, a column for each pair, as the module's forward gives them."""
    import torch
    positions = torch.arange(LENGTH)[None]
    x = torch.zeros(1, 1, 8)
    with torch.no_grad():
        out = rotary(x, positions, layer) if layer else rotary(x, positions)
    name = f"{layer}_inv_freq" if layer else "inv_freq"
    inv_freq = getattr(rotary, name).float().numpy()
    factor = getattr(rotary, f"{layer}_attention_scaling" if layer else "attention_scaling")
    if isinstance(out, tuple):
        cos, sin = (part[0].numpy() for part in out)
        cos, sin = by_pairs(cos, sin, len(inv_freq))
    else:
        cos, sin = out[0].real.numpy(), out[0].imag.numpy()
    return inv_freq, cos, sin, float(factor)


def layers_of(rotary):
    """The kinds of layers that a module holds a ladder for; one that is None where it holds one for all."""
    names = sorted(name.removesuffix("_inv_freq") for name, _ in rotary.named_buffers() if name.endswith("_inv_freq"))
    return [name for name in names if name != "original" and not name.endswith("_original")] or [None]


class Record:
    """The lines of one file of data/parity, and whether every claim held."""

    def __init__(self, name, title):
        self.path, self.lines, self.failed = OUT / f"{name}.txt", [f"# {title}"], 0

    def add(self, *words):
        self.lines.append(" ".join(str(word) for word in words))

    def claim(self, what, worst, bound):
        self.add("differs", what, worst)
        if worst > bound:
            self.failed += 1
            print(f"{self.path.name}: {what} differs by {worst}, claimed {bound}")

    def write(self):
        OUT.mkdir(parents=True, exist_ok=True)
        self.path.write_text("\n".join(self.lines) + "\n")
        return self.failed


def versions():
    from importlib import metadata
    import torch
    found = {"python": ".".join(map(str, sys.version_info[:3])), "capability": torch.backends.cpu.get_cpu_capability()}
    for package in ["torch", "transformers", "numpy", *WANTED]:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            pass
    return found


def rope(generator, names):
    """Every rotary model of the catalogue: transformers' class against dialect hf."""
    import numpy as np
    import torch
    dialect = {"AVX512": "hf", "AVX2": "hf-avx2"}.get(torch.backends.cpu.get_cpu_capability())
    if not dialect:
        raise SystemExit("parity.py: no dialect models PyTorch without AVX2")
    record = Record("rope" if dialect == "hf" else "rope-avx2", "transformers' rotary classes; float32 as hex bits; scripts/record/parity.py wrote this")
    for name, version in versions().items():
        record.add("version", name, version)
    seen = {}
    for path in sorted((ROOT / "data/models").glob("*.json")):
        if names and path.stem not in names:
            continue
        text = path.read_bytes()
        fields = json.loads(text)
        listing = subprocess.run([generator.program, "--model", path.stem, "--explain", "--length", "1", "-o", "/dev/null", "--format", "csv"],
                                 capture_output=True, text=True).stderr
        if "\nrope: " not in "\n" + listing:
            continue
        try:
            kind, config = config_of(fields)
            rotary = rotary_of(kind, config)
        except (ImportError, ValueError, KeyError, AttributeError, IndexError, TypeError) as error:
            record.add("absent", path.stem, type(error).__name__, str(error).splitlines()[0][:160])
            print(f"{path.stem}: no class to run: {error}")
            continue
        for layer in layers_of(rotary):
            theirs = run_rotary(rotary, layer)
            chosen = ["--layer-type", layer] if layer else []
            made = ["rope", "--model", path.stem, *chosen, "--dialect", dialect, "--length", str(LENGTH), "--fields"]
            try:
                ours = generator.fields(*made, "inv_freq,cos,sin")
            except RuntimeError:  # a class that keeps complex numbers
                ours = generator.fields(*made, "inv_freq,freqs_cis")
                ours["cos"], ours["sin"] = ours["freqs_cis"][..., 0], ours["freqs_cis"][..., 1]
            record.add("model", path.stem, layer or "-", type(rotary).__name__, hashlib.sha256(text).hexdigest())
            pairs = len(theirs[0])
            if pairs != len(ours["inv_freq"]):
                record.add("finding", f"{type(rotary).__name__} turns {pairs} pairs, where {len(ours['inv_freq'])} are read here")
                print(path.stem, layer, "pairs", pairs, len(ours["inv_freq"]))
                continue
            sums = [hashlib.sha256(np.ascontiguousarray(part)).hexdigest() for part in theirs[:3]]
            same = seen.setdefault((theirs[3], *sums), (path.stem, layer or "-"))
            if same == (path.stem, layer or "-"):
                record.add("attention_factor", hexes(np.array([theirs[3]], np.float32)))
                record.add("inv_freq", hexes(theirs[0]))
                for p in SAMPLES:
                    record.add("row", p, "cos", hexes(theirs[1][p]))
                    record.add("row", p, "sin", hexes(theirs[2][p]))
                record.add("sha256", "cos", sums[1])
                record.add("sha256", "sin", sums[2])
            else:  # every number is that of a model above
                record.add("as", *same)
            record.claim("inv_freq", int(ulps(theirs[0], ours["inv_freq"]).max()), 0)
            bound = 1 if theirs[3] == 1 else 2  # one ulp of PyTorch's cosine, and a product with the attention factor
            for name, one, other in zip(("cos", "sin"), theirs[1:3], by_pairs(ours["cos"], ours["sin"], pairs)):
                record.claim(name, int(ulps(one, other).max()), bound)
            print(path.stem, layer or "", *(line for line in record.lines[-3:]))
    return record.write()


def powers(generator):
    """The plain ladder for bases in use and for random ones: how far the model of PyTorch's power carries."""
    import random
    import torch
    capability = torch.backends.cpu.get_cpu_capability()
    dialect = {"AVX512": "hf", "AVX2": "hf-avx2"}[capability]
    record = Record("powers" if dialect == "hf" else "powers-avx2", "1 / base ** (arange(0, d, 2) / d) in float32; scripts/record/parity.py wrote this")
    for name, version in versions().items():
        record.add("version", name, version)
    used = [100, 1000, 10000, 25000, 100000, 150000, 160000, 500000, 1000000, 2000000, 5000000, 8000000, 10000000, 11158840, 12000000, 100000000, 1000000000]
    random.seed(1)
    # A power off by one number in float32 is off by up to 2^-23 of itself, and its reciprocal by two numbers where those are closer.
    for label, bases, bound in (("in-use", used, 0), ("random", [random.randint(10, 16000000) for _ in range(150)], 2)):
        count = off = worst = 0
        for base in bases:
            for dim in (20, 32, 64, 80, 96, 128, 256):
                theirs = (1.0 / (float(base) ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim))).numpy()
                ours = generator.fields("rope", "--dim", str(dim), "--base", str(base), "--dialect", dialect, "--length", "1", "--fields", "inv_freq")["inv_freq"]
                distance = ulps(theirs, ours)
                count, off, worst = count + len(theirs), off + int((distance > 0).sum()), max(worst, int(distance.max()))
        record.add("frequencies", label, "bases", len(bases), "values", count, "off", off)
        record.claim(f"inv_freq-{label}", worst, bound)
        print(*record.lines[-2:])
    return record.write()


def t5(generator):
    """T5's buckets at every offset up to 131071, both forms."""
    import numpy as np
    import torch
    from transformers.models.t5.modeling_t5 import T5Attention
    record = Record("t5", "T5Attention._relative_position_bucket: the first offset of each run of equal buckets; scripts/record/parity.py wrote this")
    for name, version in versions().items():
        record.add("version", name, version)
    offsets = torch.arange(1 - LENGTH, LENGTH)
    for buckets, distance, bidirectional in [(32, 128, True), (32, 128, False), (320, 800, True), (64, 256, False), (128, 1024, True)]:
        theirs = T5Attention._relative_position_bucket(offsets, bidirectional, buckets, distance).numpy()
        ours = generator.fields("t5", "--num-buckets", str(buckets), "--max-distance", str(distance),
                                "--bidirectional" if bidirectional else "--causal", "--positions", f"{1 - LENGTH}:{LENGTH}")["bucket"]
        starts = [0] + [i for i in range(1, len(theirs)) if theirs[i] != theirs[i - 1]]
        record.add("buckets", buckets, distance, "bidirectional" if bidirectional else "causal")
        record.add("runs", *(f"{int(offsets[i])}:{int(theirs[i])}" for i in starts))
        record.claim("buckets", int((theirs != ours).sum()), 0)
        print("t5", buckets, distance, bidirectional, record.lines[-1])
    return record.write()


def alibi(generator):
    """Bloom's slopes; MPT's, which divide otherwise; Falcon's bias, which rounds to bfloat16."""
    import numpy as np
    import torch
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor as bloom
    from transformers.models.falcon.modeling_falcon import build_alibi_tensor as falcon
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor as mpt
    record = Record("alibi", "ALiBi slopes of transformers' Bloom; float32 as hex bits; scripts/record/parity.py wrote this")
    for name, version in versions().items():
        record.add("version", name, version)
    for heads in (1, 2, 8, 12, 16, 32, 40, 64, 71, 112, 128, 256):
        mask = torch.ones(1, 2)
        theirs = bloom(mask, heads, torch.float32)[:, 0, 1].numpy()
        ours = generator.fields("alibi", "--heads", str(heads), "--dialect", "hf", "--length", "2", "--fields", "slope")["slope"]
        record.add("slopes", heads, hexes(theirs))
        record.claim(f"slopes-{heads}", int(ulps(theirs, ours).max()), 0)
        other = -mpt(heads, 2)[0, :, 0, 0].numpy() if mpt(heads, 2).dim() == 4 else -mpt(heads, 2)[:, 0, 0].numpy()
        record.add("finding", f"MPT's slopes for {heads} heads differ from Bloom's in {int((other != theirs).sum())}, by at most {int(ulps(other, theirs).max())} ulp")
        print("alibi", heads, *record.lines[-2:])
    length = 2048
    exact = bloom(torch.ones(1, length), 71, torch.float32).numpy()
    rounded = falcon(torch.ones(1, length), 71, torch.float32).float().numpy().reshape(exact.shape)
    record.add("finding", f"Falcon's bias for 71 heads and {length} positions is off by up to {np.abs(exact - rounded).max():.4g}: slopes and product are bfloat16")
    print(record.lines[-1])
    return record.write()


def others(generator):
    """GPT-J's table, and the libraries beside transformers."""
    import numpy as np
    import torch
    record = Record("others", "GPT-J's table and other libraries; scripts/record/parity.py wrote this")
    for name, version in versions().items():
        record.add("version", name, version)
    from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
    theirs = create_sinusoidal_positions(LENGTH, 64).numpy()
    ours = generator.fields("rope", "--model", "gpt-j-6b", "--dialect", "gpt-j", "--length", str(LENGTH))["embed_positions"]
    record.claim("gpt-j", int(ulps(theirs, ours).max()), 1)
    plain = generator.fields("rope", "--dim", "64", "--dialect", "hf", "--length", "2", "--fields", "inv_freq")["inv_freq"]
    try:
        from rotary_embedding_torch import RotaryEmbedding
        module = RotaryEmbedding(dim=64)
        record.claim("rotary-embedding-torch-inv_freq", int(ulps(module.freqs.detach().numpy(), plain).max()), 0)
        angles = module(torch.arange(LENGTH)).detach().numpy()[:, ::2]
        ours = generator.fields("rope", "--dim", "64", "--dialect", "transformer-engine", "--length", str(LENGTH))["freqs"].reshape(LENGTH, 64)[:, :32]
        record.claim("rotary-embedding-torch-angles", int(ulps(angles, ours).max()), 0)
    except ImportError as error:
        record.add("absent", "rotary-embedding-torch", error)
    try:
        from x_transformers.x_transformers import AlibiPositionalBias, RotaryEmbedding
        module = RotaryEmbedding(64)
        record.claim("x-transformers-inv_freq", int(ulps(module.inv_freq.numpy(), plain).max()), 0)
        for heads in (8, 12, 71):
            slopes = AlibiPositionalBias(heads=heads, total_heads=heads).slopes.numpy().ravel()
            ours = generator.fields("alibi", "--heads", str(heads), "--length", "2", "--fields", "slope")["slope"]
            record.claim(f"x-transformers-alibi-{heads}", int(ulps(slopes, ours).max()), 1)
    except (ImportError, TypeError, AttributeError) as error:
        record.add("absent", "x-transformers", error)
    try:
        from positional_encodings.torch_encodings import PositionalEncoding1D
        theirs = PositionalEncoding1D(64)(torch.zeros(1, 4096, 64))[0].numpy()
        ours = generator.fields("sinusoidal", "--dim", "64", "--length", "4096")["pe"]
        record.add("finding", f"positional-encodings' 1-D table differs from the exact one by up to {np.abs(theirs - ours).max():.3g} over 4096 positions: "
                              "its angles are float32")
    except ImportError as error:
        record.add("absent", "positional-encodings", error)
    print(*record.lines, sep="\n")
    return record.write()


def findings(_):
    """Where the real program differs from what a config or a paper says: each a name, what was seen, and a command of ours that shows it."""
    import torch
    from transformers import LlamaConfig, Olmo3Config, PhimoeConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
    from transformers.models.olmo3.modeling_olmo3 import Olmo3RotaryEmbedding
    from transformers.models.phimoe.modeling_phimoe import PhimoeRotaryEmbedding
    record = Record("findings", "what was seen in the real programs; scripts/record/parity.py wrote this")
    for name, version in versions().items():
        record.add("version", name, version)

    def find(name, seen, command):
        record.add("finding", f"{name}: {seen}")
        record.add("command", command)
        print(name, seen)

    small = {"hidden_size": 64, "num_attention_heads": 4}
    part = LlamaRotaryEmbedding(LlamaConfig(**small, partial_rotary_factor=0.5)).inv_freq
    find("partial-overlooked", f"LlamaRotaryEmbedding with head 16 and partial_rotary_factor 0.5 turns {2 * len(part)} channels",
         "pe-gen rope --dim 16 --partial-rotary-factor 0.5 --fields inv_freq")

    dynamic = LlamaConfig(**small, max_position_embeddings=64, rope_parameters={"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0})

    def after(*lengths):
        rotary = LlamaRotaryEmbedding(dynamic)
        for length in lengths:
            rotary(torch.zeros(1, 1, 8), torch.arange(length)[None])
        return rotary.inv_freq.clone()
    same = torch.equal
    find("dynamic-history", f"inv_freq for 100 positions after 128 is {'that of 128' if same(after(128, 100), after(128)) else 'its own'}; for 32 after 128 it is "
         f"{'the plain one' if same(after(128, 32), after(32)) else 'not the plain one'}; for 128 after 100 it is {'that of 128' if same(after(100, 128), after(128)) else 'another'}",
         "pe-gen rope --dim 16 --scaling dynamic --factor 2 --max-position 64 --growth resetting --longest-seen 128 --length 100 --fields inv_freq")

    lists = {"short_factor": [1.0] * 8, "long_factor": [4.0] * 8}
    moe = PhimoeConfig(**small, max_position_embeddings=256, original_max_position_embeddings=64,
                       rope_parameters={"rope_type": "longrope", "rope_theta": 10000.0, "short_mscale": 1.25, "long_mscale": 1.5,
                                        "original_max_position_embeddings": 64, **lists})
    try:
        cos, sin = PhimoeRotaryEmbedding(moe)(torch.zeros(1, 128, 8), torch.arange(128)[None])
        factor = float(cos[0, 0, 0])
        turned = "short" if abs(float(cos[0, 1, 0]) - factor * float(torch.cos(torch.tensor(1.0)))) < 1e-6 else "long"
        find("phimoe-list", f"PhimoeRotaryEmbedding turns 128 positions by the {turned} list (original length 64) with an attention factor of {factor:g}",
             "pe-gen rope --dim 16 --scaling longrope --short-factor 1,1,1,1,1,1,1,1 --long-factor 4,4,4,4,4,4,4,4 --original-max-position 64 "
             "--short-mscale 1.25 --long-mscale 1.5 --length 128 --fields inv_freq,attention_factor")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        find("phimoe-list", f"PhimoeRotaryEmbedding does not run: {type(error).__name__} {error}", "pe-gen list scalings")

    def olmo(truncate):
        yarn = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 4096, "rope_theta": 150000.0, "truncate": truncate}
        config = Olmo3Config(hidden_size=256, num_attention_heads=4, rope_parameters={"full_attention": yarn, "sliding_attention": {"rope_type": "default", "rope_theta": 150000.0}})
        return Olmo3RotaryEmbedding(config).full_attention_inv_freq
    find("nested-truncate", f"truncate false inside a layer type's parameters {'changes nothing' if same(olmo(False), olmo(True)) else 'is read'}",
         "pe-gen rope --dim 64 --base 150000 --scaling yarn --factor 8 --original-max-position 4096 --no-truncate --fields inv_freq")
    return record.write()


def main():
    parser = argparse.ArgumentParser(description="Compares with real PyTorch and transformers, and records what they gave.")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/cmd", help="where pe-gen lies")
    parser.add_argument("--venv", type=pathlib.Path, default=ROOT / "build/parity", help="virtual environment, made when absent")
    parser.add_argument("--model", action="append", default=[], help="only these of the catalogue (the record then holds no others)")
    parser.add_argument("--only", choices=["rope", "t5", "alibi", "others", "findings", "powers"], help="one record alone")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.inside:
        enter(arguments.venv.absolute())
    generator = Generator(arguments.bin.resolve())
    jobs = {"rope": lambda: rope(generator, arguments.model), "t5": lambda: t5(generator), "alibi": lambda: alibi(generator),
            "others": lambda: others(generator), "findings": lambda: findings(generator),
            "powers": lambda: powers(generator)}
    failed = sum(job() for name, job in jobs.items() if arguments.only in (None, name))
    print(f"{failed} claims missed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

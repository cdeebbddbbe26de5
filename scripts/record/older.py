#!/usr/bin/env python3
# Records how the last release of transformers 4 reads older configurations: data/families_older.json, data/parity/older.txt.
"""older.py [--venv FOLDER] [--files FILE -o FILE]

Asks every class of transformers 4.57.6 that makes a rotary table which keys it reads (a key is changed, the table looked at): base, part of the
head, and under which name its rule stands in rope_scaling; rows of data/families_older.json. Then it hands them every configuration of
data/parity/families.txt that has no rope_parameters, and every one of random.txt, and keeps the tables that they make in data/parity/older.txt; tests/families_test.cpp holds the
dialect hf-v4 to them. Ten seconds.

--files: configurations of files that families.py --random made, instead; `PE_OLDER_FILES=file pe_tests -tc="older configs*"` judges them.
"""
import argparse
import copy
import importlib
import inspect
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRUTH = ROOT / "data/parity/older.txt"
REQUIRED = ["torch==2.13.0", "transformers==4.57.6", "numpy"]
OTHERWISE = {"moonshine", "zamba2"}  # heads of another width than transformers 5 makes of the same keys: not followed
BASES = ["rope_theta", "rotary_emb_base", "global_rope_theta"]
PARTS = ["partial_rotary_factor", "rotary_pct"]
SECTIONS = {"rope_scaling": {"rope_type": "default", "mrope_section": [24, 20, 20]}}  # which some classes want
LINEAR = {"factor": 4.0}
PLAIN = {"rope_type": "default"}
STRETCH = {"factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}
LONG = {"short_factor": [1.0] * 48, "long_factor": [2.0] * 48}


def sliding_base(key):
    def changed(config):
        config.rope_theta, config.rope_scaling = getattr(config, key), dict(PLAIN)
    return changed


def sliding_plain(config):
    config.rope_scaling = None


def base_of(*keys):
    def changed(config):
        config.rope_theta = next(getattr(config, key) for key in keys if getattr(config, key) is not None)
    return changed


# What models do to their config before they make the table of a kind of layers (modeling_gemma3.py, modeling_gemma3n.py, modeling_olmo3.py,
# modeling_modernbert.py), with the keys that then speak.
GEMMA = {"full_attention": (lambda config: None, ["rope_theta"]), "sliding_attention": (sliding_base("rope_local_base_freq"), ["rope_local_base_freq"])}
BERT = {"full_attention": (base_of("global_rope_theta"), ["global_rope_theta"]),
        "sliding_attention": (base_of("local_rope_theta", "global_rope_theta"), ["local_rope_theta"])}
NULLS = {"modernbert": "global_rope_theta", "modernbert-decoder": "global_rope_theta"}  # the key whose base counts where the layers' own is null
LAYERS = {"gemma3_text": GEMMA, "gemma3n_text": GEMMA, "modernbert": BERT, "modernbert-decoder": BERT,
          "olmo3": {"full_attention": (lambda config: None, ["rope_theta"]), "sliding_attention": (sliding_plain, ["rope_theta"])}}


def rotary_of(C):
    """The classes of turns along one axis in the module of a configuration."""
    module = importlib.import_module(C.__module__.replace("configuration_", "modeling_"))
    return [R for name, R in vars(module).items() if name.endswith("RotaryEmbedding") and "Vision" not in name and inspect.isclass(R)
            and R.__module__ == module.__name__]


def table_of(C, file, change=lambda config: None):
    """(inv_freq, attention factor) of the first class that takes the configuration, or None."""
    config = C(**copy.deepcopy(file))
    change(config)
    for R in rotary_of(C):
        try:
            rotary = R(config=config)
        except TypeError:
            try:
                rotary = R(config)
            except Exception:
                continue
        except Exception:
            continue
        for name, buffer in rotary.named_buffers():
            if name == "inv_freq" and buffer.ndim == 1:
                return buffer.float().numpy(), float(getattr(rotary, "attention_scaling", 1.0) or 1.0)
    return None


def tables_of(C, kind, file):
    """{layer: table}, "" for all; raises what the class says no with."""
    found = {layer: table_of(C, file, change) for layer, (change, _) in LAYERS.get(kind, {"": (lambda config: None, [])}).items()}
    return {layer: table for layer, table in found.items() if table is not None}


class Asked:
    """One class, asked about configurations."""
    def __init__(self, C, change=lambda config: None):
        self.C, self.change = C, change
        self.ground = next((ground for ground in ({}, SECTIONS) if self.table(ground) is not None), None)

    def table(self, file):
        try:
            return table_of(self.C, file, self.change)
        except Exception:  # whatever the class says no with
            return None

    def counts(self, key, value):
        """Whether a key changes the table."""
        one, other = self.table(self.ground), self.table({**self.ground, key: value})
        return other is not None and (len(one[0]) != len(other[0]) or (one[0] != other[0]).any())

    def divides(self, rope):
        """By what an object divides the last frequency; None: the class refuses it."""
        one, other = self.table({"rope_scaling": None, **self.ground}), self.table({"rope_scaling": {**self.ground.get("rope_scaling", {}), **rope}})
        return None if other is None else round(float(one[0][-1] / other[0][-1]), 3)


def rule_keys(asked):
    """The names under which the rule stands in rope_scaling, the first that counts first; []: the object is not read."""
    has = asked.ground.get("rope_scaling") is not None
    as_type = asked.divides({"type": "linear", **LINEAR}) if not has else None
    as_rope_type = asked.divides({"rope_type": "linear", **LINEAR})
    if as_rope_type == 1 and as_type in (1, None):
        return []
    both = asked.divides({"type": "default", "rope_type": "linear", **LINEAR})
    if as_type == 4 and as_rope_type == 4:
        return ["type", "rope_type"] if both == 1 else ["rope_type", "type"]
    return ["type"] if as_type == 4 or as_rope_type is None else ["rope_type"]


def exact_keys(asked, rule):
    """How many keys an object must have where the class takes no other count, else 0."""
    if rule != ["type"]:
        return 0
    own = {"type": "linear", **LINEAR} if asked.divides({"type": "linear", **LINEAR}) else {"type": "longrope", **LONG}
    return len(own) if asked.divides(own) and not asked.divides({**own, "attention_factor": 1.5}) else 0


def row_of(C, kind):
    """How a class reads its configuration; {} where it makes no table of a bare one."""
    asked = Asked(C)
    if asked.ground is None or kind in OTHERWISE:
        return {}
    own = C(**copy.deepcopy(asked.ground))
    bases = [key for key in BASES if asked.counts(key, 123456.0)]
    parts = [key for key in PARTS if asked.counts(key, .75 if getattr(own, key, 1) != .75 else .5)]
    rule = rule_keys(asked)
    row = {"theta_keys": bases, "theta": getattr(own, bases[0]), "partial_keys": parts, "rule": rule}
    part = next((getattr(own, key) for key in parts if getattr(own, key, None) is not None), 1)
    if part != 1:
        row["partial"] = part
    sections = SECTIONS["rope_scaling"]["mrope_section"]
    if asked.table({"rope_scaling": {"mrope_section": sections, **LINEAR}}) is not None:
        row["unnamed"] = "default"  # an object without a rule is plain
    if count := exact_keys(asked, rule):
        row["exact"] = count
    if isinstance(getattr(own, "rope_scaling", None), dict) and asked.ground == {}:
        row["silent"] = own.rope_scaling
    if asked.divides({"rope_type": "default", **STRETCH}) == 4:
        row.update(rule=[], always="llama3")  # whatever the object says
    layers = {}
    for layer, (change, keys) in LAYERS.get(kind, {}).items():
        theirs = Asked(C, change)
        held = next((getattr(own, key) for key in keys if getattr(own, key) is not None))
        layers[layer] = {"theta_keys": keys, "theta": held, "rule": rule_keys(theirs)}
        if kind in NULLS and NULLS[kind] not in keys:
            layers[layer]["null_theta_key"] = NULLS[kind]
    return {**row, "layers": layers} if layers else row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=pathlib.Path, default=ROOT / "build/older-venv")
    parser.add_argument("--files", type=pathlib.Path, nargs="+", metavar="FILE",
                        default=[ROOT / "data/parity/families.txt", ROOT / "data/parity/random.txt"])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=TRUTH)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.inside:
        python = arguments.venv / "bin/python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", arguments.venv], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIRED], check=True)
        os.execv(python, [str(python), __file__, "--inside", *sys.argv[1:]])
    os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    import transformers
    from families import truth_of
    from transformers import CONFIG_MAPPING
    recorded = json.loads((ROOT / "data/families.json").read_text())["types"]
    kinds, lines = set(), []
    for line in [line for path in arguments.files for line in path.read_text().splitlines()]:
        if line.startswith("#"):
            continue
        head, text = line.split("\t")
        head, file = json.loads(head), json.loads(text)
        kind = file["model_type"]
        if "part" in recorded.get(kind, {"part": ""}) or kind not in CONFIG_MAPPING:
            continue
        if "rope_parameters" in file and "case" in head:  # random ones are enough of those
            continue
        kinds.add(kind)
        if kind in OTHERWISE:
            continue
        try:
            made = tables_of(CONFIG_MAPPING[kind], kind, {k: v for k, v in file.items() if k != "model_type"})
        except Exception:  # whatever the class says no with
            continue
        if made:
            lines.append(json.dumps({"case": head.get("case", "random"), "is": truth_of(made)}) + "\t" + text + "\n")
    version = transformers.__version__
    title = (f"# transformers {version}: older configurations and the tables of its classes; what they make, a tab, the configuration; "
             "written by scripts/record/older.py\n")
    arguments.output.write_text(title + "".join(lines))
    print(f"{len(kinds)} model types, {len(lines)} configurations")
    if arguments.output != TRUTH:
        return
    rows = ",\n".join(f"{json.dumps(kind)}: {json.dumps(row_of(CONFIG_MAPPING[kind], kind))}" for kind in sorted(kinds))
    (ROOT / "data/families_older.json").write_text(
        f'{{"_what": "how the class of each model type of transformers {version} reads an older configuration: the keys of the base and of the part of '
        'the head that turns, what it holds for them, and the keys of the rule in rope_scaling; asked of the classes by scripts/record/older.py", '
        f'"_version": "{version}", "types": {{\n{rows}\n}}}}\n')


if __name__ == "__main__":
    main()

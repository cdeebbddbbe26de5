#!/usr/bin/env python3
# Records what the last release of transformers 4 makes of older configurations: data/families_older.json, data/parity/older.txt.
"""older.py [--venv FOLDER]

Hands every configuration of data/parity/families.txt that has no rope_parameters to the classes of transformers 4.57.6, and keeps the
tables that they make; tests/families_test.cpp holds the dialect hf-v4 to them. Types that 4.57.6 has, and the base that its class holds
where transformers 5 holds another, go to data/families_older.json. About three minutes. By hand: OTHERWISE, types whose classes 4.57.6
wrote in a way that the library does not follow (two tables by layer, another width, a scaling overlooked); the test names what is wrong without it.
"""
import argparse
import importlib
import inspect
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REQUIRED = ["torch==2.13.0", "transformers==4.57.6", "numpy"]
OTHERWISE = {"apertus", "moonshine", "nemotron", "gemma3_text", "gemma3n_text", "modernbert", "modernbert-decoder", "olmo3", "zamba2"}


def rotary_of(C):
    """The classes of turns along one axis in the module of a configuration."""
    module = importlib.import_module(C.__module__.replace("configuration_", "modeling_"))
    return [R for name, R in vars(module).items() if name.endswith("RotaryEmbedding") and "Vision" not in name and inspect.isclass(R)
            and R.__module__ == module.__name__]


def table_of(C, file):
    """(inv_freq, attention factor) of the first class that takes the configuration, or None."""
    config = C(**json.loads(json.dumps(file)))
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=pathlib.Path, default=ROOT / "build/older-venv")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.inside:
        python = arguments.venv / "bin/python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", arguments.venv], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIRED], check=True)
        os.execv(python, [str(python), __file__, "--inside"])
    os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    import transformers
    from families import truth_of
    from transformers import CONFIG_MAPPING
    recorded = json.loads((ROOT / "data/families.json").read_text())["types"]
    types, lines = {}, []
    for line in (ROOT / "data/parity/families.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        head, text = line.split("\t")
        head, file = json.loads(head), json.loads(text)
        kind = file["model_type"]
        if "part" in recorded[kind] or "rope_parameters" in file or kind not in CONFIG_MAPPING:
            continue
        if kind in OTHERWISE:
            types[kind] = {"otherwise": True}
            continue
        try:
            made = table_of(CONFIG_MAPPING[kind], {k: v for k, v in file.items() if k != "model_type"})
        except Exception:  # whatever the class says no with
            continue
        if made is None:
            continue
        row = types.setdefault(kind, {})
        if head["case"] == "bare":
            theirs, ours = getattr(CONFIG_MAPPING[kind](), "rope_theta", None), recorded[kind].get("theta")
            if theirs is not None and ours is not None and theirs != ours:
                row["theta"] = theirs
        lines.append(json.dumps({"case": head["case"], "is": truth_of({"": made})}) + "\t" + text + "\n")
    version = transformers.__version__
    rows = ",\n".join(f"{json.dumps(kind)}: {json.dumps(types[kind])}" for kind in sorted(types))
    (ROOT / "data/families_older.json").write_text(
        f'{{"_what": "model types that transformers {version} has, and the base that its class holds where the newest release holds another; '
        f'written by scripts/record/older.py", "_version": "{version}", "types": {{\n{rows}\n}}}}\n')
    (ROOT / "data/parity/older.txt").write_text(f"# transformers {version}: older configurations and the tables of its classes; what they make, "
                                                "a tab, the configuration; written by scripts/record/older.py\n" + "".join(lines))
    print(f"{len(types)} model types, {len(lines)} configurations")


if __name__ == "__main__":
    main()

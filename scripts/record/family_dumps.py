#!/usr/bin/env python3
# Records what a user would dump of each kind of model type: its own class's cosines and sines, and queries that its own function turned.
"""family_dumps.py [--venv FOLDER] [--files FILE --seed S --count N -o FOLDER]

families.py asks the real classes for frequencies; a user of pe-verify brings what the forward pass gives. Of every model type whose class
keeps its cosines and sines in a way of its own, and of one type for every way to pair channels, this script writes a configuration of the
model's type alone, the class's output, queries before and after the model's own function, and manifest.json, which says the configuration
and the dialect hf and nothing else: data/parity/family_dumps. `pe-verify run` passes all of them. It takes the environment of families.py.

--files: configurations that `families.py --random` wrote instead, in lengths and precisions drawn from the seed; the manifest in FOLDER
judges them: `pe-verify run FOLDER/manifest.json`. What a class cannot make is counted by its reason.
"""
import argparse
import collections
import copy
import importlib
import inspect
import json
import pathlib
import random
import sys

import families
from parity_dumps import Collection

FOLDER = families.ROOT / "data/parity/family_dumps"
HEADS = 2


class Refused(Exception):
    """What the classes cannot make of a file, or what is no table along one axis."""


class Family:
    """A configuration with its real classes."""

    def __init__(self, rotaries, file):
        from world import make_rotary
        C, R = rotaries[file["model_type"]]
        self.file, self.module = file, importlib.import_module(R.__module__)
        try:
            self.config = C(**{key: value for key, value in copy.deepcopy(file).items() if key != "model_type"})
            self.rotary = make_rotary(R, self.config)
        except Exception as error:
            raise Refused(f"not made: {error}") from error

    def parts(self, layer, length, dtype):
        """What the forward pass hands to the attention: cosines and sines, or turns."""
        import torch
        try:
            out = self.rotary(torch.zeros(1, length, 8, dtype=dtype), torch.arange(length)[None], *([layer] if layer else []))
        except Exception as error:
            raise Refused(f"no forward pass: {error}") from error
        parts = [part.detach() for part in (out if isinstance(out, tuple) else (out,))]
        if any(part.dim() != 3 for part in parts):
            raise Refused("a table of several axes")
        return parts

    def turned(self, parts, pairs, dtype):
        """(queries, what the model's own function makes of them, the order of their axes)"""
        import torch
        import turns
        apply = turns.chosen(self.module, self.config)
        if apply is None:
            raise Refused("no function that turns")
        alone = not {"k", "xk"} & set(inspect.signature(apply).parameters)
        length = parts[0].shape[1]
        try:
            head = getattr(self.config, "head_dim", None)
        except Exception:  # layers have heads of their own
            head = None
        for width in dict.fromkeys([2 * pairs, head or 2 * pairs]):
            for axes, shape in (("bhsd", (1, HEADS, length, width)), ("bshd", (1, length, HEADS, width))):
                q, k = torch.randn(shape, dtype=dtype), torch.randn(shape, dtype=dtype)
                try:
                    out = apply(q, *parts) if alone else apply(q, k, *parts)
                except Exception:  # a width or an order that is not the function's
                    continue
                out = out[0] if isinstance(out, tuple) else out
                if out.shape == q.shape:
                    return q, out.to(dtype), axes
        raise Refused("no shape that the function takes")


def dump(collection, family, stem, layer, length, dtype):
    """One configuration's table and turned queries, with a check for each."""
    import torch
    from world import tables_of
    parts = family.parts(layer, length, dtype)
    pairs = len(tables_of(family.config, type(family.rotary))[0][layer][0])
    keys = {"config": f"{stem}.json", "encoding": "rope", "dialect": "hf", "length": length, **({"layer_type": layer} if layer else {})}
    name = f"{family.file['model_type']}{' ' + layer if layer else ''} ({stem})"
    (collection.folder / f"{stem}.json").write_text(json.dumps(family.file) + "\n")
    save = collection.npz if dtype == torch.float32 else collection.safetensors  # NumPy's archives have no bfloat16
    if torch.is_complex(parts[0]):
        saved = collection.npz(f"{stem}-table", turns=parts[0].squeeze(0))
    else:
        saved = save(f"{stem}-table", **dict(zip(("cos", "sin"), parts)))
    collection.check(f"{name} table", list(saved.values()) if len(saved) > 1 else saved["turns"], **keys)
    try:
        q, out, axes = family.turned(parts, pairs, dtype)
    except Refused as reason:
        return str(reason)
    saved = save(f"{stem}-vectors", q=q, out=out)
    collection.check(f"{name} queries", saved["out"], before=saved["q"], axes=axes, **keys)
    return None


def samples(rotaries):
    """Bare configurations: every type that keeps its turns in a way of its own, and the first of each pairing, order and place of the part that turns."""
    seen = set()
    for kind, row in json.loads(families.RECORDS.read_text())["types"].items():
        if kind not in rotaries:
            continue
        way = tuple(json.dumps(row.get(key)) for key in ("pairing", "sign", "at", "order"))
        layers = sorted(layer for layer, own in row.get("layers", {}).items() if not own.get("void")) or [""]
        if "keeps" in row or way not in seen:
            seen.add(way)
            yield {"model_type": kind}, layers, kind


def drawn(path, seed, count):
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    random.Random(seed).shuffle(lines)
    for number, line in enumerate(lines[:count]):
        head, text = line.split("\t")
        yield json.loads(text), list(json.loads(head)["is"]), f"{number}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=pathlib.Path, default=families.ROOT / "build/families-venv")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--files", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=FOLDER)
    arguments = parser.parse_args()
    if not arguments.inside:
        families.enter(arguments.venv, __file__)
    sys.path.insert(0, str(families.ROOT / "scripts/record/families"))
    import torch
    from world import world
    rotaries, rng, left = world(), random.Random(arguments.seed), collections.Counter()
    torch.manual_seed(arguments.seed)
    arguments.output.mkdir(parents=True, exist_ok=True)
    collection = Collection(arguments.output)
    for file, layers, stem in drawn(arguments.files, arguments.seed, arguments.count) if arguments.files else samples(rotaries):
        for place, layer in enumerate(layers):
            length, dtype = 12, torch.float32
            if arguments.files:
                length, dtype = rng.choice([16, 40, 200, 1300]), rng.choice([torch.float32, torch.float32, torch.bfloat16, torch.float16])
            try:
                reason = dump(collection, Family(rotaries, file), f"{stem}-{place}" if place else stem, layer, length, dtype)
            except Refused as refused:
                reason = str(refused)
            except KeyError:
                reason = "not a class of turns along one axis"
            if reason:
                left[f"{file['model_type']}: {reason[:70]}"] += 1
    collection.write()
    for reason, count in sorted(left.items()):
        print(f"left out {count} x {reason}")


if __name__ == "__main__":
    main()

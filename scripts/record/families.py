#!/usr/bin/env python3
# Records how every model type of transformers reads its configuration, by asking the real classes: data/families.json.
"""families.py [--venv FOLDER] [--only turns|tables|saved|scores] [TYPE ...]

Makes a virtual environment with PyTorch and transformers, asks each configuration and rotary class what it reads (a key is changed,
the table looked at), writes data/families.json, a line for each model type, and data/parity/families.txt: configurations with what the
real classes make of them, and data/parity/turns.txt: unit vectors as each model's own function turns them; tests/families_test.cpp holds
the library to both. Tables that a model adds go to data/families_tables.json
and data/parity/tables.txt likewise: models are built without numbers, keys changed, and the table's shape looked at. data/parity/saved.txt has what every class saves of itself,
data/parity/scores.txt what attention makes of relative positions on grids and pages. Prints what changed
against the files as they are, and every configuration whose record does not predict the real table. With types named, asks those alone
and writes nothing. --only: one part, and its files.

RANDOM FILES: --random SEED --count N writes N files that the classes accept, in spellings mixed at random, and their tables to -o, or, of the
seed in data/parity/random.txt, there. `PE_RANDOM_FILES=file pe_tests -tc="random files*"` judges the library by another seed's.

A NEW RELEASE: raise the version in REQUIRED, run this (about 3 minutes for the turns and 7 for the tables on one core), read the lines
`new:`, `gone:`, `was …, is …` and the diff of data/, and run tests/families_test.cpp. By hand are left: what is printed as `not predicted`
or `not explained` (a key that the probes do not know, or a rule that needs code in lib/pe/configs), types printed as `not asked`, and
the rows of data/families_elsewhere.json that name a version, whose numbers families/fixed.py asks for again.

TRIED: 5.0.0 recorded first (170 model types, 3 088 configurations, none that its record does not predict, 44 s of processor time), then
5.23.0 (305 types, 5 491 configurations, 83 s): 136 types new, one gone, 163 lines `was …, is …`. What 5.0.0 asked of the recorder was one
question more: there a part that stands inside the object does not count once there is a scaling (`scaled_partial_inside`), or at all.
Then 5.24.0 (388 types, 8 161 configurations, 9 minutes of processor time for all, 12 by the clock on a busy machine, and 17 to
mend what that showed): 16 types new, none gone. It asked for sections that fill a head of another width (`sections_of`; more of two older types came to
light by it), for the bias that LayoutLMv3's encoder now sums itself, and for types that have no model of their own (`borrowed`: EXAONE, Sarvam).
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDS, TRUTH = ROOT / "data/families.json", ROOT / "data/parity/families.txt"
RANDOM_TRUTH = ROOT / "data/parity/random.txt"
SAVED_TRUTH = ROOT / "data/parity/saved.txt"
TURN_TRUTH = ROOT / "data/parity/turns.txt"
AXES_TRUTH = ROOT / "data/parity/axes.txt"
SCORE_TRUTH = ROOT / "data/parity/scores.txt"
TABLES, TABLE_TRUTH = ROOT / "data/families_tables.json", ROOT / "data/parity/tables.txt"
REQUIRED = ["torch==2.13.0", "transformers==5.24.0", "numpy", "scipy"]  # SciPy: losses of segmentation, without which EoMT is not made
SAMPLES = 5  # frequencies kept of a table; a hash holds the others


def enter(folder, script=__file__):
    """Runs the script again inside a virtual environment that has the programs."""
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIRED], check=True)
    os.environ["PYTHONHASHSEED"] = "0"  # classes make sets of layer types
    os.execv(python, [str(python), script, "--inside", *sys.argv[1:]])


def hash_of(table):
    """FNV-1a, 64 bits, of the little-endian float32 bytes."""
    value = 0xCBF29CE484222325
    for byte in table.astype("<f4").tobytes():
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{value:016x}"


def truth_of(tables):
    """{layer: [pairs, attention factor, hash, {index: bits}]}"""
    import numpy as np
    out = {}
    for layer, (freq, factor) in sorted(tables.items()):
        picked = sorted({round(k * (len(freq) - 1) / (SAMPLES - 1)) for k in range(SAMPLES)})
        bits = np.ascontiguousarray(freq, "<f4").view("<u4")
        out[layer] = [len(freq), factor, hash_of(freq), {str(k): f"{bits[k]:08x}" for k in picked}]
    return out


def ask_type(kind, C, R, missed):
    """(record, [truths]) of one model type; what the record does not predict goes to `missed`."""
    import attention
    import numpy as np
    from cases import cases
    from probe import probe
    from reading import predicts
    from world import tables, told, with_sections
    record, probed = probe(C, R)
    record |= attention.ask(C, R, record)
    truths = []
    for name, file in cases(record, probed, random.Random(kind)):
        made = None
        for file in with_sections(record, {**told(record), **file, **told(record)}):
            try:
                made, _ = tables(C, R, json.loads(json.dumps(file)))
                break
            except Exception:
                continue
        if made is None:  # the class refuses this file: there is no truth
            continue
        if any(freq.ndim != 1 or not len(freq) or not np.isfinite(freq).all() for freq, _ in made.values()):
            continue
        truths.append({"type": kind, "case": name, "file": file, "is": truth_of(made)})
        for layer, (freq, factor) in made.items():
            why = predicts(record, file, layer, freq, factor)
            if why:
                missed.append((kind, name, layer, why))
    return record, truths


def composite_truths(kind, row, rows, classes, rotaries):
    """Truths of a composite: its default file, a file that says nothing, and both spellings in its speaking part."""
    from world import tables_of
    C = next(c for c in classes if c.model_type == kind)
    def make(file):
        config, here, path = C(**json.loads(json.dumps(file))), kind, []
        while here in rows and "part" in rows[here]:
            path.append(rows[here]["part"])
            config = getattr(config, path[-1])
            here = config.model_type
        return tables_of(config, rotaries[here][1])[0], path
    from cases import kept
    try:
        _, path = make({})
    except Exception:
        return []
    def inside(value):
        for key in reversed(path):
            value = {key: value}
        return value
    files = {"bare": {}, "v4 part": inside({"rope_theta": 54321.0, "hidden_size": 1024, "num_attention_heads": 16}),
             "v5 part": inside({"rope_parameters": {"rope_type": "default", "rope_theta": 54321.0}}),
             "linear part": inside({"rope_theta": 54321.0, "rope_scaling": {"rope_type": "linear", "factor": 4.0}})}
    try:
        files["default"] = kept(C().to_dict(), path)
    except Exception:
        pass
    truths = []
    for name, file in files.items():
        try:
            truths.append({"type": kind, "case": name, "file": file, "is": truth_of(make(file)[0])})
        except Exception:
            continue
    return truths


def part_truths(kind, row, rows, classes, rotaries):
    """Truths of a type's other parts that turn: its default file, one that says nothing, and both spellings in the part."""
    from cases import kept
    from world import tables_of
    C, truths = next(c for c in classes if c.model_type == kind), []
    def made(file, path):
        config = C(**json.loads(json.dumps(file)))
        for key in path:
            config = getattr(config, key)
        return tables_of(config, rotaries[config.model_type][1])[0]
    for name, here in sorted(row.get("others", {}).items()):
        path = [name]
        while "part" in rows.get(here, {}):
            path.append(rows[here]["part"])
            here = rows[here]["type"]
        if here not in rotaries or "width" not in rows.get(here, {}):
            continue
        def inside(value):
            for key in reversed(path):
                value = {key: value}
            return value
        files = {"bare": {}, "v4 part": inside({"rope_theta": 54321.0, "hidden_size": 1024, "num_attention_heads": 16}),
                 "v5 part": inside({"rope_parameters": {"rope_type": "default", "rope_theta": 54321.0}})}
        try:
            files["default"] = kept(C().to_dict(), path)
        except Exception:  # no part without a file
            pass
        for label, file in files.items():
            try:
                truths.append({"type": kind, "case": f"{label} {name}", "part": name, "file": file, "is": truth_of(made(file, path))})
            except Exception:
                continue
    return truths


def record_tables(asked, turning=frozenset()):
    """(rows, truths) of the tables that models add."""
    import axial
    import fixed
    import none
    import tables
    rows, truths, unknown = [], [], []
    for kind, C in tables.kinds():
        if asked and kind not in asked:
            continue
        try:
            own, missed, made = tables.record(kind, C)
            for found, more in zip((own, missed, made), tables.record_bias(kind, C)):
                found += more
            tables.name_others(kind, C, own)
        except Exception as error:  # what this machine lacks, or a class that needs a file
            print(f"{kind}: tables not asked, {type(error).__name__} {str(error)[:80]}", file=sys.stderr)
            continue
        rows, unknown, truths = rows + own, unknown + missed, truths + made
        if own:
            print(f"{kind}: {len(own)} tables", file=sys.stderr)
    for kind, classes in axial.classes().items():
        if asked and kind not in asked:
            continue
        row, made = axial.record(kind, *classes)
        if row:
            rows.append(row)
            truths += made
        else:
            unknown.append((kind, "turns by row and column as no convention does"))
    for what in unknown:
        print("not explained:", *what)
    if not asked:
        truths += fixed.truths()
        known = turning | types_elsewhere() | {kind for row in rows for kind in row["types"].split()}
        rows += [row for row in [none.record(known)] if row]
    return rows, truths


def write_turns(rows, rotaries, version):
    import turns
    made = [truth for kind in sorted(rows.keys() & rotaries.keys()) if "part" not in rows[kind] for truth in turns.all_truths(kind, rotaries[kind], rows[kind])]
    TURN_TRUTH.write_text(f"# transformers {version}: unit vectors at position 3 as each model's own function turns them, [from, to, value]; "
                          "what it makes, a tab, the configuration; written by scripts/record/families.py\n"
                          + "".join(json.dumps({"layer": t["layer"], "is": t["is"]}) + "\t" + json.dumps({"model_type": t["type"], **t["file"]}) + "\n" for t in made))


def write_axes(rows, rotaries, version):
    import turns
    made = [truth for kind in sorted(rows.keys() & rotaries.keys()) if rows[kind].get("encoding") == "mrope" and rows[kind]["order"] in ("sectioned", "interleaved")
            for truth in turns.axial_truths(kind, *rotaries[kind])]
    AXES_TRUTH.write_text(f"# transformers {version}: unit vectors at time, height and width {turns.COORDINATES} as each model's own function turns them, "
                          "[from, to, value]; what it makes, a tab, the configuration; written by scripts/record/families.py\n"
                          + "".join(json.dumps(t["is"]) + "\t" + json.dumps({"model_type": t["type"], **t["file"]}) + "\n" for t in made))


def types_elsewhere(refused=True):
    """The types of rows by hand; those that say why nothing can be read, too, or not. A row of some architectures (Grok's files say git) is not of the type."""
    rows = [row for row in json.loads((ROOT / "data/families_elsewhere.json").read_text())["rows"] if not row.get("when", "").startswith("architectures=")]
    return {kind for row in rows if refused or "refuse" not in row for kind in row["types"].split()}


def show_changes(old, rows):
    for kind in sorted(old.keys() | rows.keys()):
        if kind not in old:
            print("new:", kind)
        elif kind not in rows:
            print("gone:", kind)
        else:
            for key in sorted(old[kind].keys() | rows[kind].keys()):
                if old[kind].get(key) != rows[kind].get(key):
                    print(f"{kind}: {key} was {json.dumps(old[kind].get(key))}, is {json.dumps(rows[kind].get(key))}")


def held_keys(row):
    return sorted({part for text in row["width"] for part in re.split("[/+]", text.removeprefix("2*"))}
                  | {"max_position_embeddings", "partial_rotary_factor"})


def by_name(tables):
    return {f'{row["types"]} {row.get("part", "")}'.strip(): row for row in tables}


def write_tables(rows, truths, version):
    TABLES.write_text(f'{{"_what": "tables of positions that models of transformers add, asked of its classes by scripts/record/families.py", '
                      f'"_version": {json.dumps(version)}, "rows": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]}\n")
    TABLE_TRUTH.write_text(f"# transformers {version}: shapes and numbers of the tables that the real classes make; what they are, a tab, the "
                           "configuration; written by scripts/record/families.py\n"
                           + "".join(json.dumps({"part": t["part"], "is": t["is"]}) + "\t" + json.dumps(t["file"]) + "\n" for t in truths))


def line_of(truth):
    file = {"model_type": truth["type"], **truth["file"]}
    part = {"part": truth["part"]} if "part" in truth else {}
    return json.dumps({"case": truth["case"], **part, "is": truth["is"]}) + "\t" + json.dumps(file) + "\n"


def write(rows, truths, version):
    lines = [f'{json.dumps(kind)}: {json.dumps(rows[kind], sort_keys=True)}' for kind in sorted(rows)]
    RECORDS.write_text(f'{{"_what": "how each model type of transformers reads its configuration, asked of its classes by '
                       f'scripts/record/families.py", "_version": {json.dumps(version)}, "types": {{\n' + ",\n".join(lines) + "\n}}\n")
    TRUTH.write_text(f"# transformers {version}: configurations and the tables of the real classes; "
                     "what they make, a tab, the configuration; written by scripts/record/families.py\n"
                     + "".join(line_of(truth) for truth in truths))


def show_missed(missed):
    for miss in missed:
        print("not predicted:", *miss)


def ask_turns(types, rotaries):
    """(rows, truths, what no record predicts) of the types that turn."""
    rows, truths, missed = {}, [], []
    for kind in types or sorted(rotaries):
        try:
            rows[kind], made = ask_type(kind, *rotaries[kind], missed)
        except Exception as error:  # the whole of a composite, or a table of something else than positions
            print(f"{kind}: not asked, {error}", file=sys.stderr)
            continue
        truths += made
        print(f"{kind}: {len(made)} configurations", file=sys.stderr)
    return rows, truths, missed


def record_turns(rotaries, types, added, version):
    from parts import beside, composites
    from world import all_configurations
    rows, truths, missed = ask_turns(types, rotaries)
    if not types:
        classes = all_configurations()
        placed = [row for row in added if "refuse" not in row]
        found = {**composites(classes, rows, held_keys, types_elsewhere(), added),  # a part that has positions speaks first, of those one that can be read
                 **composites(classes, rows, held_keys, types_elsewhere(), placed),
                 **composites(classes, rows, held_keys, types_elsewhere(refused=False), placed)}
        rows |= found
        for kind, parts in beside(classes, rows, held_keys, types_elsewhere(), added).items():
            rows[kind] = {**rows.get(kind, {}), **parts}
        for kind in sorted(found):
            truths += composite_truths(kind, found[kind], rows, classes, rotaries)
        for kind in sorted(kind for kind in rows if "others" in rows[kind]):
            truths += part_truths(kind, rows[kind], rows, classes, rotaries)
        show_changes(json.loads(RECORDS.read_text())["types"] if RECORDS.exists() else {}, rows)
        write(rows, truths, version)
        write_turns(rows, rotaries, version)
        write_axes(rows, rotaries, version)
    show_missed(missed)
    print(f"{len(rows)} model types, {len(truths)} configurations, {len(missed)} tables that no record predicts")


def write_random(seed, count, path, rotaries, version):
    import chance
    from transformers import CONFIG_MAPPING
    rows = json.loads(RECORDS.read_text())["types"]
    classes = {name: CONFIG_MAPPING[name] for name in rows if name in CONFIG_MAPPING}
    made = chance.truths(seed, count, rotaries, rows, classes)
    path.write_text(f"# transformers {version}: {count} random files, seed {seed}, and the tables of the real classes; what they make, a tab, the "
                    "configuration; written by scripts/record/families.py\n"
                    + "".join(json.dumps({"is": truth_of(tables)}) + "\t" + json.dumps(file) + "\n" for file, tables in made))


def write_saved(rotaries, version):
    import saved
    from world import all_configurations
    rows, tables = json.loads(RECORDS.read_text())["types"], json.loads(TABLES.read_text())["rows"]
    made = saved.truths(all_configurations(), rows, rotaries, tables, types_elsewhere(), truth_of)
    SAVED_TRUTH.write_text(f"# transformers {version}: what every class saves of itself (save_pretrained) and makes of it again; what it makes, a tab, the "
                           "configuration without keys of words and weights; written by scripts/record/families.py\n"
                           + "".join(json.dumps(what) + "\t" + json.dumps(file) + "\n" for what, file in made))


def write_scores(version):
    import scores
    SCORE_TRUTH.write_text(f"# transformers {version}: weights that attention of the real classes makes of relative positions on a grid or a page, of numbers "
                           "by the formulas of families/scores.py; what they are, a tab, the configuration; written by scripts/record/families.py\n"
                           + "".join(json.dumps({"layer": t["layer"], "is": t["is"]}) + "\t" + json.dumps(t["file"]) + "\n" for t in scores.truths()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=pathlib.Path, default=ROOT / "build/families-venv")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--only", choices=["turns", "tables", "saved", "scores"])
    parser.add_argument("--random", type=int, metavar="SEED")
    parser.add_argument("--count", type=int, default=1200, metavar="N")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=RANDOM_TRUTH)
    parser.add_argument("types", nargs="*")
    arguments = parser.parse_args()
    if not arguments.inside:
        enter(arguments.venv)
    sys.path.insert(0, str(pathlib.Path(__file__).with_suffix("")))
    import transformers
    from world import world
    version, held = transformers.__version__, json.loads(TABLES.read_text())["rows"] if TABLES.exists() else []
    rotaries = world()
    if arguments.random is not None:
        write_random(arguments.random, arguments.count, arguments.output, rotaries, version)
        return
    if arguments.only in (None, "tables"):
        tables, truths = record_tables(arguments.types, rotaries.keys())
        if not arguments.types:
            show_changes(by_name(held), by_name(tables))
            write_tables(tables, truths, version)
            held = tables
    if arguments.only in (None, "turns"):
        record_turns(rotaries, arguments.types, held, version)
    if arguments.only in (None, "saved") and not arguments.types:
        write_saved(rotaries, version)
    if arguments.only in (None, "scores") and not arguments.types:
        write_scores(version)


if __name__ == "__main__":
    main()

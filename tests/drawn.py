#!/usr/bin/env python3
"""Numbers that nobody gave are drawn, and whoever gets them is told so, unless the draw was asked for.

Where another --seed makes other numbers, each tool warns when none is given, names options that give trained ones, and
writes the warning into the file; where it makes the same, nobody is warned.

  tests/drawn.py --bin build/dev/cmd"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from count import Count

count = Count()
WARNING = ": warning: the numbers of "
# Options that are no defaults, under which other numbers are drawn, or none.
FORMS = {"swin": [[], ["--form", "continuous"], ["--fields", "index"]], "tupe": [[], ["--form", "paper"], ["--fields", "index"]],
         "floater": [[], ["--dynamics", "mlp"], ["--dynamics", "zero"]], "kerple": [[], ["--r1", "1", "--r2", "1"], ["--r1", "1"]],
         "transformer-xl": [[], ["--fields", "table"], ["--fields", "sinusoid"]], "fire": [[], ["--fields", "argument"]]}


def run(tool, *words, folder):
    return subprocess.run([tool, *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def arrays_of(path):
    return {name: array.tobytes() for name, array in np.load(path).items()}


def warned(done):
    return [line for line in done.stderr.splitlines() if WARNING in line]


def fields(gen, name, form, folder):
    """pe-gen: another seed makes other numbers where it warns, and there alone."""
    other = [run(gen, name, *form, "--length", "4", "--seed", seed, "-o", f"{seed}.npz", folder=folder) for seed in ("1", "2")]
    count.check(all(done.returncode == 0 and not warned(done) for done in other), f"pe-gen {name} {form} --seed: {other[0].stderr}")
    drawn = arrays_of(folder / "1.npz") != arrays_of(folder / "2.npz")
    plain = run(gen, name, *form, "--length", "4", "-o", "plain.json", folder=folder)
    told = warned(plain)
    count.check(plain.returncode == 0 and len(told) == drawn, f"pe-gen {name} {form}: drawn {drawn}, and says {plain.stderr!r}")
    notes = json.loads((folder / "plain.json").read_text()).get("provenance", {}).get("warnings", [])
    count.check(bool(notes) == drawn, f"pe-gen {name} {form}: drawn {drawn}, and its file says {notes}")
    if told:
        options = told[0].rsplit(" by ", 1)[1].replace(",", "").replace(" or ", " ").split()
        known = run(gen, name, "--help", folder=folder).stdout
        count.check(options and all(f"  {option} " in known for option in options), f"pe-gen {name}: {options} are not all its options")


def quantities(analyze, listed, folder):
    """pe-analyze: of what is measured the draw is told where another seed changes what comes out, and there alone."""
    seeded = [row for row in listed["encodings"] if any(one["name"] == "seed" for one in row["parameters"]) and row["name"] != "floater"]
    for quantity in listed["quantities"]:
        for row in seeded:
            if not {"any", row["name"], row["kind"]} & set(quantity["kind"].split()):
                continue
            words = [quantity["name"], row["name"], *([] if row["name"] in ("swin", "decomposed") else ["--length", "64"])]
            one, other = (run(analyze, *words, "--seed", seed, folder=folder).stdout for seed in ("1", "2"))
            plain = run(analyze, *words, folder=folder)
            if plain.returncode == 2:  # a quantity that has no draw of its own
                count.check("or --seed for what training starts from" in plain.stderr, f"pe-analyze {words}: {plain.stderr}")
                continue
            told = plain.stderr.count("the numbers of " + row["name"] + " are drawn, as before training (--seed 0): trained ones are given by --")
            count.check(plain.returncode == 0 and told == (one != other), f"pe-analyze {words}: another seed changes it: {one != other}; it says {plain.stderr!r}")


def bucket_laws(verify, folder):
    """Laws of buckets, and of how an encoding is made, see no trained number."""
    for law in ("buckets-total", "buckets-by-offset", "buckets-covered", "clipped", "deterministic", "length-invariant"):
        for name in ("tupe", "transformer-xl"):
            done = run(verify, law, name, "--length", "8", folder=folder)
            count.check(done.returncode in (0, 1, 2) and "drawn" not in done.stderr, f"pe-verify {law} {name}: {done.stderr}")
    done = run(verify, "toeplitz", "kerple", "--length", "8", folder=folder)
    count.check(len(warned(done)) == 1, f"pe-verify toeplitz kerple: {done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    tools = parser.parse_args().bin.resolve()
    gen, apply, analyze = (str(tools / tool) for tool in ("pe-gen", "pe-apply", "pe-analyze"))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        listed = json.loads(run(gen, "list", "encodings", "--json", folder=folder).stdout)["encodings"]
        for row in listed:
            name, seeds = row["name"], [one for one in row["parameters"] if one["name"] == "seed"]
            if not seeds:
                done = run(gen, name, "--length", "4", folder=folder)
                count.check(done.returncode == 0 and not warned(done), f"pe-gen {name} draws nothing, and says {done.stderr}")
                continue
            if "default" not in seeds[0]:  # without --seed nothing is drawn
                done = run(gen, name, "--length", "4", folder=folder)
                count.check(done.returncode == 0 and not warned(done), f"pe-gen {name}: {done.returncode} {done.stderr}")
                continue
            for form in FORMS.get(name, [[]]):
                fields(gen, name, form, folder)
            if name == "floater":  # nothing at its defaults
                continue
            for tool, words in ((apply, [name, "--random", "1,8,4,64"]), (analyze, ["attention", name, "--length", "8"])):
                done = run(tool, *words, "-o", "out.npz", folder=folder)
                count.check(done.returncode == 0 and len(warned(done)) == 1, f"{words}: {done.stderr}")
                asked = run(tool, *words, "--seed", "1", "-o", "out.npz", folder=folder)
                count.check(asked.returncode == 0 and not warned(asked), f"{words} --seed 1: {asked.stderr}")
        for name in ("t5", "shaw", "deberta", "decomposed"):  # drawn by the quantity itself, which says so
            done = run(analyze, "attention", name, "--length", "8", "-o", "out.npz", folder=folder)
            count.check(done.returncode == 0 and "are drawn, as before training (--seed 0): trained ones are given by --" in done.stderr, f"attention {name}: {done.returncode} {done.stderr}")
        every = json.loads(run(analyze, "list", "--json", folder=folder).stdout)
        quantities(analyze, every, folder)
        bucket_laws(tools / "pe-verify", folder)
    return count.close()


if __name__ == "__main__":
    sys.exit(main())

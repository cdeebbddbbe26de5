#!/usr/bin/env python3
# Holds data/notes to the tools, and the script behind it to its word: no verdict stands whatever the commands print.
"""page.py [--bin FOLDER] [--weak]

Runs what data/notes/claims.toml asks, once, and holds the pages to it as `scripts/notes --check` does. Then spoils what every claim was judged by, and
what is said of it: other numbers, other words and another exit code; no output at all; another verdict; another verdict of a published number. Each
must end in a fault. A digit changed in what a page shows must be named. And what a note is not granted must be something that could be: under the
commands that `were` names its claim comes true, or else each word that it asks for stands in some output of the page. --weak lists the claims that
stand when the numbers alone are spoilt.
"""
import argparse
import ast
import copy
import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
loader = importlib.machinery.SourceFileLoader("notes", str(ROOT / "scripts/notes"))
notes = importlib.util.module_from_spec(importlib.util.spec_from_loader("notes", loader))
loader.exec_module(notes)
judge = sys.modules["notes_judge"]

SWAPPED = dict(pair for a, b in (("holds", "fails"), ("yes", "no"), ("learned", "rope"), ("alibi", "sinusoidal")) for pair in ((a, b), (b, a)))


def numbers(text):
    return re.sub(r"(?<![\w.])-?\d+(\.\d+)?(e-?\d+)?", lambda m: repr(float(m[0]) * 1.25 + 1), text)


def words(text):
    text = re.sub(r"\b(" + "|".join(SWAPPED) + r")\b", lambda m: SWAPPED[m[0]], text)
    return re.sub(r"\[[a-z-]+\]|512 rows|learns its table|before|after", "spoilt", text)


def spoilt(answers, change, code=lambda code: code):
    found = copy.deepcopy(answers)
    for answer in found:
        answer.out, answer.err, answer.code = change(answer.out), change(answer.err), code(answer.code)
    return found


def stands(entry, answers, published, ran):
    """Whether the claim still comes out as it is said to."""
    try:
        if "verdict" in entry and "ran" in entry:
            notes.hold_snippet(entry, answers, ran)
        else:
            notes.hold(entry, answers, published)
        return True
    except notes.Fault:
        return False


def another_verdict(entry):
    return entry | {"verdict": "wrong" if entry["verdict"] == "holds" else "holds"}


def spoil(document, answers, published, ran):
    """(what was spoilt and stood all the same, how much was spoilt)"""
    stood, tried = [], 0
    for entry in document["claim"] + [s for s in document["snippet"] if "command" in s]:
        mine = answers[entry["id"]]
        trials = {"everything": (entry, spoilt(mine, lambda t: numbers(words(t)), lambda code: int(not code)), published),
                  "no output": (entry, spoilt(mine, lambda t: "", lambda code: 0 if code else 1), published)}
        if "ran" not in entry:
            trials["verdict"] = (another_verdict(entry), mine, published)
        if entry.get("published"):
            turned = [row | {"verdict": "refuted" if entry["verdict"] == "holds" else "match"} for row in published]
            trials["published"] = (entry, mine, turned)
            trials["published, recomputed"] = (entry, mine, [row | {"holds": "no"} for row in published])
        for name, (spoilt_entry, spoilt_answers, rows) in trials.items():
            tried += 1
            if stands(spoilt_entry, spoilt_answers, rows, ran):
                stood.append(f"{entry['id']}, spoilt in {name}: stands all the same")
    for snippet in document["snippet"]:
        tried += 1
        if stands(snippet, answers[snippet["id"]], published, [line for line in ran if not line.startswith(snippet["ran"])]):
            stood.append(f"{snippet['id']}: ran.txt does not matter")
    return stood, tried


def asked_words(expression):
    """The texts that an expression compares with."""
    for node in ast.walk(ast.parse(expression, mode="eval")):
        if isinstance(node, ast.Compare):
            sides = [part for side in (node.left, *node.comparators) for part in getattr(side, "elts", [side])]
            yield from (part.value for part in sides if isinstance(part, ast.Constant) and isinstance(part.value, str))


def impossible(document, answers, tools):
    """(claims that no output could bear out, how many were looked at)"""
    faults, seen = [], "".join(answer.out + answer.err for found in answers.values() for answer in found)
    denied = [claim for claim in document["claim"] if claim["verdict"] != "holds"]
    for claim in denied:
        if "were" in claim:
            given = judge.judged(claim, judge.names_of(notes.asked({"id": claim["id"], "command": claim["were"]}, tools)))
            faults += [f"{claim['id']}: what is so of `{claim['were']}` is {given}, too"] if given != "holds" else []
        faults += [f"{claim['id']}: no command prints {word!r}" for word in asked_words(claim["holds"]) if "were" not in claim and word not in seen]
    return faults, len(denied)


def page_faults(document, answers, published, names, ran):
    """What `--check` says of the pages as they are, and of one with a digit changed."""
    faults = []
    made = notes.pages(document, answers, published, names, ran)
    for name, blocks in made.items():
        faults += notes.moved(name, blocks)
        changed = dict(blocks)
        changed["formula"] = changed["formula"].replace("0.84147096", "0.84147095")
        if not any("formula" in line for line in notes.moved(name, changed)):
            faults.append(f"{name}: another digit in a claim's output is not noticed")
    return faults, len(made)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/cmd")
    parser.add_argument("--weak", action="store_true")
    given = parser.parse_args()
    document = tomllib.loads((notes.HOME / "claims.toml").read_text())
    ran = (ROOT / "tests/notes/ran.txt").read_text().splitlines()
    answers, published = notes.gather(document, given.bin.resolve())
    faults, names = notes.held(document, answers, published, ran)
    faults += notes.picture_faults(document["claim"]) + notes.notes_page.figure_faults(published)
    count = len(names)
    if not faults:
        found, pages = page_faults(document, answers, published, names, ran)
        stood, tried = spoil(document, answers, published, ran)
        idle, denied = impossible(document, answers, given.bin.resolve())
        faults, count = found + stood + idle, count + pages + tried + denied
    if given.weak:
        weak = [c["id"] for c in document["claim"] if stands(c, spoilt(answers[c["id"]], numbers), published, ran)]
        print("stand on words or exit codes alone:", *weak)
    print("\n".join(faults))
    print(f"{count - min(count, len(faults))} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

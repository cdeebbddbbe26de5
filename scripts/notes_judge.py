# Runs what data/notes/claims.toml puts to the tools, and judges each claim by what they give.
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
FAILED = (ArithmeticError, AttributeError, IndexError, KeyError, LookupError, NameError, OSError, TypeError, ValueError)


class Fault(Exception):
    """A claim that does not come out as it stands: what moved, in one line."""


def listed(value):
    return [value] if isinstance(value, str) else list(value or [])


def commands_of(claim):
    return listed(claim.get("command")) + listed(claim.get("after"))


def columns_of(text):
    """The columns of a CSV by name: numbers where all cells are, else texts; nothing where the text is no CSV."""
    rows = list(csv.reader(io.StringIO(text)))
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return {}
    found = {}
    for name, *cells in zip(*rows):
        try:
            found[name] = np.array([float(cell) for cell in cells])
        except ValueError:
            found[name] = np.array(cells)
    return found


def environment(tools, folder):
    ours = str(pathlib.Path(sys.executable).parent)  # whose python3 has NumPy: some commands take it
    path = os.pathsep.join([str(tools), str(ROOT / "scripts"), ours, "/usr/local/bin", "/usr/bin", "/bin"])
    return {"PATH": path, "HOME": folder, "LC_ALL": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1"}


def run(commands, tools, folder):
    """What each command gives, run one after another in a folder from which data/ and tests/ can be seen."""
    for name in ("data", "tests"):
        os.symlink(ROOT / name, pathlib.Path(folder) / name)
    answers = []
    for command in commands:
        done = subprocess.run(["/bin/bash", "-c", command], cwd=folder, env=environment(tools, folder), capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60)
        answers.append(types.SimpleNamespace(command=command, code=done.returncode, out=done.stdout, err=done.stderr))
    return answers


def asked(claim, tools):
    with tempfile.TemporaryDirectory(prefix="pe-notes-") as folder:
        return run(commands_of(claim), tools, folder)


def names_of(answers):
    """What expressions see."""
    runs = [types.SimpleNamespace(**vars(answer), **{k: v for k, v in columns_of(answer.out).items() if k not in vars(answer)}) for answer in answers]
    names = {"np": np, "re": re, "json": json, "runs": runs}
    if not runs:
        return names
    last = columns_of(answers[-1].out)
    names |= {"code": answers[-1].code, "out": answers[-1].out, "err": answers[-1].err} | last
    if "law" in last:
        names["law"] = lambda name: str(last["verdict"][list(last["law"]).index(name)])
    if "term" in last:
        names["kept"] = lambda name: str(last["kept"][list(last["term"]).index(name)])
    return names


def value(expression, names, claim):
    try:
        return eval(expression, dict(names))  # the expressions are this repository's own
    except FAILED as error:
        raise Fault(f"{claim['id']}: {expression}: {type(error).__name__}: {error}; the output of `{commands_of(claim)[-1]}` is not what it was") from None


def judged(claim, names):
    """The verdict that the output gives."""
    if value(claim["holds"], names, claim):
        return "holds"
    for verdict, key in (("differs", "nearly"), ("wrong", "truth")):
        if key in claim and value(claim[key], names, claim):
            return verdict
    return "something else"


def numbers_of(claim, published):
    """The rows of published.csv that the claim names."""
    found = [row for row in published if row["note"] in claim["note"] and any(
        re.search(pattern, f"{row['place']}: {row['what']}") for pattern in claim.get("published", []))]
    for pattern in claim.get("published", []):
        if not any(re.search(pattern, f"{row['place']}: {row['what']}") for row in found):
            raise Fault(f"{claim['id']}: no row of published.csv for {pattern!r}")
    return found


def hold(claim, answers, published):
    """The names that the texts may use, when the verdict is what it is said to be."""
    names = names_of(answers)
    given = judged(claim, names)
    if given != claim["verdict"]:
        raise Fault(f"{claim['id']}: {claim['verdict']} stands there, and the output of `{commands_of(claim)[-1]}` says {given}")
    rows = numbers_of(claim, published)
    for row in rows:
        if row["holds"] != "yes":
            raise Fault(f"{claim['id']}: published.csv is no longer as it was judged: {row['what']}")
    if rows and (given == "holds") != all(row["verdict"] == "match" for row in rows):
        raise Fault(f"{claim['id']}: {given}, and published.csv says {', '.join(sorted({row['verdict'] for row in rows}))}")
    return names


def hold_snippet(snippet, answers, ran):
    if not any(line.startswith(snippet["ran"]) for line in ran):
        raise Fault(f"{snippet['id']}: tests/notes/ran.txt has no line {snippet['ran']!r}")
    if "command" in snippet and not value(snippet["holds"], names_of(answers), snippet):
        raise Fault(f"{snippet['id']}: {snippet['holds']} is not so of `{snippet['command']}`")
    return names_of(answers)


def told(text, names, claim):
    """A text with its {expression} and {expression ; format} computed."""
    def fill(match):
        expression, _, form = match[1].partition(" ; ")
        found = value(expression, names, claim)
        try:
            return format(found.item() if hasattr(found, "item") else found, form.strip())
        except FAILED as error:
            raise Fault(f"{claim['id']}: {{{match[1]}}}: {error}") from None
    return re.sub(r"(?<!\^)\{([^{}]+)\}", fill, text)


def published_rows(tools):
    """The rows of the notes, of this folder's table and not of the one in the program, as recomputed."""
    text = subprocess.run([str(tools / "pe-analyze"), "published", "--claims", str(ROOT / "data/published.csv"), "--only", "note 00"], capture_output=True, text=True).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    return [row | {"note": re.search(r"\(note (\d+)\)", row["paper"])[1]} for row in rows]

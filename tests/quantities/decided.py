#!/usr/bin/env python3
# What decides the numbers of a quantity stands in the provenance and in what --explain says: flags, defaults, and what the quantity takes where nobody gave one.
"""decided.py --bin FOLDER

Every quantity's example, with each of its views: --explain names the parameters that the JSON's provenance names, with their values and
origins, and over all views every option of the catalogue is among them, but for those that ask for more where they are given.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from count import Count  # noqa: E402
import page_every  # noqa: E402

# Not given, they do nothing, or what is taken for them is a coordinate of the answer.
NOTHING = {"certificate", "points", "q", "k", "tokens", "exponent", "axis"}
COORDINATES = {"rules": {"rule", "candidate"}, "pipelines": {"pipeline"}, "solvers": {"solver"}, "factors": {"candidate"}, "laws": {"law"}}
LINE = re.compile(r"^  (\S+) +(.*?) +\((.*)\)$")


def explained(stderr):
    """{name: (value, origin)} of the first subject; a value of many numbers, which is folded, is left out."""
    lines = stderr.splitlines()
    start = next((i for i, line in enumerate(lines) if re.match(r"[\w-]+: .", line) and i + 1 < len(lines) and lines[i + 1].startswith("  ")), len(lines))
    found = {}
    for line in lines[start + 1:]:
        if line and not line.startswith(" "):
            break
        if (match := LINE.match(line)) and not line.startswith("  model family"):
            found.setdefault(match[1], (match[2], match[3].partition(": ")[0]))
    return found


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def told(name):
    return name not in ("quantity", "versus", "partial-rotary-factor")


def compare(count, said, stderr, parameters):
    lines = explained(stderr)
    count.check(lines, f"{said}: --explain says nothing: {stderr[:200]!r}")
    short = {name: entry for name, entry in parameters.items() if told(name) and len(f"{entry['value']} ({entry['origin']})") < 40}
    missed = {name for name in short if name not in lines}
    count.check(not missed, f"{said}: --explain does not say {sorted(missed)}")
    count.check(not {name for name in lines if told(name) and name not in parameters}, f"{said}: the provenance lacks {sorted(set(lines) - set(parameters))}")
    for name, entry in short.items():
        value, origin = lines.get(name, (None, None))
        same = value is None or str(entry["value"]).lower() == value.lower() or number(value) == number(entry["value"])
        count.check(same and origin in (None, entry["origin"], entry["origin"].partition(": ")[0]), f"{said}: {name} is {entry} and {value} ({origin})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/cmd")
    bin = parser.parse_args().bin
    count, met, shown = Count(), {}, {}
    more = [("margins in bf16", ["pe-analyze", "margins", "sinusoidal", "--dim", "64", "--length", "256", "--dtype", "bf16"])]
    for name, command in [*page_every.commands(bin), *more]:
        if command[1] == "published":
            continue
        made = subprocess.run([bin / command[0], *command[1:], "--format", "json", "--explain"], capture_output=True, text=True, timeout=120)
        if made.returncode == 2:
            continue  # a view that the example has not
        data = json.loads(made.stdout)
        parameters = data["provenance"]["parameters"]
        met.setdefault(command[1], set()).update(parameters)
        shown.setdefault(command[1], set()).update(axis["name"] for field in data["fields"].values() for axis in field["axes"])
        if data["provenance"]["encoding"] not in ("all", ""):
            compare(count, " ".join(command), made.stderr, parameters)
        dtype = parameters.get("dtype")
        wanted = {"value": "bf16", "origin": "flag --dtype"} if "bf16" in command else {"value": "f64", "origin": "default"}
        count.check("--dtype" in command and "bf16" not in command or dtype == wanted, f"{' '.join(command)}: dtype {dtype}, not {wanted}")
    for row in page_every.listed(bin, "pe-analyze", "quantities"):
        for option in row["parameters"]:
            name = option["name"]
            if row["name"] not in met or name in NOTHING:
                continue
            stands = name in met[row["name"]] or COORDINATES.get(name, set()) & shown[row["name"]]
            count.check(stands or (row["name"], name) == ("decay", "seed") or (row["name"], name) == ("decay", "head"), f"{row['name']}: no provenance says --{name}, whatever its view")
    count.check(len(met) > 12, f"only {len(met)} quantities were looked at")
    return count.close()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Reports as people and other programs read them: lines that fit, JUnit by its schema, Markdown that no name gets out of.

  tests/reports.py --bin build/dev/cmd"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import numpy as np

from count import Count

# junit-10.xsd of Jenkins' xunit plugin: the attributes that an element must and may have, and the elements in it.
TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?\Z")
COUNT = re.compile(r"[0-9]+\Z")
OUTCOME = (set(), {"type", "message"}, set())
JUNIT = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "disabled", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors"},
                  {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url", "version"},
                  {"testsuite", "properties", "testcase", "system-out", "system-err"}),
    "testcase": ({"name"}, {"classname", "time", "group"},
                 {"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError", "system-out", "system-err"}),
    "failure": OUTCOME, "error": OUTCOME, "skipped": OUTCOME, "system-out": (set(), set(), set()),
}
HOSTILE = ["plain", "a | b", "<script>alert(1)</script>", "@someone see #1 and http://example.org", "```\n</details>", "`x` **b** ![i](u) [l](u)",
           "www.example.org :tada: ~~s~~ \\| &lt;", "|\n|---|\n| injected |", "\x1b[2Jname", "=cmd()", "::error::x"]
count = Count()


def valid(element, path=""):
    """Everything that junit-10.xsd has against it."""
    needs, may, children = JUNIT.get(element.tag, (set(), set(), set()))
    here = f"{path}/{element.tag}"
    said = set(element.attrib)
    faults = [f"{here} is no element of junit-10.xsd"] if element.tag not in JUNIT else []
    faults += [f"{here} has {sorted(said - needs - may)}"] * bool(said - needs - may) + [f"{here} lacks {sorted(needs - said)}"] * bool(needs - said)
    faults += [f"{here} time {element.get('time')}"] * (not TIME.match(element.get("time", "")))
    faults += [f"{here} {key}" for key in ("tests", "failures", "errors", "skipped", "disabled") if not COUNT.match(element.get(key, "0"))]
    for child in element:
        faults += [f"{here} holds {child.tag}"] * (child.tag not in children) + valid(child, here)
    return faults


def outside_fences(text):
    fence, lines = None, []
    for line in text.splitlines():
        run = re.match(r"(`{3,})(\w*)\Z", line)
        if fence is None and run and run[2] == "text":
            fence = run[1]
        elif fence is not None and run and not run[2] and len(run[1]) >= len(fence):
            fence = None
        elif fence is None:
            lines.append(line)
    return lines, fence


def markdown(text):
    lines, fence = outside_fences(text)
    count.check(fence is None, "a fence of the Markdown does not end")
    for line in lines:  # a line of HTML is no Markdown: its text ends by marks of HTML alone
        if told := re.fullmatch(r"<summary>(.*)</summary>", line):
            inner = re.sub(r"</?code>", "", told[1])
            count.check(not re.search(r"[<>]|&(?!#\d+;)", inner), f"a summary ends early: {line[:200]}")
    lines = [line for line in lines if not line.startswith("<summary>")]
    count.check(all(line.count("`") % 2 == 0 for line in lines), f"a span of code does not end: {[x for x in lines if x.count('`') % 2][:2]}")
    spans = [span for line in lines for span in re.findall(r"`([^`]*)`", line)]
    count.check(spans and all(span and span.isprintable() for span in spans), f"spans of code: {[s for s in spans if not s.isprintable()][:3]}")
    lines = [re.sub(r"`[^`]*`", "code", line) for line in lines]  # in a span nothing is markup
    bare = re.sub(r"</?code>|<details( open)?>|</details>", "", "\n".join(lines))
    count.check("<" not in bare and ">" not in bare, f"HTML gets out: {[x for x in bare.splitlines() if '<' in x or '>' in x][:3]}")
    count.check(not re.search(r"@|https?:|www\.|`|\*|!\[|\]\(|~~", bare), f"Markdown gets out: {bare[:400]}")
    rows = [line for line in lines if line.startswith("|")]
    count.check(all(row.count("|") == 6 for row in rows), f"a row of the table has other cells: {[r for r in rows if r.count('|') != 6][:2]}")
    words = [row.split("|")[1].split()[-1] for row in rows[2:]]
    count.check(words == sorted(words, key=["failed", "untold", "passed"].index), f"the worst do not come first: {words}")
    return rows


def run(tool, *arguments, folder):
    return subprocess.run([tool, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)


def manifests(tool, folder):
    np.save(folder / "cos.npy", np.zeros((16, 4), np.float32))
    checks = []
    for i, name in enumerate(HOSTILE):
        checks.append({"name": f"laws {name}", "encoding": "sinusoidal", "parameters": {"dim": 8}, "length": 8,
                       "expect": {"verdict": ("pass", "fail")[i % 2]}})
        checks.append({"name": f"dump {name}", "encoding": "rope", "parameters": {"dim": 8}, "file": "cos.npy" if i % 3 else f"gone {name}.npy"})
        checks.append({"name": f"counter {name}", "encoding": "index", "length": 8})
    text = '{"schema_version": 1,\n "checks": [\n' + ",\n".join(json.dumps(one) for one in checks) + "\n]}\n"
    (folder / "ci.json").write_text(text)
    done = run(tool, "run", "ci.json", "--report", "r.xml", "--report", "r.md", "--report", "r.json", "--annotations", "github", folder=folder)
    count.check(done.returncode == 1, f"exit code {done.returncode}: {done.stderr}")
    junit(folder / "r.xml")
    rows = markdown((folder / "r.md").read_text())
    count.check(len(rows) == 2 + len(checks), f"{len(rows)} rows of {len(checks)} checks")
    report = json.loads((folder / "r.json").read_text())
    annotations = [line for line in done.stdout.splitlines() if line.startswith("::error ")]
    bad = [one for one in report["checks"] if one["exit_code"]]
    count.check(len(annotations) == len(bad), f"{len(annotations)} annotations of {len(bad)} checks")
    for said, one in zip(annotations, bad):
        count.check(f"file=ci.json,line={one['line']}," in said, f"not at the manifest's line: {said[:80]}")
        named = json.loads(text.splitlines()[one["line"] - 1].rstrip(","))["name"]
        count.check(" ".join(named.split())[:6] == one["name"][:6], f"line {one['line']} is of {named!r}, not {one['name']!r}")


def junit(path):
    root = xml.parse(path).getroot()
    for fault in valid(root) or [None]:
        count.check(fault is None, fault)
    for case in root.iter("testcase"):
        wrong = [x for x in case if x.tag in ("failure", "error")]
        count.check(not (wrong and case.find("system-out") is not None), f"{case.get('name')}: a failure's text stands twice")
        count.check(all(x.get("message") and "\n" not in x.get("message") for x in wrong), f"{case.get('name')}: no message in one line")


def widths(tool, folder):
    names = [row["name"] for row in json.loads(run(tool, "list", "encodings", "--json", folder=folder).stdout)["encodings"]]
    for name in names:
        length = ["--length", "64"] if run(tool, "check", name, "--length", "64", folder=folder).returncode != 2 else []
        text = {explain: run(tool, "check", name, *length, *["--explain"] * explain, folder=folder) for explain in (False, True)}
        for done in text.values():
            wide = [line for line in done.stdout.splitlines() if len(line) > 100]
            count.check(done.returncode == 0 and not wide, f"check {name}: exit code {done.returncode} {done.stderr} {wide[:1]}")
        verdicts = json.loads(run(tool, "check", name, *length, "--report", "-", folder=folder).stdout)["checks"][0]["verdicts"]
        verdicts = [v for v in verdicts if v["word"] != "skipped"]
        lines = [line for line in text[False].stdout.splitlines() if re.match(r"(holds|fails|noted)  ", line)]
        count.check(len(lines) == len(verdicts), f"check {name}: not a line for each law")
        for line, verdict in zip(lines, verdicts):
            proved = verdict["proved"] and verdict["worst"] <= verdict["bound"]
            count.check(line.endswith("(proved)") == proved, f"check {name}: a ceiling is shown as measured, or the reverse: {line}")
    for law, name in (("bounded", "index"), ("relative-only", "sinusoidal"), ("symmetric", "alibi"), ("length-invariant", "normalized-index")):
        done = run(tool, law, name, folder=folder)
        lines = done.stdout.splitlines()
        count.check(done.returncode == 1 and len(lines) - 1 <= 3 and all(len(x) <= 100 for x in lines), f"{law} {name}: {done.stdout}")
        count.check(re.search(r"position|query|row|length|P\(", lines[1]), f"{law} {name} does not say where: {lines[1]}")


def narrow(done, what):
    """No line wider than 100 columns, but a command that is pasted and one word that is wider than the room it has."""
    wide = [line for line in done.stdout.splitlines() if len(line) > 100 and not line.startswith(("  same table", "  without it")) and len(max(line.split(), key=len)) < 80]
    told = done.returncode != 2 or "cannot be compared" in done.stderr
    count.check(told and not wide, f"{what}: exit code {done.returncode} {done.stderr} {wide[:1]}")


def dumps(tool, folder):
    """identify, compare and check of dumps of every encoding, beside rounded, cut and spoilt ones, under short and long names."""
    gen = str(pathlib.Path(tool).parent / "pe-gen")
    listed = json.loads(run(tool, "list", "encodings", "--json", folder=folder).stdout)["encodings"]
    random = np.random.default_rng(1)
    spoils = ("half", "rows", "noise", "nan")
    for i, row in enumerate(listed):
        short, long = "a.npz", f"somebody's dump of {row['name']} from the nightly run, second try, of the layer that was odd.npz"
        words = row["example"].split("--fields")[0].split()
        done = run(gen, *words, "-o", short, folder=folder)
        count.check(done.returncode == 0, f"{words}: {done.stderr}")
        arrays = dict(np.load(folder / short))
        narrow(run(tool, "identify", short, folder=folder), f"identify {words}")  # of tupe with 2 heads and 8 positions, a crash once
        for spoil in (spoils[i % 4], spoils[(i // 4) % 4]):
            spoilt = {}
            for name, array in arrays.items():
                array = np.array(array)
                if spoil == "half" and array.dtype.kind == "f":
                    array = array.astype("f2")
                if spoil == "rows" and array.ndim and len(array) > 3:
                    array = array[:-1]
                if spoil == "noise" and array.dtype.kind == "f":
                    array = array + (1e-3 * random.standard_normal(array.shape)).astype(array.dtype)
                if spoil == "nan" and array.dtype.kind == "f" and array.size:
                    array.flat[array.size // 2] = np.nan
                spoilt[name] = array
            np.savez(folder / long, **spoilt, **({"another array that the first does not have": np.zeros(3)} if spoil == "rows" else {}))
            for what in (["compare", short, long], ["compare", short, long, "--atol", "1e-4", "--rtol", "1e-5"], ["compare", long, short, "--common-rows"],
                         ["identify", long]):
                narrow(run(tool, *what, folder=folder), f"{what[0]} {words} {spoil}")
            if row["kind"] in ("table", "rotation"):
                narrow(run(tool, "compare", short, long, "--bound", " ".join(words), folder=folder), f"compare --bound {words} {spoil}")


def explained(tool, folder):
    """What --explain says of every model and encoding, on both streams, and the lines of what JUnit quotes."""
    gen = str(pathlib.Path(tool).parent / "pe-gen")
    listed = json.loads(run(gen, "list", "--json", folder=folder).stdout)
    kinds = {("--model", row["name"], "--length", "2"): row["kind"] for row in listed["models"]}
    said = [*kinds] + [row["example"].split() for row in listed["encodings"]]
    for words in said:
        done = run(gen, *words, "--explain", "-o", "explained.npz", folder=folder)
        made = next((line for line in done.stderr.splitlines() if not line.startswith(("pe-gen: ", " "))), "").split(":")[0]
        kind = kinds.get(tuple(words), made)
        count.check(kind == made, f"{words}: list models says '{kind}', where {made} is made of it")
        wide = [line for line in done.stderr.splitlines() if len(line) > 100 and ": warning: " not in line]
        count.check(done.returncode == 0 and done.stderr and not wide, f"{words} --explain: exit code {done.returncode} {wide[:1]}")
    for row in listed["encodings"]:
        run(tool, "check", row["name"], "--report", "laws.xml", "--report", "laws.md", folder=folder)
        texts = [case.text for case in xml.parse(folder / "laws.xml").getroot().iter() if case.tag in ("failure", "system-out")]
        count.check(texts, f"check {row['name']}: its JUnit quotes nothing")
        quoted = [line for line in (folder / "laws.md").read_text().splitlines() if not line.startswith("|")]
        wide = [line for text in texts for line in text.splitlines() if len(line) > 100] + [line for line in quoted if len(line) > 100]
        count.check(not wide, f"check {row['name']}: {wide[:1]}")


def kept(tool, folder):
    """--no-clobber: of every option that names a file, one that is there stays, and nothing is computed before."""
    tools = pathlib.Path(tool).parent
    run(str(tools / "pe-gen"), "rope", "--length", "8", "-o", "dump.npz", folder=folder)
    (folder / "one.json").write_text('{"schema_version": 1, "checks": [{"encoding": "index", "length": 8}]}')
    run(tool, "run", "one.json", "--shard", "1/1", "--report", "shard.json", folder=folder)
    long = ["--length", "4000000", "--dim", "4096"]  # what would take minutes
    commands = [["pe-gen", "rope", *long, "-o", "there.npz"], ["pe-apply", "rope", "--random", "1,64,16384,128", "-o", "there.npz"],
                ["pe-analyze", "decay", "rope", *long, "-o", "there.npz"], ["pe-analyze", "published", "-o", "there.json"],
                ["pe-analyze", "base-bound", "rope", "--length", "262144", "--certificate", "there.json"],
                ["pe-verify", "identify", "dump.npz", "--report", "there.json"], ["pe-verify", "merge", "shard.json", "--report", "there.xml"],
                ["pe-verify", "compare", "dump.npz", "dump.npz", "--report", "there.json"], ["pe-verify", "run", "one.json", "--report", "there.csv"]]
    for suffix in ("json", "xml", "md", "csv", "h5"):
        commands += [["pe-verify", "check", "sinusoidal", *long, "--report", "new.json", "--report", f"there.{suffix}"],
                     ["pe-verify", "unique", "sinusoidal", *long, "--report", f"there.{suffix}"],
                     ["pe-verify", "check", "rope", "--file", "dump.npz", "--report", f"there.{suffix}"]]
    for command in commands:
        there = folder / command[-1]
        there.write_text("mine")
        done = subprocess.run([tools / command[0], *command[1:], "--no-clobber"], cwd=folder, capture_output=True, text=True, timeout=20)
        said = done.stderr.splitlines()
        count.check(done.returncode == 2 and len(said) == 1 and f"'{there.name}' is there, and --no-clobber keeps it" in said[0] and not done.stdout,
                    f"{command}: exit code {done.returncode} {done.stderr}{done.stdout}")
        count.check(there.read_text() == "mine" and not (folder / "new.json").exists(), f"{command}: a file was written")
        there.unlink()
    fresh = run(tool, "check", "index", "--length", "8", "--no-clobber", "--report", "new.json", folder=folder)
    count.check(fresh.returncode == 0 and (folder / "new.json").exists(), f"a new report: {fresh.returncode} {fresh.stderr}")


def doubts(tool, folder):
    """Thousands of keys that nobody reads are a few lines and a count, wherever warnings go."""
    gen = str(pathlib.Path(tool).parent / "pe-gen")
    config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, **{f"rope_key_{i}": i + 0.5 for i in range(90000)}}
    (folder / "config.json").write_text(json.dumps(config))
    done = run(gen, "rope", "--config", "config.json", "--length", "2", "-o", "few.json", folder=folder)
    lines = done.stderr.splitlines()
    count.check(done.returncode == 0 and len(lines) < 10 and any("more keys" in line for line in lines), f"{len(lines)} lines of warnings: {lines[-2:]}")
    count.check(done.stderr.count(": rope_key_") == 5 and "89995 more keys" in done.stderr, f"the first few, and the count: {lines}")
    noted = json.loads((folder / "few.json").read_text())["provenance"]["warnings"]
    count.check(len(noted) == len(lines), f"the file has {len(noted)} warnings")
    config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, **{f"rope_key_{i}": i + 0.5 for i in range(6)}}
    (folder / "config.json").write_text(json.dumps(config))
    lines = run(gen, "rope", "--config", "config.json", "--length", "2", folder=folder).stderr.splitlines()
    count.check(len(lines) == 6 and "more keys" not in lines[-1], f"six are six: {lines}")


def closeness(tool, folder):
    """compare --atol --rtol beside numpy.allclose, in doubles, NaNs and infinities among the numbers."""
    random = np.random.default_rng(1)
    for i in range(24):
        a = random.standard_normal((5, 7)).astype(("f4", "f8", "f2")[i % 3])
        b = (a * (1 + 10.0 ** -random.integers(1, 9) * random.standard_normal((5, 7))) + 10.0 ** -random.integers(1, 9)).astype(("f8", "f4")[i % 2])
        if i % 5 == 0:
            a[0, 0] = b[0, 0] = np.nan
        if i % 7 == 0:
            a[1, 1], b[1, 1] = np.inf, np.inf if i % 2 else -np.inf
        np.save(folder / "a.npy", a)
        np.save(folder / "b.npy", b)
        for atol, rtol in ((0, 0), (1e-6, 0), (0, 1e-4), (1e-3, 1e-3), (0.1, 0)):
            want = np.allclose(a.astype("f8"), b.astype("f8"), rtol=rtol, atol=atol, equal_nan=True)
            done = run(tool, "compare", "a.npy", "b.npy", "--atol", str(atol), "--rtol", str(rtol), folder=folder)
            count.check(done.returncode == (0 if want else 1), f"numpy.allclose says {want} for {atol}, {rtol}: {done.stdout}{done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    tool = str(parser.parse_args().bin.resolve() / "pe-verify")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        manifests(tool, folder)
        run(tool, "bounded", "index", "--length", "8", "--report", "one.xml", "--report", "one.md", folder=folder)
        junit(folder / "one.xml")
        markdown((folder / "one.md").read_text())
        count.check("`pe-verify bounded index --length 8 --report one.xml --report one.md`" in (folder / "one.md").read_text(), "the command is not as it was typed")
        widths(tool, folder)
        dumps(tool, folder)
        closeness(tool, folder)
        explained(tool, folder)
        kept(tool, folder)
        doubts(tool, folder)
    return count.close()


if __name__ == "__main__":
    sys.exit(main())

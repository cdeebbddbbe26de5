#!/usr/bin/env python3
# Holds the verifier to dumps of real programs: each manifest's verdicts, and what it must see in a dump by itself.
"""manifests.py --bin FOLDER MANIFEST.json ...

A check passes when `pe-verify run` passes it, and when its report agrees with readings.json beside the manifest where that has an entry of
the same name: {"layout": the layout's name, "arithmetic": how it begins, "causes": [the causes named, in order], "note": part of one}.
The last line reads "N passed, N failed".
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def complaints(check, wanted):
    if check["outcome"] != "passed":
        yield check.get("sentence") or check.get("error") or check["outcome"]
    if "layout" in wanted and check.get("layout") != wanted["layout"]:
        yield f"layout {check.get('layout')}, where it is {wanted['layout']}"
    if not (check.get("arithmetic") or "").startswith(wanted.get("arithmetic", "")):
        yield f"arithmetic '{check.get('arithmetic')}', where it is {wanted['arithmetic']}"
    if check.get("causes", []) != wanted.get("causes", check.get("causes", [])):
        yield f"causes {check.get('causes')}, where they are {wanted['causes']}"
    if not any(wanted.get("note", "") in note for note in [*check.get("notes", []), ""]):
        yield f"no note says '{wanted['note']}': {check.get('notes')}"


def judge(tool, manifest):
    """(passed, failed) of one manifest."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        done = subprocess.run([tool, "run", manifest, "--report", report], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if not report.exists():
            print(f"{manifest}: {done.stderr.strip() or done.stdout.strip()}")
            return 0, 1
        checks = json.loads(report.read_text())["checks"]
    path = manifest.parent / "readings.json"
    wanted = json.loads(path.read_text()) if path.exists() else {}
    failed = 0
    for check in checks:
        against = list(complaints(check, wanted.pop(check["name"], {})))
        failed += bool(against)
        for line in against:
            print(f"{manifest.parent.name}: {check['name']}: {line}")
    for name in wanted:
        print(f"{path}: there is no check '{name}'")
    return len(checks) - failed, failed + len(wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of pe-verify")
    parser.add_argument("manifests", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    counts = [judge(arguments.bin / "pe-verify", manifest) for manifest in arguments.manifests]
    passed, failed = (sum(column) for column in zip(*counts))
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Runs the tests of the Python package against the source tree and a build's tools, and holds its types to mypy --strict.
"""--bin FOLDER: the tools. With --wheel, against the package that this Python has installed, tools and all. What needs PyTorch, JAX,
ml_dtypes or mypy runs where they can be imported and is skipped, with a word, where not."""
import argparse
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import interpreter  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "scripts/python"


def types_hold():
    """None where there is no mypy."""
    if importlib.util.find_spec("mypy") is None:
        print("skipped: mypy is not installed here (apt-get install mypy): the types are not checked")
        return None
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, "pe"], cwd=PACKAGE, check=False,
                              env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"})
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser()
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--bin", type=pathlib.Path)
    where.add_argument("--wheel", action="store_true")
    options = parser.parse_args()
    if not options.wheel:
        interpreter.need("numpy", "pytest")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if options.wheel:
        environment["PE_WHEEL"] = "1"
        environment.pop("PE_TOOLS", None)
    else:
        environment["PE_TOOLS"] = str(options.bin.resolve())
    words = ["-q", "-rs", "-p", "no:cacheprovider", *(["-p", "no:pe"] if not options.wheel else [])]
    done = subprocess.run([sys.executable, "-m", "pytest", *words, str(HERE)], env=environment, text=True, capture_output=True, check=False)
    print(done.stdout + done.stderr)
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|errors?)\b", done.stdout.splitlines()[-1])}
    passed, failed = counts.get("passed", 0), counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
    types = None if options.wheel else types_hold()
    passed, failed = passed + (types is True), failed + (types is False)
    failed += done.returncode not in (0, 1) and failed == 0
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed < 60 else 0


if __name__ == "__main__":
    sys.exit(main())

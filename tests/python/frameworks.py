#!/usr/bin/env python3
# Runs the tests of the Python package beside PyTorch, JAX and the newest NumPy, which it installs where PyPI is reached.
"""frameworks.py (--bin FOLDER | --wheel FILE) [--venv FOLDER]

scripts/package wheel runs it: who installs the wheel has a framework, and scripts/test needs no network. The virtual environment (some
hundred MB to some GB, by platform) is made once and kept. What does not install is said and left out; what does must pass, none of it skipped.
The last line reads "N passed, N failed".
"""
import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FRAMEWORKS = {"torch": "PyTorch", "jax": "JAX", "ml_dtypes": "ml_dtypes"}


class Environment:
    """A virtual environment of its own."""

    def __init__(self, folder):
        self.python = folder / "bin/python"
        if not self.python.exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)

    def install(self, *words):
        """What pip said last where it could not, or None."""
        command = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", *words]
        done = subprocess.run(list(map(str, command)), text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return None if done.returncode == 0 else (done.stdout.strip().splitlines() or [f"exit {done.returncode}"])[-1]


def main():
    parser = argparse.ArgumentParser()
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--bin", type=pathlib.Path)
    where.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--venv", type=pathlib.Path, default=HERE.parents[1] / "build/frameworks")
    options = parser.parse_args()
    environment = Environment(options.venv.absolute())
    if said := environment.install("numpy", "pytest"):
        print(f"skipped: no NumPy and pytest from PyPI ({said}): nothing was run beside frameworks\n0 passed, 0 failed")
        return 0
    found = []
    for module, name in FRAMEWORKS.items():
        if said := environment.install(module):
            print(f"skipped: {name} does not install here ({said})")
        else:
            found.append(module)
    if not found:
        print("0 passed, 0 failed")
        return 0
    if options.wheel and (said := environment.install("--force-reinstall", "--no-deps", "--no-index", options.wheel)):
        sys.exit(f"frameworks.py: the wheel does not install: {said}")
    how = ["--wheel"] if options.wheel else ["--bin", options.bin.resolve()]
    return subprocess.run([environment.python, HERE / "main.py", *how], env={**os.environ, "PE_NEED": " ".join(found)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

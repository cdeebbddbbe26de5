# Restarts a script under a Python that has the modules it needs: the first python3 on PATH may be another one.
import importlib.util
import os
import shutil
import subprocess
import sys

CANDIDATES = ["python3", "/usr/bin/python3", "python3.11", "python3.12", "python3.13", "python3.10"]


def has(path, modules):
    """Whether that interpreter imports them; a name on PATH may be a launcher for a version that is not here."""
    asked = subprocess.run([path, "-c", "import " + ", ".join(modules)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return asked.returncode == 0


def need(*modules):
    """Returns when all modules can be imported; else restarts under the first interpreter that can, or exits 2."""
    lacking = [m for m in modules if importlib.util.find_spec(m) is None]
    if not lacking:
        return
    for candidate in CANDIDATES:
        path = shutil.which(candidate)
        if path and has(path, modules):
            os.execv(path, [path, *sys.argv])
    packages = " ".join("python3-" + m for m in lacking)
    print(f"{os.path.basename(sys.argv[0])}: no Python here can import {', '.join(lacking)}: "
          f"apt-get install {packages}", file=sys.stderr)
    sys.exit(2)

# The version, the commit that was installed or stands in the tree, and the libraries that draw, as the other tools tell theirs.
import pathlib
import platform
import re
import subprocess

SHARE = pathlib.Path(__file__).resolve().parents[1]  # where this is installed; in a tree, its folder of scripts
TREE = SHARE.parent


def first_line(path):
    return path.read_text(encoding="utf-8").split("\n")[0].strip().strip('"') if path.is_file() else ""


def own():
    """(version, commit)"""
    if told := first_line(SHARE / "version"):
        return told, first_line(SHARE / "commit") or "unknown"
    version = re.search(r"^project\(pe VERSION ([0-9.]+)", (TREE / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]
    if commit := first_line(TREE / "COMMIT"):
        return version, commit
    try:
        said = subprocess.run(["git", "-c", "safe.directory=*", "-C", TREE, "describe", "--always", "--dirty", "--abbrev=12", "--exclude", "*"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return version, "unknown"
    return version, said.stdout.strip() or "unknown"


def spelled():
    import h5py
    import matplotlib
    import numpy
    version, commit = own()
    return (f"pe-plot {version}\ncommit {commit}\nlibraries Python {platform.python_version()}, NumPy {numpy.__version__}, "
            f"matplotlib {matplotlib.__version__}, h5py {h5py.__version__}")

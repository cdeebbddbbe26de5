# When the source was last changed, so that the same source makes the same pages and packages.
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def epoch():
    """Seconds: what packagers say, the commit, or the latest change that is written down (a tree may come without git, and so may a machine)."""
    if said := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(said)
    if (ROOT / ".git").exists():
        try:
            said = subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False).stdout
        except OSError:
            said = ""
        if said:
            return int(said)
    return int((ROOT / "CHANGELOG.md").stat().st_mtime)

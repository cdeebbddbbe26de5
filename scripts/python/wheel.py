#!/usr/bin/env python3
# Builds the wheel: the package, the tools, and the libraries that they need beyond the C library.
"""--bin FOLDER: the tools; --out FOLDER: where the wheel goes. The same tools give the same bytes (SOURCE_DATE_EPOCH, or the time of
the last commit). The platform of the wheel is what its programs ask of the C library, no more and no less."""
import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import source_date

TOOLS = ("pe-gen", "pe-apply", "pe-verify", "pe-analyze")
# Of the C library, which is the system's own wherever a program runs.
SYSTEM = re.compile(r"^(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|resolv|util))\.so")


def say(*command, **how):
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE, **how).stdout


def late(program):
    """Names of what it loads when it is first needed (its ELF dlopen metadata)."""
    with tempfile.NamedTemporaryFile() as note:
        subprocess.run(["objcopy", "--dump-section", f".note.dlopen={note.name}", program, "/dev/null"], check=False, capture_output=True)
        return re.findall(r'"soname":\["([^"]+)"\]', pathlib.Path(note.name).read_bytes().decode("latin-1"))


def libraries(program):
    """Name to path, of all that it loads, at once or later."""
    found = {}
    environment = {"LD_TRACE_LOADED_OBJECTS": "1", "LD_PRELOAD": " ".join(late(program))}
    for line in say(program, env=environment).splitlines():
        name, arrow, rest = line.strip().partition(" => ")
        if not arrow:
            continue
        if rest.startswith("not found"):
            sys.exit(f"wheel.py: {program} needs {name}, which is not here")
        if not SYSTEM.match(name):
            found[name] = pathlib.Path(rest.split(" (")[0])
    return found


def put_licenses(paths, folder):
    """Of the distribution's packages that the libraries are of."""
    folder.mkdir()
    for path in paths:
        owners = [subprocess.run(["dpkg", "-S", str(form)], text=True, capture_output=True, check=False).stdout
                  for form in (path, path.resolve(), str(path.resolve()).removeprefix("/usr"))]
        package = next((owner.split(":")[0] for owner in owners if owner), None)
        text = pathlib.Path("/usr/share/doc") / (package or "") / "copyright"
        if package is None or not text.is_file():
            sys.exit(f"wheel.py: whose {path} is, and under which licence, is not known here: it must not go into a wheel")
        shutil.copyfile(text, folder / f"{package}.txt")


def put_tools(bin_folder, folder):
    """The tools, each looking for its libraries beside it; then all of them as the wheel has them must be complete."""
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    needed = {}
    for tool in TOOLS:
        into = folder / "bin" / tool
        say("strip", "-o", into, bin_folder / tool)
        needed.update(libraries(into))
        # DT_RPATH and not DT_RUNPATH: it holds for what the libraries need in their turn, too.
        say("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../lib", into)
    for name, path in needed.items():
        shutil.copyfile(path.resolve(), folder / "lib" / name)
    put_licenses(needed.values(), folder / "licenses")
    for tool in TOOLS:
        for name, path in libraries(folder / "bin" / tool).items():
            if path.resolve().parent != (folder / "lib").resolve():
                sys.exit(f"wheel.py: {tool} takes {name} from {path}, not from the wheel")


def newest_symbols(folder):
    """The version of the C library that the newest symbol of all files needs."""
    asked = set()
    for path in [*(folder / "bin").iterdir(), *(folder / "lib").iterdir()]:
        asked |= {tuple(map(int, version.split("."))) for version in re.findall(r"\bGLIBC_(\d+(?:\.\d+)+)", say("objdump", "-T", path))}
    return max(asked)[:2]


def stage(folder, bin_folder):
    shutil.copytree(HERE / "pe", folder / "pe", ignore=shutil.ignore_patterns("__pycache__", "tools"))
    for path in (HERE / "pyproject.toml", HERE / "setup.py", HERE / "README.md", ROOT / "LICENSE"):
        shutil.copyfile(path, folder / path.name)
    version = re.search(r"^project\(pe VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    told = say(bin_folder / "pe-verify", "--version").split()
    if version not in told:
        sys.exit(f"wheel.py: CMakeLists.txt states version {version}, and {bin_folder / 'pe-verify'} is of {' '.join(told)}: build it again")
    (folder / "VERSION").write_text(version + "\n")
    put_tools(bin_folder, folder / "pe/tools")
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    environment["SOURCE_DATE_EPOCH"] = str(source_date.epoch())
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "package"
        folder.mkdir()
        stage(folder, options.bin.resolve())
        newest = newest_symbols(folder / "pe/tools")
        environment["PE_WHEEL_PLATFORM"] = f"manylinux_{newest[0]}_{newest[1]}_{platform.machine()}"
        done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-index", "--no-deps", "--quiet",
                               "--no-cache-dir", "--wheel-dir", str(pathlib.Path(scratch) / "out"), str(folder)], env=environment, check=False)
        if done.returncode != 0:
            sys.exit("wheel.py: pip could not build it")
        (made,) = (pathlib.Path(scratch) / "out").iterdir()
        options.out.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made, options.out / made.name)
    print(options.out / made.name)


if __name__ == "__main__":
    main()

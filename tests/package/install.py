# The tree that `cmake --install` makes, staged by DESTDIR and moved afterwards.
import os
import pathlib
import re
import shutil
import subprocess

TOOLS = ["pe-gen", "pe-apply", "pe-verify", "pe-analyze"]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def said(*command, **options):
    """What a command writes; it must leave with 0 and say nothing on stderr."""
    done = subprocess.run([str(word) for word in command], capture_output=True, encoding="utf-8", timeout=120, **options)
    assert done.returncode == 0 and not done.stderr, f"{command}: exit {done.returncode}: {done.stdout[-400:]}{done.stderr[-800:]}"
    return done.stdout


class Installed:
    """A build, staged for /opt/pe and then moved elsewhere, so that no path of the build or of the stage can be what makes it work."""

    def __init__(self, build, scratch):
        self.build, self.scratch = build, scratch
        cache = (build / "CMakeCache.txt").read_text()
        cmake = re.search(r"^CMAKE_COMMAND:INTERNAL=(.*)$", cache, re.M)[1]
        subprocess.run([cmake, "--install", build, "--prefix", "/opt/pe"], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": str(scratch / "stage")})
        self.outside = [p for p in (scratch / "stage").rglob("*") if p.is_file() and not p.is_relative_to(scratch / "stage/opt/pe")]
        self.prefix = scratch / "moved here"
        shutil.move(scratch / "stage/opt/pe", self.prefix)
        self.bin = self.prefix / "bin"
        self.environment = {"PATH": f"{self.bin}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(scratch)}

    def said(self, tool, *words, **options):
        return said(self.bin / tool, *words, env=self.environment, **options)


def stays_below_the_prefix(place):
    assert not place.outside, place.outside


def holds_everything(place):
    tools = [*TOOLS, "pe-plot", *(["pe-mpi"] if "PE_MPI:BOOL=ON" in (place.build / "CMakeCache.txt").read_text() else [])]
    names = [f"bin/{tool}" for tool in tools]
    names += ["share/doc/pe/LICENSE", "share/doc/pe/README.md", "share/doc/pe/CHANGELOG.md", "share/pe/manifest.schema.json", "share/pe/published.csv"]
    names += [f"share/doc/pe/examples/{name}" for name in ("CMakeLists.txt", "table.cpp", "rotate.cpp", "judge.cpp")]
    names += [f"share/pe/models/{path.name}" for path in (ROOT / "data/models").glob("*.json")]
    names += [f"share/{folder}/{form.format(tool)}" for tool in tools for folder, form in
              [("bash-completion/completions", "{}"), ("zsh/site-functions", "_{}"), ("fish/vendor_completions.d", "{}.fish"), ("man/man1", "{}.1")]]
    missing = [name for name in names if not (place.prefix / name).is_file()]
    assert not missing, missing
    for pattern in ("lib*/**/pe.pc", "lib*/**/peConfig.cmake", "lib*/**/libpe.a", "include/pe/**/*.hpp"):
        assert list(place.prefix.glob(pattern)), pattern
    assert not list(place.prefix.rglob("__pycache__"))


def start_without_what_they_load_late(place):
    """Of HDF5 and LAPACK, with their forty libraries, a tool that needs neither knows the names alone."""
    late = "PE_LATE:BOOL=ON" in (place.build / "CMakeCache.txt").read_text()
    for tool in TOOLS:
        needed = re.findall(r"NEEDED +(\S+)", said("objdump", "-p", place.bin / tool))
        heavy = [name for name in needed if re.match(r"lib(hdf5|lapack|blas)", name)]
        noted = re.findall(r'"soname":\["(lib[a-z0-9]+)[^"]*"\]', (place.bin / tool).read_bytes().decode("latin-1"))
        assert (sorted(noted), heavy) == (["libblas", "libhdf5", "liblapack"], []) if late else heavy, (tool, noted, heavy)


def moved_tools_find_their_data(place):
    for tool in [*TOOLS, "pe-plot"]:
        first, commit, libraries = place.said(tool, "--version").splitlines()
        assert re.fullmatch(rf"{tool} \d+\.\d+\.\d+", first), first
        assert re.fullmatch(r"commit ([0-9a-f]{7,40}(-dirty)?|unknown)", commit), commit
        assert all(f" {name} " in libraries for name in (("NumPy", "matplotlib", "h5py") if tool == "pe-plot" else ("HDF5", "MPFR", "fmt", "CLI11"))), libraries
    assert place.said("pe-gen", "--model", "llama-3.1-8b", "--length", "2", "--fields", "inv_freq").startswith("pair,")
    assert place.said("pe-verify", "run", "--schema") == (place.prefix / "share/pe/manifest.schema.json").read_text()
    from_file = place.said("pe-gen", "--config", place.prefix / "share/pe/models/llama-3.1-8b.json", "--length", "2", "--fields", "inv_freq")
    assert from_file == place.said("pe-gen", "--model", "llama-3.1-8b", "--length", "2", "--fields", "inv_freq")
    table = place.said("pe-gen", "alibi", "--heads", "2", "--length", "3")
    assert place.said("pe-plot", "--at", "head=0", "--width", "40", input=table).strip()


def versions_side_by_side_do_not_meet(place):
    """Beside another installation each pe-plot imports what was installed with it, through a link from elsewhere, too."""
    other = place.scratch / "other"
    shutil.copytree(place.prefix, other)
    (other / "share/pe/plot/__init__.py").write_text("raise SystemExit('the other one')\n")
    link = place.scratch / "pe-plot"
    link.symlink_to(place.bin / "pe-plot")
    for command in (place.bin / "pe-plot", link):
        assert "the other one" not in said(command, "--help", env={**place.environment, "PATH": f"{other}/bin:{place.environment['PATH']}"}, cwd=other)
    refused = subprocess.run([other / "bin/pe-plot", "--help"], capture_output=True, text=True, env=place.environment, timeout=60)
    assert "the other one" in refused.stderr, refused


CHECKS = [stays_below_the_prefix, holds_everything, start_without_what_they_load_late, moved_tools_find_their_data, versions_side_by_side_do_not_meet]

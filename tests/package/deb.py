# The Debian packages: what is in them, and what they depend on. tests/package/chroot.sh installs them.
import os
import re
import subprocess

from install import ROOT, TOOLS, said


def made(place):
    """The packages, made once."""
    out = place.scratch / "debs"
    if not out.is_dir():
        said(ROOT / "scripts/package", "deb", "-o", out, env={**os.environ, "PE_BUILD": str(place.build), "PE_DEB_COMPRESSION": "none"})
    return {path.name.split("_")[0]: path for path in out.glob("*.deb")}


def version():
    return re.search(r"^project\(pe VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


def control(path):
    return dict(re.findall(r"^([\w-]+): (.*)$", said("dpkg", "-f", path), re.M))


def files(path):
    lines = said("dpkg", "-c", path).splitlines()
    assert all(line.split()[1] == "root/root" for line in lines)
    return {line.split(None, 5)[5].removeprefix("./"): line.split()[0] for line in lines}


def are_two_of_this_version(place):
    assert set(made(place)) == {"pe-tools", "libpe-dev"}
    for path in made(place).values():
        assert control(path)["Version"] == f"{version()}-1" and "<" in control(path)["Maintainer"]


def depend_on_what_they_load(place):
    tools = control(made(place)["pe-tools"])
    for library in ("libhdf5-hl", "liblapack3", "libblas3", "libmpfr6", "libgmp10", "zlib1g", "libc6", "libstdc++6", "python3"):
        assert library in tools["Depends"], (library, tools["Depends"])
    assert "-dev" not in tools["Depends"] and "python3-matplotlib" in tools["Recommends"]
    development = control(made(place)["libpe-dev"])
    config = next((place.prefix).glob("lib*/**/peConfig.cmake")).read_text()
    for package, found in (("libfmt-dev", "fmt"), ("libboost-dev", "Boost"), ("zlib1g-dev", "ZLIB")):
        assert package in development["Depends"] and f"find_dependency({found}" in config
    for library in ("libhdf5-hl", "liblapack3", "libblas3"):
        assert library in development["Depends"], (library, development["Depends"])


def hold_what_is_installed(place):
    tools, development = (files(made(place)[name]) for name in ("pe-tools", "libpe-dev"))
    for tool in [*TOOLS, "pe-plot"]:
        assert tools[f"usr/bin/{tool}"] == "-rwxr-xr-x"
        assert f"usr/share/man/man1/{tool}.1.gz" in tools and f"usr/share/zsh/vendor-completions/_{tool}" in tools
    for package, contents in (("pe-tools", tools), ("libpe-dev", development)):
        for name in ("copyright", "changelog.Debian.gz"):
            assert f"usr/share/doc/{package}/{name}" in contents, (package, name)
    assert not any(name.startswith("usr/include") or name.endswith(".a") for name in tools)
    assert {"usr/include/pe/base/decimal.hpp"} <= set(development) and any(name.endswith("pkgconfig/pe.pc") for name in development)
    assert not set(n for n in tools if not n.endswith("/")) & set(development)


def refuses_what_it_does_not_know(place):
    for words in (["rpm"], ["deb", "--out"], ["deb", "rpm"], ["--bin"]):
        done = subprocess.run([ROOT / "scripts/package", *words], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, (words, done)


CHECKS = [are_two_of_this_version, depend_on_what_they_load, hold_what_is_installed, refuses_what_it_does_not_know]

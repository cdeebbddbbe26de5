# The manual pages: rendered without a warning by two programs, found by apropos, and nothing that the tools have is missing in them.
import json
import re
import shutil
import subprocess

from install import ROOT, TOOLS


def pages(place):
    found = sorted((place.prefix / "share/man").rglob("*.[157]"))
    assert len(found) > 20, found
    return found


def plain(path):
    """The page as it reads, without its macros."""
    return re.sub(r"\\f.|\\&", "", path.read_text()).replace(r"\-", "-").replace(r"\e", "\\")


def render_without_a_warning(place):
    for path in pages(place):
        done = subprocess.run(["man", "--warnings=w", "-E", "UTF-8", "-l", path], capture_output=True, text=True, timeout=60, env={**place.environment, "MANWIDTH": "80"})
        assert done.returncode == 0 and not done.stderr and len(done.stdout) > 500, (path.name, done.stderr)


def pass_the_other_lint(place):
    if not shutil.which("mandoc"):
        print("mandoc is not here: its lint was not asked")
        return
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages(place)], capture_output=True, text=True, timeout=60)
    assert not done.stdout and not done.stderr, (done.stdout + done.stderr)[:2000]


def are_found_by_their_names(place):
    for path in pages(place):
        done = subprocess.run(["lexgrog", path], capture_output=True, text=True, timeout=60, check=True)
        assert f'"{path.stem} - ' in done.stdout, (path.name, done.stdout)


def there_is_one_for_each(place):
    names = {path.name for path in pages(place)}
    encodings = place.said("pe-gen", "list", "encodings", "--names").split()
    wanted = {f"{tool}.1" for tool in [*TOOLS, "pe-plot"]} | {f"pe-{name}.7" for name in encodings} | {"pe-manifest.5", "pe-formats.5"}
    wanted |= {"pe-mpi.1"} if (place.bin / "pe-mpi").exists() else set()
    assert names == wanted, names ^ wanted
    for page in (ROOT / "README.md", ROOT / "README.zh.md"):
        told = {f"{name}.{section}" for name, section in re.findall(r"(pe-[a-z0-9-]+)\((\d)\)", page.read_text(encoding="utf-8"))}
        assert told and told <= names, (page.name, told - names)


def options_below(command):
    yield from (option["names"][-1] for option in command["options"])
    for below in command["commands"]:
        yield from options_below(below)


def every_option_stands_in_a_page(place):
    texts = {path.name: plain(path) for path in pages(place)}
    encodings = "".join(text for name, text in texts.items() if name.endswith(".7"))
    for tool in TOOLS:
        options = set(options_below(json.loads(place.said(tool, "--option-tree"))))
        assert len(options) > 30
        missing = sorted(option for option in options - {"--help", "--version"} if option not in texts[f"{tool}.1"] + encodings)
        assert not missing, (tool, missing)


def every_row_stands_in_a_page(place):
    texts = "".join(plain(path) for path in pages(place))
    for catalogue, rows in json.loads(place.said("pe-gen", "list", "--json")).items():
        missing = [row["name"] for row in rows if not re.search(rf"(?<![\w-]){re.escape(row['name'])}(?![\w-])", texts)]
        assert rows and not missing, (catalogue, missing)


CHECKS = [render_without_a_warning, pass_the_other_lint, are_found_by_their_names, there_is_one_for_each, every_option_stands_in_a_page, every_row_stands_in_a_page]

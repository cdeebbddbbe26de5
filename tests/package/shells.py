# Completion, in the shells themselves.
import json
import shutil
import subprocess

from install import TOOLS, said

BASH = r"""
. "$1"; shift
COMP_LINE="$*" COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
COMP_POINT=${#COMP_LINE}
compopt() { :; }
_pe_complete "$1"
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
"""


def bash(place, *words):
    script = place.prefix / "share/bash-completion/completions" / words[0]
    return said("bash", "-c", BASH, "bash", script, *words, env=place.environment, cwd=place.prefix / "share/pe").split("\n")[:-1]


def words_of_bash(place):
    assert bash(place, "pe-gen", "ro") == ["rope", "rope-2d", "rope-3d"]
    assert bash(place, "pe-verify", "check", "ali") == ["alibi"]
    assert bash(place, "pe-verify", "toep") == ["toeplitz"]
    assert bash(place, "pe-analyze", "spect") == ["spectrum"]
    assert bash(place, "pe-analyze", "spectrum", "sinu") == ["sinusoidal"]
    assert bash(place, "pe-gen", "rope", "--dial") == ["--dialect"]
    assert "--heads" in bash(place, "pe-gen", "alibi", "--") and "--heads" not in bash(place, "pe-gen", "rope", "--")
    assert bash(place, "pe-gen", "list", "mod") == ["models"]


def values_of_bash(place):
    catalogue = json.loads(place.said("pe-gen", "list", "--json"))
    for option, rows in (("--model", "models"), ("--dialect", "dialects")):
        assert bash(place, "pe-gen", "rope", option, "") == [row["name"] for row in catalogue[rows]]
    assert bash(place, "pe-gen", "rope", "--dtype", "=", "b") == ["bf16"]  # as bash cuts --dtype=b
    assert bash(place, "pe-gen", "rope", "--fields", "cos,inv") == ["cos,inv_freq"]
    assert "--base" in bash(place, "pe-gen", "--model", "llama-3.1-8b", "--b")
    assert bash(place, "pe-verify", "check", "rope", "--accept", "d") == ["drift"]


def files_of_bash(place):
    assert bash(place, "pe-gen", "rope", "--config", "manifest") == ["manifest.schema.json"]
    assert bash(place, "pe-verify", "run", "mani") == ["manifest.schema.json"]
    assert bash(place, "pe-verify", "check", "rope", "--file", "publ") == ["published.csv"]
    assert bash(place, "pe-gen", "rope", "--config", "publ") == []
    assert bash(place, "pe-gen", "rope", "--config", "mod") == ["models"]


def wrong_lines_offer_nothing(place):
    assert place.said("pe-gen", "--complete", "--model", "no such model", "--b") == ""
    assert place.said("pe-verify", "--complete", "check", "nothing", "--b") == ""


def every_value_that_is_known_is_offered(place):
    """What an option's own help has between braces, for a share of all subcommands."""
    for tool in TOOLS:
        tree = json.loads(place.said(tool, "--option-tree"))
        asked = {}
        for path, command in leaves(tree, []):
            for option in command["options"]:
                if option["type"].startswith("{"):
                    asked.setdefault(option["names"][-1], (path, option["type"][1:option["type"].index("}")].split(",")))
        assert asked
        for name, (path, choices) in asked.items():
            offered = place.said(tool, "--complete", *path, name, "").splitlines()
            assert [line.split()[0] for line in offered] == choices, (tool, path, name, offered)


def leaves(command, path):
    if not command["commands"]:
        yield path, command
    for below in command["commands"]:
        yield from leaves(below, [*path, below["name"]])


def other_shells(place):
    folders = {"bash": "bash-completion/completions", "zsh": "zsh/site-functions", "fish": "fish/vendor_completions.d"}
    for shell, folder in folders.items():
        if not shutil.which(shell):
            print(f"{shell} is not here: its completions were not read")
            continue
        for path in sorted((place.prefix / "share" / folder).iterdir()):
            said(shell, "-n", path)
    if shutil.which("fish"):
        source = "; ".join(f"source '{path}'" for path in sorted((place.prefix / "share" / folders["fish"]).iterdir()))
        asked = ["pe-gen ro", "pe-gen rope --dtype b", "pe-verify check rope --file publ", "pe-plot --kin"]
        offered = said("fish", "--no-config", "-c", source + "".join(f"; complete -C '{line}'" for line in asked), env=place.environment, cwd=place.prefix / "share/pe")
        assert [line.split("\t")[0] for line in offered.splitlines()] == ["rope", "rope-2d", "rope-3d", "bf16", "published.csv", "--kind"], offered


CHECKS = [words_of_bash, values_of_bash, files_of_bash, wrong_lines_offer_nothing, every_value_that_is_known_is_offered, other_shells]

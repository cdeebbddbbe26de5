# Completion, in the shells themselves.
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import termios
import time

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


ZSH = r"""
fpath=($1 $fpath) kept=$2
autoload -Uz compinit && compinit -u -D
keep() { print -r -- "$BUFFER" >>$kept; BUFFER='' }
zle -N keep
bindkey '^G' keep
print -r -- ready >>$kept
"""


class Terminal:
    """zsh as somebody sits before it: what a line is after the tabulator, and what was shown."""

    def __init__(self, place):
        self.kept, setup = place.scratch / "zsh.lines", place.scratch / "setup.zsh"
        setup.write_text(ZSH)
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(place.prefix / "share/pe")
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**place.environment, "TERM": "xterm", "HOME": str(place.scratch), "COLUMNS": "200"})
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self.shown, self.lines = "", 0
        self.type(f". '{setup}' '{place.prefix / 'share/zsh/site-functions'}' '{self.kept}'\n")

    def type(self, text):
        """What the file of kept lines has at its end, when the shell has answered."""
        os.write(self.terminal, text.encode())
        self.lines += 1
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if select.select([self.terminal], [], [], 0.05)[0]:
                self.shown += os.read(self.terminal, 65536).decode(errors="replace")
            kept = self.kept.read_text().split("\n")[:-1] if self.kept.exists() else []
            if len(kept) >= self.lines:
                return kept[-1]
        raise AssertionError(f"zsh does not answer {text!r}: {self.shown[-2000:]}")

    def after_tab(self, line):
        return self.type(line + "\t\a").rstrip()

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def zsh_itself(place):
    if not shutil.which("zsh"):
        print("zsh is not here: nobody typed before it")
        return
    shell = Terminal(place)
    try:
        for begun, whole in (("pe-gen ali", "pe-gen alibi"), ("pe-verify check sinu", "pe-verify check sinusoidal"), ("pe-analyze spect", "pe-analyze spectrum"),
                             ("pe-gen rope --dtype b", "pe-gen rope --dtype bf16"), ("pe-gen rope --dial", "pe-gen rope --dialect"),
                             ("pe-verify check rope --accept d", "pe-verify check rope --accept drift"), ("pe-plot --kin", "pe-plot --kind"),
                             ("pe-verify check rope --file publ", "pe-verify check rope --file published.csv"),
                             ("pe-gen rope --config mani", "pe-gen rope --config manifest.schema.json"),
                             ("pe-apply sinusoidal --hea", "pe-apply sinusoidal --hea")):
            assert shell.after_tab(begun) == whole, (begun, shell.shown[-2000:])
        shell.shown = ""
        assert shell.after_tab("pe-gen ro\t") == "pe-gen rope" and "rope-2d" in shell.shown and "rope-3d" in shell.shown, shell.shown
    finally:
        shell.close()


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


CHECKS = [words_of_bash, values_of_bash, files_of_bash, wrong_lines_offer_nothing, every_value_that_is_known_is_offered, zsh_itself, other_shells]

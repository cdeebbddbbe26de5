# Completion, in the shells themselves.
import fcntl
import json
import os
import pty
import re
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
case $1 in pe-plot) _pe_plot ;; *) _pe_complete "$1" ;; esac
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
"""


def bash(place, *words):
    script = place.prefix / "share/bash-completion/completions" / words[0]
    return said("bash", "-c", BASH, "bash", script, *words, env=place.environment, cwd=place.prefix / "share/pe").split("\n")[:-1]


# Its completion system takes a terminal: here three of its functions say what they were given.
ZSH = r"""
script=$1; shift
words=("$@") CURRENT=$# PREFIX=${@[-1]}
compset() { PREFIX=${PREFIX#*=}; }
_files() { local pattern='*' file; [[ $1 != -g ]] || pattern=$2; setopt extended_glob null_glob
  for file in $PREFIX*(/) ${~${pattern/#\*/$PREFIX*}}(.); do print -r -- $file; done }
_describe() { local line; for line in "${(@)shown}"; do print -r -- "${${line%%[^\\]:*}}${${(M)line##*[^\\]:}[-2]}"; done }
source $script
"""


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
    assert bash(place, "pe-plot", "publ") == ["published.csv"] == bash(place, "pe-plot", "--kind", "heatmap", "publ")
    assert bash(place, "pe-plot", "-o", "publ") == [] and bash(place, "pe-plot", "-o", "mod") == ["models"]
    assert bash(place, "pe-plot", "--kind", "wave") == ["waves", "wavelengths"] and bash(place, "pe-plot", "--kin") == ["--kind"]


def wrong_lines_offer_nothing(place):
    assert place.said("pe-gen", "--complete", "--model", "no such model", "--b") == ""
    assert place.said("pe-verify", "--complete", "check", "nothing", "--b") == ""


# What a value of such a type is, nobody can foresee: numbers, shapes, runs of positions. The rest is words, rows or files.
NUMBERS = {"INT", "N", "N,...", "NUMBER", "NUMBER,...", "K,...", "SECONDS", "I/N", "B,H,S,D", "START:STOP[:STEP]", "START:STOP[:STEP] or P,P,..."}
# Names that are shapes, cells or text.
FREE = {"--at", "--from-grid", "--grid", "--pretrained-window", "--reference", "--segments", "--tokens", "--valid", "--window"}


def asked_of(place, tool):
    """(path, option) of every option that takes a value, once for each subcommand of the tool's own."""
    asked = {}
    for path, command in leaves(json.loads(place.said(tool, "--option-tree")), []):
        for option in command["options"]:
            if option["type"]:
                own = path[0] if option["group"] == "Of the quantity" or option["names"][-1] == "--fields" else ""
                asked.setdefault((own, option["names"][-1], option["type"]), (path, option))
    assert asked
    return asked.values()


def offers(place, tool, path, option, begun=""):
    if option["names"][-1] == "--axis":  # of positions that are cells
        path = [*path[:-1], "sincos-2d"]
    if option["names"][-1] == "--layer-type":  # of a model that has several
        path = [*path, "--model", "gemma-3-4b"]
    return place.said(tool, "--complete", *path, *([] if option["positional"] else [option["names"][-1]]), begun).splitlines()


def every_value_that_is_known_is_offered(place):
    """Every option of every tool: what is neither a number nor free text has words, rows of a catalogue, or a kind of file."""
    rows = json.loads(place.said("pe-gen", "list", "encodings", "--json"))
    rows = rows["encodings"] if isinstance(rows, dict) else rows
    schemas = {row["name"]: {"--" + parameter["name"]: parameter.get("choices") for parameter in row["parameters"]} for row in rows}
    for tool in TOOLS:
        for path, option in asked_of(place, tool):
            name, kind = option["names"][-1], option["type"]
            if kind in NUMBERS or name in FREE or name == "WORD":
                continue
            offered = offers(place, tool, path, option)
            where = (tool, path, name, kind, offered)
            if re.match(r"FILE|PATH|MANIFEST", kind) or name == "--certificate":
                assert len(offered) == 1 and re.fullmatch(r" files( \*|( \.\w+)+)", offered[0]), where
                continue
            assert offered and not offered[0].startswith(" "), where
            found = [line.split(" ")[0] for line in offered]
            assert len(set(found)) == len(found), where
            if kind.startswith("{"):
                assert found == (schemas.get(path[-1], {}).get(option["names"][0]) or kind[1:kind.index("}")].split(",")), where
            if name in ("--fields", "--laws", "--rules", "--pipelines", "--schemes", "--solvers"):
                assert [line.split(" ")[0] for line in offers(place, tool, path, option, "x,")] == ["x," + word for word in found if word != "x"], where


def rows_and_kinds_are_whole(place):
    """What is offered is what the catalogues have, what a report may be, and what a format is written to."""
    catalogue = json.loads(place.said("pe-gen", "list", "--json"))
    names = {kind: [row["name"] for row in rows] for kind, rows in catalogue.items()}

    def found(tool, *words):
        return [line.split(" ")[0] for line in place.said(tool, "--complete", *words).splitlines()]

    def suffixes(tool, *words):
        line, = place.said(tool, "--complete", *words).splitlines()
        return set(line.removeprefix(" files ").split())

    written = [row for row in catalogue["formats"] if row["kind"] != "read"]
    read = [row for row in catalogue["formats"] if row["kind"] != "written"]
    assert found("pe-gen", "rope", "--scaling", "") == ["none", *names["scalings"]]
    assert found("pe-gen", "rope", "--format", "") == [row["name"] for row in written]
    assert found("pe-gen", "list", "") == list(catalogue)
    for kind in catalogue:
        assert found("pe-gen", "list", kind, "") == names[kind], kind
    assert found("pe-analyze", "laws", "sinusoidal", "--laws", "") == [*names["properties"], "wishes"]
    assert found("pe-analyze", "similarity", "sincos-2d", "--view", "grid", "--fields", "") != found("pe-analyze", "similarity", "sincos-2d", "--fields", "")
    for row in catalogue["quantities"]:
        columns = {word for view in row["columns"].split(" | ") for word in view.split(": ")[-1].split()}
        encoding = row["example"].split()[0]
        offered = set(found("pe-analyze", row["name"], encoding if encoding in names["encodings"] else "rope", "--fields", ""))
        assert offered and offered <= columns, (row["name"], offered ^ columns)
    layers = found("pe-verify", "check", "--model", "gemma-3-4b", "--layer-type", "")
    assert "sliding_attention" in layers and found("pe-gen", "--model", "gemma-3-4b", "--layer-type", "") == ["all", *layers]
    assert found("pe-analyze", "published", "--only", "Su") == ["Su", "Sun"]
    assert suffixes("pe-gen", "info", "") == {s for row in read for s in row["suffixes"]}
    assert suffixes("pe-gen", "rope", "-o", "") == {s for row in written for s in row["suffixes"]}
    assert suffixes("pe-verify", "merge", "1.json", "") == {".json"} == suffixes("pe-analyze", "base-bound", "rope", "--certificate", "")
    report = suffixes("pe-verify", "check", "rope", "--report", "")
    assert {".json", ".xml", ".md", ".csv", ".h5", ".hdf5"} <= report
    for suffix in [*report, ".txt"]:
        done = subprocess.run([place.bin / "pe-verify", "check", "alibi", "--heads", "2", "--length", "4", "--report", f"report{suffix}"],
                              cwd=place.scratch, capture_output=True, check=False)
        assert (done.returncode == 0) == (suffix in report), (suffix, done)


def leaves(command, path):
    if not command["commands"]:
        yield path, command
    for below in command["commands"]:
        yield from leaves(below, [*path, below["name"]])


TYPED_BEFORE = r"""
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
        setup.write_text(TYPED_BEFORE)
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

    def wait_for(self, text, word):
        """Types and waits until the word is shown: zsh draws no list while something is typed that it has not read."""
        os.write(self.terminal, text.encode())
        until = time.monotonic() + 60
        while word not in self.shown and time.monotonic() < until:
            if select.select([self.terminal], [], [], 0.05)[0]:
                self.shown += os.read(self.terminal, 65536).decode(errors="replace")

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
        shell.wait_for("pe-gen ro\t\t", "rope-3d")
        assert shell.type("\a") == "pe-gen rope" and "rope-2d" in shell.shown and "rope-3d" in shell.shown, shell.shown
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
        asked = ["pe-gen ro", "pe-gen rope --dtype b", "pe-verify check rope --file publ", "pe-plot --kin", "pe-plot publ", "pe-plot -o publ"]
        offered = said("fish", "--no-config", "-c", source + "".join(f"; complete -C '{line}'" for line in asked), env=place.environment, cwd=place.prefix / "share/pe")
        assert [line.split("\t")[0] for line in offered.splitlines()] == ["rope", "rope-2d", "rope-3d", "bf16", "published.csv", "--kind", "published.csv"], offered


def shells_are_alike(place):
    """The same words and files in each of the three that are here."""
    folder = place.prefix / "share/pe"
    asked = ["pe-gen rope --scaling ya", "pe-gen rope --scaling=ll", "pe-gen info publ", "pe-verify merge mani", "pe-verify merge publ", "pe-gen list cau",
             "pe-verify check rope --report mani", "pe-analyze base-bound rope --certificate mani", "pe-analyze base-bound rope --certificate publ",
             "pe-analyze decay rope --fields d", "pe-analyze published --only Pres", "pe-gen list causes wrong-b", "pe-analyze exposure rope --schemes pose:2,ra"]
    for line in asked:
        words = line.split(" ")
        inside = [words[0], *(part for word in words[1:] for part in re.split(r"(?<=^--scaling)(=)", word))]  # as bash cuts them
        found = {"bash": sorted(bash(place, *inside))}
        if shutil.which("zsh"):
            script = place.prefix / "share/zsh/site-functions" / f"_{words[0]}"
            found["zsh"] = sorted(said("zsh", "-f", "-c", ZSH, "zsh", script, *words, env=place.environment, cwd=folder).splitlines())
        if shutil.which("fish"):
            script = place.prefix / "share/fish/vendor_completions.d" / f"{words[0]}.fish"
            lines = said("fish", "--no-config", "-c", f"source '{script}'; complete -C '{line}'", env=place.environment, cwd=folder).splitlines()
            found["fish"] = sorted(each.split("\t")[0].split("=")[-1] for each in lines)
        found["zsh"] = sorted(each.split("=")[-1] for each in found.get("zsh", found["bash"]))
        found["bash"] = sorted(each.split(",")[-1] if "," in line else each for each in found["bash"])
        found = {shell: sorted(each.split(",")[-1] for each in words) for shell, words in found.items()}
        assert len(set(map(tuple, found.values()))) == 1, (line, found)
        assert bool(found["bash"]) == (not line.endswith("publ") or "info" in line), (line, found)


CHECKS = [words_of_bash, values_of_bash, files_of_bash, wrong_lines_offer_nothing, every_value_that_is_known_is_offered, rows_and_kinds_are_whole, shells_are_alike, zsh_itself, other_shells]

#!/usr/bin/env python3
# Runs README.md as it is printed: every command, in order, in an empty folder, and holds what it shows to what comes out.
"""A block ```sh is a script: it must end well. A block ```console is a session: lines after `$ ` (and `> `) are typed, those below are what comes out, stdout
and then stderr; a line `…` stands for any number of lines, a line that ends with … for all that begin so, `[exit code N]` for an exit code that is not 0.
A block of another language is quoted: `<!-- quoted: FILE -->` before it names the file that has these lines.
A block after `<!-- not run by the test: REASON -->` is left out. Then the commands within lines and tables are run, if they are whole: those with
a word in capitals or … are patterns, those that take half a minute (SLOW) have tests of their own. README.zh.md must have the same blocks.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?:^<!-- not run by the test: (.+?) -->\n)?^```(\w*)\n(.*?)^```$", re.S | re.M)
QUOTED = re.compile(r"^<!-- quoted: (.+?) -->\n```\w+\n(.*?)^```$", re.S | re.M)
WITHIN = re.compile(r"`(pe-(?:gen|apply|verify|analyze|plot) [^`\n]+)`")
PATTERN = re.compile(r"…|\b[A-Z]{3,}\b|QUANTITY")
SLOW = ("pe-analyze published", "pe-analyze probe ", "pe-analyze precision ")
LANGUAGES = ("sh", "console")
EXIT = re.compile(r"\[exit code (\d+)\]")


@dataclasses.dataclass
class Typed:
    command: str
    shown: list
    code: int = 0


def blocks_of(text):
    """(language, text, why it is not run) of every block."""
    return [(match[2], match[3], match[1]) for match in BLOCK.finditer(text)]


def session(text):
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Typed(line[2:], []))
        elif line.startswith("> "):
            found[-1].command += "\n" + line[2:]
        elif code := EXIT.fullmatch(line):
            found[-1].code = int(code[1])
        else:
            found[-1].shown.append(line)
    return found


def fits(shown, lines):
    """Whether what is shown is what came out, with its … filled in."""
    if not shown:
        return not lines
    first, rest = shown[0], shown[1:]
    if first == "…":
        return any(fits(rest, lines[n:]) for n in range(len(lines) + 1))
    if not lines or not (lines[0].startswith(first[:-1]) if first.endswith("…") else lines[0] == first):
        return False
    return fits(rest, lines[1:])


class Machine:
    """An empty folder with the tools on PATH."""

    def __init__(self, tools, folder):
        self.folder = folder
        path = os.pathsep.join([str(tools), str(ROOT / "scripts"), "/usr/local/bin", "/usr/bin", "/bin"])
        self.environment = {"PATH": path, "HOME": os.environ.get("HOME", folder), "LC_ALL": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1"}

    def run(self, command, shell=("/bin/bash", "-c")):
        return subprocess.run([*shell, command], cwd=self.folder, env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)


def stale_quotations(text):
    """Quoted blocks that their files do not have, and blocks of other languages that quote nothing; how many hold."""
    quoted = {match[2]: match[1] for match in QUOTED.finditer(text)}
    blocks = [block for language, block, _ in blocks_of(text) if language not in LANGUAGES]
    faults = [f"{block}\nstands in no file: put <!-- quoted: FILE --> before it" for block in blocks if block not in quoted]
    faults += [f"{name} has other lines than its quotation" for block, name in quoted.items() if f"\n{block}" not in "\n" + (ROOT / name).read_text()]
    return faults, len(blocks) - len(faults)


def run_block(machine, language, text):
    """What went wrong in a block, and how much was run."""
    if language == "sh":
        done = machine.run(text, ("/bin/bash", "-e", "-o", "pipefail", "-c"))
        return [f"{text.strip()}: exit code {done.returncode}: {done.stderr.strip()}"] if done.returncode else [], text.count("\n")
    faults, typed = [], session(text)
    for entry in typed:
        done = machine.run(entry.command)
        lines = (done.stdout + done.stderr).splitlines()
        if done.returncode != entry.code:
            faults.append(f"{entry.command}: exit code {done.returncode}, where {entry.code} is shown: {done.stderr.strip()}")
        elif not fits(entry.shown, lines):
            faults.append(f"{entry.command}: shows\n" + "\n".join(entry.shown) + "\nwhere this comes out:\n" + "\n".join(lines[:40]))
    return faults, len(typed)


def run_within(machine, text):
    """The whole commands within lines: each must be understood, whatever it finds."""
    outside = BLOCK.sub("", text)
    commands = [c for c in dict.fromkeys(c.replace("\\|", "|") for c in WITHIN.findall(outside)) if not PATTERN.search(c) and not (c == SLOW[0] or c.startswith(SLOW[1:]))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(machine.run, commands))
    return [f"{c}: exit code {d.returncode}: {d.stderr.strip()}" for c, d in zip(commands, done) if d.returncode], len(commands)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/cmd", help="folder of the tools")
    tools = parser.parse_args().bin.resolve()
    english, chinese = ((ROOT / name).read_text() for name in ("README.md", "README.zh.md"))
    faults, count = [], 0
    here, there = blocks_of(english), blocks_of(chinese)
    for number in range(max(len(here), len(there))):
        if here[number:number + 1] != there[number:number + 1]:
            faults.append(f"README.zh.md, block {number + 1} is not that of README.md:\n{''.join(text for _, text, _ in there[number:number + 1])}")
            break
    with tempfile.TemporaryDirectory(prefix="pe-readme-") as folder:
        machine = Machine(tools, folder)
        for language, text, left_out in here:
            if left_out is None and language in LANGUAGES:
                found, ran = run_block(machine, language, text)
                faults, count = faults + found, count + ran
        for text in (english, chinese):
            for found, ran in (run_within(machine, text), stale_quotations(text)):
                faults, count = faults + found, count + ran
    print("\n".join(faults))
    print(f"{max(count - len(faults), 0)} passed, {len(faults)} failed")
    return 1 if faults or count < 60 else 0


if __name__ == "__main__":
    sys.exit(main())

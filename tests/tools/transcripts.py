#!/usr/bin/env python3
# Runs the transcripts of tests/cli: each command must print what its file says, on both streams, and exit as it says.
"""Format of a transcript file:

    # a comment; comments and blank lines stand before a command and are kept
    #mask [0-9.]+ ms -> <time>      replaces what changes from run to run, in all output of this file
    $ pe-gen index --length 2       run by /bin/sh; lines that begin with `> ` continue it (here-documents)
    position,pe_0                   what stdout must be
    0,0
    ! pe-gen: …                     what stderr must be, each line behind `! `
    ? 2                             the exit code when it is not 0

A stdout line that would read as something else (blank, or beginning with `# $ ! ? > | \\`) stands behind `| `;
output that does not end with a newline is followed by `\\ no newline`. The commands of a file share one fresh
folder; the tools and pe-plot are on PATH, the files of data/ under $DATA. --accept rewrites what differs.

tests/cli/TOOL/CASE.txt is one case, and its name says what is shown. A case refuses-… ends with exit code 2 and one
line on stderr, which says what was wrong, the value, and what to do.
"""
import argparse
import concurrent.futures
import dataclasses
import difflib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT / "tests/cli"
TIMEOUT = 60
NO_NEWLINE = "\\ no newline"
TOOLS = ["pe-gen", "pe-apply", "pe-verify", "pe-analyze"]


@dataclasses.dataclass
class Entry:
    before: list = dataclasses.field(default_factory=list)
    command: list = dataclasses.field(default_factory=list)
    expected: list = dataclasses.field(default_factory=list)


def parse(text):
    """Entries, and the lines after the last one."""
    entries, before = [], []
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("$ "):
            entries.append(Entry(before, [line[2:]]))
            before = []
        elif line.startswith("#") or not line:
            before.append(line)
        elif not entries or before:
            raise ValueError(f"a line of output before any command: {line!r}")
        elif line.startswith("> ") or line == ">":
            entries[-1].command.append(line[2:])
        else:
            entries[-1].expected.append(line)
    return entries, before


def masks(text):
    found = re.findall(r"^#mask (.+) -> (.*)$", text, re.M)
    return [(re.compile(pattern), replacement.replace("\\", r"\\")) for pattern, replacement in found]


def lines_of(output, prefix):
    """Output as the lines of a transcript."""
    text = output.decode("utf-8", "backslashreplace")
    lines = text.split("\n")
    whole = lines.pop() == ""
    if not whole:
        lines = text.split("\n")
    if prefix:
        lines = [(prefix + line).rstrip() if not line else prefix + line for line in lines]
    else:
        lines = ["| " + line if line and line[0] in "#$!?>|\\" else line or "|" for line in lines]
    return lines if whole else [*lines, NO_NEWLINE]


def environment(folder, tools):
    kept = {k: v for k, v in os.environ.items() if re.match(r"(A|UB|T|L)SAN_OPTIONS$", k)}
    path = os.pathsep.join([str(tools), str(ROOT / "scripts"), "/usr/local/bin", "/usr/bin", "/bin"])
    return {**kept, "PATH": path, "HOME": folder, "TMPDIR": folder, "LC_ALL": "C", "TZ": "UTC", "TERM": "dumb",
            "NO_COLOR": "1", "DATA": str(ROOT / "data")}


def execute(command, folder, tools):
    """(stdout, stderr, exit code); the code is None when time runs out."""
    process = subprocess.Popen(["/bin/sh", "-c", "\n".join(command)], cwd=folder, env=environment(folder, tools),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        out, err = process.communicate(timeout=TIMEOUT)
        return out, err, process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return out, err, None


def observe(entry, folder, tools, hidden):
    """What the command printed, in the form of expected lines."""
    out, err, code = execute(entry.command, folder, tools)
    lines = lines_of(out, "") + lines_of(err, "! ")
    for pattern, replacement in hidden:
        lines = [pattern.sub(replacement, line) for line in lines]
    lines = [line.replace(str(ROOT / "data"), "$DATA").replace(folder, "$TMPDIR") for line in lines]
    if code is None:
        lines.append(f"? timeout after {TIMEOUT} s")
    elif code:
        lines.append(f"? {code if code > 0 else 128 - code}")  # a signal as the shell counts it
    return lines


def spell(entries, after):
    lines = []
    for entry in entries:
        first, *more = entry.command
        lines += [*entry.before, "$ " + first, *("> " + line if line else ">" for line in more), *entry.expected]
    return [*lines, *after]


def check_refusal(name, entries):
    """A refusal is one line and exit code 2."""
    last = entries[-1].expected
    if name.startswith("refuses-") and (sum(line.startswith("! ") for line in last) != 1 or last[-1] != "? 2"):
        raise ValueError("a refusal is one line on stderr and exit code 2")


def run(path, tools):
    """(lines as they stand, lines as observed, commands that agree, commands that differ)"""
    text = path.read_text()
    entries, after = parse(text)
    hidden, seen = masks(text), []
    folder = tempfile.mkdtemp(prefix="pe-transcript-")
    try:
        for entry in entries:
            seen.append(dataclasses.replace(entry, expected=observe(entry, folder, tools, hidden)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    check_refusal(path.stem, seen)
    agree = sum(a.expected == b.expected for a, b in zip(entries, seen))
    return spell(entries, after), spell(seen, after), agree, len(entries) - agree


def judge(path, tools, accept):
    """(what to print, cases passed, cases failed) of one file."""
    name = str(path.relative_to(CASES).with_suffix("")) if path.is_relative_to(CASES) else str(path)
    try:
        stands, seen, agree, differ = run(path, tools)
    except (OSError, ValueError) as error:
        return f"FAILED {name}: {error}", 0, 1
    if not differ:
        return "", 1, 0
    file = os.path.relpath(path, ROOT)
    if accept:
        path.write_text("\n".join(seen) + "\n")
        return f"{name}: {differ} of {agree + differ} commands accepted", 1, 0
    diff = difflib.unified_diff(stands, seen, file, file + " (now)", lineterm="")
    return "\n".join([f"FAILED {name}", *diff]), 0, 1


def main():
    parser = argparse.ArgumentParser(description="Runs the transcripts of tests/cli.")
    parser.add_argument("files", metavar="CASE", nargs="*", type=pathlib.Path, help="default: every case of tests/cli")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/cmd", help="where the tools lie")
    parser.add_argument("--accept", action="store_true", help="rewrite what differs (read the diff first)")
    arguments = parser.parse_args()
    tools = arguments.bin.resolve()
    if not any((tools / tool).exists() for tool in TOOLS):
        print(f"transcripts.py: no tools in {tools}: build first, or name their folder with --bin", file=sys.stderr)
        return 2
    files = arguments.files or sorted(CASES.glob("*/*.txt"))
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text, agree, differ in pool.map(lambda path: judge(path.resolve(), tools, arguments.accept), files):
            passed, failed = passed + agree, failed + differ
            if text:
                print(text)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

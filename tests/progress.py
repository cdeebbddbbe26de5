#!/usr/bin/env python3
"""The line that says how far long work is, as a terminal gets it: after a second, within its width, and gone at the end or at Ctrl-C.

  tests/progress.py --bin build/dev/cmd"""
import argparse
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from count import Count

count = Count()
LINE = re.compile(r"\r([^\r\n]*?)\x1b\[K")


def on_terminal(command, folder, columns=80, interrupt=False, term="xterm"):
    """What the terminal got, as (seconds, text), and how the process ended; `interrupt` presses Ctrl-C at the third line."""
    child, terminal = pty.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a test in the background has it ignored, and its children with it
        os.environ["TERM"] = term
        os.chdir(folder)
        fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execv(command[0], command)
    got, start, end = [], time.monotonic(), time.monotonic() + 120
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 0.5)[0]:
            continue
        try:
            text = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not text:
            break
        got.append((time.monotonic() - start, text.decode(errors="replace")))
        if interrupt and sum("\r" in part for _, part in got) > 3:
            os.write(terminal, b"\x03")
            interrupt = False
    os.kill(child, signal.SIGKILL)
    os.close(terminal)
    return got, os.waitpid(child, 0)[1]


def on_screen(text):
    """The last row of the terminal: what a carriage return and an erased line leave."""
    row = ""
    for part in re.split(r"(\r\x1b\[K|\r|\n)", text):
        row = "" if part in ("\n", "\r\x1b[K") else row if part == "\r" else re.sub(r"\x1b\[K", "", part) or row
    return row


def honest(command, folder):
    """Whatever time is said to be left is: within twice, or a few seconds; unlike steps are counted, and say no time."""
    start = time.monotonic()
    got, status = on_terminal(["/bin/bash", "-c", " ".join(command) + " >/dev/null"], folder, 120)
    whole = time.monotonic() - start
    what = " ".join(command[1:])
    lines = [(at, line) for at, part in got for line in LINE.findall(part) if line]
    count.check(os.waitstatus_to_exitcode(status) == 0 and (lines or whole < 2), f"{what}: {len(lines)} lines in {whole:.1f} s, ended with {status}")
    wrong = []
    for at, line in lines:
        told = re.search(r"[0-9]+ %, ([0-9.]+) (s|min) left", line)
        if told:
            left, real = float(told[1]) * (60 if told[2] == "min" else 1), whole - at
            if not real / 2 <= left <= 2 * real and abs(left - real) > 2 + whole / 10:
                wrong.append(f"{line!r} at {at:.1f} of {whole:.1f} s")
    count.check(len(wrong) <= len(lines) / 20, f"{what}: {len(wrong)} of {len(lines)} lines tell another time: {wrong[:2]}")
    return [line for _, line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    tools = parser.parse_args().bin.resolve()
    gen, verify = str(tools / "pe-gen"), str(tools / "pe-verify")
    with tempfile.TemporaryDirectory() as folder:
        table = [gen, "rope", "--length", "400000", "--dim", "256", "-o", "t.json", "--threads", "1"]
        laws = [verify, "check", "sinusoidal", "--length", "65536", "--dim", "512", "--threads", "1"]
        for columns in (80, 30, 9):
            got, status = on_terminal(table, folder, columns)
            text = "".join(part for _, part in got)
            lines = [line for line in LINE.findall(text) if line]
            count.check(status == 0 and lines and got[0][0] > 0.9, f"{columns} columns: {len(lines)} lines, the first after {got[:1]}")
            count.check(all(len(line) < columns for line in lines), f"a line is wider than {columns} columns: {max(lines, key=len, default='')}")
            count.check(any(re.search(r"[0-9]+ %, [0-9.]+ (s|min) left", line) for line in lines) or columns < 30, f"no share and no time: {lines[:3]}")
            count.check(on_screen(text) == "", f"{columns} columns: left on the screen: {on_screen(text)!r}")
        got, status = on_terminal(laws, folder, 100, interrupt=True)
        text = "".join(part for _, part in got)
        count.check(os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) != 0, f"Ctrl-C: ended with {status}")
        # The terminal sends the signal and then echoes ^C: a program that is quick has erased its line by then.
        count.check(on_screen(text) in ("", "^C") and "^C" in text, f"Ctrl-C leaves {on_screen(text)!r}")
        count.check(re.search(r"check sinusoidal: [a-z-]+, ", text), f"no law is named: {text[:200]}")
        analyze = str(tools / "pe-analyze")
        honest([verify, "check", "sinusoidal"], folder)
        honest([verify, "check", "sinusoidal", "--length", "16384", "--dim", "512"], folder)
        honest([analyze, "base-bound", "rope", "--length", "98304"], folder)
        for words, counted in (["laws"], r"laws: [0-9]+ of [0-9]+ subjects done, "), (["published", "--only", "Men"], r"published: [0-9]+ of [0-9]+ numbers done, [0-9]+ s so far"):
            lines = honest([analyze, *words], folder)
            count.check(not lines or all(re.match(counted, line) for line in lines), f"{words}: not counted: {lines[:2]}")
        got, _ = on_terminal(table, folder, term="dumb")
        count.check(not got, f"a dumb terminal gets {got[:2]}")
        piped = subprocess.run(table, cwd=folder, capture_output=True, timeout=120)
        count.check(piped.returncode == 0 and not piped.stderr and not piped.stdout, f"a pipe gets {piped.stderr[:80]}")
        behind = ["/bin/bash", "-c", f"'{gen}' rope --length 300000 --dim 256 --threads 1 | cat > t.csv"]
        got, _ = on_terminal(behind, folder)
        count.check(not got, f"behind a pipe the terminal gets {got[:2]}")
    return count.close()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Fails when an include points up or sideways between floors, when the library talks, or when a file hides its purpose.
import re
import sys

import source

# What each floor may include beside itself. Floors in one brace of STYLE.md do not know each other.
GROUND = {"base", "model", "waves"}
KINDS = GROUND | {"kinds"}
MIDDLE = KINDS | {"io"}  # files are read and written above the kinds, never by them
FLOORS = {
    "base": set(),
    "model": {"base"},
    "io": {"base", "model"},
    "waves": {"base", "model"},
    "kinds": GROUND,
    "scalings": MIDDLE,
    "encodings": MIDDLE | {"scalings"},
    "apply": KINDS,
    "properties": MIDDLE | {"apply"},  # some laws are about what attention makes of an effect
    "dialects": MIDDLE,
    "analyze": MIDDLE,
    "models": MIDDLE | {"scalings", "encodings"},
}
FLOORS["subject"] = MIDDLE | {"encodings", "dialects", "models"}
FLOORS["diagnosis"] = set(FLOORS)  # it makes subjects again, with other parameters
FLOORS["verify"] = set(FLOORS)
FLOORS["cmd"] = set(FLOORS)

TALK = re.compile(r"std::c(?:out|err|log)\b|<iostream>|\bfmt::print(?:ln)?\s*\(|"
                  r"(?<![\w.>])(?:v?f?printf|f?puts|f?putc|putchar|perror|(?:secure_)?getenv|exit|quick_exit|abort)\s*\(")
NOT_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-f])\'(?:\\[^\'\n]+|\\\'|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.S)


def floor_of(path):
    parts = path.relative_to(source.ROOT).parts
    return parts[2] if parts[:2] == ("lib", "pe") and len(parts) > 3 else parts[0]


def includes(path):
    """Includes that this floor may not have, and those that do not exist."""
    here = floor_of(path)
    if here == "tests":
        return
    if here not in FLOORS:
        yield 1, f"{here} is no floor: give it a row in tests/tools/floors.py"
        return
    for number, name in source.includes(path):
        if not name.startswith("pe/"):
            continue
        there = name.split("/")[1]
        if not (source.ROOT / "lib" / name).exists():
            yield number, f"{name} does not exist"
        elif there != here and there not in FLOORS[here]:
            yield number, f"{here} may not include {name}"


def code(text):
    """The text without comments and string contents, line numbers kept."""
    return NOT_CODE.sub(lambda found: "\n" * found[0].count("\n"), text)


def talk(path):
    """A library that prints, exits or reads the environment."""
    if floor_of(path) in ("cmd", "tests"):
        return
    for number, line in enumerate(code(path.read_text()).splitlines(), 1):
        if found := TALK.search(line):
            yield number, f"the library does not say {found[0].strip('( ')}: return it, throw it, or leave it to cmd"


def purpose(path):
    """A first line that says what the file is for, and a guard in each header."""
    lines = path.read_text().splitlines() or [""]
    if not re.match(r"// \S", lines[0]):
        yield 1, "the first line must be a // comment that says what the file is for"
    if path.suffix == ".hpp" and "#pragma once" not in lines:
        yield 1, "a header needs #pragma once"


def main():
    passed = failed = 0
    for path in source.files(".hpp", ".cpp"):
        faults = [fault for check in (includes, talk, purpose) for fault in check(path)]
        for number, text in faults:
            print(f"{path.relative_to(source.ROOT)}:{number}: {text}")
        passed, failed = passed + (not faults), failed + bool(faults)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

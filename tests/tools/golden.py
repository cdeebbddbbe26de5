#!/usr/bin/env python3
# Recomputes every expectation in tests/golden from the formulas beside it, with mpmath.
"""Format of a golden file, one statement a line:

    # a comment
    encoding rope                      which row of encodings.def; `scaling NAME`: rope under that scaling
    set dim=8 base=10000               starts a section: these parameters and no others, as exact decimals
    let theta = base**(-2*j/dim)       a name for later formulas; a later `let` of the same name replaces it
    formula cos  cos(p * theta)        the field `cos` as a Python expression
    tolerance correctly-rounded        or `exact` (integers), or `absolute 1e-12`
    at p=3 j=1  expect cos 0.99… sin 0.02…

Names in formulas: the parameters (a dash becomes _), the coordinates of the `at` line (p position, j pair,
c column, h head, i query, k key, r relative position), pi and the functions below. `length` is a parameter
like the others: positions 0 … length-1. Without --write, digits that differ are failures; with it they are
rewritten: `at p=3 j=1` alone, or `expect cos sin` without digits, asks for them.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import interpreter  # noqa: E402

interpreter.need("mpmath")
import mpmath  # noqa: E402
from mpmath import mp, mpf  # noqa: E402

mp.dps = 100  # positions up to 2^53 cost 16 digits of an angle: plenty is left for the 40 that are printed
DIGITS = 40
COORDINATES = set("pjchikr")


class Fault(Exception):
    """A line that cannot be read or evaluated."""


def integral(x, rounding):
    """floor or ceil where a value that is an integer but for rounding counts as that integer."""
    nearest = mpmath.nint(x)
    distance = abs(x - nearest)
    if distance < mpf(10) ** -80:
        return nearest
    if distance < mpf(10) ** -30:
        raise Fault(f"{mpmath.nstr(x, 50)} is too near an integer to call")
    return rounding(x)


def to_even(x):
    """The nearest whole number; a tie, where x is one but for rounding, goes to the even one."""
    half = 2 * x
    if abs(half - mpmath.nint(half)) < mpf(10) ** -80:
        x = mpmath.nint(half) / 2
    return mpmath.nint(x)


FUNCTIONS = {
    "cos": mpmath.cos, "sin": mpmath.sin, "sqrt": mpmath.sqrt, "log": mpmath.log, "exp": mpmath.exp,
    "floor": lambda x: integral(x, mpmath.floor), "ceil": lambda x: integral(x, mpmath.ceil),
    "round": to_even,
    "min": min, "max": max, "abs": abs, "int": int, "sum": sum, "range": range, "pi": mp.pi,
}


def value(text):
    """A parameter's value: a list, a truth value, an exact decimal or a word."""
    if "," in text:
        return [value(item) for item in text.split(",")]
    if text in ("true", "false"):
        return text == "true"
    try:
        return mpf(text)
    except ValueError:
        return text


def assignments(text):
    pairs = [word.partition("=") for word in text.split()]
    if not pairs or any(not name or not sign or not tail for name, sign, tail in pairs):
        raise Fault(f"expected NAME=VALUE …, got {text!r}")
    return {name.replace("-", "_"): value(tail) for name, _, tail in pairs}


def spell(x):
    """An integer as one, anything else at 40 digits."""
    x = mpf(x)
    if x == mpmath.nint(x) and abs(x) < mpf(10) ** DIGITS:
        return str(int(x))
    return mpmath.nstr(x, DIGITS, strip_zeros=True)


class Names(dict):
    """What a formula may name; a `let` is evaluated when it is asked for."""

    def __init__(self, known, lets):
        super().__init__(known, __builtins__={})
        self.lets = lets

    def __missing__(self, name):
        if name not in self.lets:
            raise NameError(f"nothing is called {name!r} here")
        self[name] = self.evaluate(self.lets[name])
        return self[name]

    def evaluate(self, code):
        return eval(code, self)  # as globals, so that a comprehension sees the names too


class Golden:
    """The state while one file is read: what is set, named and asked for."""

    def __init__(self):
        self.set, self.lets, self.formulas, self.checked = {}, {}, {}, 0

    def evaluate(self, coordinates, fields):
        names = Names({**FUNCTIONS, **self.set, **coordinates}, self.lets)
        try:
            return {f: spell(names.evaluate(self.formulas[f])) for f in fields}
        except (ArithmeticError, NameError, TypeError, ValueError, IndexError, RecursionError) as error:
            raise Fault(f"cannot evaluate: {error}") from None

    def at(self, line):
        """The `at` line with its digits renewed."""
        where, _, expected = line[2:].partition("expect")
        coordinates = assignments(where)
        if set(coordinates) - COORDINATES:
            raise Fault(f"a coordinate is one of {' '.join(sorted(COORDINATES))}")
        fields = [word for word in expected.split() if word in self.formulas] or list(self.formulas)
        self.checked += 1
        values = self.evaluate(coordinates, fields)
        return f"at {where.strip()}  expect " + "  ".join(f"{f} {v}" for f, v in values.items())

    def renew(self, line):
        """One line as it should stand."""
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word == "at":
            return self.at(line)
        if word == "set":
            self.set = assignments(rest)
        elif word == "let" and (found := re.fullmatch(r"(\w+)\s*=\s*(.+)", rest)):
            self.lets[found[1]] = compile(found[2], "let", "eval")
        elif word == "formula" and (found := re.fullmatch(r"(\w+)\s+(.+)", rest)):
            self.formulas[found[1]] = compile(found[2], "formula", "eval")
        elif word == "tolerance":
            if not re.fullmatch(r"correctly-rounded|exact|absolute \S+", rest):
                raise Fault(f"tolerance is correctly-rounded, exact or absolute X, got {rest!r}")
        elif word not in ("encoding", "scaling") and line.strip() and not line.startswith("#"):
            raise Fault(f"unknown statement {word!r}")
        return line


def renew(path):
    """(lines as they stand, lines as they should, how many are expectations)"""
    golden, lines, renewed = Golden(), path.read_text().splitlines(), []
    for number, line in enumerate(lines, 1):
        try:
            renewed.append(golden.renew(line))
        except (Fault, SyntaxError) as error:
            raise Fault(f"{path}:{number}: {error}") from None
    return lines, renewed, golden.checked


def main():
    parser = argparse.ArgumentParser(description="Holds the digits of tests/golden to their formulas.")
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="default: every file of tests/golden")
    parser.add_argument("--check", action="store_true", help="compare (the default)")
    parser.add_argument("--write", action="store_true", help="rewrite the expectations")
    arguments = parser.parse_args()
    passed = failed = 0
    for path in arguments.files or sorted((ROOT / "tests/golden").glob("*.txt")):
        try:
            lines, renewed, checked = renew(path)
        except (Fault, OSError) as error:
            print(error)
            failed += 1
            continue
        wrong = [(n, a, b) for n, (a, b) in enumerate(zip(lines, renewed), 1) if a != b]
        if arguments.write and wrong:
            path.write_text("\n".join(renewed) + "\n")
            print(f"{path}: {len(wrong)} of {checked} expectations rewritten")
            wrong = []
        for number, stands, should in wrong:
            print(f"{path}:{number}:\n  stands  {stands}\n  should  {should}")
        passed, failed = passed + checked - len(wrong), failed + len(wrong)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

# pe-plot as it is called: odd tables, odd names and odd arguments, through the program itself, in this process where that tells the same.
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time
import types

import matplotlib.pyplot as pyplot
import numpy

from plot import choose
import plot_looks

ROOT = pathlib.Path(__file__).resolve().parents[1]


def program():
    script = importlib.machinery.SourceFileLoader("pe_plot", str(ROOT / "scripts/pe-plot"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("pe_plot", script))
    script.exec_module(module)
    return module


def called(module, words, given=b""):
    """(exit code, stdout, stderr) of the program with these words in this folder; what nobody thought of is raised."""
    argv, streams, trace = sys.argv, (sys.stdin, sys.stdout, sys.stderr), os.environ.get("PE_TRACE")
    sys.argv, os.environ["PE_TRACE"] = ["pe-plot", *words], "1"
    sys.stdin = types.SimpleNamespace(buffer=io.BytesIO(given), isatty=lambda: False)
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    try:
        return module.main(), sys.stdout.getvalue(), sys.stderr.getvalue()
    finally:
        sys.argv, (sys.stdin, sys.stdout, sys.stderr) = argv, streams
        os.environ.pop("PE_TRACE")
        if trace:
            os.environ["PE_TRACE"] = trace
        pyplot.close("all")
        plot_looks.sweep()


# What a user may do: the arguments after stdin, and what the one line of a refusal says, or None for a picture.
ATTACKS = [
    ("position,pe_0,pe_1\n0,1,2\n", "", None), ("x\n1\n2\n3\n", "", None), ("x\n1\n", "", None), ("x\nfoo\nbar\n", "", "no column of numbers"), ("model: llama\nrope:\n  theta: 10000\n- yarn\n", "", "no column of numbers"),
    ("a: [1, 2]\nb: [3, 4]\n", "", "no column of numbers"), ("law,verdict\nfinite,holds\nunique,fails\n", "", None),
    ("position,pe\n0,inf\n1,2\n2,-inf\n3,nan\n", "", None), ("position,pe\n0,2\n1,2\n", "", None), ("position,pe\n0,0\n1,0\n", "", None),
    ("position,wavelength\n0,0\n1,1\n2,100000\n", "", None), ("distance,weight\n-3,0.1\n0,1\n", "", None), ("position,pe\n0,1e-320\n1,0\n", "", None),
    ("position,pe\n-5,1\n-4,2\n-1e6,3\n", "", None), ("position\tpe\n0\t1\n1\t2\n", "", None), ("position;pe\n0;1\n1;2\n", "", None),
    ("\ufeffposition,pe\r\n0,1\r\n1,2\r\n", "", None), ("position,$\\frac{1$\n0,1\n1,2\n", "", None), ("position,pe\n0,1\n1,2\n", "--title '$\\frac{$'", None),
    ("position," + "x" * 5000 + "\n0,1\n1,2\n", "", None), ("position,pe\n0,1\n1,2\n", "--title " + "y" * 5000, None), ("position,pe\n0,1\n1,2\n", "--at position=0", None),
    ("position," + ",".join(f"a{i}b" for i in range(100)) + "\n" + "".join(f"{r}," + ",".join("1" * 100) + "\n" for r in range(3)), "", None),
    ("head,slope\n" + "".join(f"{r},{2 ** (-r / 40)}\n" for r in range(300)), "", None), ("law,x\n" + "".join(f"l{r}x,{r}\n" for r in range(200)), "", None),
    ("law,x\n" + "".join(f"l{r}x,w{r % 3}q\n" for r in range(200)), "", None), ("law,x\n" + "".join(f"l{r}x,w{r}q\n" for r in range(20)), "", "--at law=l0x"),
    ("", "", "is empty"), ("\n\n", "", "is empty"), ("position,pe\n", "", "no rows"), ("position,pe\n0,1\n1\n", "", "line 3"), ("position,pe\n0,nan\n", "", "no finite number"),
    ("position,pe\n0,1e308\n1,-1e308\n", "", "reaches 1e+308"), ("position,pe\n0,1\n1e308,3\n", "", "reaches 1e+308"), ("position,pe\nnan,1\n1,2\n", "", "nan or inf"),
    ("head,distance,weight,without\n0,0,1,1\n1,0,1,1\n", "", None), ("distance,weight\n0,1\n1e-200,0.5\n1e200,0.2\n", "", None), ("distance,weight\n0,1\n", "", None),
    ("bucket,first,last,width,pairs,side\n0,nan,nan,0,0,never used\n1,nan,nan,0,0,never used\n", "", "no finite number"), ("bucket,first,last,width,pairs,side\n0,1,inf,inf,9,before\n", "", None),
    ("bucket,first,last,width,pairs,side\n0,0,0,1,9,self\n1,-5,-1,5,9,elsewhere\n", "", None), ("pair,wavelength,turns,seen,axis\n0,6.28,163,1,3\n1,60,17,1,4\n", "", None),
    ("position,pe_0,pe_0\n0,1,2\n1,2,3\n", "", "two columns are called 'pe_0'"), ("position,position,pe\n0,1,2\n1,2,3\n", "", "two columns are called 'position'"),
    ('{"fields": {"pe": {"axes": [], "values": 1}, "pe": {"axes": [], "values": 2}}}', "", "it names 'pe' twice"),
    ("[1,2,3]", "", "JSON of other tools"), ("{}", "", "JSON of other tools"), ('{"fields": {}}', "", "no array"), ("\0" * 99, "", "neither text"),
    ("position,pe\n0,1\n1,2\n", "-o no/such/a.png", "no folder no/such"), ("position,pe\n0,1\n1,2\n", "-o a.gif", "suffix"), ("position,pe\n0,1\n", "- -", "read once"),
    ("position,pe\n0,1\n", "nofile.csv", "nofile.csv"), ("position,pe\n0,1\n1,2\n", "p.csv s.csv", "by itself"), ("position,pe\n0,1\n1,2\n", "p.csv b.csv", None),
    ("position,pe_0,pe_1\n0,1,2\n1,2,3\n", "--columns 5:9", "write 1:2 or 0,1"), ("position,pe\n0,1\n1,2\n", "--at position=9", "its places are 0, 1"),
    *(("position,pe\n0,1\n1,2\n", f"--kind {kind}", "needs" if kind not in ("lines", "bars", "stairs") else None) for kind in ("rotors", *choose.KINDS)
      if kind != "rotors"),
    ("position,pe\n0,nan\n1,2\n2,3\n", "--kind stairs", None), ("law,pe\nabc,1\nbcd,2\n", "--kind lines", "leave --kind out"),
]


def attacks(count, module):
    """A picture, or one line and 2; never a traceback, nothing left behind."""
    for name, text in (("p", "position,pe\n0,1\n1,2\n"), ("s", "head,slope\n0,1\n1,2\n"), ("b", "position,bias\n0,1\n1,2\n")):
        pathlib.Path(f"{name}.csv").write_text(text)
    for index, (text, words, refused) in enumerate(ATTACKS):
        words = shlex.split(words)
        out = pathlib.Path(f"attack{('.png', '.svg', '.pdf')[index % 3]}")
        try:
            code, _, said = called(module, [*words, *([] if "-o" in words else ["-o", str(out)]), "--dpi", "50"], text.encode())
        except Exception as error:  # noqa: BLE001  what must not happen
            code, said = None, f"{type(error).__name__}: {error}"
        what = f"attack {text[:60]!r} {words}: {code} {said}"
        if refused is None:
            count.check(code == 0 and all(line.startswith(("pe-plot: drawn: ", "pe-plot: not drawn: ")) for line in said.splitlines()) and out.exists() and out.stat().st_size > 1000, what)
        else:
            count.check(code == 2 and refused in said and said.count("\n") == 1 and not out.exists(), what)
        out.unlink(missing_ok=True)
    count.check(sorted(os.listdir()) == ["b.csv", "p.csv", "s.csv"], f"left behind: {sorted(os.listdir())}")


# What is asked, its exit code, and what the answer holds.
ASKED = [
    ("-V", 0, "pe-plot 0."), ("--version", 0, "commit "), ("version", 0, "libraries Python "), ("-version", 0, "pe-plot 0."), ("--version p.csv", 0, "pe-plot 0."),
    ("help", 0, "usage: pe-plot"), ("-h", 0, "--no-clobber"), ("-help", 0, "usage: pe-plot"), ("help -o a.png", 0, "usage: pe-plot"),
    ("p.csv -output a.png", 2, "unknown option '-output': did you mean --output?"), ("p.csv -dpi 30 -o a.png", 2, "did you mean --dpi?"),
    ("p.csv -title x -o a.png", 2, "did you mean --title?"), ("p.csv --out a.png", 2, "did you mean --output?"), ("p.csv --no-clob -o a.png", 2, "did you mean --no-clobber?"),
    ("p.csv --col 0 -o a.png", 2, "did you mean --columns?"), ("p.csv --version=3", 2, "--version takes no value, got '3'"), ("p.csv -o old.png --no-clobber", 2,
     "'old.png' is there, and --no-clobber keeps it: give another -o"), ("p.csv -o old.png --keep", 2, "did you mean --no-clobber?"),
    ("p.csv --lang zh -o a.png", 2, "--title"), ("p.csv --list", 2, "--help, which names the kinds"), ("p.csv --titel x -o a.png", 2, "did you mean --title?"),
    ("rope -o a.png", 2, "pe-gen rope | pe-plot"), ("pe-gen rope -o a.png", 2, "pipe it, pe-gen rope | pe-plot"),
    ("p.csv -o old.png --force", 2, "files are overwritten anyway, unless --no-clobber"), ("p.csv -o link.png --no-clobber", 2, "'link.png' is there"),
]


def words(count, module):
    """The version, the help, words that begin like options, and a file that is kept."""
    pathlib.Path("old.png").write_text("mine")
    pathlib.Path("link.png").symlink_to("nowhere.png")
    for line, wanted, holds in ASKED:
        code, out, said = called(module, shlex.split(line))
        answer = out if wanted == 0 else said
        count.check(code == wanted and holds in answer and not (said if wanted == 0 else out) and (wanted == 0 or said.startswith("pe-plot: ") and said.count("\n") == 1),
                    f"pe-plot {line}: {code} {out} {said}")
    version = re.search(r"^project\(pe VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    count.check(re.fullmatch(rf"pe-plot {re.escape(version)}\ncommit \S+\nlibraries .*\n", called(module, ["-V"])[1]), "the version is that of the tools")
    count.check(pathlib.Path("old.png").read_text() == "mine" and not os.path.exists("nowhere.png"), "--no-clobber keeps what is there")
    save, module.render.figure_of = module.render.figure_of, lambda *given: (pathlib.Path("late.png").write_text("mine"), save(*given))[1]
    try:
        code, _, said = called(module, ["p.csv", "-o", "late.png", "--no-clobber"])
    finally:
        module.render.figure_of = save
    count.check(code == 2 and "--no-clobber keeps it" in said and pathlib.Path("late.png").read_text() == "mine", f"what came meanwhile: {code} {said}")
    for name, target in (("through.png", "new.png"), ("full.png", "/dev/full"), ("round.png", "round.png")):
        pathlib.Path(name).symlink_to(target)
        code, _, said = called(module, ["p.csv", "-o", name])
        good = code == 0 and pathlib.Path("new.png").stat().st_size > 1000 if target == "new.png" else code == 2 and said.startswith(f"pe-plot: cannot write {name}: ")
        count.check(good and pathlib.Path(name).is_symlink(), f"a link to {target} is followed: {code} {said}")
    pathlib.Path("new.png").unlink()
    numpy.save("masked.npy", numpy.full((1, 2, 4, 4), -numpy.inf))
    code, _, said = called(module, ["masked.npy", "-o", "through.png"])
    count.check(code == 2 and "no finite number" in said, f"a mask throughout: {code} {said}")
    code, _, said = called(module, ["p.csv", "-o", "new.png", "--no-clobber"])
    count.check(code == 0 and not said and pathlib.Path("new.png").stat().st_size > 1000, f"--no-clobber of a new name: {code} {said}")
    pathlib.Path("help").write_text("position,pe\n0,1\n1,2\n")
    code, out, said = called(module, ["help", "--width", "40"])
    count.check(code == 0 and "usage" not in out, f"a file that is called help: {code} {out} {said}")
    for name in ("old.png", "link.png", "late.png", "new.png", "help", "through.png", "full.png", "round.png", "masked.npy"):
        pathlib.Path(name).unlink()
    count.check(sorted(os.listdir()) == ["b.csv", "p.csv", "s.csv"], f"left behind: {sorted(os.listdir())}")


def table(head, rows):
    return head + "\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n"


# What an input holds more of than its picture has room for: its text, the arguments, what stderr says line by line.
NOTED = [
    (table("position,cos_0,cos_1,sin_0,sin_1,scale,word", [(i, 1, i, 0, 1, i, "ab"[i % 2] + "x") for i in range(9)]), "", ["drawn: cos, sin; not drawn: scale, word (--field scale draws it)"]),
    (table("position,cos_0,cos_1,sin_0,sin_1,scale", [(i, 1, i, 0, 1, i) for i in range(9)]), "--field scale", []),
    (table("position,cos_0,cos_1,sin_0,sin_1,scale", [(i, 1, i, 0, 1, i) for i in range(9)]), "--field cos,scale", ["drawn: cos; not drawn: scale (--field scale draws it)"]),
    (table("position,cos_0,cos_1,sin_0,sin_1,scale", [(i, 1, i, 0, 1, i) for i in range(9)]), "--kind rotors", ["drawn: cos, sin; not drawn: scale (--field scale draws it)"]),
    (table("head,query,key,bias", [(h, q, k, h + q + k) for h in range(20) for q in range(4) for k in range(4)]), "", ["drawn: head 0 to head 11 of 20 (--columns 12:20 draws others)"]),
    (table("head,query,key,bias", [(h, q, k, h + q + k) for h in range(20) for q in range(4) for k in range(4)]), "--columns 12:20", []),
    (table("head,query,key,bias", [(h, q, k, h + q + k) for h in range(3) for q in range(4) for k in range(4)]), "--width 40", ["drawn: head 0 of 3 (--at head=1 draws others)"]),
    (table("head,query,key,bias,slope", [(h, q, k, h + q, q + k) for h in range(2) for q in range(4) for k in range(4)]), "",
     ["drawn: bias; not drawn: slope (--field slope draws it)"]),
    (table("batch,head,query,key,bias", [(b, h, q, k, q + k) for b in range(2) for h in range(2) for q in range(3) for k in range(3)]), "", ["drawn: batch 0 of 2 (--at batch=1 draws others)"]),
    (table("head,distance,bias", [(h, d, h * d) for h in range(30) for d in range(5)]), "", ["drawn: 12 of 30 curves of bias (--at or --columns draws others)"]),
    (table("head,distance,bias", [(h, d, h * d) for h in range(30) for d in range(5)]), "--width 60", ["drawn: 8 of 30 curves of bias (--at or --columns draws others)"]),
    (table("law,x", [(f"l{h}x", h) for h in range(80)]), "", ["drawn: l0x to l63x of 80 (--columns 64:80 draws others)"]), (table("law,x", [(f"l{h}x", h) for h in range(80)]), "--columns 64:80", []),
    (table("law,w", [(f"l{h}x", f"w{h % 3}q") for h in range(80)]), "", ["drawn: l0x to l63x of 80 (--columns 64:80 draws others)"]),
    (table("head,slope,other", [(h, 2 ** -h, 3) for h in range(4)]), "", ["drawn: slope; not drawn: other (--field other draws it)"]),
    (table("position,a,b", [(i, i, "nan") for i in range(5)]), "", ["not drawn: b, without a finite number"]),
    (table("position," + ",".join("abcdefghi"), [(i, *range(9)) for i in range(5)]), "", ["drawn: a, b, c, d, e, f; not drawn: g, h, i (--field g draws it)"]),
    (table("position," + ",".join(f"{name}_{j}" for name in ("cos", "sin") for j in range(12)), [(i, *[1] * 12, *[0] * 12) for i in range(3)]), "--kind rotors",
     ["drawn: 8 of 12 pairs (--columns 0:8 draws others)"]),
]


def noted(count, module):
    """What has no room in a picture is said, with the option that draws it; where all has room, nothing is."""
    draw, drew = module.draw, []
    for text, words, lines in NOTED:
        given = shlex.split(words)
        module.draw = lambda *given: drew.append(given)  # the picture itself is looked at elsewhere
        code, _, said = called(module, [*given, *([] if "--width" in given else ["-o", "noted.svg"])], text.encode())
        module.draw = draw
        count.check(code == 0 and said == "".join(f"pe-plot: {line}\n" for line in lines), f"{text[:50]!r} {words}: {code} {said}")
    count.check(len(drew) == len(NOTED), "what is noted is drawn")
    for path in ("a", "b"):
        pathlib.Path(path).mkdir()
        pathlib.Path(path, "p.csv").write_text("position,pe\n0,1\n1,2\n" if path == "a" else "position,pe\n0,5\n1,3\n")
    code, _, said = called(module, ["a/p.csv", "b/p.csv", "-o", "noted.svg"])
    drawn = pathlib.Path("noted.svg").read_text()
    count.check(code == 0 and "a/p.csv" in drawn and "b/p.csv" in drawn, f"inputs of one name: {code} {said}")
    code, _, said = called(module, ["s.csv", "s.csv", "-o", "none.svg"])
    count.check(code == 2 and "draw each by itself" in said and not os.path.exists("none.svg"), f"two inputs where one is drawn: {code} {said}")
    for path in ("a/p.csv", "b/p.csv", "noted.svg"):
        pathlib.Path(path).unlink()
    os.rmdir("a")
    os.rmdir("b")


def pipes(count, folder):
    """A reader that goes away, a full disk, and many rows in a time that a person waits."""
    table, small = folder / "many.csv", folder / "p.csv"
    table.write_text("position,pe\n" + "".join(f"{i},{i % 97}\n" for i in range(200000)))
    started = time.monotonic()
    made = subprocess.run([ROOT / "scripts/pe-plot", table, "-o", folder / "many.png"], capture_output=True, timeout=120)
    spent = time.monotonic() - started
    count.check(made.returncode == 0 and spent < 15, f"200 000 rows: {made.stderr} after {spent:.1f} s")  # 1 s on a free core
    for forced, wanted in (({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)):
        plain = {key: value for key, value in os.environ.items() if key not in ("FORCE_COLOR", "NO_COLOR")}
        piped = subprocess.run([ROOT / "scripts/pe-plot", small, "--width", "40"], capture_output=True, timeout=120, env={**plain, **forced}).stdout
        count.check(piped and (b"\x1b[" in piped) == wanted, f"colours in a pipe with {forced}: {piped[:80]}")
    closed = subprocess.run(["bash", "-c", f"set -o pipefail; '{ROOT}/scripts/pe-plot' '{small}' --width 80 | true"], capture_output=True, timeout=120)
    count.check(closed.returncode == 0 and not closed.stderr, f"a closed pipe: {closed.returncode} {closed.stderr}")
    for given in ("--width 80 '{}'", "--help"):
        full = subprocess.run(["bash", "-c", f"'{ROOT}/scripts/pe-plot' {given.format(small)} > /dev/full"], capture_output=True, text=True, timeout=120)
        count.check(full.returncode == 2 and full.stderr == "pe-plot: cannot write to stdout: No space left on device\n", f"a full disk: {full.returncode} {full.stderr}")


def all_of(count, folder):
    module, here = program(), os.getcwd()
    os.chdir(folder)
    try:
        attacks(count, module)
        words(count, module)
        noted(count, module)
    finally:
        os.chdir(here)
    pipes(count, folder)

#!/usr/bin/env python3
# pe-plot: every format reads back alike, every encoding and quantity has a picture, and no file, however broken, ends in a traceback.
import argparse
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
from count import Count  # noqa: E402
import interpreter  # noqa: E402

interpreter.need("numpy", "matplotlib", "h5py")
import matplotlib.collections  # noqa: E402
import numpy  # noqa: E402

from plot import choose, sources, style, terminal  # noqa: E402
from plot.field import Fault  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402

FORMATS = ["csv", "json", "h5", "npz", "safetensors"]
# What each quantity is asked about, where rope is not it.
SUBJECT = {"similarity": "sinusoidal", "shift": "sinusoidal", "margins": "sinusoidal", "buckets": "t5", "kernel": "alibi", "drift": "floater",
           "probe": "learned"}
OPTIONS = {"drift": ["--length", "16"], "probe": ["--length", "64", "--dim", "16"], "precision": ["--length", "256"], "plan": ["--length", "8192"],
           "margins": ["--length", "64"], "base-bound": ["--length", "1024,2048"], "context": ["--length", "1024,2048"]}


class Stdin:
    def __init__(self, data):
        self.buffer = io.BytesIO(data)


def options(**given):
    return types.SimpleNamespace(**{"at": [], "field": None, "columns": None, "kind": None, "title": None, **given})


def drawn(fields, **given):
    """The figure that belongs to these fields."""
    chosen, kind = choose.choose(fields, options(**given))
    style.title_of(chosen, None)
    figure, _ = choose.KINDS[kind](pyplot, chosen, options(**given))
    figure.canvas.draw()
    return figure, chosen, kind


def same(a, b):
    if a.words != b.words or a.values.shape != b.values.shape:
        return False
    return (a.values == b.values).all() if a.words else numpy.allclose(a.values, b.values, rtol=1e-6, atol=1e-12, equal_nan=True)


def same_axis(a, b):
    if a.name != b.name or a.named != b.named or len(a) != len(b):
        return False
    return a.places == b.places if a.named else numpy.allclose(numpy.asarray(a.places, float), numpy.asarray(b.places, float))


def shown(figure):
    """The numbers that a figure's lines, bars and points stand at."""
    found = []
    for axes in figure.axes:
        found += [line.get_ydata(orig=True) for line in axes.lines]
        found += [[patch.get_width(), patch.get_height()] for patch in axes.patches if hasattr(patch, "get_width")]
        found += [points.get_offsets() for points in axes.collections if isinstance(points, matplotlib.collections.PathCollection)]
    return numpy.concatenate([numpy.asarray(part, float).ravel() for part in found] or [[]])


def shows_numbers(figure, chosen, kind):
    """What stands in the picture is what was read: the images' cells, the points of curves, the lengths of bars, the count of words."""
    if kind in ("heatmap", "stack"):
        images = [axes.images[0].get_array() for axes in figure.axes if axes.images]
        parts = [field.values for field in chosen] if kind == "heatmap" else list(chosen[0].values)
        return images and all((image.filled(0) == numpy.where(numpy.isfinite(part), part, 0)).all() for image, part in zip(images, parts))
    if kind == "lines":
        points = shown(figure)
        told = numpy.concatenate([field.values.ravel() for field in chosen])
        return len(points) and numpy.isin(points, told).all()
    if kind == "words":
        return len(figure.axes[0].patches) == (chosen[0].values != "").sum()
    wanted = {"runs": lambda: chosen[1].values - chosen[0].values + 1, "null": lambda: next(f.values for f in chosen if f.name == "z"),
              "bars": lambda: numpy.concatenate([field.values for field in chosen])}.get(kind, lambda: chosen[0].values)()
    return numpy.isin(wanted[numpy.isfinite(wanted)], shown(figure)).all() and numpy.isfinite(wanted).any()


def one_subject(count, tool, arguments, folder, name):
    """The picture of what a command makes, and the same fields by every format."""
    files = {}
    for kind in FORMATS:
        path = folder / f"{name}.{kind}"
        made = subprocess.run([tool, *arguments, "-o", path], capture_output=True, text=True)
        if made.returncode:
            if kind in ("npz", "safetensors"):  # words have no place in these
                continue
            count.check(False, f"{name}.{kind}: {made.stderr}")
            return None
        files[kind] = path
    read = {kind: {f.name: f for f in sources.read(str(path), None)} for kind, path in files.items()}
    told = read["json"]
    for kind, fields in read.items():
        for field in fields.values():
            wanted = told.get(field.name)
            if kind in ("npz", "safetensors") and wanted is not None and wanted.words:  # numbers stand for words there
                continue
            good = wanted is not None and same(field, wanted)
            if kind in ("csv", "h5") and good:  # the others name no axes
                good = len(field.axes) == len(wanted.axes) and all(same_axis(a, b) for a, b in zip(field.axes, wanted.axes))
            count.check(good, f"{name}: {field.name} of {kind} is not that of json")
    try:
        figure, chosen, kind = drawn(list(told.values()))
        count.check(shows_numbers(figure, chosen, kind), f"{name}: the picture does not show the numbers")
        if not chosen[0].words:
            lines = terminal.picture(chosen, kind, "", 60).splitlines()
            count.check(len(lines) > 1 and any(len(set(line)) > 2 for line in lines[1:]), f"{name}: nothing on the terminal")
    except Fault as fault:
        count.check(str(fault).find("--") > 0, f"{name}: refused without a way out: {fault}")
    pyplot.close("all")
    return files


def broken(count, files, rounds, seed):
    """Every format cut short and with bytes changed: read, or refused in one line."""
    rng = random.Random(seed)
    for kind, path in files.items():
        data = path.read_bytes()
        for number in range(rounds):
            cut = bytearray(data[:rng.randrange(len(data))] if number % 2 else data)
            for _ in range(rng.randrange(4)):
                if cut:
                    cut[rng.randrange(min(len(cut), 400))] = rng.randrange(256)
            try:
                sources.read("-", Stdin(bytes(cut)))
                count.check(True, "")
            except Fault as fault:
                count.check("\n" not in str(fault), f"{kind}: several lines: {fault}")
            except Exception as error:  # noqa: BLE001  what must not happen
                count.check(False, f"{kind}, seed {seed}, round {number}: {type(error).__name__} {error}")


def table(text):
    return sources.read("-", Stdin(text.encode()))


def texts_in(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def details(count):
    """What a picture says of single things: numbers in the cells of a matrix, names of curves that are one, legends where names would lie."""
    figure, _, _ = drawn(table("row,column,matrix\n0,0,0.5\n0,1,-1\n1,0,0\n1,1,0.25\n"))
    count.check(sorted(texts_in(figure)) == ["-1", "0.25", "0.5"], f"cells of a matrix: {texts_in(figure)}")
    curves = "subject,distance,{}\n" + "".join(f"{s},{d},{v}\n" for s, v in (("a", 1), ("b", 1), ("c", 5)) for d in range(3))
    figure, _, _ = drawn(table(curves.format("fall")))
    count.check(sorted(texts_in(figure)) == ["a = b", "c"] and len(figure.axes[0].lines) == 2, f"curves that are one: {texts_in(figure)}")
    crowd = "head,distance,weight\n" + "".join(f"{h},{d},{(h + 1) * (3 - d)}\n" for h in range(4) for d in range(4))
    figure, _, _ = drawn(table(crowd))
    count.check(figure.axes[0].get_legend() and not texts_in(figure), "four curves that end in one place have no legend")
    figure, _, kind = drawn(table("position,pair,part,complex\n0,0,0,1\n0,0,1,0\n0,1,0,1\n0,1,1,0\n1,0,0,0.54\n1,0,1,0.84\n1,1,0,0.9\n1,1,1,0.1\n"))
    count.check(kind == "rotors" and 0.54 in shown(figure), f"complex numbers are drawn as {kind}")
    grid = "row,column,dim,pe\n" + "".join(f"{r},{c},{d},{r + 10 * c + 100 * d}\n" for r in range(2) for c in range(3) for d in range(40))
    figure, chosen, kind = drawn(table(grid))
    count.check(kind == "stack" and chosen[0].values.shape == (12, 2, 3) and chosen[0].values[-1][1][2] == 1 + 20 + 3900, "an image grid is drawn as maps")
    figure, _, kind = drawn(table("length,base,safe_base,valid_share\n1024,4293,6018,0.05\n2048,11587,22760,0.6\n4096,26952,58790,0.6\n"))
    count.check(kind == "bound" and figure.axes[0].get_yscale() == "log" and len(figure.axes[0].collections) == 2, "bands of bases")
    pyplot.close("all")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/cmd")
    parser.add_argument("--rounds", type=int, default=60, help="broken files for each format")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    count = Count()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        rows = subprocess.run([given.bin / "pe-gen", "list", "--json"], capture_output=True, text=True, check=True).stdout
        rows = json.loads(rows)
        encodings = [row["name"] for row in (rows["encodings"] if isinstance(rows, dict) else rows)]
        quantities = json.loads(subprocess.run([given.bin / "pe-analyze", "list", "quantities", "--json"], capture_output=True, text=True,
                                               check=True).stdout)
        quantities = [row["name"] for row in (quantities["quantities"] if isinstance(quantities, dict) else quantities)]
        files = None
        for name in encodings:
            files = one_subject(count, given.bin / "pe-gen", [name, "--length", "8"], folder, name) or files
        for name in quantities:
            arguments = [name, SUBJECT.get(name, "rope"), *OPTIONS.get(name, [])]
            one_subject(count, given.bin / "pe-analyze", arguments, folder, f"{name} of {arguments[1]}")
        details(count)
        broken(count, files, given.rounds, given.seed)
    return count.close()


if __name__ == "__main__":
    sys.exit(main())

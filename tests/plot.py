#!/usr/bin/env python3
# pe-plot: every format reads back alike, every encoding and quantity has a picture, and no file, however broken, ends in a traceback.
import argparse
import io
import json
import os
import pathlib
import random
import re
import shlex
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

from plot import choose, fonts, labels, render, sources, terminal  # noqa: E402
from plot.field import Fault  # noqa: E402
from plot_looks import Stdin, drawn_of, lie_on_one_another, looks, options  # noqa: E402
import plot_agrees  # noqa: E402
import plot_apart  # noqa: E402
import plot_cells  # noqa: E402
import plot_files  # noqa: E402
import plot_gallery  # noqa: E402
import plot_program  # noqa: E402
import plot_single  # noqa: E402
import plot_titles  # noqa: E402
import plot_told  # noqa: E402
import share  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402

FORMATS = ["csv", "json", "h5", "npz", "safetensors"]
# What each quantity is asked about, where rope is not it.
SUBJECT = {"similarity": "sinusoidal", "shift": "sinusoidal", "margins": "sinusoidal", "buckets": "t5", "kernel": "alibi", "drift": "floater",
           "probe": "learned"}
OPTIONS = {"drift": ["--length", "16"], "probe": ["--length", "64", "--dim", "16"], "precision": ["--length", "256"], "plan": ["--length", "8192", "--dim", "16"], "exposure": ["--trained", "256", "--length", "1024"],
           "margins": ["--length", "64"], "base-bound": ["--length", "1024,2048"], "context": ["--length", "1024,2048"]}


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
        points = points[numpy.isfinite(points)]  # a gap is no point
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
        figure, chosen, kind = drawn_of(list(told.values()))
        count.check(shows_numbers(figure, chosen, kind), f"{name}: the picture does not show the numbers")
        if tool.name == "pe-gen":  # every view of every quantity is looked at below
            looks(count, figure, name)
        if not chosen[0].words:
            lines = terminal.picture(chosen, kind, "", 60).splitlines()
            count.check(len(lines) > 1 and any(len(set(line)) > 2 for line in lines[1:]), f"{name}: nothing on the terminal")
    except Fault as fault:
        count.check(str(fault).find("--") > 0, f"{name}: refused without a way out: {fault}")
    pyplot.close("all")
    return files


def way_out(fault):
    """The options that a refusal names, as choose.choose takes them."""
    given = {}
    for name, value in re.findall(r"--(at|field|columns|kind) ('[^']*'|[^\s;:,]+)", str(fault)):
        value = shlex.split(value)[0]
        given |= {"at": [value]} if name == "at" else {name: value}
    return given


SEEN = set()


def looked_at(figure, kind):
    """Whether a picture was looked at that differs from this one by its numbers alone: of its kind, with as many panels, curves and words, these about as long."""
    words = [(len(text) + 7) // 8 for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel(), axes.get_title(loc="left"))]
    art = [(len(axes.lines), len(axes.patches), len(axes.texts), len(axes.images), axes.get_xscale(), axes.get_yscale()) for axes in figure.axes]
    key = (kind, str(words), str(art), figure._suptitle.get_text().count("\n"), str(figure.get_size_inches()))
    seen = key in SEEN
    SEEN.add(key)
    return seen


def drawn_or_shown_how(count, data, name, **given):
    """A picture, or a refusal whose own words lead to one."""
    try:
        for attempt in range(3):
            try:
                figure, chosen, kind = drawn_of(sources.read_all(["-"], Stdin(data)), **given)
                break
            except Fault as fault:
                before, given = given, {**given, **way_out(fault)}
                if given == before or attempt == 2:
                    count.check(False, f"{name}: refused without a way out: {fault}")
                    return
        if not looked_at(figure, kind):
            looks(count, figure, name)
        pyplot.close("all")
    except Exception as error:  # noqa: BLE001  what must not happen
        count.check(False, f"{name}: {type(error).__name__} {error}")


GRIDS = {"sincos-2d": ["--grid", "6x8", "--dim", "8"], "sincos-3d": ["--grid", "2x3x4", "--dim", "12"], "rope-2d": ["--grid", "4x6", "--dim", "16"]}


def everything(count, bin, listed, dealt):
    """Each field of an encoding of each kind, and each view of each quantity for an encoding of every kind that it is of."""
    def ask(*words):
        """Whether there is a picture; None where the share has not this one."""
        if not dealt.has(" ".join(words)):
            return None
        made = subprocess.run([bin / words[0], *words[1:], "--format", "json"], capture_output=True, timeout=120)
        if made.returncode:  # trained numbers may have to be drawn
            made = subprocess.run([bin / words[0], *words[1:], "--seed", "1", "--format", "json"], capture_output=True, timeout=120)
        if not made.returncode:
            drawn_or_shown_how(count, made.stdout, " ".join(words))
            axes.update(axis["name"] for field in json.loads(made.stdout)["fields"].values() for axis in field["axes"])
        return made.returncode == 0
    axes = set()
    kinds = {row["name"]: "grid" if row["name"] in GRIDS else row["kind"] for row in listed["encodings"]}
    for field in listed["fields"]:
        for encoding in {(kinds[name], name == "sincos-3d"): name for name in field["encodings"]}.values():
            length = ["--heads", "3", "--head-dim", "8"] if encoding == "deberta" else ["--length", "5"]  # a panel for each position, where one is a matrix
            own = re.search(rf"; of {encoding} (--.+)", field["summary"])  # the option that makes it
            count.check(ask("pe-gen", encoding, *GRIDS.get(encoding, length), *(own[1].split() if own else []), "--fields", field["name"]) is not False, f"pe-gen {encoding} --fields {field['name']}")
    for quantity in listed["quantities"]:
        of, seen = set(quantity["kind"].split()), set()
        views = next((option["choices"] for option in quantity["parameters"] if option["name"] == "view"), [None])
        for encoding in listed["encodings"]:
            kind = "grid" if encoding["name"] in GRIDS else encoding["kind"]
            if not of & {"any", encoding["name"], encoding["kind"]} or kind in seen:
                continue
            seen.add(kind)
            length = ["--length", "5000" if quantity["name"] == "exposure" else "24"]
            done = [ask("pe-analyze", quantity["name"], encoding["name"], *GRIDS.get(encoding["name"], length), *(["--view", view] if view else [])) for view in views]
            count.check(any(done) or None in done, f"pe-analyze {quantity['name']} {encoding['name']} has no view")
    for words in (["pe-apply", "rope", "--random", "2,2,4,8", "--fields", "q,logits"], ["pe-analyze", "published"],
                  ["pe-analyze", "decay", "rope", "--length", "8", "--versus", "alibi"]):
        count.check(ask(*words) is not False, " ".join(words))
    listed_axes = {name for name, _, _ in labels.LISTED}
    count.check(axes <= listed_axes, f"axes that lib/pe/io/axes.def does not list: {axes - listed_axes}")
    count.check(listed_axes <= axes or not dealt.whole, f"axes that nothing has: {listed_axes - axes}")


def spelled(count, bin, listed, folder, dealt):
    """Every field of every encoding, at its defaults and as its example asks: CSV and HDF5 say the same of it as JSON, axes too."""
    examples = {row["name"]: shlex.split(row["example"]) for row in listed["encodings"]}
    for field in listed["fields"]:
        for encoding in field["encodings"]:
            for arguments in ([encoding, "--length", "8"], examples[encoding]):
                if "--fields" in arguments:
                    at = arguments.index("--fields")
                    arguments = arguments[:at] + arguments[at + 2:]
                if not dealt.has(f"{' '.join(arguments)} {field['name']}"):
                    continue
                told = {}
                for kind in ("json", "csv", "h5"):
                    path = folder / f"spelled.{kind}"
                    wanted = [bin / "pe-gen", *arguments, "--fields", field["name"], "-o", path]
                    if any(not subprocess.run([*wanted, *drawn], capture_output=True).returncode for drawn in ([], ["--seed", "1"])):
                        told[kind] = {f.name: f for f in sources.read(str(path), None)}
                for kind, fields in told.items():
                    good = fields.keys() == told["json"].keys() and all(same(f, told["json"][name]) and len(f.axes) == len(told["json"][name].axes) and
                                                                        all(map(same_axis, f.axes, told["json"][name].axes)) for name, f in fields.items())
                    count.check(good, f"{' '.join(arguments)}: {field['name']} of {kind} is not that of json")


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


def few_pixels(count):
    """At any resolution each pixel of a table is one number's colour, of every row and column; where they cannot be, the title says what each is."""
    for rows, columns, dpi, whole in ((200, 3, 40, True), (3, 500, 40, True), (150, 150, 30, True), (90, 3, 150, True), (900, 3, 40, False), (3, 4000, 40, False)):
        values = numpy.add.outer(numpy.arange(rows), numpy.arange(columns)) % 2
        text = "position," + ",".join(f"pe_{c}" for c in range(columns)) + "\n" + "".join(f"{r}," + ",".join(map(str, row)) + "\n" for r, row in enumerate(values))
        figure, _, _ = drawn_of(table(text), dpi=dpi, title="t")
        said, name = figure._suptitle.get_text(), f"{rows} x {columns} at {dpi} dpi"
        count.check(("each cell the mean of" in said) != whole, f"{name}: {said}")
        if whole:
            figure.set_dpi(dpi)
            for art in [*figure.texts, *figure.axes[1:]]:
                art.set_visible(False)
            figure.axes[0].axis("off")
            figure.set_layout_engine("none")
            figure.canvas.draw()
            seen = numpy.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int).sum(-1)
            inside = seen != 3 * 255
            pixels = seen[inside.any(1)][:, inside.any(0)]
            colours = numpy.unique(pixels)
            changes = [(numpy.diff(pixels, axis=axis) != 0).any(1 - axis).sum() for axis in (0, 1)]
            count.check(len(colours) == 2 and changes == [rows - 1, columns - 1], f"{name}: {len(colours)} colours, {changes} changes")
        pyplot.close("all")
    figure, _, _ = drawn_of(table("relative_position,x,bucket\n" + "".join(f"{r},{c},{r + c}\n" for r in range(900) for c in range(2))), dpi=40)
    cells = figure.axes[0].images[0].get_array()
    count.check("each cell the first of" in figure._suptitle.get_text() and (cells == cells.round()).all(), "buckets have no mean")


def details(count):
    """What a picture says of single things: numbers in the cells of a matrix, names of curves that are one, legends where names would lie."""
    figure, _, _ = drawn_of(table("row,column,matrix\n0,0,0.5\n0,1,-1\n1,0,0\n1,1,0.25\n"))
    count.check(sorted(texts_in(figure)) == ["-1", "0.25", "0.5"], f"cells of a matrix: {texts_in(figure)}")
    curves = "subject,distance,{}\n" + "".join(f"{s},{d},{v}\n" for s, v in (("a", 1), ("b", 1), ("c", 5)) for d in range(3))
    figure, _, _ = drawn_of(table(curves.format("fall")))
    count.check(sorted(texts_in(figure)) == ["a = b", "c"] and len(figure.axes[0].lines) == 2, f"curves that are one: {texts_in(figure)}")
    crowd = "head,distance,weight\n" + "".join(f"{h},{d},{(h + 1) * (3 - d)}\n" for h in range(4) for d in range(4))
    figure, _, _ = drawn_of(table(crowd))
    count.check(figure.axes[0].get_legend() and not texts_in(figure), "four curves that end in one place have no legend")
    figure, _, kind = drawn_of(table("position,pair,part,complex\n0,0,0,1\n0,0,1,0\n0,1,0,1\n0,1,1,0\n1,0,0,0.54\n1,0,1,0.84\n1,1,0,0.9\n1,1,1,0.1\n"))
    count.check(kind == "rotors" and 0.54 in shown(figure), f"complex numbers are drawn as {kind}")
    grid = "row,column,dim,pe\n" + "".join(f"{r},{c},{d},{r + 10 * c + 100 * d}\n" for r in range(2) for c in range(3) for d in range(40))
    figure, chosen, kind = drawn_of(table(grid))
    count.check(kind == "stack" and chosen[0].values.shape == (12, 2, 3) and chosen[0].values[-1][1][2] == 1 + 20 + 3900, "an image grid is drawn as maps")
    figure, _, kind = drawn_of(table("length,base,safe_base,valid_share\n1024,4293,6018,0.05\n2048,11587,22760,0.6\n4096,26952,58790,0.6\n"))
    count.check(kind == "bound" and figure.axes[0].get_yscale() == "log" and len(figure.axes[0].collections) == 2, "bands of bases")
    figure, _, _ = drawn_of(table("position,pe\n0,1\n1,nan\n2,3\n3,nan\n4,5\n5,6\n"))
    line = figure.axes[0].lines[0]
    count.check(numpy.isnan(line.get_ydata()).sum() == 2 and line.get_marker() == "o", "a missing number is a gap, and what stands alone is a point")
    figure, _, _ = drawn_of(table("length,first,least\n1024,nan,4\n2048,1707,-2\n4096,1707,-8\n"))
    count.check(len({axes.get_xlim() for axes in figure.axes}) == 1, "panels along one axis show the same of it")
    figure, chosen, kind = drawn_of(table("position,cos_0,cos_1\n0,1,1\n0,1,1\n1,0.5,0.9\n7,0.7,0.2\n0,1,1\n"))
    count.check(kind == "heatmap" and list(chosen[0].axes[0].places) == [0, 0, 1, 7, 0], "rows of a padded batch stay in their order")
    for text in ("head,query,bias\n0,0,1\n0,0,2\n1,1,3\n",):
        try:
            table(text)
            count.check(False, "two rows at one place of two axes are drawn")
        except Fault as fault:
            count.check("two rows stand at the same head, query" in str(fault), str(fault))
    figure, _, _ = drawn_of(table("position,pe_0,pe_1\n" + "".join(f"{i},{i % 2},1\n" for i in range(20000))))
    told = re.search(r"each cell the mean of (\d+) rows", figure._suptitle.get_text())
    cells = figure.axes[0].images[0].get_array()
    count.check(told and len(cells) == -(-20000 // int(told[1])) and numpy.allclose(cells[:-1, 0], 0.5, atol=0.5 / int(told[1])), "rows that share a pixel are told of")
    laws = [f"a-rather-long-law-{n}" for n in range(30)]
    for subjects in (2, 3, 40):
        figure, _, kind = drawn_of(table("subject,law,verdict,obeyed\n" + "".join(f"s{s},{law},{('holds', 'fails', 'noted')[s % 3]},yes\n" for s in range(subjects) for law in laws)))
        figure.canvas.draw()
        row = figure.axes[0].get_window_extent().height / figure.dpi / subjects
        count.check(kind == "words" and row > 0.15, f"{subjects} rows of words are {row:.2f} inches high")
        count.check(not list(lie_on_one_another(figure.axes[0].get_yticklabels(), figure.canvas.get_renderer())), f"names of {subjects} rows of words")
    waves = "pair,frequency,wavelength,turns,seen\n" + "".join(f"{p},{f},{6.28 / f},{f},0\n" for p, f in enumerate([1, 0.1, 0.01, 1, 0.1, 0.01]))
    figure, _, kind = drawn_of(table(waves))
    line = figure.axes[0].lines[0]
    count.check(kind == "wavelengths" and list(numpy.flatnonzero(numpy.isnan(line.get_ydata()))) == [3], "a ladder for each axis is a line for each")
    heading = figure._suptitle.get_text()
    count.check("wavelength" in heading and "turns" not in heading, f"a title names what makes lines of lengths alone: {heading!r}")
    few_pixels(count)
    figure, _, _ = drawn_of(table("length,base,safe_base,valid_share\n1024,4293,6018,0.05\n2048,11587,22760,0.6\n4096,26952,58790,0.6\n"))
    figure.canvas.draw()
    low, high = figure.axes[0].get_ylim()
    places = [*figure.axes[0].get_yticks(), *figure.axes[0].get_yticks(minor=True)]
    count.check(sum(low <= place <= high for place in places) >= 3, "an axis of powers has three numbers")
    pyplot.close("all")


def writing(count):
    """Every letter of a title has a glyph in one of the families that are asked for it, or the title is refused by name."""
    chinese = "位置编码 RoPE"
    have = {chr(code) for _, path in fonts.known_fonts() for code in fonts.letters_of(path)}
    count.check(fonts.fonts_for(["position θ ≤ 2π"]) == [fonts.USUAL], "letters that matplotlib brings need no other font")
    try:
        families = fonts.fonts_for([chinese])
        paths = {name: path for name, path in fonts.known_fonts()}
        missing = {letter for letter in chinese if not letter.isspace()} - {chr(code) for name in families for code in fonts.letters_of(paths[name])}
        count.check(set("位置编码") <= have and not missing, f"{families} lack {missing}")
    except Fault as fault:
        count.check(not set("位置编码") <= have and "fonts-noto-cjk" in str(fault), str(fault))
    known, fonts.known_fonts = fonts.known_fonts, lambda: iter(())  # a machine with matplotlib's own fonts alone
    try:
        fonts.fonts_for([chinese])
        count.check(False, "a title without a font is drawn")
    except Fault as fault:
        count.check("位" in str(fault) and "fonts-noto-cjk" in str(fault) and "\n" not in str(fault), str(fault))
    finally:
        fonts.known_fonts = known


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/cmd")
    share.add_option(parser)
    parser.add_argument("--rounds", type=int, default=60, help="broken files for each format")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    count = Count()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        rows = subprocess.run([given.bin / "pe-gen", "list", "--json"], capture_output=True, text=True, check=True).stdout
        rows = json.loads(rows)
        encodings = [row["name"] for row in (rows["encodings"] if isinstance(rows, dict) else rows)]
        listed = json.loads(subprocess.run([given.bin / "pe-analyze", "list", "--json"], capture_output=True, text=True, check=True).stdout)
        quantities = [row["name"] for row in listed["quantities"]]
        files = None
        for name in filter(given.share.has, encodings):
            files = one_subject(count, given.bin / "pe-gen", [name, "--length", "8"], folder, name) or files
        for name in filter(given.share.has, quantities):
            arguments = [name, SUBJECT.get(name, "rope"), *OPTIONS.get(name, [])]
            one_subject(count, given.bin / "pe-analyze", arguments, folder, f"{name} of {arguments[1]}")
        everything(count, given.bin, listed, given.share)
        spelled(count, given.bin, rows, folder, given.share)
        plot_cells.all_of(count, given.bin)
        plot_gallery.all_of(count, given.bin, given.share)
        (folder / "attacks").mkdir()
        plot_program.all_of(count, folder / "attacks")
        plot_titles.all_of(count, given.bin, folder)
        plot_files.all_of(count, given.bin, folder)
        plot_agrees.all_of(count, given.bin)
        plot_apart.all_of(count, given.bin)
        plot_single.all_of(count, given.bin)
        plot_told.all_of(count, given.bin)
        details(count)
        writing(count)
        broken(count, files or {}, given.rounds, given.seed)
    return count.close()


if __name__ == "__main__":
    sys.exit(main())

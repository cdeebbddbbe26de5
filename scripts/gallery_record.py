#!/usr/bin/env python3
# What the gallery's pictures show and say: written beside them when they are drawn, and held against today's numbers by tests/plot_gallery.py.
"""gallery_record.py --bin FOLDER GALLERY writes GALLERY/made.json: of each picture its command, its kind, the shape and two sums of each field
that it draws, every text of it but the numbers at its axes, and the digest of its file."""
import argparse
import hashlib
import io
import json
import pathlib
import re
import shlex
import subprocess
import sys
import types

import matplotlib
import numpy

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402

from plot import choose, render, sources  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]


def pictures():
    """(name, title, command, options of pe-plot) of each, as scripts/gallery lists them."""
    for line in (ROOT / "scripts/gallery").read_text(encoding="utf-8").splitlines():
        if line.startswith("picture "):
            _, name, title, command, *given = shlex.split(line)
            yield name, title, command, {key.removeprefix("--"): value for key, value in zip(given[::2], given[1::2])}


def numbers_of(bin, command):
    words = shlex.split(command)
    done = subprocess.run([bin / words[0], *words[1:], "--format", "json"], capture_output=True, timeout=300)
    if done.returncode not in (0, 1):
        raise SystemExit(f"failed: {command}: {done.stderr.decode()}")
    return done.stdout


def drawn(data, given):
    """(figure, the fields in it, kind)"""
    options = types.SimpleNamespace(**{"at": [], "field": None, "columns": None, "kind": None, "title": None, "dpi": 80, **given})
    chosen, kind = choose.choose(sources.read_all(["-"], types.SimpleNamespace(buffer=io.BytesIO(data))), options)
    return render.figure_of(pyplot, chosen, kind, options), chosen, kind


def sums(field):
    """Two numbers that another one anywhere, or elsewhere, changes; words by their digest."""
    if field.words:
        return [hashlib.sha256("\n".join(field.values.ravel()).encode()).hexdigest()[:16]]
    values = field.values.ravel()
    known = numpy.isfinite(values)
    weights = 1 + numpy.sin(numpy.arange(len(values)) % 1000)
    return [float(f"{numpy.abs(values[known]).sum():.9g}"), float(f"{(values * weights)[known].sum():.9g}")]


def texts_of(figure):
    """All that is written but the numbers at axes, which the size of a picture chooses."""
    ticks = {id(text) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for tick in [*axis.majorTicks, *axis.minorTicks] for text in (tick.label1, tick.label2)}
    found = figure.findobj(lambda art: isinstance(art, matplotlib.text.Text) and id(art) not in ticks and art.get_visible())
    return sorted({re.sub(r"\s+", " ", text.get_text()).strip() for text in found} - {""} - {text for text in map(str, range(1000))})


def record(data, command, given):
    """(the figure, what stands in made.json of it)"""
    figure, chosen, kind = drawn(data, given)
    return figure, {"command": command, "options": given, "kind": kind, "says": texts_of(figure),
                    "fields": {field.name: {"shape": list(field.values.shape), "sums": sums(field)} for field in chosen}}


def file_of(gallery, name):
    return hashlib.sha256((gallery / f"{name}.png").read_bytes()).hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("gallery", type=pathlib.Path)
    given = parser.parse_args()
    made = {}
    for name, _, command, options in pictures():
        made[name] = record(numbers_of(given.bin, command), command, options)[1] | {"file": file_of(given.gallery, name)}
        pyplot.close("all")
    (given.gallery / "made.json").write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

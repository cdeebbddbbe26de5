# Tables as people see them: columns that are equally wide, and colours that tell numbers apart.
import io
import subprocess
import types

import matplotlib.pyplot as pyplot
import numpy

from plot import shades, sources, tables
from plot.field import Axis, Field
from plot_looks import drawn_of

# Tables with more columns or rows than their panel has pixels for, several times over.
TABLES = ["sinusoidal --length 100 --dim 512", "sinusoidal --length 300 --dim 200", "rope --length 256", "sinusoidal --length 40 --dim 330"]


def widths(figure, dpi):
    """How many pixels wide the columns of each picture's first table are: a row of alternating numbers is painted and read back."""
    image = next(image for axes in figure.axes for image in axes.images)
    shape = image.get_array().shape
    image.set_data((numpy.indices(shape).sum(0) % 2) * 2.0 - 1)
    file = io.BytesIO()
    figure.savefig(file, dpi=dpi, format="rgba")
    width = int(figure.get_size_inches()[0] * dpi)
    pixels = numpy.frombuffer(file.getvalue(), numpy.uint8).reshape(-1, width, 4).astype(int)
    box = image.axes.get_window_extent()
    scale = dpi / figure.dpi
    left, right, low, high = (round(side * scale) for side in (box.x0, box.x1, box.y0, box.y1))
    inside = pixels[len(pixels) - high + 3:len(pixels) - low - 3, left + 3:right - 3, 0] > 100
    for along in (1, 0):
        line = inside[inside.shape[0] // 2] if along else inside[:, inside.shape[1] // 2]
        runs = numpy.diff(numpy.flatnonzero(numpy.diff(line)))
        yield shape[along], set(runs.tolist())


def even(count, bin):
    for words in TABLES:
        done = subprocess.run([bin / "pe-gen", *words.split(), "--format", "json"], capture_output=True, check=True)
        for dpi in (80, 150):
            figure, _, _ = drawn_of(sources.read_all(["-"], types.SimpleNamespace(buffer=io.BytesIO(done.stdout))), dpi=dpi)
            for cells, found in widths(figure, dpi):
                count.check(len(found) == 1 or min(found, default=0) >= 4, f"{words} at {dpi} dots per inch: {cells} cells are {found} pixels wide")
            pyplot.close("all")


def spread(field):
    """How much of a scale of colours the middle half of a table's numbers takes."""
    values = field.values[numpy.isfinite(field.values)]
    return float(numpy.subtract(*numpy.quantile(numpy.asarray(shades.shades_of([field])[1](values)), [0.75, 0.25])))


def of(name, values):
    return Field(name, [Axis(axis, numpy.arange(size)) for axis, size in zip(("position", "pair"), values.shape)], values)


def told_apart(count):
    """Most angles are tiny beside those of the first pairs, and seen all the same; shares are shares."""
    frequencies = 10000.0 ** -(numpy.arange(64) / 64)
    for positions in (numpy.arange(256), numpy.arange(-128, 128)):
        angles = of("angle", numpy.multiply.outer(positions, frequencies))
        count.check(spread(angles) > 0.2, f"half of all angles from {positions[0]} on take {spread(angles):.3f} of the colours")
        norm = shades.shades_of([angles])[1]
        count.check(abs(norm(0) - (0.5 if positions[0] < 0 else 0)) < 1e-9, "0 is white, or the darkest")
    normal = of("logits", numpy.random.default_rng(1).normal(size=(64, 64)))
    weights = numpy.exp(-numpy.abs(numpy.subtract.outer(numpy.arange(64), numpy.arange(64))) / 2.0)
    attention = of("attention", weights / weights.sum(1, keepdims=True))
    for field in (normal, attention):
        norm = shades.shades_of([field])[1]
        low, high = norm.vmin, norm.vmax
        count.check(abs(norm((low + high) / 2) - 0.5) < 1e-9, f"{field.name} is read on a plain scale")
    figure, axes = pyplot.subplots()
    tables.bar(figure, tables.image(axes, of("angle", numpy.multiply.outer(numpy.arange(9.0), frequencies)), shades.shades_of([of("angle", numpy.multiply.outer(numpy.arange(9.0), frequencies))])), axes, "angle")
    pyplot.close("all")


def kinds_apart(count, bin):
    """Where columns are fewer than channels, a sine is mixed with sines and a cosine with cosines."""
    for form, dim in (("json", 4096), ("csv", 4094)):
        done = subprocess.run([bin / "pe-gen", "sinusoidal", "--length", "20", "--dim", str(dim), "--format", form], capture_output=True, check=True)
        figure, fields, _ = drawn_of(sources.read_all(["-"], types.SimpleNamespace(buffer=io.BytesIO(done.stdout))), dpi=80)
        image = next(image for axes in figure.axes for image in axes.images if hasattr(image, "field"))
        shown, values = image.get_array(), fields[0].values
        many = -(-values.shape[1] // shown.shape[1])
        count.check(many > 1 and f"the mean of {many} columns, sines and cosines apart" in figure._suptitle.get_text().replace("\n", " "),
                    figure._suptitle.get_text())
        count.check(numpy.allclose(shown[:, 0], values[:, 0:2 * many:2].mean(1)) and numpy.allclose(shown[:, 1], values[:, 1:2 * many:2].mean(1)),
                    "the first sines, and the first cosines")
        count.check(shown[0, 0::2].max() == 0 and shown[0, 1::2].min() == 1, "at position 0 there is 0 or 1")
        pyplot.close("all")


def all_of(count, bin):
    kinds_apart(count, bin)
    even(count, bin)
    told_apart(count)

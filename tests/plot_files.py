# What files leave unsaid, and several of them together: axes without names, what each file is of, what is no array.
import io
import subprocess

import h5py
import matplotlib.pyplot as pyplot
import numpy

from plot import sources
from plot.field import Fault
from plot_looks import Stdin, drawn_of
from plot_titles import ask, words_of

# Fields whose axes npz does not name, and how they are asked for.
UNNAMED = [("rope", "ratio"), ("rope", "angle"), ("rope", "matrix"), ("floater", "drift"), ("sincos-2d", "pe"), ("sincos-3d", "pe"), ("rope-2d", "cos"),
           ("rope-3d", "sin"), ("t5", "index"), ("kerple --seed 1", "r1"),
           ("fire --seed 1", "argument"), ("shaw --seed 1", "table"), ("decomposed --seed 1", "row_table"), ("transformer-xl --seed 1", "table"),
           ("transformer-xl --seed 1", "sinusoid"), ("mrope --segments text:2,image:2x2", "coordinate")]


def axes_of_npz(count, bin, folder):
    """The tools' own arrays stand along the same axes in npz, which names none; others' arrays of such names do not."""
    for words, field in UNNAMED:
        named = {}
        for form in ("json", "npz"):
            subprocess.run([bin / "pe-gen", *words.split(), "--fields", field, "-o", folder / f"axes.{form}"], capture_output=True, check=True)
            named[form] = [axis.name for axis in sources.read(str(folder / f"axes.{form}"), None)[0].axes]
        count.check(named["json"] == named["npz"], f"{words} {field}: {named}")
    stranger = io.BytesIO()
    numpy.savez(stranger, table=numpy.ones((2, 3, 4)), ratio=numpy.ones(5))
    fields = sources.read_all(["-"], Stdin(stranger.getvalue()))
    count.check([axis.name for axis in fields[0].axes] == ["axis 0", "axis 1", "axis 2"],
                f"a stranger's table stands along {[axis.name for axis in fields[0].axes]}")


def several_files(count, bin, folder):
    """Of several files the title says what all are of, and each file's curves what it alone is of; curves of two files that are the same are one."""
    given = [("a1.npz", ""), ("a2.h5", "--base 500000"), ("a3.json", "--scaling linear --factor 4")]
    for name, words in given:
        subprocess.run([bin / "pe-gen", "rope", "--dim", "32", "--length", "16", "--fields", "cos,sin,wavelength,ratio", *words.split(), "-o", folder / name],
                       capture_output=True, check=True)
    read = sources.read_all([str(folder / name) for name, _ in given], None)
    figure, _, _ = drawn_of(read, field="wavelength")
    said = words_of(figure)
    count.check("rope · dim 32" in figure._suptitle.get_text() and all(text in said for text in ("a1", "a2 (base 500000)", "a3 (scaling linear, factor 4)")),
                said)
    figure, _, kind = drawn_of([field for field in read if not field.source.startswith("a3")], field="cos", kind="waves", columns="0:2")
    named = [text.get_text().replace("\n", " ") for text in figure.axes[0].get_legend().get_texts()]
    count.check(len(named) == 3 and named[0] == "a1 · cos pair 0 = a2 (base 500000) · cos pair 0", f"equal waves: {named}")
    figure, _, _ = drawn_of([field for field in read if not field.source.startswith("a3")], field="ratio")
    count.check(figure.axes[0].get_xlabel() == "pair of channels", words_of(figure))
    with h5py.File(folder / "groups.h5", "w") as file:
        file["alone"], file["g/n"] = numpy.ones(3), numpy.arange(20.0).reshape(4, 5)
    count.check([field.name for field in sources.read(str(folder / "groups.h5"), None)] == ["alone", "g/n"], "arrays in groups are read")
    subprocess.run([bin / "pe-verify", "check", "rope", "--dim", "32", "--file", folder / "a1.npz",
                    *(word for form in ("csv", "h5", "json") for word in ("--report", folder / f"report.{form}"))], capture_output=True)
    for form in ("csv", "h5", "json"):
        try:
            sources.read(str(folder / f"report.{form}"), None)
            count.check(False, f"a report as {form} is drawn")
        except Fault as fault:
            count.check("a manifest or a report of pe-verify" in str(fault), f"a report as {form}: {fault}")
    try:
        drawn_of(sources.read_all(["-"], Stdin(ask(bin, "pe-gen", "alibi", "--heads", "4"))), kind="fan")
        count.check(False, "a fan of biases is drawn")
    except Fault as fault:
        count.check("needs slope" in str(fault), str(fault))


def all_of(count, bin, folder):
    axes_of_npz(count, bin, folder)
    several_files(count, bin, folder)
    pyplot.close("all")

# The picture of wavelengths against lengths.
import numpy

from plot.field import Fault
from plot.names import last_of, named, spread_labels
from plot.style import GREY, INK, hues, place_number, place_text, tick_integers

UNASKED = 1024  # positions that pe-analyze takes where nobody says how many


def was_asked(about, length):
    """Whether somebody wanted this length: a grid is what it is, of others the origin says so; CSV tells none, and there it is another than the usual."""
    origin = str(about.get("parameter.positions.origin", ""))
    return "parameter.grid" in about or (not origin.startswith("default") if origin else length != UNASKED)


def lengths_of(by_name):
    """[(length, what is written at it, whose it is alone, or None)] of a picture of wavelengths; on a grid each axis has its own, and so may each subject."""
    found, wave = {}, by_name["wavelength"]
    read = by_name["axis"].values if "axis" in by_name else numpy.full(wave.values.shape, "", object)
    for name, word in (("turns_trained", "trained"), ("turns", "wanted")):
        if name not in by_name:
            continue
        unscaled = 2 * numpy.pi / by_name["unscaled"].values if name == "turns_trained" and "unscaled" in by_name else wave.values
        every = (by_name[name].values * unscaled).round()
        for length in numpy.unique(every[numpy.isfinite(every)]):
            if name == "turns" and not was_asked(wave.about, length):
                continue
            there = every == length
            along = [str(axis) for axis in dict.fromkeys(read[there])] if len(set(read.ravel()) - {""}) > 1 else []
            owners = [index for index, row in enumerate(there) if row.any()] if there.ndim == 2 else []
            found.setdefault(float(length), []).append((word, along, owners))
    return [(length, *said_of(told, length, wave)) for length, told in found.items()]


def said_of(told, length, wave):
    """(the text of a length, whose it is alone, or None)"""
    words, along, owners = zip(*told)
    subjects = len(wave.axes[0]) if wave.values.ndim == 2 else 1
    alone = owners[0] if all(own == owners[0] for own in owners) and len(owners[0]) < subjects else ()
    of = [*along[-1], *(place_text(wave.axes[0], index) for index in alone)]
    return f"{' and '.join(words)} length {place_number(length)}" + (f" ({', '.join(of)})" if of else ""), alone[0] if len(alone) == 1 else None


def name_ladders(axes, x, values, read):
    """The axis of the grid that each ladder reads, above its last pair."""
    ends = numpy.flatnonzero(numpy.append((values[1:] < values[:-1]) | (read[1:] != read[:-1]), True))
    for end in ends if len(ends) <= 4 else ():
        axes.annotate(str(read[end]), (x[end], values[end]), xytext=(-2, 4), textcoords="offset points", ha="right", color=GREY, fontsize=8)


def wavelengths(plot, fields, options):
    """Wavelength of every pair against the lengths: below a line, a pair shows that length whole periods."""
    by_name = {field.name: field for field in fields}
    wave = by_name["wavelength"]
    figure, axes = plot.subplots(figsize=(8.6, 4.6))
    flat = [(place_text(wave.axes[0], i), wave.values[i]) for i in range(len(wave.axes[0]))] if wave.values.ndim == 2 else [("", wave.values)]
    if wave.values.ndim > 2 or len(flat) > 12:
        raise Fault("too many subjects for one picture of wavelengths")
    x, colours, names = numpy.asarray(wave.axes[-1].places, float), hues(len(flat)), []
    for (text, values), colour in zip(flat, colours):
        anew = numpy.flatnonzero(values[1:] < values[:-1]) + 1  # a ladder for each axis of a grid, one behind the other
        axes.plot(numpy.insert(x, anew, numpy.nan), numpy.insert(values, anew, numpy.nan), color=colour, linewidth=1.8, marker="o" if len(x) <= 40 else None, markersize=3)
        if len(flat) > 1 and numpy.isfinite(values).any():
            names.append((named(text), last_of(values), colour))
    axes.set_yscale("log")
    for length, text, owner in lengths_of(by_name):  # written beside the picture, where no curve crosses them
        colour = colours[owner] if owner is not None else INK if "wanted" in text else GREY
        axes.axhline(length, color=colour, linewidth=1.2, linestyle=(0, (5, 3)))
        names.append((named(text), length, colour))
    gridded = "axis" in by_name and len(set(by_name["axis"].values.ravel()) - {""}) > 1
    if gridded and len(flat) == 1:
        name_ladders(axes, x, wave.values, by_name["axis"].values)
    axes.set(xlabel=wave.axis_label(-1), ylabel=wave.label.replace("tokens", "cells") if gridded else wave.label)
    tick_integers(axes.xaxis, x)
    axes.margins(x=0.01)
    axes.grid(True)
    spread_labels(axes, names)
    return figure, ""

# The picture of wavelengths against lengths.
import numpy

from plot.field import Fault
from plot.names import spread_labels
from plot.style import GREY, INK, hues, place_number, place_text, tick_integers

UNASKED = 1024  # positions that pe-analyze takes where nobody says how many


def was_asked(about, length):
    """Whether somebody wanted this length: a grid is what it is, of others the origin says so; CSV tells none, and there it is another than the usual."""
    origin = str(about.get("parameter.positions.origin", ""))
    return "parameter.grid" in about or (not origin.startswith("default") if origin else length != UNASKED)


def lengths_of(by_name):
    """{length: (what is written at it, its colour)} of a picture of wavelengths; on a grid each axis has its own."""
    found, wave = {}, by_name["wavelength"]
    read = by_name["axis"].values if "axis" in by_name else numpy.full(wave.values.shape, "", object)
    for name, text, colour in (("turns_trained", "trained", GREY), ("turns", "wanted", INK)):
        if name not in by_name:
            continue
        unscaled = 2 * numpy.pi / by_name["unscaled"].values if name == "turns_trained" and "unscaled" in by_name else wave.values
        every = (by_name[name].values * unscaled).round()
        for length in numpy.unique(every[numpy.isfinite(every)])[:3]:
            if name == "turns" and not was_asked(wave.about, length):
                continue
            along = [str(axis) for axis in dict.fromkeys(read[every == length])] if len(set(read.ravel())) > 1 else []
            found.setdefault(float(length), []).append((text, colour, along))
    return {length: (f"{' and '.join(text for text, _, _ in told)} length {place_number(length)}" + "".join(f" ({', '.join(along)})" for _, _, along in told[-1:] if along), told[-1][1])
            for length, told in found.items()}


def wavelengths(plot, fields, options):
    """Wavelength of every pair against the lengths: below a line, a pair shows that length whole periods."""
    by_name = {field.name: field for field in fields}
    wave = by_name["wavelength"]
    figure, axes = plot.subplots(figsize=(8.6, 4.6))
    flat = [(place_text(wave.axes[0], i), wave.values[i]) for i in range(len(wave.axes[0]))] if wave.values.ndim == 2 else [("", wave.values)]
    if wave.values.ndim > 2 or len(flat) > 12:
        raise Fault("too many subjects for one picture of wavelengths")
    x = numpy.asarray(wave.axes[-1].places, float)
    for (_, values), colour in zip(flat, hues(len(flat))):
        anew = numpy.flatnonzero(values[1:] < values[:-1]) + 1  # a ladder for each axis of a grid, one behind the other
        axes.plot(numpy.insert(x, anew, numpy.nan), numpy.insert(values, anew, numpy.nan), color=colour, linewidth=1.8, marker="o" if len(x) <= 40 else None, markersize=3)
    axes.set_yscale("log")
    lengths = lengths_of(by_name)
    for length, (text, colour) in lengths.items():
        below = any(length < other < 1.5 * length for other in lengths)  # its name stands on the side where no other line is
        axes.axhline(length, color=colour, linewidth=1.2, linestyle=(0, (5, 3)))
        early = length < 10 * numpy.nanmin(wave.values)  # at the left curves would cross its name
        axes.annotate(text, (0.99 if early else 0.01, length), xycoords=("axes fraction", "data"), xytext=(0, -3 if below else 3), textcoords="offset points",
                      ha="right" if early else "left", va="top" if below else "bottom", color=colour, fontsize=8, zorder=4, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.4})
    axes.set(xlabel=wave.axis_label(-1), ylabel=wave.label)
    tick_integers(axes.xaxis, x)
    axes.margins(x=0.01)
    axes.grid(True)
    if len(flat) > 1:
        spread_labels(axes, [(text, values[-1], colour) for (text, values), colour in zip(flat, hues(len(flat)))])
    return figure, ""

# Pictures that belong to one quantity: T5's stairs, ALiBi's fan, RoPE's rotors, wavelengths against lengths, statistics beside their null.
import csv
import pathlib
import re

import matplotlib
import numpy

from plot import curves, quantities
from plot.curves import spread_labels
from plot.field import Fault
from plot.style import ACCENT, FAINT, GREY, HUES, INK, WIDEST, asking, hues, label, place_number, place_text, tick_integers


MOST_ROTORS = 8


def stairs(plot, fields, options):
    """Buckets against relative position, each stair with its number."""
    field = fields[0]
    known = numpy.isfinite(field.values)
    curves.limits_of([field.values])
    x, y = numpy.asarray(field.axes[0].places, float)[known], field.values[known]
    figure, axes = plot.subplots(figsize=(9, 4.6))
    if x[-1] > 0:
        axes.axvspan(max(0.5, x[0] - 0.5), x[-1] + 0.5, color="#f3f3f7", linewidth=0)
    axes.plot(x, y, drawstyle="steps-mid", color=ACCENT, linewidth=1.6)
    axes.plot(x, y, ".", color=ACCENT, markersize=4 if len(x) < 200 else 0)
    starts = numpy.flatnonzero(numpy.diff(y, prepend=numpy.nan))
    if len(starts) <= 40:
        for first, last in zip(starts, [*starts[1:], len(x)]):
            narrow = last - first < 0.035 * len(x)  # a number wider than its stair stands beside it, on the side that is free
            side = 0 if not narrow else -1 if last < len(x) and y[last] > y[first] else 1
            at = (x[first] + x[last - 1]) / 2 if not side else x[last - 1] if side > 0 else x[first]
            valley = narrow and 0 < first and last < len(x) and min(y[first - 1], y[last]) > y[first]
            axes.annotate(f"{y[first]:g}", (at, y[first]), xytext=(0, -11) if valley else (4 * side, 2 if side else 5), textcoords="offset points",
                          fontsize=8, ha="center" if valley else {0: "center", 1: "left", -1: "right"}[side])
    if x[0] < 0 < x[-1]:
        axes.text(0.25, 1.01, "keys before the query", transform=axes.transAxes, ha="center", va="bottom", color=GREY)  # no stair goes there
        axes.text(0.75, 1.01, "keys after the query", transform=axes.transAxes, ha="center", va="bottom", color=GREY)
    axes.set(xlabel=field.axis_label(0), ylabel=field.label, ylim=(y.min() - 2, y.max() + 2.5))
    tick_integers(axes.xaxis, x)
    tick_integers(axes.yaxis, y)
    axes.margins(x=0)
    axes.grid(axis="y")
    return figure, f"{len(numpy.unique(y))} buckets in this range"


def fan(plot, fields, options):
    """The fan of biases that the slopes spread, and the slopes themselves."""
    heads, values = fields[0].axes[0], fields[0].values
    figure, (left, right) = plot.subplots(1, 2, figsize=(WIDEST, 4.2), gridspec_kw={"width_ratios": (3, 2)})
    colours = matplotlib.colormaps["viridis"](numpy.linspace(0, 0.75, len(heads)))  # beyond it names are too pale to read
    distance = numpy.array([0, 64])
    for slope, colour in zip(values, colours):
        left.plot(distance, -slope * distance, color=colour, linewidth=1.5)
    left.set(xlabel=label("distance"), ylabel="bias, −slope · distance", title="the fan")
    left.margins(x=0)
    left.grid(axis="y")
    if len(heads) <= 16:
        spread_labels(left, [(place_text(heads, i), -64 * values[i], colours[i]) for i in range(len(heads))])
    right.bar(heads.places, values, color=colours)
    if (values > 0).all():
        right.set_yscale("log", base=2)
    right.set(xlabel=label("head"), ylabel=label("slope"), title="the slopes")
    tick_integers(right.xaxis, heads.places)
    return figure, "" if "parameter.heads" in fields[0].about else f"{len(heads)} heads"


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


def rotors(plot, fields, options):
    """Turns on the circle: where each of some pairs stands at each position."""
    by_name = {field.name: field for field in fields}
    if "complex" in by_name and by_name["complex"].values.shape[2:] == (2,):
        cos, sin = (by_name["complex"].at(2, part) for part in (0, 1))
    elif {"cos", "sin"} <= set(by_name) and by_name["cos"].values.ndim == 2:
        cos, sin = by_name["cos"], by_name["sin"]
    else:
        raise Fault("rotors need the fields cos and sin of position and pair, or complex")
    pairs = numpy.unique(numpy.linspace(0, len(cos.axes[1]) - 1, min(MOST_ROTORS, len(cos.axes[1]))).round().astype(int))
    columns = min(4, len(pairs))
    rows = -(-len(pairs) // columns)
    figure, panels = plot.subplots(rows, columns, figsize=(2 * columns + 0.8, 2.2 * rows + 0.3), squeeze=False)
    colours = matplotlib.colormaps["viridis"]
    position = numpy.asarray(cos.axes[0].places, float)
    norm = matplotlib.colors.Normalize(position[0], max(position[-1], position[0] + 1))
    for index, axes in enumerate(panels.flat):
        axes.set_aspect("equal")
        axes.axis("off")
        if index >= len(pairs):
            continue
        c, s = cos.values[:, pairs[index]], sin.values[:, pairs[index]]
        reach = max(1.0, float(numpy.nanmax(numpy.hypot(c, s))))
        axes.add_patch(matplotlib.patches.Circle((0, 0), reach, fill=False, edgecolor=FAINT))
        axes.plot([0, c[-1]], [0, s[-1]], color=GREY, linewidth=1)
        axes.scatter(c, s, c=position, cmap=colours, norm=norm, s=14 if len(c) <= 128 else 4, linewidths=0)
        axes.set(xlim=(-1.08 * reach, 1.08 * reach), ylim=(-1.08 * reach, 1.08 * reach))
        axes.set_title(place_text(cos.axes[1], pairs[index]), fontsize=9, loc="center")
    bar = figure.colorbar(matplotlib.cm.ScalarMappable(norm, colours), ax=panels.ravel().tolist(), pad=0.02, aspect=30)
    bar.set_label(cos.axis_label(0))
    tick_integers(bar.ax.yaxis, position)
    bar.outline.set_visible(False)
    return figure, f"{len(pairs)} of {len(cos.axes[1])} pairs, each from (1, 0) counter-clockwise" if len(pairs) < len(cos.axes[1]) else ""


def published_bases(field, lengths):
    """(length, base) of table 2 of arXiv:2405.14591 within the lengths that are drawn; none where the picture is not of its 128 channels, or of nobody knows what."""
    here = pathlib.Path(__file__).resolve().parents[1]
    table = next((path for path in (here.parent / "data/published.csv", here / "published.csv") if path.is_file()), None)
    about = field.about
    plain = {"parameter.dim": "128", "parameter.scaling": "none", "parameter.partial-rotary-factor": "1", "parameter.quantity": "base-bound"}
    if not table or any(str(about.get(key, "")).removesuffix(".0") != value for key, value in plain.items()):
        return []
    found = set()
    with open(table, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            said = re.search(r"--base (\S+) --length (\d+)$", row["command"])
            if said and "2405.14591" in row["paper"] and row["place"].startswith("table 2,"):
                found.add((int(said[2]), float(said[1])))
    return sorted(point for point in found if lengths[0] <= point[0] <= lengths[-1])


def bound(plot, fields, options):
    """The least base that carries a length, and the one above which all do: below the first none does, between them some do."""
    by_name = {field.name: field for field in fields}
    least, safe = by_name["base"], by_name["safe_base"]
    if least.values.ndim != 1 or len(least.axes[0]) < 2:
        return curves.lines(plot, fields, options)
    x = numpy.asarray(least.axes[0].places, float)
    figure, axes = plot.subplots(figsize=(8.6, 4.6))
    bottom = least.values.min() / 3
    axes.fill_between(x, least.values, safe.values, color=HUES[5], alpha=0.16, linewidth=0, label="some bases here carry the length")
    axes.fill_between(x, bottom, least.values, color=HUES[1], alpha=0.16, linewidth=0, label="no base here does")
    axes.plot(x, least.values, color=HUES[1], marker="o", markersize=4)
    axes.plot(x, safe.values, color=HUES[2], marker="o", markersize=4)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(x, [place_number(place) for place in x])
    axes.minorticks_off()
    if points := published_bases(least, x):
        axes.plot(*zip(*points), linestyle="none", marker="D", markersize=5, markerfacecolor="none", color=INK, label="Men et al. 2024, table 2", zorder=3)
    axes.legend(loc="upper left", fontsize=8)
    axes.set(xlabel=least.axis_label(0), ylabel="base", ylim=(bottom, safe.values.max() * 1.6))
    curves.label_minor(axes.yaxis)
    axes.margins(x=0.02)
    axes.grid(True)
    spread_labels(axes, [(least.label, least.values[-1], HUES[1]), (safe.label, safe.values[-1], HUES[2])])
    return figure, ""


SIDES = {"before": (HUES[0], "keys before the query"), "after": (HUES[4], "keys after it"), "self": (INK, "the query itself")}
MOST_TEXTS, TALLEST = 64, 10  # buckets that are written beside their bars; inches


def runs(plot, fields, options):
    """The reach of every bucket, first to last: those without an end run to the edge, and those that no distance belongs to say so."""
    by_name = {field.name: field for field in fields}
    first, last = by_name["first"], by_name["last"]
    if first.values.ndim != 1:
        raise Fault(f"the reach of buckets is drawn for one subject: choose it with {asking(first.axes[0], 0)}")
    places, a, b = numpy.asarray(first.axes[0].places, float), first.values, last.values
    sides = by_name["side"].values if "side" in by_name else numpy.full(len(places), "")
    finite = numpy.abs(numpy.concatenate([a, b]))
    far = finite[numpy.isfinite(finite)].max()
    edge = 2.5 * far if far > 64 else 1.2 * far + 1
    figure, axes = plot.subplots(figsize=(9, min(0.9 + 0.16 * len(places), TALLEST)))
    written = len(places) <= MOST_TEXTS
    exact = not numpy.array_equal(a[numpy.isfinite(a)], numpy.rint(a[numpy.isfinite(a)]))  # distances in a plane: one each
    for place, x, y, side in zip(places, a, b, sides):
        colour = SIDES.get(side, (HUES[4] if not side and (y < 0 or x > 0) else HUES[0], ""))[0]
        if not numpy.isfinite(x):
            text, end = side or "no distance", 0
        elif exact:
            axes.plot(x, place, "o", color=colour, markersize=3)
            text, end = f"{x:.4g}", x
        elif numpy.isinf(y):
            axes.barh(place, edge - x + 0.5, left=x - 0.5, height=0.8, color=colour, edgecolor=colour, linewidth=0 if written else 0.8)
            if written:
                axes.plot(edge, place, ">", color=colour, markersize=7)
            text, end = f"{place_number(x)} and beyond", edge
        else:
            axes.barh(place, y - x + 1, left=x - 0.5, height=0.8, color=colour, edgecolor=colour, linewidth=0 if written else 0.8)
            text, end = place_number(x) if x == y else f"{place_number(x)} … {place_number(y)}", y + 0.5
        if written:
            axes.annotate(text, (end, place), xytext=(7 if numpy.isinf(y) else 5, 0), textcoords="offset points", va="center", fontsize=7, color=GREY)
    if far > 64:
        axes.set_xscale("symlog", linthresh=8)
    axes.invert_yaxis()
    axes.set(xlabel="distances in the bucket (tokens)" if not exact else "distance of the bucket (cells)", ylabel="bucket")
    tick_integers(axes.yaxis, places)
    axes.margins(x=0.12 if written else 0.02, y=0.02)
    axes.grid(axis="x")
    if there := [SIDES[side] for side in SIDES if side in sides]:
        axes.legend(handles=[matplotlib.patches.Patch(color=colour, label=text) for colour, text in there], fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return figure, "" if written or not numpy.isinf(b).any() else "bars up to the edge have no end"


def beside_null(plot, fields, options):
    """Statistics beside what random tables give, in spreads of theirs."""
    by_name = {field.name: field for field in fields}
    z = by_name["z"]
    if z.values.ndim != 1:
        raise Fault(f"statistics are drawn for one subject: choose it with {asking(z.axes[0], 0)}")
    if not z.axes[0].named and len(z.axes[0]) > 40:
        return quantities.null_curves(plot, fields, options)
    names = [str(place) for place in z.axes[0].places]
    figure, axes = plot.subplots(figsize=(8.6, 1.0 + 0.34 * len(names)))
    axes.axvspan(-2, 2, color="#eef0f4", linewidth=0)
    rows = numpy.arange(len(names))
    axes.scatter(z.values, rows, color=[HUES[1] if abs(v) > 2 else HUES[0] for v in z.values], zorder=3)
    for row in rows:
        text = f"{by_name['value'].values[row]:.4g}   null {by_name['null_mean'].values[row]:.4g} ± {by_name['null_sd'].values[row]:.2g}"
        axes.annotate(text, (1.01, row), xycoords=("axes fraction", "data"), va="center", fontsize=8, color=GREY, annotation_clip=False)
        if numpy.isnan(z.values[row]):
            axes.annotate("no spread: random tables are alike", (0, row), ha="center", va="center", fontsize=7.5, color=GREY)
    axes.set_yticks(rows, [label(name) for name in names])
    axes.invert_yaxis()
    if numpy.nanmax(numpy.abs(z.values)) > 50:
        axes.set_xscale("symlog", linthresh=2)
    axes.set(xlabel="in spreads of random tables, from their mean (shaded: ± 2)")
    axes.margins(x=0.08)
    axes.grid(axis="x")
    return figure, ""

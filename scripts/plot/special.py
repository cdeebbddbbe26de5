# Pictures that belong to one quantity: ALiBi's fan, RoPE's rotors, bases that carry a length, statistics beside their null.
import csv
import pathlib
import re

import matplotlib
import numpy

from plot import curves, quantities, scales
from plot.field import Fault
from plot.names import last_of, spread_labels
from plot.style import FAINT, GREY, HUES, INK, WIDEST, asking, label, place_number, place_text, tick_integers


MOST_ROTORS = 8


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


def rotors(plot, fields, options):
    """Turns on the circle: where each of some pairs stands at each position."""
    by_name = {field.name: field for field in fields}
    if "complex" in by_name and by_name["complex"].values.shape[2:] == (2,):
        cos, sin = (by_name["complex"].at(2, part) for part in (0, 1))
    elif {"cos", "sin"} <= set(by_name) and by_name["cos"].values.ndim == 2:
        cos, sin = by_name["cos"], by_name["sin"]
    else:
        raise Fault("rotors need the fields cos and sin along two axes, such as position and pair, or complex")
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
    bottom = numpy.nanmin(least.values) / 3
    axes.fill_between(x, least.values, safe.values, color=HUES[4], alpha=0.22, linewidth=0, label="some bases here carry the length")
    axes.fill_between(x, bottom, least.values, color=HUES[1], alpha=0.2, linewidth=0, label="no base here does")
    axes.plot(x, least.values, color=HUES[1], marker="o", markersize=4)
    axes.plot(x, safe.values, color=HUES[2], marker="o", markersize=4)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(x, [place_number(place) for place in x])
    axes.minorticks_off()
    if points := published_bases(least, x):
        axes.plot(*zip(*points), linestyle="none", marker="D", markersize=5, markerfacecolor="none", color=INK, label="Men et al. 2024, table 2", zorder=3)
    axes.legend(loc="upper left", fontsize=8)
    axes.set(xlabel=least.axis_label(0), ylabel="base", ylim=(bottom, numpy.nanmax(safe.values) * 1.6))
    scales.label_minor(axes.yaxis)
    axes.margins(x=0.02)
    axes.grid(True)
    spread_labels(axes, [(least.label, last_of(least.values), HUES[1]), (safe.label, last_of(safe.values), HUES[2])])
    return figure, ""


def beside_null(plot, fields, options):
    """Statistics beside what random tables give, in spreads of theirs."""
    by_name = {field.name: field for field in fields}
    z = by_name["z"]
    if z.values.ndim != 1:
        raise Fault(f"statistics are drawn for one subject: choose it with {asking(z.axes[0], 0)}")
    if not z.axes[0].named and len(z.axes[0]) > 40:
        return quantities.null_curves(plot, fields, options)
    names = [str(place) if z.axes[0].named else place_number(place) for place in z.axes[0].places]
    figure, axes = plot.subplots(figsize=(8.6, max(1.0 + 0.34 * len(names), 2.4)))
    axes.axvspan(-2, 2, color="#eef0f4", linewidth=0)
    rows = numpy.arange(len(names))
    axes.scatter(z.values, rows, color=[HUES[1] if abs(v) > 2 else HUES[0] for v in z.values], zorder=3)
    for row in rows:
        text = f"{by_name['value'].values[row]:.4g}   null {by_name['null_mean'].values[row]:.4g} ± {by_name['null_sd'].values[row]:.2g}"
        axes.annotate(text, (1.01, row), xycoords=("axes fraction", "data"), va="center", fontsize=8, color=GREY, annotation_clip=False)
        if numpy.isnan(z.values[row]):
            axes.annotate("no spread: random tables are alike", (0, row), ha="center", va="center", fontsize=7.5, color=GREY)
    axes.set_yticks(rows, [label(name) for name in names])
    axes.set_ylabel("" if z.axes[0].named else z.axis_label(0))
    axes.set_ylim(len(names) - 0.4, -0.6)
    if numpy.nanmax(numpy.abs(z.values)) > 50:
        axes.set_xscale("symlog", linthresh=2)
    axes.set(xlabel="in spreads of random tables, from their mean (shaded: ± 2)")
    axes.margins(x=0.08)
    axes.grid(axis="x")
    return figure, ""

# Pictures of numbers along one axis: curves in panels, one panel for each quantity, one line for each of what is compared.
import textwrap

import numpy
from matplotlib import ticker

from plot.alike import looks_of, merged
from plot.field import Fault
from plot.names import add_legend, named, spread_labels
from plot.scales import along_scale, from_zero, label_minor
from plot.shades import SHARES
from plot.style import ACCENT, FAINT, GREY, WIDEST, limits_of, listed, number, place_number, place_text, scale_for, shortened, tick_integers, whole

MOST_LINES, SOME_LINES, MOST_PANELS, MOST_BARS = 24, 12, 6, 64
FEW = 12  # places whose own numbers are the ticks of a scale of powers
# Fields that are read against one another on one panel, and what that panel shows.
TOGETHER = [({"cos", "sin"}, "cosine and sine"), ({"query_cos", "query_sin"}, "of the query"), ({"key_cos", "key_sin"}, "of the key"), ({"cos_k", "sin_k"}, "of the key"),
            ({"weight", "without"}, "share of attention"), ({"worst", "rms"}, "error of a value"), ({"min", "max"}, "eigenvalue"), ({"abel", "envelope"}, "length of a sum of turns"),
            ({"published", "sharp", "counter_example"}, "error of a score, max|h| = 1"), ({"base", "safe_base"}, "base"), ({"margin", "adjacent"}, "least distance of rows")]
FAR = 1.2  # lines of text that a name may be moved from its curve: farther off it would name another one
LINEAR_ALONG = {"dim"}  # where it matters what a sum is made of
NEAR = {"weight", "probability"}  # what happens at short distances matters most
AGAINST = {"without"}  # what the others of a panel are read against: grey, named once
SIGNED = {"eigenvalue"}  # of both signs, and over decades
MARKS = {("interpolation", "B_over_d"): (1, "at least this, the paper takes for granted")}  # what a curve is read against


def along(field):
    """The axis that runs to the right: the last one of numbers."""
    index = max((i for i, axis in enumerate(field.axes) if not axis.named), default=None)
    if index is None:
        raise Fault(f"{field.name} stands along names alone, which make no curve: leave --kind out, or --kind bars draws it")
    return index


def lines_of(field, several):
    """(text, places, numbers) of each curve of a field."""
    moved = field.moved(along(field), -1)
    places = numpy.asarray(moved.axes[-1].places, float)
    for index in numpy.ndindex(moved.values.shape[:-1]):
        names = [place_text(axis, i) for axis, i in zip(moved.axes, index) if len(axis) > 1 or axis.name == "subject" and several]
        parts = [field.source, *([field.label] if several else []), *names]
        yield " · ".join(filter(None, parts)), places, moved.values[index]


def panels_of(fields):
    """Fields that share a panel, in their order."""
    groups = {}
    for field in fields:
        kin = next((name for name in (field.name, *(n for t, _ in TOGETHER if field.name in t for n in t)) if name in groups), field.name)
        groups.setdefault(kin, []).append(field)
    return list(groups.values())


def bands(fields):
    """Fields NAME_min and NAME_max, and NAME_sd, drawn as a band around NAME: (fields left, bands by name)."""
    by_name = {field.name: field for field in fields}
    found = {name: (by_name[f"{name}_min"], by_name[f"{name}_max"]) for name in by_name if {f"{name}_min", f"{name}_max"} <= set(by_name)}
    taken = {f"{name}{end}" for name in found for end in ("_min", "_max", "_sd")}
    return [field for field in fields if field.name not in taken], found


def group_label(group):
    names = {field.name for field in group}
    return group[0].label if len(names) == 1 else next((text for known, text in TOGETHER if names <= known), "value")


def balanced(text, letters):
    """A text in lines of about one length, none longer than so many letters."""
    return textwrap.fill(text, max(letters * 2 // 3, min(letters, -(-len(text) // -(-len(text) // letters)) + 4)))


def finish(axes, group, places, scale, lowest, letters):
    if scale == "linear" and group[0].name in SIGNED:
        least = 1e-4 * max(numpy.nanmax(numpy.abs(field.values)) for field in group)
        axes.set_yscale("symlog", linthresh=max(1e-3, 10 ** numpy.floor(numpy.log10(least)) if least else 0))  # a power of ten: ticks stand apart
        axes.axhline(0, color=GREY, linewidth=0.8)
    if scale == "linear" and all(whole(field.values[numpy.isfinite(field.values)]) for field in group):
        axes.yaxis.set_major_locator(ticker.MaxNLocator(integer=True, nbins="auto"))  # counts
    if scale == "log":
        axes.set_yscale("log", nonpositive="mask")
        label_minor(axes.yaxis)
    near = ("log" if places[0] > 0 else "symlog") if group[0].name in NEAR and 0 <= places[0] and places[-1] > 20 * max(places[0], 0.05) else None
    if kind := along_scale(places) or near:
        if kind == "symlog":
            from_zero(axes, places)
        else:
            axes.set_xscale(kind)
        if kind == "log" and len(places) <= FEW and (places == numpy.round(places)).all():
            axes.xaxis.set_ticks(places, [f"{place:.0f}" for place in places])
            axes.xaxis.set_minor_locator(ticker.NullLocator())
    elif 1 < len(places) <= FEW and numpy.diff(places).min() > 0.06 * numpy.ptp(places):
        axes.xaxis.set_ticks(places, [place_number(place) for place in places])  # nothing was measured between them
    else:
        tick_integers(axes.xaxis, places)
    axes.set(xlabel=group[0].axis_label(along(group[0])) if lowest else "", ylabel=balanced(group_label(group), letters))
    axes.margins(x=0.01)
    if len(places) == 1:
        axes.set_xlim(places[0] - 0.5, places[0] + 0.5)
        axes.xaxis.set_ticks(places, [place_number(places[0])])
    axes.grid(True)


def thinned(drawn):
    """A dozen of too many curves, from the first to the last."""
    return drawn if len(drawn) <= MOST_LINES else [drawn[i] for i in numpy.linspace(0, len(drawn) - 1, SOME_LINES).round().astype(int)]


def filled(axes, field, low, high, drawn, several):
    """The band of each curve, in the curve's own colour."""
    for (text, _, _), (_, x, least), (_, _, most) in zip(lines_of(field, several), lines_of(low, False), lines_of(high, False)):
        colour = next((colour for name, _, _, colour, _ in drawn if text in name.split(" = ")), None)
        if colour is not None:
            axes.fill_between(x, least, most, color=colour, alpha=0.15, linewidth=0)


def one_panel(axes, group, band, lowest, alone, letters):
    """Draws it; says where it shows some of the curves alone, and whether its curves have no names at their ends."""
    read = [field for field in group if field.name not in AGAINST] or group
    names = {field.name for field in read}
    every = [line for field in read for line in lines_of(field, len(names) > 1)]
    different = merged(every) if alone else every
    shown = thinned(different)
    subjects = next((len(axis) for axis in read[0].axes[:1] if axis.name == "subject"), 1) if len(shown) == len(every) else 1
    behind = [field for field in group if not any(field is one for one in read)]
    grounds = [line for field in behind for line in lines_of(field, False)]
    linear = names <= SHARES or group[0].axes[along(group[0])].name in LINEAR_ALONG
    scale = "linear" if linear else scale_for(numpy.concatenate([line[2] for line in shown]))
    drawn = [(*line, *look) for line, look in zip(shown, looks_of(shown, subjects, scale))]
    ends = []
    for index, (_, places, values) in enumerate(grounds):
        text = "" if index else behind[0].label
        axes.plot(places, values, color=GREY, linewidth=1.2, linestyle=(0, (5, 2)), label=text or None, zorder=1)
        if text and numpy.isfinite(values).any():
            ends.append((text, values[numpy.isfinite(values)][-1], GREY))
    for height, text in [MARKS[key] for key in {(field.quantity, field.name) for field in group} if key in MARKS]:
        axes.axhline(height, color=GREY, linewidth=1, linestyle=(0, (4, 2)), label=textwrap.fill(text, 24), zorder=1)
        ends.append((textwrap.fill(text, 24), height, GREY))  # beside the panel, where no curve crosses it
    for text, places, values, colour, dash in drawn:
        known = numpy.isfinite(values) & ((values > 0) | (scale != "log"))
        if not known.any():
            continue
        alone_there = known & ~numpy.append(known[1:], False) & ~numpy.insert(known[:-1], 0, False)
        axes.plot(places, numpy.where(known, values, numpy.nan), color=colour, linewidth=1.6, label=named(text), markersize=3,  # a gap stays one
                  marker="o" if known.sum() <= 40 or alone_there.any() else None, linestyle=dash)
        ends.append((named(text), values[known][-1], colour))
    for field in group:
        if field.name in band:
            filled(axes, field, *band[field.name], drawn, len(names) > 1)
    finish(axes, group, drawn[0][1], scale, lowest, letters)
    if lacking := [text for text, _, values in shown if text and not numpy.isfinite(values).any()]:
        axes.set_title(shortened(balanced(f"no numbers of {listed(lacking)}", 2 * letters), 4 * letters), fontsize=7.5, color=GREY)
    nameless = (len(ends) > 1 or len(shown) < len(every)) and (len(ends) > 8 or not spread_labels(axes, ends, FAR))
    values = numpy.concatenate([line[2] for line in drawn])
    missing = [text for text, there in (("inf", numpy.isinf(values)), ("0 on a scale of powers", (values == 0) & (scale == "log"))) if there.any()]
    return " · ".join(filter(None, [f"{len(shown)} of {len(different)} curves" if len(shown) < len(different) else "",
                                    f"not drawn: {', '.join(missing)}" if missing else ""])), nameless


def lines(plot, fields, options):
    """Panels that share the axis to the right."""
    fields, band = bands(fields)
    limits_of([field.values for field in fields])
    groups = [g for g in panels_of(fields) if any(numpy.isfinite(f.values).any() for f in g)]
    if len(groups) > MOST_PANELS:
        raise Fault(f"{len(groups)} quantities are too many for one picture: choose with --field {','.join(g[0].name for g in groups[:3])}")
    columns = 1 if len(groups) < 4 else 2
    rows = -(-len(groups) // columns)
    figure, panels = plot.subplots(rows, columns, figsize=(8.6 if columns == 1 else WIDEST, 4.4 if rows == 1 else 2.7 * rows + 0.6), squeeze=False)
    said = []
    for index, axes in enumerate(panels.flat):
        if index >= len(groups):
            axes.set_visible(False)
            continue
        said.append(one_panel(axes, groups[index], band, index + columns >= len(groups), len(groups) == 1, 44 if rows == 1 else 28))
    if any(nameless for _, nameless in said):
        add_legend(figure, list(panels.flat[:len(groups)]))
    share_places(panels.flat, groups)
    return figure, next(filter(None, (text for text, _ in said)), "")


def share_places(panels, groups):
    """Panels along the same places show the same of them, though one of them have no number at some."""
    by_axis = {}
    for axes, group in zip(panels, groups):
        by_axis.setdefault((group[0].axes[along(group[0])].name, axes.get_xscale()), []).append(axes)
    for alike in by_axis.values():
        ends = [axes.get_xlim() for axes in alike]
        for axes in alike:
            axes.set_xlim(min(low for low, _ in ends), max(high for _, high in ends))


def bars(plot, fields, options):
    """Numbers along names, a panel for each quantity; missing ones leave a gap."""
    axis = fields[0].axes[0]
    fields = [field for field in fields if numpy.isfinite(field.values).any()]
    if not fields:
        raise Fault("there is no finite number to draw")
    if len(fields) > MOST_PANELS:
        raise Fault(f"{len(fields)} quantities are too many for one picture: choose with --field {','.join(f.name for f in fields[:3])}")
    count = len(axis)
    fields = [field.part(0, range(min(count, MOST_BARS))) for field in fields]
    axis = fields[0].axes[0]
    names = list(axis.places) if axis.named else [place_number(place) for place in axis.places]
    rows = -(-len(fields) // 3)
    columns = -(-len(fields) // rows)
    height = rows * (1.35 + (0.27 if rows == 1 else 0.21) * len(names))
    figure, panels = plot.subplots(rows, columns, figsize=(min(3.2 + 2.6 * columns, WIDEST), height), sharey=True, squeeze=False)
    for axes in panels.flat[len(fields):]:
        axes.remove()
    for axes, field in zip(panels.flat, fields):
        known = numpy.where(numpy.isfinite(field.values), field.values, 0)
        axes.barh(range(len(names)), known, color=ACCENT, height=0.7)
        for row, value in enumerate(field.values):
            axes.annotate(number(value) if numpy.isfinite(value) else "—", (known[row] if known[row] > 0 else 0, row), xytext=(3, 0),
                          textcoords="offset points", va="center", fontsize=7.5, color=GREY)
        if (known > 0).all() and known.max() / known.min() > 1000:
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(ticker.LogLocator(numticks=4))
            axes.xaxis.set_minor_locator(ticker.NullLocator())
        elif known.any():
            axes.xaxis.set_major_locator(ticker.MaxNLocator(3))
        else:
            axes.set_xticks([])
        axes.margins(x=0.22)
        axes.set_title("\n".join(textwrap.wrap(" · ".join(filter(None, [field.source, field.label])), 24)))
        axes.grid(axis="x", color=FAINT)
    for first in panels[:, 0]:
        first.set_yticks(range(len(names)), names, fontsize=8)
        first.set_ylabel("" if axis.named else fields[0].axis_label(0))
    panels[0][0].invert_yaxis()
    return figure, f"the first {MOST_BARS} of {count}" if count > MOST_BARS else ""


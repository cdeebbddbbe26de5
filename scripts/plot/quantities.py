# Pictures that belong to one quantity of pe-analyze: what lengths a base carries, turns by k, fits, bounds, fragile boundaries, claims.
import textwrap

import matplotlib
import numpy

from plot import alike, curves, scales
from plot.field import Fault
from plot.names import last_of, spread_labels
from plot.style import FAINT, GREY, HUES, INK, WIDEST, asking, hues, number, place_number, place_text, tick_integers


MOST_BOUNDARIES = 24


def by_subject(fields, names):
    """(text, {name: numbers}) of each subject; one without a text where there is none."""
    there = {field.name: field for field in fields if field.name in names}
    first = next(iter(there.values()))
    if first.values.ndim == 1:
        return [("", {name: field.values for name, field in there.items()})]
    if first.values.ndim > 2 or len(first.axes[0]) > 8:
        raise Fault(f"eight {first.axes[0].name} entries are drawn at most: choose with {asking(first.axes[0], 0)}")
    return [(place_text(first.axes[0], i), {name: field.values[i] for name, field in there.items()}) for i in range(len(first.axes[0]))]


def reach(plot, fields, options):
    """How much of each length the sum of cosines stays above 0 for, and how far below it falls."""
    lengths = numpy.asarray(fields[0].axes[-1].places, float)
    subjects = by_subject(fields, ("first_negative", "minimum", "extrapolation_limit"))
    figure, (top, bottom) = plot.subplots(2, 1, figsize=(8.6, 6), sharex=True)
    top.fill_between(lengths, 0, lengths, color=FAINT, alpha=0.4, linewidth=0)
    lone, hollow = len(lengths) == 1, False  # one length makes no lines
    if not lone:
        top.plot(lengths, lengths, color=GREY, linewidth=1, linestyle=(0, (4, 2)), label="the whole length")
    for (text, found), colour in zip(subjects, hues(len(subjects))):
        first = found.get("first_negative", numpy.full(len(lengths), numpy.nan))
        asked = numpy.isfinite(found.get("minimum", lengths)) | numpy.isfinite(first)  # no number says that all is carried, or that nobody asked
        if not asked.any():
            continue
        carried = numpy.where(numpy.isfinite(first), first, lengths)
        top.plot(lengths[asked], carried[asked], color=colour, label=text or "carried: no sum below 0", linewidth=0 if lone else 1.6,
                 marker="o" if lone else None)
        whole = asked & ~numpy.isfinite(first)
        top.plot(lengths[asked & ~whole], carried[asked & ~whole], "o", color=colour, markersize=5)
        hollow |= whole.any()
        top.plot(lengths[whole], carried[whole], "o", color=colour, markersize=7, markerfacecolor="white")
        limit = found.get("extrapolation_limit", numpy.array([numpy.nan]))
        if numpy.isfinite(limit).any():
            top.axhline(limit[numpy.isfinite(limit)][0], color=colour, linewidth=1, linestyle=":", label=" · ".join(filter(None, [text, "extrapolation limit"])))
        if "minimum" in found:
            bottom.plot(lengths[asked], found["minimum"][asked], color=colour, marker="o", markersize=5, linewidth=1.6, label=text)
    bottom.axhline(0, color=INK, linewidth=0.8)
    low = min(0, bottom.get_ylim()[0])
    bottom.axhspan(low, 0, color=HUES[1], alpha=0.12, linewidth=0)
    bottom.set_ylim(low, None)
    for axes in (top, bottom):
        axes.grid(True)
        axes.margins(x=0.03)
    if len(lengths) > 1 and lengths[-1] >= 2 * lengths[0] > 0:
        bottom.set_xscale("log", base=2)
        bottom.set_xticks(lengths if len(lengths) <= 10 else lengths[::len(lengths) // 8], [number(place) for place in (lengths if len(lengths) <= 10 else lengths[::len(lengths) // 8])])
        bottom.minorticks_off()
        top.set_yscale("log", base=2)
        top.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: number(value)))
    elif len(lengths) <= 10:
        bottom.set_xticks(lengths, [number(place) for place in lengths])
    top.set_ylabel("distances without a\nnegative sum (tokens)")
    bottom.set(xlabel=fields[0].axis_label(-1), ylabel="least sum of cosines")
    top.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))  # limits run all through the panel
    return figure, "hollow: the whole length is carried" if hollow else ""


def turns(plot, fields, options):
    """M_k as the turns of its pairs: on the circle, and by pair."""
    by_name = {field.name: field for field in fields}
    angle = by_name["angle"]
    rows = [(place_text(angle.axes[0], i), angle.values[i]) for i in range(len(angle.axes[0]))] if angle.values.ndim == 2 else [("", angle.values)]
    if angle.values.ndim > 2 or len(rows) > 4:
        raise Fault(f"turns are drawn for four of {angle.axes[0].name} at most: choose with {asking(angle.axes[0], 0)}")
    figure, panels = plot.subplots(1, len(rows) + 1, figsize=(min(3 * len(rows) + 5.4, WIDEST), 3.4), squeeze=False, gridspec_kw={"width_ratios": [3] * len(rows) + [5]})
    pairs = numpy.asarray(angle.axes[-1].places, float)
    colours = matplotlib.colormaps["viridis"](numpy.linspace(0, 0.9, len(pairs)))
    right = panels[0][-1]
    looks = alike.looks_of([(text, pairs, values) for text, values in rows], 1)
    for axes, (text, values), (hue, stroke), marker in zip(panels[0], rows, looks, "osD^"):
        axes.set_aspect("equal")
        axes.axis("off")
        axes.add_patch(matplotlib.patches.Circle((0, 0), 1, fill=False, edgecolor=FAINT))
        axes.plot([0, 1], [0, 0], color=GREY, linewidth=1)
        apart = []  # where numbers stand: those that would lie on another are left out
        for number, (value, colour) in enumerate(zip(values, colours)):
            axes.plot([0, numpy.cos(value)], [0, numpy.sin(value)], color=colour, linewidth=1.4 if len(pairs) <= 16 else 0.6)
            axes.plot(numpy.cos(value), numpy.sin(value), "o", color=colour, markersize=4)
            if len(pairs) <= 8 and all(abs(numpy.exp(1j * value) - other) > 0.2 for other in apart):
                apart.append(numpy.exp(1j * value))
                axes.text(1.13 * numpy.cos(value), 1.13 * numpy.sin(value), f"{pairs[number]:g}", fontsize=7, ha="center", va="center", color=colour)
        axes.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25))
        axes.set_title("\n".join(filter(None, [textwrap.fill(text, 22), "turn of each pair"])), fontsize=9)
        anew = numpy.flatnonzero(numpy.abs(values[1:]) > numpy.abs(values[:-1])) + 1  # a ladder for each axis of a grid, one behind the other
        anew = anew if len(anew) < 3 else []
        right.plot(numpy.insert(pairs, anew, numpy.nan), numpy.insert(values, anew, numpy.nan), color=hue, marker=marker, markersize=3, linewidth=1.4,
                   label=text, linestyle=stroke)
    if (angle.values > 0).all():
        right.set_yscale("log")
        scales.label_minor(right.yaxis)
    right.axhline(numpy.pi, color=GREY, linewidth=0.8, linestyle=(0, (4, 2)))
    right.annotate("half a turn", (1, numpy.pi), xycoords=("axes fraction", "data"), xytext=(0, 3), textcoords="offset points", ha="right", fontsize=7.5, color=GREY)
    right.set(xlabel=angle.axis_label(-1), ylabel=angle.label)
    tick_integers(right.xaxis, pairs)
    right.grid(True)
    if len(rows) > 1:
        right.legend(fontsize=8)
    left = by_name["residual"].values if "residual" in by_name else numpy.array([numpy.nan])
    return figure, f"largest |P(p + k) − M·P(p)| {numpy.nanmax(left):.2g}" if numpy.isfinite(left).any() else ""


def fits(plot, fields, options):
    """What M_k, fitted to some rows, leaves of the others, beside what it leaves of random tables."""
    subjects = by_subject(fields, ("residual", "residual_fitted", "null_mean", "null_sd"))
    axis = fields[0].axes[-1]
    names = [" · ".join(filter(None, [text, place_text(axis, i)])) for text, _ in subjects for i in range(len(axis))]
    told = {name: numpy.concatenate([found[name] for _, found in subjects]) for name in subjects[0][1]}
    rows = numpy.arange(len(names))
    figure, axes = plot.subplots(figsize=(8.6, 1.9 + 0.34 * len(names)))
    axes.errorbar(told["null_mean"], rows, xerr=2 * told["null_sd"], fmt="D", color=GREY, markersize=4, capsize=3, label="random tables, ± 2 standard deviations")
    axes.plot(told["residual_fitted"], rows, "o", color=HUES[0], markerfacecolor="white", markersize=7, label="rows that were fitted")
    axes.plot(told["residual"], rows, "o", color=HUES[1], markersize=4, label="rows that were held out")
    axes.set_yticks(rows, names, fontsize=8)
    axes.set(xlabel="part of the rows that M leaves over (0: none)", ylim=(len(names) - 0.4, -0.6))
    axes.set_xlim(min(0, -0.03 * axes.get_xlim()[1]), None)
    axes.grid(axis="x")
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return figure, ""


def proof(plot, fields, options):
    """The theorem's bound, the one that holds, and the counter-example between them."""
    if fields[0].values.size > 1 and all(axis.named for axis in fields[0].axes):
        raise Fault(f"the theorem is drawn for one subject: choose it with {asking(fields[0].axes[0], 0)}")
    if fields[0].values.ndim != 1 or len(fields[0].axes[0]) > 1:
        return curves.lines(plot, [field for field in fields if field.name in ("published", "sharp", "counter_example")], options)
    told = {field.name: float(field.values[0]) for field in fields}
    names = [name for name in ("published", "sharp", "counter_example") if name in told]
    figure, axes = plot.subplots(figsize=(8.6, 2.4))
    colours = [HUES[0], HUES[2], HUES[1]]
    axes.barh(range(len(names)), [told[name] for name in names], color=colours, height=0.65)
    for row, name in enumerate(names):
        axes.annotate(f"{told[name]:.4g}", (told[name], row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8.5, color=INK)
    axes.axvline(told["published"], color=HUES[0], linewidth=1.2, linestyle=(0, (4, 2)))
    axes.set_yticks(range(len(names)), [next(field.label for field in fields if field.name == name) for name in names])
    axes.set(xlabel="error of a score half way, for max|h| = 1")
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.grid(axis="x")
    passes = told.get("excess", numpy.nan)
    return figure, f"the counter-example is {passes:.4g} times the theorem's bound" if numpy.isfinite(passes) else ""


def fragile(plot, fields, options):
    """Each way to compute a bucket at each boundary: what it gives, and where that is another one than whole numbers give."""
    by_name = {field.name: field for field in fields}
    exact, got = by_name["exact"], by_name["got"]
    if got.values.ndim != 2:
        raise Fault(f"boundaries are drawn for one subject: choose it with {asking(got.axes[0], 0)}")
    every = got.values != exact.values
    some = numpy.sort(numpy.argsort(~every.any(0), kind="stable")[:MOST_BOUNDARIES])  # where one differs before others
    cut = f"{len(some)} of {every.shape[1]} boundaries" if len(some) < every.shape[1] else ""
    exact, got, differs = exact.part(1, some), got.part(1, some), every[:, some]
    rows, columns = got.values.shape
    figure, axes = plot.subplots(figsize=(3.4 + max(0.62 * columns, 2.2), 1.6 + 0.27 * rows))
    axes.imshow(differs, aspect="auto", cmap=matplotlib.colors.ListedColormap(["#dcefe2", "#e49a86"]), vmin=0, vmax=1, interpolation="nearest")
    for (row, column), value in numpy.ndenumerate(got.values):
        axes.text(column, row, f"{value:g}", ha="center", va="center", fontsize=8, color=INK)
    axes.set_xticks(range(columns), [place_number(place) for place in got.axes[1].places], rotation=90 if columns > 12 else 0)
    axes.set_yticks(range(rows), [place_text(got.axes[0], i) for i in range(rows)], fontsize=8)
    axes.set(xlabel="distance at a boundary (tokens); in the cells: the bucket", ylabel="way of computing it")
    told = f"{int(every.sum())} of {every.size} differ (red)" if every.any() else "no way differs from whole numbers"
    return figure, " · ".join(filter(None, [told, cut]))


def counted(count, word):
    return f"{count} {word}{'' if count == 1 else 's'}"


JUDGED = {"match": "#8fc8a0", "ambiguous": "#c9c9d2", "differs": "#f2d58a", "refuted": "#e49a86"}


def claims(plot, fields, options):
    """How the numbers of each paper were judged."""
    by_name = {field.name: field for field in fields}
    papers, verdicts = by_name["paper"].values, by_name["verdict"].values
    names = list(dict.fromkeys(papers))
    kinds = [*JUDGED, *(word for word in dict.fromkeys(verdicts) if word not in JUDGED)]
    counts = numpy.array([[sum((papers == name) & (verdicts == word)) for word in kinds] for name in names])
    figure, axes = plot.subplots(figsize=(WIDEST, max(1.4 + 0.25 * len(names), 2)))
    start = numpy.zeros(len(names))
    for index, word in enumerate(kinds):
        if counts[:, index].any():
            axes.barh(range(len(names)), counts[:, index], left=start, color=JUDGED.get(word, HUES[3]), height=0.72, label=f"{word}: {counts[:, index].sum()}")
            start += counts[:, index]
    axes.set_yticks(range(len(names)), names, fontsize=7.5)
    axes.invert_yaxis()
    axes.set(xlabel="numbers")
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True))
    axes.grid(axis="x")
    axes.margins(x=0.02, y=0.01)
    axes.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1, 1))
    return figure, f"{counted(len(papers), 'number')} of {counted(len(names), 'source')}"


def null_curves(plot, fields, options):
    """A statistic of every component beside random tables: their mean, and two standard deviations on either side."""
    by_name = {field.name: field for field in fields}
    value, mean, spread = (by_name[name] for name in ("value", "null_mean", "null_sd"))
    figure, axes = plot.subplots(figsize=(8.6, 4.4))
    places = numpy.asarray(value.axes[0].places, float)
    low, high = mean.values - 2 * spread.values, mean.values + 2 * spread.values
    axes.fill_between(places, low, high, color=GREY, alpha=0.3, linewidth=0)
    axes.plot(places, mean.values, color=GREY, linewidth=1.2)
    axes.plot(places, value.values, color=HUES[0], linewidth=1.6)
    positive = value.values[value.values > 0]
    if len(positive) and (value.values >= 0).all() and positive.max() > 1000 * positive.min() and (low > 0).all():
        axes.set_yscale("log", nonpositive="mask")
    axes.set(xlabel=value.axis_label(0), ylabel="share of the table" if (value.values <= 1).all() else "value")
    axes.grid(True)
    axes.margins(x=0.01)
    spread_labels(axes, [("table", last_of(value.values), HUES[0]), ("random tables", last_of(mean.values), GREY)])
    return figure, "grey: random tables, ± 2 standard deviations"

# Pictures of buckets: which one each relative position is in, and how far each reaches.
import matplotlib
import numpy

from plot import curves, scales
from plot.field import Fault
from plot.style import ACCENT, GREY, HUES, INK, asking, place_number, tick_integers

SIDES = {"before": (HUES[0], "keys before the query"), "after": (HUES[4], "keys after it"), "self": (INK, "the query itself")}
MOST_TEXTS, TALLEST = 64, 10  # buckets that are written beside their bars; inches


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
        wide, tall = 0.012 * numpy.ptp(x), 0.045 * (numpy.ptp(y) + 4.5)  # of a number, in places and in buckets
        written = []
        for first, last in zip(starts, [*starts[1:], len(x)]):
            narrow = last - first < 0.035 * len(x)  # a number wider than its stair stands beside it, on the side that is free
            side = 0 if not narrow else -1 if last < len(x) and y[last] > y[first] else 1
            at = (x[first] + x[last - 1]) / 2 if not side else x[last - 1] if side > 0 else x[first]
            if any(abs(at - other) < wide and abs(y[first] - height) < tall for other, height in written):
                continue  # it would lie on another one
            written.append((at, y[first]))
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


def runs(plot, fields, options):
    """The reach of every bucket, first to last: those without an end run to the edge, and those that no distance belongs to say so."""
    by_name = {field.name: field for field in fields}
    first, last = by_name["first"], by_name["last"]
    if first.values.ndim != 1:
        raise Fault(f"the reach of buckets is drawn for one subject: choose it with {asking(first.axes[0], 0)}")
    places, a, b = numpy.asarray(first.axes[0].places, float), first.values, last.values
    sides = by_name["side"].values if "side" in by_name else numpy.full(len(places), "")
    far = max(map(abs, curves.limits_of([a, b])))
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
        scales.from_zero(axes, numpy.array([0, 1, far]))
    elif not exact:
        tick_integers(axes.xaxis, [0, far])
    axes.invert_yaxis()
    axes.set(xlabel="distances in the bucket (tokens)" if not exact else "distance of the bucket (cells)", ylabel="bucket")
    tick_integers(axes.yaxis, places)
    axes.margins(x=0.12 if written else 0.02, y=0.02)
    axes.grid(axis="x")
    if there := [SIDES[side] for side in SIDES if side in sides]:
        axes.legend(handles=[matplotlib.patches.Patch(color=colour, label=text) for colour, text in there], fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return figure, "" if written or not numpy.isinf(b).any() else "bars up to the edge have no end"

# Axes of powers: where there is one, where it begins, and which of its numbers are written.
import numpy
from matplotlib import ticker

from plot.style import place_number

MOST_DECADES = 8  # that are written
NARROW = 4  # inches of a panel that has no room for the 2 and 5 of three decades
FINEST = 1e-12  # of the greatest: nearer to 0 a scale is even


def along_scale(places):
    """A logarithmic axis for places that grow by factors."""
    steps = numpy.diff(places)
    grows = len(steps) > 1 and (steps > 0).all() and steps[-1] > 20 * steps[0]
    return ("log" if places[0] > 0 else "symlog") if grows else None


def from_zero(axes, places):
    """A scale of powers that begins at 0: even up to the first place, and as steep behind it as before."""
    sizes = numpy.abs(places[places != 0])
    first = max(sizes.min(), sizes.max() * FINEST)
    axes.set_xscale("symlog", linthresh=first, linscale=0.9 / numpy.log(10))
    decades = 10.0 ** numpy.arange(numpy.ceil(numpy.log10(first)), numpy.floor(numpy.log10(numpy.abs(places).max())) + 1)
    decades = decades[::-(-len(decades) // MOST_DECADES)]
    narrow = len(decades) == 3 and axes.get_window_extent().width / axes.figure.dpi < NARROW
    steps = decades if narrow or len(decades) > 3 else [times * decade for decade in decades for times in (1, 2, 5)]
    ticks = [sign * place for sign in ((-1, 1) if places[0] < 0 else (1,)) for place in steps if place <= numpy.abs(places).max()]
    axes.xaxis.set_ticks([0, *ticks], [place_number(place) for place in (0, *ticks)])
    axes.xaxis.set_minor_locator(ticker.NullLocator())


def label_minor(axis):
    """A scale of powers that shows fewer than two of them has its 2 and 5 labelled, too: one number alone measures nothing."""
    low, high = sorted(axis.get_view_interval())
    if low > 0 and numpy.floor(numpy.log10(high)) - numpy.ceil(numpy.log10(low)) < 1:
        axis.set_minor_locator(ticker.LogLocator(subs=(2, 5)))
        for put in (axis.set_major_formatter, axis.set_minor_formatter):
            put(ticker.FuncFormatter(lambda value, _: f"{value:.0f}" if value >= 1 else f"{value:g}"))

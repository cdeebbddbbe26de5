# Which colour a number of a table has: a map of colours, and the scale that leads into it.
import numpy
from matplotlib import colors

from plot.style import limits_of

SHARES = {"weight", "without", "probability", "attention"}  # read as parts of 1, not by decades
DARK, DECADES = 0.05, 1000  # a plain scale shows one colour of numbers half of which lie below this share of the greatest
FINEST = 1e-6  # of the greatest: below it a scale by powers is a plain one


def by_powers(fields, sizes):
    """Whether a table is read by powers of ten: angles are, most of which are tiny beside those of the first pairs."""
    return not {field.name for field in fields} & SHARES and len(sizes) and numpy.median(sizes) < DARK * sizes.max() and sizes.max() >= DECADES * sizes.min()


def shades_of(fields, whole=()):
    """(colour map, norm): signed numbers on two hues that meet in white at 0, and so is a part that has one sign where the whole has both."""
    low, high = limits_of([field.values for field in fields])
    found = numpy.concatenate([field.values.ravel() for field in fields])
    sizes = numpy.abs(found[numpy.isfinite(found) & (found != 0)])
    least, most = limits_of([field.values for field in whole]) if whole else (low, high)
    signed = least < 0 < most or least == most == 0  # nothing but 0 is white, too
    if by_powers(fields, sizes):
        least, reach = max(float(numpy.quantile(sizes, 0.02)), FINEST * sizes.max()), max(-low, high)
        ends = (-reach, reach) if signed else (low, high)
        norm = colors.SymLogNorm(least, vmin=ends[0], vmax=ends[1])
    elif signed:
        norm = colors.Normalize(-(max(-low, high) or 1), max(-low, high) or 1)
    else:
        norm = colors.Normalize(low, high) if low < high else colors.Normalize(low - 0.5, high + 0.5)
    return "RdBu_r" if signed else "viridis", norm

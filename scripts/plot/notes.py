# What of an input went into its picture, what did not, and how to ask for that: lines for stderr.
import numpy

from plot import curves, quantities, special, tables, terminal
from plot.choose import seen
from plot.style import asking, place_text, shortened

MOST_NAMES = 8


def names_of(fields):
    return list(dict.fromkeys(field.name for field in fields))


def listed(names):
    names = [shortened(name, 40) for name in names]
    return ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def first_of(axis, count, ask):
    """The first so many places of an axis, and the option that draws others."""
    first, last = place_text(axis, 0), place_text(axis, count - 1)
    return (first if count == 1 else f"{first} to {last}") + f" of {len(axis)}", ask


def others(count, whole):
    """The next so many columns."""
    return f"--columns {count}:{min(2 * count, whole)}"


def parts_of(fields, kind):
    """The axes that the kind shows some places of."""
    field = fields[0]
    if kind == "stack" and len(field.axes[0]) > tables.MOST_PANELS:
        yield first_of(field.axes[0], tables.MOST_PANELS, others(tables.MOST_PANELS, len(field.axes[0])))
    if kind == "lines":
        for group in curves.panels_of(curves.bands(fields)[0]):
            lines = [line for one in group for line in curves.lines_of(one, False)]
            if len(lines) > curves.MOST_LINES:
                yield f"{curves.SOME_LINES} of {len(lines)} curves of {listed(names_of(group))}", "--at or --columns"
                return
    if kind == "bars" and len(field.axes[0]) > curves.MOST_BARS:
        yield first_of(field.axes[0], curves.MOST_BARS, others(curves.MOST_BARS, len(field.axes[0])))
    if kind == "rotors" and len(field.axes) > 1 and len(field.axes[1]) > special.MOST_ROTORS:
        yield f"{special.MOST_ROTORS} of {len(field.axes[1])} pairs", f"--columns 0:{special.MOST_ROTORS}"
    if kind == "fragile" and len(field.axes) > 1 and len(field.axes[1]) > quantities.MOST_BOUNDARIES:
        yield f"{quantities.MOST_BOUNDARIES} of {len(field.axes[1])} boundaries", others(quantities.MOST_BOUNDARIES, len(field.axes[1]))
    if kind == "words":
        for index, (axis, most) in enumerate(zip(field.axes, (tables.MOST_ROWS, tables.MOST_COLUMNS))):
            if len(axis) > most:
                yield first_of(axis, most, others(most, len(axis)) if index or len(field.axes) == 1 else asking(axis, most))


def parts_on_terminal(fields, kind):
    """The same of a picture that is made of letters."""
    field = fields[0]
    if kind in terminal.TABLES:
        for axis in field.axes[:-2]:
            if len(axis) > 1:
                yield first_of(axis, 1, asking(axis, 1))
    elif kind in terminal.BARS:
        if len(field.axes[0]) > curves.MOST_BARS:
            yield first_of(field.axes[0], curves.MOST_BARS, others(curves.MOST_BARS, len(field.axes[0])))
    else:
        count = sum(1 for one in terminal.shown(fields, kind) for _ in curves.lines_of(one, False))
        if count > terminal.MOST_CURVES:
            yield f"{terminal.MOST_CURVES} of {count} curves of {field.name}", "--at or --columns"


def drawn_of(chosen, kind, on_terminal):
    """What is seen in a picture, or, where letters have less room, on the terminal."""
    return terminal.shown(seen(chosen, kind), kind) if on_terminal else seen(chosen, kind)


def notes(read, chosen, kind, on_terminal):
    """One line for each thing that is left out; none where everything is drawn."""
    drawn = drawn_of(chosen, kind, on_terminal)
    empty = [name for name in names_of(drawn) if not any(f.words or numpy.isfinite(f.values).any() for f in drawn if f.name == name)]
    left = [name for name in names_of(read) if name not in names_of(drawn)]
    if left:
        yield f"drawn: {listed([name for name in names_of(drawn) if name not in empty])}; not drawn: {listed(left)} (--field {shortened(left[0], 40)} draws it)"
    if empty:
        yield f"not drawn: {listed(empty)}, without a finite number"
    parts = [*(parts_on_terminal if on_terminal else parts_of)(drawn, kind), *((field.shown, field.ask) for field in drawn if field.ask)]
    for text, ask in dict.fromkeys(parts):
        yield f"drawn: {text} ({ask} draws others)"

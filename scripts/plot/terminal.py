# Pictures made of letters: half blocks for tables, dots of Braille for curves, blocks for bars.
import os
import shutil
import sys

import matplotlib
import numpy
from matplotlib import colors

from plot.curves import MOST_BARS, along, lines_of
from plot.field import Fault
from plot.shades import SHARES, shades_of
from plot.style import HUES, limits_of, number, place_number, place_text, scale_for

TABLES, BARS = ("heatmap", "waves", "stack", "rotors"), ("bars", "fan", "null", "runs")
MOST_CURVES = len(HUES)
SHADES = " ░▒▓█"
DOTS = numpy.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])


def coloured():
    """Colours are for a terminal: files and pipes have letters alone, unless somebody forces them."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty() and os.environ.get("TERM", "") != "dumb"


def paint(text, colour, ground=None):
    if not coloured():
        return text
    back = "" if ground is None else ";48;2;{};{};{}".format(*ground)
    return "\x1b[38;2;{};{};{}{}m{}\x1b[0m".format(*colour, back, text)


def shrink(values, rows, columns):
    """A table of at most so many rows and columns: each cell the number at its middle."""
    r, c = (numpy.minimum(((numpy.arange(n) + 0.5) * size / n).astype(int), size - 1)
            for n, size in zip((min(rows, values.shape[0]), min(columns, values.shape[1])), values.shape))
    return values[numpy.ix_(r, c)]


def table(field, width, height):
    shown = shrink(field.values, 2 * height, width)
    shown = numpy.repeat(shown, min(width // shown.shape[1], 4), 1)
    limits = limits_of([field.values])
    name, norm = shades_of([field])
    with numpy.errstate(over="ignore", invalid="ignore"):
        share = numpy.clip(numpy.where(numpy.isfinite(shown), norm(numpy.nan_to_num(shown)), numpy.nan), 0, 1)
    lines = []
    if coloured():
        rgb = (matplotlib.colormaps[name](numpy.nan_to_num(share))[..., :3] * 255).astype(int)
        rgb[~numpy.isfinite(shown)] = 150
        for r in range(0, len(rgb), 2):
            below = rgb[r + 1] if r + 1 < len(rgb) else [None] * len(rgb[r])
            lines.append("".join(paint("▀", a, b) for a, b in zip(rgb[r], below)))
    else:
        for row in share[::2] if len(share) > height else share:
            lines.append("".join(SHADES[min(int(v * 5), 4)] if numpy.isfinite(v) else "·" for v in row))
    down, right = (field.axis_label(index).split(" (")[0] for index in (0, 1))
    return [f"{field.label}: {number(limits[0])} to {number(limits[1])}{', by powers' if isinstance(norm, colors.SymLogNorm) else ''}; {down} downwards, {right} to the right"] + lines


def heights_at(fine, places, values, steps):
    """A curve between its places, or as the stairs that it is."""
    if steps:
        return values[numpy.abs(places[None, :] - fine[:, None]).argmin(1)]
    return numpy.interp(fine, places, values)


def curve(fields, width, height, steps=False):
    several = len({field.name for field in fields}) > 1
    drawn = [line for field in fields for line in lines_of(field, several)][:MOST_CURVES]
    x = numpy.concatenate([places for _, places, _ in drawn])
    low, high = limits_of([values for _, _, values in drawn])
    logarithmic = fields[0].name not in SHARES and scale_for(numpy.concatenate([values for _, _, values in drawn])) == "log"
    if logarithmic:
        drawn = [(text, places, numpy.where(values > 0, values, numpy.nan)) for text, places, values in drawn]
        low = limits_of([values for _, _, values in drawn])[0]
    bend = numpy.log if logarithmic else numpy.asarray
    left, right, bottom, top = x.min(), x.max(), float(bend(low)), float(bend(high))
    margin = 10
    cells = numpy.zeros((height, width - margin), int)
    owner = numpy.full(cells.shape, -1)
    for line, (_, places, values) in enumerate(drawn):
        known = numpy.isfinite(values)
        fine = numpy.linspace(left, right, 2 * cells.shape[1])
        inside = (fine >= places[known].min()) & (fine <= places[known].max()) if known.any() else numpy.zeros(len(fine), bool)
        heights = bend(heights_at(fine[inside], places[known], values[known], steps)) if known.any() else []
        before = None
        for column, value in zip(numpy.flatnonzero(inside), heights):
            if not numpy.isfinite(value):
                continue
            row = int(round((1 - (value - bottom) / ((top - bottom) or 1)) * (4 * height - 1)))
            for dot in range(min(row, row if before is None else before), max(row, row if before is None else before) + 1):
                cells[dot // 4, column // 2] |= DOTS[dot % 4, column % 2]
                owner[dot // 4, column // 2] = line
            before = row
    rgb = [[int(HUES[n % len(HUES)][i:i + 2], 16) for i in (1, 3, 5)] for n in range(len(drawn))]
    lines = []
    for r in range(height):
        scale = f"{number(high):>9}" if r == 0 else f"{number(low):>9}" if r == height - 1 else " " * 9
        row = "".join(" " if n < 0 else paint(chr(0x2800 + c), rgb[n]) for c, n in zip(cells[r], owner[r]))
        lines.append(f"{scale} {row}")
    lines.append(" " * margin + f"{place_number(left):<12}{fields[0].axis_label(along(fields[0])):^{max(width - margin - 24, 1)}}{place_number(right):>12}")
    names = [paint(f"── {text}", colour) for (text, _, _), colour in zip(drawn, rgb) if text]
    return [fields[0].label + (", logarithmic" if logarithmic else "")] + lines + names


def bars(field, width):
    count = len(field.axes[0])
    field = field.part(0, range(min(count, MOST_BARS)))
    names = [str(place) if field.axes[0].named else place_number(place) for place in field.axes[0].places]
    wide = min(max(map(len, names)), 24)
    most = max(float(numpy.nanmax(numpy.abs(numpy.where(numpy.isfinite(field.values), field.values, 0)))), 1e-300)
    lines = [field.label]
    for name, value in zip(names, field.values):
        length = 0 if numpy.isnan(value) else int(round(min(abs(value) / most, 1) * (width - wide - 14)))  # what has no end is as long as there is room
        lines.append(f"{name[:wide]:>{wide}} {'█' * length} {number(value)}")
    return lines + ([f"the first {MOST_BARS} of {count}"] if count > MOST_BARS else [])


def shown(fields, kind):
    """The fields that letters have room for."""
    fields = [field for field in fields if not field.words]
    if not fields:
        raise Fault("words are drawn with -o alone: name a picture")
    if kind in TABLES:
        return fields[:1]
    if kind in BARS:
        return [next((f for f in fields if f.name in ("z", "last")), fields[0])]
    return [field for field in fields if field.name == fields[0].name]


def picture(fields, kind, title, width):
    """The picture as lines of text."""
    columns, rows = shutil.get_terminal_size((80, 24))
    width, height = width or columns, max(min(rows - 6, 24), 8)
    fields = shown(fields, kind)
    lines = [title] if title else []
    if kind in TABLES:
        field = fields[0]
        while field.values.ndim > 2:
            lines.append(place_text(field.axes[0], 0))
            field = field.at(0, 0)
        lines += table(field, width, height)
    else:
        lines += bars(fields[0], width) if kind in BARS else curve(fields, width, height, kind == "stairs")
    return "\n".join(lines) + "\n"

# The whole picture: what a kind draws, with the title above it and the source below, both no wider than the picture.
import re
import textwrap

import numpy
from matplotlib import ticker

from plot import choose, fonts, pixels, style
from plot.field import Fault
from plot.names import letters

TITLE, SOURCE = 11, 6.5  # points
# A letter of DejaVu Sans is 0.6 of its size wide on average, and 1/72 inch is a point; Chinese ones are square.
WIDE = 0.6 / 72


def heading_of(parts, most):
    """The parts with dots between them, in as few lines as hold them."""
    lines = []
    for part in filter(None, parts):
        joined = f"{lines[-1]} · {part}" if lines else part
        if lines and letters(joined) <= most:
            lines[-1] = joined
        else:
            lines += textwrap.wrap(part, max(int(most * len(part) / letters(part)), 12)) or [part]
    return "\n".join(lines if len(lines) <= MOST_LINES else [*lines[:MOST_LINES - 1], lines[MOST_LINES - 1] + " …"])


class Plain(ticker.Formatter):
    """Powers of ten in letters: no text of a picture is read as mathematics, for a name may hold a $."""

    def __init__(self, inner):
        self.inner = inner

    def __call__(self, value, place=None):
        return spelled(self.inner(value, place))

    def set_axis(self, axis):
        self.inner.set_axis(axis)

    def set_locs(self, places):
        self.inner.set_locs(places)


def spelled(text):
    """What LogFormatter writes for TeX, without it."""
    text = re.sub(r"\^\{([^}]*)\}", lambda found: found[1].replace("−", "-").translate(str.maketrans("-0123456789.", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹·")), text)
    return text.replace("$", "").replace("-", "−").replace(r"\times", "×").replace(r"\mathdefault", "").replace("{", "").replace("}", "").strip()


LONGEST, MOST_LINES = 60, 4  # letters of a label, lines of a title
GREATEST = 1e290  # matplotlib's own arithmetic overflows beyond it


def tamed(figure):
    """Labels that leave room for the picture, and powers that need no TeX."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            for get, put in ((axis.get_major_formatter, axis.set_major_formatter), (axis.get_minor_formatter, axis.set_minor_formatter)):
                if isinstance(get(), ticker.LogFormatterMathtext):
                    put(Plain(get()))
            if isinstance(axis.get_major_formatter(), ticker.FixedFormatter):
                axis.set_ticklabels([style.shortened(text.get_text(), LONGEST) for text in axis.get_ticklabels()])
        legend = axes.get_legend()
        written = [*axes.texts, axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label, *(legend.get_texts() if legend else [])]
        for text in [*written, *figure.texts]:  # findobj would make every tick to look at it
            if max(map(len, text.get_text().split("\n"))) > LONGEST:
                text.set_text(style.shortened(text.get_text(), LONGEST))


def check(fields):
    for field in fields:
        for what, values in [(field.name, field.values), *((axis.name, axis.places) for axis in field.axes)]:
            if isinstance(values, list) or values.dtype == object or not values.size:
                continue
            finite = numpy.abs(values[numpy.isfinite(values)])
            if finite.size and finite.max() > GREATEST:
                raise Fault(f"{what} reaches {finite.max():.3g}: numbers are drawn up to {GREATEST:g}")


def entitle(figure, parts):
    if any(parts):
        figure.suptitle(heading_of(parts, figure.get_size_inches()[0] * 0.96 / (TITLE * WIDE)), fontsize=TITLE)


def figure_of(plot, fields, kind, options):
    """The figure of what choose.choose gave."""
    title, source = style.title_of(choose.seen(fields, kind), options.title)
    check(fields)
    names = [name for field in fields for name in (field.name, field.source, *(axis.name for axis in field.axes))]
    texts = [title, *names, *(place for field in fields for axis in field.axes if axis.named for place in axis.places)]
    fields = [fonts.written(field) if field.words else field for field in fields]
    plot.rcParams.update({**style.STYLE, "font.family": fonts.fonts_for([*map(str, texts), *(word for field in fields if field.words for word in set(field.values.ravel()))])})
    figure, found = choose.KINDS[kind](plot, fields, options)
    tamed(figure)
    parts = title.split("\n") if options.title is not None else [*title.split(" · "), *(part for part in found.split(" · ") if part not in title), ", ".join(filter(None, [fields[0].shown, fields[0].beside]))]
    entitle(figure, parts)
    if reduced := pixels.settle(figure, getattr(options, "dpi", 150)):
        entitle(figure, [*parts, reduced])
    width = figure.get_size_inches()[0] * 0.96
    if source:
        source = textwrap.shorten(source, int(width / (SOURCE * WIDE)), placeholder=" …")
        figure.supxlabel(source, fontsize=SOURCE, color=style.GREY, x=0.99, ha="right")
    pixels.even_cells(figure, getattr(options, "dpi", 150))
    return figure

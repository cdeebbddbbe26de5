# The whole picture: what a kind draws, with the title above it and the source below, both no wider than the picture.
import textwrap

from plot import choose, style

TITLE, SOURCE = 11, 6.5  # points
# A letter of DejaVu Sans is 0.6 of its size wide on average, and 1/72 inch is a point; Chinese ones are square.
WIDE = 0.6 / 72


def letters(text):
    """How many average letters a text is wide."""
    return sum(1.7 if letter >= "\u2e80" else 1 for letter in text)


def heading_of(parts, most):
    """The parts with dots between them, in as few lines as hold them."""
    lines = []
    for part in filter(None, parts):
        joined = f"{lines[-1]} · {part}" if lines else part
        if lines and letters(joined) <= most:
            lines[-1] = joined
        else:
            lines += textwrap.wrap(part, max(int(most * len(part) / letters(part)), 12)) or [part]
    return "\n".join(lines)


def figure_of(plot, fields, kind, options):
    """The figure of what choose.choose gave."""
    title, source = style.title_of(fields, options.title)
    texts = [title, *(place for field in fields for axis in field.axes if axis.named for place in axis.places)]
    plot.rcParams.update({**style.STYLE, "font.family": style.fonts_for(map(str, texts))})
    figure, found = choose.KINDS[kind](plot, fields, options)
    width = figure.get_size_inches()[0] * 0.96
    parts = [title] if options.title is not None else [*title.split(" · "), fields[0].shown, *(part for part in found.split(" · ") if part not in title)]
    if any(parts):
        figure.suptitle(heading_of(parts, width / (TITLE * WIDE)), fontsize=TITLE)
    if source:
        source = textwrap.shorten(source, int(width / (SOURCE * WIDE)), placeholder=" …")
        figure.supxlabel(source, fontsize=SOURCE, color=style.GREY, x=0.99, ha="right")
    return figure

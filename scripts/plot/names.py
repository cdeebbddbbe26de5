# What curves are called, at their ends or beside their panels.
import textwrap

import numpy

NAME_LETTERS, NAME_LINES = 52, 3  # of one name


def letters(text):
    """How many average letters a text is wide."""
    return sum(1.7 if letter >= "\u2e80" else 1 for letter in text)


def last_of(values):
    """The last finite number of a curve, where its name stands: one that ends before the others has a name, too."""
    return values[numpy.isfinite(values)][-1]


def spread_labels(axes, ends, far=numpy.inf):
    """Names at the right ends of curves, pushed apart until they can be read; none, and False, where one had to go far from its curve."""
    if not ends:
        return True
    low, high = axes.get_ylim()
    points = axes.transAxes.inverted().transform(axes.transData.transform([(0, y) for _, y, _ in ends]))[:, 1].clip(0, 1)
    order = numpy.argsort(points, kind="stable")
    wanted, tall = points[order].copy(), [1 + ends[index][0].count("\n") for index in order]
    gap = 0.075 if len(ends) < 8 else min(0.06, max(1 / sum(tall), 0.04))
    for _ in range(200):
        for a in range(len(wanted) - 1):
            apart = gap * (tall[a] + tall[a + 1]) / 2
            if wanted[a + 1] - wanted[a] < apart:
                middle = (wanted[a] + wanted[a + 1]) / 2
                wanted[a], wanted[a + 1] = middle - apart / 2, middle + apart / 2
    if numpy.abs(wanted - points[order]).max() > far * gap:
        return False
    for place, index in zip(wanted, order):
        text, _, colour = ends[index]
        axes.annotate(text, (1.01, place), xycoords="axes fraction", color=colour, fontsize=8, va="center", annotation_clip=False)
    axes.set_ylim(low, high)
    return True


def named(text):
    """A curve's name in as many lines as hold it."""
    lines = textwrap.wrap(text, NAME_LETTERS, break_on_hyphens=False) or [text]
    return "\n".join(lines if len(lines) <= NAME_LINES else [*lines[:NAME_LINES - 1], lines[NAME_LINES - 1][:NAME_LETTERS - 2] + " …"])


def add_legend(figure, panels):
    """The names of all curves beside their panel, or beside several of them that it does not push apart."""
    if len(panels) == 1:
        panels[0].legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
        return
    told = {text: handle for axes in panels for handle, text in zip(*axes.get_legend_handles_labels())}
    legend = figure.legend(told.values(), told.keys(), fontsize=8, loc="center right")
    legend.set_in_layout(False)
    width = legend.get_window_extent(figure.canvas.get_renderer()).width / figure.bbox.width
    figure.get_layout_engine().set(rect=(0, 0, 1 - width, 1))

"""What anybody would see of a figure: a title, letters inside the picture and not on one another, a word at every axis, ticks at whole numbers."""
import gc
import io
import types

import matplotlib.pyplot as pyplot
import matplotlib.text

from plot import choose, render, style


drawn = 0
gc.disable()  # figures are made of a hundred thousand objects, among which the collector would look every few of them


def sweep():
    """Collects what closed figures left, now and then."""
    global drawn
    drawn += 1
    if drawn % 40 == 0:
        gc.collect()


class Stdin:
    def __init__(self, data):
        self.buffer = io.BytesIO(data)


def options(**given):
    return types.SimpleNamespace(**{"at": [], "field": None, "columns": None, "kind": None, "title": None, **given})


def drawn_of(fields, **given):
    """The figure that belongs to these fields."""
    sweep()
    chosen, kind = choose.choose(fields, options(**given))
    return render.figure_of(pyplot, chosen, kind, options(**given)), chosen, kind


WHOLE = {style.label(name) for name in ("position", "dim", "pair", "head", "query", "key", "bucket", "relative_position", "row", "column")}


def box(text, renderer):
    return text.get_window_extent(renderer)


def visible_ticks(axis):
    """The labels of an axis that are seen, with their places."""
    low, high = sorted(axis.get_view_interval())
    return [(place, text) for place, text in zip(axis.get_ticklocs(), axis.get_ticklabels()) if text.get_text() and text.get_visible() and low <= place <= high]


def lie_on_one_another(texts, renderer):
    boxes = [(text.get_text(), box(text, renderer)) for text in texts if text.get_text() and text.get_visible()]
    for index, (text, a) in enumerate(boxes):
        for other, b in boxes[index + 1:]:
            across, down = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            if across > 1 and down > 0.2 * min(a.height, b.height):  # a box is taller than its letters
                yield f"{text!r} lies on {other!r}"


def ugly(figure):
    """What is wrong with a figure that anybody would see: no title, letters outside, letters on letters, axes without a word, parts of whole numbers."""
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    if not (figure._suptitle and figure._suptitle.get_text().strip()):
        yield "no title"
    whole = figure.bbox
    axises = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    drawn = {id(text) for axis in axises if axis.axes.axison for _, text in visible_ticks(axis)}  # others wait beyond the ends of their axis
    undrawn = {id(text) for axis in axises for tick in [*axis.majorTicks, *axis.minorTicks] for text in (tick.label1, tick.label2)} - drawn
    for text in figure.findobj(lambda at: isinstance(at, matplotlib.text.Text)):
        axes = text.axes
        if not text.get_text().strip() or not text.get_visible() or axes is not None and not axes.get_visible():
            continue
        at = box(text, renderer)
        if id(text) in undrawn:
            continue
        if at.x0 < whole.x0 - 0.5 or at.x1 > whole.x1 + 0.5 or at.y0 < whole.y0 - 0.5 or at.y1 > whole.y1 + 0.5:
            yield f"{text.get_text()!r} lies outside the picture"
    for axes in figure.axes:
        if not axes.get_visible() or not axes.axison:
            continue
        yield from lie_on_one_another(axes.texts, renderer)
        for axis, name in ((axes.xaxis, axes.get_xlabel()), (axes.yaxis, axes.get_ylabel())):
            ticks = visible_ticks(axis)
            yield from lie_on_one_another([text for _, text in ticks], renderer)
            if name in WHOLE and axis.get_scale() == "linear" and any(place != round(place) for place, _ in ticks):
                yield f"ticks of {name} at {[place for place, _ in ticks]}"


def wordless(figure):
    """Axes of numbers that no word belongs to: neither their own label, nor a title above them, nor names for ticks."""
    for axes in figure.axes:
        if not axes.get_visible() or not axes.axison or axes.get_label() == "<colorbar>":
            continue
        siblings = [other for other in figure.axes if other.get_visible() and other.get_label() != "<colorbar>"]
        for axis, name, of in ((axes.xaxis, axes.get_xlabel(), "get_xlabel"), (axes.yaxis, axes.get_ylabel(), "get_ylabel")):
            numbers = [text for _, text in visible_ticks(axis) if any(letter.isdigit() for letter in text.get_text())]
            named = [text for _, text in visible_ticks(axis) if any(letter.isalpha() for letter in text.get_text().replace("mathdefault", ""))]
            if numbers and not named and not name and not any(getattr(other, of)() for other in siblings) and not axes.get_title(loc="left") and not (
                    axes.get_legend() or axes.texts):
                yield f"an axis of numbers without a word: {[text.get_text() for text in numbers][:4]}"


SMALLEST = 5.1  # pixels


def small(figure):
    """Letters, but those of the source, that nobody reads where a page shows the picture 480 pixels wide; and axes whose word was cut."""
    width = figure.get_size_inches()[0]
    for text in figure.findobj(lambda at: isinstance(at, matplotlib.text.Text)):
        if text is not figure._supxlabel and text.get_visible() and text.get_text().strip() and text.get_fontsize() * 480 / 72 / width < SMALLEST:
            yield f"{text.get_text()!r} is {text.get_fontsize():g} points where the picture is {width:.3g} inches wide"
    for axes in figure.axes:
        yield from (f"{text!r} is cut short" for text in (axes.get_xlabel(), axes.get_ylabel()) if text.endswith("…"))


def looks(count, figure, name):
    faults = [*ugly(figure), *wordless(figure), *small(figure)]
    count.check(not faults, f"{name}: {faults[:4]}")

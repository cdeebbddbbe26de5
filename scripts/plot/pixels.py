# Tables that have more rows or columns than their picture has pixels: the picture grows, or its cells are reduced by whole numbers.
import math

import numpy

from plot.layouts import layout_of

GROWTH = 2  # the most that a picture grows in either direction, where that shows every number
ROOM = 0.94  # of a panel's pixels, before the title's last word is known
HAIR = 0.01  # of a pixel: matplotlib rounds up what is a hair wider than so many of them
SMALL = 4  # pixels of a cell, below which one more would be seen
COUNTED = {"bucket", "index"}  # whose means would be other things


def room(axes, dpi):
    """(rows, columns) of pixels in a panel."""
    box, scale = axes.get_window_extent(), dpi / axes.figure.dpi
    return max(int(ROOM * box.height * scale), 1), max(int(ROOM * box.width * scale), 1)


def in_blocks(values, down, right, sampled):
    """Means of the finite numbers in each block of so many rows and columns, or the first number of each."""
    if sampled:
        return values[::down, ::right]
    rows, columns = -(-values.shape[0] // down), -(-values.shape[1] // right)
    padded = numpy.full((rows * down, columns * right), numpy.nan)
    padded[:values.shape[0], :values.shape[1]] = values
    blocks = padded.reshape(rows, down, columns, right)
    known = numpy.isfinite(blocks)
    count = known.sum((1, 3))
    return numpy.where(count, numpy.where(known, blocks, 0).sum((1, 3)) / numpy.maximum(count, 1), numpy.nan)


def in_kinds(values, down, right, sampled):
    """The same of a table whose even and odd columns are sines and cosines, which no mean should mix."""
    parts = [in_blocks(values[:, side::2], down, right, sampled) for side in (0, 1)]
    return numpy.stack(parts, -1).reshape(parts[0].shape[0], -1)


def is_of_kinds(field, right):
    return right > 1 and field.values.shape[1] % 2 == 0 and layout_of(field).startswith("interleaved")


def reduce(image, field, down, right):
    """Puts blocks in the place of cells; the last ones may reach beyond the table, and the panel stays as wide as it was."""
    axes = image.axes
    left, end, bottom, top = image.get_extent()
    rows, columns = field.values.shape
    ends = axes.get_xlim(), axes.get_ylim()
    cells = (in_kinds if is_of_kinds(field, right) else in_blocks)(field.values, down, right, field.name in COUNTED)
    image.set_data(numpy.ma.masked_invalid(cells))
    image.set_extent((left, left + (end - left) / columns * right * cells.shape[1], top + (bottom - top) / rows * down * -(-rows // down), top))
    axes.set(xlim=ends[0], ylim=ends[1])


def enlarge(figure, times):
    """Letters that are read as well as before where the picture is shown as wide as before."""
    for text in [*figure.texts, *(text for axes in figure.axes for text in (axes.title, axes._left_title, axes._right_title, axes.xaxis.label, axes.yaxis.label, *axes.texts))]:
        text.set_fontsize(text.get_fontsize() * times)
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_tick_params(labelsize=axis.get_ticklabels()[0].get_fontsize() * times if axis.get_ticklabels() else None)


def settle(figure, dpi):
    """Makes room for every row and column, or says what each cell stands for."""
    images = [(image, image.field) for axes in figure.axes for image in axes.images if hasattr(image, "field")]
    width, height = figure.get_size_inches()
    if not images or all(max(field.values.shape) < 0.12 * dpi * min(width, height) for _, field in images):
        return ""
    figure.draw_without_rendering()
    wanted = numpy.max([numpy.divide(field.values.shape, room(image.axes, dpi)) for image, field in images], 0)
    tall, wide = (max(float(times) * 1.04, 1) if times * 1.04 <= GROWTH else 1 for times in wanted)
    if max(tall, wide) > 1:
        figure.set_size_inches(width * wide, height * tall)
        enlarge(figure, wide)
        figure.draw_without_rendering()
    rooms = [room(image.axes, dpi) for image, _ in images]
    down, right = (max(math.ceil(field.values.shape[i] / pixels[i]) for (_, field), pixels in zip(images, rooms)) for i in (0, 1))
    if down == right == 1:
        return ""
    for image, field in images:
        reduce(image, field, min(down, field.values.shape[0]), min(right, field.values.shape[1]))
    block = " x ".join(f"{count} {name}" for count, name in ((down, "rows"), (right, "columns")) if count > 1)
    apart = ", sines and cosines apart" if is_of_kinds(images[0][1], right) else ""
    return f"each cell {'the first' if images[0][1].name in COUNTED else 'the mean'} of {block}{apart}"


def cells_of(images, dpi):
    """(image, its size in pixels, its cells), each as rows and columns."""
    for image, _ in images:
        box, scale = image.axes.get_window_extent(), dpi / image.axes.figure.dpi
        yield image, numpy.array([box.height, box.width]) * scale, numpy.array(image.get_array().shape[:2])


def even_cells(figure, dpi):
    """Makes small cells equally many pixels wide, for among columns of one pixel and of two, each other one would seem twice as much."""
    images = [(image, image.field) for axes in figure.axes for image in axes.images if hasattr(image, "field")]
    if not images:
        return
    for _ in range(5):
        figure.draw_without_rendering()
        found = list(cells_of(images, dpi))
        panels = [len({round(image.axes.get_position().bounds[side], 3) for image, _, _ in found}) for side in (1, 0)]
        each = numpy.median([pixels / cells for _, pixels, cells in found], 0)
        image, pixels, cells = found[0]
        lacks = numpy.where(each < SMALL, numpy.maximum(numpy.round(each), 1) * cells + 0.6 - pixels, 0) * panels
        if (numpy.abs(lacks) < 0.6 * numpy.array(panels)).all():
            break
        height, width = numpy.maximum(figure.get_size_inches()[::-1] + lacks / dpi, 2)
        figure.set_size_inches(round(width * dpi) / dpi, round(height * dpi) / dpi)
    if (each < SMALL).any():
        trim(figure, found, dpi)


def trim(figure, found, dpi):
    """Cuts the rest of a pixel off each panel, with the colours beside it."""
    figure.set_layout_engine("none")
    whole = figure.get_size_inches() * dpi
    bars = [axes for axes in figure.axes if axes.get_label() == "<colorbar>"]
    for image, pixels, cells in found:
        left, low, wide, tall = (image.axes.get_position().bounds * numpy.tile(whole, 2))
        down, right = (max(int(size / count + 0.02), 1) * count if size < SMALL * count else size for size, count in zip((tall, wide), cells))
        right, down = (kept if kept > 0.9 * size else size for kept, size in ((right, wide), (down, tall)))
        for axes in bars:
            x, y, w, h = axes.get_position().bounds * numpy.tile(whole, 2)
            if abs(y - low) < 1.5 and abs(h - tall) < 3:
                axes.set_position(numpy.array([x, round(low), w, down]) / numpy.tile(whole, 2))
        image.axes.set_position(numpy.array([round(left), round(low), right - HAIR, down - HAIR]) / numpy.tile(whole, 2))

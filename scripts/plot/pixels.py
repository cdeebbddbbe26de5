# Tables that have more rows or columns than their picture has pixels: the picture grows, or its cells are reduced by whole numbers.
import math

import numpy

GROWTH = 2  # the most that a picture grows in either direction, where that shows every number
ROOM = 0.94  # of a panel's pixels, before the title's last word is known
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


def reduce(image, field, down, right):
    """Puts blocks in the place of cells; the last ones may reach beyond the table, and the panel stays as wide as it was."""
    axes = image.axes
    left, end, bottom, top = image.get_extent()
    rows, columns = field.values.shape
    ends = axes.get_xlim(), axes.get_ylim()
    image.set_data(numpy.ma.masked_invalid(in_blocks(field.values, down, right, field.name in COUNTED)))
    image.set_extent((left, left + (end - left) / columns * right * -(-columns // right), top + (bottom - top) / rows * down * -(-rows // down), top))
    axes.set(xlim=ends[0], ylim=ends[1])


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
        figure.draw_without_rendering()
    rooms = [room(image.axes, dpi) for image, _ in images]
    down, right = (max(math.ceil(field.values.shape[i] / pixels[i]) for (_, field), pixels in zip(images, rooms)) for i in (0, 1))
    if down == right == 1:
        return ""
    for image, field in images:
        reduce(image, field, min(down, field.values.shape[0]), min(right, field.values.shape[1]))
    block = " x ".join(f"{count} {name}" for count, name in ((down, "rows"), (right, "columns")) if count > 1)
    return f"each cell {'the first' if images[0][1].name in COUNTED else 'the mean'} of {block}"

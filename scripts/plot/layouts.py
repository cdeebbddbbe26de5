# How a table of waves is laid out.
import numpy


def layout_of(field):
    """How sines and cosines share a row of a sinusoidal table, told by the row of position 0."""
    if "layout" in field.about:
        return str(field.about["layout"])
    if field.words or field.values.ndim < 2:
        return ""
    at_zero = numpy.flatnonzero(numpy.asarray(field.axes[-2].places) == 0) if not field.axes[-2].named else []
    width = field.values.shape[-1]
    if field.name != "pe" or field.values.ndim != 2 or not len(at_zero) or width < 4 or width % 2:
        return ""
    row, half = field.values[at_zero[0]], width // 2
    if (row[0::2] == 0).all() and (row[1::2] == 1).all():
        return "interleaved: sin, cos, sin, cos, …"
    if (row[:half] == 0).all() and (row[half:] == 1).all():
        return "halves: all sines, then all cosines"
    return ""

# Fields from CSV: which of its first columns say where a number stands is read off the rows themselves.
"""A table of the tools lists the points of a grid, the last axis running fastest, one row a point; or one row a place of the first axis
and columns name_0, name_1, … for the second. Nothing in CSV says which columns are places, but a grid shows itself: its first column
comes in runs of one length, the next in runs within these, until every row is a place of its own."""
import csv
import io
import re

import numpy

from plot import labels
from plot.field import Axis, Fault, Field, counted, doubled, single

ACROSS = {"pair": "(.*_)?(cos|sin)(_k)?|angle|.*_scale", "dim": "pe|sinusoid|(.*_)?table", "axis": "coordinate", "index": "eigenvalue", "from": "m"}  # what the tools write side by side
NO_TEXT = "is neither text nor a format that is known: CSV, HDF5, NPY, NPZ, safetensors or JSON"


def as_numbers(texts):
    """A column as numbers, or None where a cell is no number; an empty cell is none that is known."""
    try:
        return numpy.array([float(text) if text else numpy.nan for text in texts])
    except ValueError:
        return None


def quick(lines, comma):
    """All cells as numbers by the fast road, or None where a cell is none."""
    try:
        return numpy.loadtxt(io.StringIO("\n".join(lines)), delimiter=comma, ndmin=2, comments=None)
    except ValueError:
        return None


def table(text, origin):
    """(header, columns: arrays of numbers or lists of texts)."""
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if line and not line.startswith("#")]
    if not lines:
        raise Fault(f"{origin} is empty: expected CSV with a header line")
    if not lines[0].replace("\t", "").isprintable():
        raise Fault(f"{origin} {NO_TEXT}")
    comma = next((mark for mark in ",\t;" if mark in lines[0]), ",")
    header = next(csv.reader(lines[:1], delimiter=comma))
    if twice := doubled(header):
        raise Fault(f"{origin}: two columns are called {twice!r}: which of them is meant, nothing says")
    if len(lines) == 1:
        raise Fault(f"{origin} has a header and no rows")
    if as_numbers(header) is not None:
        raise Fault(f"{origin} begins with numbers: expected a header line such as position,pe_0,pe_1")
    values = quick(lines[1:], comma)
    if values is not None and values.shape[1] == len(header):
        return header, list(values.T)
    rows = list(csv.reader(lines[1:], delimiter=comma))
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise Fault(f"{origin}, line {number}: {len(row)} cell{'s' * (len(row) != 1)} where the header has {len(header)}")
    columns = []
    for texts in zip(*rows):
        numbers = as_numbers(texts)
        if numbers is None and as_numbers([next(text for text in texts if text)]) is not None:  # it began with numbers
            line, cell = next((n, text) for n, text in enumerate(texts, 2) if as_numbers([text]) is None)
            raise Fault(f"{origin}, line {line}: {cell!r} is no number")
        columns.append(list(texts) if numbers is None else numbers)
    if all(isinstance(column, list) for column in columns) and not any(map(labels.is_known, header)):  # YAML, a log, prose
        raise Fault(f"{origin} has no column of numbers: expected CSV as the tools write it, HDF5, NPY, NPZ, safetensors or JSON")
    return header, columns


def distinct(column):
    """(places, index of each row): numbers rise, texts stay in their order."""
    if isinstance(column, list):
        places = list(dict.fromkeys(column))
        index = {text: i for i, text in enumerate(places)}
        return places, numpy.array([index[text] for text in column])
    return numpy.unique(column, return_inverse=True)


def grid(header, columns):
    """The axes that the first columns spell as a whole grid, each with all its places; empty where they spell none."""
    period, axes = len(columns[0]), []
    for name, column in zip(header[:-1], columns[:-1]):
        if period == 1 and axes:
            if name in labels.PLACES and all(place == column[0] for place in column):
                axes.append(Axis(name, column[:1]))
                continue
            break
        codes = distinct(column)[1]
        block = codes[:period]
        starts = numpy.flatnonzero(numpy.diff(block, prepend=-1))
        length = period // len(starts)
        whole = (len(set(block[starts])) == len(starts) and length * len(starts) == period and (starts == length * numpy.arange(len(starts))).all()
                 and (codes.reshape(-1, period) == block).all())
        if not whole:
            return []
        places = [column[s] for s in starts]
        axes.append(Axis(name, places if isinstance(column, list) else numpy.array(places)))
        period = length
    return axes if period == 1 else []


def across(name, axes):
    """What columns NAME_0, NAME_1, … stand side by side along."""
    if axes and axes[-1].name == "query":
        return "key"
    return next((axis for axis, names in ACROSS.items() if re.fullmatch(names, name)), "column")


def side_by_side(header, columns):
    """(name, its numbers, their columns) of what stands in columns of its own: of the tools' own fields some may be left out, of others none, for distance_50,
    distance_90 and distance_99 are three quantities; (name, None, the column) of the others, in their order."""
    groups = {}
    for index, (name, column) in enumerate(zip(header, columns)):
        numbered = not isinstance(column, list) and re.fullmatch(r"(.+)_(-?\d+)", name)
        groups.setdefault((numbered[1], True) if numbered else (name, False), []).append((index, int(numbered[2]) if numbered else None))
    found = []
    for (name, _), members in groups.items():
        places, numbers = zip(*members)
        own = name in labels.GENERATED or any(re.fullmatch(names, name) for names in ACROSS.values())
        whole = numbers == tuple(range(len(numbers))) or own and None not in numbers and len(set(numbers)) == len(numbers) > 1
        if whole and name not in header:
            found.append((places[0], name, numbers, [columns[place] for place in places]))
        else:
            found += [(place, header[place], None, columns[place]) for place in places]
    return [entry[1:] for entry in sorted(found, key=lambda entry: entry[0])]


def wide(header, columns, axes):
    """Columns name_0, name_1, … are one field of one axis more; the others are fields by themselves."""
    shape, fields = [len(axis) for axis in axes], []
    for name, numbers, told in side_by_side(header[len(axes):], columns[len(axes):]):
        if numbers is None:
            fields.append(Field(name, list(axes), numpy.array(told, object if isinstance(told, list) else float).reshape(shape)))
        else:
            fields.append(Field(name, [*axes, Axis(across(name, axes), numpy.array(numbers))], numpy.stack(told, -1).reshape(*shape, -1)))
    return fields


def scattered(header, columns, origin):
    """Rows that are no whole grid: first columns of texts, or known as places, say where; what no row tells is not a number."""
    count = 0
    while count < len(header) - 1 and (isinstance(columns[count], list) or header[count] in labels.PLACES):
        count += 1
    if not count:
        raise Fault(f"{origin}: the first column, {header[0]!r}, repeats itself and is not known as a place")
    places, indices = zip(*(distinct(column) for column in columns[:count]))
    axes = [Axis(name, p) for name, p in zip(header, places)]
    if count == 1 and header[0] in ("position", "relative_position") and len(places[0]) < len(columns[0]):
        # a padded or a packed batch: rows in their own order, as the other formats give them
        axes, indices, places = [Axis(header[0], columns[0])], [numpy.arange(len(columns[0]))], [columns[0]]
    told = numpy.ravel_multi_index(indices, [len(p) for p in places])
    if len(numpy.unique(told)) < len(told):
        raise Fault(f"{origin}: two rows stand at the same {', '.join(header[:count])}")
    filled = []
    for column in columns[count:]:
        words = isinstance(column, list)
        array = numpy.full(numpy.prod([len(p) for p in places]), "" if words else numpy.nan, object if words else float)
        array[told] = column
        filled.append(list(array) if words else array)
    return wide(header, [None] * count + filled, axes)


def fields_of(text, origin):
    header, columns = table(text, origin)
    if len(header) == 1:  # nothing says where its numbers stand but their order
        axis = counted("row", len(columns[0])) if len(columns[0]) > 1 else single()
        return [Field(header[0], [axis], numpy.array(columns[0], object if isinstance(columns[0], list) else float))]
    axes = grid(header, columns)
    return wide(header, columns, axes) if axes else scattered(header, columns, origin)

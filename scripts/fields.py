# Reads CSV and HDF5, as the tools write them, into fields: named arrays with named axes.
import csv
import dataclasses
import io
import re

import numpy

# Columns that say where a number stands, if they come first: those of pe-gen and pe-apply, then those of pe-analyze. A column of texts does, too.
AXES = {"position", "dim", "pair", "head", "query", "key", "relative_position", "axis", "row", "column", "batch", "part", "channel",
        "distance", "length"}
SECOND_AXIS = {"pe": "dim", "cos": "pair", "sin": "pair"}


class Fault(Exception):
    """An input that cannot be read: one line for the user."""


@dataclasses.dataclass
class Field:
    name: str
    axes: list  # their names, outermost first
    coordinates: list  # one array for each axis: numbers, or texts
    values: numpy.ndarray
    attributes: dict = dataclasses.field(default_factory=dict)


def cells_of(text, origin):
    """(header, rows of texts) of CSV in which a column holds texts."""
    rows = [row for row in csv.reader(io.StringIO(text)) if row and not row[0].startswith("#")]
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise Fault(f"{origin}, line {number}: {len(row)} cells where the header has {len(rows[0])}")
    if len(rows) < 2 or len(rows[0]) < 2:
        raise Fault(f"{origin} has {len(rows)} rows and {len(rows[0]) if rows else 0} columns: expected CSV with a header line")
    return rows[0], rows[1:]


def as_numbers(texts):
    """A column as numbers, or None where a cell is no number."""
    try:
        return numpy.array([float(text) if text else numpy.nan for text in texts])
    except ValueError:
        return None


def place_in(column):
    """(coordinates, index of each) of a column: numbers rise, texts stay in their order."""
    if not isinstance(column[0], str):
        return numpy.unique(column, return_inverse=True)
    names = list(dict.fromkeys(column))
    return names, numpy.array([names.index(text) for text in column])


def records(header, rows, origin):
    """One row per point of named axes: what comes first and is text or the name of an axis says where; other texts are left out."""
    columns = [as_numbers(texts) for texts in zip(*rows)]
    axes = 0
    while axes < len(header) - 1 and (columns[axes] is None or header[axes] in AXES):
        axes += 1
    first = [[row[a] for row in rows] if columns[a] is None else columns[a] for a in range(axes)]
    if not axes:
        raise Fault(f"{origin}: neither is the first column, {header[0]!r}, of texts nor the name of an axis")
    coordinates, places = zip(*(place_in(column) for column in first))
    fields = []
    for name, column in zip(header[axes:], columns[axes:]):
        if column is None:
            continue
        array = numpy.full([len(c) for c in coordinates], numpy.nan)
        array[places] = column
        fields.append(Field(name, header[:axes], list(coordinates), array))
    if not fields:
        raise Fault(f"{origin} holds words alone: there is nothing to draw")
    return fields


def numbers(text, origin):
    """(header, values) of CSV text."""
    lines = [(number, line) for number, line in enumerate(text.rstrip().splitlines(), 1) if not line.startswith("#")]
    if not lines:
        raise Fault(f"{origin} is empty: expected CSV with a header line")
    header = lines[0][1].split(",")
    if not lines[0][1].isprintable():
        raise Fault(f"{origin} is not text: expected CSV, or HDF5 in a file that ends in .h5 or .hdf5")
    if len(lines) == 1:
        raise Fault(f"{origin} has a header and no rows")
    if len(header) < 2:
        raise Fault(f"{origin} has one column, {header[0]!r}: expected a header such as position,pe_0,pe_1")
    for number, line in lines:
        cells = line.count(",") + 1
        if cells != len(header):
            raise Fault(f"{origin}, line {number}: {cells} cells where the header has {len(header)}")
    rows = [line for _, line in lines[1:]]
    try:
        return header, numpy.loadtxt(io.StringIO("\n".join(rows)), delimiter=",", ndmin=2, comments=None)
    except ValueError as error:
        cell = re.search(r"could not convert string (.*?) to float64 at row (\d+)", str(error))
        what = f"line {lines[int(cell[2]) + 1][0]}: {cell[1]} is no number" if cell else error
        raise Fault(f"{origin}, {what}") from None


def tidy(header, values, axes):
    """One row per element becomes an array with that many axes."""
    coordinates, places = zip(*(numpy.unique(values[:, a], return_inverse=True) for a in range(axes)))
    fields = []
    for column in range(axes, len(header)):
        array = numpy.full([len(c) for c in coordinates], numpy.nan)
        array[places] = values[:, column]
        fields.append(Field(header[column], header[:axes], list(coordinates), array))
    return fields


def wide(header, values):
    """One row per index of the first axis; columns name_0, name_1, … become one field of two axes."""
    groups = {}
    for column, name in enumerate(header[1:], 1):
        numbered = re.fullmatch(r"(.+)_(\d+)", name)
        groups.setdefault(numbered[1] if numbered else name, []).append((column, numbered and int(numbered[2])))
    fields = []
    for name, members in groups.items():
        columns, indices = zip(*members)
        if None in indices:
            fields.append(Field(name, header[:1], [values[:, 0]], values[:, columns[0]]))
        else:
            second = SECOND_AXIS.get(name, "column")
            fields.append(Field(name, [header[0], second], [values[:, 0], numpy.array(indices)], values[:, columns]))
    return fields


def holds_texts(text):
    """A cell of the first rows is no number: quoted, or letters that spell no number."""
    lines = [line for line in text.splitlines()[:64] if not line.startswith("#")][1:]
    return any(as_numbers([cell]) is None for row in csv.reader(lines[:1]) for cell in row)


def from_csv(text, origin):
    first = text[:4096].lstrip().partition("\n")[0]
    if first.isprintable() and first.split(",")[0].strip('"').replace("_", "").isalpha() and holds_texts(text):
        return records(*cells_of(text, origin), origin)
    header, values = numbers(text, origin)
    axes = 0
    while axes < len(header) - 1 and header[axes] in AXES:
        axes += 1
    return tidy(header, values, axes) if axes > 1 else wide(header, values)


def text_attributes(node):
    return {k: v.decode() if isinstance(v, bytes) else v for k, v in node.attrs.items()}


def axis_of(dataset, index):
    """(name, coordinates) of one axis, from its dimension scale where there is one."""
    dimension = dataset.dims[index]
    size = dataset.shape[index]
    if len(dimension):
        scale = dimension[0]
        places = scale[()]
        if places.dtype.kind == "S":
            places = [place.decode() for place in places]
        return scale.name.rsplit("/", 1)[-1], places
    return dimension.label or f"axis {index}", numpy.arange(size)


def from_hdf5(path):
    import h5py
    try:
        with h5py.File(path, "r") as file:
            shared, fields = text_attributes(file), []
            for dataset in file.values():
                if not isinstance(dataset, h5py.Dataset) or not dataset.shape or h5py.h5ds.is_scale(dataset.id):
                    continue
                if "flag_meanings" in dataset.attrs:  # words
                    continue
                names, coordinates = zip(*(axis_of(dataset, a) for a in range(dataset.ndim)))
                name = dataset.name.rsplit("/", 1)[-1]
                values = numpy.asarray(dataset[()], float)
                fields.append(Field(name, list(names), list(coordinates), values, {**shared, **text_attributes(dataset)}))
    except OSError as error:
        raise Fault(f"{path} is not readable as HDF5: {str(error).split('(')[-1].rstrip(')')}") from None
    if not fields:
        raise Fault(f"{path} holds no dataset with an axis")
    return fields


def read(path, stdin):
    """The fields of a file, or of CSV on `stdin` when the path is `-`."""
    if path == "-":
        return from_csv(stdin.read(), "stdin")
    if str(path).endswith((".h5", ".hdf5")):
        open(path, "rb").close()  # a missing file is an ordinary error, not HDF5's
        return from_hdf5(path)
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return from_csv(file.read(), path)

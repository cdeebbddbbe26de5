# Reads what the tools write, from files and standard input, by what a file begins with and not by its name.
import os

import numpy

from plot import columns, containers, csv_text, labels, style
from plot.field import Axis, Fault

STARTS = [(b"\x89HDF\r\n\x1a\n", "HDF5", containers.from_hdf5), (b"\x93NUMPY", "NPY", containers.from_npy),
          (b"PK\x03\x04", "NPZ", containers.from_npz), (b"PK\x05\x06", "NPZ", containers.from_npz), (b"{", "JSON", containers.from_json),
          (b"[", "JSON", containers.from_json)]
# What holds no arrays, or not as it lies.
OTHERS = [(b"\x1f\x8b", "is packed by gzip: gunzip it first"), (b"BZh", "is packed by bzip2: bunzip2 it first"), (b"\xfd7zXZ", "is packed by xz: unxz it first"),
          (b"\x80\x04", "is a pickle: numpy.save writes its arrays for others"), (b"\x80\x02", "is a pickle: numpy.save writes its arrays for others"),
          (b"PAR1", "is Parquet: pandas.read_parquet and to_csv write it for others"), (b"\x28\xb5\x2f\xfd", "is packed by zstd: unzstd it first"), (b"\x89PNG", "is a picture already"), (b"%PDF", "is a PDF already"),
          (b"<svg", "is a picture already"), (b"<?xml", "is a picture, or a report: arrays are drawn here"), (b"<!", "is a page: a browser shows it"),
          (b"GGUF", "is GGUF: pe-gen --config {} | pe-plot draws what it says of positions")]
MOST_WORDS = 3  # of what one of several inputs is of
# Columns that reports of pe-verify have, and nothing that is drawn.
REPORTED = {"exit_code", "worst", "bound", "residual_before", "residual_after"}
# What a name promises, where it promises something.
PROMISED = {".h5": "HDF5", ".hdf5": "HDF5", ".npy": "NPY", ".npz": "NPZ", ".safetensors": "safetensors", ".json": "JSON"}


def reader_of(data):
    """(the format's name, its reader); None where the data begin as no format does."""
    for start, name, reader in STARTS:
        if data.startswith(start):
            return name, reader
    if data[8:9] == b"{" and int.from_bytes(data[:8], "little") <= len(data):
        return "safetensors", containers.from_safetensors
    return None


def is_table(data):
    """Whether it begins with a line of text that is parted as a table's header is."""
    line = data[:4096].split(b"\n")[0].decode("utf-8", "replace").strip("\ufeff\r")
    return line.replace("\t", "").isprintable() and "\ufffd" not in line and any(mark in line for mark in ",\t;")


def read(path, stdin):
    """The fields of a file, or of standard input when the path is `-`."""
    origin = "stdin" if path == "-" else path
    if path == "-":
        try:
            data = stdin.buffer.read()
        except OSError as error:
            raise Fault(f"cannot read stdin: {error.strerror}") from None
    else:
        with open(path, "rb") as file:
            data = file.read()
    if not data and path != "-":
        raise Fault(f"{origin} is empty")
    if says := next((says for start, says in OTHERS if data.startswith(start)), None):
        raise Fault(f"{origin} {says.format(origin)}")
    found = reader_of(data)
    if not found and not is_table(data) and (promised := PROMISED.get(os.path.splitext(path)[1].lower())):
        raise Fault(f"{path} does not begin as {promised} does")
    if not found:
        return no_report(csv_text.fields_of(data.decode("utf-8", "surrogateescape"), origin), origin)
    try:
        fields = found[1](data, origin)
    except Fault:
        raise
    except Exception as error:  # whatever a library says of a damaged file
        what = " ".join(str(error).split()) or type(error).__name__
        if "Object arrays" in what:
            raise Fault(f"{origin} holds Python objects, not an array of numbers") from None
        raise Fault(f"{origin} is no whole {found[0]} file of these tools: {what}") from None
    if not fields:
        raise Fault(f"{origin} holds no array")
    return no_report(fields, origin)


def no_report(fields, origin):
    if {field.name for field in fields} >= REPORTED:
        raise Fault(f"{origin} is a manifest or a report of pe-verify, and holds no arrays")
    return fields


def stand_somewhere(fields, origin):
    """Places are numbers: what stands nowhere cannot be drawn."""
    for field in fields:
        for axis in field.axes:
            if not axis.named and not numpy.isfinite(axis.places).all():
                raise Fault(f"{origin}: {axis.name} says where numbers stand, and holds nan or inf")
    return fields


def tell_quantity(fields):
    """Tables without a provenance tell by their columns which quantity of pe-analyze they are."""
    if not any(field.about for field in fields) and (quantity := columns.quantity_of(fields)):
        fields = [field for field in fields if field.name != columns.TWICE.get(quantity)]
        for field in fields:
            field.about = {"parameter.quantity": quantity}
    elif any(field.about.get("tool") == "pe-analyze" and field.about.get("source") == "data/published.csv" for field in fields):
        for field in fields:
            field.about = field.about | {"parameter.quantity": "published"}
    return columns.in_order(fields)


def name_coordinates(fields):
    """The axes that a position has coordinates along, by their names."""
    for field in fields:
        if field.name != "coordinate" or field.axes[-1].name != "axis" or field.axes[-1].named:
            continue
        names = labels.COORDINATES.get(str(field.about.get("encoding", "")), ["row", "column"] if len(field.axes[-1]) == 2 else [])
        names = names or [f"axis {place:g}" for place in field.axes[-1].places]  # time, height and width, or frame, row and column: CSV does not say
        if len(field.axes[-1]) == len(names):
            field.axes = [*field.axes[:-1], Axis("axis", names)]
    return fields


def told_apart(paths):
    """What each input is called: by its name, by its whole path where names are alike, and counted where these are."""
    stems = ["stdin" if path == "-" else os.path.basename(path).rsplit(".", 1)[0] for path in paths]
    names = [path if stems.count(stem) > 1 else stem for path, stem in zip(paths, stems)]
    return [f"{name} ({names[:index].count(name) + 1})" if names.count(name) > 1 else name for index, name in enumerate(names)]


def own_words(inputs):
    """What the provenance of each of several inputs says that not all of them say."""
    abouts = [next((field.about for field in fields if "encoding" in field.about), {}) for fields in inputs]
    told = [[about["encoding"], *style.told(about, ("versus",))] if about else [] for about in abouts]
    return [[word for word in words if word and not all(word in others for others in told if others)][:MOST_WORDS] for words in told]


def read_all(paths, stdin):
    """The fields of each input; where there are several, each knows which is its own, and what it alone is of."""
    if paths.count("-") > 1:
        raise Fault("standard input can be read once")
    inputs = [stand_somewhere(name_coordinates(tell_quantity(read(path, stdin))), "stdin" if path == "-" else path) for path in paths]
    for path, fields, source, words in zip(paths, inputs, told_apart(paths), own_words(inputs)):
        for field in fields:
            field.file = "" if path == "-" else os.path.basename(path).rsplit(".", 1)[0]
            field.source = source + (f" ({', '.join(map(str, words))})" if words else "") if len(paths) > 1 else ""
    return [field for fields in inputs for field in fields]

# Fields from the binary formats of the tools, and from JSON: their names, axes, descriptions and provenance.
import io
import json
import struct
import zipfile

import numpy

from plot import columns
from plot.field import Axis, Fault, Field, counted, doubled, single

# NPY, NPZ and safetensors name no axes: those of the fields that the tools know by name, innermost last.
AXES = {"cos": ["position", "pair"], "sin": ["position", "pair"], "pe": ["position", "dim"], "bias": ["head", "query", "key"],
        "logits": ["batch", "head", "query", "key"], "attention": ["batch", "head", "query", "key"], "inv_freq": ["pair"],
        "wavelength": ["pair"], "slope": ["head"], "bucket": ["relative_position"]}
AXES.update({name: ["position", "pair"] for name in ("query_cos", "query_sin", "key_cos", "key_sin", "cos_k", "sin_k", "query_scale", "key_scale")})
# The same of names that anybody may use: only where the file says that these tools wrote it.
OWN_AXES = {"ratio": ["pair"], "angle": ["position", "pair"], "coordinate": ["position", "axis"], "matrix": ["position", "row", "column"],
            "drift": ["position"], "sinusoid": ["relative_position", "dim"],
            **dict.fromkeys(("index", "argument"), ["query", "key"]), **dict.fromkeys(("r1", "r2", "compression"), ["head"]),
            **dict.fromkeys(("table", "row_table", "column_table", "value_table"), ["head", "bucket", "dim"])}
GRIDS = {1: ["row", "column"], 2: ["frame", "row", "column"]}  # in the place of a position, by the axes that there are more
AXES["complex"] = ["position", "pair", "part"]
AXES.update({name: ["batch", "head", "position", "dim"] for name in ("q", "k", "v", "q_out", "k_out", "out")})


def nameless(name, values, about):
    """A field of an array that names no axes."""
    if not values.ndim:
        return Field(name, [single()], numpy.asarray(values, float)[None], about=about)
    plain = name.removesuffix(".re").removesuffix(".im")
    known = AXES.get(plain) or (OWN_AXES.get(plain, []) if "encoding" in about else [])
    if known[:1] == ["position"] and "encoding" in about and values.ndim - len(known) in GRIDS:
        known = GRIDS[values.ndim - len(known)] + known[1:]
    known = known[-values.ndim:]
    names = [f"axis {i}" for i in range(values.ndim - len(known))] + known
    values = numpy.asarray(values, float)
    return Field(name, [counted(axis, size) for axis, size in zip(names, values.shape)], values, about=about)


def bfloat16(bits):
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)


def usable(values, name, origin):
    """An array that can be drawn, of numbers."""
    if values.dtype.kind not in "fiub":
        raise Fault(f"{origin}: {name} is of type {values.dtype}: only real numbers are drawn")
    return True


def parted(name, values):
    """(name, real numbers): complex ones as two arrays, but for pe-gen's own, whose turns are drawn on the circle by a last axis of parts."""
    if values.dtype.kind != "c":
        return [(name, values)]
    if name == "complex":
        return [(name, numpy.stack([values.real, values.imag], -1))]
    return [(f"{name}.re", values.real), (f"{name}.im", values.imag)]


def from_npy(data, origin):
    values = numpy.load(io.BytesIO(data), allow_pickle=False)
    return [nameless(name, part, {}) for name, part in parted("values", values) if usable(part, "it", origin)]


def about_of(told):
    """A provenance as one level of names, as HDF5 has its attributes."""
    about = {key: value for key, value in told.items() if isinstance(value, str)}
    for name, entry in told.get("parameters", {}).items():
        about |= {f"parameter.{name}": entry["value"], f"parameter.{name}.origin": entry.get("origin", "")}
    return about


def about_in(text):
    """The provenance that stands in a text of JSON, of these tools or of nobody we know."""
    try:
        told = json.loads(text)
        return about_of(told.get("provenance", told))
    except (ValueError, AttributeError, KeyError, TypeError):
        return {}


def from_npz(data, origin):
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        about = about_in(file.comment)
        names = [name.removesuffix(".npy") for name in file.namelist() if name.endswith(".npy")]
    arrays = numpy.load(io.BytesIO(data), allow_pickle=False)
    loaded = [part for name in names for part in parted(name, arrays[name])]
    return [nameless(name, values, about) for name, values in loaded if usable(values, name, origin)]


SAFETENSORS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1",
               "BOOL": "?", "C64": "<c8"}


def from_safetensors(data, origin):
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    about, fields = header.pop("__metadata__", {}), []
    about = about | about_in(about.get("provenance", ""))
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        if entry["dtype"] not in SAFETENSORS:
            raise Fault(f"{origin}: {name} is of type {entry['dtype']}, which is not drawn")
        values = numpy.frombuffer(data[8 + size + first:8 + size + last], SAFETENSORS[entry["dtype"]]).reshape(entry["shape"])
        fields += [nameless(own, part, about) for own, part in parted(name, bfloat16(values) if entry["dtype"] == "BF16" else values)]
    return fields


def json_axis(axis):
    if "labels" in axis:
        return Axis(axis["name"], list(axis["labels"]))
    if "values" in axis:
        return Axis(axis["name"], numpy.array(axis["values"], float))
    return counted(axis["name"], axis["count"], axis["first"], axis["step"])


def once(pairs):
    """An object of JSON, each of whose names stands in it once: of two, one would be lost."""
    names = [name for name, _ in pairs]
    if twice := doubled(names):
        raise Fault(f"it names {twice!r} twice, and one would be lost")
    return dict(pairs)


def from_json(data, origin):
    try:
        document = json.loads(data, object_pairs_hook=once)
    except Fault as fault:
        raise Fault(f"{origin}: {fault}") from None
    if isinstance(document, dict) and "model_type" in document:
        raise Fault(f"{origin} is a model's config: pe-gen --config {origin} | pe-plot draws what it means")
    if isinstance(document, dict) and "checks" in document:
        raise Fault(f"{origin} is a manifest or a report of pe-verify, and holds no arrays")
    if not isinstance(document, dict) or not isinstance(document.get("fields"), dict):
        raise Fault(f"{origin} is JSON of other tools: there is no object \"fields\" in it")
    about = about_of(document.get("provenance", {}))
    fields = []
    for name, entry in document["fields"].items():
        axes = [json_axis(axis) for axis in entry["axes"]]
        try:
            values = numpy.array(entry["values"], float)
        except ValueError:
            values = numpy.array(entry["values"], object)
            values[values == None] = ""  # noqa: E711  cell by cell
        axes = axes or [single()]
        fields.append(Field(name, axes, values.reshape([len(axis) for axis in axes]), entry.get("description", ""), about))
    return fields


def attributes(node):
    return {key: value.decode() if isinstance(value, bytes) else value for key, value in node.attrs.items()}


def hdf5_axis(dataset, index):
    """One axis, from its dimension scale where there is one."""
    dimension = dataset.dims[index]
    if not len(dimension):
        return counted(dimension.label or f"axis {index}", dataset.shape[index])
    places = dimension[0][()]
    return Axis(dimension[0].name.rsplit("/", 1)[-1], [p.decode() for p in places] if places.dtype.kind == "S" else places)


def hdf5_values(dataset):
    values = dataset[()]
    if "flag_meanings" not in dataset.attrs:
        return values if values.dtype.kind == "c" else numpy.asarray(values, float)
    words = dataset.attrs["flag_meanings"]
    words = [w.decode() if isinstance(w, bytes) else str(w) for w in (words.split() if isinstance(words, (str, bytes)) else words)]
    return numpy.array([words[v] if 0 <= v < len(words) else "" for v in values.ravel()], object).reshape(values.shape)


def from_hdf5(data, origin):
    import h5py
    fields = []
    with h5py.File(io.BytesIO(data), "r") as file:
        shared = attributes(file)
        shared |= about_in(shared.get("provenance", ""))
        every = []  # of groups, too
        file.visititems(lambda _, node: every.append(node))
        for dataset in every:
            if isinstance(dataset, h5py.Dataset) and dataset.shape is not None and not h5py.h5ds.is_scale(dataset.id):
                axes = [hdf5_axis(dataset, a) for a in range(dataset.ndim)] or [single()]
                about = attributes(dataset)
                values = hdf5_values(dataset)
                for name, part in parted(dataset.name.removeprefix("/"), values if dataset.shape else values[None]):
                    parts = [counted("part", 2)] * (part.ndim - len(axes))
                    fields.append(Field(name, axes + parts, numpy.asarray(part, part.dtype if part.dtype == object else float), str(about.get("long_name", "")), shared))
    return columns.as_asked(fields)

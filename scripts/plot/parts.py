# The parts of fields that are drawn: what the command asks for, and what a picture has room for.
import dataclasses

import numpy

from plot import tables
from plot.field import Fault
from plot.style import asking, place_number, place_text


# Kinds that need all of their axes, be there one place along them.
NEEDED = {"fragile": {"distance"}, "rotors": {"position", "pair", "k", "part"}, "wavelengths": {"pair"}, "reach": {"length"}, "bound": {"length"},
          "turns": {"pair"}, "fits": {"k"}}


def drop_single(field, kind=""):
    """Axes of one entry, such as a batch of one, are left out while others stay."""
    for index in reversed(range(field.values.ndim)):
        if field.values.ndim > 1 and len(field.axes[index]) == 1 and field.axes[index].name not in NEEDED.get(kind, ()):
            field = field.at(index, 0)
    return field


def empty(field):
    return field.values == "" if field.words else numpy.isnan(field.values)


def drop_implied(fields):
    """Subjects that have one row of names each, as each encoding has itself: the names that the subjects imply are left out."""
    if not all(field.values.ndim > 1 and field.axes[0].named and field.axes[1].named for field in fields):
        return fields
    told = ~numpy.all([empty(field) for field in fields], 0)
    told = told.reshape(*told.shape[:2], -1).any(-1)
    if (told.sum(1) != 1).any():
        return fields
    where = told.argmax(1)
    return [dataclasses.replace(f, axes=[f.axes[0], *f.axes[2:]], values=f.values[numpy.arange(len(where)), where]) for f in fields]


def first_parts(field):
    """A field of more than three axes at the first place of its outer ones, and what that is: a picture shows three at most."""
    said, ask = [], ""
    while field.values.ndim > 3:
        axis = field.axes[0]
        said.append(f"{place_text(axis, 0)} of {len(axis)}")
        ask = ask or asking(axis, 1)
        field = field.at(0, 0)
    return dataclasses.replace(field, shown=", ".join(said), ask=ask) if said else field


def over_image(field):
    """Whether it is a table over an image grid, whose columns stand along its third axis."""
    return [axis.name for axis in field.axes[:2]] == ["row", "column"] and len(field.axes) == 3


def as_maps(field):
    """A table over an image grid as one map for each of some channels: rows downwards, columns to the right, as the image lies."""
    if not over_image(field) or field.axes[2].name != "dim":
        return field
    size = len(field.axes[2])
    some = numpy.unique(numpy.linspace(0, size - 1, min(size, tables.MOST_PANELS)).round().astype(int))
    shown = ", ".join(filter(None, [field.shown, f"{len(some)} of {size} channels" if len(some) < size else ""]))
    return dataclasses.replace(field.moved(2, 0).part(0, some), shown=shown, ask=field.ask or (asking(field.axes[2], 1) if len(some) < size else ""))


def place_of(axis, text):
    """The index of a place that is named by a text."""
    for index, place in enumerate(axis.places):
        if str(place) == text or not axis.named and text.lstrip("-").replace(".", "", 1).isdigit() and float(text) == place:
            return index
    told = axis.places if len(axis) <= 6 else [*axis.places[:5], axis.places[-1]]
    named = [str(p) if axis.named else place_number(p) for p in told]
    shown = ", ".join(named if len(axis) <= 6 else [*named[:5], "…", named[5]])
    raise Fault(f"--at {axis.name}={text}: its places are {shown}")


def at(fields, text):
    """The fields at AXIS=PLACE."""
    name, equals, place = text.partition("=")
    if not equals or all(field.axis(name) is None for field in fields):
        axes = list(dict.fromkeys(a.name for f in fields for a in f.axes))
        begun, _, rest = text.replace(":", "=").partition("=")
        near = [axis for axis in axes if begun and axis.startswith(begun)]
        hint = f": did you mean --at {near[0]}={rest}?" if len(near) == 1 and rest else f": write AXIS=PLACE; the axes are {', '.join(axes)}"
        raise Fault(f"--at {text}{hint}")
    return [field if (index := field.axis(name)) is None else held(field, index, place_of(field.axes[index], place)) for field in fields]


def held(field, index, place):
    """The field at a place that somebody chose, which its title tells."""
    return dataclasses.replace(field.at(index, place), held=(*field.held, (field.axes[index].name, place_text(field.axes[index], place), place)))


def columns(field, text):
    """The part of a field's last axis (of its first, when it has three that are no image's) that --columns names."""
    index = 2 if over_image(field) else 1 if field.values.ndim == 2 else 0
    size = len(field.axes[index])
    try:
        if ":" in text:
            wanted = numpy.arange(size)[slice(*(int(part) if part else None for part in text.split(":")))]
        else:
            wanted = numpy.arange(size)[[int(part) for part in text.split(",")]]
    except (ValueError, TypeError, IndexError):
        wanted = []
    if not len(wanted):
        such = "0" if size < 2 else f"{size // 2}:{size} or 0,{size - 1}"
        raise Fault(f"--columns {text or repr(text)} does not choose from {size} column{'s' * (size != 1)}: write {such}")
    return field.part(index, wanted)


def by_name(fields, text):
    """The fields that --field names."""
    names = text.split(",")
    there = list(dict.fromkeys(field.name for field in fields))
    for name in names:
        if name not in there:
            raise Fault(f"--field {name}: there are {', '.join(there)}")
    return [field for name in names for field in fields if field.name == name]

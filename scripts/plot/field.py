# What is drawn: named arrays along named axes, numbers or words, with what is known of where they come from.
import collections
import dataclasses

import numpy

from plot import labels


class Fault(Exception):
    """An input that cannot be read or drawn: one line for the user."""


@dataclasses.dataclass
class Axis:
    name: str
    places: object  # an array of numbers, or a list of texts

    @property
    def named(self):
        """Its places are texts."""
        return isinstance(self.places, list)

    def __len__(self):
        return len(self.places)

    def __eq__(self, other):
        return self.name == other.name and self.named == other.named and len(self) == len(other) and all(
            a == b for a, b in zip(self.places, other.places))


@dataclasses.dataclass
class Field:
    name: str
    axes: list  # of Axis, outermost first
    values: numpy.ndarray  # numbers, or texts (an array of objects)
    description: str = ""
    about: dict = dataclasses.field(default_factory=dict)  # the provenance that the file tells
    source: str = ""  # the file's name, where several are drawn
    file: str = ""  # the file's name, where it is no pipe
    shown: str = ""  # which part of the whole this is, where nobody chose it
    beside: str = ""  # what else a picture had no room for
    ask: str = ""  # the option that chooses another
    held: tuple = ()  # (axis, place as a title has it, its index) of each axis that --at holds still

    @property
    def words(self):
        return self.values.dtype == object

    @property
    def quantity(self):
        """Of pe-analyze, that this is a column of."""
        return str(self.about.get("parameter.quantity", ""))

    @property
    def label(self):
        return labels.label(self.name, self.quantity)

    def axis_label(self, index):
        return labels.axis_label(self.axes[index].name, self.quantity)

    def axis(self, name):
        """The place of an axis among the field's own, or None."""
        return next((i for i, axis in enumerate(self.axes) if axis.name == name), None)

    def at(self, index, place):
        """The field at one place of an axis, which goes."""
        axes, values = self.axes[:index] + self.axes[index + 1:], self.values.take(place, index)
        return dataclasses.replace(self, axes=axes or [single()], values=values if axes else numpy.array([values], self.values.dtype))

    def part(self, index, places):
        """The field at some places of an axis."""
        axis = self.axes[index]
        chosen = [axis.places[p] for p in places] if axis.named else axis.places[places]
        return dataclasses.replace(self, axes=[*self.axes[:index], Axis(axis.name, chosen), *self.axes[index + 1:]],
                                   values=self.values.take(places, index))

    def moved(self, index, to):
        """The field with one axis standing elsewhere."""
        axes = self.axes[:index] + self.axes[index + 1:]
        axes.insert(to % len(self.axes), self.axes[index])
        return dataclasses.replace(self, axes=axes, values=numpy.moveaxis(self.values, index, to))


def doubled(names):
    """The first name that stands there twice, or None."""
    return next((name for name, count in collections.Counter(names).items() if count > 1), None)


def single():
    """The axis of a number that stands alone."""
    return Axis("", [""])


def counted(name, size, first=0, step=1):
    return Axis(name, first + step * numpy.arange(size))

# How pictures look: colours, labels, scales and titles, for all kinds alike.
import shlex

import matplotlib
import numpy
from matplotlib import ticker

from plot import drawn, layouts, readings
from plot.field import Fault
from plot.labels import label

SHORT = {"pair": "pair", "dim": "dim", "relative_position": "offset"}  # before a number
WIDEST = 8.8  # inches: letters of 8 points are still read where a page shows the picture 480 pixels wide
INK, FAINT, GREY, ACCENT = "#2b2b33", "#d9d9e0", "#8a8a94", "#3b528b"
# Okabe and Ito's, told apart by eyes of every kind; the yellow is too pale for a line.
HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5b3a8e", "#333333"]
STYLE = {
    "figure.dpi": 100, "figure.constrained_layout.use": True, "figure.constrained_layout.w_pad": 0.09, "figure.constrained_layout.h_pad": 0.07, "font.size": 10, "text.color": INK, "axes.labelcolor": INK,
    "axes.edgecolor": GREY, "xtick.color": INK, "ytick.color": INK, "axes.titlesize": 10.5, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False, "grid.color": FAINT, "grid.linewidth": 0.7, "legend.frameon": False,
    "text.parse_math": False, "svg.hashsalt": "pe", "svg.fonttype": "none", "axes.axisbelow": True, "axes.formatter.limits": (-5, 7),
}


def place_number(place):
    """A place by its number: whole ones whole."""
    return f"{place:.0f}" if abs(place) < 1e15 and place == round(place) else f"{place:g}"


def place_text(axis, index):
    place = axis.places[index]
    return place if axis.named else f"{SHORT.get(axis.name, label(axis.name).split(' (')[0])} {place_number(place)}"


def place_name(axis, index):
    """A place as --at takes it."""
    return str(axis.places[index]) if axis.named else f"{axis.places[index]:.17g}"


def asking(axis, index):
    """The option that chooses a place of an axis, as a shell takes it."""
    return f"--at {shlex.quote(f'{axis.name}={place_name(axis, index)}')}"


def number(value):
    """A number as a picture has it: whole ones whole, others to four digits."""
    return f"{value:.0f}" if abs(value) < 1e7 and (value == round(value) or abs(value) >= 1e4) else f"{value:.4g}"


def hues(count):
    """One colour each: told apart up to eight, and up to sixteen with `dashes`; a ramp beyond."""
    return (HUES * 2)[:count] if count <= 2 * len(HUES) else list(matplotlib.colormaps["viridis"](numpy.linspace(0, 0.9, count)))


def dashes(number, count):
    return (0, (4, 1.5)) if len(HUES) <= number < count <= 2 * len(HUES) else "-"


def limits_of(arrays):
    """The least and the greatest finite number of all."""
    finite = numpy.concatenate([a[numpy.isfinite(a)].ravel() for a in arrays])
    if not len(finite):
        raise Fault("there is no finite number to draw")
    return float(finite.min()), float(finite.max())


def whole(places):
    places = numpy.asarray(places, float)
    return bool((places == numpy.rint(places)).all())


def tick_integers(axis_artist, places):
    """Ticks at whole numbers where the places are whole."""
    if whole(places):
        axis_artist.set_major_locator(ticker.MaxNLocator(integer=True, nbins="auto"))


def scale_for(values):
    """log where numbers of one sign span three decades or more; zeros among them are left out, and said to be."""
    finite = values[numpy.isfinite(values)]
    positive = finite[finite > 0]
    return "log" if len(positive) and (finite >= 0).all() and positive.max() / positive.min() >= 1000 else "linear"


def model_of(about):
    """The model that a command names."""
    try:
        words = shlex.split(str(about.get("command", "")))
    except ValueError:
        return ""
    return next((after for word, after in zip(words, words[1:]) if word == "--model"), "")


def told(about, implied=()):
    """What was said of the subject, as a title has it: parameters by flag, config or model."""
    model = model_of(about)
    parts = [model] if model else []
    for key, origin in about.items():
        if not (key.startswith("parameter.") and key.endswith(".origin")) or not str(origin).startswith("flag" if model else ("flag", "model", "config")):
            continue
        name, value = key[len("parameter."):-len(".origin")], about[key[:-len(".origin")]]
        if isinstance(value, (list, tuple)) or len(str(value)) > 24 or name in ("quantity", "output", *implied):
            continue
        said = {"True": name, "true": name, "False": f"not {name}", "false": f"not {name}"}.get(str(value))
        parts.append(said or f"{name} {str(value).removesuffix('.0')}")
    return parts


def range_of(fields, field, index):
    """An axis of a field with the places that it has: one subject of several may end before the others."""
    axis, text = field.axes[index], shortened(field.axis_label(index).split(" (")[0], 60)
    if axis.named or len(axis) < 2:
        return text
    there = numpy.zeros(len(axis), bool)
    for other in fields:
        if (own := other.axis(axis.name)) is not None and len(other.axes[own]) == len(axis):
            there |= numpy.ones(len(axis), bool) if other.words else ~numpy.isnan(numpy.moveaxis(other.values, own, 0)).reshape(len(axis), -1).all(1)
    places = axis.places[there] if there.any() else axis.places
    return f"{text} ({place_number(places[0])} … {place_number(places[-1])})"


def title_without(fields):
    """What numbers alone tell: the quantity that their columns are, or their names, and what they stand along."""
    files = list(dict.fromkeys(field.file for field in fields if field.file))
    prefix = " and ".join(files) if len(files) < 3 else ""
    subjects = next((axis.places for axis in fields[0].axes if axis.name == "subject" and axis.named), [])
    if fields[0].quantity and subjects:
        return ": ".join(filter(None, [prefix, of_subjects(fields[0].quantity, subjects)]))
    names = list(dict.fromkeys(shortened(field.label.split(" (")[0], 60) for field in fields))
    axes = list(dict.fromkeys(range_of(fields, field, index) for field in fields for index, axis in enumerate(field.axes) if axis.name))
    text = ", ".join(names[:4]) + (", …" if len(names) > 4 else "") + (f" by {listed(axes)}" if axes else "")
    known = "" if fields[0].quantity else readings.reading(fields, layouts.layout_of(fields[0]))
    if fields[0].quantity:
        return f"{fields[0].quantity}{' in ' if prefix else ''}{prefix}: {text}"
    return " · ".join(filter(None, [": ".join(filter(None, [prefix, text])), known]))


def of_subjects(quantity, subjects):
    return quantity + (f" of {listed(subjects)}" if len(subjects) < 5 else f" of {len(subjects)} subjects")


def shortened(text, most):
    return text if len(text) <= most else text[:most - 1] + "…"


def listed(texts):
    """One, two and three."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def held(fields, but=""):
    """The places that somebody chose with --at."""
    return list(dict.fromkeys(shortened(text, 60) for field in fields for axis, text, _ in field.held if axis != but))


def title_of(fields, given):
    """(what stands above the picture, in small below it): the subject and what was said of it, from the file's provenance."""
    if given is not None:
        return given, drawn.drawn(fields)
    fields = [field for field in fields if field.words or numpy.isfinite(field.values).any()] or fields  # others are not in the picture
    if not any("encoding" in field.about for field in fields):
        return " · ".join(filter(None, [title_without(fields), *held(fields), drawn.drawn(fields)])), ""
    about = fields[0].about
    encodings = list(dict.fromkeys(str(f.about["encoding"]).replace("all", "every encoding") for f in fields if "encoding" in f.about))
    quantity = about.get("parameter.quantity", "")
    subjects = next((axis.places for axis in fields[0].axes if axis.name == "subject"), []) or [text for axis, text, _ in fields[0].held if axis == "subject"]
    if quantity and subjects and "every encoding" not in encodings:  # each subject stands at its own curve, with what is its own
        return " · ".join(filter(None, [of_subjects(quantity, subjects), *held(fields, "subject"), drawn.drawn(fields)])), str(about.get("source", ""))
    encodings = ", ".join(filter(None, encodings))
    title = f"{quantity} of {encodings}" if quantity and encodings else encodings or f"{quantity} numbers"
    note = drawn.drawn(fields)
    implied = ["positions"] if any(axis.name == "length" for axis in fields[0].axes) else []  # one of several
    if note or all(field.name in drawn.COUNTED for field in fields):
        implied.append("seed")
    if len({f.source for f in fields}) == 1:
        title = " · ".join([title, *told(about, implied)[:5]])
    else:  # what all files are of; what one alone is of stands at its curves
        every = [told(f.about, implied) for f in fields]
        title = " · ".join([title, *[word for word in every[0] if all(word in words for words in every)][:5]])
    title = " · ".join(filter(None, [title, *held(fields, "subject" if subjects else ""), note]))
    return title, str(about.get("source", ""))

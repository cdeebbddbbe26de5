# Curves that are the same, or too many for eight colours: how they are told apart.
import numpy
from matplotlib import colors

from plot.style import HUES, dashes, hues

STROKES = ["-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5))]  # of subjects


SEEN = 0.004  # of the height of a panel: nearer curves lie on one another


def twins(drawn, rtol=1e-9, atol=0):
    """Curves that are the same everywhere, as lists of their numbers."""
    found = []
    for index, (_, places, values) in enumerate(drawn):
        alike = next((group for group in found if len(drawn[group[0]][1]) == len(places) and (drawn[group[0]][1] == places).all()
                      and numpy.allclose(drawn[group[0]][2], values, rtol=rtol, atol=atol, equal_nan=True)), None)
        if alike:
            alike.append(index)
        else:
            found.append([index])
    return found


def merged(drawn):
    """Curves of which those that are the same everywhere are one, with all their names."""
    return [(" = ".join(drawn[index][0] for index in group), *drawn[group[0]][1:]) for group in twins(drawn)] if all(text for text, _, _ in drawn) else drawn


def lying(drawn, scale):
    """Curves that lie on one another to the eye."""
    with numpy.errstate(divide="ignore", invalid="ignore"):
        bent = [(text, places, numpy.log10(values) if scale == "log" else values) for text, places, values in drawn]
    known = numpy.concatenate([values[numpy.isfinite(values)] for _, _, values in bent])
    return twins(bent, 0, SEEN * numpy.ptp(known)) if len(known) and numpy.ptp(known) > 0 else twins(drawn)


def looks_of(drawn, subjects, scale="linear"):
    """(colour, dashes) of each curve. Those of several subjects, where they are many, have a colour for each thing compared and dashes for each subject;
    those that lie on one another are dashed in turn, so that each is seen."""
    count = len(drawn)
    colours, strokes = hues(count), [dashes(index, count) for index in range(count)]
    inner = count // max(subjects, 1)
    many = count > len(HUES) and 1 < subjects <= len(STROKES) and inner * subjects == count and inner <= 2 * len(HUES)
    if many:
        colours = [tinted(index % inner) for index in range(count)]
        strokes = [STROKES[index // inner] for index in range(count)]
    for group in lying(drawn, scale):
        for turn, index in enumerate(group if len(group) > 1 else ()):
            dash = 4 + 3 * (group[0] // inner if many else 0)
            strokes[index] = (dash * turn, (dash, dash * (len(group) - 1)))
    return list(zip(colours, strokes))


def tinted(index):
    """A colour, from the ninth on a pale one."""
    colour = numpy.array(colors.to_rgb(HUES[index % len(HUES)]))
    return tuple(colour if index < len(HUES) else 0.45 + 0.55 * colour)

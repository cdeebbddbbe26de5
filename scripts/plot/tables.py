# Pictures of tables and matrices: colours, rows downwards, columns to the right.
import matplotlib
import numpy

from plot import alike
from plot.field import Fault
from plot.layouts import layout_of
from plot.names import letters, named
from plot.shades import shades_of
from plot.style import GREY, INK, WIDEST, asking, dashes, hues, place_number, place_text, tick_integers

MOST_PANELS = 12
ROOM = 0.8  # of a panel, before names and titles took theirs
OWN_SCALE = {"head", "batch", "subject"}
MOST_ROWS, MOST_COLUMNS = 64, 40  # of words


def even(axis):
    """Places that stand evenly, so that an image can carry them."""
    steps = numpy.diff(numpy.asarray(axis.places, float)) if not axis.named else numpy.array([])
    return not axis.named and (len(steps) < 2 or numpy.allclose(steps, steps[0]))


def edges(axis):
    """Half a cell beyond the first and the last place; counted where places are uneven or texts."""
    if not even(axis):
        return -0.5, len(axis) - 0.5
    places = numpy.asarray(axis.places, float)
    half = (places[-1] - places[0]) / (len(places) - 1) / 2 if len(places) > 1 else 0.5
    return float(places[0] - half), float(places[-1] + half)


def mark(axis_artist, axis):
    """Ticks that tell the places of an axis; names as many as there is room for, upright below a table where they would run into one another."""
    if even(axis):
        tick_integers(axis_artist, axis.places)
        return
    if not axis.named:
        shown = numpy.unique(numpy.linspace(0, len(axis) - 1, min(len(axis), 8)).round().astype(int))
        axis_artist.set_ticks(shown, [place_number(axis.places[i]) for i in shown])
        return
    box, below = axis_artist.axes.get_window_extent(), axis_artist.axis_name == "x"
    room = 72 / axis_artist.figure.dpi * (box.width if below else box.height) * ROOM
    size = 10 if len(axis) * 12 <= room else 7
    upright = below and max(map(letters, map(str, axis.places))) * 0.65 * size > room / len(axis)
    step = 1 if below and not upright else -(-len(axis) // max(int(room / (1.2 * size)), 1))
    shown = range(0, len(axis), step)
    axis_artist.set_ticks(shown, [str(axis.places[i]) for i in shown], fontsize=size, **({"rotation": 90} if upright else {}))


def image(axes, field, shades):
    """A matrix as matshow draws it; what is not finite stays grey."""
    name, norm = shades
    colours = matplotlib.colormaps[name].copy()
    colours.set_bad("#c9c9d2")
    left, right = edges(field.axes[1])
    top, bottom = edges(field.axes[0])
    drawn = axes.imshow(numpy.ma.masked_invalid(field.values), extent=(left, right, bottom, top), aspect="auto", cmap=colours, norm=norm,
                        interpolation="nearest")
    drawn.field = field  # pixels.settle looks whether it has room
    mark(axes.xaxis, field.axes[1])
    mark(axes.yaxis, field.axes[0])
    for side in axes.spines.values():
        side.set_visible(True)
    write_cells(axes, field, drawn)
    return drawn


def write_cells(axes, field, drawn):
    """The numbers of a small matrix, in its cells; nothing is written for 0 where that is white."""
    if field.values.size > 100 or max(field.values.shape) > 10 or not (even(field.axes[0]) and even(field.axes[1])) or axes.figure.axes[1:]:
        return
    for (row, column), found in numpy.ndenumerate(field.values):
        if numpy.isfinite(found) and (found or drawn.cmap.name != "RdBu_r"):
            ground = drawn.cmap(drawn.norm(found))
            ink = "white" if 0.3 * ground[0] + 0.59 * ground[1] + 0.11 * ground[2] < 0.5 else INK
            axes.text(field.axes[1].places[column], field.axes[0].places[row], f"{found:.3g}", ha="center", va="center", fontsize=7, color=ink)


def left_out(fields):
    """What the grey cells are."""
    values = numpy.concatenate([field.values.ravel() for field in fields])
    kinds = [name for name, there in (("−inf", numpy.isneginf(values)), ("inf", numpy.isposinf(values)), ("no number", numpy.isnan(values)))
             if there.any()]
    return f"grey: {', '.join(kinds)}" if kinds else ""


def bar(figure, drawn, panels, text, aspect=30):
    made = figure.colorbar(drawn, ax=panels, pad=0.015, aspect=aspect)
    made.set_label(text)
    if isinstance(made.formatter, matplotlib.ticker.ScalarFormatter):
        made.formatter.set_useOffset(False)
    made.outline.set_visible(False)
    return made


def panel_title(field, single):
    return "" if single else " · ".join(part for part in (field.source, field.label) if part)


def heatmap(plot, fields, options):
    """Tables side by side: one scale of colours where they hold the same quantity, else each its own."""
    if len(fields) > 6:
        raise Fault(f"{len(fields)} tables are too many side by side: choose with --field, one of {', '.join(dict.fromkeys(f.name for f in fields))}")
    columns = len(fields) if len(fields) < 4 else -(-len(fields) // 2)
    rows = -(-len(fields) // columns)
    shapes = [field.values.shape for field in fields]
    square = all(rows == columns for rows, columns in shapes)
    width = 4.6 if square else min(max(max(c / max(r, 1) for r, c in shapes) * 3.2, 4.2), 10 / columns)
    figure, panels = plot.subplots(rows, columns, figsize=(min(width * columns + 1.2, WIDEST), 4.4 if rows == 1 else 3.6 * rows), squeeze=False)
    together = len({field.name.removesuffix(".re").removesuffix(".im") for field in fields}) == 1 or any({field.name for field in fields} <= kin for kin in ({"cos", "sin"}, {"weight", "without"}))
    shared = shades_of(fields) if together else None
    for axes in panels.flat[len(fields):]:
        axes.set_visible(False)
    for axes, field in zip(panels.flat, fields):
        drawn = image(axes, field, shared or shades_of([field]))
        axes.set(xlabel=field.axis_label(1), ylabel=field.axis_label(0), title=panel_title(field, len(fields) == 1))
        if not together:
            bar(figure, drawn, axes, field.label if len(fields) == 1 else "")
    if together:
        bar(figure, drawn, panels.ravel().tolist(), fields[0].label if len({f.name for f in fields}) == 1 else "value")
    return figure, " · ".join(filter(None, [layout_of(fields[0]), left_out(fields)]))


def stack(plot, fields, options):
    """One image for each head (or what the first axis is). Heads differ by orders of magnitude, and what has names is of several kinds: each has a scale
    of its own. Frames, rows, positions and channels of one table share theirs: equal numbers look alike."""
    field, outer = fields[0], fields[0].axes[0]
    shown = min(len(outer), MOST_PANELS)
    columns = min(shown, 4)
    rows = -(-shown // columns)
    shared = None if outer.named or outer.name in OWN_SCALE or not outer.name else shades_of([field.part(0, range(shown))])
    figure, panels = plot.subplots(rows, columns, figsize=(min(2.9 * columns + 0.6, WIDEST), (2.5 if columns < 4 else 2) * rows + 0.8), sharex=True, sharey=True, squeeze=False)
    for index, axes in enumerate(panels.flat):
        if index >= shown:
            axes.set_visible(False)
            continue
        part = field.at(0, index)
        if numpy.isfinite(part.values).any():
            drawn = image(axes, part, shared or shades_of([part], [field]))
            if not shared:
                bar(figure, drawn, axes, "", aspect=18).ax.tick_params(labelsize=7)
        axes.set_title(place_text(outer, index), fontsize=9)
        axes.tick_params(labelbottom=index + columns >= shown)
        axes.set_xlabel(field.axis_label(2) if index + columns >= shown else "")
        axes.set_ylabel(field.axis_label(1) if index % columns == 0 else "")
    if shared:
        bar(figure, drawn, panels.ravel().tolist(), field.label)
    note = "" if shown == len(outer) else f"the first {shown} of {len(outer)}"
    return figure, " · ".join(filter(None, ["" if outer.name in ("dim", "channel") else field.label, note, left_out([field])]))


def waves(plot, fields, options):
    """Single columns of a table against its rows."""
    lines = [(field, index) for field in fields for index in range(len(field.axes[1]))]  # before those that are the same are one
    if len(lines) > 12:
        raise Fault(f"{len(lines)} columns are too many for waves: choose some with --columns 4:8")
    figure, axes = plot.subplots(figsize=(9, 4.2))
    texts = [" · ".join(filter(None, [field.source, f"{field.name} {place_text(field.axes[1], index)}".removeprefix("pe ")])) for field, index in lines]
    drawn = alike.merged([(text, numpy.asarray(field.axes[0].places, float), field.values[:, index]) for text, (field, index) in zip(texts, lines)])
    for number, ((text, places, values), colour) in enumerate(zip(drawn, hues(len(drawn)))):
        axes.plot(places, values, label=named(text), color=colour, linewidth=1.5, linestyle=dashes(number, len(drawn)))
    axes.set(xlabel=fields[0].axis_label(0), ylabel=fields[0].label if len(fields) == 1 else "value")
    tick_integers(axes.xaxis, fields[0].axes[0].places)
    axes.margins(x=0)
    axes.grid(axis="y")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure, layout_of(fields[0])


VERDICTS = {"holds": "#8fc8a0", "noted": "#f2d58a", "fails": "#e49a86", "yes": "#8fc8a0", "no": "#e49a86", "skipped": "#dcdce3",
            "no meaning": "#f6f6f9"}


def words(plot, fields, options):
    """A matrix of words, each word a colour."""
    field = fields[0]
    values = field.values if field.values.ndim == 2 else field.values[:, None]
    if field.values.ndim > 2:
        raise Fault(f"words along {field.values.ndim} axes: choose with {asking(field.axes[0], 0)}")
    whole = f"{values.shape[0]} x {values.shape[1]}" if values.shape[0] > MOST_ROWS or values.shape[1] > MOST_COLUMNS else ""
    field = field.part(0, range(min(len(field.axes[0]), MOST_ROWS)))
    field = field.part(1, range(min(len(field.axes[1]), MOST_COLUMNS))) if field.values.ndim == 2 else field
    values = field.values if field.values.ndim == 2 else field.values[:, None]
    if values.shape[1] > max(values.shape[0], 12):  # upright, as a page is
        field, values = field.moved(1, 0), values.T
    rows, columns = field.axes[0], field.axes[1] if field.values.ndim == 2 else None
    kinds = [w for w in dict.fromkeys(values.ravel()) if w]
    if len(kinds) > 12:
        raise Fault(f"{field.name} has {len(kinds)} different texts, and a picture tells a dozen: choose with {asking(rows, 0)}")
    others = iter(matplotlib.colormaps["Pastel1"].colors * 2)
    colour = {word: VERDICTS.get(word) or next(others) for word in kinds}
    told = kinds + ["no meaning"] * bool((values == "").any())
    names = [place_text(columns, i) for i in range(len(columns))] if columns else [field.label]
    above = 0.3 + 0.075 * max(map(len, names)) if columns else 0.4  # what upright names take
    figure, axes = plot.subplots(figsize=(3.2 + values.shape[1] * min(0.42, max((WIDEST - 3.2) / values.shape[1], 0.22)), 0.6 + above + max(0.24 * values.shape[0], 0.23 * len(told) + 0.15)))
    for (r, c), word in numpy.ndenumerate(values):
        if word:
            axes.add_patch(matplotlib.patches.Rectangle((c, r), 0.94, 0.9, color=colour[word], linewidth=0))
    axes.set(xlim=(0, values.shape[1]), ylim=(values.shape[0], 0))
    axes.set_yticks(numpy.arange(len(rows)) + 0.45, [place_text(rows, i) if not rows.named else rows.places[i] for i in range(len(rows))], fontsize=8)
    axes.set_xticks(numpy.arange(values.shape[1]) + 0.5, names, rotation=90 if columns else 0, fontsize=8)
    axes.tick_params(length=0, labeltop=True, labelbottom=False, top=False)
    for side in axes.spines.values():
        side.set_visible(False)
    patches = [matplotlib.patches.Patch(color=colour[word], label=word) for word in kinds]
    if len(told) > len(kinds):
        patches.append(matplotlib.patches.Patch(facecolor="none", edgecolor=GREY, label=told[-1]))
    axes.legend(handles=patches, loc="upper left", bbox_to_anchor=(1, 1), fontsize=9, labelcolor=INK)
    return figure, f"the first {values.shape[0]} x {values.shape[1]} of {whole}" if whole else ""


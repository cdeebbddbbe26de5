# The pictures of pe-plot: one function for each kind, from fields to a figure and what its title may say.
import matplotlib
import numpy

from fields import Fault

LABELS = {
    "position": "position (tokens)", "dim": "dimension", "pair": "pair", "head": "head",
    "query": "query (tokens)", "key": "key (tokens)", "relative_position": "relative position, key − query (tokens)",
    "distance": "distance (tokens)", "bucket": "bucket", "pe": "value", "slope": "slope (per token)", "bias": "bias",
    "inv_freq": "frequency (radians per token)", "wavelength": "wavelength (tokens)", "cos": "cosine", "sin": "sine",
}
INK, FAINT, ACCENT = "#2b2b33", "#d9d9e0", "#3b528b"
STYLE = {
    "figure.dpi": 100, "figure.constrained_layout.use": True, "font.size": 10, "text.color": INK, "axes.labelcolor": INK,
    "axes.edgecolor": "#8a8a94", "xtick.color": INK, "ytick.color": INK, "axes.titlesize": 11, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False, "grid.color": FAINT, "grid.linewidth": 0.7, "legend.frameon": False,
    "svg.hashsalt": "pe", "svg.fonttype": "none",
}


def label(name):
    return LABELS.get(name, name.replace("_", " "))


def layout_of(field):
    """How sines and cosines share a row of a sinusoidal table, told by the row of position 0."""
    at_zero = numpy.flatnonzero(field.coordinates[0] == 0)
    if "layout" in field.attributes:
        return str(field.attributes["layout"])
    width = field.values.shape[-1]
    if field.name != "pe" or field.values.ndim != 2 or not len(at_zero) or width < 4 or width % 2:
        return ""
    row, half = field.values[at_zero[0]], width // 2
    if (row[0::2] == 0).all() and (row[1::2] == 1).all():
        return "interleaved: sin, cos, sin, cos, …"
    if (row[:half] == 0).all() and (row[half:] == 1).all():
        return "halves: all sines, then all cosines"
    return ""


def extent(field, rows=0, columns=1):
    """Edges of the image, half a cell beyond the first and last coordinate."""
    def edges(c):
        half = (c[-1] - c[0]) / (len(c) - 1) / 2 if len(c) > 1 else 0.5
        return float(c[0] - half), float(c[-1] + half)
    left, right = edges(field.coordinates[columns])
    top, bottom = edges(field.coordinates[rows])
    return left, right, bottom, top


def image(axes, values, where, limits, cmap="viridis"):
    """A matrix as matshow draws it: first axis downwards, second to the right, ticks on top."""
    colours = matplotlib.colormaps[cmap].copy()
    colours.set_bad("#eeeef2")
    drawn = axes.imshow(numpy.ma.masked_invalid(values), extent=where, aspect="auto", cmap=colours,
                        vmin=limits[0], vmax=limits[1], interpolation="antialiased")
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=3)
    axes.xaxis.set_label_position("top")
    for side in axes.spines.values():
        side.set_visible(True)
    return drawn


def limits_of(arrays):
    """The least and the greatest finite number of all."""
    finite = numpy.concatenate([a[numpy.isfinite(a)].ravel() for a in arrays])
    if not len(finite):
        raise Fault("there is no finite number to draw")
    return finite.min(), finite.max()


def heatmap(plot, fields, options):
    """Tables: one image for each field, side by side, one colour bar."""
    rows, columns = fields[0].values.shape
    wide = len(fields) * min(max(columns / max(rows, 1) * 3.2, 3.6), 11 / len(fields))
    figure, panels = plot.subplots(1, len(fields), figsize=(wide + 1.2, 4.4), sharey=True, squeeze=False)
    limits = limits_of([field.values for field in fields])
    for axes, field in zip(panels[0], fields):
        drawn = image(axes, field.values, extent(field), limits)
        axes.set_xlabel(label(field.axes[1]) if len(fields) == 1 else f"{label(field.name)}, {label(field.axes[1])}")
    panels[0][0].set_ylabel(label(fields[0].axes[0]))
    bar = figure.colorbar(drawn, ax=panels[0].tolist(), pad=0.015, aspect=30)
    bar.set_label(label(fields[0].name) if len(fields) == 1 else "value")
    bar.outline.set_visible(False)
    return figure, layout_of(fields[0])


def waves(plot, fields, options):
    """Single columns of a table against position."""
    figure, axes = plot.subplots(figsize=(9, 4.2))
    lines = [(f"{field.name}_{column:g}", field.coordinates[0], field.values[:, index])
             for field in fields for index, column in enumerate(field.coordinates[1])]
    if len(lines) > 12:
        raise Fault(f"{len(lines)} columns are too many for waves: choose some with --columns 4:8")
    colours = matplotlib.colormaps["viridis"](numpy.linspace(0, 0.88, len(lines)))
    for (name, x, y), colour in zip(lines, colours):
        axes.plot(x, y, label=name, color=colour, linewidth=1.5)
    axes.set(xlabel=label(fields[0].axes[0]), ylabel=label(fields[0].name) if len(fields) == 1 else "value")
    axes.margins(x=0)
    axes.grid(axis="y")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure, layout_of(fields[0])


def staircase(plot, fields, options):
    """Buckets against relative position, each stair with its number."""
    field = fields[0]
    x, y = field.coordinates[0], field.values
    figure, axes = plot.subplots(figsize=(9, 4.6))
    axes.axvspan(max(0.5, x[0] - 0.5), max(0.5, x[-1] + 0.5), color="#f3f3f7", linewidth=0)
    axes.plot(x, y, drawstyle="steps-mid", color=ACCENT, linewidth=1.6)
    axes.plot(x, y, ".", color=ACCENT, markersize=4 if len(x) < 200 else 0)
    starts = numpy.flatnonzero(numpy.diff(y, prepend=numpy.nan))
    if len(starts) <= 40:
        for first, last in zip(starts, [*starts[1:], len(x)]):
            axes.annotate(f"{y[first]:g}", ((x[first] + x[last - 1]) / 2, y[first]), xytext=(0, 5),
                          textcoords="offset points", ha="center", fontsize=8)
    if x[0] < 0 < x[-1]:
        axes.text(0.25, 0.97, "keys before the query", transform=axes.transAxes, ha="center", va="top", color="#8a8a94")
        axes.text(0.75, 0.03, "keys after the query", transform=axes.transAxes, ha="center", va="bottom", color="#8a8a94")
    axes.set(xlabel=label(field.axes[0]), ylabel=label(field.name), ylim=(y.min() - 1, y.max() + 2.5))
    axes.margins(x=0)
    axes.grid(axis="y")
    return figure, f"{len(numpy.unique(y))} buckets in this range"


def curves(plot, fields, options):
    """Numbers along one axis; a logarithmic scale where they span three decades or more."""
    figure, axes = plot.subplots(figsize=(8, 4.4))
    for field, colour in zip(fields, matplotlib.colormaps["viridis"](numpy.linspace(0.2, 0.85, len(fields)))):
        x = field.coordinates[0]
        axes.plot(x, field.values, color=colour, linewidth=1.6, label=label(field.name),
                  marker="o" if len(x) <= 80 else None, markersize=3)
    low, high = limits_of([field.values for field in fields])
    if low > 0 and high / low >= 1000:
        axes.set_yscale("log")
    axes.set(xlabel=label(fields[0].axes[0]), ylabel=label(fields[0].name) if len(fields) == 1 else "value")
    axes.grid(True)
    if len(fields) > 1:
        axes.legend()
    if [field.name for field in fields] == ["inv_freq"] and low > 0:
        def other(x):
            return 2 * numpy.pi / numpy.maximum(x, 1e-300)
        wavelengths = axes.secondary_yaxis("right", functions=(other, other))
        wavelengths.set_ylabel(label("wavelength"))
    return figure, ""


def slopes(plot, fields, options):
    """The fan of biases that the slopes spread, and the slopes themselves."""
    heads, values = fields[0].coordinates[0], fields[0].values
    figure, (fan, bars) = plot.subplots(1, 2, figsize=(10, 4.4), gridspec_kw={"width_ratios": (3, 2)})
    colours = matplotlib.colormaps["viridis"](numpy.linspace(0, 0.9, len(heads)))
    distance = numpy.array([0, 64])
    for head, slope, colour in zip(heads, values, colours):
        fan.plot(distance, -slope * distance, color=colour, linewidth=1.5, label=f"head {head:g}")
    fan.set(xlabel=label("distance"), ylabel="bias, −slope · distance", title="The fan")
    fan.margins(x=0)
    fan.grid(axis="y")
    if len(heads) <= 16:
        fan.legend(fontsize=8)
    bars.bar(heads, values, color=colours)
    if (values > 0).all():
        bars.set_yscale("log", base=2)
    bars.set(xlabel=label("head"), ylabel=label("slope"), title="The slopes")
    if len(heads) <= 24:
        bars.set_xticks(heads)
    return figure, f"{len(heads)} heads"


def bias(plot, fields, options):
    """One image for each head, up to twelve, in one scale of colours."""
    field = fields[0]
    values, heads = field.values, field.coordinates[0]
    if values.ndim == 2:
        return heatmap(plot, fields[:1], options)
    shown = min(len(heads), 12)
    columns = min(shown, 4)
    rows = -(-shown // columns)
    figure, panels = plot.subplots(rows, columns, figsize=(2.5 * columns + 1.4, 2.4 * rows + 0.9), sharex=True, sharey=True,
                                   squeeze=False)
    limits = limits_of([values[:shown]])
    for index, axes in enumerate(panels.flat):
        if index >= shown:
            axes.set_visible(False)
            continue
        drawn = image(axes, values[index], extent(field, 1, 2), limits, "magma")
        axes.tick_params(top=False, labeltop=False)
        axes.set_title(f"{label(field.axes[0])} {heads[index]:g}", fontsize=9)
    figure.supxlabel(label(field.axes[2]), fontsize=10)
    figure.supylabel(label(field.axes[1]), fontsize=10)
    bar = figure.colorbar(drawn, ax=panels.ravel().tolist(), pad=0.02, aspect=30)
    bar.set_label(label(field.name))
    bar.outline.set_visible(False)
    return figure, "" if shown == len(heads) else f"the first {shown} of {len(heads)} heads"


def lines(plot, fields, options):
    """One field against its last axis of numbers, one curve for each of what is compared."""
    field = fields[0]
    along = max((a for a in range(field.values.ndim) if not isinstance(field.coordinates[a], list)), default=None)
    if along is None:
        raise Fault(f"{field.name} stands along names alone: there is no curve to draw")
    values = numpy.moveaxis(field.values, along, -1)
    outer = [a for a in range(field.values.ndim) if a != along]
    figure, axes = plot.subplots(figsize=(9, 4.6))
    x = numpy.asarray(field.coordinates[along], float)
    colours = matplotlib.colormaps["viridis"](numpy.linspace(0, 0.88, values[..., 0].size))
    if len(colours) > 24:
        raise Fault(f"{len(colours)} curves are too many for one picture: choose fewer subjects")
    for index, colour in zip(numpy.ndindex(values.shape[:-1]), colours):
        names = [field.coordinates[a][i] for a, i in zip(outer, index) if len(field.coordinates[a]) > 1]
        known = numpy.isfinite(values[index])
        text = ", ".join(name if isinstance(name, str) else f"{label(field.axes[outer[n]])} {name:g}" for n, name in enumerate(names))
        axes.plot(x[known], values[index][known], color=colour, linewidth=1.5, label=text, marker="o" if known.sum() <= 40 else None, markersize=3)
    low, high = limits_of([values])
    if low > 0 and high / low >= 1000:
        axes.set_yscale("log")
    steps = numpy.diff(x)
    if len(steps) > 2 and (x[1:] > 0).all() and steps[-1] > 20 * steps[0] > 0:
        axes.set_xscale("symlog" if x[0] <= 0 else "log")
    axes.set(xlabel=label(field.axes[along]), ylabel=label(field.name))
    axes.grid(True)
    axes.legend(fontsize=8, loc="best" if len(colours) <= 6 else "center left", bbox_to_anchor=None if len(colours) <= 6 else (1, 0.5))
    return figure, ""


def bars(plot, fields, options):
    """Numbers along names."""
    field = fields[0]
    names, values = field.coordinates[0], field.values
    figure, axes = plot.subplots(figsize=(8, 0.6 + 0.3 * len(names)))
    axes.barh(names, values, color=ACCENT)
    axes.invert_yaxis()
    axes.set(xlabel=label(field.name))
    return figure, ""


# What each kind draws: how many axes its fields have, and the function.
KINDS = {"heatmap": (2, heatmap), "waves": (2, waves), "staircase": (1, staircase), "curves": (1, curves),
         "slopes": (1, slopes), "bias": (3, bias), "lines": (None, lines), "bars": (None, bars)}

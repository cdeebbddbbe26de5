# Curves, colours and names are told apart: what lies on one another, what belongs together, what is cut off, where ticks stand.
import matplotlib.pyplot as pyplot
import numpy
from matplotlib import colors

from plot import sources
from plot_agrees import picture, texts
from plot_looks import Stdin, drawn_of, lie_on_one_another, looks


def look(line):
    return colors.to_hex(line.get_color()), str(line._unscaled_dash_pattern)


def hidden(axes):
    """Curves that another one, drawn without gaps or with the same, lies on."""
    lines = [line for line in axes.lines if len(line.get_xdata()) > 2]
    for index, one in enumerate(lines):
        for other in lines[index + 1:]:
            if numpy.array_equal(one.get_xydata(), other.get_xydata(), equal_nan=True) and (other.get_linestyle() == "-" or look(one)[1] == look(other)[1]):
                yield one.get_label(), other.get_label()


def curves(count, bin):
    """Of curves that are the same each is seen; of many subjects each has its own dashes, and what is compared its own colour; equal ones are counted once."""
    for line, panels in (("precision rope --length 256", 2), ("precision rope --length 64 --versus 'rope --base 500000'", 2), ("kernel alibi --heads 2 --length 12 --versus 'kerple --seed 1 --heads 2'", 2)):
        figure, _, _ = picture(bin, f"pe-analyze {line}")
        for axes in figure.axes[:panels]:
            count.check(not list(hidden(axes)), f"{line}: {list(hidden(axes))}")
        looks(count, figure, line)
    figure, _, _ = picture(bin, "pe-analyze precision rope --length 64 --versus 'rope --base 500000'")
    lines = [line for line in figure.axes[1].lines if line.get_label()]
    count.check(len({look(line) for line in lines}) == len(lines) == 20 and len({look(line)[0] for line in lines}) == 10, f"20 curves look {len({look(line) for line in lines})} ways")
    figure, _, _ = picture(bin, "pe-analyze scaling rope --model llama-2-7b --versus 'rope --model llama-3.1-8b'")
    names = " ".join(text.get_text().replace("\n", " ") for text in figure.axes[0].get_legend().get_texts())
    count.check(all(f"{model} · {rule}" in names for model in ("llama-2-7b", "llama-3.1-8b") for rule in ("linear", "llama3", "ntk-by-parts")) and "curves" not in figure._suptitle.get_text(), names)
    looks(count, figure, "scalings of two models")


def nearly_alike(count):
    """Curves that the eye cannot tell apart are dashed in turn; on a scale of powers that is judged as it is drawn."""
    text = "distance,subject,mean\n" + "".join(f"{d},{name},{value}\n" for d in range(1, 60) for name, value in (("a", d), ("b", d + 0.01), ("c", 70 - d)))
    axes = drawn_of(sources.read_all(["-"], Stdin(text.encode())))[0].axes[0]
    dashed = {line.get_label(): not line.get_linestyle() == "-" for line in axes.lines}
    count.check(dashed == {"a": True, "b": True, "c": False} and len({str(line._unscaled_dash_pattern) for line in axes.lines}) == 3,
                f"curves on one another: {dashed}")
    text = "distance,subject,mean\n" + "".join(f"{d},{name},{value}\n" for d in range(1, 60) for name, value in (("a", 1e-6 * d), ("b", 1e-4 * d), ("c", d)))
    axes = drawn_of(sources.read_all(["-"], Stdin(text.encode())))[0].axes[0]
    count.check(axes.get_yscale() == "log" and all(line.get_linestyle() == "-" for line in axes.lines), "curves apart on a scale of powers")


def colours(count, bin):
    """A band has its curve's colour, and the matrices of one table have one map of colours."""
    figure, _, _ = picture(bin, "pe-analyze similarity sinusoidal --length 32 --versus 'learned --seed 1 --dim 64'")
    axes = figure.axes[1]
    wide = max(axes.collections, key=lambda band: numpy.ptp(band.get_paths()[0].vertices[:, 1]))
    wanted = next(line for line in axes.lines if "learned" in line.get_label()).get_color()
    count.check(numpy.allclose(wide.get_facecolor()[0][:3], colors.to_rgb(wanted)), f"the band of learned is {wide.get_facecolor()} and not {wanted}")
    for line in ("pe-gen rope --dim 8 --length 4 --fields matrix", "pe-gen kerple --seed 1 --heads 4 --length 8"):
        figure, _, _ = picture(bin, line)
        maps = {image.get_cmap().name for axes in figure.axes for image in axes.images}
        count.check(len(maps) == 1, f"{line}: {maps}")


def names(count, bin):
    """Names are not cut off where they differ, and none lies on another."""
    for line in ("kernel alibi --heads 2 --length 12 --versus 'kerple --seed 1 --heads 2'", "margins sinusoidal --length 32 --versus 'learned --seed 1'", "exposure rope --versus 'rope --base 500000 --dim 64'"):
        figure, _, _ = picture(bin, f"pe-analyze {line}")
        figure._supxlabel.set_text("")  # the source, which is as long as it is
        count.check(not [text for text in texts(figure) if "…" in text], f"{line}: {[text for text in texts(figure) if '…' in text]}")
        looks(count, figure, line)
    figure, _, _ = picture(bin, "pe-analyze shift sinusoidal --dim 16 --versus 'rope --dim 16'")
    figure.draw_without_rendering()
    faults = list(lie_on_one_another([axes._left_title for axes in figure.axes], figure.canvas.get_renderer()))
    count.check(not faults, f"titles of turns: {faults}")
    figure, _, _ = picture(bin, "pe-gen transformer-xl")
    beside = [text.get_position()[1] for text in figure.axes[0].texts if text.get_text().startswith("keys ")]
    count.check(len(beside) == 2 and min(beside) > 1, f"words at {beside} lie among the stairs")


def ticks(count, bin):
    """Ticks stand where something was measured, few enough to be read; a scale that begins at 0 has no corner."""
    for line, wanted in (("base-bound rope --length 1024,2048 --versus 'rope --dim 64'", [1024, 2048]), ("context rope --length 1024", [1024]), ("margins sinusoidal --length 16", [2, 4, 8, 16])):
        figure, _, _ = picture(bin, f"pe-analyze {line}")
        found = list(figure.axes[-1].get_xticks())
        count.check(found == wanted, f"{line}: ticks at {found}")
        looks(count, figure, line)
    figure, _, _ = picture(bin, "pe-analyze attention alibi --heads 4 --length 1024")
    shown = figure.axes[0].transData.transform([(place, 0) for place in (0, 0.99, 1.01, 1.03)])[:, 0]
    count.check(abs((shown[1] - shown[0]) / 0.99 / (shown[3] - shown[2]) * 0.02 - 1) < 0.1 and list(figure.axes[0].get_xticks()) == [0, 1, 10, 100, 1000], "a scale from 0 has a corner")
    text = "head,sink\n" + "".join(f"{head},{10.0 ** (-40 * head)}\n" for head in range(6))
    figure, _, _ = drawn_of(sources.read_all(["-"], Stdin(text.encode())))
    looks(count, figure, "bars over 200 decades")
    figure, _, _ = picture(bin, "pe-analyze probe sinusoidal --length 32 --dim 16 --view singular")
    count.check(figure.axes[0].get_ylabel() == "component, by size" and figure.axes[0].get_yticklabels()[3].get_text() == "3", "components by number")
    title = picture(bin, "pe-analyze kernel alibi --heads 2 --length 12 --view eigenvalues", "csv")[0]._suptitle.get_text().replace("\n", " ")
    count.check("bucket" not in title and "counted from the greatest (0 … 10)" in title, title)


def all_of(count, bin):
    curves(count, bin)
    nearly_alike(count)
    colours(count, bin)
    names(count, bin)
    ticks(count, bin)
    pyplot.close("all")

# What a picture leaves open to nobody: whose each curve and each length is, which lengths were asked for, and which place was chosen.
import matplotlib.pyplot as pyplot
import numpy
from matplotlib import colors

from plot import notes, shades, sources, style, terminal
from plot.field import Axis, Field
from plot.style import place_text
from plot_agrees import ask, picture, texts
from plot_looks import Stdin, drawn_of, looks, visible_ticks


# Subjects whose curves end early; the names of all curves, and the lengths that are written, with whose they are.
ENDS = [
    ("spectrum rope --dim 128 --versus 'rope --dim 64' --versus 'rope --dim 32'", ["rope --dim 128", "rope --dim 64", "rope --dim 32"], []),
    ("spectrum rope --model llama-3.1-8b --versus 'rope --model gpt-oss-20b' --versus 'rope --model qwen2.5-7b' --versus 'rope --model gpt-neox-20b'",
     ["llama-3.1-8b", "gpt-oss-20b", "qwen2.5-7b", "gpt-neox-20b"],
     ["trained length 2048 (gpt-neox-20b)", "trained length 4096 (gpt-oss-20b)", "trained length 8192 (llama-3.1-8b)", "trained length 32768 (qwen2.5-7b)"]),
    ("spectrum rope --model qwen2.5-7b --versus 'rope --model gemma-3-1b' --versus 'rope --model llama-3.1-8b'", ["qwen2.5-7b", "gemma-3-1b", "llama-3.1-8b"],
     ["trained length 8192 (llama-3.1-8b)", "trained length 32768 (qwen2.5-7b, gemma-3-1b)"]),
    ("spectrum rope --model llama-2-7b --versus 'rope --model gpt-oss-20b'", ["llama-2-7b", "gpt-oss-20b"], ["trained length 4096"]),
]


def curves_that_end(count, bin):
    """Each curve has its name, wherever it ends, and each length is there and says whose it is."""
    for line, names, lengths in ENDS:
        for form in ("json", "csv"):
            figure, _, kind = picture(bin, f"pe-analyze {line}", form)
            said = texts(figure)
            count.check(kind == "wavelengths" and all(said.count(name) == 1 for name in names), f"{line} as {form}: {said}")
            count.check({text for text in said if " length " in text} == set(lengths), f"{line} as {form}: {[text for text in said if ' length ' in text]}")
            looks(count, figure, f"{line} as {form}")
        hue = {text.get_text(): colors.to_hex(text.get_color()) for text in figure.axes[0].texts}
        for text in lengths:
            if (owner := text[:-1].partition("(")[2]) in names:
                count.check(hue[text] == hue[owner], f"{line}: {text} has another colour than {owner}")
    figure, _, _ = picture(bin, "pe-analyze spectrum rope-3d --grid 3x4x5 --dim 96")
    said = texts(figure)
    count.check({"frame", "row", "column", "wavelength (cells)"} <= set(said), f"ladders of a grid: {said}")
    text = "length,base,safe_base,valid_share,active\n1024,100,200,1,1\n2048,200,300,1,1\n4096,300,400,1,1\n8192,nan,nan,nan,nan\n"
    figure, _, kind = drawn_of(sources.read_all(["-"], Stdin(text.encode())))
    count.check(kind == "bound" and {"least base that carries it", "base above which all carry it"} <= set(texts(figure)),
                f"bases that end: {kind} {texts(figure)}")
    looks(count, figure, "bases that end")


def asked_lengths(count, bin):
    """A length that a subject was never asked about is no length that it carries."""
    figure, _, kind = picture(bin, "pe-analyze context rope --model qwen3-8b --versus 'rope --model qwen3-8b-yarn'")
    top = figure.axes[0]
    hue = next(line.get_color() for line in top.lines if line.get_label() == "qwen3-8b")
    there = {x for line in top.lines if line.get_color() == hue and not line.get_label().endswith("limit") for x in numpy.asarray(line.get_xdata(), float)}
    count.check(kind == "reach" and there == {40960}, f"qwen3-8b stands at {there}")
    figure, _, _ = picture(bin, "pe-analyze context rope --model llama-3.1-8b --length 8192,16384 --versus 'rope --base 10000'")
    hollow = [line for line in figure.axes[0].lines if line.get_markerfacecolor() == "white" and len(line.get_xdata())]
    count.check(len(hollow) == 1 and list(hollow[0].get_xdata()) == [8192, 16384] and "hollow" in figure._suptitle.get_text(),
                "lengths that are carried are hollow")


# A command, --at, and what the title says of it; numbers that are not there are no part of a range.
HELD = [
    ("pe-gen alibi --heads 4 --length 16", ["head=2"], "head 2"), ("pe-gen alibi --heads 4 --length 16", ["query=7", "key=2"], "query 7 · key 2"),
    ("pe-gen rope --length 8 --dim 8 --fields matrix", ["position=2"], "position 2"), ("pe-gen rope-3d --grid 3x4x5 --dim 32", ["frame=1"], "frame 1"),
    ("pe-apply alibi --random 2,4,8,16 --seed 1", ["batch=1", "head=1"], "batch 1 · head 1"),
    ("pe-analyze spectrum rope --dim 128 --versus 'rope --dim 64'", ["subject=rope --dim 64"], "rope --dim 64"),
    ("pe-analyze decay alibi --length 8 --view curve --versus 'kerple --seed 3'", ["subject=kerple --seed 3"], "kerple --seed 3 · drawn with seed 3"),
]


def held_places(count, bin):
    """The place that --at chose stands in the title, whatever it comes of and wherever it is drawn."""
    for line, at, wanted in HELD:
        for form in ("json", "csv") if "pe-apply" not in line else ("json",):
            data = sources.read_all(["-"], Stdin(ask(bin, line, form)))
            figure, fields, kind = drawn_of(data, at=at)
            for title in (figure._suptitle.get_text().replace("\n", " "), style.title_of(notes.drawn_of(fields, kind, True), None)[0]):
                title = title.replace(" · ", " ").replace(": drawn", " drawn").replace("kerple drawn", "drawn")
                count.check(wanted.replace(" · ", " ") in title, f"{line} at {at} as {form}: {title}")
            looks(count, figure, f"{line} at {at}")
            pyplot.close("all")
    title = picture(bin, "pe-analyze spectrum rope --dim 128 --versus 'rope --dim 64'", "csv", at=["subject=rope --dim 64"])[0]._suptitle.get_text()
    count.check("(0 … 31)" in title, f"of 32 pairs: {title}")


def image_grids(count, bin):
    """--columns chooses channels of a table over an image, be it of one frame; panels of one quantity share their colours, and 0 alone is no colour."""
    for line, columns, wanted in (("sincos-2d --grid 4x5 --dim 32", "5,7", ["dim 5", "dim 7"]),
                                  ("sincos-3d --grid 2x4x5 --dim 24", "0:4", ["dim 0", "dim 1", "dim 2", "dim 3"]),
                                  ("sincos-2d --grid 4x5 --dim 32", "31", ["dim 31"])):
        figure, fields, _ = picture(bin, f"pe-gen {line}", columns=columns)
        count.check([place_text(fields[0].axes[0], i) for i in range(len(wanted))] == wanted and "channels" not in figure._suptitle.get_text(),
                    f"{line} --columns {columns}: {texts(figure)}")
    figure, fields, _ = picture(bin, "pe-gen rope-2d --grid 3x4 --dim 16", field="cos", columns="1,2")
    count.check([len(axis) for axis in fields[0].axes] == [3, 4, 2], "pairs of a grid are its columns")
    for line, given in (("pe-gen rope-3d --grid 3x4x5 --dim 32", {"field": "sin"}),
                        ("pe-analyze similarity rope-3d --grid 3x4x5 --dim 96 --view grid --at 1,2,2", {})):
        figure, _, _ = picture(bin, line, **given)
        images = [image for axes in figure.axes for image in axes.images if axes.get_label() != "<colorbar>"]
        count.check(len(images) > 2 and len({(type(image.norm).__name__, image.get_clim()) for image in images}) == 1,
                    f"{line}: {[image.get_clim() for image in images]}")
        looks(count, figure, line)
    name, norm = shades.shades_of([Field("pe", [Axis("row", numpy.arange(2)), Axis("column", numpy.arange(2))], numpy.zeros((2, 2)))])
    count.check(name == "RdBu_r" and norm(0) == 0.5, f"nothing but 0 is {name} at {norm(0)}")


# Pictures whose letters lay on one another or ran out.
CROWDED = ["pe-analyze attention rope --tokens 'the quick brown fox jumps over the lazy dog again'",
           "pe-analyze attention rope --tokens '" + " ".join(f"word{i}" for i in range(36)) + "'",
           "pe-analyze attention rope --tokens '位置编码 注意力机制 旋转位置 相对位置 绝对位置 长度外推 线性插值'",
           "pe-analyze decay alibi --versus rope --versus sandwich --versus 't5 --seed 1' --length 512 --points 60",
           "pe-analyze probe index --length 16 --view singular", "pe-gen t5 --positions -2000:2001",
           "pe-analyze published --only Press", "pe-analyze published --only Wang",
           "pe-analyze context rope --model llama-3.1-8b --length 8192,16384,131072 --versus 'rope --base 10000'",
           "pe-analyze interpolation rope --dim 16 --view curve --length 64", "pe-analyze probe learned --seed 1 --length 32 --dim 16 --view fourier",
           "pe-analyze buckets shaw --max-distance 2"]


def crowded(count, bin):
    """Letters have room, legends stand beside their panels and what a line means where no curve goes; what a panel lacks it says."""
    for line in CROWDED:
        figure, _, kind = picture(bin, line)
        looks(count, figure, line)
        renderer = figure.canvas.get_renderer()
        for axes in figure.axes:
            if (legend := axes.get_legend()) and kind in ("claims", "reach"):
                count.check(legend.get_window_extent(renderer).x0 >= axes.get_window_extent().x1 - 1, f"{line}: its legend lies in the panel")
            if "takes for granted" in " ".join(text.get_text().replace("\n", " ") for text in axes.texts):
                count.check(all(text.get_window_extent(renderer).x0 >= axes.get_window_extent().x1 for text in axes.texts), f"{line}: words among curves")
    said = texts(picture(bin, CROWDED[3])[0])
    count.check("no numbers of alibi, sandwich and t5 --seed 1" in said, f"curves without numbers: {said}")
    count.check("1 number of 1 source" in picture(bin, CROWDED[7])[0]._suptitle.get_text(), "one number")
    ticks = [text.get_text() for _, text in visible_ticks(picture(bin, CROWDED[-1])[0].axes[0].xaxis)]
    count.check(all("." not in text for text in ticks), f"distances at {ticks}")
    scale = picture(bin, "pe-analyze exposure rope --trained 64 --length 65536")[0].axes[0].get_xscale()
    count.check(scale == "log", f"what training shows of near distances stands on a scale that is {scale}")
    title = picture(bin, "pe-gen t5 --causal --length 8")[0]._suptitle.get_text()
    count.check("not bidirectional" in title and "False" not in title, title)
    figure, _, _ = picture(bin, "pe-gen swin --window 3x3 --fields index")
    count.check("0" in [text.get_text() for text in figure.axes[0].texts] and "seed" not in figure._suptitle.get_text(),
                f"a bucket 0 of one hue: {texts(figure)}")


def counted(count, bin):
    """As many quantities as are said to be drawn have a panel, and stairs are stairs on the terminal, too."""
    rows = [[str(p)] + ["nan" if i in (2, 5) else str(p * i) for i in range(9)] for p in range(5)]
    text = "position," + ",".join(f"{letter}m" for letter in "abcdefghi") + "\n" + "".join(",".join(row) + "\n" for row in rows)
    figure, _, kind = drawn_of(sources.read_all(["-"], Stdin(text.encode())))
    panels = sum(axes.get_visible() for axes in figure.axes)
    count.check(kind == "lines" and panels == 6 and "6 of 7 quantities" in figure._suptitle.get_text(), f"{panels} panels: {figure._suptitle.get_text()}")
    figure, _, _ = picture(bin, "pe-analyze shift rope-2d --grid 4x4 --dim 32 --k 1,0")
    gaps = [numpy.isnan(line.get_ydata()).sum() for line in figure.axes[-1].lines if len(line.get_xdata()) > 2]
    count.check(max(gaps) == 1, f"two ladders have {gaps} gaps")
    steps = terminal.heights_at(numpy.linspace(0, 2, 9), numpy.arange(3.0), numpy.array([0.0, 5, 7]), True)
    count.check(set(steps) == {0, 5, 7} and (numpy.diff(steps) >= 0).all(), f"stairs at {steps}")


def all_of(count, bin):
    counted(count, bin)
    crowded(count, bin)
    image_grids(count, bin)
    held_places(count, bin)
    curves_that_end(count, bin)
    asked_lengths(count, bin)
    pyplot.close("all")

# A picture and its words agree: lengths that somebody asked for, buckets without an end, what is not drawn, what the terminal shows.
import re
import shlex
import subprocess

import matplotlib.pyplot as pyplot
import numpy

from plot import choose, notes, sources, style, terminal
from plot.field import Fault
from plot_looks import Stdin, drawn_of, options


def ask(bin, line, form="json"):
    words = shlex.split(line)
    return subprocess.run([bin / words[0], *words[1:], "--format", form], capture_output=True, timeout=120, check=True).stdout


def picture(bin, line, form="json", **given):
    pyplot.close("all")
    return drawn_of(sources.read_all(["-"], Stdin(ask(bin, line, form))), **given)


def texts(figure):
    return [text.get_text().replace("\n", " ") for text in figure.findobj(pyplot.Text) if text.get_text()]


# A command of lengths, the container, and every length that its picture names.
LENGTHS = [
    ("spectrum rope --model llama-3.1-8b", "json", ["trained length 8192"]), ("spectrum rope --model llama-3.1-8b", "csv", ["trained length 8192"]), ("spectrum rope", "json", []),
    ("spectrum rope --model llama-3.1-8b --length 8192", "json", ["trained and wanted length 8192"]), ("spectrum rope --model llama-3.1-8b --length 8192", "csv", ["trained and wanted length 8192"]),
    ("spectrum rope --model llama-3.1-8b --length 10000", "json", ["trained length 8192", "wanted length 10000"]), ("spectrum rope --positions 0:1024", "json", ["wanted length 1024"]),
    ("spectrum rope-2d --grid 4x8", "json", ["wanted length 4 (row)", "wanted length 8 (column)"]), ("spectrum rope-2d", "csv", ["wanted length 4 (row)", "wanted length 8 (column)"]),
]


def lengths(count, bin):
    """A length is wanted where somebody asked for it; two that are one have one name, and those that lie near stand on either side."""
    for line, form, wanted in LENGTHS:
        figure, _, _ = picture(bin, f"pe-analyze {line}", form)
        said = sorted(text for text in texts(figure) if re.match("(trained|wanted).* length", text))
        count.check(said == wanted, f"{line} as {form}: {said}")


def buckets(count, bin):
    """Each bucket is seen: those without an end go on to the edge, those that no distance belongs to say so, and a legend tells the sides."""
    for encoding, endless, said in (("t5", {15, 31}, "never used"), ("shaw", {0, 32}, "the query itself"), ("tupe", {15, 31}, "to [CLS]")):
        figure, chosen, kind = picture(bin, f"pe-analyze buckets {encoding}")
        axes, by_name = figure.axes[0], {field.name: field for field in chosen}
        far = max(patch.get_x() + patch.get_width() for patch in axes.patches)
        there = {round(patch.get_y() + 0.4) for patch in axes.patches}
        reaching = {round(patch.get_y() + 0.4) for patch in axes.patches if patch.get_x() + patch.get_width() == far}
        count.check(kind == "runs" and there == set(numpy.flatnonzero(numpy.isfinite(by_name["first"].values))) and reaching == endless, f"{encoding}: {there}, {reaching}")
        count.check(said in texts(figure) and "keys before the query" in texts(figure) and sum("and beyond" in text for text in texts(figure)) == len(endless), f"{encoding}: {texts(figure)}")
    for encoding in ("deberta", "swin"):
        figure, _, _ = picture(bin, f"pe-analyze buckets {encoding}")
        count.check(figure.get_size_inches()[1] <= 12, f"{encoding} is {figure.get_size_inches()} inches")


# What is drawn comes before what is not.
ORDERED = [("pe-gen rope-2d", "rope-2d · cosine · not drawn: sin"), ("pe-gen rope-3d", "rope-3d · cosine · frame 0 of 2, not drawn: sin"),
           ("pe-analyze attention alibi --heads 2 --length 8 --view matrix", "attention of alibi · heads 2 · positions 0:8 · view matrix · share of attention · not drawn: without")]


def ordered(count, bin):
    for line, wanted in ORDERED:
        figure, _, _ = picture(bin, line)
        said = figure._suptitle.get_text().replace("\n", " ").replace("matrix share", "matrix · share").replace("attention not", "attention · not")
        count.check(re.sub(" · ", " ", said) == re.sub(" · ", " ", wanted), f"{line}: {said}")


def several_subjects(count, bin):
    """Bounds of several subjects are bars, and where one has to be chosen the answer says how, in a shell's own words."""
    for form in ("json", "csv"):
        _, chosen, kind = picture(bin, "pe-analyze interpolation rope --versus 'rope --base 500000'", form)
        count.check(kind == "bars" and len(chosen) == 4, f"interpolation of two as {form}: {kind}")
    for line, given, wanted in (("plan rope --model llama-2-7b --length 8192 --versus 'rope --model llama-3.1-8b'", {}, "--at subject=llama-2-7b"),
                                ("buckets t5 --versus 'shaw --max-distance 4'", {}, "--at subject=t5"), ("interpolation rope --versus 'rope --base 500000'", {"kind": "proof"}, "--at subject=rope"),
                                ("probe sinusoidal --length 16 --dim 8 --versus 'sinusoidal --dim 8 --base 500'", {"at": []}, "--at 'subject=sinusoidal --dim 8'")):
        try:
            picture(bin, f"pe-analyze {line}", **given)
            count.check(False, f"{line} is drawn")
        except Fault as fault:
            count.check(wanted in str(fault) and ("kind" in given or "--kind" not in str(fault)) and "…" not in str(fault), f"{line}: {fault}")


def unmeasured(count):
    """A statistic whose random tables are alike has no place among the others: it says why."""
    text = "statistic,value,null_mean,null_sd,z\nmodes,5,28,0,nan\nrank,10,29,0.2,-95\n"
    figure, _, kind = drawn_of(sources.read_all(["-"], Stdin(text.encode())))
    count.check(kind == "null" and "no spread: random tables are alike" in texts(figure), f"{kind}: {texts(figure)}")
    text = "position," + ",".join(f"{name}_{i}" for name in ("cos", "sin") for i in range(2)) + "\n" + "".join(f"{p},1,1,1,1\n" for p in range(32))
    fields = sources.read_all(["-"], Stdin(text.encode()))
    chosen, kind = choose.choose(fields, options(kind="lines"))
    count.check("drawn: 12 of 64 curves of cos, sin (--at or --columns draws others)" in list(notes.notes(fields, chosen, kind, False)), f"{list(notes.notes(fields, chosen, kind, False))}")


# A command, the title of its picture on the terminal, and what else stands there.
LETTERS = [("pe-analyze decay rope --length 64", "decay: mean of cosines by distance (0 … 63)", ""), ("pe-gen rope --length 64", "cosine by position (0 … 63) and pair of channels (0 … 63)", ""),
           ("pe-analyze buckets t5", "buckets: greatest distance by bucket (0 … 31)", "inf"), ("pe-analyze plan rope --model llama-2-7b --length 8192", "plan: usable length by candidate", " 16384"),
           ("pe-gen rope --positions 1048570:1048577 --dim 4 --fields angle", "angle by position (1048570 … 1048576) and pair of channels (0 … 1)", "1048576")]


def letters(count, bin):
    """On the terminal the title names what is drawn there, and whole numbers are whole."""
    for line, wanted, holds in LETTERS:
        chosen, kind = choose.choose(sources.read_all(["-"], Stdin(ask(bin, line, "csv"))), options())
        title = style.title_of(notes.drawn_of(chosen, kind, True), None)[0]
        drawn = terminal.picture(chosen, kind, title, 72)
        count.check(title == wanted and holds in drawn and "e+0" not in drawn, f"{line}: {title}")


def all_of(count, bin):
    lengths(count, bin)
    buckets(count, bin)
    ordered(count, bin)
    several_subjects(count, bin)
    unmeasured(count)
    letters(count, bin)
    pyplot.close("all")

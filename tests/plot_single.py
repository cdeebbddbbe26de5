# Pictures of what has one entry along an axis: each kind draws it or says in a line why not.
import dataclasses
import shlex
import subprocess

import matplotlib.pyplot as pyplot

from plot import choose, notes, render, sources, style, terminal
from plot.field import Fault
from plot_looks import Stdin, options, sweep

# Commands that write the fields of every kind, where axes have several entries.
COMMANDS = ["pe-gen sinusoidal --length 4 --dim 8", "pe-gen rope --length 4 --dim 8 --fields cos,sin,complex,wavelength",
            "pe-gen alibi --heads 2 --length 4 --fields slope,bias", "pe-gen t5 --length 4 --fields bucket",
            "pe-gen rope-3d --grid 2x3x4 --dim 12", "pe-gen sincos-2d --grid 3x4 --dim 8", "pe-analyze spectrum rope --dim 8 --versus 'rope --dim 4'",
            "pe-analyze shift sinusoidal --dim 8 --k 1,2",
            "pe-analyze shift sinusoidal --dim 8 --k 1,2 --view fit", "pe-analyze buckets t5", "pe-analyze buckets t5 --view fragile",
            "pe-analyze context rope --dim 16 --length 64,128", "pe-analyze base-bound rope --dim 16 --length 64,128",
            "pe-analyze interpolation rope --dim 16", "pe-analyze published --only 'ALiBi|T5'", "pe-analyze probe sinusoidal --length 16 --dim 8",
            "pe-analyze laws alibi", "pe-analyze decay rope --length 8 --dim 8"]


def cut(fields, names):
    """The fields with one entry along these axes."""
    for name in names:
        fields = [field if (index := field.axis(name)) is None or field.axes[index].name == "part" else field.part(index, [0]) for field in fields]
    return fields


def drawn(read, kind):
    """Draws them as a picture and onto the terminal; what nobody thought of is raised."""
    asked = options(kind=kind, dpi=50)
    try:
        fields, own = choose.choose(read, asked)
        for on_terminal in (False, True):
            style.title_of(notes.drawn_of(fields, own, on_terminal), None)
            list(notes.notes(read, fields, own, on_terminal))
        terminal.picture(fields, own, "", 40)
    except Fault:
        pass
    try:
        fields, own = choose.choose(read, asked)
        render.figure_of(pyplot, fields, own, asked)
    except Fault:
        return
    finally:
        sweep()
        pyplot.close("all")


def all_of(count, bin):
    for line in COMMANDS:
        words = shlex.split(line)
        done = subprocess.run([bin / words[0], *words[1:], "--format", "json"], capture_output=True, check=True)
        read = sources.read_all(["-"], Stdin(done.stdout))
        names = list(dict.fromkeys(axis.name for field in read for axis in field.axes if axis.name))
        for some in [*([name] for name in names), names]:
            there = cut(read, some)
            for kind in [None, *choose.KINDS]:
                for fields in [there] if kind or len(there) < 2 else [there, there[:1]]:
                    try:
                        drawn([dataclasses.replace(field) for field in fields], kind)
                    except Exception as error:  # noqa: BLE001  whatever it is, it is told
                        count.check(False, f"{line}, one of {', '.join(some)}, as {kind}: {type(error).__name__}: {error}")
                    else:
                        count.check(True, line)

# What a picture says in words: each number's own label, with its unit; the subject; that numbers were drawn and not trained.
import io
import json
import shlex
import subprocess

import h5py
import matplotlib.pyplot as pyplot
import numpy

from plot import choose, columns, drawn, labels, sources, style
from plot_looks import Stdin, drawn_of, options

# What stands for trained numbers, and whether a picture of it says that they were drawn.
SEEDED = [("learned", "", "pe", True), ("swin --window 2x2", "", "bias", True), ("swin --window 2x2", "", "index", False),
          ("swin --window 2x2 --form continuous", " --seed 1", "coordinate_h", False),
          ("swin --window 2x2 --form continuous", " --seed 1", "coordinate_w", False), ("kerple", "", "bias", True),
          ("kerple --r1 1 --r2 1", "", "bias", False), ("kerple --r1 1", "", "r1", False), ("kerple --r1 1", "", "r2", True), ("tupe", "", "bias", True), ("fire", "", "bias", True),
          ("fire", "", "argument", False), ("t5", " --seed 1", "bias", True), ("t5", "", "bucket", False), ("shaw", " --seed 1", "table", True),
          ("shaw --table sinusoidal --dim 8", "", "table", False), ("deberta", " --seed 1", "table", True), ("decomposed --grid 2x2", " --seed 1", "row_table", True),
          ("transformer-xl --dim 8", "", "table", True), ("transformer-xl --dim 8", "", "sinusoid", False), ("floater --dim 8 --dynamics mlp", "", "pe", True),
          ("floater --dim 8", "", "pe", False), ("sinusoidal --dim 8", "", "pe", False), ("alibi", "", "bias", False)]


def columns_of(text):
    """The names in a quantity's `columns`, without its views."""
    return {name for part in text.split("|") for name in part.rpartition(":")[2].split()} if "|" in text else set(text.rpartition(":")[2].split())


def labelled(count, listed):
    """Every column of every quantity has a label of its quantity's own; every field of pe-gen has one; a name that says several things is borrowed by none."""
    for row in listed["quantities"]:
        own = labels.QUANTITIES.get(row["name"], {})
        missing = columns_of(row["columns"]) - own.keys()
        count.check(not missing, f"{row['name']}: no label for {missing}")
        count.check(len(set(own.values()) - {"its standard deviation"}) >= len(own) - 3, f"{row['name']}: labels that say the same")
    for field in listed["fields"]:
        count.check(field["name"] in labels.LABELS and field["name"] in labels.GENERATED, f"no label for {field['name']} of pe-gen")


def ask(bin, *words, form="json"):
    made = subprocess.run([bin / words[0], *words[1:], "--format", form], capture_output=True, timeout=120)
    return made.stdout if not made.returncode else made.stderr.decode()


def picture(data, **given):
    figure, chosen, kind = drawn_of(sources.read_all(["-"], Stdin(data)), **given)
    return figure, chosen, kind


def words_of(figure):
    return " | ".join(text.get_text() for text in figure.findobj(pyplot.Text) if text.get_text()).replace("\n", " ")


# A command, the kind of its picture, and what stands in it.
PICTURES = [
    ("kernel alibi --heads 2 --length 24", "bars", ["least eigenvalue", "eigenvalues below 0"]), ("kernel alibi --heads 2 --length 24 --view eigenvalues", "lines",
     ["eigenvalue on vectors whose sum is 0", "counted from the greatest"]),
    ("kernel t5 --seed 1 --heads 2 --length 64 --view eigenvalues", "lines", ["head 1"]), ("attention alibi --heads 4 --length 64", "lines", ["share without the encoding", "head 3"]),
    ("buckets t5 --view fragile", "fragile", ["distance at a boundary (tokens)", "way of computing it", "torch float32"]), ("margins sinusoidal --length 32", "lines", ["least distance of rows = least of neighbours"]),
    ("shift sinusoidal --dim 8 --k 3", "turns", ["turn k·θ (radians)", "turn of each pair", "half a turn"]), ("shift sinusoidal --dim 8 --k 1,3 --view fit", "fits",
     ["part of the rows that M leaves over", "random tables", "k 3"]), ("shift sinusoidal --dim 8 --k 3 --view matrix", "heatmap", ["to channel", "from channel", "entry of M"]),
    ("context rope --dim 128 --base 10000 --length 1024,2048,4096", "reach", ["distances without a negative sum (tokens)", "least sum of cosines", "the whole length", "extrapolation limit"]),
    ("context rope --dim 128 --length 1024,2048 --versus 'rope --dim 128 --base 500000'", "reach", ["rope --base 500000 --dim 128"]),
    ("interpolation rope --dim 128 --base 10000", "proof", ["the theorem's bound", "a counter-example's error", "times the theorem's bound"]),
    ("interpolation rope --dim 128 --view places", "lines", ["error of a score, max|h| = 1", "place between two positions"]), ("interpolation rope --dim 128 --view curve", "lines",
     ["B(s) over d", "takes for granted"]), ("published --only 'ALiBi|RoFormer|PI|YaRN|T5'", "claims", ["numbers of", "match:", "refuted:", "published numbers"]),
    ("probe sinusoidal --dim 64 --length 64 --view singular", "null", ["random tables, ± 2 standard deviations"]), ("decay alibi --heads 2 --length 32", "lines", ["fall from distance 0"]),
    ("attention alibi --heads 4 --tokens 我爱你", "stack", ["· not drawn: without"]), ("context rope --length 524288,1048576", "reach", ["524288 | 1048576"]),
]


def pictures(count, bin):
    """Each quantity in the picture that belongs to it, with what its numbers are."""
    for line, wanted, texts in PICTURES:
        data = ask(bin, "pe-analyze", *shlex.split(line))
        figure, _, kind = picture(data)
        said = words_of(figure)
        count.check(kind == wanted and all(text in said for text in texts), f"{line}: {kind}, {said[:600]}")
        for axes in figure.axes:
            if axes.axison and axes.get_visible() and axes.get_label() != "<colorbar>" and kind == "lines":
                count.check(axes.get_ylabel(), f"{line}: a panel without a label")
        pyplot.close("all")


def trained(count, bin):
    """Numbers that a seed drew are said to be drawn, above the picture or, under a title of one's own, below it; others are not."""
    for words, seed, field, is_drawn in SEEDED:
        data = ask(bin, "pe-gen", *(words + seed).split(), *([] if "--grid" in words or "--window" in words else ["--length", "6"]), "--fields", field)
        title = style.title_of(choose.choose(sources.read_all(["-"], Stdin(data)), options())[0], None)[0]
        note = f"drawn with seed {seed[-1:] or 0}, not trained"
        count.check((note in title) == is_drawn and ("not trained" in title) == is_drawn, f"{words}{seed} {field}: {title}")
    data = ask(bin, "pe-gen", "learned", "--length", "6", "--seed", "7")
    figure, _, _ = picture(data, title="mine")
    count.check("drawn with seed 7, not trained" in picture(data)[0]._suptitle.get_text(), "above a picture")
    count.check(figure._suptitle.get_text() == "mine" and "drawn with seed 7, not trained" in words_of(figure), "under a title of one's own")
    data = ask(bin, "pe-analyze", "decay", "alibi", "--versus", "kerple --seed 1", "--versus", "kerple --r1 1 --r2 1", "--versus", "t5 --seed 2", "--length", "8", "--view", "curve")
    title = style.title_of(picture(data)[1], None)[0]
    count.check("kerple: drawn with seed 1, not trained · t5: drawn with seed 2, not trained" in title and title.count("not trained") == 2, title)
    count.check(all(drawn.is_drawn(name, {"dynamics": "mlp"}) for name in drawn.NEEDS), "each encoding of trained numbers is drawn where none is given")


def seeded(count, listed):
    """Every encoding that takes a seed is known to be drawn without its numbers, and by parameters that it has."""
    for row in listed["encodings"]:
        names = {option["name"] for option in row["parameters"]}
        count.check(("seed" in names) == (row["name"] in drawn.NEEDS), f"{row['name']} and its seed")
        needed = {name for alternatives in drawn.NEEDS.get(row["name"], {}).values() for alternative in alternatives for name in alternative}
        count.check(needed <= names, f"{row['name']} has no {needed - names}")


# CSV as it comes out of a pipe: the command, and the title that its columns tell.
PIPED = [
    ("pe-gen sinusoidal --length 10 --dim 8", "value by position (0 … 9) and dimension (0 … 7) · as sinusoids of base 10000"), ("pe-gen rope --length 10 --dim 8", "cosine, sine by position (0 … 9) and pair of channels (0 … 3) · as rope of dim 8 and base 10000 has them"),
    ("pe-gen rope --positions 5:9 --dim 64 --base 500000 --tidy", "cosine, sine by position (5 … 8) and pair of channels (0 … 31) · as rope of dim 64 and base 500000 has them"),
    ("pe-gen rope --length 9 --dim 64 --scaling yarn --factor 4 --original-max-position 64", "cosine, sine by position (0 … 8) and pair of channels (0 … 31)"),
    ("pe-gen alibi --fields slope --heads 8", "slope by head (0 … 7) · as ALiBi of 8 heads"), ("pe-gen kerple --seed 1 --heads 4 --length 6", "bias by head (0 … 3), query (0 … 5) and key (0 … 5)"),
    ("pe-gen alibi --heads 4 --length 5 --tidy", "bias by head (0 … 3), query (0 … 4) and key (0 … 4) · as ALiBi of 4 heads"), ("pe-gen sinusoidal --length 5 --dim 8 --tidy", "value by position (0 … 4) and dimension (0 … 7) · as sinusoids of base 10000"),
    ("pe-analyze decay alibi --versus 'kerple --seed 1' --length 8 --view curve", "decay of alibi and kerple --seed 1 · kerple: drawn with seed 1, not trained"),
    ("pe-analyze kernel alibi --heads 2 --length 12", "kernel: least eigenvalue on vectors whose sum is 0, greatest eigenvalue, eigenvalues below 0 by head (0 … 1)"),
    ("pe-analyze context rope --length 1024,2048", "context: first distance with a negative sum, least sum of cosines, extrapolation limit by length (1024 … 2048)"),
    ("pe-analyze buckets t5 --view fragile", "buckets: bucket by whole numbers, bucket by float logarithms by way and distance (16 … 128)"),
]


def piped(count, bin):
    """Through CSV, too, the title says what the columns can: the quantity, the subjects, and the places that are there."""
    for line, wanted in PIPED:
        words = shlex.split(line)
        chosen, _ = choose.choose(sources.read_all(["-"], Stdin(ask(bin, *words, form="csv"))), options())
        said = style.title_of(chosen, None)[0]
        count.check(said == wanted, f"{line} through CSV: {said}")


# What a table's numbers are read as by its first rows, each number of a row its own.
READ = [("pe-gen rope --length 60 --dim 32", "as rope of dim 32 and base 10000"), ("pe-gen sinusoidal --length 60 --dim 16", "as sinusoids of base 10000"),
        ("pe-gen rope --length 70000 --dim 4 --dtype f32", "as rope of dim 4 and base 10000"), ("pe-gen alibi --heads 4 --length 8", "as ALiBi of 4 heads")]


def read_throughout(count, bin):
    """What numbers are is told where all of them are: one other number anywhere, or none at all, and it is not."""
    for line, says in READ:
        rows = ask(bin, *line.split(), form="csv").decode().splitlines()
        for row, other in ((None, ""), (len(rows) - 1, "0.777"), (len(rows) // 2, "nan"), (3, "-7")):
            cells = rows if row is None else [*rows[:row], rows[row].rpartition(",")[0] + "," + other, *rows[row + 1:]]
            title = style.title_of(choose.choose(sources.read_all(["-"], Stdin("\n".join(cells).encode())), options())[0], None)[0]
            count.check((says in title) == (row is None), f"{line} with {other or 'nothing'} changed in row {row}: {title}")
    title = style.title_of(choose.choose(sources.read_all(["-"], Stdin(ask(bin, "pe-gen", "mrope", "--segments", "text:5,image:4x6,text:3", form="csv"))), options())[0], None)[0]
    count.check("as rope" not in title, f"rows of a picture that turn otherwise: {title}")


# Somebody's own tables, and what their titles say.
STRANGERS = [("city,width,length\n1,1,4\n2,3,5\n3,4,9\n", "width, length by city (1 … 3)"), ("epoch,score\n1,1\n2,3\n3,4\n", "score by epoch (1 … 3)"),
             ("run,margin,share\n1,1,4\n2,3,5\n", "margin, share by run (1 … 2)"), ("row,product,cosine\n0,1,2\n1,2,3\n", "product, cosine by row (0 … 1)"),
             ("step,value,null_mean,null_sd,z\n0,1,2,3,4\n1,2,3,4,5\n", "value, null mean, null sd, z by step (0 … 1)")]


def strangers(count, bin):
    """A table is a quantity's where it has all that one view writes along its axes, and anybody's else; the list of them is the tool's own."""
    for text, wanted in STRANGERS:
        fields = sources.read_all(["-"], Stdin(text.encode()))
        said = style.title_of(fields, None)[0]
        count.check(said == wanted, f"{text!r}: {said}")
    listed = json.loads(subprocess.run([bin / "pe-analyze", "list", "--json"], capture_output=True, check=True).stdout)
    for row in listed["quantities"]:
        own = [part.rpartition(": ")[2] for part in row["columns"].split(" | ")]
        ours = [" ".join([*needed, *asked]) for _, needed, asked in columns.views_of(row["name"])]
        count.check(set(own) == set(ours), f"{row['name']}: {own} and not {ours}")
    for line in ("cost", "cost rope", "laws rope", "kernel alibi --heads 2 --length 12 --view eigenvalues", "shift sinusoidal --dim 8 --length 16 --k 3 --view matrix",
                 "attention alibi --heads 2 --length 16 --view summary"):
        fields = sources.read_all(["-"], Stdin(ask(bin, "pe-analyze", *line.split(), form="csv")))
        told = sources.read_all(["-"], Stdin(ask(bin, "pe-analyze", *line.split())))
        count.check({field.quantity for field in fields} == {line.split()[0]} and [field.label for field in fields] == [field.label for field in told], f"{line} through CSV: {[f.label for f in fields]}")


ALIKE = ["precision rope --model llama-3.1-8b --length 64 --view summary", "attention alibi --heads 8 --length 32 --view summary", "decay rope --length 32", "similarity sinusoidal --length 16 --dim 8",
         "kernel alibi --heads 2 --length 12 --view eigenvalues", "cost rope", "interpolation rope --dim 128", "shift sinusoidal --dim 8 --length 16 --k 1,3"]


def whichever_container(count, bin, folder):
    """One command has one picture: its kind, its panels and their order do not come of the container."""
    for line in ALIKE:
        seen = {}
        for form in ("json", "csv", "h5"):
            path = folder / f"alike.{form}"
            subprocess.run([bin / "pe-analyze", *shlex.split(line), "-o", path], capture_output=True, check=True)
            figure, chosen, kind = drawn_of(sources.read_all([str(path)], None))
            seen[form] = (kind, [field.name for field in chosen], [axes.get_ylabel() or axes.get_title(loc="left") for axes in figure.axes if axes.get_visible()], [axes.get_xlabel() for axes in figure.axes])
            pyplot.close("all")
        count.check(seen["json"] == seen["csv"] == seen["h5"], f"{line}: {seen}")
    for words in ("rope --fields sin,inv_freq,cos --dim 8 --length 3", "alibi --fields slope,bias --heads 2 --length 3", "xpos --dim 8 --length 3"):
        names = {}
        for form in ("json", "h5", "npz"):
            subprocess.run([bin / "pe-gen", *words.split(), "-o", folder / f"alike.{form}"], capture_output=True, check=True)
            names[form] = [field.name for field in sources.read(str(folder / f"alike.{form}"), None)]
        count.check(names["json"] == names["h5"] == names["npz"], f"{words}: {names}")


def complex_numbers(count):
    """Arrays of complex numbers, of any format and number of axes: real and imaginary part, each under its name, on one scale."""
    turns = numpy.exp(1j * numpy.outer(numpy.arange(12), [1, 0.1, 0.01])).astype(numpy.complex64)
    files = {"npy": io.BytesIO(), "npz": io.BytesIO(), "h5": io.BytesIO()}
    numpy.save(files["npy"], turns)
    numpy.savez(files["npz"], freqs_cis=turns)
    with h5py.File(files["h5"], "w") as file:
        file["freqs_cis"], file["single"] = turns, turns[1, 1]
    header = json.dumps({"freqs_cis": {"dtype": "C64", "shape": [12, 3], "data_offsets": [0, turns.nbytes]}}).encode()
    data = {name: file.getvalue() for name, file in files.items()} | {"safetensors": len(header).to_bytes(8, "little") + header + turns.tobytes()}
    for form, bytes in data.items():
        figure, chosen, kind = picture(bytes)
        said, images = words_of(figure), [axes.images[0] for axes in figure.axes if axes.images]
        count.check(kind == "heatmap" and [field.name.rpartition(".")[2] for field in chosen] == ["re", "im"] and "real part" in said and "imaginary part" in said
                    and (images[0].get_array() == turns.real).all() and (images[1].get_array() == turns.imag).all() and images[0].get_clim() == images[1].get_clim(), f"complex {form}: {said}")
        pyplot.close("all")
    line = io.BytesIO()
    numpy.save(line, turns[5])
    figure, _, kind = picture(line.getvalue())
    count.check(kind == "lines" and [axes.get_ylabel() for axes in figure.axes] == ["values, real part", "values, imaginary part"], f"one axis of complex numbers: {words_of(figure)}")
    own = io.BytesIO()
    numpy.savez(own, complex=turns)
    count.check(picture(own.getvalue())[2] == "rotors", "pe-gen's own complex turns are drawn on the circle")


def coordinates(count, bin):
    """Coordinates of a position as one curve each, under the names of their axes."""
    for words, names in ((["mrope", "--segments", "text:2,image:2x3"], {"time", "height", "width"}), (["rope-2d", "--grid", "2x3"], {"row", "column"}),
                         (["rope-3d", "--grid", "2x2x3"], {"frame", "row", "column"})):
        figure, _, kind = picture(ask(bin, "pe-gen", *words, "--fields", "coordinate"))
        told = {text.get_text() for text in figure.axes[0].texts} | {text.get_text() for legend in [figure.axes[0].get_legend()] if legend for text in legend.get_texts()}
        count.check(kind == "lines" and told == names and figure.axes[0].get_ylabel() == "coordinate", f"{words}: {kind} {told}")


def all_of(count, bin, folder):
    listed = json.loads(subprocess.run([bin / "pe-analyze", "list", "--json"], capture_output=True, check=True).stdout)
    labelled(count, listed)
    seeded(count, listed)
    pictures(count, bin)
    trained(count, bin)
    piped(count, bin)
    read_throughout(count, bin)
    strangers(count, bin)
    whichever_container(count, bin, folder)
    complex_numbers(count)
    coordinates(count, bin)

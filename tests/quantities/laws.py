# Which laws must hold, and by how much the others are missed, from each encoding's formula.
import atexit
import pathlib
import shutil
import tempfile

import numpy
from judge import ENCODINGS, Case
from mpmath import mpf

WISHES = ["unique", "length-invariant", "distance-by-offset", "bounded", "deterministic"]


def verdicts(**told):
    """By law, underscores for dashes; the others hold."""
    def truth(row):
        verdict = told.get(row["law"].replace("-", "_"), "holds")
        return {"verdict": verdict, "obeyed": {"holds": "yes", "fails": "no"}.get(verdict, row["obeyed"])}
    return truth


def worst(**numbers):
    return lambda row: {"worst": numbers[row["law"].replace("-", "_")]} if row["law"].replace("-", "_") in numbers else {}


# What no reader of a paper would doubt.
BARE = {
    ("sinusoidal", "unique"): "holds", ("sinusoidal", "linear-shift"): "holds", ("sinusoidal", "relative-only"): "noted",
    ("sinusoidal", "toeplitz"): "no meaning", ("index", "unique"): "holds", ("index", "bounded"): "noted", ("normalized-index", "length-invariant"): "noted",
    ("rope", "relative-only"): "holds", ("rope", "norm-preserving"): "holds", ("rope", "unique"): "no meaning", ("xpos", "norm-preserving"): "noted",
    ("alibi", "slopes"): "holds", ("alibi", "falls-with-distance"): "holds", ("t5", "buckets-monotone"): "holds", ("shaw", "clipped"): "holds",
    ("kerple", "toeplitz"): "holds", ("transformer-xl", "rel-shift"): "holds", ("deberta", "expansion"): "holds", ("swin", "rel-shift"): "no meaning",
}
OBEYED = {("index", "bounded"): "no", ("normalized-index", "length-invariant"): "no", ("normalized-index", "bounded"): "yes",
          ("xpos", "norm-preserving"): "no", ("sinusoidal", "relative-only"): "no", ("rope", "slopes"): "unknown"}




def matrix(row):
    at = row["subject"], row["law"]
    return {**({"verdict": BARE[at]} if at in BARE else {}), **({"obeyed": OBEYED[at]} if at in OBEYED else {})}


# Rows of which every two are at right angles but the first and one other.
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="pe-laws-"))
atexit.register(shutil.rmtree, FOLDER, True)
LONELY = []
for rows, away in ((10, 6), (10, 7), (20, 5), (20, 13), (33, 17), (33, 31)):
    products = numpy.eye(rows)
    products[0, away] = products[away, 0] = .5
    numpy.save(FOLDER / f"lonely_{rows}_{away}.npy", numpy.linalg.cholesky(products))
    LONELY.append(Case(f"laws learned --input {FOLDER}/lonely_{rows}_{away}.npy --length {rows} --laws distance-by-offset --dtype f64",
                       lambda row: {"obeyed": "no", "worst": mpf(1) / 2}, count=1))

CASES = [
    *LONELY,
    Case("laws sinusoidal --laws wishes", verdicts(), count=5),
    Case("laws sinusoidal --laws wishes --dtype bf16 --length 300", verdicts(), count=5),
    Case("laws index --laws wishes", verdicts(bounded="fails", distance_by_offset="fails"), count=5, notes=["fails distance-by-offset, bounded"]),
    Case("laws index --length 300 --laws bounded,distance-by-offset", worst(bounded=298, distance_by_offset=299 * 298), count=2),
    Case("laws normalized-index --laws wishes", verdicts(length_invariant="fails", distance_by_offset="fails"), count=5),
    Case("laws normalized-index --length 101 --laws distance-by-offset", worst(distance_by_offset=mpf(99) / 100), count=1),
    Case("laws learned --laws wishes", verdicts(distance_by_offset="fails"), count=5),
    Case("laws rope --laws wishes", verdicts(unique="no meaning", distance_by_offset="no meaning", bounded="no meaning"), count=5),
    Case("laws rope --model llama-3.1-8b --laws relative-only,turns-add,norm-preserving", verdicts(), count=3),
    Case("laws rope --scaling yarn --factor 4 --original-max-position 2048 --laws unit-pairs,relative-only", verdicts(), count=2),
    Case("laws xpos --laws norm-preserving,relative-only", verdicts(norm_preserving="fails"), count=2),
    Case("laws alibi --symmetric --laws symmetric,causal", verdicts(causal="fails"), count=2),
    Case("laws t5 --laws toeplitz,order-sensitive", verdicts(), notes=["are drawn, as before training (--seed 0): trained ones are given by --weights"], count=2),
    Case("laws rope --laws toeplitz --versus alibi", lambda row: {"verdict": "no meaning" if row["subject"] == "rope" else "holds"}, count=2),
    Case("laws", matrix, count=ENCODINGS * 31, notes=["normalized-index: ", "deberta: "]),
    # −inf where a key is masked is the mask; anywhere else no number is finite that is none.
    Case("laws --laws finite --length 16", lambda row: {"verdict": "holds"}, count=ENCODINGS),
    Case("laws --laws finite --length 16 --versus 'alibi --heads 3 --causal --length 9'", lambda row: {"verdict": "holds"}, count=ENCODINGS + 1),
    Case("laws alibi --laws finite --dtype f16 --positions 0:200000:20000", lambda row: {"verdict": "fails"}, count=1),
    Case("laws alibi --laws slope", None, fails="did you mean slopes?"),
    Case("laws alibi --laws ,", None, fails="--laws names no law"),
    Case("laws --laws slope", None, fails="did you mean slopes?"),
    Case("laws --length 0", None, fails="--length"),
    Case("laws --bogus", None, fails="unknown option '--bogus'"),
    Case("laws learned --positions 600:700", None, fails="lie outside the table, which has 512 rows"),
    Case("laws alibi --heads 60000 --timeout 2", None, fails="31 laws of 512 positions and 60000 heads would take about"),
    Case("laws fire --hidden 60000 --timeout 2", None, fails="fewer --laws, a smaller --hidden"),
    Case("laws floater --dynamics mlp --length 20000 --timeout 2", None, fails="would take about"),
    Case("laws floater --dynamics mlp --length 60000 --laws finite --timeout 2", None, fails="would take about"),
    Case("spectrum", None, fails="needs the name of an encoding"),
]

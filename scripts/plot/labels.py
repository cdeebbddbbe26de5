# What numbers are called in a picture, with their units: axes by the one list of them, fields of pe-gen by their names, columns of pe-analyze by their quantity.
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
ROWS = next(path for path in (HERE / "axes.def", HERE.parents[1] / "lib/pe/io/axes.def") if path.exists())  # installed, or in the source
LISTED = re.findall(r'^PE_AXIS\((\w+), "([^"]+)", (place|measure|shown)\)$', ROWS.read_text(encoding="utf-8"), re.M)
PLACES = {name for name, _, kind in LISTED if kind != "shown"}  # names of places even where the grid has one entry along them, or is not whole
LABELS = {
    **{name: label for name, label, _ in LISTED}, "pe": "value", "slope": "slope (per token)",
    "bias": "bias", "inv_freq": "frequency (radians per token)", "wavelength": "wavelength (tokens)", "cos": "cosine", "sin": "sine",
    "ratio": "frequency, scaled over unscaled", "attention_factor": "attention factor", "angle": "angle (radians)", "complex": "cos + i sin",
    "matrix": "entry of R", "drift": "distance from the exact solution", "query_cos": "cosine · the query's scale", "query_sin": "sine · the query's scale",
    "key_cos": "cosine · the key's scale", "key_sin": "sine · the key's scale", "query_scale": "the query's scale", "key_scale": "the key's scale",
    "argument": "argument of the bias", "r1": "first parameter of the kernel, r1", "r2": "second parameter of the kernel, r2",
    "compression": "compression of the common bias", "sinusoid": "value", "table": "entry of the table", "row_table": "entry, by difference of rows",
    "column_table": "entry, by difference of columns", "value_table": "entry, added to the value", "coordinate": "coordinate", "coordinate_h": "difference of rows, as the perceptron sees it",
    "coordinate_w": "difference of columns, as the perceptron sees it",
}
EIGEN = "on vectors whose sum is 0"
QUANTITIES = {
    "spectrum": {"frequency": "frequency (radians per token)", "unscaled": "frequency before scaling (radians per token)", "ratio": "frequency, scaled over unscaled",
                 "wavelength": "wavelength (tokens)", "turns_trained": "turns within the trained length", "turns": "turns within the wanted length",
                 "seen": "share of a period that training shows", "axis": "coordinate that is read"},
    "scaling": {"ratio": "frequency, scaled over unscaled", "frequency": "frequency (radians per token)", "unscaled": "frequency before scaling (radians per token)",
                "wavelength": "wavelength (tokens)", "gamma": "share of the frequency that is kept", "attention_factor": "attention factor",
                "angle": "angle over the largest of training", "leaves": "leaves the angles of training (1: yes)", "extension": "reach (trained lengths)",
                "usable_extension": "reach of the whole rule (trained lengths)"},
    "context": {"first_negative": "first distance with a negative sum (tokens)", "negatives": "distances with a negative sum", "minimum": "least sum of cosines",
                "at": "distance of the least sum (tokens)", "critical_dim": "channels that turn in full in training", "extrapolation_limit": "extrapolation limit (tokens)"},
    "base-bound": {"base": "least base that carries it", "active": "distance that decides it (tokens)", "safe_base": "base above which all carry it",
                   "valid_share": "share of bases between that do"},
    "decay": {"abel": "RoFormer's bound, mean of |S_j|", "sum": "sum of cosines", "mean": "mean of cosines", "ones": "score of ones",
              "gaussian_mean": "mean score of normal vectors", "gaussian_sd": "its standard deviation", "triangle": "largest |Σ h_j·e^{imθ}|",
              "envelope": "largest sum with one phase", "drawn_mean": "mean score of drawn vectors", "drawn_sd": "its standard deviation", "product": "mean product of two rows",
              "share": "score over that at distance 0", "cosine": "mean cosine of two rows", "sd": "standard deviation of products", "bias": "bias (added to the score)",
              "fall": "fall from distance 0", "weight": "attention beside distance 0", "score": "score"},
    "similarity": {**{f"{name}{end}": f"{text}{said}" for name, text in (("product", "inner product"), ("cosine", "cosine of rows")) for end, said in
                      (("", ""), ("_min", ", least"), ("_max", ", greatest"), ("_sd", ", standard deviation"))},
                   "mean": "mean |difference|", "rms": "root mean square of differences", "largest": "largest |difference|"},
    "shift": {"angle": "turn k·θ (radians)", "cos": "cosine of the turn", "sin": "sine of the turn", "first": "channel of the sine", "second": "channel of the cosine",
              "residual": "part that is left over", "m": "entry of M", "rank": "rank", "fitted": "rows of each fit", "residual_fitted": "part left of the fitted rows",
              "null_mean": "part left of random tables", "null_sd": "its standard deviation"},
    "attention": {"weight": "share of attention", "spread": "standard deviation of the share", "without": "share without the encoding", "entropy": "entropy (nats)",
                  "entropy_without": "without encoding (nats)", "keys": "keys, as if evenly", "mean_distance": "mean distance (tokens)",
                  **{f"distance_{p}": f"{p} % within (tokens)" for p in (50, 90, 99)}, "receptive_field": "receptive field (tokens)", "sink": "share of the first key",
                  "self": "share at distance 0", "kept": "in the score (1: yes)", "mean": "mean of the term", "rms": "root mean square of the term", "largest": "largest |term|",
                  "across_keys": "rms about each query's mean"},
    "buckets": {"first": "least distance (tokens)", "last": "greatest distance (tokens)", "width": "relative positions that share it", "pairs": "pairs of query and key",
                "side": "side of the key", "bucket": "bucket", "exact": "bucket by whole numbers", "got": "bucket by float logarithms", "differs": "differs (1: yes)",
                "margin": "place less the nearest boundary (buckets)"},
    "precision": {"worst": "worst error of a value", "rms": "root mean square error", "angle": "worst error of an angle (radians)",
                  "score_rms": "rms change of a score with the position",
                  "score_worst": "largest change of a score with the position", "score_expected": "expected change of a score with the position",
                  "distinct": "different positions", "first": "first wrong position (tokens)",
                  "at": "position of the worst (tokens)", "repeated": "first repeated position (tokens)"},
    "margins": {"margin": "least distance of rows", "share": "least distance over the rows' norm", "first": "position of the one (tokens)", "second": "position of the other (tokens)",
                "collisions": "rows equal to an earlier one", "adjacent": "least of neighbours"},
    "kernel": {"min": f"least eigenvalue {EIGEN}", "max": "greatest eigenvalue", "negative": "eigenvalues below 0", "cpd": "conditionally positive definite",
               "error": "error of an eigenvalue", "eigenvalue": f"eigenvalue {EIGEN}"},
    "interpolation": {"published_constant": "the theorem's constant", "sharp_constant": "the constant it should be", "published": "the theorem's bound", "sharp": "the least bound that holds",
                      "counter_example": "a counter-example's error", "excess": "counter-example over bound", "sum_of_squares": "Σ θ²", "sum_assumed": "Σ θ² that the proof assumes",
                      "published_ratio": "the theorem's ratio", "honest_ratio": "the ratio that holds", "B": "B(s)", "B_over_d": "B(s) over d"},
    "drift": {"error": "error (distance from the solution)", "worst": "worst error up to here", "distance": "distance of the row from the solution", "norm": "norm over the solution's",
              "fastest": "length of the first pair over its first"},
    "exposure": {"probability": "probability that training shows it", "standard_error": "standard error of the probability", "least": "least relative position in its stead (tokens)",
                 "most": "greatest relative position in its stead (tokens)"},
    "probe": {"value": "value of the table", "null_mean": "mean of random tables", "null_sd": "standard deviation of random tables", "z": "spreads of random tables from their mean"},
    "cost": {"parameters": "trained numbers", "stored": "numbers kept", "flops_once": "operations, per token", "flops_layer": "operations, per token and layer",
             "bytes_once": "bytes, per token", "bytes_layer": "bytes, per token and layer", "of_attention": "share of attention", "width": "channels of the model", "length": "keys of a query (tokens)",
             "rows": "positions that have a value", "saturation": "alike from this distance on (tokens)", "trained": "trained length (tokens)", "beyond": "beyond it"},
    "plan": {"rank": "rank", "rule": "rule", "factor": "factor", "attention_factor": "attention factor", "beyond": "pairs beyond training", "usable": "usable length (tokens)",
             "first_negative": "first negative sum (tokens)", "negatives": "distances with a negative sum", "minimum": "least sum of cosines", "resolution": "resolution kept",
             **{f"error_{kind}": f"error in {kind.replace('_', ', ')}" for kind in ("f32", "f16", "bf16", "bf16_angles")}, "reason": "reason", "config": "config"},
    "laws": {"verdict": "verdict", "obeyed": "obeyed", "worst": "largest deviation", "bound": "bound of rounding", "why": "why", "statement": "what the law says"},
    "published": {"paper": "paper", "place": "place", "what": "what it is", "printed": "as printed", "ours": "recomputed", "verdict": "verdict", "reason": "reason", "holds": "as judged",
                  "command": "command", "value": "number of the command"},
}
AXES = {("kernel", "index"): "eigenvalue, counted from the greatest"}
COORDINATES = {"mrope": ["time", "height", "width"], "rope-2d": ["row", "column"], "rope-3d": ["frame", "row", "column"]}  # what the coordinates of a position are
GENERATED = {"pe", "inv_freq", "wavelength", "drift", "cos", "sin", "ratio", "attention_factor", "angle", "complex", "matrix", "query_cos", "query_sin", "key_cos", "key_sin",
             "query_scale", "key_scale", "coordinate", "coordinate_h", "coordinate_w", "bias", "slope", "bucket", "index", "argument", "r1", "r2", "compression", "sinusoid", "table", "row_table", "column_table",
             "value_table"}  # what pe-gen writes


def is_known(name):
    """Whether it is what the tools call numbers or words of theirs."""
    return name in LABELS or any(name in columns for columns in QUANTITIES.values())


def axis_label(name, quantity=""):
    return AXES.get((quantity, name)) or label(name)


def label(name, quantity=""):
    for ending, part in ((".re", "real part"), (".im", "imaginary part")):
        if name.endswith(ending):
            return f"{label(name.removesuffix(ending))}, {part}"
    return QUANTITIES.get(quantity, {}).get(name) or LABELS.get(name, name.replace("_", " "))

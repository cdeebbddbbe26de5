# Which columns a quantity of pe-analyze writes at once, and in which order: what a table without a provenance is known by, and how fields of every container stand.
import re

from plot import labels

# By quantity: its views, each as the axes one of which its numbers stand along, and its columns; those in brackets are there where they are asked for.
VIEWS = {
    "spectrum": ["pair: frequency unscaled ratio wavelength turns_trained turns seen axis"],
    "scaling": ["pair: ratio frequency unscaled wavelength gamma attention_factor angle leaves extension usable_extension"],
    "context": ["length: first_negative negatives minimum at critical_dim extrapolation_limit"],
    "base-bound": ["length: base active safe_base valid_share"],
    "decay": ["distance: abel sum mean ones gaussian_mean gaussian_sd triangle envelope [drawn_mean drawn_sd]", "distance: product share cosine sd",
              "distance: bias fall weight", "distance: score fall weight share"],
    "similarity": ["lag: product product_min product_max product_sd cosine cosine_min cosine_max cosine_sd", "position column: product cosine", "dim: mean rms largest"],
    "shift": ["pair: angle cos sin first second residual", "from: m", "k: rank fitted residual_fitted residual null_mean null_sd"],
    "attention": ["distance: weight spread without",
                  "head: entropy entropy_without keys mean_distance distance_50 distance_90 distance_99 receptive_field sink self", "key: weight without",
                  "term: kept mean rms largest across_keys"],
    "buckets": ["bucket: first last width pairs side", "relative_position: bucket", "distance: exact got differs margin"],
    "precision": ["position: worst rms angle score_rms score_worst score_expected distinct", "pipeline: first worst at rms angle distinct repeated"],
    "margins": ["length: margin share first second collisions adjacent"],
    "kernel": ["head: min max negative cpd error", "index: eigenvalue"],
    "interpolation": ["dim: published_constant sharp_constant published sharp counter_example excess sum_of_squares sum_assumed published_ratio honest_ratio",
                      "place: published sharp counter_example", "distance: B B_over_d"],
    "drift": ["position: error worst distance norm fastest"],
    "exposure": ["distance: probability standard_error least most"],
    "probe": ["statistic component mode: value null_mean null_sd z"],
    "cost": ["encoding subject: parameters stored flops_once flops_layer bytes_once bytes_layer of_attention width length rows saturation trained beyond"],
    "plan": ["candidate: rank rule factor attention_factor beyond usable first_negative negatives minimum resolution error_f32 error_f16 error_bf16 error_bf16_angles "
             "reason config"],
    "laws": ["law: verdict obeyed worst bound why statement"],
    "published": ["claim: paper place what printed ours verdict reason holds command value"],
}
UNASKED = ["pe", "cos", "sin", "query_cos", "query_sin", "key_cos", "key_sin", "bias", "bucket", "q", "k", "v", "q_out", "k_out", "logits", "attention", "output"]  # of pe-gen and pe-apply
TWICE = {"cost": "encoding"}  # a subject of one row that is called as it is: CSV has its name twice, the second time as a column


def views_of(quantity):
    """(the axes, the columns, those that may be missing) of each view."""
    for view in VIEWS.get(quantity, []):
        axes, _, columns = view.partition(": ")
        whole, _, asked = columns.partition("[")
        yield set(axes.split()), whole.split(), asked.rstrip("]").split()


def quantity_of(fields):
    """The quantity all of whose columns these are; "" where they are fewer or others, as anybody's may be called so."""
    names, axes = {field.name for field in fields}, {axis.name for field in fields for axis in field.axes}
    for quantity in VIEWS if not names <= labels.GENERATED else ():
        for along, needed, asked in views_of(quantity):
            if set(needed) <= names - {TWICE.get(quantity)} <= {*needed, *asked} and along & axes:
                return quantity
    return ""


def ranked(fields, order):
    """The fields as the order has them, the others behind it as they came."""
    ranks = {name: rank for rank, name in enumerate(dict.fromkeys(order))}
    return sorted(fields, key=lambda field: ranks.get(field.name, len(ranks)))


def in_order(fields):
    """Fields of one file as their quantity lists them, whichever container they come from."""
    quantity = next((field.quantity for field in fields if field.quantity), "")
    return ranked(fields, [name for _, needed, asked in views_of(quantity) for name in (*needed, *asked)])


def as_asked(fields):
    """Fields that a container sorted by their names, as the command that wrote them asked for them, or as the tools have them unasked."""
    command = str(next((field.about["command"] for field in fields if "command" in field.about), ""))
    asked = re.search(r"--fields[ =]'?([\w,]+)", command)
    return ranked(fields, [*(asked[1].split(",") if asked else []), *UNASKED])

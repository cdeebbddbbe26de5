# Which picture belongs to which fields.
import dataclasses

import numpy

from plot import buckets, curves, parts, quantities, special, style, tables, wavelengths
from plot.field import Fault
from plot.style import asking

# What each kind draws, and from what.
KINDS = {"heatmap": tables.heatmap, "stack": tables.stack, "waves": tables.waves, "lines": curves.lines, "bars": curves.bars, "words": tables.words,
         "stairs": buckets.stairs, "fan": special.fan, "rotors": special.rotors, "wavelengths": wavelengths.wavelengths, "runs": buckets.runs,
         "null": special.beside_null, "bound": special.bound,
         "reach": quantities.reach, "turns": quantities.turns, "fits": quantities.fits, "proof": quantities.proof, "fragile": quantities.fragile,
         "claims": quantities.claims}

# Tables that are known by their fields: what is drawn of them unless something else is asked for.
KNOWN = [
    ({"wavelength", "turns", "seen"}, ["wavelength", "unscaled", "turns", "turns_trained", "axis"], "wavelengths"),
    ({"ratio", "gamma", "usable_extension"}, ["ratio"], "lines"),
    ({"value", "null_mean", "null_sd", "z"}, ["value", "null_mean", "null_sd", "z"], "null"),
    ({"first", "last", "width", "pairs"}, ["first", "last", "side"], "runs"),
    ({"abel", "triangle", "gaussian_mean"}, ["mean", "abel", "ones"], "lines"),
    ({"product", "cosine", "product_sd"}, ["product", "product_min", "product_max", "cosine", "cosine_min", "cosine_max"], "lines"),
    ({"angle", "residual", "first", "second"}, ["angle", "residual"], "turns"),
    ({"residual", "residual_fitted", "null_mean", "null_sd"}, ["residual", "residual_fitted", "null_mean", "null_sd"], "fits"),
    ({"exact", "got", "differs", "margin"}, ["exact", "got"], "fragile"),
    ({"published", "sharp", "counter_example", "excess"}, ["published", "sharp", "counter_example", "excess"], "proof"),
    ({"B", "B_over_d"}, ["B_over_d"], "lines"),
    ({"paper", "printed", "ours", "verdict"}, ["paper", "verdict"], "claims"),
    ({"weight", "without"}, ["weight", "without"], "lines"),
    ({"worst", "rms", "score_rms"}, ["worst", "score_worst"], "lines"),
    ({"margin", "share", "collisions"}, ["margin", "adjacent"], "lines"),
    ({"error", "fastest", "norm"}, ["error"], "lines"),
    ({"probability", "standard_error"}, ["probability"], "lines"),
    ({"base", "safe_base", "valid_share"}, ["base", "safe_base"], "bound"),
    ({"rank", "resolution", "error_f32"}, ["usable", "minimum", "negatives", "resolution", "error_bf16"], "bars"),
    ({"flops_layer", "bytes_layer"}, ["parameters", "flops_layer", "bytes_layer", "of_attention"], "bars"),
    ({"first_negative", "minimum", "extrapolation_limit"}, ["first_negative", "minimum", "extrapolation_limit"], "reach"),
    ({"first_negative", "negatives", "minimum"}, ["first_negative", "minimum", "negatives"], "lines"),
    ({"mean", "rms", "largest"}, ["rms"], "lines"),
    ({"min", "max", "negative", "cpd"}, ["min", "max", "negative"], None),  # by their axes
    ({"verdict", "obeyed"}, ["verdict"], "words"),
]
CURVED = {"head", "k", "subject"}  # axes of numbers whose places are compared, not painted
ONE_FIELD = ("stack", "stairs", "fan", "words")  # kinds that draw one at a time
ONE_INPUT = (*ONE_FIELD, "rotors", "wavelengths", "runs", "null", "bound", "reach", "turns", "fits", "proof", "fragile", "claims")


def kind_of(field):
    """The kind that one field asks for, by its axes and its name."""
    if field.words:
        return "words"
    count, named = field.values.ndim, [axis.named for axis in field.axes]
    if count == 1:
        if named[0] or len(field.axes[0]) == 1 or field.axes[0].name == "head" and field.name != "slope":
            return "bars"
        return {"bucket": "stairs", "slope": "fan"}.get(field.name, "lines")
    if count == 2:
        if len(field.axes[-1]) == 1 or any(named) and not all(named) or field.axes[0].name in CURVED:
            return "lines"
        return "heatmap"
    if count == 3 and field.name == "complex" and len(field.axes[2]) == 2:
        return "rotors"
    if count == 3:
        return "lines" if named[0] and (named[1] or field.axes[1].name in CURVED) or field.axes[1].name in CURVED and not named[2] else "stack"
    raise Fault(f"{field.name} has {count} axes, {', '.join(axis.name for axis in field.axes)}: choose with {asking(field.axes[0], 0)}")


def known(fields):
    """(the fields that are drawn, kind) of a table that is known by its fields; None for others."""
    names = {field.name for field in fields}
    for marks, shown, kind in KNOWN:
        found = [field for name in shown for field in fields if field.name == name]
        if marks <= names and found:
            return found, kind if kind and suits(found[0], kind) else kind_of(found[0])
    return None


def suits(field, kind):
    """Curves and bars are of what stands along few places besides the numbers; attention by query and key is a map, and terms by name are bars."""
    axes = {axis.name for axis in field.axes}
    if kind == "proof":  # of several subjects each bound is a panel
        return field.values.size == 1 or not all(axis.named for axis in field.axes)
    return kind not in ("lines", "bound") or not ({"query", "key"} <= axes or all(axis.named for axis in field.axes) or field.values.size == 1)


def finite(field):
    return field.words or numpy.isfinite(field.values).any()


def cut(fields, kind, options):
    """As many as a picture has room for, and the word that these are not all; what was named with --field is for the kind to judge."""
    if kind in ONE_INPUT and len(sources := dict.fromkeys(field.source for field in fields)) > 1:
        raise Fault(f"{style.listed(list(sources))} are not drawn together as {kind}, which shows one file: draw each by itself"
                    + (f", or --kind lines --field {NAMED[kind][0]} draws curves of all" if kind in ("wavelengths", "reach", "bound") else ""))
    if kind in ONE_FIELD and options.field and len(fields) > 1:
        raise Fault(f"there are {', '.join(f.name for f in fields)}: choose one with --field {fields[0].name}")
    if options.field or kind not in ("lines", "bars", "heatmap", *ONE_FIELD):
        return fields
    groups = curves.panels_of(curves.bands(fields)[0]) if kind == "lines" else [[field] for field in fields]
    if kind in ("lines", "bars"):  # which have no panel for what has no finite number
        groups = [group for group in groups if any(finite(field) for field in group)] or groups
    most = 1 if kind in ONE_FIELD else 6
    if len(groups) <= most or kind == "heatmap" and len(fields) <= most:
        return fields
    kept = {field.name for group in groups[:most] for field in group} | {field.name for field in fields if kind in ("lines", "bars") and not finite(field)}
    fields = [field for field in fields if field.name in kept or kind == "lines" and field.name.rpartition("_")[0] in kept]
    said = f"{most} of {len(groups)} quantities" if most > 1 else f"not drawn: {', '.join(dict.fromkeys(g[0].name for g in groups[1:]))}"
    return [dataclasses.replace(field, beside=said) for field in fields]


def choose(fields, options):
    """(fields, kind): what goes into the picture; of every input something."""
    chosen, kind = chosen_of(fields, options)
    drawn = {field.source for field in chosen}
    for field in fields:
        if field.source not in drawn:
            raise Fault(f"{field.source} has nothing that stands along {style.listed([axis.name for axis in chosen[0].axes])}, as {chosen[0].name} of "
                        f"{chosen[0].source} does: draw it by itself")
    return chosen, kind


def chosen_of(fields, options):
    for text in options.at:
        fields = parts.at(fields, text)
    if options.field:
        fields = parts.by_name(fields, options.field)
    kind = options.kind or next((kind for marks, _, kind in KNOWN if marks <= {field.name for field in fields}), "")
    fields = [parts.first_parts(parts.drop_single(field, kind)) for field in parts.drop_implied(fields)]
    if options.columns is not None:
        fields = [parts.columns(field, options.columns) for field in fields]
    fields = [parts.as_maps(field) for field in fields]
    if options.kind:
        return cut(fitting(fields, options.kind, True), options.kind, options), options.kind
    if not options.field and (found := known(fields)):
        return cut(fitting(found[0], found[1]), found[1], options), found[1]
    numbers = [field for field in fields if not field.words] or fields
    kind = kind_of(numbers[0])
    alike = [field for field in fitting(numbers, kind) if kind_of(field) == kind and same_axes(field, numbers[0], kind)]
    return cut(alike, kind, options), kind


def same_axes(field, first, kind):
    """A picture has one axis to the right, of one meaning."""
    if kind in ("lines", "heatmap"):
        return [a.name for a in field.axes] == [a.name for a in first.axes]
    return field.axes == first.axes


NEEDS = {"bars": (1, False), "heatmap": (2, False), "stack": (3, False), "waves": (2, False), "stairs": (1, False), "fan": (1, False), "words": (None, True), "claims": (1, True)}


PLACED = {"stairs", "fan", "rotors", "wavelengths", "bound", "reach", "turns", "waves"}  # kinds whose last axis has numbers


# Kinds that put fields of certain names together, and what else they draw of them.
NAMED = {"wavelengths": ["wavelength"], "bound": ["base", "safe_base"], "fan": ["slope"], "null": ["value", "null_mean", "null_sd", "z"],
         "runs": ["first", "last"],
         "reach": ["first_negative", "minimum"], "turns": ["angle"], "fits": ["residual", "residual_fitted", "null_mean", "null_sd"],
         "proof": ["published", "sharp", "counter_example"], "fragile": ["exact", "got"], "claims": ["paper", "verdict"]}
BESIDE = {"wavelengths": ["unscaled", "turns", "turns_trained", "axis"], "reach": ["extrapolation_limit"], "turns": ["residual"], "proof": ["excess"],
          "runs": ["side"]}


AIDS = {"wavelengths": ("unscaled", "turns", "turns_trained", "axis")}  # of these the lines of lengths are made, and they are not seen


def seen(fields, kind):
    """The fields of a picture that are seen in it by their own numbers: what its title names."""
    return [field for field in fields if field.name not in AIDS.get(kind, ())] or fields


def fitting(fields, kind, asked=False):
    """The fields that a kind can draw, which somebody asked for or which is their own."""
    there = list(dict.fromkeys(field.name for field in fields))
    if missing := [name for name in NAMED.get(kind, []) if name not in there]:
        raise Fault(f"--kind {kind} needs {style.listed(missing)}, and there is {style.listed(there[:6])}: leave --kind out")
    count, words = NEEDS.get(kind, (None, False))
    drawn = {"complex"} & set(there) or {"cos", "sin"} if kind == "rotors" else {*NAMED.get(kind, there), *BESIDE.get(kind, [])}
    found = [field for field in fields if (field.words == words or field.name in BESIDE.get(kind, [])) and (count is None or field.values.ndim == count) and field.name in drawn]
    if kind == "rotors" and not any(field.values.ndim == (3 if field.name == "complex" else 2) for field in found):
        raise Fault("rotors need the fields cos and sin along two axes, such as position and pair, or complex")
    if kind in PLACED and found and found[0].axes[-1].named:
        raise Fault(f"--kind {kind} needs numbers along places: {found[0].name} stands along the names of {found[0].axes[-1].name or 'one number'}")
    if kind == "bars" and found:
        found = [field for field in found if field.axes == found[0].axes]  # which share the names at their side
    if not found:
        needed = f"a field with {count} {'axis' if count == 1 else 'axes'}"
        told = ", ".join(f"{field.name} has {'words' if field.words else field.values.ndim}" for field in fields[:6])
        more = next((field for field in fields if count and field.words == words and field.values.ndim > count), None)
        if more and not asked:
            raise Fault(f"{more.name} stands along {style.listed([axis.name for axis in more.axes])}, and {kind} along {count} alone: choose with {asking(more.axes[0], 0)}")
        raise Fault(f"--kind {kind} needs {'words' if words else needed if count else 'numbers'}: {told}" + (f": choose with {asking(more.axes[0], 0)}" if more else ""))
    return found

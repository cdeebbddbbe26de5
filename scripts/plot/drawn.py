# Which numbers of a picture were drawn with a seed, for want of trained ones: what was said of the subject tells it.
import re

# What each encoding reads its trained numbers from: alternatives, each a set of parameters that are all given. Some fields need fewer.
NEEDS = {
    "learned": {"": [{"input"}]},
    "floater": {"": [{"initial", "weight1", "weight2"}]},
    "t5": {"": [{"weights"}]},
    "tupe": {"": [{"table", "projection", "relative-weights"}]},
    "kerple": {"": [{"weights"}, {"r1", "r2"}], "r1": [{"weights"}, {"r1"}], "r2": [{"weights"}, {"r2"}]},
    "fire": {"": [{"hidden-weight", "hidden-bias", "output-weight", "output-bias"}]},
    "swin": {"": [{"weights"}, {"hidden-weight", "hidden-bias", "output-weight"}]},
    "shaw": {"": [{"keys", "values"}], "table": [{"keys"}], "value_table": [{"values"}]},
    "decomposed": {"": [{"row-vectors", "column-vectors"}], "row_table": [{"row-vectors"}], "column_table": [{"column-vectors"}]},
    "transformer-xl": {"": [{"projection", "u", "v"}], "table": [{"projection"}]},
    "deberta": {"": [{"position-keys", "position-queries"}]},
}
COUNTED = {"bucket", "index", "argument", "sinusoid", "coordinate", "coordinate_h", "coordinate_w"}  # fields that no trained number is in
MEASURED = {"decay", "similarity", "shift", "attention", "precision", "margins", "kernel", "drift", "probe", "laws"}  # quantities that trained numbers are in


def is_drawn(encoding, given, field=""):
    """Whether an encoding's numbers come of a seed, with these parameters by name and value."""
    needs = NEEDS.get(encoding)
    if not needs or field in COUNTED or encoding == "shaw" and given.get("table") == "sinusoidal":
        return False
    if encoding == "floater" and given.get("dynamics", "rotation") != "mlp":  # it starts at the sinusoid's row, or where it is told to
        return given.get("dynamics") == "zero" and "initial" not in given
    return not any(alternative <= given.keys() for alternative in needs.get(field, needs[""]))


def said(names, seed):
    return f"{', '.join(names)}{': ' if names else ''}drawn with seed {seed:g}, not trained"


def seed_of(given):
    try:
        return float(given.get("seed", 0))
    except (TypeError, ValueError):
        return 0.0


def of_text(text):
    """(encoding, parameters) of a subject as --versus takes it."""
    words = text.split()
    return (words[0] if words else ""), dict(re.findall(r"--([\w-]+)[ =]?(\S*)", text))


def drawn(fields):
    """What a title says of numbers that were drawn; "" where none were."""
    notes = {}
    for field in fields:
        if field.quantity and field.quantity not in MEASURED:
            continue
        own = {key[len("parameter."):]: value for key, value in field.about.items() if key.startswith("parameter.") and not key.endswith(".origin") and value not in (None, "")}
        subjects = [(index, text) for axis in field.axes if axis.name == "subject" and axis.named for index, text in enumerate(axis.places)]
        subjects = subjects or [(index, text) for axis, text, index in field.held if axis == "subject"]
        if not subjects and is_drawn(str(field.about.get("encoding", "")), own, "" if field.quantity else field.name):
            notes.setdefault(seed_of(own), []).append(field.source)
        for index, subject in subjects:
            encoding, given = of_text(subject)
            given = {**(own if index == 0 and encoding == field.about.get("encoding") else {}), **given}
            if is_drawn(encoding, given):
                notes.setdefault(seed_of(given), []).append(encoding)
    return " · ".join(said(list(dict.fromkeys(filter(None, names))), seed) for seed, names in notes.items())

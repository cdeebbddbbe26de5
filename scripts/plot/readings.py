# What bare numbers are beside the commonest encodings: told in a title only where every number agrees.
import numpy

AGREES = 1e-3  # relative, of one step of a ladder; f32 tables of positions near 0 keep far more


def base_of(turns):
    """The base of a ladder θ_j = base^(−j/n) that begins at 1, to four digits, or None."""
    if len(turns) < 2 or not (numpy.isfinite(turns) & (turns > 0)).all() or abs(turns[0] - 1) > AGREES:
        return None
    steps = numpy.diff(numpy.log(turns))
    mean = steps.mean()
    if mean >= -1e-6 or (abs(steps - mean) > AGREES * abs(mean)).any():
        return None
    return f"{float(f'{numpy.exp(-mean * len(turns)):.4g}'):.10g}"


def step_of(cos, sin, places):
    """The turn of each pair between the first two positions that are one apart."""
    ones = numpy.flatnonzero(numpy.diff(numpy.asarray(places, float)) == 1)
    if not len(ones):
        return numpy.array([])
    turns = cos + 1j * sin
    return numpy.angle(turns[ones[0] + 1] * turns[ones[0]].conj())


def turns_with(cos, sin, places, base):
    """Whether every row turns by its place with the ladder of this base: float32 keeps an angle to some roundings of it."""
    places = numpy.asarray(places, float)
    angles = numpy.multiply.outer(places, float(base) ** (-numpy.arange(cos.shape[1]) / cos.shape[1]))
    allowed = AGREES + 2.0 ** -22 * numpy.abs(places)[:, None]
    return bool((numpy.abs(cos - numpy.cos(angles)) <= allowed).all() and (numpy.abs(sin - numpy.sin(angles)) <= allowed).all())


def ladder_of(cos, sin, places):
    """The base that every row turns by, or None."""
    base = base_of(step_of(cos, sin, places)) if cos.shape == sin.shape else None
    return base if base and turns_with(cos, sin, places, base) else None


def alibi(values, heads):
    """Whether these are ALiBi's: slopes by head, or a bias by head, query and key."""
    slopes = 2.0 ** (-8 * (numpy.arange(heads) + 1) / heads)
    if values.ndim == 1:
        return numpy.allclose(values, slopes, rtol=1e-6)
    known = ~numpy.isneginf(values)  # of masked keys
    away = numpy.subtract.outer(numpy.arange(values.shape[1]), numpy.arange(values.shape[2]))
    wanted = -slopes[:, None, None] * numpy.abs(away)
    return known.any() and numpy.allclose(numpy.where(known, values, 0), numpy.where(known, wanted, 0), rtol=1e-3, atol=1e-9) and wanted[known].any()


def reading(fields, layout):
    """"rope's of base 10000": what the numbers are as, or "". The layout is that of a table of waves."""
    by_name = {field.name: field for field in fields}
    field = fields[0]
    if {"cos", "sin"} <= by_name.keys() and by_name["cos"].values.ndim == 2 and not field.axes[0].named:
        cos, sin = by_name["cos"].values, by_name["sin"].values
        base = ladder_of(cos, sin, field.axes[0].places)
        return f"as rope of dim {2 * cos.shape[1]} and base {base} has them" if base else ""
    if field.name == "pe" and layout and field.values.ndim == 2:
        half = field.values.shape[1] // 2
        sin, cos = (field.values[:, 0::2], field.values[:, 1::2]) if layout.startswith("interleaved") else (field.values[:, :half], field.values[:, half:])
        base = ladder_of(cos, sin, field.axes[0].places)
        return f"as sinusoids of base {base}" if base else ""
    if field.name in ("slope", "bias") and field.axes[0].name == "head" and field.values.ndim in (1, 3) and len(field.axes[0]) in (2, 4, 8, 16, 32, 64):
        return f"as ALiBi of {len(field.axes[0])} heads" if alibi(field.values, len(field.axes[0])) else ""
    return ""

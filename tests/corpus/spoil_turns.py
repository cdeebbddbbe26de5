# Mistakes of rotary tables, one function per cause: Story → Story, with what varies among programs as arguments.
import math

import numpy as np

import tables
from tables import F64

# --- A: the attention factor --------------------------------------------------------------------------------------------


def factor_of(story):
    return story.factors[0]


def both(story, a):
    return story.but(amplitude=(a, a))


def attention_factor_missing(story):
    return both(story, 1.0)


def attention_factor_squared(story):
    return both(story, factor_of(story) ** 2)


def attention_factor_log_twice(story):
    return both(story, 1 + 0.1 * factor_of(story) * math.log(story.spec.scaling["factor"]))


def attention_factor_inverted(story):
    return both(story, 1 / factor_of(story))


def attention_factor_unexpected(story, a=None):
    return both(story, a or tables.mscale(story.spec.scaling["factor"]))


def attention_factor_on_angles(story):
    return both(story, 1.0).but(stretch=factor_of(story))


def attention_factor_on_one_side(story, side="cos"):
    a = factor_of(story)
    return story.but(amplitude=(a, 1.0) if side == "cos" else (1.0, a))


# --- C, D: base, exponent, scaling --------------------------------------------------------------------------------------

def wrong_base(story, base):
    return story.but(spec=story.spec.but(base=float(base)))


def exponent_shifted(story, shift=1):
    return story.but(shift=shift)


def unscaled(spec):
    """The plain ladder; the attention factor of the rule stays, by `keeping`."""
    return spec.but(scaling={})


def keeping(story, spec):
    return story.but(spec=spec, amplitude=story.factors)


def scaling_missing(story, factor_too=False):
    return story.but(spec=unscaled(story.spec)) if factor_too else keeping(story, unscaled(story.spec))


def scaling_inverted(story):
    return keeping(story, story.spec.scaled(factor=1 / story.spec.scaling["factor"]))


def scaling_twice(story):
    spec = story.spec
    return story.also(ladder=lambda f: tables.bend(f, spec, f.dtype.type))


def wrong_scaling(story, kind="linear", **keys):
    scaling = {"kind": kind, "factor": story.spec.scaling.get("factor"), **keys}
    return keeping(story, story.spec.but(scaling=scaling))


def scaling_on_some_rows(story, boundary, late=True):
    """Rows from the boundary on (or before it) have the plain ladder."""
    return story.but(mixed=((lambda p: p >= boundary) if late else (lambda p: p < boundary), scaling_missing(story)))


def frequencies_inverted(story):
    return story.also(ladder=lambda f: 1 / f)


def frequencies_equal(story):
    return story.also(ladder=np.ones_like)


def wrong_parameter(story, **keys):
    return keeping(story, story.spec.scaled(**keys))


def wrong_length(story, seq_len):
    return story.but(spec=story.spec.but(seq_len=seq_len))


# --- E, F: yarn's ramp, longrope's lists --------------------------------------------------------------------------------

def yarn_truncate(story):
    return keeping(story, story.spec.scaled(truncate=not story.spec.scaling.get("truncate", True)))


def yarn_betas_swapped(story, step=False):
    """Swapped, transformers' ramp runs backwards; ggml's becomes a step (its width is at least 0.001)."""
    s = story.spec.scaling
    fast, slow = s.get("beta_slow") or 1, s.get("beta_fast") or 32
    if not step:
        return keeping(story, story.spec.scaled(beta_fast=fast, beta_slow=slow))
    spec = story.spec
    original = s["original_max_position_embeddings"]
    low = max(math.floor(tables.correction(fast, spec, spec.base, original)), 0)
    keep = np.where(np.arange(spec.rotary // 2) < low + 0.0005, 1.0, 0.0)
    return keeping(story, unscaled(spec)).also(ladder=lambda f: f * keep + f / s["factor"] * (1 - keep))


def yarn_original_length(story, original=None):
    return keeping(story, story.spec.scaled(original_max_position_embeddings=original or story.spec.max_position))


def yarn_clamp(story):
    return keeping(story, story.spec.scaled(clamp=story.spec.rotary // 2 - 1))


def yarn_ramp(story, form="squared"):
    spec, s = story.spec, story.spec.scaling
    plain = tables.frequencies(unscaled(spec), F64)
    w = tables.ramp(spec, F64)
    if form == "betas":  # 32 and 1 hard-coded
        return keeping(story, spec.scaled(beta_fast=32, beta_slow=1))
    if form == "power":  # the factor inside the power
        inner = (spec.base * s["factor"]) ** (-2 * np.arange(spec.rotary // 2) / spec.rotary)
        ladder = inner * w + plain * (1 - w)
    else:
        ladder = plain / s["factor"] * w ** 2 + plain * (1 - w ** 2)
    return story.also(ladder=lambda f: ladder)


def longrope_other_list(story):
    original = story.spec.scaling["original_max_position_embeddings"]
    return wrong_length(story, original if tables.long_list(story.spec) else original + 1)


def longrope_mixed(story, boundary=None):
    """Rows below the boundary by the short list, from it on by the long one."""
    original = story.spec.scaling["original_max_position_embeddings"]
    boundary = boundary or original
    short, long = wrong_length(story, original), wrong_length(story, original + 1)
    return short.but(mixed=(lambda p: p >= boundary, long))


# --- G: precision -------------------------------------------------------------------------------------------------------

def low_precision(story, what, dtype):
    return story.but(short={**story.short, what: dtype})


def low_precision_frequencies(story, dtype="bf16"):
    return low_precision(story, "frequencies", dtype)


def low_precision_positions(story, dtype="bf16"):
    return low_precision(story, "positions", dtype)


def low_precision_angles(story, dtype="bf16"):
    return low_precision(story, "angles", dtype)


def tf32_product(story):
    return story.but(short={**story.short, "frequencies": "tf32", "positions": "tf32"})


def single_step_reduction(story):
    return story.but(reduction=2 * math.pi)


def low_precision_table(story, dtype="bf16"):
    return story.but(store=dtype)


# --- I, J: denominators, directions -------------------------------------------------------------------------------------

def wrong_denominator(story, denominator):
    return story.but(denominator=denominator)


def direction_reversed(story):
    return story.but(direction=-1)


def sin_cos_swapped(story):
    return story.but(swapped=True)

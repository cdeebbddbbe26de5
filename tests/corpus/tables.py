# The truth and the engines: ladders, scalings, angles, cosines and sines, step by step in NumPy.
"""Definitions: modeling_rope_utils.py of transformers; the engines' orders of operation: ggml's ops.cpp and rope.cu,
MLX's rope.metal, TensorRT-LLM's RopeEmbeddingUtils. A step "in float32" rounds there and nowhere else; powers and
cosines are taken in double and rounded, as a libm without faults gives them, so that every processor makes the same."""
import math

import numpy as np

F32, F64, WIDE = np.float32, np.float64, np.longdouble
PI = WIDE("3.14159265358979323846264338327950288")


def odd(x):
    """Values of more than 64 bits as float32, rounded to odd, so that one more rounding to fewer bits is the only one."""
    x = np.asarray(x)
    if x.dtype != WIDE:
        return np.asarray(x, F32)
    y = x.astype(F32)
    even = (y.view(np.uint32) & 1) == 0
    return np.where((y != x) & even, np.nextafter(y, np.where(x > y, F32(np.inf), F32(-np.inf))), y).astype(F32)


def bf16(x):
    """Values rounded to bfloat16, as float32 (nearest, ties to even)."""
    bits = odd(x).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(F32)


def bf16_bits(x):
    return (bf16(x).view(np.uint32) >> 16).astype(np.uint16)


def f16(x):
    return odd(x).astype(np.float16).astype(F32)


def tf32(x):
    """Values rounded to the 10 stored bits of TF32 (nearest, ties to even)."""
    bits = np.asarray(x, F32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0xFFF + ((bits >> 13) & 1)) & 0xFFFFE000
    return bits.astype(np.uint32).view(F32)


ROUND = {"bf16": bf16, "f16": f16, "tf32": tf32, "f32": lambda x: np.asarray(x, F32)}


def power(base, exponent):
    """float32 power of a libm that rounds correctly."""
    return np.power(F64(base), np.asarray(exponent, F64)).astype(F32)


# --- ladders ---------------------------------------------------------------------------------------------------------

def ladder(base, denominator, count, kind=F64, shift=0):
    """base^(−(2j+shift)/denominator), in `kind`; in float32 by transformers' steps."""
    j = np.arange(count)
    if kind is F32:
        exponent = (2 * j + shift).astype(F32) / F32(denominator)
        return F32(1) / power(base, exponent)
    return np.power(kind(base), -(2 * j + shift).astype(kind) / kind(denominator))


def correction(turns, spec, base, original):
    """Pair that turns so often within the original length, as a real number."""
    return spec.rotary * np.log(WIDE(original) / (turns * 2 * PI)) / (2 * np.log(WIDE(base)))


def ramp(spec, kind):
    s = spec.scaling
    base = s.get("ramp_base", spec.base)
    original = s["original_max_position_embeddings"]
    low = correction(s.get("beta_fast") or 32, spec, base, original)
    high = correction(s.get("beta_slow") or 1, spec, base, original)
    if s.get("truncate", True):
        low, high = np.floor(low), np.ceil(high)
    low, high = max(low, 0), min(high, s.get("clamp", spec.rotary - 1))
    if low == high:
        high += 0.001
    return np.clip((np.arange(spec.rotary // 2).astype(kind) - kind(low)) / kind(high - low), kind(0), kind(1))


def dynamic_base(spec):
    s, length = WIDE(spec.scaling["factor"]), max(spec.seq_len, spec.max_position)
    grown = s * length / spec.max_position - (s - 1)
    return spec.base * grown ** (WIDE(spec.rotary) / (spec.rotary - 2))


def ntk_base(spec):
    return spec.base * WIDE(spec.scaling["factor"]) ** (WIDE(spec.rotary) / (spec.rotary - 2))


def base_of(spec):
    return {"dynamic": dynamic_base, "ntk": ntk_base}.get(spec.scaling.get("kind"), lambda s: s.base)(spec)


def long_list(spec):
    return spec.seq_len > spec.scaling["original_max_position_embeddings"]


def bend(f, spec, kind=F64):
    """A ladder under the scaling, in the arithmetic of its elements."""
    s = spec.scaling
    rule = s.get("kind", "none")
    factor = kind(s.get("factor", 1) or 1)
    if rule == "linear":
        return f / factor
    if rule == "yarn":
        keep = kind(1) - ramp(spec, kind)
        return (f / factor) * (kind(1) - keep) + f * keep
    if rule == "longrope":
        lists = np.asarray(s["long_factor" if long_list(spec) else "short_factor"]).astype(kind)
        return f / lists
    if rule == "llama3":
        lo, hi, original = s["low_freq_factor"], s["high_freq_factor"], s["original_max_position_embeddings"]
        wave = kind(2 * PI) / f
        t = (kind(original) / wave - kind(lo)) / kind(hi - lo)
        blend = (kind(1) - t) * f / factor + t * f
        return np.where(wave > kind(original / lo), f / factor, np.where(wave < kind(original / hi), f, blend))
    if rule == "resonance":
        return kind(2 * PI) / np.rint(kind(2 * PI) / f)
    return f


def frequencies(spec, kind=F64, denominator=None, shift=0):
    if spec.scaling.get("kind") == "proportional":
        live = int(spec.scaling["partial_rotary_factor"] * spec.head // 2)
        f = np.zeros(spec.head // 2, kind)
        f[:live] = ladder(spec.base, denominator or spec.head, live, kind, shift)
        return f / kind(spec.scaling.get("factor", 1))
    return bend(ladder(base_of(spec), denominator or spec.rotary, spec.rotary // 2, kind, shift), spec, kind)


def mscale(s, k=1.0):
    return 1.0 if s <= 1 else 0.1 * k * math.log(s) + 1.0


def attention_factor(spec):
    s = spec.scaling
    if s.get("attention_factor") is not None:
        return float(s["attention_factor"])
    if s.get("kind") == "yarn":
        if s.get("mscale") and s.get("mscale_all_dim"):
            return mscale(s["factor"], s["mscale"]) / mscale(s["factor"], s["mscale_all_dim"])
        return mscale(s["factor"])
    if s.get("kind") == "longrope":
        original = s["original_max_position_embeddings"]
        ratio = s.get("factor") or spec.max_position / original
        return 1.0 if ratio <= 1 else math.sqrt(1 + math.log(ratio) / math.log(original))
    return 1.0


# --- engines: frequencies or angles, in their own steps ---------------------------------------------------------------

ENGINES = ("hf", "ggml", "ggml-cuda", "metal", "mlx", "mlx-cpu", "trtllm", "f64-once", "f64", "wide")


def engine_frequencies(spec, engine, **how):
    """Frequencies of the engines that keep some; of ggml's the angle is made pair by pair (engine_angles)."""
    if engine == "wide":
        return frequencies(spec, WIDE, **how)
    if engine == "f64":
        return frequencies(spec, F64, **how)
    if engine == "f64-once":
        return frequencies(spec, F64, **how).astype(F32)
    if engine == "hf":
        return frequencies(spec, F32, **how)
    if spec.scaling.get("kind") == "proportional":
        raise ValueError(f"no steps of {engine} for proportional")
    base = base_of(spec)
    top, d = 2 * np.arange(spec.rotary // 2) + how.get("shift", 0), how.get("denominator") or spec.rotary
    if engine == "metal":
        own = power(base, F32(-1) / F32(d) * top.astype(F32))
    elif engine == "mlx":
        own = np.exp2((-(top.astype(F32) / F32(d)) * F32(math.log2(base))).astype(F64)).astype(F32)
    elif engine == "mlx-cpu":
        own = np.exp((-(top / 2).astype(F32) * F32(F32(math.log(base)) / F32(d / 2))).astype(F64)).astype(F32)
    elif engine == "trtllm":
        own = F32(1) / np.power(F64(base), top / F64(d)).astype(F32)
    else:
        raise ValueError(engine)
    return bend(own, spec, F32)


def engine_angles(spec, engine, positions, **how):
    """Angles [position, pair] of an engine."""
    p = np.asarray(positions)
    if engine in ("ggml", "ggml-cuda"):
        scale = power(spec.base, F32(-2) / F32(spec.rotary))
        ratio = (frequencies(spec, F64) / frequencies(spec.but(scaling={}), F64)).astype(F32)
        n = spec.rotary // 2
        if engine == "ggml-cuda":
            return p.astype(F32)[:, None] * power(scale, np.arange(n)) * ratio
        angle = np.empty((len(p), n), F32)
        theta = p.astype(F32)
        for i in range(n):
            angle[:, i] = theta
            theta = theta * scale
        return angle * ratio
    f = engine_frequencies(spec, engine, **how)
    return np.multiply.outer(p.astype(f.dtype), f)


def turn(angle, amplitude=1.0):
    """cos and sin times the attention factor, in the angle's arithmetic."""
    if angle.dtype == F32:
        c, s = np.cos(angle.astype(F64)).astype(F32), np.sin(angle.astype(F64)).astype(F32)
        return (c, s) if amplitude == 1 else (c * F32(amplitude), s * F32(amplitude))
    kind = angle.dtype.type
    return np.cos(angle) * kind(amplitude), np.sin(angle) * kind(amplitude)

# Biases and buckets: ALiBi's slopes and T5's buckets from their definitions, and their mistakes, one function per cause.
"""ALiBi: attention_with_linear_biases' get_slopes (two ladders where heads is no power of two). T5: _relative_position_bucket,
with the boundaries decided on whole numbers: bucket ≥ m + k when (x/m)^N ≥ (D/m)^k for N logarithmic buckets."""
import numpy as np

import tables
from tables import F32, F64

# --- ALiBi --------------------------------------------------------------------------------------------------------------


def geometric(heads, first=1):
    return 2.0 ** (-8.0 * (np.arange(heads) + first) / heads)


def slopes(heads):
    low = 2 ** int(np.floor(np.log2(heads)))
    extra = geometric(2 * low)[0::2][:heads - low]
    return np.concatenate([geometric(low), extra])


def counted_from(heads, first):
    """Both ladders with exponents that count from another number than 1."""
    low = 2 ** int(np.floor(np.log2(heads)))
    return np.concatenate([geometric(low, first), geometric(2 * low, first)[0::2][:heads - low]])


def slopes_bloom(heads):
    """float32, as build_alibi_tensor: powers of float32 bases."""
    low = 2 ** int(np.floor(np.log2(heads)))
    own = tables.power(F32(2.0 ** (-(2.0 ** -(np.log2(low) - 3)))), np.arange(1, low + 1))
    extra = tables.power(F32(2.0 ** (-(2.0 ** -(np.log2(2 * low) - 3)))), np.arange(1, 2 * (heads - low), 2))
    return np.concatenate([own, extra])


def slopes_mpt(heads):
    """float32, as build_mpt_alibi_tensor."""
    high = 2 ** int(np.ceil(np.log2(heads)))
    s = (F32(1) / tables.power(2, np.arange(1, high + 1, dtype=F32) * F32(8 / high))).astype(F32)
    return s if high == heads else np.concatenate([s[1::2], s[0::2]])[:heads]


def slopes_ggml(heads):
    low = 2 ** int(np.floor(np.log2(heads)))
    m0, m1 = tables.power(2, -F32(8) / low), tables.power(2, -F32(4) / low)
    return np.array([tables.power(m0, h + 1) if h < low else tables.power(m1, 2 * (h - low) + 1) for h in range(heads)], F32)


def ladder_of(heads, other):
    """The first slopes of another head count's ladder."""
    return geometric(other)[:heads] if other >= heads else np.resize(geometric(other), heads)


def concatenated(heads):
    """The extra slopes before the ladder instead of behind it."""
    low = 2 ** int(np.floor(np.log2(heads)))
    s = slopes(heads)
    return np.concatenate([s[low:], s[:low]])


def offsets(queries, keys=None):
    """query − key; queries stand at the last of the keys."""
    keys = keys or queries
    return (np.arange(queries) + keys - queries)[:, None] - np.arange(keys)[None, :]


def bias(s, distance, masked=True, form="distance", kind=F32):
    """[head, query, key]: −slope · distance, or +slope · key; keys after the query at −inf."""
    s = np.asarray(s, kind)[:, None, None]
    if form == "key":
        out = s * np.broadcast_to(np.arange(distance.shape[1]), distance.shape).astype(kind)
    else:
        out = -s * np.abs(distance).astype(kind)
    return np.where(distance < 0, kind(-np.inf), out) if masked else out


# --- T5 -----------------------------------------------------------------------------------------------------------------

def bucket(relative, count=32, limit=128, both=True, strict=False):
    """Bucket of key − query; `strict`: a boundary belongs to the bucket before it."""
    if both:
        count //= 2
        side, x = (count if relative > 0 else 0), abs(int(relative))
    else:
        side, x = 0, max(-int(relative), 0)
    exact = count // 2
    if x < exact:
        return side + x
    steps, k = count - exact, 0
    while k + 1 < steps:
        left, right = x ** steps * exact ** (k + 1), limit ** (k + 1) * exact ** steps
        if left < right or (strict and left == right):
            break
        k += 1
    return side + exact + k


def buckets(relative, **how):
    values = {r: bucket(r, **how) for r in np.unique(relative)}
    return np.vectorize(values.get, otypes=[np.int64])(relative)


def slipped(relative, count=32, limit=128, both=True):
    """A logarithm one ulp low: whole boundaries fall into the bucket before."""
    return buckets(relative, count=count, limit=limit, both=both, strict=True)


def by_float_log(relative, count=32, limit=128, both=True):
    """transformers' own steps in float32."""
    rel = np.asarray(relative)
    if both:
        count //= 2
        side, x = np.where(rel > 0, count, 0), np.abs(rel)
    else:
        side, x = 0, np.maximum(-rel, 0)
    exact = count // 2
    with np.errstate(divide="ignore"):
        log = np.log((x.astype(F32) / F32(exact)).astype(F64)).astype(F32) / F32(np.log(limit / exact)) * F32(count - exact)
    large = np.minimum(exact + np.where(x > 0, log, 0).astype(np.int64), count - 1)
    return side + np.where(x < exact, x, large)

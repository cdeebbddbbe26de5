# Mistakes of rows: where a row's position comes from, and rows that were never written. Positions → positions, or rows → rows.
import numpy as np


def position_offset(k):
    return lambda p: p + k


def position_constant(k):
    return lambda p: np.full_like(p, k)


def position_doubled():
    return lambda p: 2 * p


def position_floored(s):
    return lambda p: np.floor(p / s)


def position_jump(boundary, k):
    return lambda p: np.where(p < boundary, p, p + k)


def position_reset(boundary):
    return lambda p: p % boundary


def left_padding(pads, value=0):
    """Positions count from the first token behind the pads, which stand at `value`."""
    return lambda p: np.where(np.arange(len(p)) < pads, value, np.arange(len(p)) - pads)


# --- rows of arrays: each takes any number of arrays [row, …] and gives them back ----------------------------------------

def each(change):
    def step(*arrays):
        out = tuple(change(np.array(a)) for a in arrays)
        return out if len(out) > 1 else out[0]
    return step


def rows_permuted(parts, order):
    """Blocks of rows in another order, as ranks of context-parallel attention hold them."""
    return each(lambda a: np.concatenate([np.array_split(a, parts)[i] for i in order]))


def rows_zero(first):
    def change(a):
        a[first:] = 0
        return a
    return each(change)


def rows_clamped(first):
    def change(a):
        a[first:] = a[first - 1]
        return a
    return each(change)


def rows_wrapped(length):
    return each(lambda a: a[np.arange(len(a)) % length])


def table_short(rows):
    return each(lambda a: a[:rows])


def not_finite(row, value=np.nan):
    def change(a):
        a[row, ..., a.shape[-1] // 2:] = value
        return a
    return each(change)


def uninitialised(rng):
    """Whatever was in memory: random bits, and long stretches of nearly nothing."""
    def change(a):
        bits = rng.integers(0, 2 ** 32, a.shape, dtype=np.uint32) & np.uint32(0xBFFFFFFF)  # finite ones
        small = rng.random(a.shape) < 0.5
        return np.where(small, np.float32(6.9e-18), bits.view(np.float32)).astype(a.dtype)
    return each(change)


def low_precision_table(rounding):
    return each(lambda a: rounding(a).astype(a.dtype))


def wrong_amplitude(k):
    return each(lambda a: (a * a.dtype.type(k)).astype(a.dtype))


def copies_differ(form="zero"):
    """The second half of a duplicated table: nothing there, or the columns one place on."""
    def change(a):
        n = a.shape[-1] // 2
        a[..., n:] = 0 if form == "zero" else np.roll(a[..., n:], 1, -1)
        return a
    return each(change)

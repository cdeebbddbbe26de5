# Vectors turned and scaled by xpos as torchscale does it, sound and with scales that are missing, inverted or of the other side.
"""torchscale's xpos_relative_position.py: pairs 2j and 2j+1; scale ((2j + 0.4 d) / (1.4 d))^((p − ⌈L/2⌉) / 512) on queries, its
reciprocal on keys."""
import numpy as np

import axes_cases as axes
import case
import turns
from case import Built, Case, Cycle, accepted
from tables import F32, F64

ORDER, DTYPE = Cycle("bhsd", "bshd", "thd", "htd"), Cycle("f32", "f64", "f32", "bf16", "f16")
SHAPES = Cycle((1, 64, 4), (1, 101, 2), (2, 48, 3), (1, 300, 2))


def scales(length, dim, base=512.0, kind=F32, center=None):
    """Of queries [position, pair]; keys have the reciprocals."""
    ladder = (np.arange(0, dim, 2) + 0.4 * dim) / (1.4 * dim)
    start = -(-length // 2) if center is None else center
    return np.power(ladder.astype(F64), ((np.arange(length) - start) / base)[:, None]).astype(kind)


def turned(x, dim, scale, base=10000.0, kind=F32, place=None, pairing="adjacent"):
    p = np.arange(x.shape[1]) if place is None else place(np.arange(x.shape[1]))
    f = (1 / np.power(F64(base), np.arange(0, dim, 2) / dim)).astype(kind)
    angle = (p.astype(kind)[:, None] * f)
    c, s = np.cos(angle.astype(F64)), np.sin(angle.astype(F64))
    c, s = (v.astype(kind) * scale for v in (c, s))
    return turns.turned(x, c.astype(kind), s.astype(kind), pairing, dim)


def build(name, dim, order, dtype, shape, sides, change, keys, must_show):
    rng, kind = case.drawn(name), F64 if dtype == "f64" else F32
    named, before, excess = [], [], 0.0
    for side in sides:
        x = turns.vectors(rng, shape[1], shape[2], dim, dtype, shape[0])
        own = scales(shape[1], dim, kind=F64)
        own = own if side == "q" else 1 / own
        want = turned(x.astype(F64), dim, own, kind=F64)
        y = turned(x, dim, change(own, side).astype(kind), kind=kind, **keys)
        bound = case.turn_bound(np.array(float(shape[1])), own.max(), dtype, 1, False).max()
        excess = max(excess, case.worst(case.rounded(y, dtype), want, float(np.abs(x).max()) * 4 * bound))
        named.append((side + "_after", axes.arranged(y, order)))
        before.append((side + "_before", axes.arranged(x, order)))
    if must_show and excess < case.CLEAR and dtype != "f32":
        return build(name, dim, order, "f32", shape, sides, change, keys, must_show)
    return Built(named, dtype, excess, shape[1], before, check={"length": shape[1]})


def one(number, causes, what, dim=64, sides="q", change=lambda s, side: s, alike=False, **keys):
    shape, dtype = SHAPES.next(), DTYPE.next()
    order = ORDER.next(lambda o: shape[0] == 1 or axes.ORDERS[o])
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | xpos d{dim} {order} {what} {sides} #{number}"
    check = {"encoding": "xpos", "parameters": {"dim": dim}}
    return Case(name, check, lambda: build(name, dim, order, dtype, shape, sides, change, keys, bool(causes) or alike), causes,
                container=case.CONTAINERS.next(lambda c: c in ("npy", "npz", "safetensors", "h5", "gguf")), alike=alike)


def centred(at):
    """Another position has the scale 1, as position 0 (flash-attention: ⌊L/2⌋): queries and keys take it off each other."""
    def change(s, side):
        dim = 2 * s.shape[1]
        ladder = (np.arange(0, dim, 2) + 0.4 * dim) / (1.4 * dim)
        shift = np.power(ladder, (-(-len(s) // 2) - at(len(s))) / 512)
        return s * shift if side == "q" else s / shift
    return change


def every():
    bare, inverted = accepted("scale-missing"), accepted("scale-inverted")
    rows = []
    for dim in (64, 32, 128):
        rows += [((), "sound", dict(dim=dim)), ((), "sound", dict(dim=dim, sides="qk")),
                 (bare, "no scale", dict(dim=dim, change=lambda s, side: s ** 0)),
                 (bare, "keys without scale", dict(dim=dim, sides="qk", change=lambda s, side: s if side == "q" else s ** 0)),
                 (bare, "queries without scale", dict(dim=dim, sides="qk", change=lambda s, side: s if side == "k" else s ** 0)),
                 (inverted, "scales exchanged", dict(dim=dim, sides="qk", change=lambda s, side: 1 / s)),
                 (inverted, "keys as queries", dict(dim=dim, sides="qk", change=lambda s, side: s if side == "q" else 1 / s)),
                 (accepted("position-offset"), "place + 1", dict(dim=dim, place=lambda p: p + 1)),
                 (accepted("wrong-base"), "base", dict(dim=dim, base=500000.0)),
                 (accepted("wrong-pairing"), "halves", dict(dim=dim, pairing="halves")),
                 (accepted("scale-squared", "wrong-parameter"), "scale squared", dict(dim=dim, change=lambda s, side: s * s)),
                 (accepted("wrong-parameter"), "scale base 640", dict(dim=dim, change=lambda s, side: s ** 0.8))]
        for what, at in (("centre 0", lambda n: 0), ("centre at a quarter", lambda n: n // 4), ("centre before the middle", lambda n: n // 2)):
            move = centred(at)
            rows += [((), what, dict(dim=dim, sides="qk", change=move, alike=True)),
                     (inverted, what + ", exchanged", dict(dim=dim, sides="qk", change=lambda s, side, m=move: 1 / m(s, side))),
                     (inverted, what + ", keys as queries", dict(dim=dim, sides="qk", change=lambda s, side, m=move: (1 / m(s, side) if side == "k" else m(s, side)))),
                     (accepted("scale-squared", "wrong-parameter"), what + ", squared", dict(dim=dim, sides="qk", change=lambda s, side, m=move: m(s, side) ** 2)),
                     (accepted("wrong-pairing"), what + ", halves", dict(dim=dim, sides="qk", pairing="halves", change=move))]
    for number, (causes, what, keys) in enumerate(rows, 11000):
        yield one(number, causes, what, **keys)


def spoilt():
    return (c for c in every() if c.causes)


def clean():
    return (c for c in every() if not c.causes)

# Sinusoidal and learned tables, sound and spoilt.
import numpy as np

import case
import sinusoid
import spoil_rows as rows
import tables
from case import Built, Case, Cycle, accepted
from tables import F32, F64

DIMS = Cycle(64, 128, 32, 256, 512)
DTYPES = Cycle("f32", "f64", "f32", "bf16", "f16")
ORDERS = Cycle(*sinusoid.ORDERS)
LADDERS = Cycle("paper", "endpoint", "paper")
KIND = {"f64": F64}


def tolerance(dim, positions, base, dtype):
    """Of float32 steps: their frequencies are exponentials of rounded products, off by some ln(base) ulps."""
    angle = np.multiply.outer(np.abs(positions), sinusoid.frequencies(dim, base))
    bound = case.turn_bound(angle, 1.0, dtype, dim // 2, False)
    return sinusoid.columns(bound, bound, "halves").max(axis=1, keepdims=True)


def build(what, change, step, dtype, length, first=0, must_show=True):
    """what: the sound table's keys; change: other keys of the spoilt one; step: of its rows."""
    for kind, n in ((dtype, length), ("f32", length), ("f32", 8 * length)):
        p = np.arange(first, first + n)
        want = sinusoid.table(positions=p, kind=F64, **what)
        made = {"kind": KIND.get(kind, F32), **what, **{k: v for k, v in change.items() if k != "places"}}
        got = sinusoid.table(positions=change["places"](p) if "places" in change else p, **made)
        if step:
            got = step(got)
        e = case.worst(case.rounded(got, kind), want, tolerance(what["dim"], p, what.get("base", 10000.0), kind))
        if e >= case.CLEAR or not must_show:
            break
    check = {"positions": f"{first}:{first + n}"} if first else {"length": n}
    return Built([("pe", got)], kind, e, n, check=check)


def table_case(number, causes, change=None, step=None, dtype=None, length=300, first=0, explicit=False, tiers=("exact", "drift"), accept=None,
               **keys):
    what = {"dim": DIMS.next(), "order": ORDERS.next(), "ladder": LADDERS.next(), **keys}
    told = explicit or what["order"] != "interleaved"  # the default
    flags = {"dim": what["dim"], "ladder": what["ladder"], **({"layout": what["order"]} if told else {})}
    if "base" in what:
        flags["base"] = what["base"]
    dtype = dtype or DTYPES.next()
    made = " + ".join(sorted(causes[0])) if causes else "clean"
    check = {"encoding": "sinusoidal", "parameters": flags, **({"accept": accept} if accept else {})}
    name = f"{made} | sinusoidal d{what['dim']} {what['order']} {what['ladder']} #{number}"
    return Case(name, check, lambda: build(what, change or {}, step, dtype, length, first, bool(causes)), causes, tiers,
                case.CONTAINERS.next())


def sinusoids():
    number = 4000
    other = {"paper": "endpoint", "endpoint": "paper"}
    spoils = [("wrong-ladder", [dict(ladder=l, change={"ladder": other[l]}) for l in ("paper", "endpoint") * 2]),
              ("wrong-order", [dict(order=o, change={"order": w}, explicit=True) for o in sinusoid.ORDERS for w in sinusoid.ORDERS if o != w][::2]),
              ("wrong-order", [dict(order="interleaved", change={"order": w}) for w in sinusoid.ORDERS[1:]]),  # nothing said
              ("wrong-base", [dict(change={"base": b}) for b in (1000.0, 100000.0, 5000.0)]),
              ("position-offset", [dict(change={"places": rows.position_offset(k)}) for k in (1, 2, -1)]),
              ("position-constant", [dict(change={"places": rows.position_constant(3)})]),
              ("position-doubled", [dict(change={"places": rows.position_doubled()})] * 2),
              ("padding-row-zero", [dict(step=zero_row(k)) for k in (0, 1, 0)]),
              ("wrong-amplitude", [dict(step=rows.wrong_amplitude(k)) for k in (0.5, 8.0, 2 ** 0.5)]),
              ("low-precision-frequencies", [dict(change={"change": tables.bf16}, dtype="f32")] * 2),
              ("low-precision-table", [dict(step=rows.low_precision_table(tables.bf16), dtype="f32", accept="drift"),
                                       dict(step=rows.low_precision_table(tables.f16), dtype="f64", accept="drift")]),
              ("rows-zero", [dict(step=rows.rows_zero(200))] * 2),
              ("rows-clamped", [dict(step=rows.rows_clamped(200))] * 2),
              ("rows-wrapped", [dict(step=rows.rows_wrapped(128))] * 2),
              ("rows-permuted", [dict(step=rows.rows_permuted(4, (0, 3, 1, 2)))] * 2),
              ("not-finite", [dict(step=rows.not_finite(50), dtype="f32")])]
    for cause, many in spoils:
        also = {"rows-wrapped": ("position-reset",)}.get(cause, ())
        for keys in many:
            yield table_case(number, accepted(cause, *also), **keys)
            number += 1


def zero_row(row):
    def change(a):
        a = np.array(a)
        a[row] = 0
        return a
    return change


def clean_sinusoids():
    number = 4500
    for order in sinusoid.ORDERS:
        for ladder in ("paper", "endpoint"):
            for dtype in ("f32", "f64", "bf16", "f16"):
                yield table_case(number, (), order=order, ladder=ladder, dtype=dtype, explicit=number % 2 == 0)
                number += 1
    for base in (1000.0, 20000.0, 100.0):
        yield table_case(number, (), base=base, length=1000)
        yield table_case(number + 1, (), base=base, first=700)
        number += 2
    for dtype in ("f32", "bf16", "f16"):  # the correctly rounded table
        yield table_case(number, (), change={"kind": np.longdouble}, dtype=dtype, tiers=("exact",))
        number += 1


# --- learned tables: the file of the weights is the expectation ----------------------------------------------------------

def weights(seed, count, dim):
    return (case.seeded(seed).standard_normal((count, dim)) * 0.02).astype(F32)


def learned(folder, number, cause, step, dtype="f32", accept=None, also=(), tiers=("exact", "drift")):
    count, dim = ((514, 96), (512, 64), (300, 128))[number % 3]
    name = f"{cause or 'clean'} | learned {count}x{dim} #{number}"
    path = folder / f"weights{number}.npy"

    def build():
        w = weights(name, count + 8, dim)
        np.save(path, w[:count])
        got = step(w) if cause == "row-offset" else step(w[:count])
        e = case.worst(case.rounded(got, dtype), w[:count], np.abs(w[:count]) * case.HALF_ULP[dtype] + 2.0 ** -25 * (dtype == "f16") + 1e-30)
        return Built([("weight", got[:count] if got.shape[0] > count else got)], dtype, e, count)
    check = {"encoding": "learned", "parameters": {"input": str(path)}, **({"accept": accept} if accept else {})}
    return Case(name, check, build, accepted(cause, *also) if cause else (), tiers, case.CONTAINERS.next())


def shifted(k):
    return lambda w: w[k:] if k > 0 else np.roll(w, -k, 0)


def learneds(folder):
    number = 5000
    for cause, steps, keys in (
            ("row-offset", [shifted(2), shifted(1), shifted(-1)], {}),
            ("rows-permuted", [rows.rows_permuted(4, (0, 3, 1, 2)), rows.rows_permuted(2, (1, 0))], {}),
            ("rows-zero", [rows.rows_zero(250)] * 2, {}), ("rows-clamped", [rows.rows_clamped(250)] * 2, {}),
            ("rows-wrapped", [rows.rows_wrapped(128)] * 2, {}),
            ("low-precision-table", [rows.low_precision_table(tables.bf16), rows.low_precision_table(tables.f16)], {"accept": "drift"}),
            ("transposed", [lambda w: np.ascontiguousarray(w.T)] * 2, {}),
            ("wrong-amplitude", [rows.wrong_amplitude(k) for k in (8.0, 0.5)], {}),
            ("not-finite", [rows.not_finite(9)], {})):
        for step in steps:
            yield learned(folder, number, cause, step, **keys)
            number += 1


def clean_learneds(folder):
    for i, dtype in enumerate(("f32", "f32", "f64", "bf16", "f16", "f32")):
        yield learned(folder, 5500 + i, "", lambda w: w, dtype)


def spoilt(folder):
    yield from sinusoids()
    yield from learneds(folder)


def clean(folder):
    yield from clean_sinusoids()
    yield from clean_learneds(folder)

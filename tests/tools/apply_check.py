#!/usr/bin/env python3
# Holds pe-apply to plain attention written again in NumPy: encoded tensors, logits, weights and outputs of random content.
"""Everything here is computed in 80-bit long doubles (cosines by mpmath at 40 digits), from the q, k, v that pe-apply drew.

The bound of a score is derived, not chosen: a dot product of n channels with its inputs' roundings is within
(n + 16)·u·|left|·|right| of the exact one, u = 2^-53 (16: a cosine within two roundings, its product and sum on both sides, and
the scale); a bias adds its own two roundings; a weight is within twice the scores' error and a sum of L terms of itself.
Narrower dtypes add one rounding of the result.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import interpreter  # noqa: E402

interpreter.need("numpy", "mpmath")

import mpmath  # noqa: E402
import numpy as np  # noqa: E402

U = 2.0**-53
UNIT = {"f64": 0, "f32": 2.0**-24, "f16": 2.0**-11}
LONG = np.longdouble
mpmath.mp.dps = 40


def long_of(value):
    """An mpmath number as a long double: its double and what that leaves."""
    high = float(value)
    return LONG(high) + LONG(float(value - high))


def turns(positions, frequencies):
    angles = [[mpmath.mpf(int(p)) * f for f in frequencies] for p in positions]
    cosine = np.array([[long_of(mpmath.cos(a)) for a in row] for row in angles], LONG)
    sine = np.array([[long_of(mpmath.sin(a)) for a in row] for row in angles], LONG)
    return cosine, sine


def ladder(base, dim, pairs):
    return [mpmath.mpf(base) ** (-mpmath.mpf(2 * j) / dim) for j in range(pairs)]


def expand(x, heads):
    """Grouped heads: each of x serves several queries' heads."""
    return np.repeat(x, heads // x.shape[1], axis=1)


def rotate(x, positions, rotary, base, adjacent):
    cosine, sine = turns(positions, ladder(base, rotary, rotary // 2))
    y = x.copy()
    first = np.arange(0, rotary, 2) if adjacent else np.arange(rotary // 2)
    second = first + 1 if adjacent else first + rotary // 2
    y[..., first] = x[..., first] * cosine - x[..., second] * sine
    y[..., second] = x[..., first] * sine + x[..., second] * cosine
    return y


def sinusoids(positions, dim):
    cosine, sine = turns(positions, ladder(10000, dim, dim // 2))
    table = np.empty((len(positions), dim), LONG)
    table[:, 0::2], table[:, 1::2] = sine, cosine
    return table


def alibi_slopes(heads):
    """As the authors' get_slopes, on which the weights of other head counts rest."""
    def power(n):
        return [long_of(mpmath.mpf(2) ** (-mpmath.mpf(8 * (i + 1)) / n)) for i in range(n)]
    if heads & (heads - 1) == 0:
        return power(heads)
    closest = 2 ** (heads.bit_length() - 1)
    return power(closest) + alibi_slopes(2 * closest)[0::2][: heads - closest]


def t5_bucket(relative, bidirectional, count=32, longest=128):
    """mesh_tensorflow's _relative_position_bucket; in float64 it is exact for 32 buckets and 128."""
    n, bucket = -relative, np.zeros_like(relative)
    if bidirectional:
        count //= 2
        bucket += (n < 0) * count
        n = abs(n)
    else:
        n = np.maximum(n, 0)
    exact = count // 2
    far = exact + (np.log(np.maximum(n, 1) / exact) / np.log(longest / exact) * (count - exact)).astype(int)
    return bucket + np.where(n < exact, n, np.minimum(far, count - 1))


class Run:
    """One pe-apply command and the arrays that it wrote."""

    def __init__(self, tools, folder, arguments, fields, dtype="f64"):
        self.arguments, self.dtype = arguments, dtype
        path = folder / "out.npz"
        command = [tools / "pe-apply", *arguments.split(), "--dtype", dtype, "--fields", fields, "-o", path]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        with np.load(path) as file:
            self.arrays = {name: file[name].astype(LONG) for name in file.files}

    def __getattr__(self, name):
        return self.__dict__["arrays"][name]


def norms(x):
    return np.sqrt((x * x).sum(-1))


def far(run, name, want, bound):
    """The worst excess of a field over its bound, in bounds; nothing above one may be."""
    got = run.arrays[name]
    if got.shape != want.shape:
        return f"{name} has shape {got.shape}, expected {want.shape}"
    same = got == want  # infinities
    bound = np.broadcast_to(bound + UNIT[run.dtype] * abs(np.where(same, 0, want)) + 1e-300, want.shape)
    ratio = np.where(same, 0, abs(np.where(same, 0, got) - np.where(same, 0, want)) / bound)
    worst = np.unravel_index(np.argmax(ratio), ratio.shape)
    if not ratio[worst] <= 1:
        return f"{name}{[int(i) for i in worst]} is {got[worst]!r}, expected {want[worst]!r}, {float(ratio[worst]):.3g} bounds away"
    return ""


def attend(run, q, k, scale, bias=0, magnitudes=None, value_terms=None):
    """Faults of logits, attention and output where the scores are scale·q·k + bias. `magnitudes` bounds what is summed."""
    heads, n = q.shape[1], q.shape[-1]
    score = np.einsum("bhid,bhjd->bhij", q, expand(k, heads))
    size = norms(q)[..., :, None] * norms(expand(k, heads))[..., None, :]
    return judge(run, score, size if magnitudes is None else magnitudes, n, scale, bias, value_terms)


def judge(run, score, size, n, scale, bias, value_terms=None):
    logits = score * scale + bias
    held = np.where(np.isfinite(logits), abs(logits), 0) + np.where(np.isfinite(bias), abs(bias), 0)
    error = (n + 16) * U * size * scale + 3 * U * held
    largest = logits.max(-1, keepdims=True)
    weights = np.exp(logits - largest)
    weights /= weights.sum(-1, keepdims=True)
    keys = logits.shape[-1]
    spread = 2 * error.max(-1, keepdims=True) + (keys + 8) * U
    spread = spread + 2 * U * (largest - np.where(np.isfinite(logits), logits, largest))  # exp of a rounded difference
    v = expand(run.v, logits.shape[1])
    output = np.einsum("bhij,bhjd->bhid", weights, v)
    length = abs(v).max()
    if value_terms is not None:
        output = output + np.einsum("bhij,ijd->bhid", weights, value_terms)
        length = length + abs(value_terms).max()
    return [far(run, "logits", logits, error), far(run, "attention", weights, spread * weights + 1e-300),
            far(run, "output", output, (spread.max() + (keys + 4) * U) * length)]


FIELDS = "q,k,v,logits,attention,output"


def masked(queries, keys):
    return np.where(keys[None, :] > queries[:, None], -np.inf, 0).astype(LONG)


def rope(tools, folder):
    for arguments, rotary, base, queries, keys, mask in [
            ("rope --random 2,4,9,16 --seed 1", 16, 10000, range(9), range(9), False),
            ("rope --random 2,4,9,16 --seed 2 --layout adjacent", 16, 10000, range(9), range(9), False),
            ("rope --random 1,6,8,20 --kv-heads 2 --rotary-dim 12 --base 500000 --causal", 12, 500000, range(8), range(8), True),
            ("rope --random 1,2,3,8 --layout adjacent --key-positions 1000000:1000011 --causal", 8, 10000, range(1000008, 1000011),
             range(1000000, 1000011), True)]:
        queries, keys = np.array(queries), np.array(keys)
        for dtype in ("f64", "f32"):
            run = Run(tools, folder, arguments, FIELDS + ",q_out,k_out", dtype)
            adjacent = "adjacent" in arguments
            q, k = rotate(run.q, queries, rotary, base, adjacent), rotate(run.k, keys, rotary, base, adjacent)
            scale, bias = 1 / np.sqrt(LONG(q.shape[-1])), masked(queries, keys) if mask else LONG(0)
            yield run, attend(run, q, k, scale, bias) + [far(run, "q_out", q, 8 * U * abs(run.q).max()),
                                                         far(run, "k_out", k, 8 * U * abs(run.k).max())]


def alibi(tools, folder):
    for arguments, heads, causal in [("alibi --random 2,6,11,8", 6, True), ("alibi --random 1,12,5,8 --kv-heads 3 --no-causal", 12, False)]:
        run = Run(tools, folder, arguments, FIELDS + ",bias")
        p = np.arange(run.q.shape[2])
        bias = -np.array(alibi_slopes(heads), LONG)[:, None, None] * abs(p[:, None] - p[None, :])
        bias = bias + (masked(p, p) if causal else 0)
        yield run, attend(run, run.q, run.k, 1 / np.sqrt(LONG(8)), bias) + [far(run, "bias", bias, 2 * U * np.where(np.isinf(bias), 0, abs(bias)))]


def t5(tools, folder):
    weights = np.random.default_rng(3).standard_normal((32, 4)).astype(np.float32)
    np.save(folder / "t5.npy", weights)
    for mode in ("", " --causal"):
        run = Run(tools, folder, f"t5 --random 1,4,150,8 --weights {folder / 't5.npy'}{mode}", FIELDS)
        p = np.arange(150)
        bias = weights.astype(LONG)[t5_bucket(p[None, :] - p[:, None], not mode)].transpose(2, 0, 1)
        yield run, attend(run, run.q, run.k, LONG(1), bias + (masked(p, p) if mode else 0))


def sinusoidal(tools, folder):
    for how in ("add", "multiply", "multiply-one", "concatenate"):
        run = Run(tools, folder, f"sinusoidal --random 2,2,7,12 --combine {how}", FIELDS + ",x,x_out")
        table = sinusoids(range(7), 12)
        meet = {"add": lambda x: x + table, "multiply": lambda x: x * table, "multiply-one": lambda x: x * (1 + table),
                "concatenate": lambda x: np.concatenate([x, np.broadcast_to(table, x.shape)], -1)}[how]
        q, k = meet(run.q), meet(run.k)
        size = norms(abs(run.q) + 2)[..., :, None] * norms(abs(run.k) + 2)[..., None, :] * 4
        yield run, attend(run, q, k, 1 / np.sqrt(LONG(q.shape[-1])), LONG(0), size) + [far(run, "x_out", meet(run.x), 4 * U * (2 * abs(run.x).max() + 2))]


def weights_of(folder, **shapes):
    """Tables in float32, saved as NAME.npy, and as long doubles."""
    tables = {}
    for number, (name, shape) in enumerate(shapes.items()):
        table = np.random.default_rng(number).standard_normal(shape).astype(np.float32)
        np.save(folder / f"{name}.npy", table)
        tables[name] = table.astype(LONG)
    return tables


def shaw(tools, folder):
    tables = weights_of(folder, keys=(9, 8), values=(9, 8))
    run = Run(tools, folder, f"shaw --random 2,2,13,8 --max-distance 4 --keys {folder}/keys.npy --values {folder}/values.npy",
              FIELDS + ",content_position")
    p = np.arange(13)
    bucket = np.clip(p[None, :] - p[:, None], -4, 4) + 4
    term = np.einsum("bhid,ijd->bhij", run.q, tables["keys"][bucket])
    score = np.einsum("bhid,bhjd->bhij", run.q, run.k) + term
    size = norms(run.q)[..., :, None] * (norms(run.k)[..., None, :] + norms(tables["keys"]).max())
    yield run, judge(run, score, size, 8, 1 / np.sqrt(LONG(8)), LONG(0), tables["values"][bucket]) + [far(run, "content_position", term, 24 * U * size)]


def transformer_xl(tools, folder):
    """mem_transformer.py's _rel_shift of the whole (query, distance) product, with memory: more keys than queries."""
    heads, d, dim, queries, keys = 2, 8, 12, 5, 9
    t = weights_of(folder, w=(heads * d, dim), u=(heads, d), z=(heads, d))
    run = Run(tools, folder, f"transformer-xl --random 1,{heads},{queries},{d} --dim {dim} --key-positions 0:{keys} "
              f"--projection {folder}/w.npy --u {folder}/u.npy --v {folder}/z.npy", FIELDS)
    cosine, sine = turns(range(keys - 1, -1, -1), ladder(10000, dim, dim // 2))
    r = np.einsum("hcd,jd->hjc", t["w"].reshape(heads, d, dim), np.concatenate([sine, cosine], -1))
    ac = np.einsum("bhid,bhjd->bhij", run.q + t["u"][:, None], run.k)
    bd = np.einsum("bhid,hjd->bhij", run.q + t["z"][:, None], r)
    padded = np.concatenate([np.zeros((1, heads, queries, 1), LONG), bd], -1).reshape(1, heads, keys + 1, queries)
    bd = padded[:, :, 1:].reshape(1, heads, queries, keys)
    size = (norms(run.q) + norms(t["u"]).max() + norms(t["z"]).max())[..., :, None] * (norms(run.k)[..., None, :] + dim * abs(t["w"]).max() * np.sqrt(LONG(dim * d)))
    yield run, judge(run, ac + bd, size, d + dim, 1 / np.sqrt(LONG(d)), masked(np.arange(keys - queries, keys), np.arange(keys)))


def deberta(tools, folder):
    """disentangled_attention_bias of DeBERTa v2, gathers and transposition as they stand there."""
    heads, d, length, span, longest = 2, 8, 40, 8, 32
    t = weights_of(folder, pk=(heads, 2 * span, d), pq=(heads, 2 * span, d))
    run = Run(tools, folder, f"deberta --random 1,{heads},{length},{d} --position-buckets {span} --max-relative-positions {longest} "
              f"--position-keys {folder}/pk.npy --position-queries {folder}/pq.npy", FIELDS + ",content_position,position_content")
    p = np.arange(length)
    relative, mid = p[:, None] - p[None, :], span // 2
    far_out = np.ceil(np.log(np.maximum(abs(relative), mid) / mid) / np.log((longest - 1) / mid) * (mid - 1)) + mid
    bucket = np.where(abs(relative) <= mid, relative, np.sign(relative) * far_out).astype(int)
    c2p = np.take_along_axis(np.einsum("bhid,hrd->bhir", run.q, t["pk"]), np.broadcast_to(np.clip(bucket + span, 0, 2 * span - 1), (1, heads, length, length)), -1)
    p2c = np.take_along_axis(np.einsum("bhjd,hrd->bhjr", run.k, t["pq"]), np.broadcast_to(np.clip(-bucket + span, 0, 2 * span - 1), (1, heads, length, length)), -1)
    p2c = p2c.swapaxes(-1, -2)
    score = np.einsum("bhid,bhjd->bhij", run.q, run.k) + c2p + p2c
    size = (norms(run.q)[..., :, None] + norms(t["pq"]).max()) * (norms(run.k)[..., None, :] + norms(t["pk"]).max())
    yield run, judge(run, score, size, d, 1 / np.sqrt(LONG(3 * d)), LONG(0)) + [far(run, "content_position", c2p, 24 * U * size),
                                                                              far(run, "position_content", p2c, 24 * U * size)]


CHECKS = {"rope": rope, "alibi": alibi, "t5": t5, "sinusoidal": sinusoidal, "shaw": shaw, "transformer-xl": transformer_xl, "deberta": deberta}


def main():
    parser = argparse.ArgumentParser(description="Holds pe-apply to attention written again in NumPy.")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/cmd", help="where the tools lie")
    tools = parser.parse_args().bin.resolve()
    known = subprocess.run([tools / "pe-apply", "list", "encodings", "--names"], capture_output=True, text=True, check=True).stdout.split()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, check in CHECKS.items():
            if name not in known:
                print(f"{name}: not in the catalogue, not checked")
                continue
            for run, faults in check(tools, pathlib.Path(folder)):
                for fault in faults:
                    passed, failed = passed + (not fault), failed + bool(fault)
                    if fault:
                        print(f"pe-apply {run.arguments} --dtype {run.dtype}: {fault}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

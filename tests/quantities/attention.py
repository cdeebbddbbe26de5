# Softmax by NumPy from each encoding's formula, and ALiBi's in closed form.
import atexit
import functools
import math
import os
import shutil
import tempfile

import mpmath
import numpy as np
from judge import Case
from mpmath import exp, log, mpf

FOLDER = tempfile.mkdtemp()
atexit.register(shutil.rmtree, FOLDER)
RANDOM = np.random.default_rng(7)


def stored(name, array):
    path = os.path.join(FOLDER, name + ".npy")
    np.save(path, array)
    return path


def drawn(name, *shape, scale=1.0):
    array = scale * RANDOM.normal(size=shape)
    return array, stored(name, array)


def softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# ALiBi with equal contents: a geometric series in e^-slope.
def alibi(slopes, n):
    def truth(row):
        m, d = mpf(slopes[int(row["head"])]), int(row["distance"])
        return {"weight": exp(-m * d) * (1 - exp(-m)) / (1 - exp(-m * n)), "without": mpf(1) / n, "spread": 0}
    return truth


def alibi_summary(slopes, n):
    def truth(row):
        m = mpf(slopes[int(row["head"])])
        z = (1 - exp(-m * n)) / (1 - exp(-m))
        mean = sum(d * exp(-m * d) for d in range(n)) / z

        def within(share):
            total = mpf(0)
            for d in range(n):
                total += exp(-m * d) / z
                if total >= share:
                    return d
        entropy = log(z) + m * mean
        return {"entropy": entropy, "keys": exp(entropy), "mean_distance": mean, "distance_50": within(mpf("0.5")), "distance_90": within(mpf("0.9")),
                "distance_99": within(mpf("0.99")), "receptive_field": within(mpf("0.99")) + 1, "sink": exp(-m * (n - 1)) / z, "self": 1 / z,
                "entropy_without": log(mpf(n))}
    return truth


def angles(n, dim, base=10000.0):
    return np.outer(np.arange(n), [float(mpf(base) ** (mpf(-2 * j) / dim)) for j in range(dim // 2)])


def turned(x, dim, base=10000.0, first=0):
    """Halves: channels j and j + dim/2, the others pass."""
    a = angles(first + x.shape[-2], dim, base)[first:]
    out = x.copy()
    lo, hi = x[..., :dim // 2], x[..., dim // 2:dim]
    out[..., :dim // 2], out[..., dim // 2:dim] = lo * np.cos(a) - hi * np.sin(a), lo * np.sin(a) + hi * np.cos(a)
    return out


def sinusoids(n, dim):
    a = angles(n, dim)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, dim)


def cell(weights, without, keys=("query", "key")):
    def truth(row):
        at = (int(row["head"]), int(row["query"]), int(row["key"]))
        return {"weight": weights[at], "without": without[at]}
    return truth


def by_distance(weights, without):
    """The last query's weights [head, key]."""
    def truth(row):
        at = int(row["head"]), weights.shape[1] - 1 - int(row["distance"])
        return {"weight": weights[at], "without": without[at]}
    return truth


def over_all(weights, without):
    """Means along the diagonals of [head, query, key]."""
    q, k = weights.shape[1:]

    def truth(row):
        head, d = int(row["head"]), int(row["distance"])
        w, o = (np.diagonal(a[head], offset=k - q - d) for a in (weights, without))
        return {"weight": w.mean(), "spread": w.std(), "without": o.mean()}
    return truth


def masked(scores):
    q, k = scores.shape[-2:]
    return np.where(np.arange(k)[None, :] > np.arange(k - q, k)[:, None], -np.inf, scores)


q, q_file = drawn("q", 2, 12, 16)
k, k_file = drawn("k", 2, 12, 16)
short, short_file = drawn("short", 2, 5, 16)
plain = np.einsum("hid,hjd->hij", q, k) / 4
plain_short = np.einsum("hid,hjd->hij", short, k) / 4
rope = np.einsum("hid,hjd->hij", turned(q, 16), turned(k, 16)) / 4
partial = np.einsum("hid,hjd->hij", turned(q, 8, 500000.0), turned(k, 8, 500000.0)) / 4
late = np.einsum("hid,hjd->hij", turned(short, 16, first=7), turned(k, 16)) / 4
p16 = sinusoids(12, 16)
table = np.einsum("hid,hjd->hij", q + p16, k + p16) / 4
offset = np.arange(12)[None, :] - np.arange(12)[:, None]  # key − query
bias = offset[None] * np.array([2.0 ** -4, 2.0 ** -8])[:, None, None]
QK = f"--q {q_file} --k {k_file}"

# T5: bidirectional buckets of at most 7 on either side are one for each distance (num_buckets 32: 16 a side, 8 exact).
t5_table, t5_file = drawn("t5", 32, 2)
t5_bucket = np.vectorize(lambda d: (16 if d > 0 else 0) + (abs(d) if abs(d) < 8 else 8 + int(math.log(abs(d) / 8) / math.log(16) * 8)))(offset)
t5 = np.moveaxis(t5_table[t5_bucket], -1, 0)

shaw_keys, shaw_file = drawn("shaw", 7, 16)
shaw = plain + np.einsum("hid,ijd->hij", q, shaw_keys[np.clip(offset, -3, 3) + 3]) / 4

# DeBERTa v1 (clipped, span 4): δ(i, j) = clip(i − j + 4, 0, 7); both terms read δ(i, j) in the code.
c2p, c2p_file = drawn("c2p", 8, 16)
p2c, p2c_file = drawn("p2c", 8, 16)
delta = np.clip(-offset + 4, 0, 7)
deberta = (np.einsum("hid,hjd->hij", q, k) + np.einsum("hid,ijd->hij", q, c2p[delta]) + np.einsum("hjd,ijd->hij", k, p2c[delta])) / math.sqrt(48)


# Transformer-XL: q·k + u·k + q·(W R_d) + v·(W R_d), d = i − j, R sines before cosines; masked.
w, w_file = drawn("w", 32, 16, scale=0.1)
u_vector, u_file = drawn("u", 2, 16)
v_vector, v_file = drawn("v", 2, 16)
halves = np.concatenate([np.sin(angles(12, 16)), np.cos(angles(12, 16))], -1)
r = (halves @ w.T).reshape(12, 2, 16)[np.abs(offset)]  # [query, key, head, channel]
global_content = np.broadcast_to(np.einsum("hd,hjd->hj", u_vector, k)[:, None], (2, 12, 12))
global_position = np.einsum("hd,ijhd->hij", v_vector, r)
content_position = np.einsum("hid,ijhd->hij", q, r)
xl = plain + (global_content + content_position + global_position) / 4
XL = f"transformer-xl --heads 2 --head-dim 16 --dim 16 --projection {w_file} --u {u_file} --v {v_file} {QK}"


dump = -np.abs(offset)[None] * np.array([0.3, 0.01])[:, None, None]  # somebody's bias
DUMP = stored("dump", dump)


def ones_rope(dim, n, base=10000.0):
    s = np.array([[2 * np.cos(angles(n, dim, base)[n - 1 - j]).sum() / math.sqrt(dim) for j in range(n)]])
    return softmax(s), np.full((1, n), 1 / n)


def terms(parts, scale, heads):
    """parts: name → [head, query, key] before the scale, or None."""
    def truth(row):
        part = parts.get(row["term"])
        if part is None:
            return {"kept": "no", "mean": None, "rms": None, "largest": None, "across_keys": None}
        x = part[int(row["head"])] * (1 if row["term"] == "bias" else scale)
        return {"kept": "yes", "mean": x.mean(), "rms": math.sqrt((x * x).mean()), "largest": abs(x).max(),
                "across_keys": math.sqrt(((x - x.mean(-1, keepdims=True)) ** 2).mean())}
    return truth


# The generator of drawn numbers, from its description: SplitMix64's finaliser of a seed and a counter.
def bits(seed, counter):
    z = (seed * 0xD1342543DE82EF95 + (counter + 1) * 0x9E3779B97F4A7C15) % 2 ** 64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2 ** 64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2 ** 64
    return z ^ (z >> 31)


def normals(stream, count):
    with mpmath.workdps(20):
        return [float(mpmath.sqrt(2) * mpmath.erfinv(2 * (mpf(bits(stream, i) >> 11) + mpf("0.5")) / 2 ** 53 - 1)) for i in range(count)]


def stream_of(seed, number):
    return bits(seed, 2 ** 64 - 1 - number)


@functools.lru_cache
def gaussian_rope(n, dim, draws):
    weights, without = [], []
    for seed in range(5, 5 + draws):
        a, b = (np.array(normals(stream_of(seed, ord(letter)), n * dim)).reshape(1, n, dim) for letter in "qk")
        weights.append(softmax(np.einsum("hid,hjd->hij", turned(a, dim), turned(b, dim)) / math.sqrt(dim))[:, -1])
        without.append(softmax(np.einsum("hid,hjd->hij", a, b) / math.sqrt(dim))[:, -1])
    return np.array(weights), np.array(without)


def gaussian(row):
    weights, without = gaussian_rope(6, 4, 3)
    at = 5 - int(row["distance"])
    return {"weight": weights[:, 0, at].mean(), "spread": weights[:, 0, at].std(), "without": without[:, 0, at].mean()}


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2 ** 64
    return value


@functools.lru_cache
def token_maps(text, dim):
    a, b = (np.array([normals(stream_of(0, fnv(name + token)), dim) for token in text])[None] for name in "qk")
    return (softmax(np.einsum("hid,hjd->hij", turned(a, dim), turned(b, dim)) / math.sqrt(dim)),
            softmax(np.einsum("hid,hjd->hij", a, b) / math.sqrt(dim)))


def tokens(text, labels, dim):
    def truth(row):
        weights, without = token_maps(text, dim)
        at = 0, labels.index(row["query"]), labels.index(row["key"])
        return {"weight": weights[at], "without": without[at]}
    return truth


EIGHT = [mpf(2) ** -(h + 1) for h in range(8)]
TWELVE = [mpf(2) ** -(h + 1) for h in range(8)] + [mpf(2) ** (-mpf(2 * h + 1) / 2) for h in range(4)]

CASES = [
    Case("attention alibi", alibi(EIGHT, 1024), count=8192, notes=["head 0: half of the mass lies within distance 1, 99 % within 9"]),
    Case("attention alibi --heads 12 --length 300 --view summary", alibi_summary(TWELVE, 300), count=12),
    Case("attention alibi --view summary", alibi_summary(EIGHT, 1024), count=8),
    Case("attention rope --dim 32 --length 200", by_distance(*ones_rope(32, 200)), count=200),
    Case("attention rope --model llama-2-7b --length 100", by_distance(*ones_rope(128, 100)), count=100),
    Case(f"attention rope {QK}", by_distance(softmax(rope)[:, -1], softmax(plain)[:, -1]), count=24),
    Case(f"attention rope {QK} --queries all", over_all(softmax(rope), softmax(plain)), count=46),
    Case(f"attention rope {QK} --queries all --causal", over_all(softmax(masked(rope)), softmax(masked(plain))), count=24),
    Case(f"attention rope --partial-rotary-factor 0.5 --base 500000 {QK} --view matrix", cell(softmax(partial), softmax(plain)), count=288),
    Case(f"attention rope --q {short_file} --k {k_file}", by_distance(softmax(late)[:, -1], softmax(plain_short)[:, -1]), count=24),
    Case(f"attention rope --q {short_file} --k {k_file} --queries all", over_all(softmax(late), softmax(plain_short)), count=32),
    Case(f"attention sinusoidal {QK} --view matrix", cell(softmax(table), softmax(plain)), count=288),
    Case(f"attention alibi {QK} --view matrix", cell(softmax(masked(plain + bias)), softmax(masked(plain))), count=288),
    Case(f"attention t5 --weights {t5_file} {QK} --view matrix", cell(softmax(4 * plain + t5), softmax(4 * plain)), count=288),
    Case(f"attention t5 --weights {t5_file} --length 12", by_distance(softmax(t5)[:, -1], np.full((2, 12), 1 / 12)), count=24),
    Case(f"attention shaw --max-distance 3 --keys {shaw_file} {QK}", by_distance(softmax(shaw)[:, -1], softmax(plain)[:, -1]), count=24),
    Case(f"attention deberta --position-buckets 0 --max-relative-positions 4 --position-keys {c2p_file} --position-queries {p2c_file} {QK} --view matrix",
         cell(softmax(deberta), softmax(plain)), count=288),
    Case(f"attention sinusoidal {QK} --view terms",
         terms({"content_content": np.einsum("hid,hjd->hij", q, k), "content_position": np.einsum("hid,jd->hij", q, p16),
                "position_content": np.einsum("id,hjd->hij", p16, k), "position_position": np.broadcast_to(p16 @ p16.T, (2, 12, 12))}, 0.25, 2), count=10),
    Case(f"attention alibi --symmetric --heads 2 --file {DUMP} --queries all", over_all(softmax(dump), np.full((2, 12, 12), 1 / 12)), count=46),
    Case(f"attention {XL} --view matrix", cell(softmax(masked(xl)), softmax(masked(plain))), count=288),
    Case(f"attention {XL} --view terms", lambda row: {"kept": {"position_position": "yes", "position_content": "yes", "bias": "no"}.get(row["term"], "yes")},
         count=10),
    Case(f"attention {XL} --view terms --attn-type bi",
         lambda row: terms({"content_content": 4 * plain}, 0.25, 2)(row) if row["term"] == "content_content" else {}, count=10),
    Case(f"attention t5 --weights {t5_file} {QK} --view terms", terms({"content_content": 4 * plain, "bias": t5}, 1, 2), count=10),
    Case("attention rope --dim 4 --length 6 --content gaussian --draws 3 --seed 5", gaussian, count=6),
    Case("attention rope --dim 8 --tokens 我爱你", tokens("我爱你", "我爱你", 8), count=9,
         notes=["\"我 爱 你\" and \"你 爱 我\" differ", "without the encoding no output moves"]),
    Case("attention rope --dim 8 --tokens 'a b a'", tokens("aba", ["a", "b", "a#2"], 8), count=9, notes=["\"a b a\" and \"b a a\" differ"]),
    Case("attention alibi --symmetric --heads 2 --tokens 我爱你", lambda row: {}, count=18,
         notes=["\"我 爱 你\" and \"你 爱 我\" are alike to this encoding", "\"爱 我 你\" differ"]),
    Case("attention alibi --tokens 我爱你", lambda row: {}, notes=["without the encoding the causal mask alone moves it"]),
    Case("attention rope --tokens aaa", lambda row: {}, notes=["all tokens are the same"]),
    Case("attention t5 --length 4", lambda row: {}, count=32, notes=["the numbers of t5 are drawn, as before training (--seed 0): trained ones are given by --weights"]),
    Case("attention alibi --tokens 我爱 --view distance --heads 1", lambda row: {}, count=2),
    Case("attention deberta --form paper --view matrix --length 3 --heads 2", lambda row: {}, count=18),
    Case("attention rope --positions 0:2:0.5 --dim 2", lambda row: {"weight": softmax(np.array([2 * math.cos(0.5 * i) / math.sqrt(2) for i in range(4)]))[
        round(2 * float(row["distance"]))], "without": 0.25}, count=4),
    Case("attention deberta --view matrix --heads 60000", None, fails="would have to be drawn"),
    Case(f"attention rope --q {q_file}", None, fails="--q and --k belong together"),
    Case(f"attention rope --q {k_file} --k {short_file}", None, fails="more positions than"),
    Case(f"attention rope {QK} --length 9", None, fails="there are 12 keys"),
    Case(f"attention rope --dim 12 {QK}", None, fails="give --dim 16"),
    Case(f"attention rope {QK} --content ones", None, fails="leave out --content"),
    Case("attention rope --tokens ' '", None, fails="--tokens has no token"),
    Case("attention rope --draws 3", None, fails="--content gaussian"),
    Case("attention rope --length 1000000", None, fails="at most 262144 positions fit"),
    Case("attention alibi --view matrix --length 4000", None, fails="at most 1448 positions fit"),
    Case("attention rope --length 100000 --queries all", None, fails="fewer --draws or --heads, --queries last"),
    Case("attention rope --view matrix --queries last", None, fails="leave out --queries last"),
    Case("attention deberta --view nothing", None, fails="--view must be one of distance"),
    Case("attention xpos --length 65536", None, fails="double precision knows them"),
    Case("attention learned --positions 510:514", None, fails="512 rows"),
]

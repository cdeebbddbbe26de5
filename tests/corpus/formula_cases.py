# Pairs of channels that went through another formula than a turn: the mistakes of kernels written by hand.
"""With θ_j = base^(−2j/d), or YaRN's of it, c = cos(pθ), s = sin(pθ): a′ = a·c − b·s, b′ = b·c + a·s, in float64; and each mistake of it."""
import numpy as np

import case
import seen_cases
from case import Built, Case, accepted

LINES = 24400
AFTER = {
    "first overwritten": lambda a, b, c, s: (a * c - b * s, b * c + (a * c - b * s) * s),
    "second overwritten": lambda a, b, c, s: (a * c - (b * c + a * s) * s, b * c + a * s),
    "no minus": lambda a, b, c, s: (a * c + b * s, b * c + a * s),
    "two minuses": lambda a, b, c, s: (a * c - b * s, b * c - a * s),
    "cosines alone": lambda a, b, c, s: (a * c, b * c),
    "sines alone": lambda a, b, c, s: (-b * s, a * s),
    "added": lambda a, b, c, s: (a + a * c - b * s, b + b * c + a * s),
    "second negated": lambda a, b, c, s: (a * c - b * s, -b * c - a * s),
    "first negated": lambda a, b, c, s: (b * s - a * c, b * c + a * s),
    "both negated": lambda a, b, c, s: (b * s - a * c, -b * c - a * s),
    "exchanged": lambda a, b, c, s: (b * c + a * s, a * c - b * s),
    "second taken away": lambda a, b, c, s: (a * c - b * s, a * s - b * c),
    "second not written": lambda a, b, c, s: (a * c - b * s, b + 0 * c),
    "first not written": lambda a, b, c, s: (a + 0 * c, b * c + a * s),
}


def other_columns(pairing):
    """Tables laid out for the other pairing: channel i of the row reads column i of them."""
    def after(a, b, c, s):
        n = c.shape[-1]
        wide = [np.concatenate([t, t], -1) if pairing == "interleaved" else np.repeat(t, 2, -1) for t in (c, s)]
        first, second = (slice(0, None, 2), slice(1, None, 2)) if pairing == "interleaved" else (slice(0, n), slice(n, None))
        return a * wide[0][..., first] - b * wide[1][..., first], b * wide[0][..., second] + a * wide[1][..., second]
    return after


def split(x, pairing):
    n = x.shape[-1] // 2
    return (x[..., :n], x[..., n:]) if pairing == "halves" else (x[..., 0::2], x[..., 1::2])


def joined(a, b, pairing):
    return np.concatenate([a, b], -1) if pairing == "halves" else np.stack([a, b], -1).reshape(*a.shape[:-1], -1)


def one(number, what, after, causes):
    rng = np.random.default_rng([case.Cycle.seed, 44, number])
    pairing = ("halves", "interleaved")[number % 2]
    dim, base = int(rng.choice([32, 64, 128])), float(rng.choice([1e4, 5e5, 1234]))
    rotary = dim if number % 3 else dim // 2
    length, first = int(rng.integers(12, 70)), int(rng.choice([0, 0, 7, 4000]))
    dtype = ("f32", "bf16", "f16")[int(rng.integers(3))]
    yarn = number % 4 == 1
    amplitude, scaling = (0.1 * np.log(4) + 1, {"scaling": "yarn", "factor": 4, "original-max-position": 512}) if yarn else (1, {})
    ladder = seen_cases.yarn(rotary, base, 4, 512) if yarn else seen_cases.ladder(rotary, base)
    after = after or other_columns(pairing)

    def build():
        x = case.rounded(rng.standard_normal((2, 3, length, dim)), dtype)
        angle = (first + np.arange(length))[:, None] * ladder
        a, b = split(x[..., :rotary], pairing)
        turned = joined(*after(a, b, amplitude * np.cos(angle), amplitude * np.sin(angle)), pairing)
        y = case.rounded(np.concatenate([turned, x[..., rotary:]], -1), dtype)
        return Built([("q_after", y.astype(np.float32))], dtype, 100.0 if causes else 0.0, length, [("q_before", x.astype(np.float32))],
                     check={"positions": f"{first}:{first + length}"} if first else {"length": length})
    parameters = {"dim": dim, "base": base, "pairing": pairing, "rotary-dim": rotary, **scaling}
    return Case(f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | rope {pairing} {what} #{number}", {"encoding": "rope", "parameters": parameters},
                build, causes, container="npz")


def spoilt():
    number = LINES
    for what, after in [*AFTER.items(), ("columns of the other pairing", None)]:
        for _ in range(4):
            yield one(number, what, after, accepted("channels-not-rotated" if "not written" in what else "pair-formula"))
            number += 1


def clean():
    for number in range(LINES + 100, LINES + 112):
        yield one(number, "as it should be", lambda a, b, c, s: (a * c - b * s, b * c + a * s), ())

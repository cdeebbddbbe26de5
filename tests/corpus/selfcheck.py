# Holds the corpus to itself: mistakes show, sound dumps lie within their bounds, and the truth agrees with mpmath.
import random


import case
import rope_build as rope
import tables
import turns
import scaling_cases
from rope_clean import ALL


def cases(all_cases):
    """Lines about cases that are not what they say."""
    for c in all_cases:
        built = c.build()
        if c.causes and not c.either and built.excess < case.CLEAR:
            yield f"{c.name}: the mistake does not show, {built.excess:.3g} bounds at most ({built.dtype}, {built.length} rows)"
        if not c.causes and not c.alike and built.excess > 1:
            yield f"{c.name}: {built.excess:.3g} bounds from the truth ({built.dtype})"
        if c.alike and built.excess < case.CLEAR and "key" not in c.name:
            yield f"{c.name}: not another table at all"


def mp_frequency(mp, spec, j):
    """One frequency from the definition, at 50 digits."""
    s, d = spec.scaling, mp.mpf(spec.rotary)
    kind = s.get("kind")
    if kind == "proportional":
        live = int(s["partial_rotary_factor"] * spec.head // 2)
        return mp.mpf(spec.base) ** (-mp.mpf(2 * j) / spec.head) if j < live else mp.mpf(0)
    base = mp.mpf(spec.base)
    if kind == "dynamic":
        length = max(spec.seq_len, spec.max_position)
        base *= (mp.mpf(s["factor"]) * length / spec.max_position - (s["factor"] - 1)) ** (d / (d - 2))
    if kind == "ntk":
        base *= mp.mpf(s["factor"]) ** (d / (d - 2))
    f = base ** (-2 * j / d)
    if kind == "resonance":
        return 2 * mp.pi / mp.nint(2 * mp.pi / f)
    if kind == "linear":
        return f / s["factor"]
    if kind == "longrope":
        long = spec.seq_len > s["original_max_position_embeddings"]
        return f / mp.mpf(s["long_factor" if long else "short_factor"][j])
    if kind == "llama3":
        turns_within = s["original_max_position_embeddings"] * f / (2 * mp.pi)
        lo, hi = mp.mpf(s["low_freq_factor"]), mp.mpf(s["high_freq_factor"])
        share = min(max((turns_within - lo) / (hi - lo), 0), 1)
        return f * (share + (1 - share) / s["factor"])
    if kind == "yarn":
        def pair(n):
            return d * mp.log(s["original_max_position_embeddings"] / (n * 2 * mp.pi)) / (2 * mp.log(base))
        low, high = pair(s.get("beta_fast", 32)), pair(s.get("beta_slow", 1))
        if s.get("truncate", True):
            low, high = mp.floor(low), mp.ceil(high)
        low, high = max(low, 0), min(high, d - 1)
        w = min(max((j - low) / (high - low), 0), 1)
        return f * (1 - w + w / s["factor"])
    return f


def against_mpmath(cells=12):
    """Lines about cells of the truth that mpmath has otherwise; nothing where mpmath is not installed."""
    try:
        import mpmath as mp
    except ImportError:
        return
    mp.mp.dps = 50
    draw = random.Random(1)
    for of in ALL + scaling_cases.meant():
        spec, _ = rope.source(of)
        story = rope.sound(spec, 4096, 0, "wide")
        a = tables.attention_factor(spec)
        cos, sin = turns.table(story)
        for _ in range(cells):
            p, j = draw.randrange(4096), draw.randrange(cos.shape[1])
            angle = p * mp_frequency(mp, spec, j)
            for what, got, want in (("cos", cos[p, j], a * mp.cos(angle)), ("sin", sin[p, j], a * mp.sin(angle))):
                if abs(mp.mpf(float(got)) - want) > 2.0 ** -52 * max(1, abs(a)) + 4096 * 2.0 ** -62:
                    yield f"{rope.label(of)}: {what} of position {p}, pair {j}: {float(got)!r}, mpmath has {mp.nstr(want, 17)}"

# Ladders and wavelengths by their formulas; critical dimensions as the papers print them.
from judge import Case
from mpmath import cos, floor, inf, log, mpf, pi  # noqa: F401


def ladder(base, dim, trained, length, scale=lambda theta: theta):
    """What every pair of a rope is, each number from θ_j = exp(−2j/d · ln base)."""
    from mpmath import exp

    def truth(row):
        unscaled = exp(-2 * mpf(row["pair"]) / dim * log(mpf(base)))
        theta = scale(unscaled)
        return {"frequency": theta, "unscaled": unscaled, "ratio": theta / unscaled, "wavelength": 2 * pi / theta,
                "turns_trained": None if trained is None else trained * unscaled / (2 * pi), "turns": length * theta / (2 * pi),
                "seen": None if trained is None else min(mpf(1), trained * unscaled / (2 * pi)), "axis": "position"}
    return truth


def llama3(theta):
    """Llama 3.1's rule, by turns within 8192."""
    turns = 8192 * theta / (2 * pi)
    share = min(mpf(1), max(mpf(0), (turns - 1) / 3))
    return theta * (share + (1 - share) / 8)


CASES = [
    Case("spectrum rope --dim 128 --base 10000 --trained 4096 --length 16384", ladder(10000, 128, 4096, 16384), count=64,
         notes=["critical dimension is 92"]),  # LLaMA-2: 2310.05209 prints 92
    Case("spectrum rope --dim 96 --base 10000 --trained 2048 --length 10", ladder(10000, 96, 2048, 10), count=48,
         notes=["critical dimension is 62"]),  # Phi-3-mini: 2502.20082 prints the 31st pair
    Case("spectrum rope --dim 128 --base 500000 --trained 8192 --length 10", ladder(500000, 128, 8192, 10),
         notes=["critical dimension is 70"]),  # LLaMA-3-8B: 2502.20082 prints 35
    Case("spectrum rope --model llama-3.1-8b --length 131072", ladder(500000, 128, 8192, 131072, llama3), count=64),
    Case("spectrum sinusoidal --dim 512 --length 100", ladder(10000, 512, None, 100), count=256),
    Case("spectrum rope --dim 128 --partial-rotary-factor 0.25 --length 7", ladder(10000, 32, None, 7), count=16),
    Case("spectrum rope --dim 64 --length 9 --versus 'rope --dim 32'", lambda row: ladder(10000, 64 if row["subject"] == "rope --dim 64" else 32, None, 9)(row),
         count=48),
    # Each axis of a grid by its own cells; 16 pairs of row, 16 of column with a ladder each.
    Case("spectrum rope-2d --grid 24x10", lambda row: {"turns": (24 if row["axis"] == "row" else 10) * mpf(10000) ** (-2 * mpf(int(row["pair"]) % 16) / 32) / (2 * pi)}, count=32,
         notes=["row: 16 pairs, wavelengths 6.283 to 35332.9, 13 of them longer than its 24 cells; column: 16 pairs"]),
    # M-RoPE's time takes the 16 fastest pairs: waves of at most 160 positions (2502.05173).
    Case("spectrum mrope --model qwen2-vl-7b --length 100", lambda row: {"turns": 100 * mpf(10) ** (-12 * mpf(row["pair"]) / 128) / (2 * pi)}, count=64,
         notes=["time: 16 pairs, wavelengths 6.283 to 160."]),
    Case("spectrum alibi", None, fails="spectrum has no meaning for alibi"),
    Case("spectrum rope --trained 0", None, fails="--trained"),
]

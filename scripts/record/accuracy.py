#!/usr/bin/env python3
# How far common ways of computing cos and sin tables are from the truth: the accuracy table of README.md.
"""Truth is mpmath at 60 digits. The ways of others are written out as formulas in NumPy (float32 steps rounded as those
programs round them), so the figures are those of the arithmetic, not of one build of a program; ours is what pe-gen writes.
A window is the last ROWS positions before 2^k, all pairs of a head of 128 channels, base 10000, cos and sin."""
import argparse
import io
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import interpreter  # noqa: E402

interpreter.need("mpmath", "numpy")
import mpmath  # noqa: E402
import numpy as np  # noqa: E402

DIM, BASE, ROWS, WINDOWS = 128, 10000, 16, (10, 17, 20)
F32 = np.float32


def truth(positions):
    mpmath.mp.dps = 60
    theta = [mpmath.mpf(BASE) ** (mpmath.mpf(-2 * j) / DIM) for j in range(DIM // 2)]
    turns = [[p * t for t in theta] for p in positions]
    return [[[f(a) for a in row] for row in turns] for f in (mpmath.cos, mpmath.sin)]


def pytorch(positions):
    """transformers' Llama: inv_freq, angles, cos and sin each in float32."""
    exponent = (np.arange(0, DIM, 2).astype(F32) / F32(DIM)).astype(F32)
    inv_freq = (F32(1) / np.power(F32(BASE), exponent, dtype=F32)).astype(F32)
    angle = positions.astype(F32)[:, None] * inv_freq[None, :]
    return np.cos(angle), np.sin(angle)


def numpy64(positions):
    """The tutorials' NumPy: everything in float64, rounded once at the end."""
    angle = positions.astype(np.float64)[:, None] / np.power(float(BASE), np.arange(0, DIM, 2) / DIM)[None, :]
    return np.cos(angle).astype(F32), np.sin(angle).astype(F32)


def llama_cpp(positions):
    """llama.cpp on CPUs: theta = p, then theta *= base^(-2/d) pair after pair, in float32."""
    scale = F32(np.power(F32(BASE), F32(-2.0 / DIM)))
    angle = np.empty((len(positions), DIM // 2), F32)
    theta = positions.astype(F32)
    for j in range(DIM // 2):
        angle[:, j] = theta
        theta = (theta * scale).astype(F32)
    return np.cos(angle), np.sin(angle)


def ours(positions, folder):
    command = [str(pathlib.Path(folder) / "pe-gen"), "rope", "--dim", str(DIM), "--base", str(BASE), "--format", "npy",
               "--positions", f"{positions[0]}:{positions[-1] + 1}"]
    tables = [subprocess.run(command + ["--fields", field], capture_output=True, check=True).stdout for field in ("cos", "sin")]
    return [np.load(io.BytesIO(table)) for table in tables]


def measure(got, exact):
    """Largest error in ulps of the float32 nearest to the truth, largest absolute error, share not correctly rounded."""
    ulps = worst = mpmath.mpf(0)
    wrong = count = 0
    for table, side in zip(got, exact):
        for row, exact_row in zip(table, side):
            for value, real in zip(row, exact_row):
                nearest = F32(float(real))
                error = abs(mpmath.mpf(float(value)) - real)
                worst = max(worst, error)
                ulps = max(ulps, error / mpmath.mpf(float(np.spacing(abs(nearest)))))
                wrong += value != nearest
                count += 1
    return float(ulps), float(worst), 100 * wrong / count


def main():
    parser = argparse.ArgumentParser(description="Prints the accuracy table of README.md.")
    built = [ROOT / "build" / preset / "cmd" for preset in ("release", "dev")]
    parser.add_argument("--bin", default=next((place for place in built if (place / "pe-gen").exists()), built[0]), type=pathlib.Path, help="folder of the tools")
    folder = parser.parse_args().bin
    if not (folder / "pe-gen").exists():
        parser.error(f"there is no pe-gen in {folder}: build it (scripts/test), or name its folder with --bin")
    ways = {"pe-gen": lambda p: ours(p, folder), "NumPy, float64 then float32": numpy64,
            "PyTorch, float32 (transformers' Llama)": pytorch, "llama.cpp, float32 recurrence": llama_cpp}
    exact = {k: truth(range(2 ** k - ROWS, 2 ** k)) for k in WINDOWS}
    print("| way | " + " | ".join(f"near 2^{k}" for k in WINDOWS) + " |")
    print("|---|" + "---|" * len(WINDOWS))
    for name, way in ways.items():
        cells = []
        for k in WINDOWS:
            ulps, worst, wrong = measure(way(np.arange(2 ** k - ROWS, 2 ** k)), exact[k])
            cells.append(f"{ulps:.3g} ulp, {worst:.2g}, {wrong:.2g} %")
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    sys.exit(main())

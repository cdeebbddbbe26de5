#!/usr/bin/env python3
# Holds the quantities of pe-analyze to their definitions at settings that nobody chose: other dims, bases, lengths, rules and options at every seed.
"""soak.py --bin FOLDER [--seed N] [--cases N] [--only REGEX]

The truth is that of tests/quantities/NAME.py, by mpmath or NumPy; only the settings are drawn here. The last line says how many cases passed.
"""
import argparse
import importlib
import pathlib
import random
import re
import sys

import mpmath
from mpmath import mpf

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import main as judge  # noqa: E402

sys.modules["judge"] = judge
Case = judge.Case
BASES = ["2", "17.5", "500", "777", "10000", "26952.3", "150000", "500000", "1e6", "8e6"]


def even(draw, low, high):
    return 2 * draw.randint(low // 2, high // 2)


def some(draw, most=12):
    """The first row, and others by a hash of what is in them, so that a long curve is looked at everywhere."""
    salt, seen = draw.random(), []

    def chosen(row):
        seen.append(row)
        return len(seen) == 1 or random.Random(f"{salt} {list(row.values())[:3]}").random() < most / 300
    return chosen


def spectrum(of, draw):
    dim, base, trained, length = even(draw, 2, 300), draw.choice(BASES), draw.randint(1, 200000), draw.randint(1, 10**6)
    return Case(f"spectrum rope --dim {dim} --base {base} --trained {trained} --length {length}", of.ladder(mpf(base), dim, trained, length), count=dim // 2)


def scaling(of, draw):
    dim, base, trained = even(draw, 8, 256), draw.choice(BASES[2:]), draw.choice([256, 2048, 4096, 8192, 32768, 10007])
    factor = draw.choice([1.5, 2, 3.7, 4, 8, 16, 32, 40])
    length = draw.randint(trained, 10 * trained)
    rules = ["linear", "ntk", "ntk:old", "ntk:fixed", "ntk:mixed", "ntk-by-parts", "yarn", "yarn:rotation", "ntk-by-parts:index", "dynamic", "llama3", "clex"]
    mine = draw.sample(rules, draw.randint(1, 5))
    return Case(f"scaling rope --dim {dim} --base {base} --trained {trained} --factor {factor} --length {length} --rules {','.join(mine)}",
                of.fingerprint(dim, mpf(base), trained, factor, length), count=len(mine) * (dim // 2))


def context(of, draw):
    dim, base, length = even(draw, 2, 192), draw.choice(BASES), draw.randint(1, 12000)
    return Case(f"context rope --dim {dim} --base {base} --length {length}", of.curve(of.ladder(mpf(base), dim)), count=1)


def base_bound(of, draw):
    dim, length = even(draw, 6, 160), draw.randint(5, 400)
    return Case(f"base-bound rope --dim {dim} --length {length}", of.bound(dim), count=1)


def decay(of, draw):
    dim, base, length = even(draw, 2, 160), draw.choice(BASES), draw.randint(2, 3000)
    kind = draw.randrange(5)
    if kind == 0:
        mean, rho = draw.choice(["0", "0.5", "-1.25"]), draw.choice(["0", "0.25", "-0.5", "1"])
        return Case(f"decay rope --dim {dim} --base {base} --length {length} --mean {mean} --correlation {rho}",
                    of.rotation(of.ladder(mpf(base), dim), dim, mean=mpf(mean), rho=mpf(rho)), rows=some(draw), count=length)
    if kind == 1:
        quarters = draw.choice([8, 16, 40, 64])
        return Case(f"decay rope --dim {2 * quarters} --partial-rotary-factor 0.5 --base {base} --length {length}",
                    of.rotation(of.ladder(mpf(base), quarters), 2 * quarters), rows=some(draw))
    if kind == 2:
        heads = draw.choice([1, 2, 4, 8, 16, 32])
        return Case(f"decay alibi --heads {heads} --length {length}", of.bias(lambda head, m: of.alibi(head, m, heads)), rows=some(draw), count=heads * length)
    if kind == 3:
        r1, r2 = draw.choice(["2", "0.3"]), draw.choice(["0.5", "4", "0.01"])
        return Case(f"decay kerple --heads 1 --r1 {r1} --r2 {r2} --length {length}", of.bias(lambda head, m: -mpf(r1) * mpmath.log(1 + mpf(r2) * m)), rows=some(draw))
    return Case(f"decay sinusoidal --dim {dim} --length {length}", of.product(of.ladder(10000, dim), dim), rows=some(draw), count=length)


def similarity(of, draw):
    dim, length = even(draw, 2, 200), draw.randint(2, 600)
    if draw.random() < .5:
        return Case(f"similarity sinusoidal --dim {dim} --length {length}", of.waves(dim), rows=some(draw))
    at = draw.randrange(length)
    return Case(f"similarity sinusoidal --dim {dim} --length {length} --at {at}", of.waves(dim, "position", at=at), rows=some(draw))


def shift(of, draw):
    dim, k = even(draw, 2, 300), draw.choice([-1, 1]) * draw.randint(1, 10 ** draw.randint(1, 6))
    if draw.random() < .5:
        return Case(f"shift sinusoidal --dim {dim} --k {k}", of.turns(dim, k, of.adjacent), count=dim // 2)
    base = draw.choice(BASES)
    return Case(f"shift rope --dim {dim} --base {base} --k {k}", of.turns(dim, k, lambda j: (j, j + dim // 2), mpf(base)), count=dim // 2)


def margins(of, draw):
    dim, length = even(draw, 2, 64), draw.randint(2, 400)
    return Case(f"margins sinusoidal --dim {dim} --length {length}", of.sinusoid(dim))


def kernel(of, draw):
    import numpy as np
    n = draw.randint(2, 150)
    d = of.distances(n)
    r1, r2 = draw.choice([1, .3, 2.5]), draw.choice([1, .25, 7])
    if draw.random() < .5:
        return Case(f"kernel kerple --heads 1 --r1 {r1} --r2 {r2} --length {n}", of.summary([-r1 * np.log1p(r2 * d)], ["yes"]), count=1)
    exponent = draw.choice([.3, .5, 1, 1.5, 1.9])
    return Case(f"kernel kerple --kernel power --heads 1 --r1 1 --r2 1 --exponent {exponent} --length {n}", of.summary([-d ** exponent], ["yes"]))


def interpolation(of, draw):
    dim, base = even(draw, 2, 512), draw.choice(BASES)
    if draw.random() < .5:
        return Case(f"interpolation rope --dim {dim} --base {base}", of.bounds(mpf(base), dim), count=1)
    steps = draw.randint(2, 30)
    return Case(f"interpolation rope --view places --dim {dim} --base {base} --steps {steps}", of.places(mpf(base), dim, steps), count=steps + 1)


def exposure(of, draw):
    trained = draw.randint(10, 60)
    length = draw.randint(trained + 1, 220)
    kind = draw.randrange(3)
    if kind == 0:
        return Case(f"exposure rope --trained {trained} --length {length} --schemes randpos", **of.exact(of.by_paths(trained, length), "randpos"), count=length - 1)
    if kind == 1:
        trained, length = draw.randint(2, 12), draw.randint(13, 50)
        return Case(f"exposure rope --trained {trained} --length {length} --schemes pose:2", **of.exact(of.pose(trained, length, 2), "pose:2"))
    window, leak, group = draw.randint(1, trained - 2), draw.choice([2, 3.5, 16]), draw.randint(2, 9)
    return Case(f"exposure rope --trained {trained} --length {length} --schemes {of.MAPS} --window {window} --leak {leak} --group {group}",
                of.maps(trained, length, window, leak, group), count=4 * (length - 1))


def buckets(of, draw):
    kind = draw.randrange(5)
    if kind == 0:
        one_way = draw.randint(2, 60)
        farthest = draw.randint(one_way + 1, 3000)
        length = draw.randint(1, 700)
        far = range(-2 * farthest - length, 2 * farthest + length + 1)
        return Case(f"buckets t5 --num-buckets {2 * one_way} --max-distance {farthest} --length {length}", of.counted(far, of.both(2 * one_way, farthest), 2 * one_way, length),
                    count=2 * one_way)
    if kind == 1:
        one_way = draw.randint(2, 200)
        farthest = draw.randint(one_way + 1, 20000)
        return Case(f"buckets t5 --view fragile --causal --num-buckets {one_way} --max-distance {farthest}", of.fragile(one_way, farthest))
    if kind == 2:
        span = even(draw, 4, 300)
        farthest = draw.randint(span // 2 + 3, 4000)
        return Case(f"buckets deberta --view fragile --position-buckets {span} --max-relative-positions {farthest}", of.fragile(span=span, farthest=farthest))
    if kind == 3:
        height, width = draw.randint(1, 14), draw.randint(1, 14)
        return Case(f"buckets swin --window {height}x{width}", of.window(height, width), count=(2 * height - 1) * (2 * width - 1))
    clip, length = draw.randint(1, 300), draw.randint(1, 900)
    return Case(f"buckets shaw --max-distance {clip} --length {length}", of.counted(range(-2 * (clip + length), 2 * (clip + length) + 1), of.clipped(clip), 2 * clip + 1, length), count=2 * clip + 1)


def attention(of, draw):
    dim, length = even(draw, 2, 256), draw.randint(1, 500)
    if draw.random() < .5:
        base = draw.choice(BASES)
        return Case(f"attention rope --dim {dim} --base {base} --length {length}", of.by_distance(*of.ones_rope(dim, length, float(base))), count=length)
    heads = draw.choice([1, 2, 4, 8, 16])
    slopes = [2.0 ** (-8 * (head + 1) / heads) for head in range(heads)]
    return Case(f"attention alibi --heads {heads} --length {length}", of.alibi(slopes, length), count=heads * length)


def precision(of, draw):
    dim, base, k = even(draw, 2, 24), draw.choice(BASES[2:]), draw.randint(1, 40)
    mine = draw.sample(sorted(of.PIPELINES), 3)
    length = draw.choice([50, 3000, 70000])
    return Case(f"precision rope --dim {dim} --base {base} --k {k} --length {length} --draws 2 --pipelines '{','.join(mine)}'", of.rope(mpf(base), dim, k), rows=some(draw, 40))


def drift(of, draw):
    dim, base, length = even(draw, 2, 16), draw.choice(BASES[2:]), draw.randint(3, 120)
    mine = ",".join(f"{draw.choice(['rk4', 'euler'])}/{steps}" for steps in draw.sample(range(1, 9), 2))
    return Case(f"drift floater --dim {dim} --base {base} --length {length} --solvers {mine}", of.solved(dim, mpf(base)), rows=some(draw, 30))


def probe(of, draw):
    import numpy
    rows, width, seed, draws = draw.randint(11, 60), draw.randint(1, 30), draw.randint(0, 99), draw.randint(2, 4)
    table = numpy.random.default_rng(draw.getrandbits(32)).normal(size=(rows, width))
    if draw.random() < .5:
        table = numpy.cumsum(table, axis=0)
    file = of.saved(f"soak{draw.getrandbits(30)}.npy", table)
    window, energy = draw.randint(2, rows - 1), draw.choice([.5, .8, .95])
    words = ["probe", "learned", "--input", str(file), "--seed", str(seed), "--draws", str(draws)]
    view = draw.randrange(3)
    if view == 0:
        return Case([*words, "--window", str(window), "--energy", str(energy)], of.beside(table, lambda t: of.statistics(t, seed, window, energy), "statistic", seed, draws), count=11)
    if view == 1:
        return Case([*words, "--view", "singular"], of.beside(table, of.singular, "component", seed, draws))
    return Case([*words, "--view", "fourier"], of.beside(table, of.spectrum, "mode", seed, draws), rows=lambda row: row["mode"] != "0")


def plan(of, draw):
    name, dim, base = draw.choice([("llama-2-7b", 128, 10000), ("qwen2.5-3b", 128, 1000000), ("gpt-neox-20b", 24, 10000)])
    trained = draw.choice([1024, 2048, 4096, 5000])
    wanted = draw.randint(trained + 1, 5 * trained)
    rules = draw.sample(["linear", "ntk", "yarn", "dynamic", "llama3", "ntk-by-parts", "ntk:mixed", "yarn:rotation"], 2)
    return of.Ordered(f"plan rope --model {name} --trained {trained} --length {wanted} --rules {','.join(rules)}", of.plan(dim, base, trained, wanted, of.model(name)))


MAKERS = [spectrum, scaling, context, base_bound, decay, similarity, shift, margins, kernel, interpolation, exposure, buckets, attention, precision, drift, probe, plan]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=1, help="of each quantity")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    mpmath.mp.dps = 50
    tool = str((options.bin / "pe-analyze").resolve())
    passed = failed = 0
    for maker in MAKERS:
        name = maker.__name__.replace("_", "-")
        if not re.search(options.only, name):
            continue
        module = importlib.import_module(name)
        mpmath.mp.dps = 50
        for number in range(options.cases):
            case = maker(module, random.Random(f"{options.seed} {name} {number}"))
            try:
                faults = [fault for _, fault in zip(range(3), case.faults(tool, judge.ROOT))]
            except Exception as error:  # noqa: BLE001 - a truth that cannot be made is a fault of this test: it is told with its case
                faults = [f"{type(error).__name__}: {error}"]
            passed, failed = passed + (not faults), failed + bool(faults)
            for fault in faults:
                print(f"{name}: pe-analyze {case.command if isinstance(case.command, str) else ' '.join(case.command)}: {fault}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Writes lib/pe/waves/circle_table.hpp: cos and sin of the first octant's 65 sector angles as double-double values.
from mpmath import mp, cos, sin, pi, mpf

mp.prec = 300


def twofold(value):
    high = float(value)
    return high, float(value - mpf(high))


rows = []
for sector in range(65):
    angle = 2 * pi * sector / 512
    pairs = (1.0, 0.0, 0.0, 0.0) if sector == 0 else twofold(cos(angle)) + twofold(sin(angle))
    rows.append("    {" + ", ".join(value.hex() for value in pairs) + "},")

with open("lib/pe/waves/circle_table.hpp", "w") as out:
    out.write("""// Cosine and sine of sector/512 of a turn, sectors 0 … 64, each as high + low (written by scripts/record/circle_table.py).
#pragma once

namespace pe::engine {

inline constexpr double octant[65][4] = {
""" + "\n".join(rows) + """
};

}  // namespace pe::engine
""")

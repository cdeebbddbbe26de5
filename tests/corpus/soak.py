# Seed after seed: all misses together, and how many there are of each kind in each class.
import collections

import outcome


def counted(told):
    """told: (seed, case, check, answer) of every case; class of mistake → kind → count, and lines about misses."""
    table, misses = collections.defaultdict(collections.Counter), []
    for seed, one, check, answer in told:
        kind = outcome.judged(one, answer)
        table[one.made][kind] += 1
        if kind != "right":
            misses.append((outcome.KINDS.index(kind), f"{kind}: seed {seed}: {check['name']}: {outcome.said(one, answer)}"))
    return table, [line for _, line in sorted(misses)]


def show(table):
    """A row for each class that has misses, and the sum."""
    kinds = ("right", *outcome.KINDS)
    print(f"{'':<52} " + " ".join(f"{k:>13}" for k in kinds))
    whole = collections.Counter()
    for made in sorted(table):
        whole.update(table[made])
        if set(table[made]) - {"right"}:
            print(f"{made:<52} " + " ".join(f"{table[made][k]:>13}" for k in kinds))
    print(f"{'all':<52} " + " ".join(f"{whole[k]:>13}" for k in kinds))
    return whole

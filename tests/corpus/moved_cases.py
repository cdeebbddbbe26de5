# Buckets of queries that stand some positions off: the start of a part of a prompt, keys that were dropped, padding in front.
"""key − query is k more than it should be, k anything: buckets themselves, biases of given weights, and biases whose weights nobody gave."""
import numpy as np

import bias
import case
from case import Built, accepted
from setting_cases import numbered
from tables import F32

LINES = 37700
one = numbered(LINES)
MOVED = accepted("bucket-offset", "position-offset", "bias-alignment")


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 377, number])


def spoilt(folder):
    for number in range(18):
        rng = drawn(number)
        length, both, heads = int(rng.choice([48, 90, 160])), bool(number % 2), int(rng.choice([4, 6]))
        move = int(rng.choice([-37, -11, -5, -3, 3, 4, 7, 16, 29]))
        buckets = bias.buckets(move - bias.offsets(length), both=both)
        parameters = {"bidirectional": both}
        kind = ("indices", "weights given", "weights not given")[number // 2 % 3]
        if kind == "indices":
            dtype = (np.int64, np.int32)[int(rng.integers(2))]
            yield one(number, f"{kind} {'both ways' if both else 'causal'} {move} more", "t5", parameters, MOVED,
                      lambda b=buckets, d=dtype: Built([("relative_position_bucket", b.astype(d))], None, 100.0, len(b)))
            continue
        weights, path = rng.standard_normal((32, heads)).astype(F32), folder / f"moved{number}.npy"

        def build(w=weights, b=buckets, path=path):
            np.save(path, w)
            return Built([("bias", w[b].transpose(2, 0, 1).copy())], "f32", 100.0, len(b))
        parameters = {**parameters, "heads": heads, **({"weights": str(path)} if kind == "weights given" else {})}
        yield one(number, f"{kind} {'both ways' if both else 'causal'} {move} more", "t5", parameters, MOVED, build)
    for number in range(18, 22):
        rng = drawn(number)
        length, far = int(rng.choice([48, 90])), int(rng.choice([8, 16, 20]))
        move = int(rng.choice([-9, -5, -3, 3, 4, 7]))
        held = np.clip(move - bias.offsets(length), -far, far) + far
        yield one(number, f"clipped {move} more", "shaw", {"max-distance": far}, MOVED, lambda h=held: Built([("index", h)], None, 100.0, len(h)))

# Plans held to the rules' formulas, sums and narrow arithmetic by NumPy; every config is read back by the tool itself.
import csv
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from judge import Case, split
from mpmath import cos, exp, log, mpf, nstr, pi, sin
from scaling import ratio_of

TOOL = str((pathlib.Path(sys.argv[sys.argv.index("--bin") + 1]) / "pe-analyze").resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]


def bf16(x):
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def bent(row, d, base, trained, wanted):
    """θ, θ' and the attention factor of a row."""
    thetas = [exp(-2 * mpf(j) / d * log(mpf(base))) for j in range(d // 2)]
    if row["rule"] == "none":
        return thetas, thetas, mpf(1)
    made = [ratio_of(row["rule"], j, d, base, trained, mpf(row["factor"]), mpf(wanted)) for j in range(d // 2)]
    return thetas, [theta * ratio for theta, (ratio, _) in zip(thetas, made)], mpf(made[0][1])


def merge(config, lines):
    """A rope_parameters or rope_scaling stands instead of the one that there is; what holds them is added to."""
    return {**config, **{key: merge(config[key], value) if key == "text_config" else value for key, value in lines.items()}}


def read_back(row, config, wanted):
    """Frequencies, and the attention factor where a rule is named, of the merged config as the tool reads it."""
    merged = merge(config, json.loads(row["config"]))
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(merged, file)
        file.flush()
        run = lambda *words: list(csv.DictReader(io.StringIO(subprocess.run(  # noqa: E731
            [TOOL, *words, "--config", file.name, "--length", str(wanted)], capture_output=True, text=True, check=True).stdout)))
        frequencies = [mpf(one["frequency"]) for one in run("spectrum", "rope")]
        text = merged.get("text_config", merged)
        rule = (text.get("rope_scaling") or text.get("rope_parameters") or {}).get("rope_type", "default")
        if rule == "default":
            return frequencies, mpf(1)
        return frequencies, mpf(run("scaling", "rope", "--rules", rule)[0]["attention_factor"])


def sums_of(angles, wanted):
    """Σ cos(mθ) for m < wanted in long double, by the addition theorem: a few cosines far apart and a few side by side."""
    side = math.isqrt(wanted - 1) + 1
    far, near = (np.arange(0, wanted, side, dtype=np.longdouble)[:, None] * angles, np.arange(side, dtype=np.longdouble)[:, None] * angles)
    return (np.cos(far) @ np.cos(near).T - np.sin(far) @ np.sin(near).T).ravel()[:wanted]


def plan(d, base, trained, wanted, config):
    def truth(row):
        theta, scaled, magnitude = bent(row, d, base, trained, wanted)
        long = [j for j in range(d // 2) if 2 * pi / theta[j] > trained]
        usable = min([trained * theta[j] / scaled[j] for j in long], default=mpf("inf"))
        angles = np.array([np.longdouble(nstr(one, 30)) for one in scaled])
        sums = sums_of(angles, wanted)
        negative = np.flatnonzero(sums < 0)
        back, factor = read_back(row, config, wanted)
        ends = [abs(one / want - 1) for one, want in zip(back, scaled)]
        return {"attention_factor": magnitude, "beyond": sum(wanted * scaled[j] > trained * theta[j] * (1 + mpf("1e-30")) for j in long), "usable": usable,
                "first_negative": int(negative[0]) if len(negative) else None, "negatives": len(negative), "minimum": sum(cos(int(sums.argmin()) * one) for one in scaled),
                "resolution": sum(sin(one / 2) ** 2 for one in scaled) / sum(sin(one / 2) ** 2 for one in theta),
                **errors(scaled, magnitude, wanted),
                # 16 digits of a base or a divisor in the config, and as many of each frequency that is printed.
                "config": row["config"] if max(ends) < 1e-14 and abs(factor - magnitude) < 1e-14 else f"frequencies and factor, off by {max(ends)}, {factor - magnitude}"}
    return truth


def errors(scaled, magnitude, wanted):
    before = max(0, wanted - 1024)
    step = max(1, -(-before // 1024))
    positions = np.concatenate([np.arange(before, wanted), np.arange(0, before, step)])
    exact = positions.astype(np.longdouble)[:, None] * np.array([np.longdouble(nstr(one, 30)) for one in scaled])
    single = (positions.astype(np.float32)[:, None] * np.array([float(one) for one in scaled], np.float32)).astype(np.float64)
    blunt = bf16(bf16(positions)[:, None] * bf16(np.array([float(one) for one in scaled]))).astype(np.float64)
    worst = dict.fromkeys(("error_f32", "error_f16", "error_bf16", "error_bf16_angles"), 0)
    a = np.float32(float(magnitude))
    for side in (np.cos, np.sin):
        true = np.longdouble(nstr(magnitude, 30)) * side(exact)
        sharp, dull = a * side(single).astype(np.float32), a * side(blunt).astype(np.float32)
        for name, value in (("error_f32", sharp), ("error_f16", sharp.astype(np.float16)), ("error_bf16", bf16(sharp)), ("error_bf16_angles", bf16(dull))):
            worst[name] = max(worst[name], abs(value - true).max())
    return {name: mpf(repr(value).split("'")[0]) if not isinstance(value, np.longdouble) else mpf(str(value)) for name, value in worst.items()}


def model(name):
    return json.loads((ROOT / f"data/models/{name}.json").read_text())


class Ordered(Case):
    """A plan, and that its rows stand in the order that the definition says."""

    def faults(self, tool, folder):
        yield from super().faults(tool, folder)
        done = subprocess.run([tool, *split(self.command)], capture_output=True, text=True, cwd=folder)
        rows = sorted(csv.DictReader(io.StringIO(done.stdout)), key=lambda row: int(row["rank"]))
        keys = [(int(row["beyond"]), -round(10 * float(row["resolution"])), float(row["factor"]), int(row["negatives"])) for row in rows]
        if keys != sorted(keys) or [int(row["rank"]) for row in rows] != list(range(1, len(rows) + 1)):
            yield f"the ranks do not follow {keys}"


CASES = [
    Ordered("plan rope --model llama-2-7b --trained 4096 --length 16384", plan(128, 10000, 4096, 16384, model("llama-2-7b")), count=22,
            notes=["left out: longrope", "from 4096 positions trained to 16384: ntk-by-parts 4 goes first"]),
    Ordered("plan rope --model qwen2.5-3b --trained 32768 --length 65536 --rules yarn,linear", plan(128, 1000000, 32768, 65536, model("qwen2.5-3b")), count=7),
    Case("plan rope --model qwen2.5-3b --trained 32768 --length 131072 --rules yarn --factors 4", lambda row: {
        "config": '{"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}}'}, rows=lambda row: row["rule"] == "yarn"),
    Ordered("plan rope --model gpt-neox-20b --length 5001", plan(24, 10000, 2048, 5001, model("gpt-neox-20b"))),
    Ordered("plan rope --model llama-3.1-8b-v5 --length 20000", plan(128, 500000, 8192, 20000, model("llama-3.1-8b-v5"))),
    Ordered("plan rope --model llama-2-7b --trained 4096 --length 8192 --rules yarn:rotation,ntk:mixed,ntk:fixed,ntk-by-parts:index --factors 2,3.5",
            plan(128, 10000, 4096, 8192, model("llama-2-7b")), count=9),
    # Configs of other forms: everything below text_config, and a family that has a rule where its config is silent.
    Ordered("plan rope --model ministral-3-3b --trained 16384 --length 33000 --rules linear,ntk,llama3,dynamic --factors 4", plan(128, 1000000, 16384, 33000, model("ministral-3-3b"))),
    Ordered("plan rope --model gpt-oss-20b --length 9000 --rules linear,ntk,llama3 --factors 3", plan(64, 150000, 4096, 9000, model("gpt-oss-20b"))),
    Case("plan rope --model phi-3.5-mini --rules yarn --factors 4", lambda row: {"config": row["config"] if "longrope" in row["config"] else "a list: yarn is longrope to Phi-3"},
         rows=lambda row: row["rule"] == "yarn"),
    Case("plan rope --trained 4096 --length 8192 --rules abf --adjusted-base 500000", lambda row: {"factor": 1, "config": '{"rope_theta": 500000.0}'}, count=2,
         rows=lambda row: row["candidate"] == "abf"),
    Case("plan rope --trained 4096 --length 100", lambda row: {"rank": 1, "first_negative": None, "negatives": 0, "beyond": 0}, rows=lambda row: row["rule"] == "none"),
    Case("plan rope --model gemma-4 --trained 8192 --length 16384 --factors 2", lambda row: {"config": (
        "no config.json says this" if row["rule"] == "none" else '{"rope_parameters": {"full_attention": {"rope_type": "proportional", "factor": 2.0, "rope_theta": 1000000.0, '
        '"partial_rotary_factor": 0.25}}}')}, rows=lambda row: row["factor"] in "12", notes=["left out: linear, ntk"]),
    Case("plan rope --length 9007199254740992", None, fails="rules take 1000000 at most"),
    Case("plan rope --factors 0.5", None, fails="a factor below 1 brings no model further"),
    Case("plan rope --length 10000000 --trained 4", None, fails="is a factor of 2.5e+06, and rules take 1000000 at most"),
    Case("plan rope --factors 0", None, fails="--factors"),
    Case("plan rope --rules yarm", None, fails="did you mean yarn?"),
    Case("plan t5", None, fails="no meaning for t5"),
]

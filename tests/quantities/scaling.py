# Rules by the formulas of their papers and codes, each written down here a second time; figures as the papers print them.
import json
import pathlib

from judge import Case
from mpmath import ceil, exp, floor, inf, log, mpf, pi, sqrt

ROOT = pathlib.Path(__file__).resolve().parents[2]


def turns(theta, trained):
    return trained * theta / (2 * pi)


def clip(x):
    return min(mpf(1), max(mpf(0), x))


def mix(kept, s):
    return kept + (1 - kept) / s


def yarn_ends(d, base, trained, limit, fast=32, slow=1):
    """Ends of the released code's ramp over the index of the pair."""
    low, high = (d * log(trained / (2 * pi * n)) / (2 * log(base)) for n in (fast, slow))
    low, high = max(floor(low), mpf(0)), min(ceil(high), mpf(limit))
    return low, high + (mpf("0.001") if low == high else 0)


def ratio_of(rule, j, d, base, trained, s, length):
    """θ'/θ of pair j, and the attention factor."""
    theta = exp(-2 * mpf(j) / d * log(mpf(base)))
    half = mpf(d) / 2
    by_index = lambda ends: 1 - clip((j - ends[0]) / (ends[1] - ends[0]))  # noqa: E731
    paper = clip((turns(theta, trained) - 1) / 31)
    mscale = log(s) / 10 + 1 if s > 1 else mpf(1)
    if rule in ("linear", "proportional"):
        return 1 / s, 1
    if rule == "ntk":
        return s ** (-2 * mpf(j) / (d - 2)), 1
    if rule == "ntk:old":
        return s ** (-mpf(j) / half), 1
    if rule == "ntk:fixed":
        return s ** (-mpf(j + 1) / half), 1
    if rule == "ntk:mixed":
        return exp(-log(s) * (mpf(j + 1) / half) ** mpf("0.75")), 1
    if rule == "ntk-by-parts" or rule == "yarn:rotation":
        return mix(paper, s), mscale if rule.startswith("yarn") else 1
    if rule in ("yarn", "ntk-by-parts:index"):
        return mix(by_index(yarn_ends(d, mpf(base), trained, d - 1)), s), mscale if rule == "yarn" else 1
    if rule == "dynamic":
        return (s * length / trained - (s - 1)) ** (-2 * mpf(j) / (d - 2)), 1
    if rule == "dynamic:doubling":  # 2^k is the least that reaches length / trained
        return mpf(2 ** ((-(-int(length) // int(trained)) - 1).bit_length() + 1) - 1) ** (-2 * mpf(j) / (d - 2)), 1
    if rule == "llama3":
        return mix(clip((turns(theta, trained) - 1) / 3), s), 1
    if rule == "clex":
        return (2 * s - 1) ** (-2 * mpf(j) / (d - 2)), 1
    raise KeyError(rule)


def fingerprint(d, base, trained, s, length=None, others=()):
    s = mpf(str(s))
    wanted = mpf(length or floor(s * trained))

    def truth(row):
        j = int(row["pair"])
        if row["rule"] in others:
            return {"unscaled": exp(-2 * mpf(j) / d * log(mpf(base)))}
        theta = exp(-2 * mpf(j) / d * log(mpf(base)))
        ratio, magnitude = ratio_of(row["rule"], j, d, base, trained, s, wanted)
        whole = 2 * pi / theta <= trained
        return {"ratio": ratio, "frequency": ratio * theta, "unscaled": theta, "wavelength": 2 * pi / theta / ratio,
                "gamma": None if s == 1 else (ratio - 1 / s) / (1 - 1 / s), "attention_factor": magnitude,
                "angle": wanted / trained * ratio, "leaves": int(not whole and wanted / trained * ratio > 1 + mpf("1e-40")),
                "extension": mpf(inf) if whole else 1 / ratio}
    return truth


def usable(rule, d, base, trained, s):
    """The least extension, over the pairs that never complete a period."""
    long = [j for j in range(d // 2) if 2 * pi * exp(2 * mpf(j) / d * log(mpf(base))) > trained]
    return min(1 / ratio_of(rule, j, d, base, trained, mpf(s), s * trained)[0] for j in long)


def of(rule, pair=None):
    return lambda row: row["rule"] == rule and (pair is None or row["pair"] == str(pair))


def printed(column, texts):
    """Figures as a paper prints them: to half a unit of their last place, by the pair."""
    def truth(row):
        want = texts.get(row["pair"])
        if want is None:
            return {}
        got, half = mpf(row[column]), mpf(10) ** -len(want.split(".")[1]) / 2
        return {column: got if abs(got - mpf(want)) <= half else mpf(want)}
    return truth


LLAMA2 = "scaling rope --model llama-2-7b"
# Llama-3.1-8B: 29 pairs kept, six blended, 29 divided by 8.
LLAMA31 = {str(29 + i): text for i, text in enumerate([".8282", ".6437", ".4935", ".3711", ".2714", ".1902"])}
LLAMA31 |= {str(j): "1.0000" for j in range(29)} | {str(j): ".1250" for j in range(35, 64)}
LLAMA31 = {j: text if text[0] != "." else "0" + text for j, text in LLAMA31.items()}


def phi35(row):
    """The list that the model brings divides pair by pair; √(1 + ln 32 / ln 4096) = 1.1902."""
    config = json.loads((ROOT / "data/models/phi-3.5-mini.json").read_text())
    divisor = mpf(str(config["rope_scaling"]["long_factor"][int(row["pair"])]))
    return {"ratio": 1 / divisor, "attention_factor": sqrt(1 + log(mpf(32)) / log(mpf(4096)))}


RULES = "linear,ntk,ntk:old,ntk:fixed,ntk:mixed,ntk-by-parts,ntk-by-parts:index,yarn,yarn:rotation,dynamic,dynamic:doubling,llama3,clex"
CASES = [
    Case(f"scaling rope --trained 4096 --factor 16 --rules {RULES}", fingerprint(128, 10000, 4096, 16), count=13 * 64),
    Case(f"scaling rope --dim 96 --base 500000 --trained 8192 --factor 3.7 --rules {RULES}", fingerprint(96, 500000, 8192, 3.7), count=13 * 48),
    Case("scaling rope --dim 128 --partial-rotary-factor 0.25 --trained 2048 --factor 4 --length 5000 --rules linear,ntk,yarn,dynamic,llama3",
         fingerprint(32, 10000, 2048, 4, 5000), count=5 * 16, notes=["usable to"]),
    Case("scaling rope --trained 2048 --factor 1 --rules linear,ntk,yarn", fingerprint(128, 10000, 2048, 1)),
    # The released code of YaRN and its paper: up to 3.04 times apart for LLaMA-2 at 16, 2.34 for LLaMA-1 at 8, 1.71 for Qwen2.5 at 4.
    Case(f"{LLAMA2} --factor 16", fingerprint(128, 10000, 4096, 16, others=("ntk-by-parts:two-ramps",)), count=14 * 64 + 64,
         notes=["yarn:rotation 3.04 times (pair 38)", "left out: longrope: it needs --short-factor", "ntk 17 (usable to 7.57)"]),
    Case("scaling rope --trained 2048 --factor 8", fingerprint(128, 10000, 2048, 8, others=("ntk-by-parts:two-ramps",)), notes=["yarn:rotation 2.34 times (pair 31)"]),
    Case("scaling rope --base 1e6 --trained 32768 --factor 4", fingerprint(128, 1000000, 32768, 4, others=("ntk-by-parts:two-ramps",)),
         notes=["yarn:rotation 1.71 times"]),
    # Usable extension of ntk without leaving: 1.66, 2.75, 4.56, 7.57; 17 of the 18 long pairs leave.
    *[Case(f"scaling rope --trained 4096 --factor {s} --rules ntk", lambda row, s=s: {"usable_extension": usable("ntk", 128, 10000, 4096, s)},
           notes=[f"ntk 17 (usable to {text})"]) for s, text in [(2, "1.66"), (4, "2.75"), (8, "4.56"), (16, "7.57")]],
    # YaRN eq. 23's 0.1·ln s + 1 as printed, and Su's variants at 8, first to last pair.
    *[Case(f"scaling rope --trained 4096 --factor {s} --rules yarn", printed("attention_factor", {str(j): text for j in range(64)}))
      for s, text in [(2, "1.0693"), (4, "1.1386"), (8, "1.2079"), (16, "1.2773"), (32, "1.3466"), (40, "1.3689"), (64, "1.4159")]],
    Case("scaling rope --trained 2048 --factor 8 --rules ntk:old", printed("extension", {"63": "7.744"}), rows=of("ntk:old", 63)),
    Case("scaling rope --trained 2048 --factor 8 --rules ntk:fixed", printed("ratio", {"0": "0.968", "63": "0.125"}), rows=of("ntk:fixed")),
    Case("scaling rope --trained 2048 --factor 8 --mixed-b 0.625 --rules ntk:mixed", printed("ratio", {"0": "0.857", "63": "0.125"})),
    # Dynamic at 8192 of 4096: bases 30528 and 51294 for factors 2 and 4.
    *[Case(f"scaling rope --trained 4096 --factor {f} --length 8192 --rules dynamic", lambda row, b=b: {"ratio": mpf(row["ratio"])} if abs(
        mpf(row["ratio"]) - (mpf(b) / 10000) ** (-2 * mpf(row["pair"]) / 128)) < mpf("4e-5") else {"ratio": mpf(0)}) for f, b in [(2, 30528), (4, 51294)]],
    Case("scaling rope --model llama-3.1-8b --rules llama3", printed("ratio", LLAMA31), count=64),
    Case("scaling rope --model llama-3.1-8b --rules llama3", fingerprint(128, 500000, 8192, 8)),
    Case("scaling rope --model phi-3.5-mini --rules longrope", phi35, count=48),
    Case("scaling rope --model phi-3.5-mini --rules longrope:short", lambda row: {"attention_factor": sqrt(1 + log(mpf(32)) / log(mpf(4096)))}, count=48),
    Case("scaling rope --scaling yarn --factor 4 --original-max-position 4096 --beta-fast 16 --rules linear",
         fingerprint(128, 10000, 4096, 4), count=64),
    Case("scaling rope --trained 4096 --factor 4 --rules abf --adjusted-base 80000",
         lambda row: {"ratio": mpf(8) ** (-2 * mpf(row["pair"]) / 128)}, count=64),
    Case("scaling rope --rules linear --versus 'rope --dim 64'", lambda row: {"ratio": mpf(1) / 8}, count=96),
    Case("scaling rope --rules yran", None, fails="did you mean yarn?"),
    Case("scaling rope --rules yarn:turns", None, fails="no 'yarn:turns' here"),
    Case("scaling rope --rules longrope", None, fails="needs --short-factor"),
    Case("scaling rope --factor x", None, fails="--factor"),
    Case("scaling rope --factor 1e6 --trained 9007199254740992", None, fails="beyond 2^53"),
    Case("scaling alibi", None, fails="no meaning for alibi"),
]

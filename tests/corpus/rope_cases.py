# Spoilt rotary tables: every cause over models, dtypes, layouts and containers.
import numpy as np

import rope_build as rope
import spoil_rows as rows
import spoil_turns as spoil
from case import Cycle, accepted
from models import Rope

PLAIN = ("llama-2-7b", "mistral-7b-v0.3", "qwen2-7b", "qwen3-0.6b", "code-llama-7b", "gemma-2-9b", "redpajama-3b",
         "falcon-7b", "modernbert-base", "pixtral-text", "command-r-v01", "aya-23-8b", "gemma-3-1b", "mistral-7b-v0.1")
PARTIAL = ("gpt-neox-20b", "stablelm-3b", "gpt-j-6b", "glm-4-9b", "pythia-14m")
LLAMA3 = ("llama-3.1-8b", "llama-3.2-1b", "llama-3.2-3b", "csm-backbone", "llama-3.1-70b")
YARN = ("gpt-oss-20b", "qwen3-8b-yarn", "olmo-3-32b", "yarn-llama-2-7b-128k")  # with a factor that is not 1
YARN_1 = ("deepseek-r1", "ministral-3-3b", "deepseek-v2-lite")                 # mscale over itself
LONG = ("phi-3.5-mini", "phi-4-mini", "phi-3.5-vision")
DYNAMIC = ("internlm2.5-7b", "minicpm-2b-128k")
ANY = PLAIN + PARTIAL + LLAMA3 + YARN_1 + ("gemma-3-4b",)

CLAMPED = Rope(128, 128, scaling={"kind": "yarn", "factor": 4.0, "original_max_position_embeddings": 131072, "attention_factor": 1.0})
BETAS = Rope(128, 128, 500000.0, scaling={"kind": "yarn", "factor": 16.0, "original_max_position_embeddings": 8192,
                                          "beta_fast": 16.0, "beta_slow": 2.0})
LINEAR = Rope(64, 64, scaling={"kind": "linear", "factor": 4.0})
LISTS = Rope(32, 32, scaling={"kind": "longrope", "original_max_position_embeddings": 256, "factor": 8.0,
                              "short_factor": [1 + j / 16 for j in range(16)],
                              "long_factor": [1 + j * j / 8 for j in range(16)]}, max_position=2048)

BANDS = tuple(Rope(d, d, base, scaling={"kind": "llama3", "factor": s, "low_freq_factor": lo, "high_freq_factor": hi,
                                        "original_max_position_embeddings": original})
              for d, base, s, lo, hi, original in ((128, 1e4, 8.0, 2.0, 4.0, 8192), (80, 1e8, 8.0, 2.0, 4.0, 8192), (96, 5e5, 32.0, 1.0, 4.0, 8192),
                                                   (64, 1e5, 16.0, 2.0, 4.0, 2048), (100, 160000.0, 32.0, 2.0, 8.0, 2048)))


def place(step):
    return lambda s: s.also(places=step)


def change_rows(step):
    return lambda s: s.also(rows=step)


# causes (right answers), models, how it shows, mistakes to go through, further keys
ROWS = [
    (("attention-factor-missing",), YARN + LONG, "amplitude", [spoil.attention_factor_missing], {}),
    (("attention-factor-squared",), YARN + LONG[:2], "amplitude", [spoil.attention_factor_squared], {}),
    (("attention-factor-log-twice",), YARN, "amplitude", [spoil.attention_factor_log_twice], {}),
    (("attention-factor-inverted",), YARN + LONG[:1], "amplitude", [spoil.attention_factor_inverted], {}),
    (("attention-factor-unexpected",), YARN_1, "amplitude", [spoil.attention_factor_unexpected], {}),
    (("attention-factor-unexpected",), ("llama-2-7b", "gpt-oss-20b", "qwen2-7b"), "amplitude",
     [lambda s: spoil.attention_factor_unexpected(s, 1.25)], {}),
    (("attention-factor-on-angles",), YARN + LONG[:1], "ladder", [spoil.attention_factor_on_angles], {"values": True}),
    (("attention-factor-on-one-side",), YARN + LONG[:1], "amplitude",
     [lambda s: spoil.attention_factor_on_one_side(s, "cos"), lambda s: spoil.attention_factor_on_one_side(s, "sin")], {}),
    (("wrong-base",), PLAIN[:8] + LLAMA3[:3] + YARN_1 + PARTIAL[:2], "ladder",
     [lambda s: spoil.wrong_base(s, 250000), lambda s: spoil.wrong_base(s, 50000), lambda s: spoil.wrong_base(s, 12345),
      lambda s: spoil.wrong_base(s, 10000 if s.spec.base != 10000 else 500000)], {}),
    (("exponent-shifted",), PLAIN[:6] + PARTIAL[:1], "ladder",
     [lambda s: spoil.exponent_shifted(s, 2), lambda s: spoil.exponent_shifted(s, 1)], {}),
    (("scaling-missing",), LLAMA3 + YARN_1 + DYNAMIC + LONG[:1] + ("gemma-3-4b",), "ladder", [spoil.scaling_missing], {}),
    (("scaling-missing", "scaling-missing + attention-factor-missing"), YARN, "amplitude",
     [lambda s: spoil.scaling_missing(s, True)], {}),
    (("scaling-inverted",), LLAMA3[:3] + ("gemma-3-4b", LINEAR) + YARN_1[:2], "ladder", [spoil.scaling_inverted], {}),
    (("scaling-twice",), LLAMA3[:3] + ("gemma-3-4b", LINEAR) + YARN_1[:2] + YARN[:1], "ladder", [spoil.scaling_twice], {}),
    (("wrong-scaling",), LLAMA3[:3] + YARN_1[:2] + YARN[:2], "ladder", [spoil.wrong_scaling], {}),
    (("wrong-scaling",), BANDS, "ladder", [spoil.wrong_scaling], {}),
    (("scaling-on-some-rows",), LLAMA3[:3] + ("gemma-3-4b",) + YARN_1[:2], "rows",
     [lambda s: spoil.scaling_on_some_rows(s, 200), lambda s: spoil.scaling_on_some_rows(s, 256, False)], {}),
    (("frequencies-inverted",), ("llama-2-7b", "falcon-7b", "gpt-neox-20b", "aya-23-8b"), "ladder",
     [spoil.frequencies_inverted], {"length": 128, "values": True}),  # inverted, frequencies and periods are each other
    (("frequencies-equal",), PLAIN[:4] + LLAMA3[:1], "ladder", [spoil.frequencies_equal], {}),
    (("wrong-parameter",), LLAMA3[:4], "ladder",
     [lambda s: spoil.wrong_parameter(s, factor=4.0), lambda s: spoil.wrong_parameter(s, original_max_position_embeddings=4096),
      lambda s: spoil.wrong_parameter(s, low_freq_factor=2.0 * s.spec.scaling["low_freq_factor"]),
      lambda s: spoil.wrong_parameter(s, high_freq_factor=2.0 * s.spec.scaling["high_freq_factor"])], {}),
    (("wrong-parameter",), ("gemma-3-4b", LINEAR, "deepseek-r1", "ministral-3-3b"), "ladder",
     [lambda s: spoil.wrong_parameter(s, factor=3.0)], {}),
    (("wrong-parameter",), DYNAMIC, "ladder",
     [lambda s: spoil.wrong_length(s, int(s.spec.scaling["factor"] * s.spec.max_position))], {}),  # frozen, as vLLM has it
    (("yarn-truncate",), YARN + YARN_1 + ("gpt-oss-20b",), "ladder", [spoil.yarn_truncate], {}),
    (("yarn-betas-swapped",), YARN[:3] + YARN_1, "ladder",
     [spoil.yarn_betas_swapped, lambda s: spoil.yarn_betas_swapped(s, True)], {}),
    (("yarn-original-length",), YARN + YARN_1, "ladder", [spoil.yarn_original_length], {}),
    (("yarn-clamp",), (CLAMPED, CLAMPED.but(head=64, rotary=64), CLAMPED.scaled(factor=8.0)), "ladder", [spoil.yarn_clamp], {}),
    (("yarn-ramp",), (BETAS, BETAS.scaled(factor=8.0)), "ladder", [lambda s: spoil.yarn_ramp(s, "betas")], {}),
    (("yarn-ramp",), YARN[:3] + YARN_1[:2], "ladder", [lambda s: spoil.yarn_ramp(s, "power")], {}),
    (("longrope-other-list",), (LONG[0], LONG[2], LISTS.but(seq_len=2048), LISTS.but(seq_len=256)), "ladder", [spoil.longrope_other_list], {}),
    (("longrope-mixed",), (LISTS.but(seq_len=2048),) * 3, "rows",
     [spoil.longrope_mixed], {"length": 640}),
    (("longrope-mixed",), LONG, "rows", [spoil.longrope_mixed], {"length": 5000}),
    (("low-precision-frequencies",), PLAIN[:5] + LLAMA3[:2] + YARN_1[:1], "place",
     [spoil.low_precision_frequencies, lambda s: spoil.low_precision_frequencies(s, "f16")], {"length": 4096}),
    (("low-precision-positions",), PLAIN[:4] + LLAMA3[:2], "place",
     [spoil.low_precision_positions, lambda s: spoil.low_precision_positions(s, "f16")], {"length": 4096}),
    (("low-precision-angles",), PLAIN[:4] + PARTIAL[:2], "place",
     [spoil.low_precision_angles, lambda s: spoil.low_precision_angles(s, "f16")], {"length": 1024}),
    (("tf32-product",), PLAIN[:3] + LLAMA3[:2], "place", [spoil.tf32_product], {"length": 4096}),
    (("low-precision-table",), ANY[:4] + LLAMA3[:3] + YARN[:2], "rows",
     [spoil.low_precision_table, lambda s: spoil.low_precision_table(s, "f16")], {"wide": True}),
    (("position-offset",), PLAIN[:5] + PARTIAL[:2] + LLAMA3[:3], "place",
     [place(rows.position_offset(k)) for k in (1, -1, 2, 17, -5)], {}),
    (("position-constant",), PLAIN[:3] + YARN_1[:1], "place", [place(rows.position_constant(k)) for k in (1, 77)], {}),
    (("position-doubled",), PLAIN[:4] + LLAMA3[:1], "place", [place(rows.position_doubled())], {}),
    (("position-floored",), PLAIN[:4] + YARN_1[:1], "place", [place(rows.position_floored(s)) for s in (4, 8)], {}),
    (("position-jump",), PLAIN[:4] + LLAMA3[:1], "place",
     [place(rows.position_jump(b, k)) for b, k in ((128, 1), (200, 64), (97, 3))], {}),
    (("position-reset", "rows-wrapped"), PLAIN[:4] + LLAMA3[:1], "place", [place(rows.position_reset(b)) for b in (128, 200)], {}),
    (("position-reset",), PLAIN[:4] + LLAMA3[:1], "place",
     [place(lambda p, b=b: np.where(p < b, p, p - b)) for b in (797, 735, 843)], {"first": 700, "length": 300}),
    (("left-padding",), PLAIN[:4] + YARN_1[:1], "place",
     [place(rows.left_padding(9)), place(rows.left_padding(30, 1))], {}),
    (("rows-permuted",), PLAIN[:4] + LLAMA3[:1], "place",
     [change_rows(rows.rows_permuted(4, (0, 3, 1, 2))), change_rows(rows.rows_permuted(2, (1, 0)))], {"values": True, "length": 512}),
    (("rows-not-rotated",), PLAIN[:4], "rows", [place(lambda p: np.where((p >= 100) & (p < 120), 0, p)),
                                                place(lambda p: np.where(p % 7 == 3, 0, p))], {}),
    (("not-rotated", "position-constant"), PLAIN[:3] + LLAMA3[:1], "place", [place(rows.position_constant(0))], {}),
    (("wrong-denominator",), PARTIAL + ("gemma-4",), "ladder",
     [lambda s: spoil.wrong_denominator(s, s.spec.head if s.spec.rotary != s.spec.head and not s.spec.scaling else s.spec.rotary)], {}),
    (("wrong-denominator",), PLAIN[:3], "ladder", [lambda s: spoil.wrong_denominator(s, s.spec.rotary - 2)], {}),
    (("direction-reversed",), PLAIN[:4] + PARTIAL[:2] + LLAMA3[:1] + YARN[:1], "place", [spoil.direction_reversed], {}),
    (("rows-zero",), PLAIN[:4] + YARN[:1], "rows", [change_rows(rows.rows_zero(k)) for k in (200, 256)], {}),
    (("rows-clamped",), PLAIN[:4] + LLAMA3[:1], "rows", [change_rows(rows.rows_clamped(k)) for k in (200, 256)], {}),
    (("rows-wrapped", "position-reset"), PLAIN[:4] + LLAMA3[:1], "rows", [change_rows(rows.rows_wrapped(k)) for k in (128, 256)], {}),
    (("not-finite",), PLAIN[:3] + YARN[:1], "rows",
     [change_rows(rows.not_finite(70)), change_rows(rows.not_finite(250, np.inf))], {"dtype": "f32"}),
]


def spoilt():
    number = 0
    wide = Cycle("f32", "f64", "f32")
    for causes, many, shows, mistakes, keys in ROWS:
        for i, of in enumerate(many):
            keys_here = {k: v for k, v in keys.items() if k not in ("values", "wide")}
            if keys.get("values"):
                shows = "rows"
            if keys.get("wide"):
                keys_here["dtype"] = wide.next()
                keys_here["check"] = {"accept": "drift"}
            yield rope.spoilt(number, accepted(*causes), of, mistakes[i % len(mistakes)], shows, **keys_here)
            number += 1

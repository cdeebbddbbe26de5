# Rotary dumps whose fault lies in how they are laid out, and dumps with two faults at once.
import dataclasses

import numpy as np

import case
import rope_build as rope
import spoil_rows as rows
import spoil_turns as spoil
import vectors
from case import accepted
from rope_cases import LLAMA3, LONG, PARTIAL, PLAIN, YARN, YARN_1, change_rows, place

ADJACENT = ("command-r-v01", "aya-23-8b", "gpt-j-6b")


def same(story):
    return story


def wide(story, rotary):
    return story.but(spec=story.spec.but(rotary=rotary))


def special(number, cause, of, layout, change=same, arrays=None, **keys):
    c = rope.spoilt(number, accepted(cause), of, change, "rows", layout=layout, arrays=arrays or (lambda a: a), **keys)
    return c


def renamed(c, names):
    """The same arrays under other names, in one file that has names."""
    build = c.build

    def again():
        built = build()
        return dataclasses.replace(built, named=[(n, a) for n, (_, a) in zip(names, built.named)])
    return dataclasses.replace(c, build=again, container="npz", by_name=True)


def layouts(number):
    for of in PLAIN[:4] + LLAMA3[:2]:
        yield special(number, "wrong-pairing", of, "adjacent", parameters={"layout": "halves"})
        yield special(number, "wrong-pairing", of, "adjacent", parameters={"pairing": "halves"})
    for of in ADJACENT:
        yield special(number, "wrong-pairing", of, "halves", parameters={"pairing": "adjacent"})
        yield special(number, "wrong-pairing", of, "halves", parameters={"layout": "adjacent"})
    for of in PLAIN[:3] + YARN[:1]:
        yield special(number, "sin-cos-swapped", of, "cos-sin", spoil.sin_cos_swapped, check={"file_layout": "cos-sin"})
        yield special(number, "sin-cos-swapped", of, "turns", spoil.sin_cos_swapped)
        yield renamed(special(number, "sin-cos-swapped", of, "halves"), ("sin", "cos"))
    for i, of in enumerate(PLAIN[:5] + LLAMA3[:2] + PARTIAL[:1]):
        form = ("zero", "rolled")[i % 2]
        yield special(number, "copies-differ", of, ("halves", "batch-halves")[i % 2], arrays=rows.copies_differ(form))
    for i, of in enumerate(PLAIN[:4] + LLAMA3[:2]):
        yield special(number, "table-short", of, ("pairs", "cos-sin", "halves")[i % 3], arrays=rows.table_short((300, 256)[i % 2]),
                      length=512)
    for i, of in enumerate(PLAIN[:3] + LLAMA3[:1]):
        yield special(number, "uninitialised", of, ("pairs", "halves", "cos-sin")[i % 3],
                      arrays=rows.uninitialised(case.seeded(of)), dtype="f32")
        yield special(number, "uninitialised", of, "inv_freq", arrays=rows.uninitialised(case.seeded(of + "x")), dtype="f32")
    for of in PLAIN[:2]:
        yield special(number, "not-finite", of, "inv_freq", arrays=lambda a: np.where(np.arange(len(a)) > 0, np.inf, a), dtype="f32")
    for i, of in enumerate(PARTIAL[:4]):
        yield special(number, "wrong-rotary-width", of, rope.proper(("halves", "pairs")[i % 2], rope.source(of)[0]),
                      lambda s: wide(s, s.spec.head))
    for of in PLAIN[:3]:
        yield special(number, "wrong-rotary-width", of, "halves", lambda s: wide(s, s.spec.head // 2))


BOTH = "low-precision-frequencies + low-precision-positions"  # one fault where a whole module was cast
# Two faults: (causes, models, changes in turn).
TWO = [
    ("wrong-base + position-offset", PLAIN[:3], [lambda s: spoil.wrong_base(s, 250000), place(rows.position_offset(1))]),
    ("position-offset + scaling-missing", LLAMA3[:3] + ("gemma-3-4b",), [spoil.scaling_missing, place(rows.position_offset(2))]),
    ("low-precision-table + wrong-base", PLAIN[:3], [lambda s: spoil.wrong_base(s, 250000), spoil.low_precision_table]),
    ("attention-factor-missing + direction-reversed", YARN[:3], [spoil.attention_factor_missing, spoil.direction_reversed]),
    ("attention-factor-squared + position-offset", YARN[:2] + LONG[:1], [spoil.attention_factor_squared, place(rows.position_offset(1))]),
    ("attention-factor-missing + yarn-truncate", YARN[:2], [spoil.yarn_truncate, spoil.attention_factor_missing]),
    ("attention-factor-squared + longrope-other-list", (LONG[0], LONG[2]), [spoil.longrope_other_list, spoil.attention_factor_squared]),
    ("attention-factor-unexpected + wrong-base", YARN_1[:2], [spoil.attention_factor_unexpected, lambda s: spoil.wrong_base(s, 500000)]),
    ("direction-reversed + wrong-base", PLAIN[:2], [spoil.direction_reversed, lambda s: spoil.wrong_base(s, 250000)]),
    ("rows-zero + wrong-base", PLAIN[:2], [lambda s: spoil.wrong_base(s, 250000), change_rows(rows.rows_zero(256))]),
    ("scaling-missing + rows-clamped", LLAMA3[:2], [spoil.scaling_missing, change_rows(rows.rows_clamped(256))]),
    ("low-precision-frequencies + position-offset", PLAIN[:2], [spoil.low_precision_frequencies, place(rows.position_offset(1))]),
    (BOTH, PLAIN[:2], [spoil.low_precision_frequencies, spoil.low_precision_positions]),
    ("low-precision-table + scaling-missing", LLAMA3[:2], [spoil.scaling_missing, spoil.low_precision_table]),
]
TWO_VECTORS = [
    ("wrong-base + wrong-pairing", PLAIN[:3], {"change": lambda s: spoil.wrong_base(s, 250000), "pairing": vectors.other_pairing}),
    ("position-offset + wrong-pairing", PLAIN[:3], {"change": place(rows.position_offset(1)), "pairing": vectors.other_pairing}),
    ("scaling-missing + wrong-pairing", LLAMA3[:2] + ("gemma-3-4b",),
     {"change": spoil.scaling_missing, "pairing": vectors.other_pairing, "dtype": "f32", "length": 480}),
    ("attention-factor-missing + position-offset", YARN[:2], {"change": lambda s: spoil.attention_factor_missing(s).also(places=lambda p: p + 1)}),
    ("direction-reversed + position-offset", PLAIN[:2], {"change": lambda s: s.but(direction=-1).also(places=lambda p: p + 1)}),
]


def chain(changes):
    def change(story):
        for c in changes:
            story = c(story)
        return story
    return change


def pairs(number):
    for causes, many, changes in TWO:
        shows = "rows" if any(w in causes for w in ("attention", "rows", "table")) else "place"
        for i, of in enumerate(many):
            table = "table" in causes
            also = ("low-precision-positions",) if causes == BOTH else ()
            yield rope.spoilt(number + i, accepted(causes, *also), of, chain(changes), shows,
                              dtype=("f32", "f64")[i % 2] if table else None, length=4096 if table else 512 + 512 * i)
    for causes, many, keys in TWO_VECTORS:
        for i, of in enumerate(many):
            yield vectors.vector_case(number + i, accepted(causes), of, **keys)


def spoilt():
    for block in (layouts, pairs):
        for i, c in enumerate(block(2000)):
            c.name = c.name.replace("#2000", f"#{2000 + i}")
            yield c

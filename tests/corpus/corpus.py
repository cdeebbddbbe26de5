#!/usr/bin/env python3
# Judges the verifier: dumps made by other code than its own, sound and spoilt, and what it says of them.
"""Writes dumps and manifests into a scratch folder, batch by batch, lets `pe-verify run` judge them, and prints the confusion
matrix: for every cause that was made, the causes that were named first. The last line reads "N passed, N failed"."""
import argparse
import collections
import pathlib
import re
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.path.append(str(ROOT / "tests"))
import interpreter  # noqa: E402

interpreter.need("numpy", "h5py")
import numpy as np  # noqa: E402
import alibi_cases  # noqa: E402
import alignment_cases  # noqa: E402
import alone_cases  # noqa: E402
import amplitude_cases  # noqa: E402
import axes_cases  # noqa: E402
import axis_cases  # noqa: E402
import bias_cases  # noqa: E402
import bound_cases  # noqa: E402
import case  # noqa: E402
import cell_cases  # noqa: E402
import coarse_cases  # noqa: E402
import column_cases  # noqa: E402
import detr_cases  # noqa: E402
import distance_cases  # noqa: E402
import dumps  # noqa: E402
import engine_cases  # noqa: E402
import formula_cases  # noqa: E402
import frame_cases  # noqa: E402
import gap_cases  # noqa: E402
import gpu_cases  # noqa: E402
import head_cases  # noqa: E402
import held_cases  # noqa: E402
import identify_cases  # noqa: E402
import identify_place_cases  # noqa: E402
import identify_simple_cases  # noqa: E402
import identifying  # noqa: E402
import judged_cases  # noqa: E402
import layout_cases  # noqa: E402
import line_cases  # noqa: E402
import pair_cases  # noqa: E402
import setting_cases  # noqa: E402
import shape_cases  # noqa: E402
import single_cases  # noqa: E402
import slice_cases  # noqa: E402
import mask_cases  # noqa: E402
import moved_cases  # noqa: E402
import mrope  # noqa: E402
import mrope_cases  # noqa: E402
import number_cases  # noqa: E402
import weight_cases  # noqa: E402
import sequence_cases  # noqa: E402
import share  # noqa: E402
import solver_cases  # noqa: E402
import shift_cases  # noqa: E402
import batch_cases  # noqa: E402
import plane_cases  # noqa: E402
import prompt_cases  # noqa: E402
import named_cases  # noqa: E402
import misnamed_cases  # noqa: E402
import mixed_cases  # noqa: E402
import flat_cases  # noqa: E402
import outcome  # noqa: E402
import part_cases  # noqa: E402
import relative_cases  # noqa: E402
import relative_fault_cases  # noqa: E402
import repeated_cases  # noqa: E402
import reported_cases  # noqa: E402
import rounding_cases  # noqa: E402
import rope_cases  # noqa: E402
import rope_clean  # noqa: E402
import rope_special  # noqa: E402
import scaling_cases  # noqa: E402
import score_parameter_cases  # noqa: E402
import score_rule_cases  # noqa: E402
import seen_cases  # noqa: E402
import selfcheck  # noqa: E402
import selfcheck_scores  # noqa: E402
import soak  # noqa: E402
import step_cases  # noqa: E402
import stripe_cases  # noqa: E402
import tables_cases  # noqa: E402
import vector_cases  # noqa: E402
import vectors  # noqa: E402
import width_cases  # noqa: E402
import view_cases  # noqa: E402
import wiring_cases  # noqa: E402
import written_cases  # noqa: E402
import xpos_cache_cases  # noqa: E402
import xpos_cases  # noqa: E402

OPEN = pathlib.Path(__file__).with_name("open.txt")


def read_open():
    """Name of a case of seed 0 that is not answered rightly yet → the way in which it is not: no worse is let through."""
    lines = [line for line in OPEN.read_text().splitlines() if line and not line.startswith("#")]
    return {name: kind for kind, name in (line.split(": ", 1) for line in lines)}


def write_open(wrong):
    head = "# Cases of seed 0 that the verifier does not answer rightly yet, and how; a new one, or a worse answer, fails.\n"
    OPEN.write_text(head + "".join(f"{kind}: {name}\n" for name, kind in sorted(wrong.items(), key=lambda w: (w[1], w[0]))))


def every_case(folder):
    """folder: for the weights that a check's parameters name."""
    for module in (rope_cases, rope_special, vectors, mrope, axes_cases, xpos_cases, xpos_cache_cases, detr_cases, gpu_cases, cell_cases, part_cases,
                   scaling_cases, engine_cases, width_cases, seen_cases, formula_cases, judged_cases, pair_cases, single_cases, slice_cases,
                   rounding_cases, wiring_cases, gap_cases, step_cases, vector_cases, alibi_cases, mrope_cases, reported_cases, axis_cases, alone_cases,
                   distance_cases, written_cases, number_cases, weight_cases, sequence_cases, mixed_cases, flat_cases, line_cases, amplitude_cases, shift_cases, column_cases, held_cases, solver_cases, repeated_cases, batch_cases, prompt_cases, named_cases, frame_cases, view_cases, plane_cases):
        yield from module.spoilt()
    for module in (bias_cases, tables_cases, mask_cases, relative_cases, alignment_cases, score_parameter_cases, score_rule_cases,
                   head_cases, setting_cases, shape_cases, coarse_cases, misnamed_cases, relative_fault_cases, bound_cases, layout_cases, stripe_cases, moved_cases):
        yield from module.spoilt(folder)
    for module in (rope_clean, vectors, mrope, axes_cases, xpos_cases, xpos_cache_cases, detr_cases, gpu_cases, cell_cases, part_cases,
                   scaling_cases, engine_cases, width_cases, seen_cases, formula_cases, judged_cases, pair_cases, single_cases, slice_cases, step_cases, reported_cases, distance_cases, held_cases, repeated_cases, number_cases, weight_cases, sequence_cases, mixed_cases, flat_cases, line_cases, amplitude_cases, batch_cases, prompt_cases, named_cases, misnamed_cases, frame_cases, view_cases):
        yield from module.clean()
    for module in (bias_cases, tables_cases, mask_cases, relative_cases, alignment_cases, score_parameter_cases, score_rule_cases,
                   head_cases, relative_fault_cases, bound_cases, layout_cases, solver_cases):
        yield from module.clean(folder)
    yield from batch_cases.trained(folder)


def unnamed_cases(folder):
    """For `identify`: every sound dump, and some of settings that nobody meant."""
    yield from (c for c in every_case(folder) if not c.causes)
    yield from identify_cases.clean()
    yield from identify_simple_cases.clean()
    yield from identify_place_cases.clean()
    yield from mixed_cases.identified()


def show(matrix):
    for made in sorted(matrix):
        row = matrix[made]
        print(f"{made:<52} {sum(row.values()):4d}: " + ", ".join(f"{word} {n}" for word, n in row.most_common()))


def judge(tool, cases, folder, options, known):
    matrix, counts, misses, seconds, wrong = collections.defaultdict(collections.Counter), collections.Counter(), [], [], {}
    for one, check, answer in dumps.answers(tool, cases, folder, options.keep):
        matrix[one.made][outcome.word(one, answer)] += 1
        seconds.append(((answer or {}).get("seconds", 0), check["name"]))
        kind = outcome.judged(one, answer)
        counts[kind] += 1
        if kind == "right":
            if one.name in known:
                print(f"right by now, and still in {OPEN.name}: {one.name}")
            continue
        wrong[one.name] = kind
        if one.name not in known or outcome.is_worse(kind, known[one.name]):
            misses.append(f"{kind}: {check['name']}: {outcome.said(one, answer)}")
            if options.one_miss:
                break
    slowest = "; ".join(f"{t:.1f} s {name}" for t, name in sorted(seconds, reverse=True)[:3])
    print(f"the verifier's own time: {sum(t for t, _ in seconds):.0f} s; slowest: {slowest}")
    show(matrix)
    print("\n".join(["", *misses]))
    print(outcome.line(counts))
    print(f"{len(wrong) - len(misses)} of the wrong answers are known, in {OPEN.name}")
    return counts["right"], len(misses), wrong


def chosen(folder, seed, options):
    """The cases of a seed; some of them drawn, where not all are wanted."""
    case.Cycle.start(seed)
    pool = unnamed_cases(folder) if options.identify else every_case(folder)
    cases = [c for c in pool if re.search(options.only, c.name)]
    if options.deal and options.deal < len(cases):
        keep = sorted(np.random.default_rng([seed, 7]).permutation(len(cases))[:options.deal])
        cases = [cases[i] for i in keep]
    return [c for c in cases if options.share.has(c.name) and not (options.anonymous and c.by_name)]


def soaked(seeds, folder, options):
    def told():
        for seed in seeds:
            start = time.monotonic()
            counts = collections.Counter()
            for one, check, answer in dumps.answers(options.bin / "pe-verify", chosen(folder, seed, options), folder):
                counts[outcome.judged(one, answer)] += 1
                yield seed, one, check, answer
            print(f"seed {seed}: {outcome.line(counts)}, {time.monotonic() - start:.0f} s", flush=True)
    table, misses = soak.counted(told())
    print("\n".join(["", *misses, ""]))
    whole = soak.show(table)
    return whole["right"], len(misses)


def seeds_of(options):
    if options.seeds:
        first, _, last = options.seeds.partition(":")
        return range(int(first), int(last))
    return range(options.soak) if options.soak else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "dev" / "cmd", help="folder of pe-verify")
    parser.add_argument("--only", metavar="REGEX", default="", help="cases whose name matches")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep dumps, manifests and reports here")
    parser.add_argument("--identify", action="store_true", help="ask of each sound dump what it is, with nothing said")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another assortment of dtypes, layouts, lengths and containers")
    parser.add_argument("--soak", type=int, metavar="N", help="seeds 0 to N-1, all misses together")
    parser.add_argument("--seeds", metavar="A:B", help="the same for seeds A to B-1")
    parser.add_argument("--deal", type=int, metavar="K", help="K cases of each seed, drawn from all")
    share.add_option(parser)
    parser.add_argument("--anonymous", action="store_true", help="every file x.npy and every array x: the answers must be the same")
    parser.add_argument("--jobs", type=int, metavar="N", help="of pe-verify run: 1 where a sanitizer's allocator does not outlive a fork beside other threads")
    parser.add_argument("--write-open", action="store_true", help=f"write what is wrong now to {OPEN.name}")
    parser.add_argument("--one-miss", action="store_true", help="stop at the first wrong answer that is not known")
    parser.add_argument("--self-check", action="store_true", help="hold the corpus to itself, without a verifier")
    options = parser.parse_args()
    start = time.monotonic()
    dumps.anonymous, dumps.jobs = options.anonymous, options.jobs
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pe-corpus-") as name:
        folder = pathlib.Path(name)
        seeds, tool = seeds_of(options), options.bin / "pe-verify"
        if seeds is not None and options.identify:
            told = [identifying.judge(tool, chosen(folder, seed, options), folder, dumps.write, identifying.untold, options.keep) for seed in seeds]
            passed, failed = (sum(one[k] for one in told) for k in (0, 1))
        elif seeds is not None:
            passed, failed = soaked(seeds, folder, options)
        else:
            cases = chosen(folder, options.seed, options)
            spoilt = sum(bool(c.causes) for c in cases)
            print(f"{spoilt} spoilt and {len(cases) - spoilt} sound dumps, {len({c.made for c in cases})} rows")
            if options.self_check:
                faults = [*selfcheck.cases(cases), *selfcheck.against_mpmath(), *selfcheck_scores.faults()]
                print("\n".join(faults))
                passed, failed = len(cases) - len(faults), len(faults)
            elif options.identify:
                known = identifying.read_open() if options.seed == 0 else set()
                passed, failed = identifying.judge(tool, cases, folder, dumps.write, identifying.untold, options.keep, known)
            else:
                known = read_open() if options.seed == 0 and not options.write_open else {}
                passed, failed, wrong = judge(tool, cases, folder, options, known)
                if options.write_open:
                    write_open(wrong)
                    failed = 0
    print(f"{time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

# What `pe-verify identify` must say of a sound dump: encoding, layout, base, scaling and first position.
"""Expectations come from the corpus's own readings of the models (models.py), never from the tool."""
import collections
import json
import pathlib
import shutil
import subprocess
import time

import models
import rope_build

OPEN = pathlib.Path(__file__).with_name("open_identify.txt")
LAYOUT_OF = {"pairs": {"pairs"}, "halves": {"halves"}, "batch-halves": {"halves"}, "adjacent": {"adjacent"}, "batch-adjacent": {"adjacent"},
             "cos-sin": {"cos-sin"}, "sin-cos": {"sin-cos", "halves"}, "turns": {"turns", "interleaved-cos-first"}, "complex": {"turns"},
             "flat": {"cos-sin", "turns"}, "angles": {"angles-halves", "angles"}, "angles-adjacent": {"angles-adjacent"}, "inv_freq": {"inv_freq"}, "periods": {"periods"}}
# Scalings that are a change of base are a base to whoever sees the table alone.
REBASED = {"none", "dynamic", "ntk", "default"}


def layout_word(one):
    rest = one.name.split(" | ")
    return rest[2].split(" #")[0].split()[0].strip(",") if len(rest) > 2 else ""


def scaling_word(spec):
    kind = spec.scaling.get("kind", "none")
    if float(spec.scaling.get("factor", 2) or 2) == 1.0 and kind == "yarn":
        return "none"
    return kind


def rope_of(one):
    """The corpus's Rope of a case."""
    flags = one.check.get("parameters", {})
    if "model" not in one.check:
        scaling = {"kind": flags["scaling"]} if "scaling" in flags else {}
        return models.Rope(flags["dim"], flags.get("rotary-dim", flags["dim"]), float(flags.get("base", 10000)), scaling=scaling)
    layer = one.check.get("layer_type", "")
    return rope_build.source(one.check["model"] + ("/" + layer if layer == "sliding_attention" else ""))[0]


def places_of(answer, count):
    """The positions of so many rows, one by one."""
    if "positions" not in answer:
        return [answer["first_position"] + i * answer["position_step"] for i in range(count)]
    places = []
    for run in answer["positions"].split(","):
        start, _, stop = run.partition(":")
        places += range(int(start), int(stop or int(start) + 1))
    return places[:count]


def trouble(one, built, answer):
    """Why an answer is wrong; '' where it is right."""
    if one.told is not None:
        summary = answer.get("summary", "") if answer.get("identified") else ""
        if summary and answer.get("tier") == "wrong" and "places" in built.check:
            return f"tier wrong: {answer['sentences']}"
        if summary and places_of(answer, len(built.check.get("places", ()))) != built.check.get("places", []):
            return f"{summary}, at positions {answer.get('positions')}"
        return "" if (one.told in summary if one.told else not summary) else summary or "not identified: " + answer.get("seen", "")[:140]
    if not answer.get("identified"):
        return "not identified: " + answer.get("seen", "")[:140]
    encoding, want = answer["encoding"], one.check.get("encoding")
    names = {encoding, *(words.split()[0] for words in answer["equals"])}
    if want == "mrope":
        names |= {"mrope"} if "rope" in names else set()
    if want == "xpos" and "no scales at all" in one.name:  # such turns are rope's
        names |= {"xpos"} if "rope" in names else set()
    if want not in names:
        return f"{encoding} ({answer['summary']})"
    if encoding != want and want in ("rope", "sinusoidal", "xpos"):
        return ""
    if want in ("sincos-2d", "rope-2d") and encoding == want:
        return along_grid(one, answer)
    if want in ("alibi", "t5"):
        if want == "alibi" and built.named and int(answer["parameters"].get("heads", 8)) not in one_heads(one, built):
            return f"heads {answer['parameters'].get('heads')}"
        return ""
    if want not in ("rope", "mrope", "sinusoidal"):
        return ""
    first = built.check.get("positions", "0:").split(":")[0]
    if "," in built.check.get("positions", ""):
        asked = built.check["positions"].split(",")
        if places_of(answer, len(asked)) != [int(p) for p in asked]:
            return f"positions {answer.get('positions')}"
    elif int(first) != answer["first_position"] and one.check.get("dialect") != "fairseq":
        return f"first position {answer['first_position']}, not {first}"
    if answer["tier"] == "wrong":
        return f"tier wrong: {answer['sentences']}"
    if want == "sinusoidal":
        flags = one.check["parameters"]
        asked = one.name.split(" | ")[1].split()
        told = answer["parameters"]
        base = float(flags.get("base", 10000))
        ladder = asked[3] if asked[3] in ("paper", "endpoint") else "endpoint" if "dialect" in one.check and "exact" not in one.name else "paper"
        if told.get("layout", "interleaved") != asked[2] or abs(float(told["base"]) / base - 1) > 1e-9 or told.get("ladder", "paper") != ladder:
            return answer["summary"]
        return ""
    word = layout_word(one)
    if word in LAYOUT_OF and answer["layout"] not in LAYOUT_OF[word]:
        return f"layout {answer['layout']}, not {word}"
    spec = rope_of(one)
    if spec is None:
        return ""
    kind = scaling_word(spec)
    if kind in REBASED and answer["scaling"] in REBASED and kind != "none":
        return ""
    if answer["scaling"] != kind:
        return f"scaling {answer['scaling']}, not {kind}: {answer['summary']}"
    told = answer["parameters"]
    if kind in ("linear", "yarn", "llama3") and "factor" in spec.scaling and float(told.get("factor", 0)) != float(spec.scaling["factor"]):
        if any(words.endswith(one.check.get("model", "?")) for words in answer["equals"]):
            return ""  # another model's table is as near, and it is named
        return f"factor {told.get('factor')}, not {spec.scaling['factor']}"
    if kind == "longrope" and "model" not in one.check:
        return ""  # a list of divisors may hold any base
    if abs(float(answer["parameters"].get("base", 10000)) / spec.base - 1) > 1e-6:
        return f"base {answer['parameters'].get('base')}, not {spec.base:g}"
    return ""


def along_grid(one, answer):
    """The grid, and the convention or one that gives the same numbers."""
    told, asked = answer["parameters"], one.check.get("parameters", {})  # a model's config says the same in words of its own
    if "grid" in asked and told["grid"] != asked["grid"]:
        return f"grid {told['grid']}, not {asked['grid']}"
    if answer["tier"] == "wrong":
        return f"tier wrong: {answer['sentences']}"
    conventions = [told.get("convention", ""), *answer["equals"]]
    return "" if any(asked.get("convention", "") in words for words in conventions) or not told.get("convention") else answer["summary"]


def untold(one):
    """Why a dump is not named, and that is known: of no formula, or beyond what identify searches; '' where it must be."""
    if one.check.get("encoding") == "learned":
        return "a learned table has no formula"
    if (one.check.get("encoding") in ("fire", "tupe", "swin", "t5") and any(w in one.name for w in (" bare", " mask "))) or " two layers by " in one.name:
        return "trained weights have no formula"
    if any(w in one.name for w in (" step ", " step,", " of 1 from", ", 1 rows", "one row at", ", 2 rows", "stacked cache", "left padding as transformers")) or ", last 1 " in one.name:
        return "one row, or two tables in one"
    if one.check.get("encoding") == "mrope" and "scaling" in one.check["parameters"]:
        return "a scaling that bends the pairs by which places are read, or stretches time before any text shows it"
    if one.name.startswith("clean | d128/llama3 ") and "#480" in one.name:
        return "a base beside a ramp is told as 9999.97, where 10000 is a few float32 roundings off"
    if "sinusoids clamped" in one.name:
        return "rows that repeat a clamped distance hide the run before them"
    if any(word in one.name for word in ("batch of ", "before 256 is added")):
        return "positions of a list, and offsets beyond any table, which nobody tells it"
    if "vectors, one channel" in one.name:
        return "one pair of all turns, and any ladder has its frequency"
    if "another centre for both" in one.name:
        return "scales of 16 bits about two centres, one for queries and one for keys"
    if " a line, " in one.name or " a line of " in one.name:
        return "a line without its axes, whose pairs nobody tells it"
    if "before it seen" in one.name:
        return "a window of few keys shows too little of a formula"
    if "longrope" in one.name and "model" not in one.check and layout_word(one) in ("turns", "cos-sin"):
        return "a list of divisors fitted to 16-bit values of amplitude above 1 misses the bound"
    return ""


def one_heads(one, built):
    p = {**one.check.get("parameters", {}), **built.check.get("parameters", {})}
    return {p["heads"]} if "heads" in p else {models.heads(one.check["model"])}


def ask(tool, folder, check):
    """The JSON that identify writes."""
    files = check["file"] if isinstance(check["file"], list) else [check["file"]]
    before = check.get("before", [])
    before = before if isinstance(before, list) else [before]
    line = [tool, "identify", str(folder / files[0]), "--report", "-"]
    for f in files[1:]:
        line += ["--file", str(folder / f)]
    for f in before:
        line += ["--before", str(folder / f)]
    if "dtype" in check:
        line += ["--dtype", check["dtype"]]
    if "shape" in check:
        line += ["--shape", ",".join(map(str, check["shape"]))]
    start = time.monotonic()
    done = subprocess.run(line, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if done.returncode not in (0, 1):
        return {"identified": False, "seen": f"exit {done.returncode}: {done.stderr.strip()}"}, seconds
    return json.loads(done.stdout), seconds


def read_open():
    """Names of cases of seed 0 that are not answered rightly yet; a new one fails."""
    return {line for line in OPEN.read_text().splitlines() if line and not line.startswith("#")}


def judge(tool, cases, folder, write, untold, keep=None, names_open=()):
    """untold: why a case may miss; names_open: cases that are not answered rightly yet. Prints a table by encoding and misses; (passed, failed)."""
    table, misses, slow = collections.defaultdict(collections.Counter), [], []
    passed, reasons, still_open = 0, collections.Counter(), []
    for number, one in enumerate(cases):
        built = one.build()
        stem = f"{number:04d}"
        check = write(folder, number, one)
        answer, seconds = ask(tool, folder, check)
        slow.append((seconds, one.name))
        why = trouble(one, built, answer)
        known = untold(one)
        row = one.check.get("encoding", "") + (" " + layout_word(one) if one.check.get("encoding") in ("rope", "mrope") else "")
        if not why and one.name in names_open:
            print(f"right by now, and still among those that are open: {one.name}")
        if not why:
            passed += 1
            table[row]["right"] += 1
        elif known:
            table[row]["known miss"] += 1
            reasons[known] += 1
        else:
            table[row]["wrong"] += 1
            if one.name in names_open:
                still_open.append(f"{one.name}: {why}")
            else:
                misses.append(f"{check['name']}: {why}")
        for path in folder.iterdir():
            if path.name.startswith(stem):
                path.unlink() if keep is None else shutil.move(path, keep / path.name)
    for row in sorted(table):
        print(f"{row:<28} {sum(table[row].values()):4d}: " + ", ".join(f"{word} {n}" for word, n in table[row].most_common()))
    print("\n".join(["", *misses]))
    for reason, count in reasons.items():
        print(f"{count} known misses: {reason}")
    print("\n".join([f"{len(still_open)} of the wrong answers are known, in {OPEN.name}", *still_open]))
    print("slowest: " + "; ".join(f"{t:.1f} s {name}" for t, name in sorted(slow, reverse=True)[:4]))
    return passed, len(misses)

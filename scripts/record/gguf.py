#!/usr/bin/env python3
# Records how llama.cpp reads the positions of a GGUF file: data/families_gguf.json, data/parity/gguf.txt.
"""gguf.py --package FOLDER --libraries FOLDER --source FILE --versions TEXT [--only REGEX]

PACKAGE: llama_cpp/ of llama-cpp-python's sources; LIBRARIES: libllama.so and libggml*.so of the same llama.cpp, built for a processor; SOURCE:
its src/llama-arch.cpp, which lists the architectures. Of each the smallest file that loads is found by what the loader asks for, four tokens go
through it, and what the graph asks ggml to turn is taken down: mode, channels, base, scale, mix, attention factor, divisors. Keys are changed one
after the other (CASES) and the difference tells what is read, and for which layers. Cosines and sines of the truth are ggml's own operation's.
A row is written by hand (BY_HAND) where the smallest file does not run. With Debian's Python; about five minutes.
"""
import argparse
import concurrent.futures
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import gguf_program as program
from gguf_cases import cases, starts
from gguf_program import LAYERS, Llama, Stuck

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS, TRUTH = ROOT / "data/families_gguf.json", ROOT / "data/parity/gguf.txt"
NORM, NEOX, MROPE, IMROPE = 0, 2, 8, 40
KINDS = ("full_attention", "sliding_attention")
DEPTHS = {"exaone4": 64, "baichuan": 32}  # where the number of layers tells models apart
# Types of rotation as llama_model_rope_type has them, of architectures whose smallest file does not run, and what their graphs do besides.
BY_HAND = {
    **{name: {"mode": NEOX} for name in ("plamo2", "falcon-h1", "grovemoe", "gemma4-assistant", "laguna", "hrm_text")},
    **{name: {"mode": NORM} for name in ("chameleon", "glm-dsa", "deepseek32", "deepseek4", "hy_v4", "bailingmoe3", "dots3note", "granitehybrid", "graniteswitch", "eagle3")},
    "jina-bert-v2": {"encoding": "alibi"}, "baichuan": {"encoding": "alibi", "when": "num_hidden_layers=40"},
    "jais": {"encoding": "alibi"}, "mpt": {"encoding": "alibi", "when": "alibi=true"},
    **{name: {"refuse": "has no positions in its attention (llama.cpp)"} for name in ("mamba", "mamba2", "jamba", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7", "nemotron_h",
                                                                                      "nemotron_h_moe", "kimi-linear", "kimi-k3", "glm5-next")},
    "clip": {"refuse": "is a vision tower of one of many kinds (an mmproj file), and its keys do not tell its positions"},
    "mpt learned": {"encoding": "learned"},
}
LATENT = ("glm-dsa", "deepseek32", "bailingmoe3", "dots3note", "hy_v4")  # by hand: only the channels that turn are counted


def child(llama, name):
    """Prints a line for each case of an architecture: its keys and lists, and what each layer turns."""
    depth = {f"{name}.block_count": ("u32", DEPTHS[name])} if name in DEPTHS else {}
    for keys, tensors in list(starts(name))[int(sys.argv[3]):]:
        print(json.dumps({"start": True}), flush=True)
        try:
            settled, made, model = llama.settle(name, {**depth, **keys}, tensors)
            turns, attends, tables, bias = llama.asked(model)
            break
        except Stuck as wrong:
            print(json.dumps({"wrong": str(wrong)}), flush=True)
    else:
        return
    print(json.dumps({"mode": llama.api.llama_model_rope_type(model), "tables": sorted(tables), "bias": bias}), flush=True)
    first = next((asked[0] for asked in turns.values()), None)
    for label, more, arrays in cases(name, first["dims"] // 2, first["dims"]) if first else ():
        try:
            keys_now, _, model = llama.settle(name, {**depth, **keys, **more}, {**made, **arrays})
            turns, attends, _, _ = llama.asked(model)
        except Stuck:
            continue
        layers = {layer: asked[0] for layer, asked in turns.items() if layer is not None}
        told = {}
        for layer, asked in layers.items():
            cosines, sines = llama.turned(asked)
            told[layer] = {**{key: value for key, value in asked.items() if key != "factors"}, "cos": bits(cosines), "sin": bits(sines)}
        lists = {tensor: [float(item) for item in array] for tensor, array in {**made, **arrays}.items() if tensor.startswith("rope_")}
        print(json.dumps({"case": label, "keys": keys_now, "lists": lists, "layers": told,
                          "still": sorted(layer for layer in attends if layer is not None and layer not in layers)}), flush=True)
        llama.api.llama_model_free(model)


def bits(rows):
    return [[f"{number:08x}" for number in program.bits_of(row)] for row in rows]


def ask(arguments, name):
    """What the architecture's process said: its head and its cases. One that aborts is asked again from the next start on."""
    with tempfile.TemporaryDirectory() as folder:
        start = 0
        while True:
            done = subprocess.run([sys.executable, __file__, "--child", name, str(start), str(arguments.package), str(arguments.libraries), folder], capture_output=True, text=True,
                                  env={"GGML_NO_BACKTRACE": "1", "PATH": "/usr/bin"})
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            head = next((line for line in lines if "mode" in line), None)
            found = {line["case"]: line for line in lines if "case" in line}
            begun = sum("start" in line for line in lines)
            if head and (found or head["mode"] < 0 or head["tables"]) or begun == 0:
                return head, found
            start += begun


def kinds_of(found):
    """{layer: kind} where windows have a base or a scale of their own or turn alone, {} where all layers are alike."""
    case = found.get("window")
    if not case:
        return {}
    bases = {int(layer): asked["base"] for layer, asked in case["layers"].items()}
    scales = {int(layer): asked["scale"] for layer, asked in found["window-linear"]["layers"].items()} if "window-linear" in found else {}
    windowed = any(key.endswith("attention.sliding_window") for key in found["plain"]["keys"]) or is_deep(found)  # asked for by the loader
    if 2e4 in bases.values():
        kinds = {layer: KINDS[base == 2e4] for layer, base in bases.items()}
    elif len(set(scales.values())) > 1:
        kinds = {layer: KINDS[scale == 1] for layer, scale in scales.items()}
    elif case["still"] and windowed:
        kinds = {layer: KINDS[1] for layer in bases}
    else:
        return {}
    return {**kinds, **{layer: KINDS[0] for layer in case["still"]}}


def is_deep(found):
    return any(key.endswith("block_count") and value[1] != LAYERS for key, value in found["plain"]["keys"].items())


def of_kind(case, kinds, kind):
    return next((asked for layer, asked in case["layers"].items() if not kinds or kinds.get(int(layer)) == kind), None)


def logarithm(asked):
    """How yarn_log_multiplier counts: what it is divided by, and whether above the bar as well."""
    grown = lambda by: 0.1 * by * math.log(8) + 1
    for unit in (1, 0.1):
        for both in (False, True):
            by = 0.0707 / unit
            if abs(asked["attention"] * grown(1) - grown(by if both else 1) / grown(by)) < 1e-5:
                return {"unit": unit, "both": both}
    return None


def row_of(name, head, found):
    plain, kinds = found["plain"], kinds_of(found)
    asked = next(iter(plain["layers"].values()))
    spanned = asked["width"] == asked["dims"] and asked["dims"] != 32
    row = {"types": f"gguf/{name}", "encoding": "mrope" if asked["mode"] in (MROPE, IMROPE) else "rope", "pairing": "adjacent" if asked["mode"] == NORM else "halves",
           "width": ["rotary_dim"] if spanned else ["head_dim", "hidden_size/num_attention_heads"], "uneven": True, "theta": 10000.0, "theta_keys": ["rope_theta"],
           "partial_keys": [] if spanned else ["rotary_dim/head_dim"], "plain": "partial"}
    if row["encoding"] == "mrope":
        row["order"] = "interleaved" if asked["mode"] == IMROPE else "sectioned"
    scaled = lambda case: case in found and (of_kind(found[case], kinds, KINDS[0]) or of_kind(found[case], kinds, KINDS[1]))
    if (bent := scaled("yarn-bent")) and bent["fast"] == 16:
        row["betas"] = True
    if (based := scaled("base")) and based["base"] == 1e4 and not kinds:
        row["fixed"] = True  # whatever the file says
    elif (grown := scaled("yarn")) and (grown["fast"], grown["slow"]) != (32, 1):
        row["ramp"] = [grown["fast"], grown["slow"]]
    if (asked_log := scaled("yarn-log")) and (log := logarithm(asked_log)):
        row["log"] = log
    listing = [case for case in (found.get("freqs"), found.get("long"), plain) if case and (case["lists"])]
    held = [kind for kind in KINDS if any((of_kind(case, kinds, kind) or {}).get("list") for case in listing)]
    if listing and len(held) < (2 if kinds and of_kind(listing[0], kinds, KINDS[0]) else 1):
        row["listed"] = held
    if kinds:
        still = of_kind(found["window"], kinds, KINDS[0]) is None
        own = lambda case, key, value: case in found and of_kind(found[case], kinds, KINDS[1])[key] != value
        row["windows"] = {"base": "own" if own("window-silent", "base", 5e5) else "same", "scale": "own" if own("window-linear", "scale", 0.25) else "same"}
        if of_kind(found["window"], kinds, KINDS[1])["base"] != 2e4:
            row["windows"]["base"] = "full"
        alone = {key: (of_kind(found[case], kinds, KINDS[1]) or {}).get(key) for case, key in (("base", "base"), ("linear", "scale"))}
        if not any(key.endswith("attention.sliding_window") for key in found["base"]["keys"]) and (
                row["windows"]["base"] == "own" and alone["base"] == 123456 or row["windows"]["scale"] == "own" and alone["scale"] == 0.25):
            row["windows"]["needs"] = True  # without attention.sliding_window all layers are full
        if "window-yarn" in found and not of_kind(found["window-yarn"], kinds, KINDS[1])["mix"]:
            row["windows"]["mix"] = False  # yarn leaves them alone
        if "window-part" in found:
            channels = lambda case, kind: (of_kind(found[case], kinds, kind) or {}).get("dims")
            halved = [kind for kind in KINDS if channels("window-part", kind) != channels("window", kind)]
            if channels("window", KINDS[0]) == 16 and channels("window", KINDS[1]) == 32:
                row["windows"]["half"] = True  # full layers turn half of what the file counts
            row["windows"]["count"] = "all" if KINDS[0] in halved or still and halved else "own" if halved else "none"
        if still:  # the windows alone turn, and the row is theirs
            row["still"], row["kinds"] = {KINDS[0]: ""}, list(KINDS)
        else:
            row["layers"] = {KINDS[0]: {"theta": 10000.0, "theta_keys": []},
                             KINDS[1]: {"theta": 10000.0, "theta_keys": [], "width": ["head_dim_swa"], "partial_keys": ["rotary_dim_swa/head_dim_swa"]}}
    elif plain["still"]:
        every = plain["still"][0] + 1
        row["nope"] = f"every {every}th layer does not turn" if plain["still"] == list(range(every - 1, LAYERS, every)) else f"layers {plain['still']} do not turn"
    return row


def rows_of(name, head, found):
    by_hand = BY_HAND.get(name, {})
    if found:
        row = row_of(name, head, found)
        if name in DEPTHS:
            yield {**row, "when": f"num_hidden_layers={DEPTHS[name]}"}
            row = {key: value for key, value in row.items() if key not in ("windows", "layers", "still", "kinds", "listed")}
        if row.get("still") and any(of_kind(found[case], kinds_of(found), KINDS[0]) for case in ("plain", "base")):  # without windows all turn
            yield {**row, "when": "windowed=true"}
            row = {key: value for key, value in row.items() if key not in ("windows", "still", "kinds")}
        case = found.get("sections")
        asked = next(iter(case["layers"].values())) if case else {}
        if row["encoding"] == "rope" and asked.get("mode") in (MROPE, IMROPE):
            yield {**row, "encoding": "mrope", "pairing": "halves", "order": "interleaved" if asked["mode"] == IMROPE else "sectioned", "when": "sectioned=true"}
        if "when" not in by_hand:
            yield row
    elif head and "position_embd.weight" in head["tables"]:
        yield table(name)
    elif head and head["bias"] > 0:
        yield bias(name)
    if by_hand.get("encoding") == "alibi":
        yield {**bias(name), **{key: by_hand[key] for key in ("when",) if key in by_hand}}
    if f"{name} learned" in BY_HAND:
        yield table(name)
    if "refuse" in by_hand:
        yield {"types": f"gguf/{name}", "encoding": "rope", "refuse": by_hand["refuse"]}
    if "mode" in by_hand and not found:
        yield {"types": f"gguf/{name}", "encoding": "rope", "pairing": "adjacent" if by_hand["mode"] == NORM else "halves",
               "width": ["rotary_dim"] if name in LATENT else ["head_dim", "hidden_size/num_attention_heads"], "uneven": True, "theta": 10000.0,
               "theta_keys": ["rope_theta"], "partial_keys": ["rotary_dim/head_dim"] if name not in LATENT else [], "plain": "partial",
               "note": "pairs as llama.cpp's source has them, whose graph was not run"}


def table(name):
    return {"types": f"gguf/{name}", "encoding": "learned", "tensor": "position_embd.weight", "set": {"rows": "max_position_embeddings", "dim": "hidden_size"}}


def bias(name):
    return {"types": f"gguf/{name}", "encoding": "alibi", "set": {"heads": "num_attention_heads"}}


def truths(name, found):
    kinds = kinds_of(found)
    for label, case in found.items():
        layers = {kind if kinds else "": asked for kind in (KINDS if kinds else KINDS[:1]) if (asked := of_kind(case, kinds, kind))}
        if layers:
            kept = {key: ",".join(map(str, value)) if isinstance(value, list) else repr(value) if kind == "f32" else str(value)
                    for key, (kind, value) in case["keys"].items() if key.startswith((f"{name}.rope", f"{name}.attention", f"{name}.embedding", f"{name}.context", f"{name}.block"))}
            yield json.dumps({"architecture": name, "case": label, "keys": kept, "lists": case["lists"],
                              "layers": {kind: {key: asked[key] for key in ("mode", "dims", "cos", "sin")} for kind, asked in layers.items()}})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("package", "libraries", "source"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--versions", required=True, help="what the files say of the program")
    parser.add_argument("--only", default="", metavar="REGEX")
    arguments = parser.parse_args()
    names = re.findall(r'\{ LLM_ARCH_\w+,\s*"([^"()]+)" *\}', arguments.source.read_text())
    rows, lines, silent = [], [], []
    everything = names
    names = [name for name in names if re.fullmatch(arguments.only or ".*", name)]
    pool = concurrent.futures.ThreadPoolExecutor(2)
    for name, (head, found) in zip(names, pool.map(lambda name: (None, {}) if "refuse" in BY_HAND.get(name, {}) else ask(arguments, name), names)):
        try:
            made = list(rows_of(name, head, found))
        except (KeyError, TypeError) as wrong:
            print(f"{name}: its cases {sorted(found)} tell no row ({wrong!r})", file=sys.stderr, flush=True)
            made = []
        rows += made
        lines += truths(name, found)
        if not made:
            silent.append(name)
        print(f"{name}: {', '.join(row['encoding'] for row in made) or 'no row'}, {len(found)} cases", file=sys.stderr, flush=True)
    print(f"no row: {' '.join(silent)}", file=sys.stderr)
    if arguments.only:
        held = json.loads(ROWS.read_text())["rows"]
        rows += [row for row in held if row["types"].removeprefix("gguf/") not in names]
        lines += [line for line in TRUTH.read_text().splitlines()[1:] if json.loads(line)["architecture"] not in names]
        order = {f"gguf/{name}": number for number, name in enumerate(everything)}
        rows.sort(key=lambda row: order[row["types"]])
        lines.sort(key=lambda line: order["gguf/" + json.loads(line)["architecture"]])
    body = ",\n".join(" " + json.dumps(row) for row in rows)
    ROWS.write_text('{"_what": "how llama.cpp reads the positions of a GGUF file of each architecture, written by scripts/record/gguf.py",\n'
                    f'"_version": "{arguments.versions}",\n"rows": [\n{body}\n]}}\n')
    TRUTH.write_text(f"# what {arguments.versions} turns pairs by at positions {program.PLACES}, by kind of layers; written by scripts/record/gguf.py\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(Llama(pathlib.Path(sys.argv[4]), pathlib.Path(sys.argv[5]), pathlib.Path(sys.argv[6]) / "least.gguf"), sys.argv[2])
    else:
        main()

#!/usr/bin/env python3
# Holds the verifier to the other two tools: what pe-gen and pe-apply write is right, in every convention, layout, dtype and dialect.
"""Makes every combination, judges them by one `pe-verify run`, and prints the last line "N passed, N failed"."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DTYPES = ("f32", "f64", "f16", "bf16")
# encoding → (arguments, parameters of the manifest) of every way to write it
LONGROPE = {"scaling": "longrope", "factor": "4", "original-max-position": "32", "short-factor": "1,1,1,1.5,2,2,2.5,3",
            "long-factor": "1,1.5,2,3,4,6,8,9"}
SCALINGS = ({}, {"scaling": "linear", "factor": "4"}, {"scaling": "yarn", "factor": "4", "original-max-position": "64"},
            {"scaling": "llama3", "factor": "8", "original-max-position": "64"}, LONGROPE)


def ways():
    """(encoding, parameters) of tables, biases and turns."""
    for layout in ("pairs", "halves", "adjacent"):
        for more in ({}, {"rotary-dim": "8"}, *SCALINGS[1:]):
            yield "rope", {"dim": "16", "layout": layout, **more}
    for layout in ("pairs", "halves", "adjacent"):
        for center in ("middle", "middle-floor", "zero"):
            yield "xpos", {"dim": "16", "layout": layout, "center": center}
    for convention in "qwen2-vl pixtral llama4-vision dinov3 rope-vit sam2 gemma4-vision kimi-k25-vision step3p7-vision eva02".split():
        for layout in ("pairs", "channels"):
            for grid in ("5x9", "4x4"):
                yield "rope-2d", {"dim": "16", "grid": grid, "convention": convention, "layout": layout}
    for convention in choices("rope-3d", "convention"):
        for layout in ("pairs", "channels"):
            yield "rope-3d", {"dim": "32", "grid": "3x4x5", "convention": convention, "layout": layout}
    for order in "sectioned interleaved".split():
        yield "mrope", {"dim": "16", "sections": "4,2,2", "order": order, "segments": "text:3,image:4x6,text:5"}
    for layout in "interleaved halves interleaved-cos-first halves-cos-first".split():
        for ladder in ("paper", "endpoint"):
            for more in ({}, {"offset": "2"}):
                yield "sinusoidal", {"dim": "16", "layout": layout, "ladder": ladder, **more}
    for name in ("sincos-2d", "sincos-3d"):
        for convention in choices(name, "convention"):
            yield name, {"dim": "48", "grid": "5x9" if name == "sincos-2d" else "3x4x5", "convention": convention}
    for convention in "detr detr-unnormalised deformable-detr dab-detr".split():
        for valid in ("5x9", "3x4", "5x1", "1x9"):
            yield "sincos-2d", {"dim": "48", "grid": "5x9", "valid": valid, "convention": convention}
    yield "sinusoidal", {"dim": "16", "prefix": "2"}
    for name in ("sincos-2d", "rope-2d", "sincos-3d", "rope-3d"):
        for tokens in ({"prefix": "1"}, {"suffix": "1"}, {"prefix": "4", "suffix": "2"}):
            yield name, {"dim": "48", "grid": "5x9" if "2" in name else "3x4x5", **tokens}


def choices(encoding, parameter):
    text = subprocess.run([BIN / "pe-gen", encoding, "--help"], capture_output=True, text=True).stdout
    line = text.split(f"--{parameter} ", 1)[1]
    return line[line.index("{") + 1:line.index("}")].replace("\n", "").replace(" ", "").split(",")


def dialects():
    text = subprocess.run([BIN / "pe-gen", "list", "dialects"], capture_output=True, text=True).stdout
    return [line.split()[0] for line in text.splitlines() if line and line[0] not in " \t" and line.split()[0].islower()]


def flags(parameters):
    return [word for name, value in parameters.items() for word in (f"--{name}", value)]


def run(tool, words):
    return subprocess.run([BIN / tool, *map(str, words)], capture_output=True, text=True)


def tables(folder):
    """Checks of what pe-gen writes."""
    number = 0
    lengths = {"rope": "40", "xpos": "40", "sinusoidal": "40"}
    for encoding, parameters in ways():
        for dtype in DTYPES if number % 3 == 0 else DTYPES[number % 3:number % 3 + 1]:
            number += 1
            file = folder / f"{number}.safetensors"
            size = ["--length", lengths[encoding]] if encoding in lengths else []
            name = f"pe-gen {encoding} {' '.join(flags(parameters))} {dtype}"
            done = run("pe-gen", [encoding, *flags(parameters), *size, "--dtype", dtype, "-o", file])
            if done.returncode:
                yield name, done.stderr.strip()
                continue
            yield name, {"encoding": encoding, "parameters": parameters, "file": str(file),
                         **({"length": int(lengths[encoding])} if size else {})}
    yield from scaled_turns(folder)
    yield from placed(folder)
    yield from as_text(folder)
    for dialect in dialects():
        for more in SCALINGS:
            for dtype in DTYPES[::3] if more else DTYPES:
                number += 1
                file, parameters = folder / f"{number}.safetensors", {"dim": "16", **more}
                name = f"pe-gen rope --dialect {dialect} {' '.join(flags(parameters))} {dtype}"
                done = run("pe-gen", ["rope", *flags(parameters), "--length", 40, "--dialect", dialect, "--dtype", dtype, "-o", file])
                if done.returncode:  # a dialect of tables, or of another scaling
                    continue
                yield name, {"encoding": "rope", "parameters": parameters, "dialect": dialect, "length": 40, "file": str(file)}


def placed(folder):
    """Checks of rows whose positions a column of the file says, and nobody else."""
    for number, (encoding, run_of) in enumerate((e, r) for e in ("rope", "sinusoidal") for r in ("100:140", "100:180:2", "7:9", "131072:131080", "30:10:-1")):
        file = folder / f"p{number}.csv"
        name = f"pe-gen {encoding} --dim 16 --positions={run_of}, as CSV"
        done = run("pe-gen", [encoding, "--dim", 16, f"--positions={run_of}", "-o", file])
        yield name, done.stderr.strip() if done.returncode else {"encoding": encoding, "parameters": {"dim": "16"}, "file": str(file)}


def as_text(folder):
    """Checks of CSV, which has no types and names axes by columns, and of frequencies as periods of a turn."""
    ways = [(e, p, ["--dtype", d]) for d in ("f32", "f16", "bf16") for e, p in
            (("sinusoidal", {"dim": "32"}), ("rope", {"dim": "32"}), ("alibi", {"heads": "8"}), ("sinusoidal", {"dim": "32", "prefix": "2"}))]
    ways += [(e, {"dim": "48", "grid": g}, []) for e, g in (("sincos-2d", "5x7"), ("sincos-3d", "2x3x4"), ("rope-2d", "5x7"), ("rope-3d", "2x3x4"))]
    ways += [(e, {"dim": "32"}, ["--fields", f]) for e, f in (("rope", "wavelength"), ("rope", "complex"), ("sinusoidal", "wavelength"), ("rope", "inv_freq"))]
    for number, (encoding, parameters, more) in enumerate(ways):
        file = folder / f"t{number}.csv"
        size = [] if "grid" in parameters else ["--length", 40]
        done = run("pe-gen", [encoding, *flags(parameters), *size, *more, "-o", file])
        name = f"pe-gen {encoding} {' '.join(flags(parameters))} {' '.join(more)}, as CSV"
        yield name, done.stderr.strip() if done.returncode else {"encoding": encoding, "parameters": parameters, "file": str(file)}


def scaled_turns(folder):
    """Checks of cosines and sines that carry xpos's scales: of queries, of keys, of both, and as dialects have them."""
    query, key = "query_cos,query_sin", "key_cos,key_sin"
    ways = [({"fields": fields}, {"layout": layout, "center": center}) for fields in (query, key, f"{query},{key}", f"cos,sin,{query},{key}", "query_cos", "key_sin")
            for layout, center in (("pairs", "middle"), ("halves", "middle-floor"), ("adjacent", "zero"))]
    ways += [({"dialect": "flash-attn"}, {}), ({"dialect": "flash-attn"}, {"scale-base": "64", "base": "500000"})]
    for number, (more, parameters) in enumerate(ways):
        for length in ("40", "41"):
            for dtype in DTYPES:
                file = folder / f"s{number}-{length}-{dtype}.safetensors"
                parameters = {"dim": "16", **parameters}
                name = f"pe-gen xpos {' '.join(flags(parameters))} {' '.join(flags(more))} --length {length} {dtype}"
                done = run("pe-gen", ["xpos", *flags(parameters), *flags(more), "--length", length, "--dtype", dtype, "-o", file])
                if done.returncode:
                    yield name, done.stderr.strip()
                    continue
                check = {"encoding": "xpos", "parameters": parameters, "file": str(file), **{k: v for k, v in more.items() if k == "dialect"}}
                yield name, {**check, "length": int(length)}
                yield name + ", length not said", check


def offsets(folder):
    """Checks of relative positions that pe-gen writes for a run of offsets, wherever it begins."""
    for number, run_of in enumerate(("-9:9", "-40:21", "100:140", "-500:-400", "-8:60", "-131080:-131063", "7:9", "5:6")):
        for encoding, field, parameters in (("t5", "bucket", {}), ("t5", "bucket", {"num-buckets": "16", "max-distance": "64"}),
                                            ("deberta", "bucket", {"position-buckets": "8", "max-relative-positions": "32"}),
                                            ("shaw", "index", {"max-distance": "4"})):
            file = folder / f"o{number}-{encoding}-{len(parameters)}.npz"
            name = f"pe-gen {encoding} {' '.join(flags(parameters))} --positions={run_of} --fields {field}"
            done = run("pe-gen", [encoding, *flags(parameters), f"--positions={run_of}", "--fields", field, "-o", file])
            if done.returncode:
                yield name, done.stderr.strip()
                continue
            yield name, {"encoding": encoding, "parameters": parameters, "positions": run_of, "file": str(file)}


def vectors(folder):
    """Checks of what pe-apply turns."""
    number = 0
    for encoding, more in [("rope", {"pairing": p}) for p in ("halves", "adjacent", "adjacent-to-halves")] + [
            ("rope", {}), ("rope", {"rotary-dim": "8"}), *(("rope", s) for s in SCALINGS[1:]), ("xpos", {}), ("xpos", {"center": "zero"}),
            *(("rope-2d", {"grid": "5x8", "convention": c}) for c in
              "qwen2-vl pixtral llama4-vision dinov3 rope-vit sam2 gemma4-vision eva02".split()),
            *(("rope-3d", {"grid": "2x4x5", "convention": c, "axes-dim": "4,6,6"}) for c in ("wan", "hunyuan-video")),
            ("mrope", {"sections": "4,2,2", "segments": "text:4,image:4x8,text:4"})]:
        for axes, shape in (("bhsd", "2,3,40,16"), ("bshd", "2,40,3,16"), ("sbhd", "40,2,3,16"), ("hsd", "3,40,16"), ("sd", "40,16")):
            number += 1
            dtype = DTYPES[number % 4]
            file, parameters = folder / f"v{number}.safetensors", {"dim": "16", **more}
            extents = dict(zip(axes, shape.split(",")))
            drawn = ",".join(extents[letter] for letter in "bhsd" if letter in extents)
            name = f"pe-apply {encoding} {' '.join(flags(parameters))} {axes} {dtype}"
            done = run("pe-apply", [encoding, *flags(parameters), "--random", drawn, "--axes", axes, "--dtype", dtype,
                                    "-o", file])
            if done.returncode:
                yield name, done.stderr.strip()
                continue
            sides = [f"{file}:q_out", f"{file}:k_out"], [f"{file}:q", f"{file}:k"]
            check = {"encoding": encoding, "parameters": parameters, "length": 40, "file": sides[0], "before": sides[1]}
            yield name, check
            yield name + " keys", {**check, "file": sides[0][1:], "before": sides[1][1:]}
    for position in (0, 1, 77, 4096):  # a decoding step
        for encoding in ("rope", "xpos"):
            number += 1
            file = folder / f"v{number}.safetensors"
            name = f"pe-apply {encoding} step at {position}"
            done = run("pe-apply", [encoding, "--dim", 16, "--random", "2,3,1,16", "--positions", f"{position}:{position + 1}", "-o", file])
            if done.returncode:
                yield name, done.stderr.strip()
                continue
            yield name, {"encoding": encoding, "parameters": {"dim": "16"}, "positions": f"{position}:{position + 1}",
                         "file": [f"{file}:q_out", f"{file}:k_out"], "before": [f"{file}:q", f"{file}:k"]}


def main():
    global BIN
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "dev" / "cmd", help="folder of the tools")
    BIN = parser.parse_args().bin.resolve()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="pe-own-") as scratch:
        folder, checks = pathlib.Path(scratch), []
        for name, check in [*tables(folder), *offsets(folder), *vectors(folder)]:
            if isinstance(check, str):
                failed += 1
                print(f"not written: {name}: {check}")
            else:
                checks.append({"name": name, **check})
        manifest, report = folder / "manifest.json", folder / "report.json"
        manifest.write_text(json.dumps({"schema_version": 1, "checks": checks}))
        done = run("pe-verify", ["run", manifest, "--report", report])
        if not report.exists():
            sys.exit(done.stderr)
        for check in json.loads(report.read_text())["checks"]:
            passed += check["exit_code"] == 0
            failed += check["exit_code"] != 0
            if check["exit_code"] != 0:
                print(f"{check['name']}: {check.get('error') or '; '.join(check.get('sentences') or []) or check.get('tier')}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

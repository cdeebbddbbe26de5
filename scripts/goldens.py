#!/usr/bin/env python3
# Makes pe-goldens-VERSION.zip: tables, queries and keys before and after, biases and buckets of the catalogue's models, in the layouts that
# engines use, near position 0 and past 2^17; with a manifest for pe-verify run and the sums of all files.
import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

LAYOUTS = ["hf", "vllm", "meta", "ggml"]
PLACES = {"near": (0, 16), "far": (131064, 131080)}  # the second run goes past 2^17 = 131072
OFFSETS = {"near": (-20, 21), "far": (-131080, 131081)}
LARGEST = 20_000_000  # bytes, of what others take into their own repositories

README = """# Golden values of position encodings

Made by pe {version} (commit {commit}), for the tests of other programs. `manifest.json` says of each file what it holds, and
`pe-verify run manifest.json` checks all of them again; `sha256sum -c SHA256SUMS` checks the bytes.

- `MODEL/hf-near.npz`: cos and sin at positions 0 to 15 as transformers holds them; `vllm-`, `meta-`, `ggml-`: as those programs do.
- `MODEL/hf-far.npz`: the same at positions 131064 to 131079, on both sides of 2^17.
- `MODEL/vectors-near.safetensors`: q and k [batch, head, position, channel] before, q_out and k_out after; float32.
- `MODEL/bias-near.npz`: what is added to the scores; `MODEL/bucket-near.npz`: buckets of the offsets −20 to 20 (`-far`: −131080 to 131080).

Tables are in the arithmetic of the program that is named, and pass `pe-verify` as its tables; where a config says how layers differ, they are
those of the kind that is taken when none is named.
"""


class Fault(Exception):
    pass


def run(command, folder=None):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit {done.returncode}").splitlines()[-1]
        raise Fault(f"{' '.join(map(str, command))}: {said}")
    return done.stdout


def span(places):
    return f"--positions={places[0]}:{places[1]}"


class Maker:
    def __init__(self, tools, folder):
        self.tools, self.folder = tools, folder

    def tool(self, name, *words):
        """Run in the folder, so that the commands which files record name no place of this machine."""
        return run([self.tools / name, *words], self.folder)

    def table(self, model, dialect, at, name, field=None):
        """One file of pe-gen, and its entry of the manifest."""
        path = f"{model}/{name}.npz"
        self.tool("pe-gen", "--model", model, span(at), "--dialect", dialect, *(["--fields", field] if field else []), "-o", path)
        return {"name": f"{model} {name}", "model": model, "positions": f"{at[0]}:{at[1]}", "dialect": dialect, "file": path}

    def rotation(self, model, encoding):
        layouts, width = LAYOUTS if encoding == "rope" else ["exact"], self.width(model)  # engines' rules speak of rope
        for place, at in PLACES.items():
            for dialect in layouts:
                yield self.table(model, dialect, at, f"{dialect}-{place}")
            path = f"{model}/vectors-{place}.safetensors"
            self.tool("pe-apply", "--model", model, "--random", f"1,2,{at[1] - at[0]},{width}", "--kv-heads", 1, "--seed", 1, "--dialect", layouts[0],
                      f"--offset={at[0]}", "--fields", "q,k,q_out,k_out", "-o", path)
            yield {"name": f"{model} vectors-{place}", "model": model, "positions": f"{at[0]}:{at[1]}", "dialect": layouts[0],
                   "file": [f"{path}:q_out", f"{path}:k_out"], "before": [f"{path}:q", f"{path}:k"]}

    def entries(self, model, kind, encoding):
        (self.folder / model).mkdir()
        if kind == "rotation":
            yield from self.rotation(model, encoding)
        elif "bucket" in self.tool("pe-gen", "--model", model, "--positions=-1:2").splitlines()[0]:
            yield from (self.table(model, "exact", at, f"bucket-{place}", "bucket") for place, at in OFFSETS.items())
        else:
            yield from (self.table(model, "exact", at, f"bias-{place}", "bias") for place, at in PLACES.items())

    def width(self, model):
        """Channels of a head, the dim of the model's parameters."""
        shown = json.loads(self.tool("pe-gen", "--model", model, "--length", "1", "--format", "json"))
        return shown["provenance"]["parameters"]["dim"]["value"]


def models(maker, only):
    """Name, kind and encoding of every model (or of `only` those) whose numbers its config says: a learned table stands in the weights."""
    kinds = {row["name"]: row["kind"] for row in json.loads(maker.tool("pe-gen", "list", "encodings", "--json"))["encodings"]}
    names = maker.tool("pe-gen", "list", "models", "--names").split()
    if unknown := sorted(set(only) - set(names)):
        raise Fault(f"no model {', '.join(unknown)} in the catalogue (pe-gen list models)")
    for name in [name for name in names if name in only or not only]:
        encoding = json.loads(maker.tool("pe-gen", "--model", name, "--length", "1", "--format", "json"))["provenance"]["encoding"]
        if kinds[encoding] != "table" and encoding != "transformer-xl":  # whose buckets are the offsets themselves
            yield name, kinds[encoding], encoding


def pack(folder, name, out):
    """Zipped in order and without dates, so that the same values are the same file."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in files)
    (folder / "SHA256SUMS").write_text(sums)
    unfinished = out.with_suffix(".unfinished")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in [*files, folder / "SHA256SUMS"]:
            entry = zipfile.ZipInfo(f"{name}/{path.relative_to(folder)}", (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    if unfinished.stat().st_size > LARGEST:
        unfinished.unlink()
        raise Fault(f"{out.name} is larger than {LARGEST // 1_000_000} MB")
    unfinished.replace(out)


def make(options):
    with tempfile.TemporaryDirectory() as scratch:
        maker = Maker(options.bin.resolve(), pathlib.Path(scratch))
        chosen = list(models(maker, options.only))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            entries = [e for found in pool.map(lambda row: list(maker.entries(*row)), chosen) for e in found]
        if not entries:
            raise Fault("no model of these has values that its config says")
        version, commit, *_ = maker.tool("pe-gen", "--version").splitlines()
        (maker.folder / "manifest.json").write_text(json.dumps({"schema_version": 1, "checks": entries}, indent=1) + "\n")
        (maker.folder / "README.md").write_text(README.format(version=version.split()[1], commit=commit.split()[1]))
        run([maker.tools / "pe-verify", "run", maker.folder / "manifest.json"])
        name = f"pe-goldens-{version.split()[1]}"
        pack(maker.folder, name, options.out / f"{name}.zip")
        print(f"{options.out / name}.zip: {len(chosen)} models, {len(entries)} checks")


def main():
    parser = argparse.ArgumentParser(description="golden values for the tests of other programs")
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="the folder of the built tools")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[], help="this model alone; repeatable")
    try:
        make(parser.parse_args())
    except (Fault, OSError) as fault:
        print(f"goldens: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

# Configs and manifests, pipes, devices and whatever else has no end.
import json
import os

from cases import LONG, STREAMED, TIMEOUT, WHOLE, case, check, manifest, text


def deep(depth, close=True):
    return '{"a":' * depth + "1" + ("}" * depth if close else "")


@case("config of a million levels", says="deeper")
def _(folder):
    return ["check", "rope", "--config", text(folder / "deep.json", deep(1_000_000)), "--timeout", TIMEOUT]


@case("config of a million lists", says="deeper|JSON")
def _(folder):
    return ["check", "rope", "--config", text(folder / "lists.json", "[" * 1_000_000), "--timeout", TIMEOUT]


@case("config of 250 000 values", code=None)
def _(folder):
    return ["check", "rope", "--config", text(folder / "values.json", json.dumps({"model_type": "llama", "a": [1] * 240_000})), "--timeout", TIMEOUT]


@case("config of 250 000 lists", code=None)
def _(folder):
    return ["check", "rope", "--config", text(folder / "many.json", json.dumps({"model_type": "llama", "a": [[]] * 240_000})), "--timeout", TIMEOUT]


@case("config of 240 000 keys", code=None)
def _(folder):
    return ["check", "rope", "--config", text(folder / "keys.json", json.dumps({f"key {i}": 0 for i in range(240_000)})), "--timeout", TIMEOUT]


@case("config of a number of 16 MB", code=2)
def _(folder):
    return ["check", "rope", "--config", text(folder / "number.json", '{"rope_theta": ' + "1" * 15_000_000 + "}"), "--timeout", TIMEOUT]


@case("config of a list of a million factors", says="more than")
def _(folder):
    scaling = {"rope_type": "longrope", "short_factor": [1.0] * 1_000_000, "long_factor": [1.0] * 1_000_000}
    return ["check", "rope", "--config", text(folder / "factors.json", json.dumps({"model_type": "llama", "rope_scaling": scaling})), "--timeout", TIMEOUT]


@case("config of a head of 2^52 pairs", code=2)
def _(folder):
    config = {"model_type": "llama", "head_dim": 1 << 53, "num_attention_heads": 1, "hidden_size": 1 << 53}
    return ["check", "rope", "--config", text(folder / "head.json", json.dumps(config)), "--timeout", TIMEOUT]


@case("config of a trillion layers", code=None)
def _(folder):
    config = {"model_type": "gemma3_text", "head_dim": 64, "num_hidden_layers": 10 ** 12, "sliding_window_pattern": 6}
    return ["check", "rope", "--config", text(folder / "layers.json", json.dumps(config)), "--timeout", TIMEOUT]


# Of some the laws look at samples, and can tell.
for parameters in ({"encoding": "rope"}, {"encoding": "sinusoidal"}, {"encoding": "learned"}, {"encoding": "alibi"}, {"encoding": "t5"},
                   {"encoding": "shaw"}, {"encoding": "normalized-index"}, {"encoding": "floater"}, {"encoding": "kerple"}, {"encoding": "tupe"}):
    sampled = parameters["encoding"] in ("alibi", "kerple")

    @case(f"manifest of a length of 2^53 for {parameters['encoding']}", code=0 if sampled else 2, seconds=8)
    def _(folder, parameters=parameters, sampled=sampled):
        return ["run", manifest(folder / "length.json", {"name": "long", "length": 1 << 53, **parameters}), "--timeout", "8" if sampled else TIMEOUT]


@case("manifest of a dim of 2^53", seconds=8)
def _(folder):
    return ["run", manifest(folder / "dim.json", {"name": "wide", "encoding": "sinusoidal", "parameters": {"dim": 1 << 53}}), "--timeout", TIMEOUT]


@case("manifest of 20 000 checks of files that are not there", limit=STREAMED + 32, seconds=20)
def _(folder):
    return ["run", manifest(folder / "many.json", *({"encoding": "rope", "file": "x.npy"} for _ in range(20_000))), "--timeout", TIMEOUT]


@case("manifest of an entry that is /dev/zero, and of one that is sound", seconds=60, limit=WHOLE, says="held")
def _(folder):
    return ["run", manifest(folder / "zero.json", {"name": "zero", "encoding": "learned", "parameters": {"dim": 8}, "file": "/dev/zero"},
                            {"name": "sound", "encoding": "rope"}), "--timeout", "60"]


@case("manifest of entries that are FIFOs that nobody writes to", says=f"could not tell in {TIMEOUT} s", seconds=8)
def _(folder):
    os.mkfifo(folder / "fifo.npy")
    entry = {"encoding": "learned", "parameters": {"dim": 8}, "file": "fifo.npy"}
    return ["run", manifest(folder / "fifo.json", {"name": "a", **entry}, {"name": "b", **entry}, {"name": "sound", "encoding": "rope"}), "--timeout", TIMEOUT]


@case("a dump that is a FIFO", says=f"could not tell in {TIMEOUT} s", seconds=8, after="manifest of entries that are FIFOs that nobody writes to")
def _(folder):
    return check(str(folder / "fifo.npy"))


@case("a config that is a FIFO", says=f"could not tell in {TIMEOUT} s", seconds=8, after="manifest of entries that are FIFOs that nobody writes to")
def _(folder):
    return ["check", "rope", "--config", str(folder / "fifo.npy"), "--timeout", TIMEOUT]


@case("a manifest that is a FIFO", says=f"could not tell in {TIMEOUT} s", seconds=8, after="manifest of entries that are FIFOs that nobody writes to")
def _(folder):
    return ["run", str(folder / "fifo.npy"), "--timeout", TIMEOUT]


# --- files without an end

@case("/dev/zero as a dump", seconds=60, limit=WHOLE, says="more than")
def _(_folder):
    return check("/dev/zero", flags=LONG)


@case("/dev/zero as a config", says="larger|more than")
def _(_folder):
    return ["check", "rope", "--config", "/dev/zero"]


@case("/dev/zero as a manifest", says="larger|more than")
def _(_folder):
    return ["run", "/dev/zero"]


@case("/dev/zero as weights", seconds=60, limit=WHOLE, says="more than")
def _(_folder):
    return ["check", "learned", "--input", "/dev/zero"]


@case("/dev/zero to compare", seconds=60, limit=WHOLE, says="more than")
def _(_folder):
    return ["compare", "/dev/zero", "/dev/zero"]


@case("an endless pipe as a dump", seconds=60, limit=WHOLE, says="more than")
def _(_folder):
    return [None, *check("-", flags=LONG)]


@case("a pipe that says nothing", says=f"could not tell in {TIMEOUT} s", seconds=8)
def _(_folder):
    return ["silence", *check("-")]


def nested(levels, bytes_):
    node = {str(i): i for i in range(20_000)}
    for _ in range(levels):
        node = {"k" * bytes_: node}
    return json.dumps(node)


@case("config of one long key", says="paths|more than")
def _(folder):
    return ["check", "rope", "--config", text(folder / "key.json", nested(1, 50_000))]


@case("config of long keys in one another", says="paths|more than")
def _(folder):
    return ["check", "rope", "--config", text(folder / "keys.json", nested(30, 60_000))]


@case("config of long keys as a manifest", says="unknown key")
def _(folder):
    return ["run", text(folder / "key.json", nested(1, 50_000))]

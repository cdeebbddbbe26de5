"""The configuration that every class saves by itself, by save_pretrained, and what the class makes of it when it is read again."""
import json
import pathlib
import re
import tempfile

from world import tables_of

# Keys of a saved file that speak of words, labels and programs.
BESIDE = re.compile(r"(^id2label$|^label2id$|token|architectures|^dtype$|transformers_version|_name_or_path|dropout|initializer|_eps$|std$|loss|_act$|activation|bias$)")


def kept(file):
    return {key: kept(value) if isinstance(value, dict) else value for key, value in file.items()
            if not BESIDE.search(key) or "position" in key or "rope" in key or "relative" in key or "alibi" in key}


def saved(C):
    with tempfile.TemporaryDirectory() as folder:
        C().save_pretrained(folder)
        return json.loads((pathlib.Path(folder) / "config.json").read_text())


def speaking(config, rows):
    """The part that speaks, down the composites."""
    for _ in range(4):
        row = rows.get(config.model_type, {})
        if "part" not in row:
            break
        config = getattr(config, row["part"])
    return config


def turned(config, rotaries, truth_of):
    import numpy as np
    made = tables_of(config, rotaries[config.model_type][1])[0]
    if all(freq.ndim == 1 and len(freq) and np.isfinite(freq).all() for freq, _ in made.values()):
        return {"turns": truth_of(made)}
    return {}


def added(config, row):
    """The table's shape, of a model of this configuration."""
    from tables import BIAS, TABLE, ask
    buckets = row["encoding"] == "t5"
    more = {key: value for key, value in config.to_dict().items() if key in row["holds"] and value is not None}
    shape = (ask(type(config), more, BIAS if buckets else TABLE) or {}).get(row["tensor"])
    if not shape or len(shape) != 2:
        return {}
    if buckets:
        return {"part": row.get("part", ""), "is": {"encoding": "t5", "given": {"num-buckets": str(shape[0]), "heads": str(shape[1])}}}
    return {"part": row.get("part", ""), "is": {"encoding": row["encoding"], "shape": shape}}


def truths(classes, rows, rotaries, tables, elsewhere, truth_of):
    """(what the class makes, the file) of every type; {} where no table is recorded, "elsewhere" where a row by hand has it."""
    owners = {}
    for row in tables:
        for kind in row["types"].split():
            owners.setdefault(kind, row)
    for C in sorted({C.model_type: C for C in reversed(classes) if getattr(C, "model_type", "")}.values(), key=lambda C: C.model_type):
        try:
            file = saved(C)
            config = speaking(C.from_dict(json.loads(json.dumps(file))), rows)
        except Exception:  # a class without defaults, or that refuses its own file
            continue
        kind, is_ = config.model_type, {}
        try:
            if kind in rotaries and "width" in rows.get(kind, {}):
                is_ = turned(config, rotaries, truth_of)
            elif kind in owners and "tensor" in owners[kind]:
                is_ = added(config, owners[kind])
        except Exception:
            pass
        if not is_ and (kind in elsewhere or "refuse" not in owners.get(kind, {"refuse": ""})):
            is_ = {"elsewhere": kind}
        yield is_, {**kept(file), "model_type": C.model_type}

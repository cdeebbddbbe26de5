# What the configurations of data/models mean, read by the definitions of transformers' configuration classes.
"""Independent of the library: keys as in modeling_rope_utils.py and the classes' own defaults."""
import dataclasses
import json
import pathlib

MODELS = pathlib.Path(__file__).resolve().parents[2] / "data" / "models"


@dataclasses.dataclass(frozen=True)
class Rope:
    """One ladder of turns: head channels, those that turn, the base, and the rule that bends the ladder."""
    head: int
    rotary: int
    base: float = 10000.0
    pairing: str = "halves"
    scaling: dict = dataclasses.field(default_factory=dict)  # "kind" and the rule's own keys
    max_position: int = 0
    seq_len: int = 0                                         # of the sequence, where the rule depends on it

    @property
    def pairs(self):
        return self.head // 2 if self.scaling.get("kind") == "proportional" else self.rotary // 2

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    def scaled(self, **changes):
        return self.but(scaling={**self.scaling, **changes})


# Values that a class has where the file is silent.
CLASSES = {
    "glm": {"partial": 0.5, "pairing": "adjacent"}, "glm4v_text": {"pairing": "adjacent"},
    "gptj": {"pairing": "adjacent"}, "cohere": {"pairing": "adjacent"},
    "deepseek_v2": {"pairing": "adjacent"}, "deepseek_v3": {"pairing": "adjacent-to-halves"},
    "glm_moe_dsa": {"pairing": "adjacent-to-halves"}, "qwen3_vl_text": {"base": 500000.0},
}


def config(name):
    """The part of a model's file that speaks of the text decoder."""
    whole = json.loads((MODELS / f"{name}.json").read_text())
    return whole.get("text_config", whole)


def head_channels(c):
    for key in ("qk_rope_head_dim", "head_dim"):
        if c.get(key):
            return c[key]
    if "hidden_size" not in c and "n_embd" not in c:
        return 128
    hidden = c.get("hidden_size", c.get("n_embd"))
    return hidden // c.get("num_attention_heads", c.get("n_head"))


def rope(name, sliding=False):
    c = config(name)
    family = CLASSES.get(c["model_type"], {})
    rule = c.get("rope_scaling") or c.get("rope_parameters") or {}
    if "full_attention" in rule:
        rule = rule["sliding_attention" if sliding else "full_attention"]
    head = head_channels(c)
    if not sliding and "global_head_dim" in c:
        head = c["global_head_dim"]
    base = rule.get("rope_theta") or c.get("rope_theta") or c.get("rotary_emb_base") or c.get("global_rope_theta") \
        or family.get("base", 10000.0)
    if sliding:
        rule = {}
        base = c.get("rope_local_base_freq", c.get("local_rope_theta", base))
        if "rope_parameters" in c:
            base = c["rope_parameters"]["sliding_attention"]["rope_theta"]
    partial = rule.get("partial_rotary_factor", c.get("partial_rotary_factor", c.get("rotary_pct", family.get("partial", 1.0))))
    kind = rule.get("rope_type", rule.get("type", "default"))
    scaling = {}
    if kind not in ("default", "mrope"):
        scaling = {k: v for k, v in rule.items() if k not in ("rope_type", "type", "rope_theta", "attn_factor")}
        scaling["kind"] = "longrope" if kind == "su" else kind
        if "original_max_position_embeddings" in c:
            scaling["original_max_position_embeddings"] = c["original_max_position_embeddings"]
        if kind == "proportional":
            scaling["partial_rotary_factor"] = partial
    return Rope(head=head, rotary=c.get("rotary_dim", int(head * partial)), base=float(base),
                pairing=family.get("pairing", "halves"), scaling=scaling,
                max_position=c.get("max_position_embeddings", c.get("n_positions", 0)))


def sections(name):
    """M-RoPE: pairs of time, height and width, and whether they lie in turn."""
    rule = config(name).get("rope_scaling")
    return rule["mrope_section"], bool(rule.get("mrope_interleaved"))


def heads(name):
    c = config(name)
    return c.get("n_head", c.get("n_heads", c.get("num_attention_heads", c.get("num_heads"))))

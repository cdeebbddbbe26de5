// Families of models: which position encoding each has, and how its config.json spells it.
#pragma once

#include <span>
#include <string_view>

#include "pe/configs/config.hpp"

namespace pe {

/// Layers of one kind in a family that gives its layers different encodings.
struct LayerType {
  std::string_view type;      // full_attention, sliding_attention
  std::string_view keys;      // as Family::keys, tried first
  std::string_view defaults;  // as Family::defaults, tried first
  bool scaled = true;         // the older form's one rope_scaling reaches these layers
};

/// Rows are data. Lists are words: "parameter=key parameter=key|key".
struct Family {
  std::string_view types;      // values of model_type, the family's own name first
  std::string_view encoding;   // catalogue name
  std::string_view when = {};  // "key=value": the row counts only then; rows are tried in order
  /// How wide a head is. free: head_dim, else hidden_size / heads; loose: the same, and a
  /// difference between them is worth a word; split: hidden_size / heads, and head_dim may not
  /// differ; latent: qk_rope_head_dim. Empty: no head is looked for.
  std::string_view head = {};
  std::string_view keys = {};      // keys of this family alone: "base=rotary_emb_base"
  std::string_view defaults = {};  // what the class holds where the file is silent: "base=500000"
  std::string_view pairing = "halves";  // channels that turn together: halves, adjacent
  bool partial = false;  // its class reads partial_rotary_factor without a scaling, too
  std::span<const LayerType> layers = {};
  std::string_view note = {};  // what a reader of its tables should know
};

/// Every family, rotary ones first.
std::span<const Family> rotary_families();
std::span<const Family> other_families();

/// The family of a config, or nullptr when its model_type is absent or in no row.
const Family* find_family(const Config& config);

/// The value of `name` in "name=value name=value", or "".
std::string_view entry_of(std::string_view list, std::string_view name);

}  // namespace pe

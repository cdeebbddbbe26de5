// Reader: takes values from a config, remembers where each stood and which keys were read.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "pe/base/kept.hpp"
#include "pe/configs/reading.hpp"

namespace pe {

class Reader {
 public:
  Reader(Kept<Config> config, Kept<Family> family, Reading& reading)
      : config_(config), family_(family), reading_(reading) {}

  const Config& config() const { return config_; }
  const Family& family() const { return family_; }

  /// Sets the parameter to the first of `paths` that the file has; `rule` says why that one.
  /// Another that says otherwise is warned about.
  bool take(std::string_view parameter, Config::Type type, const std::vector<std::string>& paths,
            std::string_view rule = {});
  void set(std::string_view parameter, std::string text, std::string origin, std::string rule = {});
  /// Sets the parameter to what the family's class holds where the file is silent; nothing for "".
  bool set_default(std::string_view parameter, std::string text);
  /// Remembers what another program makes of the file (hf-v4, vllm …); "": it does not read it.
  void remember(std::string_view program, std::string_view parameter, std::string text);
  /// What another program was remembered to make of the file counts no more.
  void forget(std::string_view program) { reading_.others[std::string(program)].given.clear(); }
  bool has(std::string_view parameter) const { return reading_.given.contains(parameter); }
  const std::string& text(std::string_view parameter) const {
    return reading_.given.find(parameter)->second.text;
  }

  /// A key and the other names that the family's class has for it.
  std::vector<std::string> spellings(const std::string& key) const;

  /// The whole number at a path, at least 1; 0 when it is absent.
  Index count(std::string_view path);
  /// The first of `paths` that the file has, and its count.
  Index count(const std::vector<std::string>& paths, std::string& found);

  void warn(std::string sentence);
  /// The same, of a doubt that is none where one of these programs is meant ("sglang mlx").
  void warn_unless(std::string_view programs, std::string sentence);
  /// The programs that were remembered to overlook the file's scaling: for warn_unless.
  std::string programs_without_scaling() const;
  /// A warning where this program is meant alone.
  void tell(std::string_view program, std::string_view sentence);
  void know(std::string_view path) { known_.insert(std::string(path)); }
  bool knows(std::string_view path) const { return known_.contains(std::string(path)); }
  [[noreturn]] void refuse(std::string_view path, std::string_view expected) const;

 private:
  const Config& config_;
  const Family& family_;
  Reading& reading_;
  std::set<std::string> known_;
};

/// One kind of layers of a family: what its record says of them alone, else of all.
struct LayerType {
  std::string type;               // "": all layers are alike
  const JsonNode* own = nullptr;  // null: the record does not tell them apart

  /// The layer's own entry, else the family's.
  const JsonNode* find(const Family& family, std::string_view key) const {
    const JsonNode* found = own ? own->find(key) : nullptr;
    return found ? found : family.find(key);
  }
};

/// Where the rotary keys of one kind of layers stand.
struct RopeObject {
  std::vector<std::string> where;  // paths of objects, the first that has a key wins; none: silence
  const JsonNode* held = nullptr;  // what the class holds where the file has no object
  std::string root;                // rope_scaling, rope_parameters or ""
  bool silent = true;              // neither a nested nor a flat object speaks of these layers
  bool nested = false;             // the object is by layer type
  bool flat = false;               // it is not, where the class reads one by layer type
  bool legacy = false;             // rope_scaling speaks
  bool type_alone = true;          // "type" counts without "rope_type" in rope_scaling
  bool typed = true;               // it does in an object by layer type, too (NeoMME's does not)

  /// Where a key of it may stand.
  std::vector<std::string> paths(std::string_view key) const;
};

/// Throws UsageError when the layers have no position encoding.
RopeObject find_object(Reader& reader, const LayerType& layer);

/// Every parameter of the encoding that the family's row or the schema gives a key.
void read_keys(Reader& reader, const Encoding& encoding, const Family& family);

/// Parameters of turns: those of one kind of layers, the first unless another is named.
void read_rotation(Reader& reader, Reading& reading, std::string_view layer_type);

/// What relative encodings leave to other keys: where buckets end, and the width of a head.
void read_relative(Reader& reader, const Encoding& encoding);

/// How many channels a head of the family has: sets --dim.
void read_head(Reader& reader, const LayerType& layer);

/// The head and the part of a proportional rope, where the class's other ropes are as wide as
/// another key says (Dots3's qk_rope_head_dim within head_dim). After read_rotary.
void widen_head(Reader& reader, const LayerType& layer);

/// Rotary parameters: base, part of the head, scaling and all that it reads.
void read_rotary(Reader& reader, const LayerType& layer, const RopeObject& object);

/// The pairing of the class's own function, or of the one that it calls where a key is false
/// (DeepSeek-V3's rope_interleave); nothing for halves.
void read_pairing(Reader& reader);

/// The scaling's rule and what it reads; "default" when the frequencies are plain.
std::string read_scaling(Reader& reader, const LayerType& layer, const RopeObject& object);
/// Whether transformers takes its own in place of a value: "get(key) or 32" of yarn's betas, where
/// 0 is nothing.
bool is_nothing(const Parameter& parameter, std::string_view text);

/// Whether an object by layer type lacks a layer, where the class then reads it as a flat one.
bool is_incomplete(const Config& config, const Family& family);

/// Where the rotary keys stand: rope_scaling, or rope_parameters, or nowhere ("").
std::string rotary_root(const Config& config);

/// Warnings about keys that nobody read and values that contradict each other.
void doubt(Reader& reader, const RopeObject& object);

/// Warnings about keys of another encoding than the one that is read, which is no rotation.
void doubt_other_keys(Reader& reader);

/// Warnings about keys of position beside the part that is read, in the whole file.
void doubt_outer_keys(Reader& reader, const Config& whole);

}  // namespace pe

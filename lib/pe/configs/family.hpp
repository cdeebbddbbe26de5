// Families of models: which position encoding each has, and how its config.json spells it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pe/configs/config.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/json_tree.hpp"

namespace pe {

/// A row of data/families.json or data/families_tables.json, which transformers' own classes were
/// asked for, of data/families_gguf.json, which llama.cpp was, or of data/families_elsewhere.json,
/// which was read from code. data/README.md says
/// what each key of a row means.
struct Family {
  std::string types = {};  // values of model_type, the family's own name first
  std::string encoding = "rope";
  std::string when = {};           // "key=a|b&other!=value": the row counts only then
  std::string part = {};           // "encoder", "decoder": the row speaks of that part alone
  std::string pairing = "halves";  // channels that turn together
  std::string note = {};           // what a reader of its tables should know
  std::string still = {};          // which of its layers do not turn; "" where all do
  std::string other = {};          // the encoding of the type's other row, which is read by name
  JsonNode row = {};

  const JsonNode* find(std::string_view key) const { return row.find(key); }
  std::string name() const { return types.substr(0, types.find(' ')); }
};

/// The family of a config, or nullptr when its model_type is absent or in no row. Of several rows
/// the one whose encoding was asked for goes first, also where the config does not say what that
/// row wants, then one of its kind. With a part, rows of that part alone count.
const Family* find_family(const Config& config, const Encoding* asked = nullptr,
                          std::string_view part = {});

/// What is doubtful where a row was asked for by its encoding's name: the config says that the
/// model has another one, or none. "" where nothing is.
std::string doubt_family(const Config& config, const Family& family, std::string_view part);

/// The parts that rows of this model_type tell apart.
std::vector<std::string> parts_of(const Config& config);

/// The model type that a class's name names ("MiniCPM3ForCausalLM" is minicpm3), or "".
std::string type_of_architecture(std::string_view architecture);

/// The row of a type that has parts, which names the one that speaks if it is not itself, or
/// nullptr.
const JsonNode* find_composite(std::string_view type);

/// The strings of a list; "" and nothing for an absent node.
std::vector<std::string> strings_of(const JsonNode* list);

/// The text of a plain value, "" for an absent one or null.
std::string text_of(const JsonNode* value);

}  // namespace pe

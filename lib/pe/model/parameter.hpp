// What an encoding can be told, and what it was told: schemas, values and where each value came
// from.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pe/base/array.hpp"
#include "pe/base/decimal.hpp"

namespace pe {

/// One row of a schema. Rows are data: literals only.
struct Parameter {
  enum class Type { integer, number, numbers, flag, choice, name, tensor };

  const char* name;  // as on the command line, without dashes
  Type type = Type::integer;
  const char* help = "";
  const char* fallback =
      nullptr;  // decimal text, choice or "true"/"false"; none: the parameter may be absent
  const char* lowest = nullptr;  // bounds on every number, inclusive
  const char* highest = nullptr;
  const char* choices = nullptr;   // "a b c" for Type::choice
  const char* alias = nullptr;     // a second option name
  bool required = false;           // a scaling's: cannot be applied without it
  const char* negation = nullptr;  // a flag's opposite, without dashes: causal, no-truncate
  const char* config =
      nullptr;  // keys of config.json, first found wins: "rope_theta rotary_emb_base"
  const char* also = nullptr;  // other words for choices: "neox=halves gptj=adjacent"
};

/// A value as text with its origin: "flag --dim", "config head_dim", "default of gemma3"; and,
/// where there was a choice, the rule that decided.
struct GivenValue {
  std::string text, origin;
  std::string rule = {};
};
using Given = std::map<std::string, GivenValue, std::less<>>;

/// Completed and checked values of a schema.
class Parameters {
 public:
  bool has(std::string_view name) const;
  Index integer(std::string_view name) const;
  Decimal number(std::string_view name) const;
  std::vector<Decimal> numbers(std::string_view name) const;
  bool flag(std::string_view name) const;
  const std::string& choice(std::string_view name) const;
  const Array& tensor(std::string_view name) const;

  /// "flag --dim", "config head_dim" or "default".
  const std::string& origin(std::string_view name) const;
  /// "7 (from config key head_dim)": the value as an error message spells it.
  std::string spell(std::string_view name) const;

  struct Entry {
    std::string name, text, origin;
    Parameter::Type type;
    Array tensor;
  };
  /// Present values in schema order.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  friend Parameters complete(const std::vector<Parameter>&, const Given&, const Given&,
                             const std::function<Array(const std::string&)>&);
  const Entry& entry(std::string_view name) const;
  std::vector<Entry> entries_;
};

/// Merges flags over config over fallbacks and checks types, bounds and choices. `load` reads a
/// tensor from "FILE[:name]". Throws UsageError naming the option, the value, its origin and what
/// was expected.
Parameters complete(const std::vector<Parameter>& schema, const Given& flags, const Given& config,
                    const std::function<Array(const std::string&)>& load);

/// The name in `names` that `name` means the surest (see naming.hpp), or "" when none is near.
std::string nearest(std::string_view name, const std::vector<std::string>& names);

/// "a b c" → {a, b, c}.
std::vector<std::string> words(std::string_view text);

}  // namespace pe

// Looking up a configuration by name.
#include "pe/configs/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "pe/base/error.hpp"
#include "pe/base/letters.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/model/naming.hpp"
#include "pe/model/parameter.hpp"

namespace pe {
namespace {

constexpr Model models[] = {
#include "models.inc"  // written by CMake from data/models/*.json
};

// The hub does not tell capitals apart either.
bool same_letters(std::string_view a, std::string_view b) {
  return in_small_letters(a) == in_small_letters(b);
}

// "Qwen/Qwen2.5-7B-Instruct" → "qwen2.5-7b": without the owner, and what it was tuned for.
std::string untuned(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  std::string word =
      in_small_letters(slash == std::string_view::npos ? name : name.substr(slash + 1));
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::string_view tuned :
         {"-instruct", "-chat", "-it", "-hf", "-base", "-pt", "-gguf", "-awq", "-gptq", "-fp8"})
      if (word.ends_with(tuned)) {
        word.resize(word.size() - tuned.size());
        cut = true;
      }
  }
  return word;
}

// How many letters and digits two names begin with alike, whatever stands between them.
std::size_t alike(std::string_view a, std::string_view b) {
  const auto letters = [](std::string_view text) {
    std::string kept;
    for (const char c : text)
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) kept += c;
    return kept;
  };
  const std::string one = letters(a), other = letters(b);
  const auto [end, rest] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return static_cast<std::size_t>(end - one.begin());
}

// "qwen" of "qwen2.5-7b".
std::string family_of(const std::string& name) {
  return name.substr(0, name.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
}

// 2.5 of "qwen2.5-7b"; NaN where nothing counts.
double version_of(const std::string& name) {
  const std::size_t at = name.find_first_of("0123456789");
  return at == std::string::npos ? std::numeric_limits<double>::quiet_NaN()
                                 : std::strtod(name.c_str() + at, nullptr);
}

// Those of the same family whose version is nearest, and of these that begin alike the longest.
std::vector<std::string> relatives_of(const std::string& name) {
  constexpr std::size_t most = 3;
  const auto rank = [&](const std::string& other) {
    const double apart = std::fabs(version_of(other) - version_of(name));
    return std::pair(std::isnan(apart) ? HUGE_VAL : apart,
                     -static_cast<double>(alike(name, other)));
  };
  std::vector<std::string> found;
  for (const Model& model : models)
    if (family_of(std::string(model.name)) == family_of(name)) found.emplace_back(model.name);
  std::ranges::stable_sort(found, {}, rank);
  const auto end = std::ranges::find_if(
      found, [&](const std::string& other) { return rank(other) != rank(found.front()); });
  found.resize(std::min(most, static_cast<std::size_t>(end - found.begin())));
  return found;
}

// Letters alone, or all but letters.
std::string part_of(std::string_view name, bool letters) {
  std::string kept;
  for (const char c : in_small_letters(name))
    if ((c >= 'a' && c <= 'z') ? letters : !letters && c >= '0' && c <= '9') kept += c;
  return kept;
}

// Whether fingers may have slipped from one to the other: two digits swapped, one more or less, or
// one that is another where the letters are the same. All else is another model.
bool may_be_slip(std::string_view typed, std::string_view name) {
  std::string one = part_of(typed, false), other = part_of(name, false), differ;
  const bool as_long = one.size() == other.size();
  const auto others = as_long ? std::inner_product(one.begin(), one.end(), other.begin(), 0,
                                                   std::plus{}, std::not_equal_to{})
                              : 0;
  std::ranges::sort(one);
  std::ranges::sort(other);
  std::ranges::set_symmetric_difference(one, other, std::back_inserter(differ));
  return as_long ? (others <= 2 && differ.empty()) ||
                       (others == 1 && part_of(typed, true) == part_of(name, true))
                 : differ.size() == 1;
}

// Whether the catalogue has models of the version that was typed: another's are no slips of it
// then.
bool has_version_of(const std::string& name) {
  return std::ranges::any_of(models, [&](const Model& model) {
    const std::string other(model.name);
    return family_of(other) == family_of(name) && version_of(other) == version_of(name);
  });
}

// "llama-3.1-8b,llama-2-7b": all of them where each is known, none where one is not.
std::vector<std::string> all_known(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(",;+ "), list.size());
    const std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (name.empty()) continue;
    if (!is_catalogued(name)) return {};
    names.emplace_back(name);
  }
  return names;
}

}  // namespace

std::span<const Model> all_models() { return models; }

std::string other_names(const Model& model) {
  const Config config = parse_config(std::string(model.text), std::string(model.name));
  const Config::Value* also = config.find("_also");
  return also ? also->text : "";
}

bool is_catalogued(std::string_view name) {
  return std::ranges::any_of(models, [&](const Model& model) {
    return model.name == name ||
           std::ranges::any_of(words(other_names(model)),
                               [&](const std::string& id) { return same_letters(id, name); });
  });
}

std::vector<std::string> models_like(std::string_view name) {
  std::vector<std::string> others;
  for (const Model& model : models) others.push_back(other_names(model));
  std::vector<Named> names;
  for (std::size_t i = 0; i < others.size(); ++i)
    names.push_back({std::string(models[i].name), others[i]});
  const Meant meant = meant_by(name, names);
  if (meant.why <= Likeness::begins) return meant.names;
  const std::string plain = untuned(name);
  const Meant again = meant_by(plain, names);
  if (again.why <= Likeness::begins) return again.names;
  // glm-4-b9-chat is nearer to glm-4-9b-chat than to glm-4-9b.
  const bool named_tuned = std::ranges::any_of(meant.names, [&](const std::string& other) {
    return untuned(other) != other &&
           in_small_letters(name).ends_with(other.substr(untuned(other).size()));
  });
  for (const Meant& near : {named_tuned ? meant : again, named_tuned ? again : meant}) {
    std::vector<std::string> slips = near.names;
    std::erase_if(slips, [&](const std::string& other) {
      return !may_be_slip(plain, other) ||
             (version_of(other) != version_of(plain) && has_version_of(plain));
    });
    if (near.why == Likeness::misspelt && !slips.empty()) return slips;
  }
  const std::vector<std::string> relatives = relatives_of(plain);
  return relatives.empty() && again.why != Likeness::misspelt ? again.names : relatives;
}

Config read_catalogued(std::string_view name) {
  const auto read = [&](const Model& model) {
    return parse_config(std::string(model.text), std::string(name));
  };
  for (const Model& model : models)
    if (model.name == name) return read(model);
  for (const Model& model : models)
    if (std::ranges::any_of(words(other_names(model)),
                            [&](const std::string& id) { return same_letters(id, name); }))
      return read(model);
  if (name.starts_with('/') || name.starts_with('.') || name.starts_with('~'))
    throw UsageError(fmt::format(
        "--model takes a name of the catalogue, and there is no folder or file '{}'; --config FILE "
        "reads a config.json, and --config FOLDER the one in it",
        name));
  if (const std::vector<std::string> several = all_known(name); several.size() > 1)
    throw UsageError(fmt::format("--model takes one name, and '{}' are {}: {}", name,
                                 several.size() == 2 ? "two" : "several",
                                 fmt::join(several, " and ")));
  const std::vector<std::string> near = models_like(name);
  throw UsageError(
      fmt::format("unknown model '{}': {} --config FILE reads the config.json of any other", name,
                  near.empty() ? "pe-gen list models names those there are, and"
                               : fmt::format("did you mean {}?", either_of(near))));
}

}  // namespace pe

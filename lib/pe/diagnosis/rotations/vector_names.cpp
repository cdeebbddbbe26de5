// Queries, keys and values of whole files, by name.
#include "pe/diagnosis/rotations/vector_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pe/diagnosis/array_words.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/diagnosis/rotations/vectors.hpp"
#include "pe/diagnosis/unseen.hpp"

namespace pe {
namespace {

enum class Role { query, key, value, other, unknown };

struct Name {
  Role role = Role::unknown;
  std::string whose;  // of which layer, and its numbers: "model.layers.0 1"
};

Role role_of(const std::vector<std::string>& words) {
  static const std::map<std::string, Role, std::less<>> known{
      {"q", Role::query},        {"query", Role::query},  {"queries", Role::query},
      {"xq", Role::query},       {"k", Role::key},        {"key", Role::key},
      {"keys", Role::key},       {"xk", Role::key},       {"v", Role::value},
      {"value", Role::value},    {"values", Role::value}, {"xv", Role::value},
      {"mask", Role::other},     {"masks", Role::other},  {"ids", Role::other},
      {"position", Role::other}, {"hidden", Role::other}, {"positions", Role::other},
      {"residual", Role::other}, {"nope", Role::other},   {"cos", Role::other},
      {"sin", Role::other},      {"scores", Role::other}, {"logits", Role::other}};
  Role role = Role::unknown;
  for (const std::string& word : words) {
    const auto found = known.find(word);
    if (found == known.end()) continue;
    if (found->second == Role::other) return Role::other;
    if (role != Role::unknown && role != found->second) return Role::unknown;
    role = found->second;
  }
  return role;
}

Name name_of(const Stored& array) {
  const std::size_t dot = array.name.rfind('.');
  const bool is_nested = dot != std::string::npos;
  Name name{Role::unknown, is_nested ? array.name.substr(0, dot) : ""};
  const std::vector<std::string> words =
      array_words(is_nested ? array.name.substr(dot + 1) : array.name);
  name.role = role_of(words);
  name.whose += ' ';
  for (const std::string& word : words)
    if (is_number_word(word)) name.whose += word;
  return name;
}

std::vector<Name> names_of(const std::vector<Stored>& arrays) {
  std::vector<Name> names;
  for (const Stored& array : arrays) names.push_back(name_of(array));
  return names;
}

// What an array is called afterwards need not say what it is, where what it was called before does.
void name_by_partners(const std::vector<Stored>& before, const std::vector<Name>& of_before,
                      const std::vector<Stored>& after, std::vector<Name>& of_after) {
  if (before.size() != after.size()) return;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const bool is_known = std::ranges::any_of(of_before, [&](const Name& one) {
      return one.role == of_after[i].role && one.whose == of_after[i].whose;
    });
    const bool may_be = of_after[i].role == Role::unknown || of_after[i].role == of_before[i].role;
    if (!is_known && may_be && before[i].shape == after[i].shape) of_after[i] = of_before[i];
  }
}

// The arrays of a role by whose they are; nothing where two have one name.
using ByOwner = std::map<std::string, const Stored*>;
std::optional<ByOwner> of_role(const std::vector<Stored>& arrays, const std::vector<Name>& names,
                               Role role) {
  ByOwner found;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (names[i].role == role)
      if (!found.emplace(names[i].whose, &arrays[i]).second) return {};
  return found;
}

bool are_named(const std::vector<Stored>& arrays, const std::vector<Name>& names) {
  return std::ranges::all_of(
             arrays, [](const Stored& array) { return array.shown.ends_with(":" + array.name); }) &&
         std::ranges::none_of(names, [](const Name& one) { return one.role == Role::unknown; });
}

bool is_same_order(const Dump& a, const Dump& b) {
  const auto alike = [](const std::vector<Stored>& one, const std::vector<Stored>& other) {
    return std::ranges::equal(one, other, {}, &Stored::shown, &Stored::shown);
  };
  return alike(a.arrays, b.arrays) && alike(a.before, b.before);
}

}  // namespace

std::optional<LayerDump> vectors_by_name(const Dump& dump) {
  const std::vector<Name> of_before = names_of(dump.before);
  std::vector<Name> of_after = names_of(dump.arrays);
  name_by_partners(dump.before, of_before, dump.arrays, of_after);
  if (dump.arrays.size() + dump.before.size() < 3 || !are_named(dump.arrays, of_after) ||
      !are_named(dump.before, of_before))
    return {};
  LayerDump all;
  all.turning.has_gaps = all.values.has_gaps = dump.has_gaps;
  std::vector<std::string> taken;
  for (const Role role : {Role::query, Role::key, Role::value}) {
    const auto before = of_role(dump.before, of_before, role),
               after = of_role(dump.arrays, of_after, role);
    if (!before || !after) return {};
    Dump& to = role == Role::value ? all.values : all.turning;
    for (const auto& [whose, array] : *after) {
      const auto same = before->find(whose);
      if (same == before->end()) continue;
      to.arrays.push_back(*array);
      to.before.push_back(*same->second);
      taken.push_back(array->shown);
      taken.push_back(same->second->shown);
    }
  }
  if (all.turning.arrays.empty()) return {};
  for (const auto* arrays : {&dump.before, &dump.arrays})
    for (const Stored& array : *arrays)
      if (std::ranges::find(taken, array.shown) == taken.end() &&
          std::ranges::find(all.unseen, array.name) == all.unseen.end())
        all.unseen.push_back(array.name);
  const bool is_plain = all.values.arrays.empty() && all.unseen.empty();
  return is_plain && is_same_order(all.turning, dump) ? std::nullopt : std::optional(all);
}

namespace {

// Whether all numbers are what they were, in the type that they were made in.
bool are_equal(const Stored& before, const Stored& after) {
  constexpr Index block = 1 << 12;
  std::vector<double> x(block), y(block);
  for (Index begin = 0; begin < after.size(); begin += block) {
    const Index count = std::min(block, after.size() - begin);
    before.read(begin, count, x.data());
    after.read(begin, count, y.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      if (x[i] != y[i] && !(std::isnan(x[i]) && std::isnan(y[i]))) return false;
  }
  return true;
}

}  // namespace

Diagnosis with_values(const Expectation& expected, const LayerDump& vectors, Diagnosis told) {
  if (!vectors.unseen.empty())
    (told.tier == Tier::wrong ? told.notes : told.doubts).push_back(not_looked_at(vectors.unseen));
  for (std::size_t i = 0; i < vectors.values.arrays.size(); ++i) {
    const Dump pair = as_made({{vectors.values.arrays[i]}, {vectors.values.before[i]}});
    const Stored &before = pair.before[0], &after = pair.arrays[0];
    const bool have_one_shape = before.shape == after.shape;
    if (have_one_shape && are_equal(before, after)) continue;
    const bool is_turned = have_one_shape && held_as_meant(expected, pair, {});
    if (told.tier != Tier::wrong) told.arithmetic.clear();
    told.tier = Tier::wrong;
    told.reasons.push_back(
        {Cause::values_changed,
         is_turned ? fmt::format("{} is turned, too: nothing turns values", after.name)
                   : fmt::format("{} is not what it was: nothing turns values", after.name)});
  }
  return told;
}

}  // namespace pe

// Finding a family by model_type, in the rows that are compiled in.
#include "pe/configs/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "pe/base/letters.hpp"
#include "pe/model/parameter.hpp"

namespace pe {
namespace {

// Compilers need not take a literal of more than 64 KiB; GCC and Clang do.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
constexpr std::string_view recorded =
#include "families.inc"  // written by CMake from data/families.json
    ;
constexpr std::string_view elsewhere =
#include "families_elsewhere.inc"  // written by CMake from data/families_elsewhere.json
    ;
constexpr std::string_view older =
#include "families_older.inc"  // written by CMake from data/families_older.json
    ;
constexpr std::string_view tables =
#include "families_tables.inc"  // written by CMake from data/families_tables.json
    ;
constexpr std::string_view gguf =
#include "families_gguf.inc"  // written by CMake from data/families_gguf.json
    ;
#pragma GCC diagnostic pop

struct Rows {
  std::vector<Family> families;  // those of other code first: some hold only under a condition
  std::map<std::string, JsonNode, std::less<>> composites;
};

std::string joined(std::string_view before, std::string_view sentence) {
  return fmt::format("{}{}{}", before, before.empty() ? "" : "; ", sentence);
}

// The layers that do not turn.
std::string still_of(const JsonNode& row) {
  std::string told = text_of(row.find("nope"));
  const JsonNode* still = row.find("still");
  for (const JsonMember& kind : still ? still->members : std::vector<JsonMember>{}) {
    const std::string& unless = kind.value.text;
    told = joined(told, fmt::format("{} layers do not turn{}", kind.name,
                                    unless.empty() ? "" : ", but where " + unless + " is null"));
  }
  return told;
}

// Notes that a record tells by its keys.
std::string note_of(const JsonNode& row) {
  std::string note = text_of(row.find("note"));
  const auto add = [&](std::string_view sentence) { note = joined(note, sentence); };
  const auto width = strings_of(row.find("width"));
  if (std::ranges::find(width, "qk_rope_head_dim") != width.end())
    add("only the qk_rope_head_dim channels of each head turn; scores have a factor of their own "
        "that no table shows");
  if (const std::string still = still_of(row); !still.empty()) add(still);
  if (const JsonNode* tensor = row.find("tensor"))
    add("its numbers stand in the weights, under " + tensor->text);
  if (const JsonNode* reads = row.find("reads"))
    add("position p reads row p + " + reads->text + " of " + text_of(row.find("rows")));
  if (const JsonNode* further = row.find("further"))
    add(fmt::format("it has further tables: {}", fmt::join(strings_of(further), ", ")));
  if (row.find("sign")) add("its pairs turn against the usual sense (direction backward)");
  return note;
}

Family family_of(std::string types, const JsonNode& row) {
  Family family{.types = std::move(types), .row = row};
  for (const auto& [key, field] : {std::pair{"encoding", &family.encoding},
                                   {"when", &family.when},
                                   {"part", &family.part},
                                   {"pairing", &family.pairing}})
    if (const JsonNode* value = row.find(key)) *field = value->text;
  family.note = note_of(row);
  family.still = still_of(row);
  return family;
}

bool names(const Family& family, std::string_view type) {
  const auto types = words(family.types);
  return std::ranges::find(types, type) != types.end();
}

// A row that stands besides another of its types is read where its encoding is named; the other
// says so.
void tell_others(std::vector<Family>& families) {
  for (const Family& second : families)
    for (Family& first : families)
      if (text_of(second.find("besides")) == first.encoding &&
          std::ranges::any_of(words(first.types),
                              [&](const std::string& type) { return names(second, type); })) {
        first.other = second.encoding;
        first.note += (first.note.empty() ? "" : "; ") +
                      fmt::format("it has {0} besides: name {0} to read it", second.encoding);
      }
}

Rows read_rows() {
  Rows rows;
  const JsonNode other = parse_json(std::string(elsewhere), "families_elsewhere.json"),
                 own = parse_json(std::string(recorded), "families.json"),
                 added = parse_json(std::string(tables), "families_tables.json"),
                 before = parse_json(std::string(older), "families_older.json"),
                 files = parse_json(std::string(gguf), "families_gguf.json");
  for (const JsonNode& row : other.find("rows")->items)
    rows.families.push_back(family_of(text_of(row.find("types")), row));
  for (const JsonMember& member : own.find("types")->members) {
    if (member.value.find("part") || member.value.find("others"))
      rows.composites.emplace(member.name, member.value);
    if (!member.value.find("encoding")) continue;
    JsonNode row = member.value;
    if (const JsonNode* v4 = before.find("types")->find(member.name))
      row.members.push_back({"v4", *v4});
    rows.families.push_back(family_of(member.name, row));
  }
  for (const JsonNode* recorded_rows : {added.find("rows"), files.find("rows")})
    for (const JsonNode& row : recorded_rows->items)
      rows.families.push_back(family_of(text_of(row.find("types")), row));
  tell_others(rows.families);
  return rows;
}

const Rows& all_rows() {
  static const Rows rows = read_rows();
  return rows;
}

// One of "key", "key=value", "key!=value"; a value may be several, "a|b", of which "null" is none.
bool holds_one(const Config& config, std::string_view condition) {
  const auto equals = condition.find('=');
  if (equals == condition.npos) return config.find(condition) != nullptr;
  const bool negated = condition[equals - 1] == '!';
  const Config::Value* value = config.find(condition.substr(0, equals - (negated ? 1 : 0)));
  const std::string_view wanted = condition.substr(equals + 1);
  const std::string among = fmt::format("|{}|", wanted);
  const bool met =
      wanted.find('|') == wanted.npos
          ? value && value->text == wanted
          : among.find(fmt::format("|{}|", value ? value->text : "null")) != among.npos;
  return met != negated;
}

// Conditions joined by "&" all hold.
bool holds(const Config& config, std::string_view conditions) {
  while (!conditions.empty()) {
    const std::size_t cut = std::min(conditions.find('&'), conditions.size());
    if (!holds_one(config, conditions.substr(0, cut))) return false;
    conditions.remove_prefix(std::min(cut + 1, conditions.size()));
  }
  return true;
}

// Letters and digits alone, none of them capital: "qwen2_vl" and "Qwen2VL" are one name.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : in_small_letters(name))
    if (std::isalnum(static_cast<unsigned char>(c))) plain += c;
  return plain;
}

}  // namespace

const Family* find_family(const Config& config, const Encoding* asked, std::string_view part) {
  const Config::Value* type = config.find("model_type");
  if (!type) return nullptr;
  const Family *first = nullptr, *of_kind = nullptr, *refused = nullptr, *unmet = nullptr;
  for (const Family& family : all_rows().families) {
    if (!names(family, type->text) || (!part.empty() && family.part != part)) continue;
    const bool named = asked && family.encoding == asked->name, refuses = family.find("refuse");
    if (!holds(config, family.when)) {
      if (named && !unmet && !refuses) unmet = &family;
      continue;
    }
    if (family.find("firm") && !named) return &family;
    // Where nothing was asked for, a row that says why not gives way to one that can be read, and
    // one that stands besides another to that one.
    if (asked ? named && !refuses : !refuses && !family.find("besides")) return &family;
    if (named && !refused) refused = &family;
    if (asked && !of_kind && find_encoding(family.encoding).kind == asked->kind) of_kind = &family;
    if (!first) first = &family;
  }
  for (const Family* next : {unmet, refused, of_kind})
    if (next) return next;
  return first;
}

std::string doubt_family(const Config& config, const Family& family, std::string_view part) {
  const bool met = holds(config, family.when);
  const Family* said = find_family(config, nullptr, part);
  if (!said || (said->encoding == family.encoding && !said->find("refuse")) ||
      (met && said->when.empty()))
    return {};
  if (const JsonNode* why = said->find("refuse"))
    return fmt::format("model_type {} {}; this is what it would turn or add otherwise",
                       config.find("model_type")->text, why->text);
  return fmt::format("model_type {} has {} here ({}), not {}", config.find("model_type")->text,
                     said->encoding, said->when, family.encoding);
}

std::vector<std::string> parts_of(const Config& config) {
  std::vector<std::string> parts;
  const Config::Value* type = config.find("model_type");
  for (const Family& family : all_rows().families)
    if (type && !family.part.empty() && names(family, type->text) && holds(config, family.when) &&
        std::ranges::find(parts, family.part) == parts.end())
      parts.push_back(family.part);
  return parts;
}

std::string type_of_architecture(std::string_view architecture) {
  std::size_t cut = architecture.size();
  for (const std::string_view tail : {"For", "LMHead", "Model"})
    if (const std::size_t at = architecture.find(tail); at != 0) cut = std::min(cut, at);
  const std::string name = plain_name(architecture.substr(0, cut));
  for (const auto& [type, row] : all_rows().composites)
    if (plain_name(type) == name) return type;
  for (const Family& family : all_rows().families)
    for (const std::string& type : words(family.types))
      if (plain_name(type) == name) return type;
  return "";
}

const JsonNode* find_composite(std::string_view type) {
  const auto& rows = all_rows().composites;
  const auto found = rows.find(type);
  return found == rows.end() ? nullptr : &found->second;
}

std::vector<std::string> strings_of(const JsonNode* list) {
  std::vector<std::string> strings;
  if (list)
    for (const JsonNode& item : list->items) strings.push_back(item.text);
  return strings;
}

std::string text_of(const JsonNode* value) {
  return value && value->type != JsonNode::Type::null ? value->text : "";
}

}  // namespace pe

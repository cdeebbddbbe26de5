// Printing the catalogues.
#include "list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catalogues.hpp"
#include "option_habits.hpp"
#include "option_names.hpp"
#include "pe/base/error.hpp"
#include "pe/base/letters.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/model/naming.hpp"
#include "talk.hpp"

namespace pe::cmd {
namespace {

using Json = nlohmann::ordered_json;

// What is no catalogue, and where it is told.
std::string told_elsewhere(const std::string& what) {
  struct Elsewhere {
    const char *words, *says;
  };
  constexpr Elsewhere rows[] = {
      {"all every everything *", "leave the word out, and all are listed"},
      {"tiers tier verdicts verdict",
       "a verdict is exact, drift, storage or wrong: pe-verify check --help says what each is"},
      {"dtypes dtype types precisions", "--dtype takes f64, f32, f16 or bf16"},
      {"layouts layout", "--layout and --file-layout take those that --help names"},
  };
  for (const Elsewhere& row : rows)
    if (is_among(in_small_letters(what), row.words)) return row.says;
  return "";
}

// The name that is meant: case and number do not matter.
std::string catalogue_of(const std::string& what) {
  std::vector<Named> names;
  for (const Catalogue& catalogue : all_catalogues())
    names.push_back({std::string(catalogue.name), catalogue.also});
  const Meant meant = meant_by(what, names);
  if (meant.why <= Likeness::also) return meant.names.front();
  std::vector<std::string> all;
  for (const Named& named : names) all.push_back(named.name);
  if (meant.why > Likeness::misspelt && encoding_named(what))
    throw UsageError(fmt::format("no catalogue '{0}': list encodings {0} shows that row", what));
  if (const std::vector<std::string> models = models_like(what);
      meant.why > Likeness::misspelt && what.size() > 3 && !models.empty())
    throw UsageError(fmt::format("no catalogue '{0}': did you mean list models {0}?", what));
  if (const std::string told = told_elsewhere(what); !told.empty())
    throw UsageError(fmt::format("no catalogue '{}': {}", what, told));
  throw UsageError(fmt::format("no catalogue '{}': {}", what,
                               meant.why > Likeness::misspelt
                                   ? fmt::format("choose {}", fmt::join(all, ", "))
                                   : fmt::format("did you mean {}?", either_of(meant.names))));
}

// Whether the row is one that an encoding of this name has, or that has a meaning for its kind.
bool is_of(const Json& row, std::string_view catalogue, const std::string& name) {
  const Encoding* encoding = encoding_named(name);
  if (!encoding) return false;
  if (row.contains("encodings")) {
    const auto of = row["encodings"].get<std::vector<std::string>>();
    return std::ranges::find(of, name) != of.end();
  }
  if (catalogue != "quantities" && catalogue != "causes") return false;
  const std::vector<std::string> kinds = words(row.value("kind", ""));
  return std::ranges::any_of(kinds, [&](const std::string& kind) {
    return kind == "any" || kind == name || kind == name_of(encoding->kind);
  });
}

// A cause's dumps by the kind of what they are of.
std::string kinds_of(std::string_view catalogue, const Json& row) {
  std::string kinds = row.value("kind", "");
  if (catalogue != "causes") return kinds;
  for (const auto& [dumps, kind] :
       {std::pair("turns", "rotation"), {"rows", "table"}, {"buckets", "relative"}})
    if (kinds.find(dumps) != std::string::npos) kinds += fmt::format(" {}", kind);
  return kinds;
}

// A model's id on the hub stands for the name that the catalogue has for it.
std::string own_name(std::string_view catalogue, const std::string& word) {
  if (catalogue != "models" || word.find('/') == std::string::npos || !is_catalogued(word))
    return word;
  for (const Model& model : all_models())
    for (const std::string& id : words(other_names(model)))
      if (id == word) return std::string(model.name);
  return word.substr(word.rfind('/') + 1);
}

// Rows that hold every word somewhere that people see.
Json chosen(const Catalogue& catalogue, const std::vector<std::string>& asked) {
  Json kept = Json::array();
  for (const Json& row : catalogue.rows()) {
    std::string seen;
    for (const char* key : {"name", "summary", "source", "model_type"})
      seen += in_small_letters(row.value(key, "")) + "\n";
    seen += kinds_of(catalogue.name, row);
    if (std::ranges::all_of(asked, [&](const std::string& typed) {
          const std::string word = own_name(catalogue.name, typed);
          return seen.find(in_small_letters(word)) != std::string::npos ||
                 is_of(row, catalogue.name, in_small_letters(word));
        }))
      kept.push_back(row);
  }
  return kept;
}

// Who has a field, and where an encoding comes from; the kind says it of a law.
std::string behind(std::string_view catalogue, const Json& row) {
  if (catalogue == "fields")
    return fmt::format(" [{}]", fmt::join(row["encodings"].get<std::vector<std::string>>(), " "));
  return row.contains("promises") ? fmt::format(" ({})", row["source"].get<std::string>()) : "";
}

std::string text_of(std::string_view catalogue, const Json& rows) {
  std::size_t wide = 0;
  std::size_t broad = 9;
  for (const Json& row : rows) {
    wide = std::max(wide, row["name"].get<std::string>().size());
    broad = std::max(broad, row.value("kind", "").size());
  }
  std::string text;
  for (const Json& row : rows) {
    const std::string kind = row.value("kind", "");
    text += fmt::format("{:<{}}  {}{}{}\n", row["name"].get<std::string>(), wide,
                        kind.empty() ? "" : fmt::format("{:<{}} ", kind, broad),
                        row["summary"].get<std::string>(), behind(catalogue, row));
  }
  return text;
}

std::string markdown_of(const std::string& name, const Json& rows) {
  std::string text = "| name | what it says |\n|---|---|\n";
  if (name == "encodings")
    text = "| encoding | kind | what it does | source | try |\n|---|---|---|---|---|\n";
  if (name == "quantities")
    text = "| quantity | what it measures | source | try |\n|---|---|---|---|\n";
  for (const Json& row : rows) {
    const auto get = [&](const char* key) { return row[key].get<std::string>(); };
    if (name == "encodings")
      text += fmt::format("| `{}` | {} | {} | {} | `pe-gen {}` |\n", get("name"), get("kind"),
                          get("summary"), get("source"), get("example"));
    else if (name == "quantities")
      text += fmt::format("| `{0}` | {1} | {2} | `pe-analyze {0} {3}` |\n", get("name"),
                          get("summary"), get("source"), get("example"));
    else
      text += fmt::format("| `{}` | {} |\n", get("name"), get("summary"));
  }
  return text;
}

std::string titled(const std::string& name, const std::string& text, bool several) {
  return (several ? name + "\n" : "") + text;
}

void show(const List& list) {
  const std::string what = list.what.empty() ? "" : catalogue_of(list.what);
  std::string text;
  Json all;
  bool found = list.words.empty();
  for (const Catalogue& catalogue : all_catalogues()) {
    if (!what.empty() && what != catalogue.name) continue;
    const Json rows = chosen(catalogue, list.words);
    found = found || !rows.empty();
    if (list.json) {
      all[std::string(catalogue.name)] = rows;
    } else if (list.names) {
      for (const Json& row : rows) text += row["name"].get<std::string>() + "\n";
    } else if (list.markdown) {
      text += markdown_of(std::string(catalogue.name), rows);
    } else {
      text += (text.empty() ? "" : "\n") +
              titled(std::string(catalogue.name), text_of(catalogue.name, rows), what.empty());
    }
  }
  if (!found)
    throw UsageError(fmt::format("no row of {} holds '{}'", what, fmt::join(list.words, " ")));
  if (list.json) text = all.dump(2) + "\n";
  print(text);
}

constexpr const char* footer =
    "EXAMPLES\n  {0} list encodings\n  {0} list models rope yarn\n  {0} list fields "
    "--json\n\nEXIT STATUS\n  0 printed; 2 no such catalogue, or no row that holds these words\n";

}  // namespace

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const Catalogue& catalogue : all_catalogues()) names.emplace_back(catalogue.name);
  return names;
}

void add_list(CLI::App& app, List& list) {
  CLI::App* sub = app.add_subcommand(
      "list",
      "the catalogues: encodings, scalings, dialects, properties, fields, models, causes, "
      "quantities, formats");
  sub->add_option("CATALOGUE", list.what, "one of them; all when left out")->type_name("NAME");
  sub->add_option("WORD", list.words, "only rows that hold each of these words")->type_name("NAME");
  sub->add_flag("--json", list.json, "everything a program wants to know");
  sub->add_flag("--names", list.names, "names only");
  sub->add_flag("--markdown", list.markdown, "README rows");
  sub->footer(fmt::format(fmt::runtime(footer), app.get_name()));
  sub->callback([&list] { show(list); });
}

}  // namespace pe::cmd

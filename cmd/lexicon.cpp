// The catalogues' names, their other words, and the commands that take them.
#include "lexicon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "catalogues.hpp"
#include "pe/analyze/quantity.hpp"
#include "pe/base/text.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/model/naming.hpp"
#include "pe/properties/property.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::cmd {
namespace {

// The words of an encoding that has the field: rope where it does, and a seed where it must be
// drawn.
std::string encoding_with_field(const std::string& field) {
  if (has_field(find_encoding("rope"), field)) return "rope";
  for (const bool drawn : {false, true})
    for (const Encoding* encoding : all_encodings())
      if (has_field(*encoding, field, drawn))
        return std::string(encoding->name) + (drawn ? " --seed 1" : "");
  for (const Encoding* encoding : all_encodings())
    if (const std::string option = option_for(*encoding, field); !option.empty())
      return fmt::format("{} {} --seed 1", encoding->name, option);
  return "rope";
}

// What runs with the scaling: numbers of common size for those that it needs, or a model that has
// its lists.
std::string words_with_scaling(const std::string& name) {
  const Scaling& scaling = find_scaling(name);
  const bool needs_lists = std::ranges::any_of(scaling.parameters, [](const Parameter& row) {
    return row.required && row.type == Parameter::Type::numbers;
  });
  for (const Model& model : all_models())
    if (needs_lists && model.text.find(fmt::format("\"{}\"", name)) != std::string_view::npos)
      return fmt::format("rope --model {}", model.name);
  std::string line = "rope --scaling " + name;
  for (const auto& [option, usual] : {std::pair("factor", "4"), {"original-max-position", "4096"}})
    if (std::ranges::any_of(
            scaling.parameters,
            [named = std::string(option)](const Parameter& row) { return row.name == named; }))
      line += fmt::format(" --{} {}", option, usual);
  return line;
}

// Names that mean the same thing in every tool, and how each is typed.
struct Shelf {
  Sort sort;
  std::function<std::vector<Named>()> names;
  std::function<std::string(const std::string&name)> option, line;  // behind the lead, or whole
  bool led = false;                                                 // the line follows the lead
};

template <typename Rows>
std::vector<Named> named(const Rows& rows) {
  std::vector<Named> names;
  for (const auto& row : rows) {
    if constexpr (requires { row->name; })
      names.push_back({std::string(row->name), row->also});
    else
      names.push_back({std::string(row.name), row.also});
  }
  return names;
}

template <typename Rows>
std::vector<Named> plainly_named(const Rows& rows) {
  std::vector<Named> names;
  for (const auto& row : rows) names.push_back({std::string(row.name)});
  return names;
}

std::vector<Named> dtypes() {
  return {{"f64", "float64 double fp64"},
          {"f32", "float32 float single fp32"},
          {"f16", "float16 half fp16"},
          {"bf16", "bfloat16"}};
}

std::vector<Named> commands() {
  return {{"check", "verify test validate diagnose judge"},
          {"identify", "recognise recognize identity guess detect recognition whatis"},
          {"compare", "diff"},
          {"run", "manifest lint"},
          {"dialects", ""},
          {"info", "show cat view inspect describe head print open"},
          {"published", "papers"}};
}

std::string nothing(const std::string&) { return ""; }

// The surest meaning stands first, and of alike ones the earlier shelf's.
std::vector<Shelf> shelves() {
  const auto option = [](const char* name) {
    return [name](const std::string& value) { return fmt::format("--{} {}", name, value); };
  };
  const auto rope = [](const char* name) {
    return [name](const std::string& value) { return fmt::format("rope --{} {}", name, value); };
  };
  const auto as_it_is = [](const std::string& name) { return name; };
  return {{Sort::encoding, [] { return named(all_encodings()); }, nothing, as_it_is, true},
          {Sort::model, [] { return plainly_named(all_models()); }, option("model"),
           option("model"), true},
          {Sort::scaling, [] { return named(all_scalings()); }, option("scaling"),
           words_with_scaling, true},
          {Sort::command, commands, nothing,
           [](const std::string& name) {
             return (name == "published" ? "pe-analyze "
                     : name == "info"    ? "pe-gen "
                                         : "pe-verify ") +
                    name + (name == "check" ? " rope" : "");
           }},
          {Sort::law, [] { return named(all_properties()); }, nothing,
           [](const std::string& name) {
             return fmt::format("pe-verify {} {}", name, encoding_for(name));
           }},
          {Sort::quantity, [] { return named(all_quantities()); }, nothing,
           [](const std::string& name) {
             return fmt::format("pe-analyze {} {}", name, encoding_for(name));
           }},
          {Sort::dialect, [] { return named(all_dialects()); }, option("dialect"), rope("dialect"),
           true},
          {Sort::dtype, dtypes, option("dtype"), rope("dtype"), true},
          {Sort::field, [] { return plainly_named(all_fields()); }, option("fields"),
           [](const std::string& name) {
             return fmt::format("pe-gen {} --fields {}", encoding_with_field(name), name);
           }}};
}

}  // namespace

std::string_view name_of(Sort sort) {
  switch (sort) {
    case Sort::encoding:
      return "an encoding";
    case Sort::model:
      return "a model";
    case Sort::scaling:
      return "a scaling of rope";
    case Sort::law:
      return "a law";
    case Sort::quantity:
      return "a quantity";
    case Sort::field:
      return "a field";
    case Sort::dialect:
      return "a dialect";
    case Sort::dtype:
      return "a dtype";
    case Sort::command:
      return "a command";
  }
  return "";
}

std::string encoding_for(std::string_view law_or_quantity) {
  for (const Property& law : all_properties())
    for (const Encoding* encoding : all_encodings())
      if (law.name == law_or_quantity && law.applies(encoding->kind) && !law.any)
        return std::string(encoding->name);
  for (const Quantity* quantity : all_quantities())
    for (const Encoding* encoding : all_encodings())
      if (quantity->name == law_or_quantity && applies(*quantity, *encoding) &&
          (quantity->example.starts_with(std::string(encoding->name) + " ") ||
           quantity->example == encoding->name))
        return std::string(encoding->name);
  return "rope";
}

std::string behind(const std::string& lead, const std::string& line) {
  return lead + " " + (lead == "--versus" ? shell_word(line) : line);
}

std::string_view other_words(std::string_view name) {
  for (const Shelf& shelf : shelves())
    for (const Named& named : shelf.names())
      if (named.name == name) return named.also;
  return "";
}

std::vector<Meaning> meanings_of(std::string_view word, Sort own, const std::string& lead) {
  std::vector<Meaning> found;
  for (const Shelf& shelf : shelves()) {
    if (shelf.sort == own) continue;
    Meant meant = meant_by(word, shelf.names());
    // What a slip of the finger makes of another sort's name is too far off to be named.
    if (meant.why > Likeness::begins || (meant.why == Likeness::begins && word.size() < 3))
      continue;
    const std::string first = meant.names.front(), line = shelf.line(first);
    found.push_back({meant.why, shelf.sort, std::move(meant.names), shelf.option(first),
                     shelf.led ? behind(lead, line) : line});
  }
  std::ranges::stable_sort(found, {}, &Meaning::why);
  return found;
}

}  // namespace pe::cmd

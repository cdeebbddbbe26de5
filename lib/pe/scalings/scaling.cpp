// The catalogue of scalings, made from scalings.def.
#include "pe/scalings/scaling.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "pe/model/naming.hpp"

namespace pe {
namespace scaling_rows {
#define PE_SCALING(name) extern const Scaling name;
#include "pe/scalings/scalings.def"
#undef PE_SCALING
}  // namespace scaling_rows

std::span<const Scaling* const> all_scalings() {
  static constexpr const Scaling* rows[] = {
#define PE_SCALING(name) &scaling_rows::name,
#include "pe/scalings/scalings.def"
#undef PE_SCALING
  };
  return rows;
}

const Scaling& find_scaling(std::string_view name) {
  std::vector<Named> names;
  std::string all = "choose none";
  for (const Scaling* scaling : all_scalings()) {
    if (scaling->name == name) return *scaling;
    names.push_back({std::string(scaling->name), scaling->also});
    all += ", " + names.back().name;
  }
  if (name.starts_with('{'))
    throw UsageError(
        fmt::format("--scaling takes a name, and JSON goes to --config: --config "
                    "'{{\"rope_scaling\": {}}}'",
                    shortened(name)));
  if (const std::size_t at = name.find_first_of(",: "), equals = name.find('=');
      at < equals && equals != std::string_view::npos)
    for (const Named& row : names)
      if (row.name == name.substr(0, at) && name.find('=', equals + 1) == std::string_view::npos) {
        std::string option(name.substr(at + 1, equals - at - 1));
        std::ranges::replace(option, '_', '-');
        throw UsageError(fmt::format("unknown scaling '{}': did you mean --scaling {} --{} {}?",
                                     name, row.name, option, name.substr(equals + 1)));
      }
  if (const std::size_t at = name.find_first_of(":="); at != std::string_view::npos)
    for (const Named& row : names)
      if (row.name == name.substr(0, at))
        throw UsageError(fmt::format("unknown scaling '{}': did you mean --scaling {} --factor {}?",
                                     name, row.name, name.substr(at + 1)));
  if (name.find(',') != std::string_view::npos)
    throw UsageError(
        fmt::format("--scaling takes one rule, got '{0}': pe-analyze scaling rope "
                    "--rules {0} puts several side by side",
                    name));
  if (name == "default" || name == "mrope")
    throw UsageError(
        fmt::format("unknown scaling '{}': configs call none so: did you mean none?", name));
  throw UsageError(unknown("scaling", name, names, all));
}

std::string spell_scaling(const Scaling& scaling, const Settings& settings) {
  std::string text = fmt::format("{} scaling", scaling.name);
  const Settings usual = fallbacks_of(scaling.parameters);
  const auto add = [&](const char* name, const char* word) {
    if (const auto found = settings.find(name); found != settings.end())
      text += fmt::format(" {} {}", word, spell(found->second));
  };
  add("factor", "by");
  add("original-max-position", "of");
  for (const Parameter& parameter : scaling.parameters) {
    const std::string_view name = parameter.name;
    const auto value = settings.find(name);
    const auto fallback = usual.find(name);
    if (name == "factor" || name == "original-max-position" || value == settings.end() ||
        parameter.type == Parameter::Type::numbers)
      continue;
    if (fallback != usual.end() && fallback->second == value->second) continue;
    if (name == "ramp" && scaling.name == "yarn" && value->second == Setting(std::string("index")))
      continue;
    text += fmt::format(", {} {}", name, spell(value->second));
  }
  return text;
}

}  // namespace pe

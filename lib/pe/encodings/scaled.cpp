// The scaling of an encoding's parameters, checked.
#include "pe/encodings/scaled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "pe/base/error.hpp"

namespace pe {
namespace {

const Scaling* named(const Parameters& parameters, const char* parameter) {
  const std::string& name = parameters.choice(parameter);
  return name == "none" ? nullptr : &find_scaling(name);
}

// The rule that resonance rounds.
const Scaling* under(const Parameters& parameters, const Scaling* scaling) {
  return scaling && scaling->name == "resonance" ? named(parameters, "over") : nullptr;
}

}  // namespace

const Scaling* chosen_scaling(const Parameters& parameters) {
  const Scaling* scaling = named(parameters, "scaling");
  const Scaling* rounded = under(parameters, scaling);
  const auto reads = [&](const Scaling* rule, std::string_view name) {
    return rule && std::ranges::any_of(rule->parameters,
                                       [&](const Parameter& row) { return row.name == name; });
  };
  for (const Scaling* rule : {scaling, rounded}) {
    std::vector<std::string> missing;
    const Parameter* last = nullptr;
    for (const Parameter& parameter : rule ? rule->parameters : std::span<const Parameter>{})
      if (!parameters.has(parameter.name) && parameter.required) {
        missing.push_back("--" + std::string(parameter.name));
        last = &parameter;
      }
    const auto choices = rule ? words(rule->one_of) : std::vector<std::string>{};
    if (last &&
        std::ranges::none_of(choices, [&](const auto& name) { return parameters.has(name); }) &&
        !choices.empty())
      missing.push_back(fmt::format("--{} (or --{})", choices.front(),
                                    fmt::join(std::span(choices).subspan(1), " or --")));
    if (missing.size() == 1)
      throw UsageError(
          fmt::format("--scaling {} needs {} ({})", rule->name, missing.front(), last->help));
    if (last)
      throw UsageError(
          fmt::format("--scaling {} needs {}", rule->name, fmt::join(missing, " and ")));
  }
  for (const Scaling* other : all_scalings())
    for (const Parameter& parameter : other->parameters)
      if (parameters.has(parameter.name) &&
          parameters.origin(parameter.name).starts_with("flag ") &&
          !reads(scaling, parameter.name) && !reads(rounded, parameter.name))
        throw UsageError(
            scaling
                ? fmt::format("--{} has no meaning for --scaling {}", parameter.name, scaling->name)
                : fmt::format("--{} has no meaning without --scaling (try --scaling {}){}",
                              parameter.name, other->name,
                              parameter.name == std::string_view("seq-len")
                                  ? ": how many rows there are --length says"
                                  : ""));
  return scaling;
}

std::vector<std::string> revoked_by_scaling(const Parameters& parameters) {
  const Scaling* scaling = named(parameters, "scaling");
  std::vector<std::string> laws;
  for (const Scaling* rule : {scaling, under(parameters, scaling)})
    if (rule) std::ranges::copy(words(rule->revokes), std::back_inserter(laws));
  return laws;
}

}  // namespace pe

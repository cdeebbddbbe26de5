// A scaling's parameters as numbers of the type that it computes in: Real from what was told,
// double from settings that are tried.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pe/model/frequencies.hpp"
#include "pe/model/settings.hpp"

namespace pe {

template <typename Number>
class Values;

template <>
class Values<Real> {
 public:
  Values(const Parameters& parameters) : parameters_(parameters) {}
  Values(const Parameters&&) = delete;

  bool has(std::string_view name) const { return parameters_.has(name); }
  Real number(std::string_view name) const { return parameters_.number(name).real(); }
  bool flag(std::string_view name) const { return parameters_.flag(name); }
  const std::string& choice(std::string_view name) const { return parameters_.choice(name); }
  std::vector<Real> numbers(std::string_view name) const {
    std::vector<Real> list;
    for (const Decimal& one : parameters_.numbers(name)) list.push_back(one.real());
    return list;
  }
  std::string spell(std::string_view name) const { return parameters_.spell(name); }
  std::string origin(std::string_view name) const { return parameters_.origin(name); }

 private:
  const Parameters& parameters_;
};

/// Settings that lack a value which is asked for throw std::out_of_range.
template <>
class Values<double> {
 public:
  Values(const Settings& settings) : settings_(settings) {}
  Values(const Settings&&) = delete;

  bool has(std::string_view name) const { return settings_.contains(name); }
  double number(std::string_view name) const { return std::get<double>(at(name)); }
  bool flag(std::string_view name) const { return std::get<bool>(at(name)); }
  const std::string& choice(std::string_view name) const { return std::get<std::string>(at(name)); }
  const std::vector<double>& numbers(std::string_view name) const {
    return std::get<std::vector<double>>(at(name));
  }
  std::string spell(std::string_view name) const { return pe::spell(at(name)); }
  std::string origin(std::string_view) const { return ""; }

 private:
  const Setting& at(std::string_view name) const {
    const auto found = settings_.find(name);
    if (found == settings_.end()) throw std::out_of_range(std::string(name));
    return found->second;
  }
  const Settings& settings_;
};

namespace scaling_rows {

template <typename Number>
Number pi_of() {
  if constexpr (std::is_same_v<Number, Real>)
    return real_pi();
  else
    return std::numbers::pi;
}

inline std::string spell(const Real& value) { return fmt::format("{:.10g}", to_double(value)); }
inline std::string spell(double value) { return fmt::format("{:.10g}", value); }

/// How a scaling came to its ladder: told of what is made, not of what is only tried.
template <typename Number, typename... Parts>
void decide(BasicLadder<Number>& ladder, fmt::format_string<Parts...> text, Parts&&... parts) {
  if constexpr (std::is_same_v<Number, Real>)
    ladder.decisions.push_back(fmt::format(text, std::forward<Parts>(parts)...));
}

}  // namespace scaling_rows
}  // namespace pe

// Words for a ladder that was identified: what it is, what makes it again, and what a table cannot
// tell apart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/digits.hpp"
#include "pe/diagnosis/identify/rotations.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

std::string text_of(const Expectation& expected, std::string_view name) {
  return expected.parameters.has(name)
             ? std::find_if(expected.parameters.entries().begin(),
                            expected.parameters.entries().end(),
                            [&](const auto& one) { return one.name == name; })
                   ->text
             : "";
}

// The scaling with what was found of it, but for what the summary says by itself.
std::string words_of_scaling(const Candidate& candidate, const Expectation& expected,
                             const std::string& scaling) {
  Settings found = settings_of(expected.parameters);
  for (const char* said : {"attention-factor", "factor-list"}) found.erase(said);
  std::erase_if(found, [&](const auto& one) { return !candidate.given.contains(one.first); });
  return spell_scaling(find_scaling(scaling), found);
}

std::string family_of(const RotationReading& reading, bool table) {
  if (table) return "sinusoidal table";
  switch (reading.form) {
    case Form::turns:
      return "rope cache of cosines and sines";
    case Form::angles:
      return "rope angles";
    case Form::frequencies:
      return "inverse frequencies of rope";
    case Form::periods:
      return "periods of rope";
    case Form::wavelengths:
      return "wavelengths of rope";
    case Form::factors:
      return "rope's divisors of frequencies";
    case Form::vectors:
      return "vectors before and after rope";
  }
  return "";
}

// How many digits of a value are told: few, where no more are needed.
int digits_of(double value) { return std::fabs(to_digits(value, 4) / value - 1) < 1e-9 ? 4 : 9; }

std::string round_or_not(double value) { return fmt::format("{:.{}g}", value, digits_of(value)); }

// What is said by a parameter; 0 where it is not.
double number_of(const Expectation& expected, std::string_view name) {
  return expected.parameters.has(name) ? expected.parameters.number(name).value() : 0;
}

// "64 pairs", "10 of 40 pairs".
std::string turning_pairs(const Expectation& expected) {
  const auto truth = rotation_truth(expected.effect);
  const auto pairs = std::ssize(truth->frequencies),
             still = std::ranges::count(truth->frequencies, 0.0);
  return still > 0 ? fmt::format("{} of {} pairs", pairs - still, pairs)
                   : fmt::format("{} pairs", pairs);
}

// NTK-aware bases, b·s^(d/(d−2)), that come within what a fitted base is known to.
std::optional<std::string> ntk_of(double base, double dim) {
  for (const double plain : {10000.0, 500000.0, 1000000.0})
    for (const double s : {2.0, 4.0, 8.0, 16.0, 32.0})
      if (const double changed = plain * std::pow(s, dim / (dim - 2));
          std::fabs(changed / base - 1) < 1e-4)
        return fmt::format(
            "base {:g} under NTK-aware scaling by {:g} (or dynamic NTK at that stretch)", plain, s);
  return {};
}

void add_ladder_alternatives(const Expectation& expected, const RotationReading& reading,
                             const std::string& scaling, Identification& found) {
  const double base = number_of(expected, "base"), dim = 2 * static_cast<double>(reading.pairs);
  const auto add = [&](std::string text) { found.alternatives.push_back(std::move(text)); };
  if (scaling == "none") {
    if (const auto ntk = ntk_of(base, dim)) add(*ntk + " gives the same frequencies");
    add(
        fmt::format("base {} over {:g} channels is base {} with exponents 2j/{:g}: only the config "
                    "tells the denominator (the rotary part, or the whole head)",
                    text_of(expected, "base"), dim, round_or_not(base * base), 2 * dim));
  }
  for (const int shift : {1, 2})
    if (const double s = std::pow(base, shift / dim), factor = number_of(expected, "factor");
        scaling == "linear" && std::fabs(s / factor - 1) < 1e-5)
      add(fmt::format(
          "exponents 2j+{} over {:g} channels, where 2j is usual, divide every frequency so, too",
          shift, dim));
  if (scaling == "linear")
    add(fmt::format("positions divided by {}, with a plain ladder, give the same turns",
                    text_of(expected, "factor")));
  if (scaling == "llama3") {
    const auto number = [&](const char* name) { return number_of(expected, name); };
    add(
        fmt::format("llama3: frequencies tell original/low = {:g} and original/high = {:g} alone, "
                    "not the three numbers",
                    number("original-max-position") / number("low-freq-factor"),
                    number("original-max-position") / number("high-freq-factor")));
  }
  if (scaling == "yarn" && text_of(expected, "truncate") != "false")
    add("yarn: ends of the ramp that round to the same pairs give the same table");
  if (scaling == "longrope" && found.models.empty())
    add("the divisors follow no rule that is known, and stand as a list over the base assumed: "
        "another base has another list");
}

}  // namespace

void tell_ladder(const Candidate& candidate, const Expectation& expected,
                 const RotationReading& reading, const Dump& dump, Identification& found) {
  const bool table = candidate.encoding->kind == Kind::table;
  found.family = family_of(reading, table);
  found.parameters = telling(candidate, expected);
  const std::string base = text_of(expected, "base");
  if (const std::string divisor = text_of(expected, "min-timescale"); table && !divisor.empty()) {
    const auto n = static_cast<double>(reading.pairs);
    const double over_shortest =
        std::pow(number_of(expected, "base") / number_of(expected, "min-timescale"), n / (n - 1));
    found.summary = fmt::format(
        "sinusoidal, {} channels, layout {}, base {}, exponents 2j/dim as in the paper, positions "
        "divided by {}",
        text_of(expected, "dim"), text_of(expected, "layout"),
        spell_number(to_digits(over_shortest, digits_of(over_shortest))), divisor);
  } else if (table) {
    const bool endpoint = text_of(expected, "ladder") != "paper";
    found.summary = fmt::format(
        "sinusoidal, {} channels, layout {}, base {}, {}", text_of(expected, "dim"),
        text_of(expected, "layout"), base,
        endpoint ? "timescales that reach both ends (half the channels less one in the denominator)"
                 : "exponents 2j/dim as in the paper");
    if (!endpoint)
      found.alternatives.push_back(
          fmt::format("sinusoidal with the endpoint ladder and base {}",
                      round_or_not(std::pow(number_of(expected, "base"),
                                            1 - 1 / static_cast<double>(reading.pairs)))));
  } else {
    std::string scaling =
        text_of(expected, "scaling").empty() ? "none" : text_of(expected, "scaling");
    if (scaling == "yarn" && text_of(expected, "factor") == "1") scaling = "none";
    const auto* rotation = std::get_if<Rotation>(&expected.effect);
    if (rotation && rotation->waves &&
        scaling != "none") {  // a scaling that does nothing here is none
      const auto truth = rotation_truth(expected.effect);
      if (truth && truth->frequencies == truth->unscaled && truth->magnitude == 1) scaling = "none";
    }
    found.scaling = scaling;
    found.summary = fmt::format("{}, base {}, {} turn", candidate.encoding->name, base,
                                turning_pairs(expected));
    const bool is_any_list = scaling == "longrope" && found.models.empty();
    if (scaling == "none")
      found.summary += ", no scaling";
    else if (is_any_list)
      found.summary = fmt::format(
          "{}, {} turn by divisors of no known rule, a list as longrope's "
          "over base {}, assumed: ",
          candidate.encoding->name, turning_pairs(expected), base);
    else
      found.summary += ", ";
    if (scaling != "none") found.summary += words_of_scaling(candidate, expected, scaling);
    if (scaling == "longrope" && candidate.given.contains("factor-list"))
      found.summary += fmt::format(", the {} factors", text_of(expected, "factor-list"));
    if (reading.form == Form::turns || reading.form == Form::vectors)
      found.summary += fmt::format(", attention factor {:.6g}", rotation ? rotation->magnitude : 1);
    add_ladder_alternatives(expected, reading, scaling, found);
    if (reading.form != Form::vectors)
      found.alternatives.push_back(
          "the channels of a head that do not turn are not in such a dump: the head may be wider");
  }
  for (const std::string& other : found.equals)
    found.alternatives.push_back(
        fmt::format("{} holds the same numbers: only its use tells", other));
  const bool rows = reading.form == Form::turns || reading.form == Form::angles;
  const Stored& array = dump.arrays[reading.cosine.array];
  found.command = command_of(candidate, expected,
                             reading.form == Form::vectors ? reading.run
                             : rows                        ? reading.rows
                                                           : 0,
                             found.first,
                             table                                   ? ""
                             : rows || reading.form == Form::vectors ? "cos,sin"
                             : reading.form == Form::wavelengths     ? "wavelength"
                                                                     : "inv_freq",
                             array.dtype);
}

}  // namespace pe

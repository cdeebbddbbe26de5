// What fits share: tidy numbers, weighted stretches, and the search for one parameter.
#include "pe/scalings/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "pe/base/digits.hpp"
#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/base/whole.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {

TidyNumber tidiest_between(double lowest, double highest) {
  if (!(lowest > 1e-290) || !(highest >= lowest) || !(highest < 1e290)) return {lowest, 1};
  const double middle = (lowest + highest) / 2;
  const double power = std::exp2(std::ceil(std::log2(lowest) - 1e-12));
  for (int digits = 1; digits < 16; ++digits) {
    const double value = to_digits(middle, digits);
    if (value < lowest || value > highest) continue;
    if (digits > 2 && power <= highest && power >= 1 && power < 1e15) return {power, 0.02};
    return {value, digits <= 3 ? 0.01 * digits : 0.05 + 0.05 * digits};
  }
  return {middle, 0.7};
}

bool agrees(const MeasuredLadder& measured, const std::vector<double>& frequencies) {
  if (frequencies.size() != measured.pairs()) return false;
  for (std::size_t j = 0; j < frequencies.size(); ++j)
    if (!std::isnan(measured.frequencies[j]) &&
        !(std::fabs(frequencies[j] - measured.frequencies[j]) <= measured.errors[j]))
      return false;
  return true;
}

Stretch fitted_stretch(const MeasuredLadder& measured, double (*weight)(double pair, double dim)) {
  Stretch stretch{0, std::numeric_limits<double>::infinity()};
  double above = 0, below = 0;
  for (std::size_t j = 0; j < measured.pairs(); ++j) {
    if (!measured.knows(j) || !(measured.plain.frequencies[j] > 0)) continue;
    const double w = weight(static_cast<double>(j), static_cast<double>(measured.plain.dim)),
                 error = std::max(measured.relative_error(j), 1e-16);
    if (!(std::fabs(w) > 0)) continue;
    above += w * std::log(measured.divisor(j)) / (error * error);
    below += w * w / (error * error);
    stretch.relative_error = std::min(stretch.relative_error, error / std::fabs(w));
  }
  if (below > 0) stretch.value = std::exp(above / below);
  return stretch;
}

std::vector<TidyNumber> fitted_factors(const MeasuredLadder& measured) {
  std::vector<TidyNumber> factors;
  const auto add = [&](TidyNumber factor) {
    const auto is_it = [&](const TidyNumber& one) {
      return std::fabs(one.value / factor.value - 1) < 1e-9;
    };
    if (factor.value > 1e-3 && std::ranges::none_of(factors, is_it)) factors.push_back(factor);
  };
  const double meant = number_in(measured.context, "factor", 0);
  bool sharp = false;
  for (std::size_t back = 1; back <= 3 && back <= measured.pairs(); ++back) {
    const std::size_t j = measured.pairs() - back;
    if (!measured.knows(j)) continue;
    const double value = measured.divisor(j), error = measured.relative_error(j);
    if (std::fabs(meant / value - 1) <= error) add({meant, 0});
    add(tidiest(value, error));
    sharp = sharp || error < 0.02;
  }
  if (sharp) return factors;
  if (meant > 0) add({meant, 0});
  for (const double usual : {2.0, 4.0, 8.0, 16.0, 32.0, 40.0, 64.0, 3.0, 128.0}) add({usual, 0.02});
  return factors;
}

std::vector<TidyNumber> known_lengths(const MeasuredLadder& measured) {
  std::vector<TidyNumber> lengths;
  const auto add = [&](double length, double cost) {
    const auto is_it = [&](const TidyNumber& one) { return one.value == length; };
    if (length >= 1 && length == std::floor(length) && std::ranges::none_of(lengths, is_it))
      lengths.push_back({length, cost});
  };
  add(number_in(measured.context, "original-max-position", 0), 0);
  add(number_in(measured.context, "max-position", 0), 0.01);
  for (double power = 8192; power <= 1048576; power *= 2) add(power, 0.02);
  for (double power = 4096; power >= 64; power /= 2) add(power, 0.02);
  add(measured.length, 0.03);
  for (double power = 256; power <= 262144; power *= 2) add(1.5 * power, 0.05);
  for (const double thousand :
       {1000.0, 2000.0, 4000.0, 8000.0, 16000.0, 32000.0, 10000.0, 128000.0})
    add(thousand, 0.05);
  return lengths;
}

std::optional<BasicLadder<double>> sketched(const Scaling& scaling, const MeasuredLadder& measured,
                                            const Settings& settings) {
  try {
    return scaling.sketch(measured.plain, settings, saturated<Index>(measured.length));
  } catch (const UsageError&) {
  } catch (const std::out_of_range&) {
  } catch (const std::bad_variant_access&) {
  }
  return {};
}

namespace {

// How far a rule with these settings lies from what was measured, each pair by its own error.
class Misfit {
 public:
  Misfit(Kept<Scaling> scaling, Kept<MeasuredLadder> measured, const char* name)
      : scaling_(scaling), measured_(measured), name_(name), settings_(measured_.context) {}

  // The sum over pairs of ln(1 + |difference|/error): pairs that are far off do not drown those
  // that come nearer.
  double at(double value) {
    settings_.insert_or_assign(name_, value);
    const auto ladder = sketched(scaling_, measured_, settings_);
    if (!ladder) return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (std::size_t j = 0; j < measured_.pairs(); ++j)
      if (!std::isnan(measured_.frequencies[j]) && std::isfinite(measured_.errors[j]))
        sum += std::log1p(std::fabs(ladder->frequencies[j] - measured_.frequencies[j]) /
                          std::max(measured_.errors[j], 1e-300));
    return sum;
  }
  bool agrees(double value) {
    settings_.insert_or_assign(name_, value);
    const auto ladder = sketched(scaling_, measured_, settings_);
    return ladder && pe::agrees(measured_, ladder->frequencies);
  }
  // Whether each pair was measured among what the values make of it, no pair beyond them all.
  bool surround(const std::vector<double>& values) {
    std::vector<double> least(measured_.pairs(), std::numeric_limits<double>::infinity()),
        most(measured_.pairs(), -std::numeric_limits<double>::infinity());
    for (const double value : values) {
      settings_.insert_or_assign(name_, value);
      const auto ladder = sketched(scaling_, measured_, settings_);
      for (std::size_t j = 0; ladder && j < measured_.pairs(); ++j) {
        least[j] = std::min(least[j], ladder->frequencies[j]);
        most[j] = std::max(most[j], ladder->frequencies[j]);
      }
    }
    for (std::size_t j = 0; j < measured_.pairs(); ++j)
      if (measured_.frequencies[j] > most[j] + measured_.errors[j] ||
          measured_.frequencies[j] < least[j] - measured_.errors[j])
        return false;
    return true;
  }

 private:
  const Scaling& scaling_;
  const MeasuredLadder& measured_;
  std::string name_;
  Settings settings_;
};

// The least misfit between neighbours of a grid's best place, by thirds.
double lowest_between(Misfit& misfit, double low, double high) {
  for (int step = 0; step < 60 && high > low * (1 + 1e-13); ++step) {
    const double left = low * std::cbrt(high / low), right = high / std::cbrt(high / low);
    if (misfit.at(left) <= misfit.at(right))
      high = right;
    else
      low = left;
  }
  return std::sqrt(low * high);
}

// The end of the interval around a value that agrees, towards another that does not.
double end_of_agreement(Misfit& misfit, double good, double bad) {
  for (int step = 0; step < 50 && std::fabs(bad / good - 1) > 1e-14; ++step) {
    const double middle = std::sqrt(good * bad);
    (misfit.agrees(middle) ? good : bad) = middle;
  }
  return good;
}

// The doublings that people mistake a number for, and the best place of a grid in the logarithm,
// 2^±8 about what is meant, with the tidiest number that agrees there.
std::vector<TidyNumber> fitted_numbers(Misfit& misfit, double meant, bool whole) {
  constexpr int steps = 48;  // a doubling
  std::vector<TidyNumber> numbers;
  // Rules move a frequency one way with a parameter: beyond what a few make of it none brings it.
  constexpr int apart = steps / 3;
  std::vector<double> few;
  for (int i = -8 * steps - apart; i <= 8 * steps + apart; i += apart)
    few.push_back(meant * std::exp2(static_cast<double>(i) / steps));
  if (!misfit.surround(few)) return numbers;
  for (int power = 1; power <= 8; ++power)
    for (const double value : {std::ldexp(meant, power), std::ldexp(meant, -power)})
      if ((!whole || value == std::round(value)) && misfit.agrees(value))
        numbers.push_back({value, 0.01});
  std::optional<double> found;
  const auto tries = [&](double value) {
    if (!found && value != meant && misfit.agrees(value)) found = value;
  };
  {
    double best = std::numeric_limits<double>::infinity(), at = 0;
    for (int i = -8 * steps; i <= 8 * steps; ++i) {
      const double value = meant * std::exp2(static_cast<double>(i) / steps);
      if (const double off = misfit.at(value); off < best) {
        best = off;
        at = value;
      }
    }
    const double step = std::exp2(1.0 / steps);
    if (at > 0) tries(at);
    if (at > 0 && !found) tries(lowest_between(misfit, at / step, at * step));
  }
  if (!found) return numbers;
  const double step = std::exp2(1.0);
  const double low = end_of_agreement(misfit, *found, *found / step),
               high = end_of_agreement(misfit, *found, *found * step);
  TidyNumber tidy = tidiest_between(low, high);
  if (whole && tidy.value != std::round(tidy.value)) return numbers;
  if (!misfit.agrees(tidy.value)) tidy = {*found, 0.7};
  const auto is_it = [&](const TidyNumber& one) { return one.value == tidy.value; };
  if (tidy.value != meant && std::ranges::none_of(numbers, is_it)) numbers.push_back(tidy);
  return numbers;
}

}  // namespace

namespace {

// Rules keep the order of the pairs, but for a few where a ramp is steep; noise has an ascent in
// every second place.
bool descends(const MeasuredLadder& measured) {
  std::size_t ascents = 0, steps = 0, before = measured.pairs();
  for (std::size_t j = 0; j < measured.pairs(); ++j) {
    if (!measured.knows(j)) continue;
    if (before < j) {
      ++steps;
      ascents += measured.frequencies[j] - measured.frequencies[before] >
                 measured.errors[j] + measured.errors[before];
    }
    before = j;
  }
  return 4 * ascents <= steps;
}

}  // namespace

std::vector<ParameterFit> fit_one_parameter(const Scaling& scaling,
                                            const MeasuredLadder& measured) {
  using Type = Parameter::Type;
  std::vector<ParameterFit> all;
  if (!descends(measured)) return all;
  for (const Parameter& parameter : scaling.parameters) {
    if (parameter.type == Type::integer || parameter.type == Type::number) {
      double meant = number_in(measured.context, parameter.name, 0);
      if (meant == 0 && parameter.name == std::string_view("seq-len")) meant = measured.length;
      if (!(meant > 0)) continue;
      Misfit misfit(scaling, measured, parameter.name);
      for (const TidyNumber& number :
           fitted_numbers(misfit, meant, parameter.type == Type::integer)) {
        ScalingFit fit{measured.context, number.cost};
        fit.settings.insert_or_assign(parameter.name, number.value);
        all.push_back({&parameter, std::move(fit)});
      }
      if (parameter.name == std::string_view("original-max-position"))
        for (const TidyNumber& length : known_lengths(measured)) {
          if (length.value == meant || !misfit.agrees(length.value)) continue;
          ScalingFit fit{measured.context, 0.01 + length.cost};
          fit.settings.insert_or_assign(parameter.name, length.value);
          all.push_back({&parameter, std::move(fit)});
        }
    }
    std::vector<Setting> others;
    if (parameter.type == Type::flag) others = {true, false};
    if (parameter.type == Type::choice)
      for (std::string& word : words(parameter.choices)) others.emplace_back(std::move(word));
    for (Setting& other : others) {
      ScalingFit fit{measured.context, 0};
      if (const auto now = fit.settings.find(parameter.name);
          now != fit.settings.end() && now->second == other)
        continue;
      fit.settings.insert_or_assign(parameter.name, std::move(other));
      const auto ladder = sketched(scaling, measured, fit.settings);
      if (ladder && agrees(measured, ladder->frequencies)) all.push_back({&parameter, fit});
    }
  }
  return all;
}

namespace {

// The same to more digits than any table tells.
bool is_same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(
      a, b, [](double x, double y) { return std::fabs(x - y) <= 1e-9 * std::fabs(x); });
}

}  // namespace

std::vector<FittedLadder> fitted_ladders(const MeasuredLadder& measured) {
  constexpr std::size_t most = 8;
  constexpr double is_list = 2;
  std::vector<FittedLadder> all;
  if (agrees(measured, measured.plain.frequencies) || !descends(measured)) return all;
  for (const Scaling* scaling : all_scalings()) {
    if (!scaling->fit.function) continue;
    ScalingFits fits = scaling->fit.function(measured);
    std::ranges::stable_sort(fits, {}, &ScalingFit::cost);
    std::vector<FittedLadder> kept;
    for (ScalingFit& fit : fits) {
      if (kept.size() == most || fit.cost >= is_list) break;
      auto ladder = sketched(*scaling, measured, fit.settings);
      if (!ladder || !agrees(measured, ladder->frequencies)) continue;
      if (std::ranges::any_of(kept, [&](const FittedLadder& one) {
            return one.ladder.magnitude == ladder->magnitude &&
                   is_same(one.ladder.frequencies, ladder->frequencies);
          }))
        continue;
      kept.push_back({scaling, std::move(fit.settings), fit.cost, std::move(*ladder)});
    }
    std::ranges::move(kept, std::back_inserter(all));
  }
  return all;
}

}  // namespace pe

// Runs of cells compared part by part, each part within one power of two of positions.
#include "pe/diagnosis/residuals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <span>

#include "pe/base/error.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {

void Tally::add(const Run& run, Index number) {
  std::int64_t signed_place = run.place;
  for (Index from = 0; from < run.count;) {
    const std::int64_t size = std::abs(signed_place);
    const auto digits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size)));
    Index until = run.count - from;  // as long as the number of digits stays
    if (run.step != 0) {
      const bool away = signed_place == 0 || (signed_place > 0) == (run.step > 0);
      until = std::min(until, away ? (std::int64_t{1} << digits) - size
                                   : size - ((std::int64_t{1} << digits) >> 1) + 1);
    }
    part(run, from, until, size,
         run.step == 0                           ? 0
         : (signed_place >= 0) == (run.step > 0) ? 1
                                                 : -1,
         number);
    from += until;
    signed_place += run.step * until;
  }
}

namespace {

constexpr std::size_t part_of_one = 120;

}  // namespace

void Tally::weigh(const Run& run, Index from, Index count, std::int64_t position, int direction,
                  Index number) {
  for (Index k = 0; k < count; ++k) {
    const double truth = run.truth[from + k], bound = run.bound[from + k],
                 off = std::fabs(run.got[from + k] - truth), part = off / bound;
    if (std::isfinite(truth)) largest_ = std::max(largest_, std::fabs(truth));
    if (!(part > 0) || !(bound > 0) || !std::isfinite(part)) {
      ++parts_[0];
      continue;
    }
    const int exponent = std::ilogb(part) + static_cast<int>(part_of_one);
    ++parts_[static_cast<std::size_t>(std::clamp(exponent, 1, 127))];
    if (part <= loudness_) continue;
    loudness_ = part;
    loudest_ = {position + direction * k, number, run.first + from + k, truth,
                run.got[from + k],        bound};
  }
}

Index Tally::standing_out() const {
  constexpr std::size_t doublings = 10;
  constexpr double rounding = 0x1p-12;
  constexpr Index most_share = 50, least = 256;
  if (cells_ < least || !loudest_ ||
      !(std::fabs(loudest_->got - loudest_->expected) > rounding * largest_))
    return 0;
  Index quiet = cells_, loud = 0;
  std::size_t exponent = parts_.size();
  while (exponent > 0 && most_share * (cells_ - quiet + parts_[exponent - 1]) <= cells_)
    quiet -= parts_[--exponent];
  // Nearly all cells have exponents below this one.
  for (std::size_t i = exponent + doublings; i < parts_.size(); ++i) loud += parts_[i];
  return loud;
}

void Tally::part(const Run& run, Index from, Index count, std::int64_t position, int direction,
                 Index number) {
  const double *got = run.got + from, *truth = run.truth + from, *bound = run.bound + from;
  double worst = 0;
  Index beyond = 0, otherwise = 0;
  for (Index k = 0; k < count; ++k) {
    const double difference = std::fabs(got[k] - truth[k]);
    worst = difference > worst ? difference : worst;
    beyond += !(difference <= bound[k]);
  }
  const auto spot = [&](Index k) {
    return Spot{position + direction * k, number, run.first + from + k, truth[k], got[k], bound[k]};
  };
  if (beyond > 0) {
    const auto is_wrong = [&](Index k) { return !(std::fabs(got[k] - truth[k]) <= bound[k]); };
    Index k = direction < 0 ? count - 1 : 0;
    while (!is_wrong(k)) k += direction < 0 ? -1 : 1;
    if (!first_ || spot(k).position < first_->position) first_ = spot(k);
    for (k = 0; k < count; ++k)
      if (std::isnan(got[k])) worst = std::numeric_limits<double>::infinity();
  }
  if (run.rounded) {
    const double* rounded = run.rounded + from;
    for (Index k = 0; k < count; ++k) otherwise += got[k] != rounded[k];
    if (otherwise > 0)
      for (Index k = 0; k < count; ++k)
        if (got[k] != rounded[k]) ulps_ = std::max(ulps_, ulps_between(got[k], rounded[k], dtype_));
  } else {
    rounds_ = false;
    otherwise = count;
  }
  if (count > 0 && (!spot_ || worst > worst_)) {
    Index k = 0;
    while (k + 1 < count && !(std::fabs(got[k] - truth[k]) >= worst || std::isnan(got[k]))) ++k;
    spot_ = spot(k);
    worst_ = worst;
  }
  const std::int64_t last = direction > 0 ? position + count - 1 : position;
  const auto digits =
      static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(position)));
  curve_[digits] = std::max(curve_[digits], worst);
  reached_[digits] = std::max(reached_[digits], last);
  cells_ += count;
  beyond_ += beyond;
  if (beyond_ == 0) weigh(run, from, count, position, direction, number);
  rounded_otherwise_ += otherwise;
}

void Tally::tell(Diagnosis& diagnosis, const std::function<std::string(const Spot&)>& place) const {
  diagnosis.cells = cells_;
  diagnosis.rounded_otherwise = rounds_ ? rounded_otherwise_ : 0;
  diagnosis.ulps = ulps_;
  diagnosis.worst = worst_;
  if (spot_) {
    diagnosis.worst_cell = {place(*spot_), spot_->expected, spot_->got};
    diagnosis.bound = spot_->bound;
  }
  if (const auto& first = first_wrong())
    diagnosis.first_wrong = Cell{place(*first), first->expected, first->got};
  for (std::size_t digits = 0; digits < curve_.size(); ++digits)
    if (curve_[digits] >= 0) diagnosis.curve.push_back({reached_[digits], curve_[digits]});
}

const Stored& only_array(const Expectation& expected, const Dump& dump,
                         std::span<const std::string_view> names) {
  if (dump.arrays.size() == 1) return dump.arrays.front();
  std::vector<const Stored*> others;
  for (const Stored& array : dump.arrays)
    if (array.shape.size() != 1 || !names_coordinates(array.name)) others.push_back(&array);
  if (others.size() == 1) return *others.front();
  const auto offered = [&] {
    constexpr std::size_t most = 8;  // that are named
    std::vector<std::string> shown;
    for (const Stored* other : std::span(others).first(std::min(most, others.size())))
      shown.push_back(other->shown);
    if (others.size() > most) shown.push_back(fmt::format("{} more", others.size() - most));
    return fmt::format("{}", fmt::join(shown, ", "));
  };
  const Stored* found = nullptr;
  for (const Stored* other : others) {
    const Stored& array = *other;
    if (std::ranges::none_of(names, [&](std::string_view name) {
          return array.name.find(name) != std::string::npos;
        }))
      continue;
    if (found)
      throw UsageError(fmt::format("{} is one array, and several of these may be it; name one: {}",
                                   expected.encoding->name, offered()));
    found = &array;
  }
  if (!found)
    throw UsageError(others.empty()
                         ? fmt::format("the dump holds no array for {}", expected.encoding->name)
                         : fmt::format("{} is one array, and the dump holds several; name one: {}",
                                       expected.encoding->name, offered()));
  return *found;
}

void blame_numbers(Diagnosis& diagnosis) {
  if (!diagnosis.reasons.empty() || diagnosis.tier != Tier::wrong) return;
  for (const Cell* cell :
       {diagnosis.first_wrong ? &*diagnosis.first_wrong : nullptr, &diagnosis.worst_cell})
    if (cell && !std::isfinite(cell->got)) {
      diagnosis.reasons.push_back(
          {Cause::not_finite,
           fmt::format("{} at {}", std::isnan(cell->got) ? "NaN" : "an infinity", cell->place)});
      return;
    }
}

std::string spell_array(const Stored& array) {
  return fmt::format("[{}], {}", fmt::join(array.shape, ", "),
                     array.u16 ? "u16" : name_of(array.dtype));
}

}  // namespace pe

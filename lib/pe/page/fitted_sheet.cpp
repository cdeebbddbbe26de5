// Points are chosen and never averaged: each that is shown is one that was measured.
#include "pe/page/fitted_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/budget.hpp"

namespace pe {
namespace {

constexpr Index most_curves = 256;  // beyond them the extremes of all leave nothing out

Index count_of(const Sheet& sheet, std::size_t axis) { return sheet.axes[axis].coordinates.count; }

Index numbers_of(const Sheet& sheet) { return sheet.points() * std::ssize(sheet.columns); }

// How far apart neighbours along the axis lie among the points.
Index stride_of(const Sheet& sheet, std::size_t axis) {
  Index stride = 1;
  for (std::size_t i = axis + 1; i < sheet.axes.size(); ++i) stride *= count_of(sheet, i);
  return stride;
}

Axis part_of(const Axis& axis, const std::vector<Index>& kept) {
  std::vector<double> places;
  for (const Index i : kept)
    places.push_back(axis.places.empty() ? axis.coordinates.value(i)
                                         : axis.places[static_cast<std::size_t>(i)]);
  return placed_axis(axis.name, std::move(places), axis.description);
}

void keep(Sheet& sheet, std::size_t axis, const std::vector<Index>& kept) {
  const Index stride = stride_of(sheet, axis), block = stride * count_of(sheet, axis);
  const Index blocks = sheet.points() / block;
  for (Column& column : sheet.columns) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(blocks * std::ssize(kept) * stride));
    for (Index b = 0; b < blocks; ++b)
      for (const Index i : kept) {
        const auto from = column.values.begin() + b * block + i * stride;
        values.insert(values.end(), from, from + stride);
      }
    column.values = std::move(values);
  }
  sheet.axes[axis] = part_of(sheet.axes[axis], kept);
}

// Of each run of `length` neighbours the places where a curve is least or greatest; of all, the
// first and the last.
std::vector<Index> turning_places(const Sheet& sheet, std::size_t axis, Index length) {
  const Index count = count_of(sheet, axis), stride = stride_of(sheet, axis);
  std::vector<bool> is_kept(static_cast<std::size_t>(count));
  is_kept.front() = is_kept.back() = true;
  for (const Column& column : sheet.columns) {
    if (!column.words.empty()) continue;
    for (Index curve = 0; curve < sheet.points() / count; ++curve) {
      ask_time();
      const double* at = column.values.data() + curve / stride * count * stride + curve % stride;
      for (Index first = 0; first < count; first += length) {
        Index least = -1, greatest = -1;
        for (Index i = first; i < std::min(first + length, count); ++i) {
          if (std::isnan(at[i * stride])) continue;
          if (least < 0 || at[i * stride] < at[least * stride]) least = i;
          if (greatest < 0 || at[i * stride] > at[greatest * stride]) greatest = i;
        }
        if (least < 0) continue;
        is_kept[static_cast<std::size_t>(least)] = true;
        is_kept[static_cast<std::size_t>(greatest)] = true;
      }
    }
  }
  std::vector<Index> kept;
  for (Index i = 0; i < count; ++i)
    if (is_kept[static_cast<std::size_t>(i)]) kept.push_back(i);
  return kept;
}

// The numbered axis with the most coordinates; none where all axes are of names.
std::ptrdiff_t longest_axis(const Sheet& sheet) {
  std::ptrdiff_t longest = -1;
  for (std::size_t i = 0; i < sheet.axes.size(); ++i)
    if (sheet.axes[i].labels.empty() &&
        (longest < 0 || count_of(sheet, i) > count_of(sheet, static_cast<std::size_t>(longest))))
      longest = static_cast<std::ptrdiff_t>(i);
  return longest;
}

// Whether the curves along the axis could be made to fit by their extremes.
bool fit_curves(Sheet& sheet, std::size_t axis, Index most, std::vector<std::string>& said) {
  const Index count = count_of(sheet, axis), beside = sheet.points() / count;
  const Index room = most / (beside * std::ssize(sheet.columns));
  if (beside * std::ssize(sheet.columns) > most_curves) return false;
  for (Index length = std::max<Index>(2, 2 * count / room); length <= count;
       length += length / 4 + 1) {
    const std::vector<Index> kept = turning_places(sheet, axis, length);
    if (std::ssize(kept) > room) continue;
    said.push_back(fmt::format(
        "this page holds {} of {} places along {}: of each {} in a row those where a curve is "
        "least or greatest; other formats hold all",
        kept.size(), count, sheet.axes[axis].name, length));
    keep(sheet, axis, kept);
    return true;
  }
  return false;
}

void fit_maps(Sheet& sheet, Index most, std::vector<std::string>& said) {
  std::vector<Index> every(sheet.axes.size(), 1);
  const auto left = [&](std::size_t axis) {
    return (count_of(sheet, axis) + every[axis] - 1) / every[axis];
  };
  const auto numbers = [&] {
    Index product = std::ssize(sheet.columns);
    for (std::size_t axis = 0; axis < sheet.axes.size(); ++axis) product *= left(axis);
    return product;
  };
  while (numbers() > most) {
    std::ptrdiff_t longest = -1;
    for (std::size_t axis = 0; axis < sheet.axes.size(); ++axis)
      if (sheet.axes[axis].labels.empty() && left(axis) > 2 &&
          (longest < 0 || left(axis) > left(static_cast<std::size_t>(longest))))
        longest = static_cast<std::ptrdiff_t>(axis);
    if (longest < 0) return;  // who writes the page says that there is too much
    ++every[static_cast<std::size_t>(longest)];
  }
  for (std::size_t axis = 0; axis < sheet.axes.size(); ++axis) {
    if (every[axis] == 1) continue;
    const Index count = count_of(sheet, axis);
    std::vector<Index> kept;
    for (Index i = 0; i < count; i += every[axis]) kept.push_back(i);
    said.push_back(
        fmt::format("this page holds {} of {} places along {}: one in {}; other formats hold all",
                    kept.size(), count, sheet.axes[axis].name, every[axis]));
    keep(sheet, axis, kept);
  }
}

}  // namespace

void drop_own_names(Sheet& sheet) {
  if (sheet.axes.size() != 2 || sheet.axes[0].name != "subject" || sheet.axes[1].labels.empty())
    return;
  const Index subjects = count_of(sheet, 0), names = count_of(sheet, 1);
  std::vector<std::size_t> own;
  for (Index point = 0; point < subjects * names; ++point)
    if (std::ranges::any_of(sheet.columns, [&](const Column& column) {
          return !std::isnan(column.values[static_cast<std::size_t>(point)]);
        }))
      own.push_back(static_cast<std::size_t>(point));
  if (names < 2 || std::ssize(own) != subjects) return;
  for (Index i = 0; i < subjects; ++i)
    if (static_cast<Index>(own[static_cast<std::size_t>(i)]) / names != i) return;
  for (Column& column : sheet.columns) {
    std::vector<double> values;
    for (const std::size_t point : own) values.push_back(column.values[point]);
    column.values = std::move(values);
  }
  sheet.axes.pop_back();
}

std::vector<std::string> fit(Sheet& sheet, Index most) {
  std::vector<std::string> said;
  if (numbers_of(sheet) <= most) return said;
  const std::ptrdiff_t axis = longest_axis(sheet);
  if (axis >= 0 && !fit_curves(sheet, static_cast<std::size_t>(axis), most, said))
    fit_maps(sheet, most, said);
  return said;
}

}  // namespace pe

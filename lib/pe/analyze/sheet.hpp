// Sheet: curves in memory, each number with the error that it may have.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pe/model/field.hpp"

namespace pe {

/// How far a number may be from the one that is meant: absolute + relative · |number|. Zero for
/// what is exact.
struct Error {
  double absolute = 0, relative = 0;
};

/// One value for each point of a sheet's axes, in C order. NaN: there is none ("never negative",
/// or what one subject of a comparison has and another has not).
struct Column {
  std::string name, description;
  std::vector<double> values;
  Error error = {};
  std::vector<std::string> words = {};  // value v stands for words[v]

  /// A column of words, each one kept once.
  static Column of_words(std::string name, std::string description,
                         const std::vector<std::string>& texts);
};

/// Columns over the same axes, and what they show, a sentence each.
struct Sheet {
  std::vector<Axis> axes;
  std::vector<Column> columns;
  std::vector<std::string> notes = {};
  std::string certificate = {};  // JSON, where one was asked for

  Index points() const;
};

/// An axis 0 … count − 1, one of numbers in any order, and one of names.
Axis counted_axis(std::string name, Index count, std::string description);
Axis placed_axis(std::string name, std::vector<double> places, std::string description);
Axis named_axis(std::string name, std::vector<std::string> labels, std::string description);

/// The value to the last decimal place that its error leaves certain: the number that is meant is
/// less than one unit of that place away.
double rounded(double value, const Error& error);

/// The sheets of several subjects as one, behind a first axis that names them; where their other
/// axes differ, every coordinate that one of them has. Throws UsageError where they have other axes
/// or columns.
Sheet compared(const std::vector<std::pair<std::string, Sheet>>& sheets);

/// Keeps the columns that are named, in this order. Throws UsageError for a name that there is not.
void choose_columns(Sheet& sheet, const std::vector<std::string>& names);

/// Fields of f64, each value rounded to what is certain; words are fields of i64.
std::vector<Field> fields_of(const Sheet& sheet);

}  // namespace pe

// Reads a table of numbers, with or without a header; the first wrong field is named by its line.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "pe/base/kept.hpp"
#include "pe/io/csv.hpp"

namespace pe::io {
namespace {

constexpr Index most_columns = 1 << 24;
constexpr std::size_t longest_line = std::size_t{1} << 30, piece_bytes = 1 << 20;

std::string_view trimmed(std::string_view word) {
  while (!word.empty() && (word.front() == ' ' || word.front() == '\t')) word.remove_prefix(1);
  while (!word.empty() && (word.back() == ' ' || word.back() == '\t' || word.back() == '\r'))
    word.remove_suffix(1);
  if (word.size() >= 2 && word.front() == '"' && word.back() == '"')
    word = word.substr(1, word.size() - 2);
  return word;
}

bool parse(std::string_view word, double& value) {
  word = trimmed(word);
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || word.empty()) return false;
  if (error == std::errc::result_out_of_range) {  // strtod answers with infinity or zero
    value = std::strtod(std::string(word).c_str(), nullptr);
    return true;
  }
  return error == std::errc();
}

// Takes the text line by line and collects the numbers.
class Lines {
 public:
  explicit Lines(Kept<Source> source) : source_(source) {}

  void take(std::string_view line) {
    ++number_;
    if (number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (trimmed(line).empty()) return;
    if (table_.columns == 0 && take_header(line)) return;
    Index column = 0;
    for (std::size_t start = 0; start <= line.size(); ++column) {
      const std::size_t comma = std::min(line.find(',', start), line.size());
      const std::string_view word = line.substr(start, comma - start);
      start = comma + 1;
      double value = 0;
      if (!parse(word, value))
        source_.refuse(fmt::format("line {}, column {} is '{}', not a number", number_, column + 1,
                                   trimmed(word).substr(0, 40)));
      table_.values.push_back(value);
    }
    if (table_.columns == 0) table_.columns = column;
    if (column != table_.columns)
      source_.refuse(fmt::format("line {} has {} columns, the lines before it have {}", number_,
                                 column, table_.columns));
    ++table_.rows;
  }

  CsvTable table() {
    if (table_.rows == 0) source_.refuse("no line of numbers is in it");
    return std::move(table_);
  }

 private:
  // A first line that does not start with a number is a header; NumPy puts a # before it.
  bool take_header(std::string_view line) {
    double value;
    if (parse(line.substr(0, line.find(',')), value)) return false;
    if (line.starts_with('#')) line.remove_prefix(1);
    table_.columns = 1 + std::count(line.begin(), line.end(), ',');
    if (table_.columns > most_columns)
      source_.refuse(fmt::format("its header names {} columns, more than 2^24", table_.columns));
    for (std::size_t start = 0; start <= line.size();) {
      const std::size_t comma = std::min(line.find(',', start), line.size());
      table_.header.emplace_back(trimmed(line.substr(start, comma - start)));
      start = comma + 1;
    }
    return true;
  }

  const Source& source_;
  Index number_ = 0;
  CsvTable table_;
};

}  // namespace

CsvTable read_csv_table(const Source& source) {
  Lines lines(source);
  std::string text;
  for (std::uint64_t offset = 0; offset < source.size();) {
    const auto some =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, source.size() - offset));
    const std::size_t kept = text.size();
    text.resize(kept + some);
    source.read(offset, text.data() + kept, some);
    offset += some;
    std::size_t start = 0;
    for (std::size_t end = text.find('\n', kept); end != std::string::npos;
         end = text.find('\n', start)) {
      lines.take(std::string_view(text).substr(start, end - start));
      start = end + 1;
    }
    text.erase(0, start);
    if (text.size() > longest_line) source.refuse("a line of it is longer than 1 GiB");
  }
  if (!text.empty()) lines.take(text);
  return lines.table();
}

}  // namespace pe::io

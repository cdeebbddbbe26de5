// Reads a table of numbers, with or without a header; the first wrong field is named by its line.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "pe/base/kept.hpp"
#include "pe/io/csv.hpp"
#include "pe/io/csv_number.hpp"

namespace pe::io {
namespace {

constexpr Index most_columns = 1 << 24, most_titles = 1 << 18;
constexpr std::size_t most_of_titles = 8 << 20, longest_cell = 1 << 16, piece_bytes = 1 << 20;

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

// Takes the text cell by cell, so that a line may be as long as it likes, and collects the numbers.
class Cells {
 public:
  explicit Cells(Kept<Source> source) : source_(source), table_(std::make_shared<CsvTable>()) {}

  // Whole cells of one line, without the comma or the end of line behind the last.
  void take(std::string_view cells, bool ends_line) {
    if (column_ == 0 && !begin_line(cells, ends_line)) return;
    for (std::size_t start = 0; start <= cells.size();) {
      double value;
      const char *const cell = cells.data() + start, *const all = cells.data() + cells.size();
      if (const char* const end = in_header_ ? nullptr : take_short_decimal(cell, all, value)) {
        add(value);
        start = static_cast<std::size_t>(end - cells.data()) + 1;
        continue;
      }
      const std::size_t comma = std::min(cells.find(',', start), cells.size());
      (in_header_ ? take_title(cells.substr(start, comma - start))
                  : take_number(cells.substr(start, comma - start)));
      start = comma + 1;
    }
    if (ends_line) end_line();
  }

  bool in_line() const { return column_ > 0; }

  std::shared_ptr<const CsvTable> table() {
    if (table_->rows == 0) source_.refuse("no line of numbers is in it");
    return std::move(table_);
  }

 private:
  // False for a line of nothing. A first line that does not start with a number is a header; NumPy
  // puts a # before it.
  bool begin_line(std::string_view& cells, bool ends_line) {
    ++line_;
    if (line_ == 1 && cells.starts_with("\xef\xbb\xbf")) cells.remove_prefix(3);
    if (ends_line && trimmed(cells).empty()) return false;
    double value;
    in_header_ = table_->columns == 0 && !parse(cells.substr(0, cells.find(',')), value);
    if (in_header_ && cells.starts_with('#')) cells.remove_prefix(1);
    return true;
  }
  void end_line() {
    if (table_->columns == 0) table_->columns = column_;
    if (column_ != table_->columns)
      source_.refuse(fmt::format("line {} has {} columns, the lines before it have {}", line_,
                                 column_, table_->columns));
    if (!in_header_) ++table_->rows;
    column_ = 0;
  }
  void take_title(std::string_view word) {
    titles_ += word.size();
    if (++column_ > most_titles || titles_ > most_of_titles)
      source_.refuse(fmt::format("its header names more than {} columns, or is larger than {} MiB",
                                 most_titles, most_of_titles >> 20));
    table_->header.emplace_back(trimmed(word));
  }
  void take_number(std::string_view word) {
    double value = 0;
    if (!parse(word, value))
      source_.refuse(fmt::format("line {}, column {} is '{}', not a number", line_, column_ + 1,
                                 trimmed(word).substr(0, 40)));
    add(value);
  }
  void add(double value) {
    if (++column_ > most_columns)
      source_.refuse(fmt::format("line {} has more than {} columns", line_, most_columns));
    table_->values.push_back(source_, value);
  }

  const Source& source_;
  Index line_ = 0, column_ = 0;  // column: how many of this line were taken
  bool in_header_ = false;
  std::size_t titles_ = 0;
  std::shared_ptr<CsvTable> table_;
};

}  // namespace

void Numbers::grow(const Source& source) {
  if (!held_.take(block * sizeof(double)))
    source.refuse(
        fmt::format("its numbers must be held in memory whole, and take more than {}: save them as "
                    ".npy",
                    held_.budget().spell_most()));
  blocks_.push_back(std::make_unique_for_overwrite<double[]>(block));
}

std::shared_ptr<const CsvTable> read_csv_table(const Source& source) {
  Cells cells(source);
  std::string text;  // what is not taken yet: less than a cell, and a piece
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
      cells.take(std::string_view(text).substr(start, end - start), true);
      start = end + 1;
    }
    if (const std::size_t comma = text.rfind(','); comma != std::string::npos && comma >= start) {
      cells.take(std::string_view(text).substr(start, comma - start), false);
      start = comma + 1;
    }
    text.erase(0, start);
    if (text.size() > longest_cell)
      source.refuse(fmt::format("a cell of it is longer than {} KiB", longest_cell >> 10));
  }
  if (!text.empty() || cells.in_line()) cells.take(text, true);
  return cells.table();
}

}  // namespace pe::io

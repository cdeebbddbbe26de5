// Reads a table of numbers, with or without a header; the first wrong field is named by its line.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

#include "pe/base/kept.hpp"
#include "pe/base/team.hpp"
#include "pe/base/text.hpp"
#include "pe/io/csv.hpp"
#include "pe/io/csv_number.hpp"

namespace pe::io {
namespace {

constexpr Index most_columns = 1 << 24, most_titles = 1 << 18;
constexpr std::size_t most_of_titles = 8 << 20, longest_cell = 1 << 16, piece_bytes = 1 << 20,
                      thread_bytes = 2 << 20,  // that a thread takes at once
    most_threads = 8;

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

// What is said of a cell that holds a whole line of numbers with other marks between them.
std::string_view parted_by(std::string_view word) {
  const std::size_t mark = word.find_first_of(";\t");
  double value;
  if (mark == std::string_view::npos || !parse(word.substr(0, mark), value)) return "";
  return word[mark] == ';' ? ": its columns are parted by ;, and commas are read"
                           : ": its columns are parted by tabs, and commas are read";
}

// Lines that hold as many numbers as those before them, and nothing else.
struct Lines {
  std::string_view text;
  std::vector<double> numbers = {};
  Index rows = 0;
  bool plain = false;  // they do

  // The last line may lack its end.
  void parse_all(Index columns) {
    numbers.clear();
    rows = 0;
    plain = false;
    for (const char *at = text.data(), *const all = at + text.size(); at < all; ++at) {
      const char* const found =
          static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(all - at)));
      const char* const end = found ? found : all;
      if (!parse_line(at, end, columns)) return;
      ++rows;
      at = end;
    }
    plain = true;
  }

 private:
  bool parse_line(const char* at, const char* end, Index columns) {
    for (Index column = 0; column < columns; ++column, ++at) {
      double value = 0;
      const char* next = take_short_decimal(at, end, value);
      if (!next) {
        next = std::find(at, end, ',');
        if (!parse({at, next}, value)) return false;
      }
      numbers.push_back(value);
      at = next;
      if ((at == end) != (column == columns - 1)) return false;
    }
    return true;
  }
};

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
  bool in_numbers() const { return table_->columns > 0 && column_ == 0 && table_->rows > 0; }

  // Whole lines of numbers, each part by a thread of its own; what is out of the ordinary in a part
  // is looked at cell by cell.
  void take_lines(std::string_view text, std::size_t threads) {
    parts_.resize(threads);
    for (std::size_t left = threads; left > 0; --left) {
      const std::size_t end = text.find('\n', text.size() / left - 1);
      std::string_view& part = parts_[threads - left].text;
      part = text.substr(0, end == std::string_view::npos ? end : end + 1);
      text.remove_prefix(part.size());
    }
    side_by_side(threads, [&](std::size_t i) { parts_[i].parse_all(table_->columns); });
    for (const Lines& part : parts_) {
      if (part.plain) {
        table_->values.append(source_, part.numbers);
        table_->rows += part.rows;
        line_ += part.rows;
        continue;
      }
      for (std::size_t start = 0; start < part.text.size();) {
        const std::size_t end = std::min(part.text.find('\n', start), part.text.size());
        take(part.text.substr(start, end - start), true);
        start = end + 1;
      }
    }
  }

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
      source_.refuse(fmt::format("line {}, column {} is '{}', not a number{}", line_, column_ + 1,
                                 printable(trimmed(word).substr(0, 40)), parted_by(word)));
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
  std::vector<Lines> parts_;
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

void Numbers::append(const Source& source, std::span<const double> values) {
  while (!values.empty()) {
    if (size_ % block == 0) grow(source);
    const std::size_t some = std::min(values.size(), block - size_ % block);
    std::copy_n(values.data(), some, &blocks_[size_ / block][size_ % block]);
    size_ += some;
    values = values.subspan(some);
  }
}

std::shared_ptr<const CsvTable> read_csv_table(const Source& source) {
  Cells cells(source);
  const std::size_t threads = std::min(team_size(0), most_threads);
  std::string text;  // what is not taken yet: less than a cell, and a piece
  for (std::uint64_t offset = 0; offset < source.size();) {
    const std::size_t piece = cells.in_numbers() ? threads * thread_bytes : piece_bytes;
    const auto some =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece, source.size() - offset));
    const std::size_t kept = text.size();
    text.resize(kept + some);
    source.read(offset, text.data() + kept, some);
    offset += some;
    std::size_t start = 0;
    if (const std::size_t last = text.rfind('\n');
        cells.in_numbers() && last != std::string::npos && last >= kept) {
      cells.take_lines(std::string_view(text).substr(0, last + 1), threads);
      start = last + 1;
    }
    for (std::size_t end = text.find('\n', std::max(start, kept)); end != std::string::npos;
         end = text.find('\n', start)) {
      cells.take(std::string_view(text).substr(start, end - start), true);
      start = end + 1;
    }
    // A line that begins here is taken when it is whole, unless it is longer than a piece.
    if (const std::size_t comma = text.rfind(','); start == 0 && comma != std::string::npos) {
      cells.take(std::string_view(text).substr(0, comma), false);
      start = comma + 1;
    }
    text.erase(0, start);
    if (text.size() - (text.rfind(',') + 1) > longest_cell)
      source.refuse(fmt::format("a cell of it is longer than {} KiB", longest_cell >> 10));
  }
  if (!text.empty() || cells.in_line()) cells.take(text, true);
  return cells.table();
}

}  // namespace pe::io

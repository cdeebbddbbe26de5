// Puts provenance and fields as JSON into the page that page/ has the parts of. The page is shut:
// its policy allows the one script and the one style whose hashes it names, and no request; nothing
// of the data can end the element that it stands in.
#include "pe/io/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <set>

#include "pe/base/error.hpp"
#include "pe/io/csv_cells.hpp"
#include "pe/io/json_text.hpp"
#include "pe/io/pipeline.hpp"
#include "pe/io/sentences.hpp"
#include "pe/io/shortest.hpp"

namespace pe::io {
namespace {

// page_html, page_style, page_script, and page_style_hash, page_script_hash in hexadecimal.
#include "page.inc"

// JSON means the same with these escaped, and HTML then sees neither a tag nor a comment in it.
std::string harmless(const std::string& json) {
  std::string text;
  text.reserve(json.size() + json.size() / 16);
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&')
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      text += c;
  }
  return text;
}

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'')
      escaped += fmt::format("&#{};", static_cast<unsigned>(c));
    else
      escaped += c;
  }
  return escaped;
}

// As a content security policy names a hash.
std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  std::string text;
  unsigned bits = 0;
  int held = 0;
  for (const char c : hex) {
    bits = (bits << 4 | static_cast<unsigned>(hexadecimal.find(c))) & 0xfff;
    held += 4;
    if (held >= 6) text += digits[bits >> (held -= 6) & 63];
  }
  if (held > 0) text += digits[bits << (6 - held) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ",") + quote_json(text);
  return "[" + list + "]";
}

// Its coordinates as texts: a list of names, or numbers with commas between them.
std::string describe(const Axis& axis) {
  std::string coordinates = axis.labels.empty() ? "\"" : list_of(axis.labels);
  for (Index i = 0; axis.labels.empty() && i < axis.coordinates.count; ++i)
    coordinates += (i > 0 ? "," : "") + coordinate(axis, i);
  if (axis.labels.empty()) coordinates += '"';
  return fmt::format("{{\"name\":{},\"description\":{},\"{}\":{}}}", quote_json(axis.name),
                     quote_json(axis.description), axis.labels.empty() ? "places" : "labels",
                     coordinates);
}

// Every element as it stands in a csv, with commas between them.
std::string elements_of(const Field& field, int threads) {
  std::string text;
  if (bytes_of(field) == 0) return text;
  const std::size_t bytes = static_cast<std::size_t>(field.lines()) * field.line_bytes();
  std::vector<std::byte> elements(bytes);
  fill(field, 0, field.lines(), elements.data(), threads);
  char number[longest_number];
  for (std::size_t at = 0; at < bytes; at += size_of(field.dtype)) {
    if (at > 0) text += ',';
    text.append(number, put_number(number, elements.data() + at, field.dtype));
  }
  return text;
}

// The axes of all fields, each kept once.
class Axes {
 public:
  std::size_t index_of(const Axis& axis) {
    const auto found = std::ranges::find(axes_, axis);
    const auto index = static_cast<std::size_t>(found - axes_.begin());
    if (found == axes_.end()) axes_.push_back(axis);
    return index;
  }
  std::string text() const {
    std::string all;
    for (const Axis& axis : axes_) all += (all.empty() ? "\n" : ",\n") + describe(axis);
    return all;
  }

 private:
  std::vector<Axis> axes_;
};

std::string describe(const Field& field, Axes& axes, int threads) {
  std::string places;
  for (const Axis& axis : field.axes)
    places += fmt::format("{}{}", places.empty() ? "" : ",", axes.index_of(axis));
  const std::string words =
      field.words.empty() ? "" : fmt::format(",\"words\":{}", list_of(field.words));
  return fmt::format(
      "{{\"name\":{},\"description\":{},\"dtype\":{},\"axes\":[{}]{},\n\"values\":\"{}\"}}",
      quote_json(field.name), quote_json(field.description), quote_json(name_of(field.dtype)),
      places, words, elements_of(field, threads));
}

// The rows of a table, English and Chinese with a tab between them, that the page has a use for.
template <typename Used>
std::string rows_of(std::string_view table, const Used& used) {
  std::string rows;
  for (std::string_view rest = table; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t tab = line.find('\t');
    if (tab != line.npos && used(line.substr(0, tab)))
      rows += fmt::format("{}{}:{}", rows.empty() ? "" : ",\n", quote_json(line.substr(0, tab)),
                          quote_json(line.substr(tab + 1)));
  }
  return rows;
}

bool has_no_row(std::string_view word) {
  return rows_of(page_chinese, [&](std::string_view english) { return english == word; }).empty();
}

// Of zh_sentences.tsv: words that are sentences, warnings, and notes with and without the quantity
// that they speak of.
std::string chinese_sentences_of(const Job& job, bool are_first) {
  const Provenance& provenance = job.provenance;
  std::set<std::string, std::less<>> sentences(provenance.warnings.begin(),
                                               provenance.warnings.end());
  for (const Field& field : job.fields)
    std::ranges::copy_if(field.words, std::inserter(sentences, sentences.end()), has_no_row);
  for (const Provenance::Texts& texts : provenance.texts)
    for (const std::string& text : texts.rows) {
      sentences.insert(text);
      if (const std::size_t colon = text.find(": "); colon != text.npos)
        sentences.insert(text.substr(colon + 2));
    }
  std::string rows;
  for (const std::string& sentence : sentences)
    if (const std::string chinese =
            translated(sentence, page_chinese_sentences, page_chinese_names);
        !chinese.empty())
      rows += fmt::format("{}{}:{}", rows.empty() && are_first ? "" : ",\n", quote_json(sentence),
                          quote_json(chinese));
  return rows;
}

// Of zh.tsv: descriptions and words, what a digit is worth, and sources that are more than names.
std::string chinese_of(const Job& job) {
  return rows_of(page_chinese, [&](std::string_view english) {
    const auto is_of = [&](const auto& named) { return named.description == english; };
    if (english == job.provenance.accuracy || english == job.provenance.source) return true;
    return std::ranges::any_of(job.fields, [&](const Field& field) {
      return is_of(field) || std::ranges::any_of(field.axes, is_of) ||
             std::ranges::find(field.words, english) != field.words.end();
    });
  });
}

// The quantity that all fields are of; of fields of several, each name says its own.
std::string quantity_of(const Provenance& provenance) {
  for (const auto& row : provenance.parameters)
    if (row.name == "quantity") return row.value;
  return {};
}

// Of zh_names.tsv: names of fields, be it everywhere or in their quantity alone, of the quantities
// before their dots, of axes, words that are names, and those that every page has.
std::string chinese_names_of(const Job& job) {
  const std::string quantity = quantity_of(job.provenance);
  std::set<std::string, std::less<>> names = {
      "encoding", "dialect", "accuracy", "source", "pair", "encoding " + job.provenance.encoding};
  for (const Field& field : job.fields) {
    const std::size_t dot = field.name.find('.');
    const std::string own = field.name.substr(dot + 1);
    const std::string of = dot == field.name.npos ? quantity : field.name.substr(0, dot);
    names.insert({own, of, fmt::format("{}.{}", of, own)});
    for (const Axis& axis : field.axes) names.insert(axis.name);
    names.insert(field.words.begin(), field.words.end());
  }
  return rows_of(page_chinese_names,
                 [&](std::string_view english) { return names.contains(english); });
}

// Name, value and origin of each as texts: a page shows 500000.0 as it was said.
std::string parameters_of(const Provenance& provenance) {
  std::string rows;
  for (const auto& [name, value, origin] : provenance.parameters)
    rows += (rows.empty() ? "" : ",") + list_of({name, value, origin});
  return rows;
}

// The encoding; of a quantity that is of none, the quantity.
std::string subject_of(const Provenance& provenance) {
  if (!provenance.encoding.empty() || provenance.parameters.empty()) return provenance.encoding;
  return provenance.parameters.front().value;
}

void put_in(std::string& text, std::string_view mark, std::string_view with) {
  text.replace(text.find(mark), mark.size(), with);
}

}  // namespace

Index numbers_of(const std::vector<Field>& fields) {
  Index numbers = 0;
  for (const Field& field : fields) {
    const auto more = static_cast<Index>(bytes_of(field) / size_of(field.dtype));
    numbers = std::min(numbers, Index{1} << 61) + more;
  }
  return numbers;
}

void check_page(const std::vector<Field>& fields) {
  if (const Index numbers = numbers_of(fields); numbers > most_page_numbers)
    throw UsageError(
        fmt::format("a page holds at most {} numbers, and these fields have {}: take fewer "
                    "positions or fewer --fields, or write h5",
                    most_page_numbers, numbers));
}

void write_html(const Job& job) {
  check_page(job.fields);
  Axes axes;
  std::string fields;
  for (const Field& field : job.fields)
    fields += (fields.empty() ? "\n" : ",\n") + describe(field, axes, job.output.threads);
  const std::string words = chinese_of(job);
  const std::string data = harmless(
      fmt::format("{{\"schema_version\":1,\n\"provenance\":{},\n\"axes\":[{}],\n"
                  "\"parameters\":[{}],\n\"zh\":{{{}{}}},\n\"zh_names\":{{{}}},\n\"fields\":[{}]}}",
                  provenance_json(job.provenance), axes.text(), parameters_of(job.provenance),
                  words, chinese_sentences_of(job, words.empty()), chinese_names_of(job), fields));
  // The last mark first: what a mark is replaced by is not searched for others.
  std::string page(page_html);
  put_in(page, "@SCRIPT@", page_script);
  put_in(page, "@DATA@", data);
  put_in(page, "@STYLE@", page_style);
  put_in(page, "@TITLE@", html_text(subject_of(job.provenance) + " · " + job.provenance.tool));
  put_in(page, "@STYLE_HASH@", base64_of_hex(page_style_hash));
  put_in(page, "@SCRIPT_HASH@", base64_of_hex(page_script_hash));
  Destination destination(job.output);
  destination.write(page.data(), page.size());
  destination.commit();
}

}  // namespace pe::io

// From a request to a question, and its answer with all that decided its numbers.
#include "analysis_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "analysis_files.hpp"
#include "analysis_requests.hpp"
#include "dumps.hpp"
#include "pe/base/error.hpp"
#include "pe/io/writable.hpp"
#include "pe/model/number.hpp"
#include "pe/subject/drawn_numbers.hpp"
#include "pe/verify/judge_dump.hpp"
#include "position_list.hpp"
#include "progress.hpp"
#include "shared_options.hpp"

namespace pe::cmd {
namespace {

// "4096,8192" of 4096:8192, 4096-8192 and 4096..8192; "" of anything else.
std::string ends_of_run(const std::string& text) {
  if (text.find_first_of("0123456789") != 0 || text.find_first_of(":-.") == std::string::npos)
    return "";
  std::string list;
  for (const char c : text) {
    const bool parts = c == ':' || c == '-' || c == '.';
    if (!parts && c != ',' && std::isdigit(static_cast<unsigned char>(c)) == 0) return "";
    if (!parts)
      list += c;
    else if (!list.ends_with(','))
      list += ',';
  }
  const auto dot = text.find('.');
  const bool is_decimal = dot != std::string::npos && text.find("..") == std::string::npos;
  return is_decimal ? "" : list;
}

// Of a subject of --versus its own, where it has any.
std::vector<Index> lengths_of(const Analysis& analysis, const Request& request) {
  std::vector<Index> lengths;
  const std::string& own = request.texts.length;
  const std::string& text =
      analysis.quantity->several_lengths && own.empty() ? analysis.lengths : own;
  if (const std::string list = ends_of_run(text); !list.empty())
    throw UsageError(fmt::format(
        "--length takes {}, got {}{}",
        analysis.quantity->several_lengths ? "lengths with commas between" : "one length", text,
        analysis.quantity->several_lengths ? fmt::format(": did you mean {}?", list) : ""));
  for (const std::string& item : comma_separated(text))
    lengths.push_back(whole_number("length", item, "1", largest_whole));
  return lengths;
}

bool is_page(const Analysis& analysis) {
  Output output;
  output.path = analysis.output.path;
  if (!analysis.output.format.empty()) output.format = parse_format(analysis.output.format);
  return pe::is_page(output);
}

}  // namespace

Parameters options_of(const Analysis& analysis, Request& request) {
  const Quantity& quantity = *analysis.quantity;
  Given told = analysis.options;
  take_shared(quantity, analysis.request.texts, told);
  take_shared(quantity, request.texts, told);
  refuse_counted_queries(told);
  refuse_sweeps(request);
  std::vector<Parameter> schema(quantity.parameters.begin(), quantity.parameters.end());
  Given& flags = request.texts.flags;
  if (request.texts.encoding) schema = options_for(quantity, *request.texts.encoding, flags);
  for (const Parameter& row : std::span(schema).subspan(quantity.parameters.size()))
    if (flags.contains(row.name)) told.insert(flags.extract(flags.find(row.name)));
  return complete(schema, told, {}, read_array);
}

void add_decisive(Provenance& provenance, const Parameters& options,
                  const std::vector<Provenance::Entry>& decided,
                  const std::optional<std::string>& dtype) {
  const auto find = [&](const std::string& name) {
    return std::ranges::find(provenance.parameters, name, &Provenance::Entry::name);
  };
  const auto add = [&](const Provenance::Entry& entry) {
    if (find(entry.name) == provenance.parameters.end()) provenance.parameters.push_back(entry);
  };
  for (const Parameters::Entry& entry : options.entries())
    add({entry.name, entry.text, entry.origin});
  for (const Provenance::Entry& entry : decided) {
    const auto known = find(entry.name);
    if (known != provenance.parameters.end() && known->origin == "default")
      *known = entry;
    else
      add(entry);
  }
  add({"dtype", dtype.value_or("f64"), dtype ? "flag --dtype" : "default"});
}

SubjectSheet answer_to(const Analysis& analysis, Request request, const std::string& command,
                       bool among_kinds, Provenance* provenance,
                       const std::function<void(double share)>& tell, bool quiet) {
  const Quantity& quantity = *analysis.quantity;
  const std::vector<Index> lengths = lengths_of(analysis, request);
  const std::optional<std::string> dtype = request.texts.dtype;
  if (!dtype) request.texts.dtype = "f64";
  if (quantity.several_lengths && !lengths.empty())
    request.texts.length = std::to_string(std::ranges::max(lengths));
  const std::string label = label_of(request);
  const Parameters options = options_of(analysis, request);
  const bool of_file = provenance && !analysis.files.empty();
  Index usual = quantity.usual_length;
  if (of_file) {
    const std::vector<Stored> arrays =
        open_all(analysis.files, analysis.request.texts.dtype, parse_shape(analysis.shape));
    usual = length_of(arrays, usual);
    imply_shape(request.texts, arrays);
  }
  refuse_position_list(request.texts.positions,
                       "curves follow positions that are evenly apart; pe-gen and pe-apply take "
                       "lists");
  request.of_dump = of_file;
  request.of_numbers = !quantity.sees_numbers || quantity.sees_numbers(options);
  const bool asks_why = std::exchange(request.explain, false);  // told when all is decided
  const Resolved resolved = resolve(request, "pe-analyze", command, usual, quiet);
  Question question{.subject = resolved.subject,
                    .options = options,
                    .lengths = lengths,
                    .threads = resolved.threads,
                    .among_kinds = among_kinds};
  if (of_file) take_dump(question, analysis);
  const std::string named = of_file ? analysis.files.front() : label;
  Progress progress(fmt::format("{} of {}", quantity.name, named));
  std::vector<Provenance::Entry> decided;
  question.decided = [&](const Provenance::Entry& entry) {
    const auto known = std::ranges::find(decided, entry.name, &Provenance::Entry::name);
    if (known == decided.end())
      decided.push_back(entry);
    else
      *known = entry;
  };
  question.progress = [&](double share) {
    progress.at(share);
    if (tell) tell(share);
  };
  const std::string drawn =
      is_page(analysis) && !of_file && request.of_numbers ? drawn_as_asked(question.subject) : "";
  Sheet sheet = quantity.measure(question);
  Provenance all = resolved.provenance;
  add_decisive(all, options, decided, dtype);
  if (asks_why) explain(resolved.subject, all);
  SubjectSheet answer{
      named, drawn, std::move(sheet),
      !of_file && request.of_numbers && !doubt_of_numbers(resolved.subject).empty()};
  if (is_page(analysis))
    std::ranges::copy_if(all.parameters, std::back_inserter(answer.lengths), [](const auto& told) {
      return told.name == "trained" || told.name == "wanted";
    });
  if (provenance) *provenance = std::move(all);
  return answer;
}

}  // namespace pe::cmd

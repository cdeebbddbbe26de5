// The answers of several subjects side by side, and where they go.
#include "analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "analysis_answer.hpp"
#include "analysis_requests.hpp"
#include "no_clobber.hpp"
#include "pe/analyze/sheet_bytes.hpp"
#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/ranks.hpp"
#include "pe/base/work.hpp"
#include "pe/io/file.hpp"
#include "pe/io/html.hpp"
#include "pe/io/writable.hpp"
#include "pe/model/number.hpp"
#include "pe/page/fitted_sheet.hpp"
#include "pe/subject/drawn_numbers.hpp"
#include "progress.hpp"
#include "shared_options.hpp"
#include "talk.hpp"
#include "time_limit.hpp"

namespace pe::cmd {
namespace {

// The answers of all, each worked out by one rank; the first is rank 0's, who learns the
// provenance.
std::vector<SubjectSheet> dealt_out(const Analysis& analysis, const std::vector<Request>& requests,
                                    const std::string& command, bool among_kinds,
                                    Provenance& provenance) {
  const auto told = deal_out(requests.size(), 1, [&](std::size_t i, bool) {
    ask_time();
    const SubjectSheet answer =
        answer_to(analysis, requests[i], command, among_kinds, i == 0 ? &provenance : nullptr);
    ByteWriter bytes;
    bytes.put_text(answer.label);
    bytes.put_text(answer.drawn);
    put_sheet(bytes, answer.sheet);
    bytes.put_number(answer.lengths.size());
    for (const Provenance::Entry& length : answer.lengths)
      bytes.put_texts({length.name, length.value, length.origin});
    return bytes.text();
  });
  std::vector<SubjectSheet> answers;
  for (const std::string& text : told) {
    ByteReader bytes(text);
    std::string label = bytes.text(), drawn = bytes.text();
    answers.push_back({std::move(label), std::move(drawn), read_sheet(bytes), false});
    for (auto left = bytes.number<std::size_t>(); left > 0; --left) {
      const std::vector<std::string> entry = bytes.texts();
      answers.back().lengths.push_back({entry[0], entry[1], entry[2]});
    }
  }
  return answers;
}

void describe(Provenance& provenance, const Analysis& analysis, const Sheet& sheet) {
  const Quantity& quantity = *analysis.quantity;
  provenance.accuracy = quantity.accuracy;
  provenance.source = quantity.source;
  provenance.parameters.insert(
      provenance.parameters.begin(),
      {"quantity", std::string(quantity.name), std::string(quantity.definition)});
  Request request = analysis.request;
  add_decisive(provenance, options_of(analysis, request), {}, analysis.request.texts.dtype);
  if (!analysis.versus.empty())
    provenance.parameters.push_back(
        {"versus", fmt::format("{}", fmt::join(analysis.versus, "; ")), "flag --versus"});
  if (!sheet.notes.empty()) provenance.texts.push_back({"note", sheet.notes});
}

struct Refusal {
  std::string encoding, why;
};

// Of all encodings, those that refuse are left out, and say why; where all do, that is the answer.
template <typename Ask>
void ask_or_leave_out(const Request& request, const Ask& ask, std::vector<Refusal>& refusals) {
  try {
    ask(request);
  } catch (const UsageError& error) {
    refusals.push_back({std::string(request.texts.encoding->name), error.what()});
  } catch (const TooLong& error) {
    refusals.push_back({std::string(request.texts.encoding->name), error.what()});
  }
}

// Where the proof goes; empty: nowhere.
std::string certificate_path(const Analysis& analysis) {
  const auto told = analysis.options.find(certificate_option.name);
  if (told == analysis.options.end()) return {};
  const std::string path = told->second.text;
  if (!analysis.versus.empty())
    throw UsageError("--certificate proves what is said of one subject: leave out --versus");
  const auto place = [](const std::string& name) {
    std::error_code error;
    return name == "-" ? std::filesystem::path(name)
                       : std::filesystem::weakly_canonical(name, error);
  };
  if (place(path) == place(analysis.output.path))
    throw UsageError(
        fmt::format("--certificate and -o both name {}: the proof needs its own file", path));
  check_path(path);
  if (analysis.output.no_clobber) keep_what_is_there({path}, "--certificate");
  return path;
}

// Of labels that are alike, each but the first is numbered.
class Labels {
 public:
  std::string unlike_others(const std::string& label) {
    std::string name = label;
    for (int& number = last_.emplace(label, 1).first->second; !taken_.insert(name).second;)
      name = fmt::format("{} ({})", label, ++number);
    return name;
  }

 private:
  std::map<std::string, int> last_;  // number given to a label
  std::set<std::string> taken_;
};

bool are_of_kinds(const std::vector<Request>& requests) {
  return std::ranges::any_of(requests, [&](const Request& other) {
    return other.texts.encoding->kind != requests.front().texts.encoding->kind;
  });
}

}  // namespace

Sheet measured(const Analysis& analysis, const std::string& command, Provenance& provenance) {
  if (analysis.files.empty() && !(analysis.shape + analysis.file_layout).empty())
    throw UsageError("--shape and --file-layout have no meaning without --file");
  const TimeLimit within(analysis.timeout);
  std::vector<std::pair<std::string, Sheet>> sheets;
  Labels labels;
  const std::vector<Request> requests = requests_of(analysis);
  const bool bare = !analysis.request.texts.encoding, among_kinds = are_of_kinds(requests);
  const std::size_t first_versus = requests.size() - analysis.versus.size();
  std::vector<Refusal> refusals;
  std::optional<Progress> of_all;
  if (requests.size() > 1) of_all.emplace(std::string(analysis.quantity->name));
  std::size_t begun = 0;
  std::vector<std::string_view> drawn;  // of those that nobody named
  std::vector<std::string> drawn_sentences;
  std::vector<Provenance::Entry> lengths;  // of each subject, LABEL.NAME
  const auto take = [&](SubjectSheet answer) {
    if (!bare && !answer.drawn.empty() &&
        std::ranges::find(drawn_sentences, answer.drawn) == drawn_sentences.end())
      drawn_sentences.push_back(answer.drawn);
    const std::string label = labels.unlike_others(answer.label);
    for (const Provenance::Entry& length : answer.lengths)
      lengths.push_back({fmt::format("{}.{}", label, length.name), length.value, length.origin});
    sheets.emplace_back(label, std::move(answer.sheet));
  };
  const auto tell = [&](double share) {
    const std::size_t done = begun - 1;
    const auto all = static_cast<double>(requests.size());
    const double whole = (static_cast<double>(done) + share) / all;
    if (of_all)
      of_all->begin(fmt::format("{} of {} subjects done", done, requests.size()), whole, whole);
  };
  const auto ask = [&](const Request& request) {
    ask_time();
    ++begun;
    tell(0);
    SubjectSheet answer =
        answer_to(analysis, request, command, among_kinds, sheets.empty() ? &provenance : nullptr,
                  tell, bare && begun <= first_versus);
    if (answer.is_drawn && bare && begun <= first_versus)
      drawn.push_back(request.texts.encoding->name);
    take(std::move(answer));
  };
  if (ranks().are_several() && requests.size() > 1 && !bare && !analysis.quantity->deals) {
    for (SubjectSheet& answer : dealt_out(analysis, requests, command, among_kinds, provenance))
      take(std::move(answer));
  } else {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (bare && i < first_versus)
        ask_or_leave_out(requests[i], ask, refusals);
      else
        ask(requests[i]);
    }
  }
  if (sheets.empty()) throw UsageError(refusals.front().why);
  if (bare) {
    provenance.encoding = "all";
    provenance.parameters.clear();
    provenance.warnings.clear();
  }
  Sheet sheet = sheets.size() == 1 ? sheets.front().second : compared(sheets);
  for (const Refusal& refusal : refusals)
    sheet.notes.push_back(fmt::format("{} is left out: {}", refusal.encoding, refusal.why));
  if (!drawn.empty())
    sheet.notes.push_back(drawn_with(fmt::format("{}", fmt::join(drawn, ", ")), 0));
  if (!analysis.request.fields.empty())
    choose_columns(sheet, comma_separated(analysis.request.fields));
  describe(provenance, analysis, sheet);
  if (sheets.size() > 1)
    provenance.parameters.insert(provenance.parameters.end(), lengths.begin(), lengths.end());
  provenance.warnings.insert(provenance.warnings.end(), drawn_sentences.begin(),
                             drawn_sentences.end());
  return sheet;
}

namespace {

// What the answer's columns make impossible, before the work: a name that none of them has, several
// in a format of one array.
void check_columns(const Analysis& analysis, const Output& output) {
  const auto told = analysis.options.find("view");
  const Encoding* encoding = analysis.request.texts.encoding;
  const auto sets =
      column_sets(*analysis.quantity, told == analysis.options.end() ? "" : told->second.text,
                  encoding ? std::optional(encoding->kind) : std::nullopt);
  std::vector<std::string> known, names = comma_separated(analysis.request.fields);
  for (const std::vector<std::string>& set : sets)
    for (const std::string& name : set)
      if (std::ranges::find(known, name) == known.end()) known.push_back(name);
  for (const std::string& name : names)
    if (!known.empty() && std::ranges::find(known, name) == known.end())
      throw UsageError(
          fmt::format("--fields: no column '{}': there are {}", name, fmt::join(known, ", ")));
  const bool several = std::ranges::all_of(sets, [](const auto& set) { return set.size() > 1; });
  if (names.empty() && !sets.empty() && several) names = sets.front();
  check_output(output, names);
}

}  // namespace

void carry_out(const Analysis& analysis, const std::string& command) {
  const int threads =
      static_cast<int>(whole_number("threads", analysis.request.threads, "0", "1024"));
  Output output = output_of(analysis.output, threads);
  check_columns(analysis, output);
  const std::string certificate = certificate_path(analysis);
  Provenance provenance;
  std::optional<TimeLimit> within(analysis.timeout);
  Sheet sheet = measured(analysis, command, provenance);
  std::vector<std::string> left_out;
  if (is_page(output)) {
    drop_own_names(sheet);
    left_out = fit(sheet, io::most_page_numbers);
  }
  provenance.warnings.insert(provenance.warnings.end(), left_out.begin(), left_out.end());
  const std::vector<Field> fields = fields_of(sheet);  // of millions of numbers it is work, too
  within.reset();                                      // who reads the output may take any time
  const bool compares = !sheet.axes.empty() && sheet.axes.front().name == "subject";
  output.records = compares || (sheet.axes.size() > 1 && sheet.columns.size() > 1);
  if (!ranks().is_first()) return;
  if (!certificate.empty()) write_text(sheet.certificate, certificate);
  write(fields, provenance, output);
  for (const std::string& note : sheet.notes) say(note);
  for (const std::string& sentence : left_out) say(sentence);
}

}  // namespace pe::cmd

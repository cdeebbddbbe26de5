// From requests to questions, and their answers side by side.
#include "analysis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command_line.hpp"
#include "dumps.hpp"
#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "pe/diagnosis/expectation.hpp"
#include "pe/diagnosis/observe/observe.hpp"
#include "pe/io/file.hpp"
#include "pe/model/number.hpp"
#include "progress.hpp"
#include "shared_options.hpp"
#include "talk.hpp"
#include "tool.hpp"

namespace pe::cmd {
namespace {

// What the quantity is told: by the first subject's command line, and by the subject's own where
// that says otherwise.
Parameters options_of(const Analysis& analysis, Request& request) {
  Given told = analysis.options;
  Request first = analysis.request;
  take_shared(*analysis.quantity, first.texts, told);
  take_shared(*analysis.quantity, request.texts, told);
  const auto& schema = analysis.quantity->parameters;
  return complete({schema.begin(), schema.end()}, told, {}, read_array);
}

// What tells the subject from others: the model or the encoding, and what was said of it.
std::string label_of(const Request& request) {
  const SubjectTexts& texts = request.texts;
  std::string label = texts.model;
  if (label.empty())
    label = texts.config.empty() ? std::string(texts.encoding->name)
                                 : texts.config.substr(texts.config.rfind('/') + 1);
  const auto add = [&](const std::string& option) { label += " " + option; };
  for (const auto& [name, value] : texts.flags)
    add(value.text == "true" ? "--" + name : fmt::format("--{} {}", name, shell_word(value.text)));
  if (!texts.layer_type.empty()) add("--layer-type " + texts.layer_type);
  if (texts.dialect) add("--dialect " + *texts.dialect);
  return label;
}

// One text of --versus: an encoding and its options; positions, dtype and dialect are those of the
// first subject where it does not say its own.
Request request_of(const std::string& text, const Analysis& analysis) {
  const CommandLine line(shell_words(text), 0);
  Request request;
  request.threads = analysis.request.threads;
  CLI::App app("", "--versus");
  app.require_subcommand(1);
  add_encodings(app, line, 0, [&](CLI::App& sub, const Encoding& encoding) {
    check_applies(*analysis.quantity, encoding);
    request.texts.encoding = &encoding;
    add_options(sub, request);
  });
  line.check_word(app, 0, "encoding");
  try {
    line.parse(app);
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("--versus '{}': {}", text, error.what()));
  }
  if (!request.texts.encoding)
    throw UsageError(fmt::format("--versus '{}' names no encoding and no model", text));
  SubjectTexts& texts = request.texts;
  const SubjectTexts& first = analysis.request.texts;
  if (texts.length.empty() && texts.positions.empty()) {
    texts.length = first.length;
    texts.positions = first.positions;
  }
  if (!texts.dtype) texts.dtype = first.dtype;
  if (!texts.dialect) texts.dialect = first.dialect;
  return request;
}

std::vector<Index> lengths_of(const Analysis& analysis) {
  std::vector<Index> lengths;
  const std::string& text =
      analysis.quantity->several_lengths ? analysis.lengths : analysis.request.texts.length;
  for (const std::string& item : comma_separated(text))
    lengths.push_back(whole_number("length", item, "1", largest_whole));
  return lengths;
}

// The effect of the subject is what the dump holds, at the positions that it has.
void take_dump(Question& question, const Analysis& analysis) {
  Subject& subject = question.subject;
  Expectation expected = expectation_of(subject);
  expected.layout = analysis.file_layout;
  const Dump dump{
      open_all(analysis.files, analysis.request.texts.dtype, parse_shape(analysis.shape)), {}};
  Observed observed = observe(expected, dump);
  subject.effect = within_budget(std::move(observed.subject.effect));
  subject.span = span_of(observed.subject.positions);
  subject.length = observed.subject.positions.length();
  question.of_file = true;
}

struct Answer {
  std::string label;
  Sheet sheet;
};

Answer answer_to(const Analysis& analysis, Request request, const std::string& command,
                 Provenance* provenance) {
  const Quantity& quantity = *analysis.quantity;
  const std::vector<Index> lengths = lengths_of(analysis);
  if (!request.texts.dtype) request.texts.dtype = "f64";
  if (quantity.several_lengths && !lengths.empty())
    request.texts.length = std::to_string(std::ranges::max(lengths));
  const Parameters options = options_of(analysis, request);
  const std::string label = label_of(request);
  const bool of_file = provenance && !analysis.files.empty();
  Index usual = quantity.usual_length;
  if (of_file)
    usual = length_of(
        open_all(analysis.files, analysis.request.texts.dtype, parse_shape(analysis.shape)), usual);
  const Resolved resolved = resolve(request, "pe-analyze", command, usual);
  if (provenance) *provenance = resolved.provenance;
  Question question{.subject = resolved.subject,
                    .options = options,
                    .lengths = lengths,
                    .threads = resolved.threads};
  if (of_file) take_dump(question, analysis);
  const std::string named = of_file ? analysis.files.front() : label;
  Progress progress(fmt::format("{} of {}", quantity.name, named));
  question.progress = [&](double share) { progress.at(share); };
  return {named, quantity.measure(question)};
}

// The columns that --fields names, in its order.
void choose_columns(Sheet& sheet, const std::string& fields) {
  if (fields.empty()) return;
  std::vector<Column> chosen;
  std::vector<std::string> names;
  for (const Column& column : sheet.columns) names.push_back(column.name);
  for (const std::string& name : comma_separated(fields)) {
    const auto found = std::ranges::find(sheet.columns, name, &Column::name);
    if (found == sheet.columns.end())
      throw UsageError(
          fmt::format("--fields: no column '{}': there are {}", name, fmt::join(names, ", ")));
    chosen.push_back(*found);
  }
  sheet.columns = std::move(chosen);
}

void describe(Provenance& provenance, const Analysis& analysis, const Sheet& sheet) {
  const Quantity& quantity = *analysis.quantity;
  provenance.accuracy = quantity.accuracy;
  provenance.source = quantity.source;
  provenance.parameters.insert(
      provenance.parameters.begin(),
      {"quantity", std::string(quantity.name), std::string(quantity.definition)});
  Request request = analysis.request;
  const Parameters options = options_of(analysis, request);
  for (const Parameters::Entry& entry : options.entries())
    if (std::ranges::find(provenance.parameters, entry.name, &Provenance::Entry::name) ==
        provenance.parameters.end())
      provenance.parameters.push_back({entry.name, entry.text, entry.origin});
  for (const std::string& versus : analysis.versus)
    provenance.parameters.push_back({"versus", versus, "flag --versus"});
  if (!sheet.notes.empty()) provenance.texts.push_back({"note", sheet.notes});
}

// The encodings that the quantity has a meaning for, as they are without a word.
std::vector<Request> every_request(const Analysis& analysis) {
  std::vector<Request> requests;
  for (const Encoding* encoding : all_encodings())
    if (applies(*analysis.quantity, *encoding)) {
      requests.push_back(analysis.request);
      requests.back().texts.encoding = encoding;
    }
  return requests;
}

// What is asked for first, and what beside it.
std::vector<Request> requests_of(const Analysis& analysis) {
  std::vector<Request> requests = analysis.request.texts.encoding
                                      ? std::vector<Request>{analysis.request}
                                      : every_request(analysis);
  for (const std::string& versus : analysis.versus)
    requests.push_back(request_of(versus, analysis));
  return requests;
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
  }
}

}  // namespace

void carry_out(const Analysis& analysis, const std::string& command) {
  if (analysis.files.empty() && !(analysis.shape + analysis.file_layout).empty())
    throw UsageError("--shape and --file-layout have no meaning without --file");
  const Output output =
      output_of(analysis.output,
                static_cast<int>(whole_number("threads", analysis.request.threads, "0", "1024")));
  Provenance provenance;
  std::vector<std::pair<std::string, Sheet>> sheets;
  const auto add = [&](Answer answer) {
    sheets.emplace_back(std::move(answer.label), std::move(answer.sheet));
  };
  std::vector<Refusal> refusals;
  const bool bare = !analysis.request.texts.encoding;
  const auto ask = [&](const Request& request) {
    add(answer_to(analysis, request, command, sheets.empty() ? &provenance : nullptr));
  };
  for (const Request& request : requests_of(analysis)) {
    if (bare)
      ask_or_leave_out(request, ask, refusals);
    else
      ask(request);
  }
  if (sheets.empty()) throw UsageError(refusals.front().why);
  if (bare) {
    provenance.encoding = "all";
    provenance.parameters.clear();
  }
  Sheet sheet = sheets.size() == 1 ? sheets.front().second : compared(sheets);
  choose_columns(sheet, analysis.request.fields);
  describe(provenance, analysis, sheet);
  Output laid_out = output;
  laid_out.records = sheets.size() > 1 || (sheet.axes.size() > 1 && sheet.columns.size() > 1);
  write(fields_of(sheet), provenance, laid_out);
  for (const std::string& note : sheet.notes) say(note);
  for (const Refusal& refusal : refusals)
    say(fmt::format("{} is left out: {}", refusal.encoding, refusal.why));
}

}  // namespace pe::cmd

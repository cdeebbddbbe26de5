// The first subject, those of --versus, and of a quantity alone every encoding.
#include "analysis_requests.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command_line.hpp"
#include "mistakes.hpp"
#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "tool.hpp"

namespace pe::cmd {
namespace {

// The words of one text of --versus; options alone are of the first subject's encoding.
std::vector<std::string> words_of(const std::string& text, const Analysis& analysis) {
  std::vector<std::string> words = shell_words(text);
  const Encoding* first = analysis.request.texts.encoding;
  const bool names_one = words.empty() || !words[0].starts_with("--") ||
                         std::ranges::any_of(words, [](const std::string& word) {
                           return word.starts_with("--model") || word.starts_with("--config");
                         });
  if (first && !names_one) words.emplace(words.begin(), first->name);
  return words;
}

// One text of --versus: an encoding and its options; positions, dtype and dialect are those of the
// first subject where it does not say its own.
Request request_of(const std::string& text, const Analysis& analysis) {
  ask_time();
  const CommandLine line(words_of(text, analysis), 0);
  Request request;
  request.threads = analysis.request.threads;
  CLI::App app("", "--versus");
  add_encodings(app, line, 0, [&](CLI::App& sub, const Encoding& encoding) {
    check_applies(*analysis.quantity, encoding);
    request.texts.encoding = &encoding;
    add_options(sub, request);
  });
  line.check_word(app, 0, Sort::encoding);
  try {
    line.parse(app);
  } catch (const CLI::ParseError& error) {
    const bool chosen = !app.get_subcommands().empty();
    const CLI::App& last = chosen ? *app.get_subcommands().front() : app;
    throw UsageError(
        fmt::format("--versus '{}': {}", text, message_of(error, last, "--versus", line.words())));
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

}  // namespace

std::vector<Request> requests_of(const Analysis& analysis) {
  std::vector<Request> requests = analysis.request.texts.encoding
                                      ? std::vector<Request>{analysis.request}
                                      : every_request(analysis);
  for (const std::string& versus : analysis.versus)
    requests.push_back(request_of(versus, analysis));
  return requests;
}

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
  if (!texts.part.empty()) add("--part " + texts.part);
  if (texts.dialect) add("--dialect " + *texts.dialect);
  return label;
}

// "10000,500000" where one value belongs: a sweep, of which every other value is another subject.
void refuse_sweeps(const Request& request) {
  const SubjectTexts& texts = request.texts;
  if (!texts.encoding) return;
  const auto refuse = [&](const std::string& name, const std::string& text) {
    const std::string first = text.substr(0, text.find(',')),
                      last = text.substr(text.rfind(',') + 1);
    throw UsageError(fmt::format(
        "--{0} takes one value, got {1}: --{0} {2} --versus '{3} --{0} {4}' puts another "
        "beside it",
        name, text, first, texts.encoding->name, last));
  };
  const auto is_list = [](const std::string& text, const char* letters) {
    return text.find(',') != std::string::npos && !text.starts_with(',') && !text.ends_with(',') &&
           text.find_first_not_of(letters) == std::string::npos;
  };
  for (const Parameter& row : schema_of(*texts.encoding)) {
    const auto flag = texts.flags.find(row.name);
    if (flag == texts.flags.end()) continue;
    const std::string& text = flag->second.text;
    const bool one = row.type == Parameter::Type::integer || row.type == Parameter::Type::number;
    const std::size_t comma = text.rfind(',');
    const bool groups = comma != std::string::npos && text.size() - comma == 4;  // 500,000
    if (one && !groups && is_list(text, "0123456789.,eE+-")) refuse(row.name, text);
    if (std::string_view(row.name) == "scaling" && text.find(',') != std::string::npos)
      refuse(row.name, text);
  }
  if (texts.model.find(',') != std::string::npos) refuse("model", texts.model);
}

// --queries names those that are looked at; how many there are is another option.
void refuse_counted_queries(const Given& told) {
  const auto found = told.find("queries");
  if (found == told.end()) return;
  const std::string& text = found->second.text;
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos)
    throw UsageError(
        fmt::format("--queries must be one of last, all, got {0}: --length {0} says how many "
                    "there are",
                    text));
}

}  // namespace pe::cmd

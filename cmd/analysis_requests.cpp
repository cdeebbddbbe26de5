// The first subject, those of --versus, and of a quantity alone every encoding.
#include "analysis_requests.hpp"

#include <fmt/format.h>

#include "command_line.hpp"
#include "mistakes.hpp"
#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "tool.hpp"

namespace pe::cmd {
namespace {

// One text of --versus: an encoding and its options; positions, dtype and dialect are those of the
// first subject where it does not say its own.
Request request_of(const std::string& text, const Analysis& analysis) {
  ask_time();
  const CommandLine line(shell_words(text), 0);
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

}  // namespace pe::cmd

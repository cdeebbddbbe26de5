// Options from schemas.
#include "options.hpp"

#include <fmt/format.h>

#include "main.hpp"
#include "pe/base/error.hpp"
#include "pe/base/version.hpp"
#include "pe/io/config.hpp"
#include "pe/models/catalogue.hpp"
#include "pe/models/reading.hpp"

namespace pe::cmd {
namespace {

std::string type_name(const Parameter& parameter) {
  switch (parameter.type) {
    case Parameter::Type::integer:
      return "INT";
    case Parameter::Type::number:
      return "NUMBER";
    case Parameter::Type::numbers:
      return "NUMBER,...";
    case Parameter::Type::choice:
      return fmt::format("{{{}}}", fmt::join(words(parameter.choices), ","));
    case Parameter::Type::name:
      return "NAME";
    case Parameter::Type::tensor:
      return "FILE[:TENSOR]";
    case Parameter::Type::flag:
      return "";
  }
  return "";
}

void add_parameter(CLI::App& app, const Parameter& parameter, Given& flags) {
  const std::string name = parameter.name, option = "--" + name;
  const char* group = "Parameters";
  if (parameter.type == Parameter::Type::flag) {
    const auto set = [&flags, name](const std::string& as, const char* value) {
      return [&flags, name, as, value] {
        if (const auto before = flags.find(name);
            before != flags.end() && before->second.text != value)
          throw UsageError(
              fmt::format("--{} contradicts --{}", as, before->second.origin.substr(7)));
        flags[name] = {value, "flag --" + as};
      };
    };
    const bool on = std::string_view(parameter.fallback ? parameter.fallback : "false") == "true";
    app.add_flag_callback(option, set(name, "true"),
                          std::string(parameter.help) + (on ? " (default)" : ""))
        ->group(group);
    if (parameter.negation)
      app.add_flag_callback("--" + std::string(parameter.negation),
                            set(parameter.negation, "false"), "the opposite")
          ->group(group);
    return;
  }
  const std::string names = option + (parameter.alias ? ",--" + std::string(parameter.alias) : "");
  const auto store = [&flags, name](const std::string& text) {
    flags[name] = {text, "flag --" + name};
  };
  CLI::Option* added = app.add_option_function<std::string>(names, store, parameter.help);
  added->group(group)->type_name(type_name(parameter));
  if (parameter.fallback) added->default_str(parameter.fallback);
}

// One more than the largest offset of either sign: the length of a sequence that has them all.
Index reach_of(const PositionRange& offsets) {
  if (offsets.count == 0 || offsets.decimals != 0) return offsets.length();
  return std::max(std::abs(offsets.at(0)), std::abs(offsets.at(offsets.count - 1))) + 1;
}

// What a config or a model of the catalogue says; nothing when none is named.
Reading read(const Request& request) {
  if (!request.config.empty() && !request.model.empty())
    throw UsageError("--config and --model say the same thing: give one of them");
  if (request.config.empty() && request.model.empty()) {
    if (!request.layer_type.empty())
      throw UsageError("--layer-type has no meaning without --config or --model");
    return {};
  }
  const Config config =
      request.config.empty() ? read_catalogued(request.model) : read_config_file(request.config);
  return read_model(config, request.encoding, request.layer_type);
}

// The value of --NAME or --NAME=… among the words, or "".
std::string option_of(const std::vector<std::string>& line, const std::string& name) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == name && i + 1 < line.size()) return line[i + 1];
    if (line[i].starts_with(name + "=")) return line[i].substr(name.size() + 1);
  }
  return "";
}

}  // namespace

void explain(const Subject& subject) {
  const Reading& reading = subject.reading;
  std::size_t wide = 0;
  for (const auto& entry : subject.provenance.parameters) wide = std::max(wide, entry.name.size());
  say(fmt::format("{}: {}", subject.encoding->name, subject.encoding->summary));
  if (reading.family)
    say(fmt::format("  model family {}, channels turn in {} pairs{}",
                    words(reading.family->types).front(), reading.family->pairing,
                    reading.family->note.empty() ? "" : fmt::format("; {}", reading.family->note)));
  for (const auto& [name, value, origin] : subject.provenance.parameters) {
    const auto given = reading.given.find(name);
    const bool ruled = given != reading.given.end() && given->second.origin == origin &&
                       !given->second.rule.empty();
    say(fmt::format("  {:<{}}  {}  ({}{})", name, wide, value, origin,
                    ruled ? ": " + given->second.rule : ""));
  }
  if (const Rotation* rotation = std::get_if<Rotation>(&subject.effect))
    for (const std::string& decision : rotation->decisions) say("  " + decision);
}

std::vector<std::string> comma_separated(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t start = 0; start <= text.size() && !text.empty();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    items.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return items;
}

Index whole_number(const std::string& option, const std::string& text, const std::string& lowest,
                   const std::string& highest) {
  const Parameter row{.name = option.c_str(), .lowest = lowest.c_str(), .highest = highest.c_str()};
  return complete({row}, {{option, {text, "flag --" + option}}}, {}, {}).integer(option);
}

Parameters parameters_in(const Request& request, Given given, const Dialect& dialect,
                         const std::function<Array(const std::string&)>& load) {
  const std::vector<Parameter> schema = schema_of(*request.encoding);
  const auto value = [&](const std::string& name) -> std::string {
    for (const Given* source : {&request.flags, static_cast<const Given*>(&given)})
      if (const auto found = source->find(name); found != source->end()) return found->second.text;
    return "";
  };
  for (const std::string& reading :
       words(dialect.readings)) {  // scaling.parameter=value or encoding.parameter=value
    const auto dot = reading.find('.'), equals = reading.find('=');
    const std::string name = reading.substr(dot + 1, equals - dot - 1),
                      text = reading.substr(equals + 1);
    const std::string of = reading.substr(0, dot);
    if ((value("scaling") != of && request.encoding->name != of) || request.flags.contains(name))
      continue;
    const std::string origin = fmt::format("dialect {}", dialect.name),
                      meant = text.starts_with('@') ? value(text.substr(1)) : text;
    if (meant.empty())
      given.erase(name);
    else
      given[name] = {meant, origin};
  }
  return complete(schema, request.flags, given, load);
}

void add_options(CLI::App& app, Request& request) {
  for (const Parameter& parameter : schema_of(*request.encoding))
    add_parameter(app, parameter, request.flags);
  app.add_option("--config", request.config,
                 "read the position fields of a model's config.json, or of a GGUF file")
      ->type_name("FILE");
  app.add_option("--model", request.model,
                 "the same for a model of the catalogue (pe-gen list models)")
      ->type_name("NAME");
  app.add_option("--layer-type", request.layer_type,
                 "layers of this kind, where the config tells them apart; all: each kind's fields")
      ->type_name("NAME");
  app.add_option("--length", request.length, "positions 0 to N-1")->type_name("N");
  app.add_option("--positions", request.positions,
                 "a run of positions, half-open, or of offsets where the field is relative")
      ->type_name("START:STOP[:STEP]");
  app.add_option("--dtype", request.dtype, "element type of real fields")
      ->type_name("{f64,f32,f16,bf16}")
      ->capture_default_str()
      ->each([&request](const std::string&) { request.dtype_given = true; });
  app.add_option("--dialect", request.dialect, "whose arithmetic and layout")
      ->type_name("NAME")
      ->capture_default_str()
      ->each([&request](const std::string&) { request.dialect_given = true; });
  app.add_option("--threads", request.threads, "threads to compute with; 0: one for each processor")
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--explain", request.explain, "print each value and where it came from, on stderr");
  std::string footer = fmt::format("EXAMPLES\n  {} {}\n  {} {} -o {}.h5\n\nACCURACY\n  {}\n",
                                   app.get_parent()->get_name(), request.encoding->example,
                                   app.get_parent()->get_name(), request.encoding->example,
                                   request.encoding->name, request.encoding->accuracy);
  app.footer(footer);
}

Subject resolve(const Request& request, const std::string& tool, const std::string& command,
                Index usual_length, bool quiet) {
  Subject subject;
  subject.encoding = request.encoding;
  subject.dtype = parse_dtype(request.dtype);
  subject.threads = static_cast<int>(whole_number("threads", request.threads, "0", "1024"));
  subject.dialect = &find_dialect(request.dialect);

  subject.reading = read(request);
  const Reading& reading = subject.reading;
  for (const std::string& warning : quiet ? std::vector<std::string>{} : reading.warnings)
    say(fmt::format("{}: warning: {}", tool, warning));
  Given given = reading.given;
  given.insert(request.implied.begin(), request.implied.end());
  subject.given = given;
  subject.parameters = parameters_in(request, given, *subject.dialect);

  if (!request.length.empty() && !request.positions.empty())
    throw UsageError("--length and --positions say the same thing: give one of them");
  subject.whole_length = request.positions.empty();
  if (!subject.whole_length) {
    subject.span = span_of(parse_positions(request.positions));
  } else {
    const Index length = request.length.empty()
                             ? usual_length
                             : whole_number("length", request.length, "1", "9007199254740992");
    subject.span = span_of_length(length);
  }
  const bool relative = request.encoding->kind == Kind::relative;
  subject.length = relative ? reach_of(subject.span.offsets) : subject.span.positions.length();
  subject.effect = request.encoding->make(subject.parameters, subject.length);
  // Without --length: a grid has all of its cells, a short table all of its rows.
  if (const auto rows = rows_of(subject.effect); rows && request.length.empty() &&
                                                 subject.whole_length &&
                                                 (is_grid(subject.effect) || *rows < usual_length))
    subject.span = span_of_length(*rows);

  Provenance& provenance = subject.provenance;
  provenance = {tool,
                std::string(version()),
                command,
                std::string(request.encoding->name),
                request.dialect,
                std::string(request.encoding->accuracy),
                std::string(request.encoding->source),
                {}};
  for (const Parameters::Entry& entry : deciding(*request.encoding, subject.parameters))
    provenance.parameters.push_back({entry.name, entry.text, entry.origin});
  provenance.parameters.push_back({"positions", spell(subject.span.positions),
                                   request.positions.empty()
                                       ? request.length.empty() ? "default" : "flag --length"
                                       : "flag --positions"});
  if (request.explain) explain(subject);
  return subject;
}

std::vector<std::string> with_encoding(int argc, char** argv, std::size_t depth) {
  std::vector<std::string> line(argv, argv + argc);
  for (std::size_t i = 1; i <= depth; ++i)
    if (i >= line.size() || line[i].starts_with('-')) return line;
  if (line.size() > depth + 1 && !line[depth + 1].starts_with('-')) return line;
  for (const std::string& word : line)
    if (word == "--help" || word == "-h" || word == "--version") return line;
  const std::string config = option_of(line, "--config"), model = option_of(line, "--model"),
                    layer_type = option_of(line, "--layer-type");
  if (config.empty() && model.empty()) return line;
  const Encoding& encoding = encoding_of(config, model, layer_type == "all" ? "" : layer_type);
  line.insert(line.begin() + static_cast<std::ptrdiff_t>(depth) + 1, std::string(encoding.name));
  return line;
}

const Encoding& encoding_of(const std::string& config, const std::string& model,
                            const std::string& layer_type) {
  Request request;
  request.config = config;
  request.model = model;
  request.layer_type = layer_type;
  return *read(request).encoding;
}

std::string command_line(int argc, char** argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) {
    std::string word = argv[i];
    if (i == 0) word = word.substr(word.rfind('/') + 1);
    const bool plain =
        !word.empty() &&
        word.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,.:/@%") ==
            std::string::npos;
    line += (i ? " " : "") + (plain ? word : "'" + word + "'");
  }
  return line;
}

}  // namespace pe::cmd

// Options from schemas.
#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "help_page.hpp"
#include "no_clobber.hpp"
#include "pe/base/error.hpp"
#include "pe/io/file.hpp"
#include "pe/io/format.hpp"
#include "pe/model/number.hpp"
#include "pe/scalings/scaling.hpp"
#include "pe/subject/drawn_numbers.hpp"
#include "talk.hpp"

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

void add_parameter(CLI::App& app, const Parameter& parameter, const char* group, Given& flags) {
  const std::string name = parameter.name, option = "--" + name;
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
                          (on ? "the default: " : "") + std::string(parameter.help))
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

// Rules that have the parameter.
std::vector<std::string> rules_with(const Parameter& parameter) {
  std::vector<std::string> rules;
  for (const Scaling* scaling : all_scalings())
    for (const Parameter& row : scaling->parameters)
      if (std::string_view(row.name) == parameter.name) rules.emplace_back(scaling->name);
  return rules;
}

// The row's own parameters, then those of scalings: of one rule alone under its name.
void add_encoding_options(CLI::App& app, const Encoding& encoding, Given& flags) {
  std::set<std::string_view> own;
  for (const Parameter& parameter : encoding.parameters) {
    own.insert(parameter.name);
    const bool chooses = std::string_view(parameter.name) == "scaling";
    add_parameter(app, parameter, chooses ? group::scaling : group::encoding, flags);
  }
  for (const Parameter& parameter : schema_of(encoding)) {
    if (own.contains(parameter.name)) continue;
    const std::vector<std::string> rules = rules_with(parameter);
    const std::string title =
        rules.size() == 1 ? fmt::format("{} {}", group::scaling, rules.front()) : group::scaling;
    add_parameter(app, parameter, title.c_str(), flags);
    if (rules.size() < 2) continue;
    CLI::Option* option = app.get_option("--" + std::string(parameter.name));
    option->description(fmt::format("{} [{}]", option->get_description(), fmt::join(rules, ", ")));
  }
}

void add_positions(CLI::App& app, SubjectTexts& texts) {
  app.add_option("--length", texts.length, "positions 0 to N-1")
      ->type_name("N")
      ->group(group::positions);
  app.add_option("--positions", texts.positions,
                 "a run of positions, half-open, or of offsets where the field is relative")
      ->type_name("START:STOP[:STEP]")
      ->group(group::positions);
}

void add_model(CLI::App& app, Request& request) {
  SubjectTexts& texts = request.texts;
  const auto text = [&](const char* name, std::string& into, const char* help) {
    app.add_option(name, into, help)->type_name("NAME")->group(group::model);
  };
  text(
      "--model", texts.model,
      "take what the model of the catalogue says (pe-gen list models), by its name there or its id "
      "on Hugging Face's hub");
  text(
      "--config", texts.config,
      "the same of a config.json, a folder that has one in it, a GGUF file, standard input (-), or "
      "JSON given here");
  app.get_option("--config")->type_name("FILE");
  text("--layer-type", texts.layer_type,
       "layers of this kind, where the config tells them apart; all: each kind's fields");
  text("--part", texts.part,
       "the part of the model that is meant, where the config has several: text, vision, audio, "
       "encoder, decoder, or the path of its key");
  app.add_flag("--strict", request.strict,
               "refuse a config that is read with a warning: a model_type in no row, a key of "
               "positions that nobody reads")
      ->group(group::model);
}

}  // namespace

namespace {

std::string pairs_of(std::string_view pairing) {
  if (pairing == "halves") return "pairs of halves (j, j + n)";
  if (pairing == "adjacent") return "adjacent pairs (2j, 2j + 1)";
  return fmt::format("{} pairs", pairing);
}

// The family's, which a key may change; of several axes the convention's.
std::string_view pairing_of(const Subject& subject) {
  if (std::ranges::none_of(subject.encoding->parameters, [](const Parameter& row) {
        return std::string_view(row.name) == "pairing";
      }))
    return std::get<Rotation>(subject.effect).pairing == Pairing::halves ? "halves" : "adjacent";
  const auto given = subject.reading.given.find("pairing");
  return given == subject.reading.given.end() ? std::string_view(subject.reading.family->pairing)
                                              : std::string_view(given->second.text);
}

// Whether the encoding's own numbers are looked at: buckets are the same whatever they index, and
// are what is written of a relative encoding where no field is named.
bool needs_numbers(const Request& request, const Subject& subject) {
  if (!request.of_numbers) return false;
  if (request.of_dump || !request.of_fields) return !request.of_dump;
  const std::vector<std::string> fields = comma_separated(request.fields);
  return fields.empty() ? subject.encoding->kind != Kind::relative
                        : std::ranges::any_of(fields, [&](const std::string& field) {
                            return is_drawn(subject, field);
                          });
}

// A fraction of the channels says nothing where their number is given.
bool is_outranked(const std::string& name, const Subject& subject) {
  return name == "partial-rotary-factor" && subject.parameters.has("rotary-dim");
}

}  // namespace

void explain(const Subject& subject, const Provenance& provenance) {
  const Reading& reading = subject.reading;
  std::size_t wide = 0;
  for (const auto& entry : provenance.parameters) wide = std::max(wide, entry.name.size());
  say_folded(fmt::format("{}: {}", subject.encoding->name, subject.encoding->summary), 2);
  if (reading.family) {
    const bool turns = std::holds_alternative<Rotation>(subject.effect);
    say_folded(
        fmt::format("  model family {}{}{}", reading.family->name(),
                    turns ? ", channels turn in " + pairs_of(pairing_of(subject)) : "",
                    reading.family->note.empty() ? "" : fmt::format("; {}", reading.family->note)),
        4);
  }
  for (const auto& [name, value, origin] : provenance.parameters) {
    if (is_outranked(name, subject)) continue;
    std::string shown = value;  // a list of many numbers breaks at its commas
    if (shown.size() > 60)
      for (std::size_t at = shown.find(','); at != shown.npos; at = shown.find(',', at + 1))
        shown.insert(at + 1, 1, ' ');
    const auto given = reading.given.find(name);
    const bool ruled = given != reading.given.end() && given->second.origin == origin &&
                       !given->second.rule.empty();
    say_folded(fmt::format("  {:<{}}  {}  ({}{})", name, wide, shown, origin,
                           ruled ? ": " + given->second.rule : ""),
               wide + 4);
  }
  if (const Rotation* rotation = std::get_if<Rotation>(&subject.effect))
    for (const std::string& decision : rotation->decisions) say_folded("  " + decision, 4);
}

std::vector<std::string> comma_separated(const std::string& typed) {
  std::string text = typed;
  const bool is_list = text.size() > 1 && ((text.front() == '[' && text.back() == ']') ||
                                           (text.front() == '(' && text.back() == ')'));
  if (is_list) text = text.substr(1, text.size() - 2);
  if (is_list) std::erase_if(text, [](char c) { return c == '\'' || c == '"'; });
  if (text.find(',') == std::string::npos) return words(text);
  std::vector<std::string> items;
  for (std::size_t start = 0; start <= text.size() && !text.empty();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    std::string item = text.substr(start, comma - start);
    item.erase(0, std::min(item.find_first_not_of(' '), item.size()));
    item.erase(item.find_last_not_of(' ') + 1);
    items.push_back(std::move(item));
    start = comma + 1;
  }
  return items;
}

void take_position_lists(CLI::App& app) {
  CLI::Option* positions = app.get_option("--positions");
  positions->type_name("START:STOP[:STEP] or P,P,...");
  positions->description(positions->get_description() + "; or a list, as of a padded batch");
}

void tell_usual_length(CLI::App& app, const Encoding& encoding, Index usual) {
  CLI::Option* length = app.get_option("--length");
  const bool has_cells = std::ranges::any_of(encoding.parameters, [](const Parameter& row) {
    return std::string_view(row.name) == "grid" || std::string_view(row.name) == "window";
  });
  if (has_cells)
    length->description(length->get_description() + " (default: every cell)");
  else
    length->default_str(std::to_string(usual));
}

void add_parameters(CLI::App& app, std::span<const Parameter> schema, const char* group,
                    Given& flags) {
  for (const Parameter& parameter : schema) add_parameter(app, parameter, group, flags);
}

void add_options(CLI::App& app, Request& request) {
  SubjectTexts& texts = request.texts;
  add_positions(app, texts);
  add_encoding_options(app, *texts.encoding, texts.flags);
  add_model(app, request);
  app.add_option("--dtype", texts.dtype, "element type of real fields")
      ->type_name("{f64,f32,f16,bf16}")
      ->default_str("f32")
      ->group(group::output);
  app.add_option("--dialect", texts.dialect, "whose arithmetic and layout (pe-gen list dialects)")
      ->type_name("NAME")
      ->default_str("exact")
      ->group(group::output);
  app.add_option("--threads", request.threads, "threads to compute with; 0: one for each processor")
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--explain", request.explain, "print each value and where it came from, on stderr");
  app.footer(fmt::format("EXAMPLES\n  {0} {1}\n  {0} {1} -o {2}.h5\n\nACCURACY\n  {3}\n",
                         app.get_parent()->get_name(), texts.encoding->example,
                         texts.encoding->name, texts.encoding->accuracy));
}

void add_output_options(CLI::App& app, OutputRequest& request) {
  request.app = &app;
  app.add_option("-o,--output", request.path, "file; its suffix picks the format; - is stdout")
      ->type_name("PATH")
      ->capture_default_str()
      ->group(group::output);
  app.add_option("--format", request.format,
                 "csv, hdf5, npy, npz, safetensors, json, html or raw, whatever the suffix")
      ->type_name("NAME")
      ->group(group::output);
  app.add_flag("--tidy", request.tidy, "CSV with one row for each element")->group(group::output);
  app.add_flag("--no-sync", request.no_sync,
               "do not wait until a file is on the disk: a loss of power may take it")
      ->group(group::output);
  add_no_clobber(app, request.no_clobber)->group(group::output);
}

Output output_of(const OutputRequest& request, int threads) {
  const std::string suffix = io::suffix_of(request.path);
  for (const std::string_view picture : {".png", ".pdf", ".svg", ".jpg", ".jpeg", ".gif"})
    if (suffix == picture && request.format.empty())
      throw UsageError(
          fmt::format("'{0}' would be a picture, which pe-plot draws of what stands on stdout: … | "
                      "pe-plot -o {0}",
                      request.path));
  if (request.no_clobber) keep_what_is_there({request.path}, "-o");
  if (request.app) keep_what_is_read({request.path}, "-o", values_of(*request.app));
  Output output{.path = request.path,
                .format = {},
                .tidy = request.tidy,
                .threads = threads,
                .sync = !request.no_sync,
                .keep = request.no_clobber};
  if (!request.format.empty()) output.format = parse_format(request.format);
  if (const io::FormatRow* row = io::row_of_suffix(suffix);
      row && output.format && row->format != *output.format)
    say_at_end(
        fmt::format("warning: '{}' is {} by its suffix, and {} by --format: others may not read it",
                    request.path, row->name, request.format));
  return output;
}

Resolved resolve(const Request& request, const std::string& tool, const std::string& command,
                 Index usual_length, bool quiet) {
  Resolved resolved;
  resolved.threads = static_cast<int>(whole_number("threads", request.threads, "0", "1024"));
  const Reading reading = reading_of(request.texts);
  const auto refuse = [&](const Reading& of) {
    if (request.strict && !of.warnings.empty())
      throw UsageError(fmt::format("{} (refused by --strict)", of.warnings.front()));
  };
  refuse(reading);
  if (!quiet)
    for (const std::string& warning : reading.warnings)
      say(fmt::format("{}: warning: {}", tool, warning));
  resolved.subject = make_subject(request.texts, reading, usual_length, read_array);
  if (!needs_numbers(request, resolved.subject))
    std::erase(resolved.subject.reading.warnings, doubt_of_numbers(resolved.subject));
  const Reading& completed = resolved.subject.reading;
  refuse(completed);
  if (!quiet)
    for (std::size_t k = reading.warnings.size(); k < completed.warnings.size(); ++k)
      say_at_end(fmt::format("{}: warning: {}", tool, completed.warnings[k]));
  resolved.provenance = provenance_of(resolved.subject, tool, command);
  if (request.explain) explain(resolved.subject, resolved.provenance);
  return resolved;
}

}  // namespace pe::cmd

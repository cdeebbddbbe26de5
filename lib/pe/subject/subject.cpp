// From texts to a subject.
#include "pe/subject/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "pe/base/decimal.hpp"
#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "pe/base/version.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/io/file.hpp"
#include "pe/model/number.hpp"
#include "pe/subject/drawn_numbers.hpp"

namespace pe {
namespace {

// One entry of Dialect::readings: "scaling.parameter=value" or "encoding.parameter=value", with
// "?which" for some models alone and "?!which" for all others.
struct DialectReading {
  explicit DialectReading(const std::string& text) {
    const auto dot = text.find('.');
    const auto equals = text.find('=');
    const auto mark = std::min(text.find('?'), text.size());
    of = text.substr(0, dot);
    parameter = text.substr(dot + 1, equals - dot - 1);
    value = text.substr(equals + 1, mark - equals - 1);
    if (mark < text.size()) which = text.substr(mark + 1);
  }
  std::string of, parameter, value, which;
};

// Whether an engine reads a model so: "latent" are those of latent attention, "gguf" those out of
// such a file; any other word is a type of model.
bool speaks_of(const std::string& which, const Family* family) {
  if (which.empty()) return true;
  if (which.starts_with('!')) return !speaks_of(which.substr(1), family);
  if (const auto bar = which.find('|'); bar != std::string::npos)
    return speaks_of(which.substr(0, bar), family) || speaks_of(which.substr(bar + 1), family);
  if (!family) return false;
  if (which == "gguf") return family->name().starts_with("gguf/");
  if (which == "latent")
    return std::ranges::count(strings_of(family->find("width")), "qk_rope_head_dim") > 0;
  return std::ranges::count(words(family->types), which) > 0;
}

// The layout of a transformers dialect is that of the family's class.
const Dialect& kept_by(const Dialect& dialect, const Family* family) {
  return as_kept(dialect, family ? text_of(family->find("keeps")) : "");
}

// "@name": what another parameter is.
std::string said_by(const std::string& value,
                    const std::function<std::string(const std::string&)>& of) {
  return value.starts_with('@') ? of(value.substr(1)) : value;
}

// What config and other input said, as the dialect reads it.
Given as_read(const Subject& subject) {
  Given read = subject.given;
  const auto value = [&](const std::string& name) -> std::string {
    for (const Given* source : {&subject.flags, static_cast<const Given*>(&read)})
      if (const auto found = source->find(name); found != source->end()) return found->second.text;
    return "";
  };
  for (const std::string& text : words(subject.dialect->readings)) {
    const DialectReading reading(text);
    if (reading.of == "config") {  // as another program reads its keys
      const auto other = subject.reading.others.find(reading.value);
      if (other == subject.reading.others.end()) continue;
      for (const auto& [name, said] : other->second.given)
        if (said.text.empty())
          read.erase(name);
        else
          read[name] = said;
      continue;
    }
    const bool meant = (value("scaling") == reading.of || subject.encoding->name == reading.of ||
                        value(reading.parameter) == reading.of) &&
                       speaks_of(reading.which, subject.reading.family);
    if (!meant || subject.flags.contains(reading.parameter)) continue;
    const std::string said = said_by(reading.value, value);
    if (said.empty())
      read.erase(reading.parameter);
    else
      read[reading.parameter] = {said, fmt::format("dialect {}", subject.dialect->name)};
  }
  return read;
}

// Doubts that the dialect settles are none.
void settle(Reading& model, const Dialect& dialect) {
  for (const std::string& text : words(dialect.readings)) {
    const DialectReading reading(text);
    if (reading.of != "config") continue;
    const auto other = model.others.find(reading.value);
    if (other == model.others.end()) continue;
    std::erase_if(model.warnings, [&](const std::string& warning) {
      return std::ranges::count(other->second.settled, warning) > 0;
    });
    for (const std::string& warning : other->second.told)
      if (std::ranges::count(model.warnings, warning) == 0) model.warnings.push_back(warning);
  }
}

Parameters parameters_of(const Subject& subject, const LoadTensor& load) {
  return complete(schema_of(*subject.encoding), subject.flags, as_read(subject), load);
}

// A scaling that the file says and the dialect's program does not read.
void doubt_plain(Subject& subject) {
  const auto said = subject.given.find("scaling");
  if (said == subject.given.end() || said->second.text == "none") return;
  if (!subject.dialect_given || subject.flags.contains("scaling")) return;
  const Given read = as_read(subject);
  const auto left = read.find("scaling");
  if (left != read.end() && !left->second.text.empty() && left->second.text != "none") return;
  const Family* family = subject.reading.family;
  subject.reading.warnings.push_back(
      fmt::format("{} {} is not read by {}{}: its table is plain, without any scaling",
                  said->second.origin, said->second.text, subject.dialect->name,
                  family ? fmt::format(" for {}", family->name()) : ""));
}

// A scaling that was named and of which nobody said by how much.
std::string doubt_of_scaling(const Subject& subject) {
  const Rotation* rotation = std::get_if<Rotation>(&subject.effect);
  if (!rotation || !rotation->waves || !subject.parameters.has("scaling") ||
      subject.parameters.has("factor") || subject.parameters.choice("scaling") != "yarn" ||
      rotation->magnitude != 1)
    return "";
  const auto is_stretched = [](const Real& scaled, const Real& plain) {
    return std::fabs(to_double(scaled) / to_double(plain) - 1) > 1e-12;
  };
  if (!std::ranges::equal(rotation->waves->frequencies(), rotation->unscaled,
                          std::not_fn(is_stretched)))
    return "";
  return "scaling yarn stretches nothing here: neither a factor was given nor a length beyond the "
         "one trained on";
}

// All of a grid or a window is asked for where nobody says how much of it.
bool has_an_end(const Effect& effect) {
  const Bias* bias = std::get_if<Bias>(&effect);
  const Relative* relative = std::get_if<Relative>(&effect);
  return is_grid(effect) || (bias && bias->window_width > 0) ||
         (relative && relative->buckets.positions);
}

Effect effect_of(const Subject& subject) {
  Effect effect = within_budget(subject.encoding->make(subject.parameters, subject.length));
  return subject.among_tokens ? among_tokens(std::move(effect)) : effect;
}

// One more than the largest offset of either sign: the length of a sequence that has them all.
Index reach_of(const PositionRange& offsets) {
  if (offsets.count == 0 || offsets.decimals != 0) return offsets.length();
  return std::max(std::abs(offsets.at(0)), std::abs(offsets.at(offsets.count - 1))) + 1;
}

void place(Subject& subject, const SubjectTexts& texts, Index usual_length) {
  if (!texts.length.empty() && !texts.positions.empty())
    throw UsageError("--length and --positions say the same thing: give one of them");
  if (!texts.positions.empty()) {
    subject.span = span_of(parse_positions(texts.positions));
    subject.positions_origin = "flag --positions";
  } else if (!texts.length.empty()) {
    subject.span = span_of_length(whole_number("length", texts.length, "1", largest_whole));
    subject.positions_origin = "flag --length";
  } else {
    subject.span = span_of_length(usual_length);
  }
  const bool relative = subject.encoding->kind == Kind::relative;
  subject.length = relative ? reach_of(subject.span.offsets) : subject.span.positions.length();
}

// A model's name where a file belongs, and the other way round. Throws UsageError.
void check_source(const SubjectTexts& texts) {
  std::error_code error;
  if (!texts.config.empty() && !std::filesystem::exists(texts.config, error) &&
      is_catalogued(texts.config))
    throw UsageError(fmt::format(
        "--config takes a file, and there is no '{0}' here: --model {0} is in the catalogue",
        texts.config));
  if (texts.model.find("://") != std::string::npos && texts.model.ends_with(".json"))
    throw UsageError(
        "--model takes a name of the catalogue, and nothing here reads the network: fetch the "
        "file, and --config FILE reads it");
  if (!texts.config.empty() && texts.config.find_first_of("=:") != std::string::npos &&
      texts.config.find_first_of("\\/{") == std::string::npos && !texts.config.ends_with(".json") &&
      !texts.config.ends_with(".gguf") && !std::filesystem::exists(texts.config, error))
    throw UsageError(
        fmt::format("--config takes a file, or JSON such as '{{\"model_type\": \"llama\", "
                    "\"rope_theta\": 10000}}', got '{}'",
                    shortened(texts.config)));
  if (!texts.model.empty() && !is_catalogued(texts.model) &&
      (texts.model.ends_with(".json") || texts.model.ends_with(".gguf") ||
       std::filesystem::exists(texts.model, error)))
    throw UsageError(fmt::format("--model takes a name of the catalogue: did you mean --config {}?",
                                 texts.model));
}

}  // namespace

Reading reading_of(const SubjectTexts& texts) {
  if (!texts.config.empty() && !texts.model.empty())
    throw UsageError("--config and --model say the same thing: give one of them");
  if (texts.config.empty() && texts.model.empty()) {
    if (!texts.layer_type.empty())
      throw UsageError("--layer-type has no meaning without --config or --model");
    if (!texts.part.empty()) throw UsageError("--part has no meaning without --config or --model");
    return {};
  }
  check_source(texts);
  const Config config =
      texts.config.empty() ? read_catalogued(texts.model) : read_config_file(texts.config);
  Reading reading = read_model(config, texts.encoding, texts.layer_type, texts.part);
  settle(reading, find_dialect(texts.dialect.value_or("exact")));
  return reading;
}

Subject make_subject(const SubjectTexts& texts, const Reading& reading, Index usual_length,
                     const LoadTensor& load) {
  Subject subject;
  subject.encoding = texts.encoding ? texts.encoding : reading.encoding;
  if (!subject.encoding) throw UsageError("no encoding is named, and no config that means one");
  if (texts.dtype) subject.dtype = parse_dtype(*texts.dtype);
  subject.dialect = &kept_by(find_dialect(texts.dialect.value_or("exact")), reading.family);
  subject.dialect_given = texts.dialect.has_value();
  subject.among_tokens = texts.among_tokens;
  subject.reading = reading;
  subject.flags = texts.flags;
  subject.given = reading.given;
  subject.given.insert(texts.implied.begin(), texts.implied.end());
  subject.load = load;
  subject.parameters = parameters_of(subject, load);
  doubt_plain(subject);
  if (std::string doubt = doubt_of_numbers(subject); !doubt.empty())
    subject.reading.warnings.push_back(std::move(doubt));
  place(subject, texts, usual_length);
  subject.effect = effect_of(subject);
  if (std::string doubt = doubt_of_scaling(subject); !doubt.empty())
    subject.reading.warnings.push_back(std::move(doubt));
  const auto rows = rows_of(subject.effect);
  if (rows && !subject.positions_given() && (has_an_end(subject.effect) || *rows < usual_length)) {
    subject.span = span_of_length(*rows);
    if (kind_of(subject.effect) == Kind::relative) subject.length = *rows;
  }
  // Tokens are counted from 0 on, and a map from them to axes knows nothing before. Cells beyond a
  // grid are asked for by laws that look how it ends.
  const auto* rotation = std::get_if<Rotation>(&subject.effect);
  if (rotation && rotation->coordinates && !rotation->coordinates->count)
    check_positions(*rotation, subject.span.positions);
  return subject;
}

Subject make_subject(const SubjectTexts& texts, Index usual_length) {
  return make_subject(texts, reading_of(texts), usual_length, read_array);
}

Subject changed(const Subject& subject, const Given& changes) {
  Subject changed = subject;
  for (const auto& [name, value] : changes) {
    changed.flags.erase(name);
    changed.given.erase(name);
    if (!value.text.empty()) changed.flags[name] = value;
  }
  const auto load = [&](const std::string& spec) {
    for (const Parameters::Entry& entry : subject.parameters.entries())
      if (entry.type == Parameter::Type::tensor && entry.text == spec) return entry.tensor;
    return subject.load(spec);
  };
  changed.parameters = parameters_of(changed, load);
  changed.effect = effect_of(changed);
  return changed;
}

std::optional<Subject> with_changes(const Subject& subject, const Given& changes) try {
  return changed(subject, changes);
} catch (const UsageError&) {
  return {};
} catch (const MathError&) {
  return {};
}

Subject with_dialect(const Subject& subject, const Dialect& dialect) {
  Subject other = subject;
  other.dialect = &kept_by(dialect, subject.reading.family);
  other.parameters = parameters_of(other, subject.load);
  other.effect = effect_of(other);
  return other;
}

Provenance provenance_of(const Subject& subject, const std::string& tool,
                         const std::string& command) {
  Provenance provenance{tool,
                        std::string(version()),
                        command,
                        std::string(subject.encoding->name),
                        std::string(subject.dialect->name),
                        std::string(subject.encoding->accuracy),
                        std::string(subject.encoding->source),
                        {}};
  for (const Parameters::Entry& entry : deciding(*subject.encoding, subject.parameters))
    provenance.parameters.push_back({entry.name, entry.text, entry.origin});
  provenance.parameters.push_back(
      {"positions", spell(subject.span.positions), subject.positions_origin});
  provenance.warnings = subject.reading.warnings;
  return provenance;
}

}  // namespace pe

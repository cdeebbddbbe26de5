// Quoting by nlohmann/json; numbers are passed on as they were written.
#include "pe/io/json_text.hpp"

#include <nlohmann/json.hpp>

#include "pe/base/text.hpp"

namespace pe::io {

std::string quote_json(std::string_view text) {
  return escaped_json(
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string json_value(const std::string& text) {
  const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  const bool plain = value.is_number() || value.is_boolean() || value.is_null();
  return plain && text.find_first_of(" \t\r\n") == std::string::npos ? text : quote_json(text);
}

std::string parameters_json(const Provenance& provenance) {
  std::string text;
  for (const Provenance::Entry& entry : provenance.parameters)
    text += (text.empty() ? "" : ", ") + quote_json(entry.name) + ": " + json_value(entry.value);
  return "{" + text + "}";
}

std::string provenance_json(const Provenance& provenance) {
  std::string parameters;
  for (const Provenance::Entry& entry : provenance.parameters)
    parameters += (parameters.empty() ? "" : ", ") + quote_json(entry.name) +
                  ": {\"value\": " + json_value(entry.value) +
                  ", \"origin\": " + quote_json(entry.origin) + "}";
  std::string text;
  const auto put = [&](const char* name, const std::string& value) {
    text += (text.empty() ? "\"" : ", \"") + std::string(name) + "\": " + value;
  };
  put("tool", quote_json(provenance.tool));
  put("version", quote_json(provenance.version));
  put("command", quote_json(provenance.command));
  put("encoding", quote_json(provenance.encoding));
  put("dialect", quote_json(provenance.dialect));
  put("accuracy", quote_json(provenance.accuracy));
  put("source", quote_json(provenance.source));
  put("parameters", "{" + parameters + "}");
  for (const Provenance::Texts& texts : provenance.texts) {
    std::string rows;
    for (const std::string& row : texts.rows) rows += (rows.empty() ? "" : ", ") + quote_json(row);
    put(texts.name.c_str(), "[" + rows + "]");
  }
  std::string warnings;
  for (const std::string& warning : provenance.warnings)
    warnings += (warnings.empty() ? "" : ", ") + quote_json(warning);
  if (!warnings.empty()) put("warnings", "[" + warnings + "]");
  return "{" + text + "}";
}

}  // namespace pe::io

// Writing them.
#include "pe/io/hdf5_attributes.hpp"

#include <charconv>

#include "pe/io/json_text.hpp"

namespace pe::io {
namespace {

constexpr int schema_version = 1;

}  // namespace

void put_attribute(hid_t object, const std::string& name, std::int64_t value) {
  const Handle space(H5Screate(H5S_SCALAR));
  const Handle attribute =
      check_handle(H5Acreate2(object, name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT),
                   "make an attribute");
  check(H5Awrite(attribute, H5T_NATIVE_INT64, &value), "write an attribute");
}

void put_attribute(hid_t object, const std::string& name, const std::vector<double>& numbers) {
  const hsize_t count = numbers.size();
  const Handle space(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr));
  const Handle attribute = check_handle(
      H5Acreate2(object, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT),
      "make an attribute");
  check(H5Awrite(attribute, H5T_NATIVE_DOUBLE, numbers.data()), "write an attribute");
}

void put_attribute(hid_t object, const std::string& name, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1)), space(H5Screate(H5S_SCALAR));
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const Handle attribute = check_handle(
      H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), "make an attribute");
  const char* text = value.c_str();
  check(H5Awrite(attribute, type, &text), "write an attribute");
}

void put_attribute(hid_t object, const std::string& name, const std::vector<std::string>& rows) {
  if (rows.empty()) return;
  const hsize_t count = rows.size();
  const Handle type(H5Tcopy(H5T_C_S1)), space(H5Screate_simple(1, &count, nullptr));
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const Handle attribute = check_handle(
      H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), "make an attribute");
  std::vector<const char*> texts;
  for (const std::string& row : rows) texts.push_back(row.c_str());
  check(H5Awrite(attribute, type, texts.data()), "write an attribute");
}

namespace {

// An attribute of a number where the text is one, of a list where it is a list of numbers.
void put_value(hid_t object, const std::string& name, const std::string& text) {
  constexpr std::size_t most_numbers = 4096;  // an attribute holds 64 KB
  std::int64_t whole = 0;
  const char* end = text.data() + text.size();
  if (const auto [stop, error] = std::from_chars(text.data(), end, whole);
      !text.empty() && error == std::errc() && stop == end)
    return put_attribute(object, name, whole);
  std::vector<double> numbers;
  for (const char* at = text.data(); at < end; ++at) {
    double number = 0;
    const bool is_digits = (*at >= '0' && *at <= '9') || *at == '-' || *at == '.';  // nor inf, nan
    const auto [stop, error] = std::from_chars(at, end, number);
    if (!is_digits || error != std::errc() || (stop != end && *stop != ','))
      return put_attribute(object, name, text);
    numbers.push_back(number);
    at = stop;
  }
  if (numbers.empty() || numbers.size() > most_numbers || text.ends_with(','))
    return put_attribute(object, name, text);
  put_attribute(object, name, numbers);
}

}  // namespace

void put_provenance(hid_t file, const Provenance& provenance) {
  put_attribute(file, "Conventions", "CF-1.8");
  put_attribute(file, "title",
                provenance.encoding.empty() ? "report of " + provenance.tool
                                            : "position encoding: " + provenance.encoding);
  put_attribute(file, "history", provenance.command);
  put_attribute(file, "pe_tool", provenance.tool);
  put_attribute(file, "pe_version", provenance.version);
  put_attribute(file, "pe_schema_version", schema_version);
  put_attribute(file, "encoding", provenance.encoding);
  put_attribute(file, "dialect", provenance.dialect);
  put_attribute(file, "accuracy", provenance.accuracy);
  put_attribute(file, "source", provenance.source);
  put_attribute(file, "config_json", parameters_json(provenance));
  put_attribute(file, "provenance", provenance_json(provenance));
  for (const Provenance::Entry& entry : provenance.parameters) {
    put_value(file, "parameter." + entry.name, entry.value);
    put_attribute(file, "parameter." + entry.name + ".origin", entry.origin);
  }
  if (!provenance.warnings.empty()) put_attribute(file, "warnings", provenance.warnings);
  for (const Provenance::Texts& texts : provenance.texts)
    put_attribute(file, "row." + texts.name, texts.rows);
}

}  // namespace pe::io

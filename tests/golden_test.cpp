// The one harness of all accuracy claims: reads tests/golden/*.txt and holds the library to its
// digits, in every dtype.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "pe/base/narrow.hpp"
#include "pe/base/twofold.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/file.hpp"

namespace {

using pe::DType;
using pe::Index;

// One golden file's state while its lines are read.
struct Section {
  const pe::Encoding* encoding = nullptr;
  std::string scaling, tolerance = "correctly-rounded";
  pe::Given flags;
  Index length = 0;
  std::optional<pe::Effect> effect;

  const pe::Effect& made() {
    if (!effect) {
      const auto parameters = pe::complete(pe::schema_of(*encoding), flags, {}, pe::read_array);
      effect = encoding->make(parameters, length);
    }
    return *effect;
  }
};

using Coordinates = std::map<char, std::int64_t>;

// The single element of a field at the coordinates, as stored in the dtype.
double value_at(const pe::Effect& effect, const std::string& name, const Coordinates& at,
                DType dtype) {
  const auto coordinate = [&](char c) { return at.contains(c) ? at.at(c) : 0; };
  double value = 0;
  std::byte element[8];
  if (name == "bias") {
    const auto& bias = std::get<pe::Bias>(effect);
    bias.fill(coordinate('h'), coordinate('i'), {coordinate('k'), 1, 1, 0}, dtype, element);
    pe::widen(element, dtype, std::span(&value, 1));
    return value;
  }
  if (at.contains(
          'i')) {  // a number for each query and key: the run whose second position is the key
    const Index away = coordinate('k') - coordinate('i');
    const pe::Span pair =
        pe::span_of(pe::PositionRange{coordinate('i'), away == 0 ? 1 : away, away == 0 ? 1 : 2, 0});
    pe::collect(pe::spell(effect, pair, dtype, {name}).front(), 1)
        .read(away == 0 ? 0 : 1, 1, &value);
    return value;
  }
  const pe::Span span{{coordinate('p'), 1, 1, 0}, {coordinate('r'), 1, 1, 0}};
  const pe::Field field = pe::spell(effect, span, dtype, {name}).front();
  const Index column = coordinate(at.contains('c') ? 'c' : at.contains('h') ? 'h' : 'j');
  pe::collect(field, 1).read(field.axes.size() == 2                   ? column
                             : at.contains('r') || field.axes.empty() ? 0
                                                                      : column,
                             1, &value);
  return value;
}

// A golden may be stricter than the row's claim, never looser.
void hold_claim(const Section& section, const std::string& name) {
  const std::string claim = pe::claim_of(*section.encoding, name);
  INFO(section.encoding->name << " claims '" << claim << "' of " << name << ", its golden holds '"
                              << section.tolerance << "'");
  if (claim.starts_with("absolute:") && section.tolerance.starts_with("absolute "))
    CHECK(pe::Real(section.tolerance.substr(9)) <= pe::Real(claim.substr(9)));
  else
    CHECK(claim == section.tolerance);
}

using Met = std::set<std::pair<std::string_view, std::string>>;  // encodings and fields that some
                                                                 // golden holds

void hold(Section& section, const std::string& file, const std::string& line,
          const std::string& name, const std::string& digits, const Coordinates& at) {
  const pe::Real truth(digits);
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    const double got = value_at(section.made(), name, at, dtype);
    INFO(file << ": " << line << " [" << name << " in " << pe::name_of(dtype) << "] expected "
              << digits << " got " << got);
    if (section.tolerance == "exact") {
      CHECK(got == pe::to_double(truth));
    } else if (section.tolerance.starts_with("absolute ")) {
      if (dtype == DType::f64)
        CHECK(abs(pe::Real(got) - truth) <= pe::Real(section.tolerance.substr(9)));
    } else if (dtype == DType::f64) {
      const double nearest = pe::to_double(truth);
      CHECK(std::fabs(got - nearest) <= std::fabs(nearest) * 0x1p-52);
    } else {
      const double odd = pe::round_to_odd(pe::to_twofold(truth));
      std::byte element[8];
      double expected;
      pe::narrow(std::span(&odd, 1), dtype, element);
      pe::widen(element, dtype, std::span(&expected, 1));
      CHECK(got == expected);
    }
  }
}

int read_golden(const std::filesystem::path& path, Met& met) {
  std::ifstream file(path);
  Section section;
  int expectations = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "encoding") {
      words >> verb;
      section.encoding = &pe::find_encoding(verb);
    } else if (verb == "scaling") {
      words >> section.scaling;
      section.encoding = &pe::find_encoding("rope");
    } else if (verb == "tolerance") {
      std::getline(words >> std::ws, section.tolerance);
    } else if (verb == "set") {
      section.flags.clear();
      section.effect.reset();
      if (!section.scaling.empty()) section.flags["scaling"] = {section.scaling, "golden"};
      for (std::string word; words >> word;) {
        const auto equals = word.find('=');
        const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
        if (name == "length")
          section.length = std::stoll(value);
        else
          section.flags[name] = {value, "golden"};
      }
    } else if (verb == "at") {
      Coordinates at;
      std::string word;
      while (words >> word && word != "expect") at[word[0]] = std::stoll(word.substr(2));
      for (std::string name, digits; words >> name >> digits; ++expectations) {
        if (met.emplace(section.encoding->name, name).second) hold_claim(section, name);
        hold(section, path.filename(), line, name, digits, at);
      }
    }
  }
  return expectations;
}

}  // namespace

TEST_SUITE_BEGIN("golden");

TEST_CASE("every golden digit is met") {
  int expectations = 0;
  Met met;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(PE_SOURCE_DIR) + "/tests/golden"))
    if (std::ifstream first(entry.path()); entry.path().extension() == ".txt")
      expectations += read_golden(entry.path(), met);
  CHECK(expectations > 500);
  for (const pe::Encoding* encoding : pe::all_encodings())
    for (const std::string& field : pe::claimed_fields(*encoding))
      CHECK_MESSAGE(met.contains({encoding->name, field}),
                    encoding->name << " claims something of " << field << " that no golden holds");
  MESSAGE(expectations << " golden expectations, each in four dtypes");
}

TEST_SUITE_END();

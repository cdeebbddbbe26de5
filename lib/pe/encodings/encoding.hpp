// Encoding: a row of the catalogue, and the function that turns its parameters into an Effect.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "pe/encodings/drift.hpp"
#include "pe/kinds/effect.hpp"
#include "pe/model/parameter.hpp"

namespace pe {

struct Encoding {
  std::string_view name;
  std::string_view also = {};  // other words that people have for it
  std::string_view summary;    // one phrase
  std::string_view source;     // paper, equation
  Kind kind;
  std::span<const Parameter> parameters;
  std::string_view accuracy;  // what a digit of its fields is worth, as a sentence
  /// The same as data, which the golden test holds to digits: "correctly-rounded cos sin; exact
  /// bucket; absolute:1e-9 pe".
  std::string_view claims = {};
  std::string_view promises;  // laws, by name
  std::string_view example;   // arguments of a command worth seeing, for --help and README
  bool scalable = false;      // takes --scaling and the parameters of the scalings
  /// What float32 may make of it, derived beside its formula; required.
  DriftRule drift;
  /// `length` is the number of positions in the sequence; most encodings do not look at it.
  Effect (*make)(const Parameters&, Index length);
  /// Laws of `promises` that these parameters take back; may be null.
  std::vector<std::string> (*revoked)(const Parameters&) = nullptr;
};

/// Every encoding, in the order of encodings.def.
std::span<const Encoding* const> all_encodings();

/// Throws UsageError with the nearest name.
const Encoding& find_encoding(std::string_view name);

/// The row's parameters, and for a scalable row those of every scaling.
std::vector<Parameter> schema_of(const Encoding& encoding);

/// The values that decide the effect: all but those of scalings that are not applied.
std::vector<Parameters::Entry> deciding(const Encoding& encoding, const Parameters& parameters);

/// What the row claims of a field: correctly-rounded (f64: within 1 ulp), exact, absolute:BOUND, or
/// "" for no claim.
std::string claim_of(const Encoding& encoding, std::string_view field);
/// Every field that the row makes a claim of.
std::vector<std::string> claimed_fields(const Encoding& encoding);

/// The laws that the row promises with these parameters.
std::vector<std::string> promises_of(const Encoding& encoding, const Parameters& parameters);

}  // namespace pe

// Quantity: a row of the catalogue of what can be measured of an encoding.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pe/analyze/sheet.hpp"
#include "pe/subject/subject.hpp"

namespace pe {

/// What is asked of one subject.
struct Question {
  Subject subject;                  // its effect may be somebody's dump
  Parameters options;               // the quantity's own: options_for() says which
  std::vector<Index> lengths = {};  // --length, one or several; empty: it was not given
  int threads = 0;                  // 0: one for each processor
  bool of_file = false;             // the effect is a dump
  bool among_kinds = false;         // it stands beside effects of other kinds
  std::function<void(double share)> progress = {};  // never null where a tool asks; 0 … 1
  std::function<void(const Provenance::Entry&)> decided = {};  // hears what decide() is told

  /// Says how far the work is, and asks whether its time is over.
  void advance(double share) const;

  /// Takes down a parameter that decides the numbers and that nobody gave, or one that stands for
  /// what was given in other words: it joins the provenance, so that the numbers can be made again.
  void decide(std::string_view name, std::string value, std::string_view origin = "default") const;
};

struct Quantity {
  std::string_view name;
  std::string_view also = {};   // other words that people have for it
  std::string_view summary;     // one phrase
  std::string_view definition;  // one formula, with the words that it needs
  std::string_view source;      // paper, equation
  std::string_view accuracy;    // what a printed digit is worth, as a sentence
  std::string_view columns;     // names, or of each view or kind "lag: a b | row: a | table lag: c"
  std::string_view subjects;    // kinds and encodings that it has a meaning for, or "any"
  std::span<const Parameter> parameters = {};
  std::string_view example;  // arguments of a command worth seeing, the encoding first
  Index usual_length = 1024;
  bool several_lengths = false;  // --length takes a list
  bool files = false;            // --file: of somebody's dump, too
  bool tries_rules = false;      // parameters of scalings need no --scaling: they are for all
  bool deals = false;  // measure() itself deals its work out to processes, in small pieces
  bool bare = false;   // without an encoding: of every one that it has a meaning for, side by side
  /// Whether numbers that training makes decide the answer; null: they do.
  bool (*sees_numbers)(const Parameters& options) = nullptr;
  Sheet (*measure)(const Question&);
};

/// Every quantity, in the order of quantities.def.
std::span<const Quantity* const> all_quantities();

/// Throws UsageError with the nearest name.
const Quantity& find_quantity(std::string_view name);

/// Whether the quantity has a meaning for the encoding.
bool applies(const Quantity& quantity, const Encoding& encoding);

/// Throws UsageError that says what the quantity is of, and which ones the encoding has.
void check_applies(const Quantity& quantity, const Encoding& encoding);

/// The sets of columns that an answer may have: of the view that is named, or of every one, for
/// subjects of the kind. An answer may lack some that other options ask for.
std::vector<std::vector<std::string>> column_sets(const Quantity& quantity, std::string_view view,
                                                  std::optional<Kind> kind);

/// The option of a quantity whose sheet can carry a proof: the file that this is written to.
inline constexpr Parameter certificate_option{
    .name = "certificate",
    .type = Parameter::Type::name,
    .help =
        "FILE that the proof is written to, too: the steps with their bounds, as JSON for "
        "scripts/check-certificate"};

/// What the quantity is told by: its own parameters, and where it tries all scalings and `flags`
/// name none, those of scalings, without defaults: what is not said is for each rule to say.
std::vector<Parameter> options_for(const Quantity& quantity, const Encoding& encoding,
                                   const Given& flags);

/// How many positions the model was trained on, before any scaling, where parameters or config say.
std::optional<Index> trained_length(const Subject& subject);

/// Takes down, as `trained`, the length that trained_length() says, with its origin.
void decide_trained(const Question& question);

}  // namespace pe

// Who demands a layout of a dump, and what a reading has against it.
#include "pe/diagnosis/rotations/required.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

std::string origin_of(const Expectation& expected, std::string_view name) {
  return expected.parameters.has(name) ? expected.parameters.origin(name) : "default";
}

std::string_view name_of(Pairing pairing) {
  return pairing == Pairing::adjacent ? "interleaved"
         : pairing == Pairing::halves ? "halves"
                                      : "adjacent-to-halves";
}

std::string_view channels_in(Pairing pairing) {
  return pairing == Pairing::adjacent ? "2j and 2j+1"
         : pairing == Pairing::halves ? "j and j+n"
                                      : "2j and 2j+1, written to j and j+n,";
}

std::string origin_of(const RequiredLayout& required) {
  return required.by_default ? required.from + ": nothing else said which" : required.from;
}

std::optional<Reason> against_pairing(const RotationReading& reading,
                                      const RequiredLayout& required, Index blocks) {
  const bool vectors = reading.is_vectors();
  if (!required.pairing || !reading.pairing || !(required.by_hand || vectors)) return {};
  if (*reading.pairing == *required.pairing && (!vectors || reading.blocks == blocks)) return {};
  if (!vectors && *required.pairing == Pairing::adjacent_to_halves) return {};
  const std::string_view within = vectors && blocks > 1 ? " of each block" : "";
  const bool stays_in_place = vectors && *reading.pairing == Pairing::adjacent &&
                              *required.pairing == Pairing::adjacent_to_halves;
  return Reason{
      Cause::wrong_pairing,
      fmt::format("channels {} make a pair ({}), where {}{} is meant ({}){}",
                  channels_in(*reading.pairing),
                  vectors && reading.blocks > 1 ? reading.layout : name_of(*reading.pairing),
                  name_of(*required.pairing), within, origin_of(required),
                  stays_in_place ? "; queries and keys that both stand so have the same scores, as "
                                   "vLLM, SGLang and llama.cpp have them (--dialect)"
                                 : "")};
}

}  // namespace

std::optional<Reason> against(const RotationReading& reading, const RequiredLayout& required,
                              bool table, Index blocks) {
  if (reading.is_of_frequencies()) return {};
  if (!reading.parts.empty())
    return Reason{Cause::sections_order,
                  fmt::format("the parts of a row stand in the order {}, counted as they are meant",
                              fmt::join(reading.parts, ", "))};
  if (table) {
    const bool are_apart = reading.cosine.array != reading.sine.array;  // in no row's order
    if (are_apart || required.layout.empty() || required.layout == reading.layout) return {};
    return Reason{Cause::wrong_order,
                  fmt::format("sines and cosines stand as in layout {}, where {} is meant ({})",
                              reading.layout, required.layout, origin_of(required))};
  }
  if (const auto reason = against_pairing(reading, required, blocks)) return reason;
  constexpr std::size_t side = 4;  // "cos-", "sin-"
  const std::string layout = reading.is_one_sided() ? reading.layout.substr(side) : reading.layout;
  if (required.layout.empty() && reading.misnamed && reading.has_own_name)
    return Reason{Cause::sin_cos_swapped,
                  !reading.is_one_sided()
                      ? "sines stand before cosines, where the array's name says cosines first"
                  : reading.side == RotationReading::Side::cosine
                      ? "cosines stand in an array that is called sines"
                      : "sines stand in an array that is called cosines"};
  if (!required.layout.empty() && !reading.is_vectors() && required.layout != layout &&
      required.or_layout != layout) {
    const bool exchanged = (reading.layout == "sin-cos" && required.layout == "cos-sin") ||
                           (reading.layout == "cos-sin" && required.layout == "sin-cos") ||
                           (reading.layout == "turns-swapped" && required.layout == "turns");
    return Reason{exchanged ? Cause::sin_cos_swapped : Cause::wrong_order,
                  fmt::format("the array's layout is {}, where {} has {}", reading.layout,
                              required.layout_from, required.layout)};
  }
  return {};
}

namespace {

RequiredLayout required_of_table(const Expectation& expected) {
  const bool grid = std::get<Table>(expected.effect).grid.has_value();
  const char* name = grid ? "convention" : "layout";
  const std::string origin = origin_of(expected, name);
  RequiredLayout required;
  required.by_default = origin == "default";
  if (grid) required.layout = "as meant";
  if (!grid && expected.parameters.has("layout"))
    required.layout = expected.parameters.choice("layout");
  required.from = origin == "default" ? "the default" : origin;
  return required;
}

// Who decides which channels make a pair: a flag, a codebase whose kernels know one pairing, the
// model's family, a codebase's default, and the encoding's own.
void require_pairing(const Expectation& expected, RequiredLayout& required) {
  const bool from_config = std::ranges::any_of(
      expected.parameters.entries(),
      [](const Parameters::Entry& entry) { return entry.origin.starts_with("config "); });
  const Dialect* dialect = expected.dialect;
  const auto from_dialect = [&](Pairing pairing) {
    required.pairing = pairing;
    required.from = fmt::format("dialect {}", dialect->name);
  };
  for (const char* name : {"layout", "pairing"})
    if (const std::string origin = origin_of(expected, name);
        !required.by_hand && expected.parameters.has(name) && origin != "default" &&
        !(name[0] == 'l' && expected.parameters.choice("layout") == "pairs")) {
      required.from = origin;
      required.by_hand = origin.starts_with("flag ") || origin.starts_with("manifest ");
    }
  if (required.by_hand) return;
  if (dialect && dialect->pairing) return from_dialect(*dialect->pairing);
  if (!required.from.empty()) return;
  if (expected.parameters.has("convention")) {
    required.from = fmt::format("convention {}", expected.parameters.choice("convention"));
  } else if (!expected.parameters.has("pairing")) {
    required.from = expected.encoding->name;
  } else if (from_config) {
    required.from = "the model's family";
  } else if (dialect && dialect->usual_pairing) {
    from_dialect(*dialect->usual_pairing);
  } else {
    required.from = "the default";
    required.by_default = !expected.wide_heads;  // whoever identifies reads it off the numbers
  }
}

}  // namespace

RequiredLayout required_layout(const Expectation& expected) {
  if (std::holds_alternative<Table>(expected.effect)) return required_of_table(expected);
  RequiredLayout required;
  required.pairing = std::get<Rotation>(expected.effect).pairing;
  require_pairing(expected, required);
  if (expected.dialect && expected.dialect->steps && expected.layout.empty()) {
    const Pairing pairing = required.pairing.value_or(Pairing::halves);
    required.layout = row_of(keeping_of(*expected.dialect, pairing)).name;
    if (expected.dialect->also_keeps)
      required.or_layout = row_of(*expected.dialect->also_keeps).name;
    required.layout_from = fmt::format("dialect {}", expected.dialect->name);
  }
  return required;
}

}  // namespace pe

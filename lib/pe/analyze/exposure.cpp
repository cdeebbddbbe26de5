// exposure: which relative distances training shows under schemes that reach beyond their length.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "pe/analyze/exposure/schemes.hpp"
#include "pe/analyze/quantity.hpp"
#include "pe/analyze/rules.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"

namespace pe::quantity_rows {
namespace {

constexpr const char* every_scheme =
    "original,pose:2,pose:3,randpos,rerope,leaky-rerope,self-extend";

constexpr Parameter options[] = {
    trained_option,
    {.name = "schemes",
     .type = Parameter::Type::name,
     .help =
         "original, pose:N (N chunks), randpos, rerope, leaky-rerope, self-extend, separated by "
         "commas",
     .fallback = every_scheme},
    {.name = "window",
     .help =
         "distances that ReRoPE, Leaky ReRoPE and Self-Extend keep (default: 512, 512 and 1024, "
         "and no more than half of what was trained)",
     .lowest = "1",
     .highest = "4194304"},
    {.name = "leak",
     .type = Parameter::Type::number,
     .help = "k of Leaky ReRoPE: distances beyond the window are divided by it",
     .fallback = "16",
     .lowest = "1",
     .highest = "1e6"},
    {.name = "group",
     .help = "G of Self-Extend: positions beyond the window are divided by it and rounded down",
     .fallback = "8",
     .lowest = "1",
     .highest = "4194304"},
    {.name = "samples",
     .help = "examples drawn for pose of three chunks or more",
     .fallback = "1000000",
     .lowest = "100",
     .highest = "1000000000"},
    {.name = "seed",
     .help = "of the examples drawn",
     .fallback = "0",
     .lowest = "0",
     .highest = "9007199254740992"}};

constexpr Index longest = Index{1} << 20;  // half a gigabyte of columns for seven schemes

Index chunks_in(const std::string& scheme, Index trained) {
  Index chunks = 0;
  const char* const end = scheme.data() + scheme.size();
  const auto [stop, error] = std::from_chars(scheme.data() + 5, end, chunks);
  if (error != std::errc() || stop != end || chunks < 2 || chunks > std::min<Index>(64, trained))
    throw UsageError(
        fmt::format("--schemes {}: PoSE has 2 chunks or more, up to 64 and up to the {} positions "
                    "of an example",
                    scheme, trained));
  return chunks;
}

Exposure exposure_of(const std::string& scheme, const SchemeSettings& settings) {
  if (scheme == "original") return original_exposure(settings);
  if (scheme.starts_with("pose:"))
    return pose_exposure(settings, chunks_in(scheme, settings.trained));
  if (scheme == "randpos") return randpos_exposure(settings);
  if (scheme == "rerope") return rerope_exposure(settings, std::numeric_limits<double>::infinity());
  if (scheme == "leaky-rerope") return rerope_exposure(settings, settings.leak);
  if (scheme == "self-extend") return self_extend_exposure(settings);
  throw UsageError(
      fmt::format("--schemes: no scheme '{}': there are original, pose:N, randpos, "
                  "rerope, leaky-rerope, self-extend",
                  scheme));
}

std::vector<std::string> schemes_of(const Question& question) {
  std::vector<std::string> schemes;
  const std::string& text = question.options.choice("schemes");
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    schemes.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return schemes;
}

SchemeSettings settings_of(const Question& question, const Stretching& stretching) {
  const Parameters& given = question.options;
  if (stretching.trained < 2 || stretching.length > longest ||
      static_cast<double>(stretching.length) < stretching.trained)
    throw UsageError(fmt::format(
        "--length must lie between the {} positions trained (at least 2) and {}, got {}",
        stretching.trained, longest, stretching.length));
  const auto trained = static_cast<Index>(stretching.trained);
  const Index half = (trained + 1) / 2;  // of what was trained
  const auto window = [&](Index usual) {
    return given.has("window") ? given.integer("window") : std::min(usual, half);
  };
  if (!given.has("window"))
    question.decide("window", fmt::format("ReRoPE {}, Self-Extend {}", window(512), window(1024)));
  return {.trained = trained,
          .length = stretching.length,
          .rerope_window = window(512),
          .extend_window = window(1024),
          .leak = given.number("leak").value(),
          .group = given.integer("group"),
          .samples = given.integer("samples"),
          .seed = static_cast<std::uint64_t>(given.integer("seed")),
          .threads = question.threads};
}

// RandPos: a Fourier sum of some forty terms for each distance. PoSE of several chunks: every two
// chunks of each example.
void begin_schemes(const Question& question, const std::vector<std::string>& schemes,
                   const SchemeSettings& settings) {
  double seconds = 0;
  for (const std::string& scheme : schemes) {
    if (scheme == "randpos")
      seconds += static_cast<double>(settings.length) * 1.2e-4 / threads_of(question);
    if (!scheme.starts_with("pose:")) continue;
    const auto chunks = static_cast<double>(chunks_in(scheme, settings.trained));
    if (chunks > 2)
      seconds += static_cast<double>(settings.samples) * (chunks * chunks / 2 + 4) * 1.2e-8;
  }
  begin({.what = fmt::format("{} distances, {} examples", settings.length, settings.samples),
         .operations = seconds,
         .per_second = 1,
         .levers = {{"length", static_cast<double>(settings.length)},
                    {"samples", static_cast<double>(settings.samples)}},
         .other = "fewer --schemes"});
}

// What a scheme's curve shows.
std::string summary_of(const std::string& scheme, const Exposure& exposure,
                       const SchemeSettings& settings) {
  const auto rows = static_cast<Index>(exposure.probability.size());
  const auto least = std::ranges::min_element(exposure.probability);
  const auto two = std::ranges::count_if(exposure.least, [&](const double& value) {
    return exposure.most[static_cast<std::size_t>(&value - exposure.least.data())] != value;
  });
  const double largest = *std::ranges::max_element(exposure.most);
  std::string text = fmt::format("{}: at least {:.4g} (distance {})", scheme, *least,
                                 least - exposure.probability.begin() + 1);
  if (largest < static_cast<double>(rows)) text += fmt::format(", largest {:.2f}", largest);
  if (scheme == "self-extend") {
    // ⌊(M − 1)/G⌋ + w − ⌊w/G⌋ ≤ L − 1 for M positions: (L − w)·G + w, where G divides w.
    const Index beyond = (settings.trained - settings.extend_window) * settings.group,
                kept = settings.extend_window / settings.group * settings.group,
                reach = beyond > 0 ? std::max(settings.trained, beyond + kept) : settings.trained;
    text += fmt::format(", {} positions at most, {} of {} distances take two values", reach, two,
                        settings.length);
  }
  return text;
}

Sheet measure(const Question& question) {
  const Stretching stretching = stretching_of(question);
  SchemeSettings settings = settings_of(question, stretching);
  const std::vector<std::string> schemes = schemes_of(question);
  begin_schemes(question, schemes, settings);
  Sheet sheet;
  sheet.axes = {named_axis("scheme", schemes, "how it is trained, or how distances are mapped"),
                {"distance", PositionRange{1, 1, settings.length - 1, 0}, "query minus key"}};
  const Error kept{.relative = 0x1p-52};
  Column probability{
      .name = "probability",
      .description = "that an example of training shows what stands for the distance",
      .values = {},
      .error = kept};
  Column error{.name = "standard_error",
               .description = "of the probability; 0: exact",
               .values = {},
               .error = {.relative = 0x1p-20}};
  Column least{.name = "least",
               .description = "relative position that stands for the distance",
               .values = {},
               .error = kept};
  Column most{.name = "most",
              .description = "the same, the largest over all queries",
              .values = {},
              .error = kept};
  std::string note;
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    settings.advance = [&](double share) {
      question.advance((static_cast<double>(i) + share) / static_cast<double>(schemes.size()));
    };
    const Exposure exposure = exposure_of(schemes[i], settings);
    for (std::size_t r = 0; r < exposure.probability.size(); ++r)
      probability.values.push_back(rounded(
          exposure.probability[r], {.absolute = exposure.error + 4 * exposure.standard_error[r]}));
    error.values.insert(error.values.end(), exposure.standard_error.begin(),
                        exposure.standard_error.end());
    least.values.insert(least.values.end(), exposure.least.begin(), exposure.least.end());
    most.values.insert(most.values.end(), exposure.most.begin(), exposure.most.end());
    note += (note.empty() ? "" : "; ") + summary_of(schemes[i], exposure, settings);
  }
  sheet.columns = {probability, error, least, most};
  sheet.notes.push_back(fmt::format(
      "examples of {} positions{}, distances below {}: {}", settings.trained,
      stretching.is_supposed ? " (supposed: --trained says another)" : "", settings.length, note));
  return sheet;
}

}  // namespace

extern constinit const Quantity exposure{
    .name = "exposure",
    .also = "training 训练",
    .summary = "relative distances that training shows under PoSE, RandPos, ReRoPE and Self-Extend",
    .definition =
        "for examples of L = --trained positions and N = --length: P(r) = chance that two "
        "positions "
        "of an example are r apart. PoSE: chunk lengths l_i uniform on what leaves a position to "
        "each later chunk, skips u_i uniform on u_{i−1} … N − L; RandPos: L of N without "
        "replacement. ReRoPE min(r, w); Leaky r below w, else w + (r − w)/k; Self-Extend r below "
        "w, "
        "else ⌊q/G⌋ − ⌊(q−r)/G⌋ + w − ⌊w/G⌋: share of queries q whose value is at most L − 1",
    .source =
        "Zhu et al. 2024, arXiv:2309.10400, §3.2, figs. 5 and 6 (with the bound u1 + Lc that fig. "
        "6 "
        "lacks); Ruoss et al. 2023, arXiv:2305.16843; Su 2023, kexue.fm 9708; Jin et al. 2024, "
        "arXiv:2401.01325",
    .accuracy =
        "exact, randpos to eight places, but for PoSE of three chunks or more: drawn, to four "
        "standard errors, which stand in a column.",
    .columns = "probability standard_error least most",
    .subjects = "rope",
    .parameters = options,
    .example = "rope --trained 2048 --length 16384",
    .tries_rules = true,
    .measure = &measure,
};

}  // namespace pe::quantity_rows

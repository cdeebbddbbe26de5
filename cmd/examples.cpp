// Examples from what laws look at and what encodings have.
#include "examples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "pe/subject/subject.hpp"

namespace pe::cmd {
namespace {

using Sees = Property::Sees;

constexpr Index usual_length = 32;

Effect effect_of(const Encoding& encoding, Index length) {
  const SubjectTexts texts{.encoding = &encoding};
  return make_subject(texts, length).effect;
}

bool is_promised(const Property& law, const Encoding& encoding) {
  const SubjectTexts texts{.encoding = &encoding};
  const std::vector<std::string> laws =
      promises_of(encoding, make_subject(texts, usual_length).parameters);
  return std::ranges::find(laws, law.name) != laws.end();
}

// A grid of at least so many cells; no words where the effect is on none.
std::string grid_of(const Effect& effect, Index cells) {
  const Coordinates* coordinates = is_grid(effect) ? coordinates_of(effect) : nullptr;
  if (!coordinates || coordinates->extents.empty() || cells == 0) return "";
  std::vector<Index> extents(coordinates->extents.size(), 1);
  for (Index have = 1, axis = std::ssize(extents) - 1; have < cells; have *= 2) {
    extents[static_cast<std::size_t>(axis)] *= 2;
    axis = axis > 0 ? axis - 1 : std::ssize(extents) - 1;
  }
  return fmt::format(" --grid {}", fmt::join(extents, "x"));
}

const Buckets& buckets_of(const Effect& effect) {
  const Relative* relative = std::get_if<Relative>(&effect);
  return relative ? relative->buckets : *std::get<Bias>(effect).buckets;
}

// The words that make a dump on which the law can be told; none where no dump can tell.
std::string dump_words(const Property& law, const Encoding& encoding, const Effect& effect) {
  const bool is_relative = kind_of(effect) == Kind::relative;  // of these a dump has buckets alone
  if (law.sees == Sees::making || (law.sees == Sees::scores && is_relative)) return "";
  std::string words = drawn(encoding) + grid_of(effect, law.takes);
  const bool is_grown = law.takes > 0 && !is_grid(effect);
  if (is_grown) words += fmt::format(" --length {}", law.takes);
  if (law.sees == Sees::limit && !buckets_of(effect).positions) {
    const auto end = static_cast<std::uint64_t>(buckets_of(effect).saturation);
    const auto length = static_cast<Index>(std::bit_ceil(end + 2));
    if (buckets_of(effect_of(encoding, length)).saturation + 2 > length) return "";  // never ends
    words += fmt::format(" --length {}", std::max(usual_length, length));
  }
  if (is_relative || law.sees == Sees::buckets || law.sees == Sees::limit)
    words += " --fields index";
  return words;
}

// Said before the examples of a law that may fail.
std::string doubt_of(const Property& law, const Encoding& encoding) {
  return is_promised(law, encoding)
             ? ""
             : fmt::format("  # {} does not promise it: where it fails, the exit code is 1\n",
                           encoding.name);
}

std::string silent_page(const Property& law, const Encoding& encoding, const std::string& why) {
  const Encoding* example = nullptr;  // one that promises it, where there is one
  for (const Encoding* other : all_encodings())
    if (silence(law, *other).empty() &&
        (!example || (!is_promised(law, *example) && is_promised(law, *other))))
      example = other;
  std::string page =
      fmt::format("MEANING\n  {} says nothing about {}: {}.\n\n", law.name, encoding.name, why);
  if (!example) return page;
  return page + fmt::format("EXAMPLES\n{}  pe-verify {} {}\n", doubt_of(law, *example), law.name,
                            drawn(*example));
}

}  // namespace

Effect default_effect(const Encoding& encoding) { return effect_of(encoding, usual_length); }

std::string silence(const Property& law, const Encoding& encoding) {
  return law.applies(encoding.kind) ? law.silent_about(default_effect(encoding))
                                    : fmt::format("it is a law of {}", law.applies_to());
}

bool lacks_numbers(const Effect& effect) {
  if (const Bias* bias = std::get_if<Bias>(&effect)) return !bias->fill;
  const Relative* relative = std::get_if<Relative>(&effect);
  return relative && relative->terms.empty();
}

std::string drawn(const Encoding& encoding) {
  return std::string(encoding.name) + (lacks_numbers(default_effect(encoding)) ? " --seed 1" : "");
}

std::string law_examples(const Property& law, const Encoding& encoding) {
  if (const std::string why = silence(law, encoding); !why.empty())
    return silent_page(law, encoding, why);
  const Effect effect = default_effect(encoding);
  const std::string asked =
      fmt::format("pe-verify {} {}{}", law.name, drawn(encoding), grid_of(effect, law.takes));
  std::string text = fmt::format("EXAMPLES\n{1}  {0}\n  {0} --dtype f16 --report report.json\n",
                                 asked, doubt_of(law, encoding));
  if (const std::string dumped = dump_words(law, encoding, effect); !dumped.empty())
    text += fmt::format("  pe-gen {} -o dump.npz\n  {} --file dump.npz\n", dumped, asked);
  return text;
}

}  // namespace pe::cmd

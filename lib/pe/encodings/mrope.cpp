// mrope: sections of a head's pairs turn with time, height and width; in text all three count
// alike.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "pe/base/error.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/encodings/partial.hpp"
#include "pe/encodings/scaled.hpp"
#include "pe/model/frequencies.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    row::dim("channels of a head", "128", "head_dim"),
    {.name = "partial-rotary-factor",
     .type = Parameter::Type::number,
     .help = "part of the channels that turn",
     .fallback = "1",
     .lowest = "0",
     .highest = "1",
     .config = "rope_parameters.partial_rotary_factor partial_rotary_factor"},
    {.name = "pairing",
     .type = Parameter::Type::choice,
     .help = "channels of a pair: j and j+n, or 2j and 2j+1 (GLM-4V)",
     .fallback = "halves",
     .choices = "halves adjacent",
     .also = words_for_pairings},
    row::base("θ_j = base^(−2j/rotary), rotary the channels that turn", "1000000", "theta",
              "rope_parameters.rope_theta rope_theta"),
    {.name = "sections",
     .type = Parameter::Type::numbers,
     .help = "pairs of time, height and width; they add to half the channels that turn (default: a "
             "quarter, 3/8 and 3/8)",
     .lowest = "0",
     .highest = "32768",
     .config = "rope_parameters.mrope_section rope_scaling.mrope_section"},
    {.name = "order",
     .type = Parameter::Type::choice,
     .help = "sectioned: time, then height, then width (Qwen2-VL); interleaved: pairs 1, 4, … "
             "height, 2, 5, … width, the others time (Qwen3-VL)",
     .fallback = "sectioned",
     .choices = "sectioned interleaved"},
    {.name = "segments",
     .type = Parameter::Type::name,
     .help = "text:N, image:HxW and video:TxHxW in turn, extents after merging; text goes on "
             "behind them",
     .fallback = "text:5,image:4x6,text:3"},
    {.name = "advance",
     .type = Parameter::Type::choice,
     .help = "where text goes on after a vision block that starts at s: space, s + max(H, W); all, "
             "behind the largest coordinate, transformers before 2026-02",
     .fallback = "space",
     .choices = "space all"},
    {.name = "time-interval",
     .help = "steps of the time axis from frame to frame (Qwen2.5-VL: tokens per second · seconds "
             "per frame)",
     .fallback = "1",
     .lowest = "1",
     .highest = "1000000"},
    scaling_parameter,
    max_position_parameter,
};

// A run of flat positions: text when it has one extent, else cells in row-major order; every axis
// starts at `start`.
struct Segment {
  Index first = 0, count = 0;
  std::int64_t start = 0;
  std::vector<Index> extents;  // T, H, W; empty: text
};

UsageError refuse(std::string_view text, std::string_view why) {
  return UsageError(fmt::format(
      "--segments takes text:N, image:HxW and video:TxHxW, joined by commas, got '{}': {}", text,
      why));
}

std::vector<Segment> parse_segments(const std::string& text, bool space_only, Index interval) {
  std::vector<Segment> segments;
  std::int64_t next = 0;
  Index first = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, comma - at);
    at = comma + 1;
    const std::size_t colon = item.find(':');
    if (colon == std::string::npos) throw refuse(text, fmt::format("'{}' has no colon", item));
    const std::string kind = item.substr(0, colon), size = item.substr(colon + 1);
    Segment segment{first, 0, next, {}};
    if (kind == "text") {
      const auto [end, failure] =
          std::from_chars(size.data(), size.data() + size.size(), segment.count);
      if (failure != std::errc() || end != size.data() + size.size() || segment.count < 1 ||
          segment.count > (Index{1} << 40))
        throw refuse(text, fmt::format("'{}' is not a number of tokens", size));
      next += segment.count;
    } else if (kind == "image" || kind == "video") {
      segment.extents = parse_grid(size, kind == "image" ? 2 : 3, "segments");
      if (kind == "image") segment.extents.insert(segment.extents.begin(), 1);
      segment.count = cells(segment.extents);
      const Index space = std::max(segment.extents[1], segment.extents[2]);
      next += space_only ? space : std::max(space, (segment.extents[0] - 1) * interval + 1);
    } else {
      throw refuse(text, fmt::format("'{}' is none of text, image and video", kind));
    }
    first += segment.count;
    segments.push_back(std::move(segment));
  }
  segments.push_back({first, Index{1} << 53, next, {}});
  return segments;
}

// What a scaling sees of so many positions (transformers' dynamic_rope_update): one more than their
// largest coordinate, which is less than their number where an image lies among them.
Index reach_of(const std::vector<Segment>& segments, Index interval, Index length) {
  Index reach = 0;
  for (const Segment& segment : segments) {
    const Index inside = std::min(length - segment.first, segment.count) - 1;
    if (inside < 0) break;
    Index most = inside;
    if (!segment.extents.empty()) {
      const Index width = segment.extents[2], plane = segment.extents[1] * width;
      most = std::max({inside / plane * interval, std::min(inside, plane - 1) / width,
                       std::min(inside, width - 1)});
    }
    reach = std::max(reach, static_cast<Index>(segment.start) + most + 1);
  }
  return reach;
}

// The three position ids of flat position p (transformers' get_rope_index): text counts on all
// axes, a vision block adds its cell.
Coordinates coordinates_of(const std::vector<Segment>& segments, Index interval) {
  return {.axes = {"time", "height", "width"},
          .extents = {},
          .count = {},
          .at = [segments, interval](std::int64_t flat, std::size_t axis) {
            if (flat < 0)
              throw UsageError(fmt::format("position {} lies before the first token", flat));
            const auto after = std::ranges::upper_bound(segments, flat, {}, &Segment::first);
            const Segment& segment = *std::prev(after);
            const std::int64_t inside = flat - segment.first;
            if (segment.extents.empty()) return segment.start + inside;
            const Index plane = segment.extents[1] * segment.extents[2];
            const std::int64_t cell[] = {inside / plane * interval,
                                         inside % plane / segment.extents[2],
                                         inside % segment.extents[2]};
            return segment.start + cell[axis];
          }};
}

// Interleaved sections of a config or a class may be of another sum: they are slices, which end
// where the pairs do. Of those that somebody writes down it is a slip.
bool cuts_sections(const Parameters& parameters) {
  if (!parameters.has("sections")) return false;
  const std::string& origin = parameters.origin("sections");
  return parameters.choice("order") == "interleaved" &&
         (origin.starts_with("config ") || origin.starts_with("default of "));
}

Index sum(const std::vector<Index>& sections) {
  return std::accumulate(sections.begin(), sections.end(), Index{0});
}

std::vector<Index> sections_of(const Parameters& parameters, Index pairs) {
  std::vector<Index> sections{pairs - 2 * (3 * pairs / 8), 3 * pairs / 8, 3 * pairs / 8};
  if (parameters.has("sections")) {
    sections.clear();
    for (const Decimal& section : parameters.numbers("sections")) {
      if (!section.is_integer())
        throw UsageError(
            fmt::format("--sections must be whole numbers, got {}", parameters.spell("sections")));
      sections.push_back(section.integer());
    }
  }
  if (sections.size() != 3 || (!cuts_sections(parameters) && sum(sections) != pairs))
    throw UsageError(fmt::format("--sections must be three numbers that add to {} pairs, got {}",
                                 pairs, parameters.spell("sections")));
  return sections;
}

// The axis of each pair. Interleaved: all time, then 1, 4, … below 3·height and 2, 5, … below
// 3·width are overwritten.
std::vector<std::size_t> axes_of(const Parameters& parameters, Index pairs) {
  const auto sections = sections_of(parameters, pairs);
  std::vector<std::size_t> axes(static_cast<std::size_t>(pairs), 0);
  const bool interleaved = parameters.choice("order") == "interleaved";
  for (const std::size_t axis : {1u, 2u}) {
    const Index start = axis == 1 ? sections[0] : sections[0] + sections[1];
    for (Index k = 0; k < sections[axis]; ++k) {
      const Index pair = interleaved ? 3 * k + static_cast<Index>(axis) : start + k;
      if (pair >= pairs && cuts_sections(parameters)) break;
      if (pair >= pairs)
        throw UsageError(
            fmt::format("--sections {} do not interleave: pair {} of {} would turn with {}",
                        parameters.spell("sections"), pair, pairs, axis == 1 ? "height" : "width"));
      axes[static_cast<std::size_t>(pair)] = axis;
    }
  }
  return axes;
}

// R(t, h, w): pair j turns by θ_j times the coordinate of its axis (Wang et al. 2024, §2.1).
Effect make(const Parameters& parameters, Index length) {
  const Index dim = head_dim(parameters, "mrope");
  const Scaling* scaling = chosen_scaling(parameters);
  const Index rotary = scaling && scaling->whole_head ? dim : turning_channels(parameters),
              count = (rotary + 1) / 2;
  const auto axes = axes_of(parameters, count);
  const Index interval = parameters.integer("time-interval");
  const auto segments = parse_segments(parameters.choice("segments"),
                                       parameters.choice("advance") == "space", interval);
  const Ladder plain = geometric_ladder(parameters.number("base").real(), rotary, count);
  const Ladder bent =
      scaling ? scaling->bend(plain, parameters, reach_of(segments, interval, length)) : plain;
  std::vector<AxialPair> pairs;
  for (std::size_t j = 0; j < axes.size(); ++j) pairs.push_back({bent.frequencies[j], axes[j]});
  Rotation rotation = axial_rotation(
      std::max(dim + dim % 2, 2 * count),
      parameters.choice("pairing") == "adjacent" ? Pairing::adjacent : Pairing::halves, pairs,
      coordinates_of(segments, interval), std::vector<PositionRange>(3, {0, 1, 0, 0}),
      bent.magnitude);
  rotation.unscaled = plain.frequencies;
  rotation.recipe = bent.recipe;
  rotation.decisions = bent.decisions;
  return rotation;
}

}  // namespace

extern constinit const Encoding mrope{
    .name = "mrope",
    .also = "m-rope multimodal-rope 3d-rope qwen-vl",
    .summary =
        "turns sections of the pairs by time, height and width, for text between images and videos",
    .source = "Wang et al. 2024, arXiv:2409.12191, §2.1; transformers get_rope_index",
    .kind = Kind::rotation,
    .parameters = schema,
    .accuracy =
        "f32, f16 and bf16 values are correctly rounded, f64 values within 1 ulp, for coordinates "
        "up to 2^53.",
    .claims = "correctly-rounded inv_freq ratio cos sin attention_factor wavelength",
    .promises =
        "finite deterministic length-invariant order-sensitive identity-at-zero unit-pairs "
        "norm-preserving matrix-form turns-add relative-only frequencies-decrease",
    .example = "mrope --sections 16,24,24 --segments text:5,image:4x6,text:3 --fields coordinate",
    .scalable = true,
    .drift = &waves_drift,
    .make = &make,
    .revoked = &revoked_by_scaling,
};

}  // namespace pe::encoding_rows

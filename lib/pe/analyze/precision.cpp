// precision: how far a table lies from the exact one when codebases' element types round its steps.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "pe/analyze/precision/precision_shifts.hpp"
#include "pe/analyze/precision/precision_summary.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/bytes.hpp"
#include "pe/base/error.hpp"
#include "pe/base/ranks.hpp"
#include "pe/base/team.hpp"

namespace pe::quantity_rows {
namespace {

constexpr Parameter options[] = {
    {.name = "view",
     .type = Parameter::Type::choice,
     .help = "positions: a row for each of some, log-spaced; summary: a row for each pipeline, of "
             "every position",
     .fallback = "positions",
     .choices = "positions summary"},
    {.name = "pipelines",
     .type = Parameter::Type::name,
     .help = "NAME,...: a type (float64, float32, fp16, bf16) for every step; 'TYPE STEP', the "
             "others in float32, STEP being positions, inv_freq, angles, table, turning (queries "
             "and keys, products and sums) or vectors (turned in float32, stored so before and "
             "after); a dialect's arithmetic (hf, vllm, ggml, ...); + joins them, as in 'hf+bf16 "
             "table' (default: those worth comparing)"},
    {.name = "k",
     .help = "distance of query and key in s(p, p+k) - s(0, k)",
     .fallback = "16",
     .lowest = "0",
     .highest = "1073741824"},
    {.name = "draws",
     .help = "of Gaussian queries and keys",
     .fallback = "1000",
     .lowest = "1",
     .highest = "1000000"},
    {.name = "seed",
     .help = "of queries and keys",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"},
    {.name = "error",
     .type = Parameter::Type::number,
     .help = "summary: how far an entry may be off",
     .fallback = "1e-3",
     .lowest = "0",
     .highest = "10"},
};

// The pipelines that are asked for, or those that have a meaning for the subject.
std::vector<Pipeline> pipelines_of(const Question& question,
                                   const std::optional<PairTurns>& turns) {
  const Parameters& asked = question.options;
  if (asked.has("pipelines")) {
    std::vector<Pipeline> pipelines = parse_pipelines(asked.choice("pipelines"));
    for (const Pipeline& pipeline : pipelines)
      if (!turns && pipeline.has_steps())
        throw UsageError(
            fmt::format("--pipelines: '{}' has steps that this table is not made in: its rows are "
                        "only stored, as in 'bf16 table'",
                        pipeline.name));
    return pipelines;
  }
  if (!turns) return parse_pipelines("float32 table,fp16 table,bf16 table");
  const Rotation* rotation = std::get_if<Rotation>(&question.subject.effect);
  std::string names = "float32";
  if (rotation && rotation->recipe && turns->on_a_line) names += ",hf,ggml";
  const Dialect& dialect = *question.subject.dialect;
  if (question.subject.dialect_given && (dialect.steps || dialect.exponential))
    names = fmt::format("{},{}", dialect.name, names);
  names += ",fp16 table,bf16 table,bf16 inv_freq,bf16 positions,bf16";
  if (rotation) names += ",bf16 table+bf16 turning,bf16 vectors";
  return parse_pipelines(names);
}

constexpr Index most_places = 10'000'000;

// Positions of a sheet: those that are asked for, or some of 0 … last, two in each octave.
std::vector<PositionRange> places_of(const Question& question) {
  const PositionRange run = precision_run(question);
  std::vector<PositionRange> places;
  if (question.subject.positions_origin == "flag --positions") {
    for (Index i = 0; i < run.count; ++i) places.push_back(run.slice(i, 1));
    return places;
  }
  const std::int64_t last = run.at(run.count - 1);
  std::vector<std::int64_t> numbers{0, last};
  for (int half = 0; half < 106; ++half) {
    const auto number = static_cast<std::int64_t>(std::llround(std::exp2(half / 2.0)));
    if (number < last) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (const std::int64_t number : numbers) places.push_back({number, 1, 1, 0});
  return places;
}

void begin_precision(const PrecisionSubject& subject, Index positions, Index turns_each,
                     double threads) {
  const auto count = static_cast<double>(positions);
  begin({.what = fmt::format("{} positions by {} pipelines of {} turns", positions,
                             subject.pipelines.size(), turns_each),
         .operations = count * static_cast<double>(turns_each) *
                       static_cast<double>(subject.pipelines.size()),
         .per_second = 2e7,
         .threads = threads,
         .levers = {{"length", count}},
         .other = "fewer --pipelines or --draws"});
}

std::string last_note(const PrecisionSubject& subject, const std::vector<PrecisionPoint>& points,
                      double last) {
  std::string text;
  const std::size_t each = points.size() / subject.pipelines.size();
  for (std::size_t i = 0; i < subject.pipelines.size(); ++i)
    text += fmt::format("{}{} {:.2g}", i == 0 ? "" : ", ", subject.pipelines[i].name,
                        points[(i + 1) * each - 1].worst);
  return fmt::format("entries at position {} are off by at most: {}", last, text);
}

// Where entries of each pipeline are no numbers any more, between the places that were looked at.
std::vector<double> overflows_of(const Question& question, const PrecisionSubject& subject,
                                 const std::vector<PositionRange>& places,
                                 const std::vector<PrecisionPoint>& points) {
  std::vector<double> firsts(subject.pipelines.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(i * places.size());
    const auto end = begin + static_cast<std::ptrdiff_t>(places.size());
    const auto past =
        std::find_if(begin, end, [](const PrecisionPoint& point) { return point.overflows > 0; });
    if (past == end) continue;
    const auto found = static_cast<std::size_t>(past - begin);
    firsts[i] = places[found].value(0);
    if (found == 0 || !subject.turns || places[found].decimals != 0) continue;
    const RowErrors errors(subject.pipelines[i], subject, question);
    std::int64_t sound = places[found - 1].at(0), over = places[found].at(0);
    while (over - sound > 1) {
      const std::int64_t middle = sound + (over - sound) / 2;
      (errors.at({middle, 1, 1, 0}).overflows > 0 ? over : sound) = middle;
    }
    firsts[i] = static_cast<double>(over);
  }
  return firsts;
}

// Places of one pipeline that one thread measures.
struct PipelinePiece {
  std::size_t pipeline, first, count;
};

// Roundings to half types, which machines do not do by themselves, for each number that turns.
int half_roundings(const Pipeline& pipeline) {
  const auto is_half = [](DType type) { return type != DType::f64 && type != DType::f32; };
  return 3 * is_half(pipeline.turning) + is_half(pipeline.vectors.value_or(DType::f64));
}

// As threads of processes take them, at least eight for each: those first that round most, and so
// take longest; a long one at the end would be waited for.
std::vector<PipelinePiece> pieces_of(const std::vector<Pipeline>& pipelines, std::size_t places,
                                     std::size_t threads) {
  const std::size_t count = pipelines.size(),
                    workers = threads * static_cast<std::size_t>(ranks().count()),
                    parts = std::clamp<std::size_t>((8 * workers + count - 1) / count, 1, places);
  std::vector<PipelinePiece> pieces;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t first = places * part / parts;
      pieces.push_back({i, first, places * (part + 1) / parts - first});
    }
  std::ranges::stable_sort(pieces, std::greater{}, [&](const PipelinePiece& piece) {
    return half_roundings(pipelines[piece.pipeline]);
  });
  return pieces;
}

// [pipeline, place]
std::vector<PrecisionPoint> points_of(const Question& question, const PrecisionSubject& subject,
                                      const std::vector<PositionRange>& places,
                                      const ShiftDraws& draws) {
  std::vector<RowErrors> errors;
  for (const Pipeline& pipeline : subject.pipelines)
    errors.emplace_back(pipeline, subject, question);
  std::vector<Shifts> shifts;
  for (std::size_t i = 0; i < errors.size(); ++i)
    shifts.emplace_back(question, subject, subject.pipelines[i], errors[i], draws);
  Shifts::score_at_zero(shifts, question);
  const std::size_t threads = team_size(question.threads);
  const std::vector<PipelinePiece> pieces = pieces_of(subject.pipelines, places.size(), threads);
  std::atomic<std::size_t> done = 0;
  const auto told = deal_out(pieces.size(), threads, [&](std::size_t i, bool here) {
    const auto [pipeline, first, count] = pieces[i];
    std::vector<PrecisionPoint> points;
    for (const PositionRange& place : std::span(places).subspan(first, count)) {
      if (here)
        question.advance(static_cast<double>(done) /
                         static_cast<double>(errors.size() * places.size()));
      points.push_back(errors[pipeline].at(place));
      shifts[pipeline].add_to(points.back(), place);
      ++done;
    }
    ByteWriter bytes;
    bytes.put_numbers(points);
    return bytes.text();
  });
  std::vector<PrecisionPoint> points(errors.size() * places.size());
  for (std::size_t i = 0; i < pieces.size(); ++i)
    std::ranges::copy(ByteReader(told[i]).numbers<PrecisionPoint>(),
                      points.begin() + static_cast<std::ptrdiff_t>(
                                           pieces[i].pipeline * places.size() + pieces[i].first));
  return points;
}

Sheet by_position(const Question& question, const PrecisionSubject& subject) {
  const Index n = std::max<Index>(1, subject.turns ? subject.turns->pairs : subject.width);
  const Index listed =
      question.subject.positions_origin == "flag --positions" ? precision_run(question).count : 0;
  if (listed > most_places)
    throw UsageError(fmt::format(
        "{} positions are a row each: give a step, --length, or --view summary", listed));
  const std::vector<PositionRange> places = places_of(question);
  begin_precision(subject, static_cast<Index>(places.size()),
                  n + n * question.options.integer("draws"), threads_of(question));
  Sheet sheet;
  std::vector<double> numbers;
  for (const PositionRange& place : places) numbers.push_back(place.value(0));
  sheet.axes = {subject.axis(), placed_axis("position", numbers, "position of the row")};
  const ShiftDraws draws(question, subject);
  const std::vector<PrecisionPoint> points = points_of(question, subject, places, draws);
  const auto column = [&](std::string name, std::string description, double PrecisionPoint::*value,
                          Error error) {
    Column made{std::move(name), std::move(description), {}, error};
    for (const PrecisionPoint& point : points) made.values.push_back(point.*value);
    sheet.columns.push_back(std::move(made));
  };
  column("worst", "largest error of an entry", &PrecisionPoint::worst, subject.entry_error());
  column("rms", "root mean square error of the entries", &PrecisionPoint::rms,
         subject.entry_error());
  column("angle", "largest error of an angle, in radians", &PrecisionPoint::angle,
         subject.angle_error());
  column("score_rms", "root mean square of s(p, p+k) - s(0, k) over the draws",
         &PrecisionPoint::score_rms, drawn_error(subject, draws));
  column("score_worst", "the largest of them", &PrecisionPoint::score_worst,
         drawn_error(subject, draws));
  column("score_expected",
         "what the entries alone make of it: root of the expected square over Gaussian queries and "
         "keys",
         &PrecisionPoint::score_expected, expected_error(subject));
  column("distinct", "different numbers that the positions 0 to p become",
         &PrecisionPoint::distinct, {});
  sheet.notes = {last_note(subject, points, numbers.back())};
  if (std::string past = overflow_note(subject, overflows_of(question, subject, places, points));
      !past.empty())
    sheet.notes.push_back(std::move(past));
  return sheet;
}

Sheet measure(const Question& question) {
  begin_rows(question, static_cast<double>(question.subject.span.positions.length() - 1));
  const PrecisionSubject bare = precision_subject(question);
  PrecisionSubject subject = bare;
  subject.pipelines = pipelines_of(question, subject.turns);
  if (question.options.choice("view") == "positions") return by_position(question, subject);
  const PositionRange run = precision_run(question);
  begin_precision(subject, run.count, subject.turns ? subject.turns->pairs : subject.width,
                  threads_of(question));
  return precision_summary(question, subject, run);
}

}  // namespace

extern constinit const Quantity precision{
    .name = "precision",
    .also = "error errors ulp rounding 精度 误差 舍入误差",
    .summary = "what element types and codebases' steps make of a table, position by position",
    .definition =
        "error of an entry |T'(p, c) - T(p, c)|; score s(p, m) = R(p)q . R(m)k / sqrt(d), q and k "
        "Gaussian, of a table P(p) . P(m) / sqrt(d); its error s(p, p+k) - s(0, k), which is zero "
        "without rounding; a pipeline rounds positions, frequencies, their product, cosines and "
        "sines each to a type",
    .source = "Wang et al. 2024, arXiv:2411.13476, §3; Vaswani et al. 2017, §3.5",
    .accuracy =
        "exact entries are correctly rounded doubles; angles are held against p·θ in 106 bits; "
        "cosines of rounded angles are the C library's in double, rounded once.",
    .columns =
        "positions: worst rms angle score_rms score_worst score_expected distinct | summary: first "
        "worst at rms angle distinct repeated",
    .subjects = "table rotation",
    .parameters = options,
    .example = "rope --model llama-3.1-8b --view summary",
    .usual_length = 131072,
    .measure = &measure,
};

}  // namespace pe::quantity_rows

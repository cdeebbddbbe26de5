// buckets: which relative positions share an entry of a table, and where logarithms in floating
// point would decide otherwise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/analyze/buckets/bucket_runs.hpp"
#include "pe/analyze/buckets/fragile.hpp"
#include "pe/analyze/quantity.hpp"
#include "pe/base/error.hpp"

namespace pe::quantity_rows {
namespace {

constexpr Index most_rows = Index{1} << 22;

constexpr Parameter options[] = {
    {.name = "view",
     .type = Parameter::Type::choice,
     .help = "buckets: a row for each; positions: the bucket of each relative position; fragile: "
             "distances at which logarithms are whole numbers, or are decided otherwise in "
             "codebases' arithmetic, with logarithms correctly rounded (those of a GPU or of NumPy "
             "with vector instructions may differ by an ulp, and so decide otherwise again)",
     .fallback = "buckets",
     .choices = "buckets positions fragile"}};

const Buckets& buckets_of(const Subject& subject) {
  if (const Relative* relative = std::get_if<Relative>(&subject.effect)) return relative->buckets;
  const Bias& bias = std::get<Bias>(subject.effect);
  if (!bias.buckets)
    throw UsageError("there are no buckets without the relative bias: leave out --no-relative");
  return *bias.buckets;
}

void refuse_too_many(Index rows) {
  if (rows > most_rows)
    throw UsageError(
        fmt::format("{} buckets are too many for a table: at most {}", rows, most_rows));
}

std::string used_note(const std::vector<BucketRun>& runs) {
  std::string unused;
  Index used = 0, named = 0;
  for (std::size_t b = 0; b < runs.size(); ++b)
    if (runs[b].width > 0)
      ++used;
    else if (++named <= 8)
      unused += fmt::format("{}{}", unused.empty() ? "" : ", ", b);
  const auto count = static_cast<Index>(runs.size());
  if (used == count) return fmt::format("each of the {} buckets has relative positions", count);
  return fmt::format("{} of {} buckets have relative positions; never used: {}{}", used, count,
                     unused, named > 8 ? ", ..." : "");
}

std::string last_note(const std::vector<BucketRun>& runs) {
  std::string text;
  for (std::size_t b = 0; b < runs.size(); ++b)
    if (std::isinf(runs[b].last))
      text += fmt::format("{}bucket {} takes every distance from {} on ({})",
                          text.empty() ? "" : "; ", b, runs[b].first, runs[b].side);
  return text;
}

Sheet by_bucket(const Question& question, const Buckets& buckets) {
  refuse_too_many(buckets.count);
  const std::vector<BucketRun> runs =
      bucket_runs(buckets, one_way(question.subject), question.subject.length);
  Sheet sheet;
  sheet.axes = {counted_axis("bucket", buckets.count, "row of the table")};
  const auto column = [&](std::string name, std::string description, double BucketRun::*value,
                          Error error) {
    Column made{std::move(name), std::move(description), {}, error};
    for (const BucketRun& run : runs) made.values.push_back(run.*value);
    sheet.columns.push_back(std::move(made));
  };
  // Distances on a grid are roots of whole numbers.
  const Error root{.absolute = 0, .relative = buckets.by_offset ? 0 : 0x1p-52};
  column("first", "least distance of query and key", &BucketRun::first, root);
  column("last", "greatest distance", &BucketRun::last, root);
  column("width", "how many relative positions share it", &BucketRun::width, {});
  column("pairs", "how many pairs of query and key read it within the length", &BucketRun::pairs,
         {.absolute = 0, .relative = 0x1p-50});  // whole up to 2^53
  std::vector<std::string> sides;
  for (const BucketRun& run : runs) sides.push_back(run.side);
  sheet.columns.push_back(Column::of_words("side", "where the key stands", sides));
  sheet.notes = {used_note(runs)};
  if (const std::string last = last_note(runs); !last.empty()) sheet.notes.push_back(last);
  return sheet;
}

// A difference of rows and of columns is what a window's bucket depends on.
Sheet window_positions(const BucketRule& rule, const Buckets& buckets) {
  refuse_too_many(buckets.count);
  Sheet sheet;
  sheet.axes = {{"rows", {1 - rule.height, 1, 2 * rule.height - 1, 0}, "key minus query"},
                {"columns", {1 - rule.width, 1, 2 * rule.width - 1, 0}, "key minus query"}};
  Column bucket{.name = "bucket", .description = "row of the table", .values = {}};
  for (Index rows = 1 - rule.height; rows < rule.height; ++rows)
    for (Index columns = 1 - rule.width; columns < rule.width; ++columns)
      bucket.values.push_back(static_cast<double>(window_bucket(buckets, rows, columns)));
  sheet.columns = {std::move(bucket)};
  return sheet;
}

Sheet by_position(const Question& question, const Buckets& buckets) {
  if (buckets.rule && buckets.rule->scale == BucketRule::Scale::window)
    return window_positions(*buckets.rule, buckets);
  const PositionRange& offsets = question.subject.span.offsets;
  refuse_too_many(offsets.count);
  if (offsets.decimals != 0)
    throw UsageError("--positions must be whole numbers: buckets are of whole relative positions");
  Sheet sheet;
  sheet.axes = {{"relative_position", offsets, "key minus query"}};
  Column bucket{.name = "bucket", .description = "row of the table", .values = {}};
  for (Index i = 0; i < offsets.count; ++i)
    bucket.values.push_back(static_cast<double>(offset_bucket(buckets, offsets.at(i))));
  sheet.columns = {std::move(bucket)};
  return sheet;
}

Sheet measure(const Question& question) {
  const Buckets& buckets = buckets_of(question.subject);
  const std::string& view = question.options.choice("view");
  if (view == "positions") return by_position(question, buckets);
  if (view == "buckets") return by_bucket(question, buckets);
  return fragile_sheet(buckets, question);
}

}  // namespace

extern constinit const Quantity buckets{
    .name = "buckets",
    .also = "bins 分桶 桶",
    .summary =
        "which relative positions share an entry, and where float logarithms decide "
        "otherwise",
    .definition =
        "distance n from exact = n'/2 on belongs to bucket exact + floor(ln(n/exact) / "
        "ln(max_distance/exact) (n' - exact)), n' buckets one way (T5; DeBERTa rounds up), decided "
        "in whole numbers: n^e >= max_distance^t exact^(e-t), e = n' - exact",
    .source =
        "Raffel et al. 2020, arXiv:1910.10683, §2.1; He et al. 2021, arXiv:2006.03654; Shaw "
        "et al. 2018, arXiv:1803.02155, §3.2",
    .accuracy = "whole numbers, decided by integer powers; the exact place by 120 digits.",
    .columns =
        "buckets: first last width pairs side | positions: bucket | fragile: exact got differs "
        "margin",
    .subjects = "t5 deberta tupe shaw decomposed swin transformer-xl",
    .parameters = options,
    .example = "t5 --view fragile",
    .usual_length = 512,
    .sees_numbers = [](const Parameters&) { return false; },
    .measure = &measure,
};

}  // namespace pe::quantity_rows

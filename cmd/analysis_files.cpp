// What a dump holds, held against what was said of it.
#include "analysis_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dumps.hpp"
#include "pe/base/error.hpp"
#include "pe/diagnosis/expectation.hpp"
#include "pe/diagnosis/observe/observe.hpp"
#include "pe/dialects/layouts.hpp"
#include "pe/waves/waves.hpp"

namespace pe::cmd {
namespace {

// Whether somebody said how large it is: what a row falls back to, or a file implies, binds nobody.
bool is_told(const Subject& subject, const std::vector<const char*>& sizes) {
  return std::ranges::any_of(sizes, [&](const char* name) {
    return subject.parameters.has(name) &&
           (subject.flags.contains(name) || subject.given.contains(name));
  });
}

// The sizes of both, and what the one that is meant would look like.
struct Sizes {
  Index meant = 0, held = 0;
  std::string unit, wanted;
  std::vector<const char*> said_by = {};
};

Sizes sizes_of(const Effect& meant, const Effect& held) {
  if (const Table* table = std::get_if<Table>(&meant))
    return {table->width,
            std::get<Table>(held).width,
            "channels",
            fmt::format("[position, {}]", table->width),
            {"dim"}};
  if (const Rotation* rotation = std::get_if<Rotation>(&meant))
    return {
        rotation->pairs,
        std::get<Rotation>(held).pairs,
        "pairs",
        fmt::format("cos and sin [position, {0}] or [position, {1}], angles [position, {0}], or "
                    "frequencies [{0}]",
                    rotation->pairs, 2 * rotation->pairs),
        {"dim", "rotary-dim", "partial-rotary-factor"}};
  if (const Bias* bias = std::get_if<Bias>(&meant))
    return {bias->heads,
            std::get<Bias>(held).heads,
            "heads",
            fmt::format("[{}, query, key]", bias->heads),
            {"heads"}};
  return {};
}

void check_size(const Subject& subject, const Effect& held, const Stored& array) {
  const Sizes sizes = sizes_of(subject.effect, held);
  if (sizes.meant == sizes.held || !is_told(subject, sizes.said_by)) return;
  throw UsageError(fmt::format("{} [{}] has {} {}, and {} of {} are meant: {} is wanted",
                               array.shown, fmt::join(array.shape, ", "), sizes.held, sizes.unit,
                               sizes.meant, subject.encoding->name, sizes.wanted));
}

// Rows that stand on a line are one array of rows: others would be read one behind the other.
void check_one(const Effect& meant, const Stored& array, Index length) {
  const bool table = std::holds_alternative<Table>(meant);
  if ((!table && !std::holds_alternative<Rotation>(meant)) || coordinates_of(meant)) return;
  const std::vector<Index>& shape = array.shape;
  const auto refuse = [&](const char* what) {
    throw UsageError(fmt::format("{} [{}] holds {}: {} is wanted", array.shown,
                                 fmt::join(shape, ", "), what,
                                 table ? "one table of real numbers, [position, channel],"
                                       : "one table, [position, pair],"));
  };
  if (table && array.is_complex) refuse("complex numbers");
  if (shape.size() < 3) return;
  Index others = 1;
  for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) others *= shape[axis];
  if (table ? others > 1 : std::ranges::find(shape, length) == shape.end())
    refuse("several tables");
}

void check_layout(const std::string& name) {
  std::vector<std::string_view> names;
  for (const ArrayLayout& layout : all_layouts()) names.push_back(layout.name);
  if (!name.empty() && std::ranges::find(names, name) == names.end())
    throw UsageError(
        fmt::format("--file-layout must be one of {}, got {}", fmt::join(names, ", "), name));
}

// A turn is both: of one alone the sign of the other is a guess.
void check_sides(const Observed& observed, const Stored& array) {
  if (!std::holds_alternative<Rotation>(observed.subject.effect)) return;
  for (const char* side : {"cosines", "sines"})
    if (observed.what.starts_with(fmt::format("{} alone", side)))
      throw UsageError(fmt::format(
          "{} [{}] holds {} alone, and a turn is cosine and sine: give both, --file COS --file SIN",
          array.shown, fmt::join(array.shape, ", "), side));
}

// Frequencies and slopes make turns and biases at every position: those that are asked for.
bool goes_anywhere(Observed& observed) {
  if (observed.only == "slopes") return true;
  if (observed.only != "frequencies-decrease") return false;
  Rotation& held = std::get<Rotation>(observed.subject.effect);
  held = wave_rotation(*held.waves, held.dim, held.pairing, held.unscaled);
  return true;
}

}  // namespace

void imply_shape(SubjectTexts& texts, const std::vector<Stored>& arrays) {
  if (texts.encoding->kind != Kind::table) return;
  if (texts.flags.contains("input"))
    throw UsageError("--file and --input both give the table: one of them is wanted");
  if (arrays.size() != 1 || arrays.front().shape.size() < 2) return;
  const std::vector<Index>& shape = arrays.front().shape;
  const std::vector<Parameter> schema = schema_of(*texts.encoding);
  const auto imply = [&](std::string_view name, Index extent) {
    const auto is_meant = [&](const Parameter& row) { return row.name == name; };
    if (std::ranges::any_of(schema, is_meant) && extent > 0)
      texts.implied[std::string(name)] = {std::to_string(extent),
                                          "the shape of " + arrays.front().shown};
  };
  imply("dim", shape.back());
  imply("rows", shape[shape.size() - 2]);
}

void take_dump(Question& question, const Analysis& analysis) {
  Subject& subject = question.subject;
  check_layout(analysis.file_layout);
  Expectation expected = expectation_of(subject);
  expected.layout = analysis.file_layout;
  const Dump dump{
      open_all(analysis.files, analysis.request.texts.dtype, parse_shape(analysis.shape)), {}};
  Observed observed = observe(expected, dump);
  const Stored& array = dump.arrays.front();
  const Index length = observed.subject.positions.length();
  check_size(subject, observed.subject.effect, array);
  const bool anywhere = goes_anywhere(observed);
  if (!anywhere) {
    check_one(subject.effect, array, length);
    check_sides(observed, array);
    const std::string& told = analysis.request.texts.length;
    if (!told.empty() && subject.length > length)
      throw UsageError(fmt::format("--length {}: {} [{}] has {} positions", told, array.shown,
                                   fmt::join(array.shape, ", "), length));
  }
  if (Rotation* held = std::get_if<Rotation>(&observed.subject.effect);
      held && !is_told(subject, {"dim", "rotary-dim", "partial-rotary-factor"}))
    held->dim = 2 * held->pairs;
  subject.effect = within_budget(std::move(observed.subject.effect));
  question.of_file = true;
  if (anywhere) return;
  subject.span = span_of(observed.subject.positions);
  subject.length = length;
}

}  // namespace pe::cmd

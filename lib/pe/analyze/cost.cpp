// cost: what an encoding adds to a model, and how far it reaches.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "pe/analyze/cost/costs.hpp"
#include "pe/analyze/prepared.hpp"
#include "pe/analyze/quantity.hpp"
#include "pe/apply/scores.hpp"
#include "pe/base/error.hpp"

namespace pe::quantity_rows {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN(),
                 endless = std::numeric_limits<double>::infinity();

constexpr Parameter options[] = {
    {.name = "heads",
     .help = "attention heads",
     .fallback = "8",
     .lowest = "1",
     .highest = "65536"},
    {.name = "kv-heads",
     .help = "heads of the keys (default: as many as of the queries)",
     .lowest = "1",
     .highest = "65536"},
    {.name = "channels",
     .help = "channels of a head",
     .fallback = "64",
     .lowest = "1",
     .highest = "65536"},
    {.name = "layers", .help = "of attention", .fallback = "6", .lowest = "1", .highest = "65536"},
    {.name = "per-layer",
     .type = Parameter::Type::flag,
     .help = "each layer has trained numbers of its own (default: all share one set)"},
    {.name = "number-bytes",
     .help = "bytes of a number that is read",
     .fallback = "2",
     .lowest = "1",
     .highest = "16"},
};

bool has_parameter(const Encoding& encoding, std::string_view name) {
  return std::ranges::any_of(schema_of(encoding),
                             [&](const Parameter& row) { return row.name == name; });
}

bool by_hand(const Parameters& told, const char* name) {
  return told.origin(name).starts_with("flag ");
}

// The encoding in the model that is asked for, where neither flags nor a config say otherwise. Only
// the shapes of relative vectors count, which a short sequence has as well as a long one.
Subject in_model(Subject subject, const Parameters& told, const CostedModel& model) {
  if (subject.encoding->kind == Kind::relative)
    subject.length = std::min<Index>(subject.length, 64);
  Given changes;
  const auto say = [&](const char* name, double value) {
    if (has_parameter(*subject.encoding, name) && !subject.flags.contains(name) &&
        !subject.given.contains(name))
      changes[name] = {fmt::format("{:.0f}", value), "the model that is counted"};
  };
  const Kind kind = subject.encoding->kind;
  say("heads", model.heads);
  say("head-dim", model.channels);
  if (kind == Kind::table || has_parameter(*subject.encoding, "head-dim") ||
      subject.encoding->name == "tupe")
    say("dim", model.width());
  else if (kind != Kind::bias)
    say("dim", model.channels);
  if (const std::optional<Subject> changed = with_changes(subject, changes)) return *changed;
  if (by_hand(told, "heads") || by_hand(told, "channels"))
    throw UsageError(
        fmt::format("{} takes no {:.0f} heads of {:.0f} channels: choose other --heads "
                    "or --channels",
                    subject.encoding->name, model.heads, model.channels));
  return subject;
}

void take_size(const Parameters& told, const Subject& subject, const char* name, double& size,
               double own) {
  if (size != own && by_hand(told, name))
    throw UsageError(fmt::format("--{} {:.0f} contradicts {}, which has {:.6g}: leave one out",
                                 name, size, subject.encoding->name, own));
  size = own;
}

// The sizes that the effect itself has win where others were not told by hand.
void take_shape(const Parameters& told, CostedModel& model, const Subject& subject) {
  if (const Table* table = std::get_if<Table>(&subject.effect)) {
    take_size(told, subject, "channels", model.channels,
              static_cast<double>(table->width) / model.heads);
    return;
  }
  const ContentShape shape = content_shape(subject.effect, static_cast<Index>(model.channels));
  take_size(told, subject, "channels", model.channels, static_cast<double>(shape.channels));
  if (has_parameter(*subject.encoding, "heads"))
    take_size(told, subject, "heads", model.heads, static_cast<double>(shape.heads));
}

// Where the table of buckets is as long as the sequence, it ends nowhere: the row does not promise
// that it is clipped.
double saturation_of(const Subject& subject) {
  const std::vector<std::string> promises = promises_of(*subject.encoding, subject.parameters);
  if (std::ranges::find(promises, "clipped") == promises.end()) return endless;
  const Buckets* buckets = nullptr;
  if (const Bias* bias = std::get_if<Bias>(&subject.effect); bias && bias->buckets)
    buckets = &*bias->buckets;
  if (const Relative* relative = std::get_if<Relative>(&subject.effect))
    buckets = &relative->buckets;
  return buckets && buckets->saturation > 0 ? static_cast<double>(buckets->saturation) : endless;
}

bool has_waves(const Effect& effect) {
  const Table* table = std::get_if<Table>(&effect);
  return std::holds_alternative<Rotation>(effect) || (table && table->waves);
}

// Rows that are solved for one by one end where patience does, not the encoding.
bool is_solved(const Effect& effect) {
  const Table* table = std::get_if<Table>(&effect);
  return table && table->solving;
}

// What a position, or a distance, beyond those that a model was trained on meets.
std::string beyond(const Subject& subject, double rows, double saturation) {
  const std::string_view name = subject.encoding->name;
  if (name == "normalized-index") return "every value moves with the length";
  if (rows < endless) return "no value: positions beyond the rows are refused";
  if (saturation < endless) return "distances beyond saturation are told no more";
  if (has_waves(subject.effect)) return "waves go on, slow ones to angles that training never saw";
  if (name == "fire") return "distances stay between 0 and 1 of the query's own";
  if (kind_of(subject.effect) == Kind::bias) return "the penalty goes on by the same rule";
  return "goes on by the same rule";
}

Sheet sheet_of(const Subject& subject, const CostedModel& model, const Cost& cost, double sets,
               double bytes) {
  const auto existing = is_solved(subject.effect) ? std::nullopt : rows_of(subject.effect);
  const double rows = existing ? static_cast<double>(*existing) : endless,
               saturation = saturation_of(subject), attention = 4 * model.width() * model.length;
  const std::optional<Index> trained = trained_length(subject);
  Sheet sheet;
  sheet.axes = {named_axis("encoding", {std::string(subject.encoding->name)}, "what is counted")};
  const auto column = [&](const char* name, const char* description, double value,
                          Error error = {}) {
    sheet.columns.push_back({name, description, {value}, error});
  };
  column("parameters", "trained numbers", sets * cost.parameters);
  column("stored", "numbers that are made once and kept, at this length", cost.stored);
  column("flops_once", "operations for each token, whatever the layers", cost.once);
  column("flops_layer", "operations for each token in each layer", cost.layer,
         {.relative = 0x1p-50});
  column("bytes_once", "bytes read for each token, whatever the layers", bytes * cost.read_once);
  column("bytes_layer", "bytes read for each token in each layer", bytes * cost.read_layer);
  column("of_attention",
         "operations as a share of attention's own two products, 4 · heads · channels · length "
         "for each token and layer",
         (cost.once / model.layers + cost.layer) / attention, {.relative = 0x1p-49});
  column("width", "heads · channels of the model that was counted", model.width());
  column("length", "keys that a query meets", model.length);
  column("rows", "positions that have a value", rows);
  column("saturation", "distance from which on all are alike", saturation);
  column("trained", "positions that the model was trained on, where parameters or config say",
         trained ? static_cast<double>(*trained) : none);
  sheet.columns.push_back(
      Column::of_words("beyond", "what lies beyond", {beyond(subject, rows, saturation)}));
  return sheet;
}

Sheet measure(const Question& question) {
  const Parameters& told = question.options;
  const auto number = [&](const char* name) { return static_cast<double>(told.integer(name)); };
  CostedModel model{.length = static_cast<double>(question.subject.length),
                    .heads = number("heads"),
                    .kv_heads = 0,
                    .channels = number("channels"),
                    .layers = number("layers")};
  const Subject subject = with_numbers(in_model(question.subject, told, model), "0").subject;
  take_shape(told, model, subject);
  model.kv_heads = told.has("kv-heads") ? number("kv-heads") : model.heads;
  if (!told.has("kv-heads")) question.decide("kv-heads", fmt::format("{}", model.kv_heads));
  if (model.kv_heads > model.heads)
    throw UsageError(fmt::format("--kv-heads {} are more than the {} heads of the queries",
                                 model.kv_heads, model.heads));
  if (const auto rows = rows_of(subject.effect))
    model.length = std::min(model.length, static_cast<double>(*rows));
  const bool own =
      told.has("per-layer") && told.flag("per-layer") && kind_of(subject.effect) != Kind::table;
  if (!told.has("per-layer")) question.decide("per-layer", "false");
  return sheet_of(subject, model, cost_of(subject, model), own ? model.layers : 1,
                  number("number-bytes"));
}

}  // namespace

extern constinit const Quantity cost{
    .name = "cost",
    .also = "flops parameters params memory complexity 成本 开销 代价 复杂度 计算复杂度 参数量",
    .summary =
        "trained numbers, operations and bytes for each token and layer, and how far the "
        "encoding reaches",
    .definition =
        "counted for one query that meets --length keys: a product, a sum and a function "
        "(exp, log, pow, max) each count one, a product of two vectors of n numbers 2n, a number "
        "that is read --number-bytes; "
        "tables and turns are made beforehand and read, xPos' scales are part of them; a "
        "bias is computed or looked up for each head and key and added; attention's own "
        "products are 4 · heads · channels · length",
    .source =
        "the comparison tables of introductions to position encodings, counted; per encoding "
        "the arithmetic of its paper",
    .accuracy = "counts are exact.",
    .columns =
        "parameters stored flops_once flops_layer bytes_once bytes_layer of_attention width length "
        "rows saturation trained beyond",
    .subjects = "any",
    .parameters = options,
    .example = "rope --model llama-3.1-8b --heads 32 --kv-heads 8 --layers 32",
    .usual_length = 1024,
    .bare = true,
    .sees_numbers = [](const Parameters&) { return false; },
    .measure = &measure,
};

}  // namespace pe::quantity_rows

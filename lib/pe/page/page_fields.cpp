// A row for each quantity that explains an encoding, and what each is asked.
#include "pe/page/page_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/analyze/quantity.hpp"
#include "pe/base/error.hpp"
#include "pe/io/html.hpp"
#include "pe/page/cell_fields.hpp"

namespace pe {
namespace {

constexpr Index least_reach = 256, most_reach = 2048;  // positions that curves are drawn over
constexpr Index most_shifts = 128, most_rows = 96;     // beyond them a page would hold little else

// How a quantity is asked on a page.
struct Explanation {
  std::string_view quantity;
  std::string_view columns = {};                    // kept; empty: all
  bool (*ask)(Subject&, Given& options) = nullptr;  // says more; false: nothing to ask
};

void reach(Subject& subject, Index length) {
  const std::optional<Index> rows = rows_of(subject.effect);
  subject.span = span_of_length(rows ? std::min(*rows, length) : length);
  subject.length = subject.span.positions.count;
}

bool every_shift(Subject& subject, Given& options) {
  const PositionRange& rows = subject.span.positions;
  const auto* table = std::get_if<Table>(&subject.effect);
  if (!table || !table->waves || rows.decimals != 0 || rows.step <= 0 || rows.count < 2)
    return false;
  std::string list;
  for (Index i = 0; i < std::min(rows.count, most_shifts); ++i)
    list += fmt::format("{}{}", list.empty() ? "" : ",", i * rows.step);
  options["k"] = {list, "the rows of the page"};
  options["view"] = {"turns", "the page"};
  return true;
}

// Turns are counted within what the model is to read, not within the rows that are shown.
bool wanted_length(Subject& subject, Given&) {
  const Parameters& parameters = subject.parameters;
  const bool reads_more =
      parameters.has("max-position") && parameters.integer("max-position") >= subject.length;
  subject.positions_origin = reads_more ? parameters.origin("max-position") : "default";
  if (reads_more) subject.length = parameters.integer("max-position");
  return true;
}

bool from_first(Subject& subject, Given&) {
  if (!is_grid(subject.effect))
    reach(subject, std::clamp(subject.span.positions.length(), least_reach, most_reach));
  return true;
}

bool rows_with_rows(Subject& subject, Given& options) {
  options["view"] = {"matrix", "the page"};
  PositionRange& rows = subject.span.positions;
  if (kind_of(subject.effect) != Kind::table) return false;
  if (!is_grid(subject.effect)) rows.count = std::min(rows.count, most_rows);
  return true;
}

bool by_bucket(Subject& subject, Given& options) {
  options["view"] = {"buckets", "the page"};
  return from_first(subject, options);
}

bool always(Subject&, Given&) { return true; }

constexpr Explanation explanations[] = {
    {"shift", "angle cos sin first second", every_shift},
    {"decay", {}, from_first},
    {"spectrum", {}, wanted_length},
    {"scaling", {}, always},
    {"similarity", {}, rows_with_rows},
    {"buckets", {}, by_bucket},
};

// What of the flags the quantity reads, too, and what the page says.
Parameters options_of(const Quantity& quantity, const Subject& subject, const Given& said) {
  const std::vector<Parameter> schema = options_for(quantity, *subject.encoding, subject.flags);
  Given told = said;
  for (const Parameter& row : schema)
    if (const auto flag = subject.flags.find(row.name); flag != subject.flags.end())
      told.insert(*flag);
  return complete(schema, told, {}, subject.load);
}

// What it decides of itself joins the provenance as QUANTITY.PARAMETER.
Sheet measured(const Explanation& row, Subject subject, Given options, int threads,
               Provenance& provenance) {
  const Quantity& quantity = find_quantity(row.quantity);
  const auto decided = [&](const Provenance::Entry& entry) {
    const std::string name = fmt::format("{}.{}", row.quantity, entry.name);
    const auto known = std::ranges::find(provenance.parameters, name, &Provenance::Entry::name);
    if (known == provenance.parameters.end())
      provenance.parameters.push_back({name, entry.value, entry.origin});
  };
  Sheet sheet = quantity.measure({.subject = subject,
                                  .options = options_of(quantity, subject, options),
                                  .threads = threads,
                                  .decided = decided});
  if (!row.columns.empty()) choose_columns(sheet, words(row.columns));
  return sheet;
}

// Grows while there is room for more numbers.
class PageFields {
 public:
  explicit PageFields(std::vector<Field> fields) : fields_(std::move(fields)) {
    io::check_page(fields_);
  }
  // Throws UsageError where the page has no room left for all of them.
  void add(std::vector<Field> more) {
    const Index left = io::most_page_numbers - io::numbers_of(fields_);
    if (const Index numbers = io::numbers_of(more); numbers > left)
      throw UsageError(
          fmt::format("its {} numbers have no room beside the others on this page", numbers));
    for (Field& field : more) fields_.push_back(std::move(field));
  }
  const std::vector<Field>& all() const { return fields_; }

 private:
  std::vector<Field> fields_;
};

// Fields of the kind itself that explain its usual ones, where the effect has them.
std::vector<Field> kind_fields(const Subject& subject, const std::vector<Field>& fields) {
  std::vector<Field> made;
  if (kind_of(subject.effect) == Kind::table) return made;
  for (const char* name : {"angle", "slope", "bucket", "coordinate"}) {
    const auto has = [&](const Field& field) { return field.name == name; };
    if (std::ranges::any_of(fields, has)) continue;
    try {
      for (Field& field : spell(subject.effect, subject.span, DType::f64, {name}))
        made.push_back(std::move(field));
    } catch (const UsageError&) {  // this effect has no such field
    }
  }
  return made;
}

std::vector<Field> named_after(const Explanation& row, const Sheet& sheet) {
  std::vector<Field> fields = fields_of(sheet);
  for (Field& field : fields) field.name = fmt::format("{}.{}", row.quantity, field.name);
  return fields;
}

}  // namespace

std::vector<Field> page_fields(const Subject& subject, std::vector<Field> fields,
                               Provenance& provenance, int threads) {
  Provenance::Texts notes{"notes", {}}, left_out{"left_out", {}};
  PageFields page(std::move(fields));
  const auto try_to = [&](std::string_view name, const auto& add) {
    const auto leave_out = [&](const std::exception& why) {
      left_out.rows.push_back(fmt::format("{}: {}", name, why.what()));
    };
    try {
      add();
    } catch (const UsageError& error) {
      leave_out(error);
    } catch (const MathError& error) {
      leave_out(error);
    }
  };
  try_to("angle", [&] {
    if (2 * io::numbers_of(page.all()) > io::most_page_numbers)
      throw UsageError("there is no room for it beside the others on this page");
    page.add(kind_of(subject.effect) == Kind::table ? cell_fields(subject, page.all().front())
                                                    : kind_fields(subject, page.all()));
  });
  for (const Explanation& row : explanations) {
    Subject asked = subject;
    asked.dtype = DType::f64;  // as pe-analyze has it, whatever the table is stored in
    Given options;
    if (!applies(find_quantity(row.quantity), *subject.encoding) || !row.ask(asked, options))
      continue;
    try_to(row.quantity, [&] {
      const Sheet sheet = measured(row, asked, options, threads, provenance);
      page.add(named_after(row, sheet));
      for (const std::string& note : sheet.notes)
        notes.rows.push_back(fmt::format("{}: {}", row.quantity, note));
    });
  }
  if (subject.dialect_given && subject.dialect->name != "exact")
    provenance.warnings.push_back(
        fmt::format("the fields are of the dialect {}; angles and quantities beside them are of "
                    "the exact encoding",
                    subject.dialect->name));
  for (Provenance::Texts* texts : {&notes, &left_out})
    if (!texts->rows.empty()) provenance.texts.push_back(std::move(*texts));
  return page.all();
}

void name_coordinates(std::vector<Field>& fields) {
  for (Field& field : fields) {
    if (field.name != "coordinate" || field.axes.empty()) continue;
    Axis& axis = field.axes.back();
    std::vector<std::string> names;
    for (std::string_view rest = axis.description; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(", "), rest.size());
      names.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 2, rest.size()));
    }
    if (std::ssize(names) == axis.coordinates.count) axis.labels = std::move(names);
  }
}

}  // namespace pe

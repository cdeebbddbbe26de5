// Reports as rows: the columns of CSV, and the fields and texts of HDF5.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "pe/io/shortest.hpp"
#include "pe/verify/report.hpp"
#include "pe/verify/report_parts.hpp"

namespace pe {
namespace report_parts {
namespace {

const Diagnosis& diagnosis_of(const Row& row) {
  static const Diagnosis none = [] {
    Diagnosis blank;
    blank.worst = blank.bound = blank.before = blank.after = blank.ulps =
        blank.worst_cell.expected = blank.worst_cell.got = NAN;
    return blank;
  }();
  return row.check->diagnosis ? *row.check->diagnosis : none;
}

template <typename Text>  // (reason) → text
std::string joined(const std::vector<Reason>& reasons, Text text) {
  std::string all;
  for (const Reason& reason : reasons) {
    all += all.empty() ? "" : "; ";
    all += text(reason);
  }
  return all;
}

struct TextColumn {
  const char* name;
  std::string (*value)(const Row&);
};
constexpr TextColumn texts[] = {
    {"check", [](const Row& r) { return r.check->name; }},
    {"encoding", [](const Row& r) { return r.check->provenance.encoding; }},
    {"dialect", [](const Row& r) { return r.check->provenance.dialect; }},
    {"file", [](const Row& r) { return files_of(*r.check); }},
    {"outcome", [](const Row& r) { return std::string(outcome_of(*r.check)); }},
    {"law", [](const Row& r) { return r.verdict ? r.verdict->law : std::string(); }},
    {"word",
     [](const Row& r) {
       return std::string(r.verdict            ? name_of(r.verdict->word)
                          : r.check->diagnosis ? name_of(r.check->diagnosis->tier)
                                               : "");
     }},
    {"causes",
     [](const Row& r) {
       return joined(diagnosis_of(r).reasons, [](const Reason& one) { return name_of(one.cause); });
     }},
    {"sentence",
     [](const Row& r) {
       return r.verdict ? r.verdict->measurement.skipped : sentence_of(*r.check);
     }},
    {"layout", [](const Row& r) { return diagnosis_of(r).layout; }},
    {"arithmetic", [](const Row& r) { return diagnosis_of(r).arithmetic; }},
    {"place",
     [](const Row& r) {
       return r.verdict ? r.verdict->measurement.witness : diagnosis_of(r).worst_cell.place;
     }},
    {"bound_from",
     [](const Row& r) {
       return r.verdict ? r.verdict->measurement.bound_from : diagnosis_of(r).bound_from;
     }},
    {"power_at",
     [](const Row& r) { return r.verdict ? r.verdict->measurement.power.at : std::string(); }},
    {"coverage",
     [](const Row& r) {
       return r.verdict ? r.verdict->measurement.coverage : diagnosis_of(r).coverage;
     }},
};

// What a law measured; NaN where it was skipped.
double measured(const Verdict& verdict, double Measurement::*member) {
  return verdict.word == Word::skipped ? NAN : verdict.measurement.*member;
}

struct NumberColumn {
  const char* name;
  double (*value)(const Row&);
};
constexpr NumberColumn numbers[] = {
    {"exit_code", [](const Row& r) { return static_cast<double>(r.check->exit_code()); }},
    {"worst",
     [](const Row& r) {
       return r.verdict ? measured(*r.verdict, &Measurement::worst) : diagnosis_of(r).worst;
     }},
    {"bound",
     [](const Row& r) {
       return r.verdict ? measured(*r.verdict, &Measurement::bound) : diagnosis_of(r).bound;
     }},
    {"power",
     [](const Row& r) {
       return r.verdict && r.verdict->word != Word::skipped ? r.verdict->measurement.power.change
                                                            : NAN;
     }},
    {"expected", [](const Row& r) { return diagnosis_of(r).worst_cell.expected; }},
    {"got", [](const Row& r) { return diagnosis_of(r).worst_cell.got; }},
    {"ulps", [](const Row& r) { return diagnosis_of(r).ulps; }},
    {"cells",
     [](const Row& r) {
       return r.check->diagnosis ? static_cast<double>(r.check->diagnosis->cells) : NAN;
     }},
    {"rounded_otherwise",
     [](const Row& r) {
       return r.check->diagnosis ? static_cast<double>(r.check->diagnosis->rounded_otherwise) : NAN;
     }},
    {"residual_before", [](const Row& r) { return diagnosis_of(r).before; }},
    {"residual_after", [](const Row& r) { return diagnosis_of(r).after; }},
    {"seconds", [](const Row& r) { return r.verdict ? r.verdict->seconds : r.check->seconds; }},
};

std::string spell_cell(double value) {
  if (std::isnan(value)) return "";
  char text[io::longest_number];
  return {text, io::put_f64(text, value)};
}

Field column(std::string name, std::string description, std::string axis,
             std::vector<double> values) {
  const auto count = static_cast<Index>(values.size());
  return {.name = std::move(name),
          .description = std::move(description),
          .axes = {{std::move(axis), first_positions(count), ""}},
          .dtype = DType::f64,
          .fill = [values = std::move(values)](Index first, Index lines, std::byte* out) {
            std::memcpy(out, values.data() + first,
                        static_cast<std::size_t>(lines) * sizeof(double));
          }};
}

}  // namespace

std::vector<Row> rows_of(const Report& report) {
  std::vector<Row> rows;
  for (const Check& check : report.checks) {
    for (const Verdict& verdict : check.verdicts) rows.push_back({&check, &verdict});
    if (check.verdicts.empty()) rows.push_back({&check, nullptr});
  }
  return rows;
}

std::vector<Field> fields_of(const Report& report) {
  const std::vector<Row> rows = rows_of(report);
  std::vector<Field> fields;
  for (const NumberColumn& number : numbers) {
    std::vector<double> values;
    for (const Row& row : rows) values.push_back(number.value(row));
    fields.push_back(column(number.name, number.name, "row", std::move(values)));
  }
  std::vector<double> row_of_point, position, error;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& point : diagnosis_of(rows[i]).curve) {
      row_of_point.push_back(static_cast<double>(i));
      position.push_back(static_cast<double>(point.position));
      error.push_back(point.worst);
    }
  if (error.empty()) return fields;
  fields.push_back(
      column("curve_row", "row that the point belongs to", "point", std::move(row_of_point)));
  fields.push_back(column("curve_position", "position", "point", std::move(position)));
  fields.push_back(
      column("curve_error", "largest error up to the position", "point", std::move(error)));
  return fields;
}

std::vector<Provenance::Texts> texts_of(const Report& report) {
  std::vector<Provenance::Texts> columns;
  for (const TextColumn& text : texts) {
    columns.push_back({text.name, {}});
    for (const Row& row : rows_of(report))
      columns.back().rows.push_back(printable(text.value(row)));
  }
  return columns;
}

}  // namespace report_parts

std::string to_csv(const Report& report) {
  using namespace report_parts;
  std::string text;
  for (const TextColumn& column : texts)
    text += (text.empty() ? "" : ",") + std::string(column.name);
  for (const NumberColumn& column : numbers) text += "," + std::string(column.name);
  text += "\n";
  for (const Row& row : rows_of(report)) {
    std::string line;
    for (const TextColumn& column : texts)
      line += (&column == texts ? "" : ",") + csv_cell(column.value(row));
    for (const NumberColumn& column : numbers) line += "," + spell_cell(column.value(row));
    text += line + "\n";
  }
  return text;
}

}  // namespace pe

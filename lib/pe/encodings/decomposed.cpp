// decomposed: a trained vector for each difference of rows of a grid and one for each difference of
// columns, both met by the query.
#include <algorithm>

#include "pe/encodings/encoding.hpp"
#include "pe/model/resample.hpp"
#include "pe/model/weights.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "grid",
     .type = Parameter::Type::name,
     .help = "HxW places, row by row: the whole image, or one window",
     .fallback = "8x8"},
    {.name = "row-vectors",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of the vectors by difference of rows, query minus key, rel_pos_h, "
             "[2H-1, channel]; those of another grid are resized"},
    {.name = "column-vectors",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of the vectors by difference of columns, rel_pos_w, [2W-1, channel]; "
             "those of another grid are resized"},
    {.name = "added",
     .type = Parameter::Type::choice,
     .help = "after: to the scores as the scale leaves them (code, SAM); before: the scale "
             "multiplies the terms, too (paper)",
     .fallback = "after",
     .choices = "after before"},
    {.name = "seed",
     .help = "draw the tables that are not given from N(0, 0.02²) with this seed",
     .lowest = "0",
     .highest = "9223372036854775807"},
    {.name = "head-dim",
     .help = "channels of drawn tables",
     .fallback = "64",
     .lowest = "1",
     .highest = "65536"},
};

std::int64_t floor_of(std::int64_t place, Index width) {
  return place >= 0 ? place / width : -((width - 1 - place) / width);
}

// Which of the 2n−1 vectors along one axis: query − key, clipped to the grid, + n − 1.
Buckets differences(bool of_rows, Index height, Index width) {
  const Index extent = of_rows ? height : width;
  const auto coordinate = [=](std::int64_t place) {
    const std::int64_t row = floor_of(place, width);
    return of_rows ? row : place - row * width;
  };
  return {.count = 2 * extent - 1,
          .of =
              [=](std::int64_t query, std::int64_t key) {
                return std::clamp<std::int64_t>(coordinate(query) - coordinate(key), 1 - extent,
                                                extent - 1) +
                       extent - 1;
              },
          .by_offset = false,
          .positions = height * width};
}

// The rows of a table of another length become `rows` of them, linearly (`get_rel_pos`: PyTorch's
// interpolate, middles of equal cells).
Array resized(const Array& table, Index rows) {
  const Index from = table.shape()[0], channels = table.shape()[1];
  if (from == rows) return table;
  const std::vector<double> given = values_of(table);
  std::vector<double> made;
  made.reserve(static_cast<std::size_t>(rows * channels));
  for (Index row = 0; row < rows; ++row) {
    const std::vector<Tap> mixed = taps({}, from, rows, row);
    for (Index channel = 0; channel < channels; ++channel) {
      double sum = 0;
      for (const Tap& tap : mixed)
        sum += to_double(tap.weight) *
               given[static_cast<std::size_t>(tap.source * channels + channel)];
      made.push_back(sum);
    }
  }
  return array_of({rows, channels}, made);
}

// s(i,j) = q_i·k_j/√d + q_i·R_h[y_i − y_j] + q_i·R_w[x_i − x_j] (Li et al. 2022, eqs. 4 and 5,
// where all is divided by √d; `add_decomposed_rel_pos`, where the first term is).
Effect make(const Parameters& parameters, Index) {
  const std::vector<Index> extents = parse_grid(parameters.choice("grid"), 2, "grid");
  const Index height = extents[0], width = extents[1];
  Relative relative;
  relative.buckets = window_buckets(height, width, false);
  const auto add = [&](const char* term, std::string_view name, bool of_rows) {
    if (!parameters.has(name) && !parameters.has("seed")) return;
    const Buckets buckets = differences(of_rows, height, width);
    const Array table =
        parameters.has(name)
            ? resized(
                  tensor_of(parameters, name, {{"difference", 0}, {"channel", relative.channels}}),
                  buckets.count)
            : tensor_or_drawn(parameters, name,
                              {{"difference", buckets.count},
                               {"channel", relative.channels > 0 ? relative.channels
                                                                 : parameters.integer("head-dim")}},
                              Distribution::normal, 0.02);
    relative.channels = table.shape()[1];
    relative.terms.push_back({.name = term, .fixed = {}, .table = table, .buckets = buckets});
  };
  add("content_row", "row-vectors", true);
  add("content_column", "column-vectors", false);
  return relative;
}

}  // namespace

extern constinit const Encoding decomposed{
    .name = "decomposed",
    .also = "decomposed-relative rel-pos relative-2d mvit vitdet sam",
    .summary = "a trained vector for each difference of rows of a grid and one for each of columns",
    .source =
        "Li et al. 2022, arXiv:2112.01526, eqs. 4 and 5 (MViTv2), and the authors' "
        "`add_decomposed_rel_pos`; Kirillov et al. 2023, arXiv:2304.02643 (SAM)",
    .kind = Kind::relative,
    .parameters = schema,
    .accuracy =
        "The index is exact; tables are passed on, resized ones are sums in double, rounded once "
        "when --dtype is narrower.",
    .claims = "exact index; drawn:row-vectors,column-vectors row_table column_table",
    .promises =
        "finite deterministic length-invariant order-sensitive buckets-total buckets-covered "
        "expansion",
    .example = "decomposed --grid 2x2 --fields index",
    .drift = &copies_drift,
    .make = &make,
};

}  // namespace pe::encoding_rows

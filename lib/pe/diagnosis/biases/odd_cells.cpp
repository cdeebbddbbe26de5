// Cells that the mask of a dump hides, or leaves open, beside the causal mask that the others have.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "pe/diagnosis/biases/equivalents.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

struct OddCells {
  Index hidden = 0, open = 0;             // of all planes
  Index later = 0, later_hidden = 0;      // cells after their query
  std::vector<Index> cells = {};          // of one plane: query times keys plus key
  std::optional<Index> first_plane = {};  // that has any
  Index planes = 0;                       // that have any
  bool alike = true;                      // in every plane that has any
};

// Nothing where a cell that is not hidden is not as it is meant.
std::optional<OddCells> odd_cells(const BiasObservation& observation, const Stored& array,
                                  const BiasHypothesis& hypothesis) {
  const BiasShape& shape = observation.shape;
  OddCells odd;
  std::vector<double> got(static_cast<std::size_t>(shape.keys)), truth(got.size());
  for (Index plane = 0; plane < shape.planes(); ++plane) {
    std::vector<Index> cells;
    for (Index q = 0; q < shape.queries; ++q) {
      const std::int64_t query = shape.first_query + q;
      array.read((plane * shape.queries + q) * shape.keys, shape.keys, got.data());
      observation.evaluate(hypothesis, plane, query, shape.first_key, shape.keys, truth.data());
      for (Index k = 0; k < shape.keys; ++k) {
        const double value = got[static_cast<std::size_t>(k)],
                     meant = truth[static_cast<std::size_t>(k)];
        const std::int64_t key = shape.first_key + k;
        const bool later = key > query,
                   hidden = observation.mask->holds(value) || value == -HUGE_VAL;
        odd.later += later;
        odd.later_hidden += later && hidden;
        if (hidden != later) {
          if (!std::isfinite(value) && !hidden) return {};
          cells.push_back(q * shape.keys + k);
          ++(hidden ? odd.hidden : odd.open);
        }
        if (hidden || later) continue;
        if (!(std::fabs(value - meant) <=
              observation.allowed(hypothesis, plane, meant, value, 0,
                                  static_cast<double>(std::abs(query - key)))))
          return {};
      }
    }
    if (cells.empty()) continue;
    ++odd.planes;
    odd.alike = odd.alike && (!odd.first_plane || cells == odd.cells);
    if (odd.first_plane) continue;
    odd.first_plane = plane;
    odd.cells = std::move(cells);
  }
  return odd;
}

std::string spell(const OddCells& odd, const BiasShape& shape) {
  const Index first = odd.cells.front();
  const std::string place = fmt::format("key {} of query {}", shape.first_key + first % shape.keys,
                                        shape.first_query + first / shape.keys);
  const std::string where = odd.planes == shape.planes() && odd.alike
                                ? shape.planes() > 1 ? ", in every head" : ""
                                : fmt::format(", in head {}{}", *odd.first_plane % shape.heads,
                                              odd.planes > 1 ? " and others" : "");
  return odd.alike && odd.cells.size() == 1
             ? place + where
             : fmt::format("{} cells, the first {}{}", odd.hidden + odd.open, place, where);
}

}  // namespace

std::optional<Reason> odd_mask(const BiasObservation& observation, const Stored& array) {
  const BiasShape& shape = observation.shape;
  const Parameters& meant = observation.expected->parameters;
  const bool is_causal =
      observation.base.masked || (meant.has("bidirectional") && !meant.flag("bidirectional"));
  if (!is_causal || shape.slopes || shape.heads > observation.bias->heads) return {};
  for (const Equivalent& one : equivalents(observation)) {
    if (one.hypothesis.constant == BiasHypothesis::Constant::any) continue;
    const auto odd = odd_cells(observation, array, one.hypothesis);
    // Of later keys most are hidden, so that a mask is there; and one number alone is damage.
    if (!odd || 2 * odd->later_hidden <= odd->later || odd->hidden + odd->open < 2 ||
        20 * odd->open > odd->later)
      continue;
    if (odd->hidden == 0)
      return Reason{Cause::mask_open, "the mask of the dump leaves keys after their query open: " +
                                          spell(*odd, shape)};
    return Reason{
        Cause::wrong_mask,
        (odd->open > 0 ? "the mask of the dump hides keys before their query, and leaves "
                         "some after it open: "
                       : "the mask of the dump hides keys before their query, or its own, "
                         "as no window or padding does: ") +
            spell(*odd, shape)};
  }
  return {};
}

}  // namespace pe

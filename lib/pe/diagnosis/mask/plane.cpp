// One matrix of a dump as hidden cells, its rows read once.
#include <algorithm>

#include "pe/diagnosis/mask/shape.hpp"

namespace pe {

const std::vector<char>& MaskedPlane::row(Index query) {
  const auto [place, made] = rows_.try_emplace(query);
  if (!made) return place->second;
  std::vector<double> values(static_cast<std::size_t>(axes_.keys));
  array_.read((number_ * axes_.queries + query) * axes_.keys, axes_.keys, values.data());
  for (const double value : values) place->second.push_back(levels_.holds(value));
  return place->second;
}

bool MaskedPlane::is_full(Index query) {
  const std::vector<char>& own = row(query);
  return std::ranges::find(own, char{0}) == own.end();
}

std::vector<Index> MaskedPlane::sample() const {
  constexpr Index few = 320, edge = 32;
  std::vector<Index> queries;
  for (Index q = 0; q < axes_.queries; ++q)
    if (axes_.queries <= few || q < edge || q >= axes_.queries - edge ||
        q % (axes_.queries / (few - 2 * edge) + 1) == 0)
      queries.push_back(q);
  return queries;
}

Index MaskedPlane::contradictions(const MaskShape& shape, const std::vector<Index>& queries) {
  Index count = 0;
  for (const Index query : queries) {
    const std::vector<char>& own = row(query);
    for (Index key = 0; key < axes_.keys; ++key)
      count += (own[static_cast<std::size_t>(key)] != 0) != shape.hides(axes_, query, key);
  }
  return count;
}

bool MaskedPlane::agrees_at_a_glance(const MaskShape& shape) {
  constexpr std::size_t some = 16;
  std::vector<Index> queries = sample();
  if (queries.size() > some) {
    std::vector<Index> few;
    for (std::size_t i = 0; i < some; ++i)
      few.push_back(queries[i * (queries.size() - 1) / (some - 1)]);
    queries = std::move(few);
  }
  return contradictions(shape, queries) == 0;
}

}  // namespace pe

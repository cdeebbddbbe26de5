// The readings that shapes and names allow of turns, before anything is known of their ladder.
#include <algorithm>

#include "pe/diagnosis/identify/estimate.hpp"

namespace pe {
namespace {

bool says_any(const Dump& dump, std::initializer_list<std::string_view> parts) {
  for (const Stored& array : dump.arrays)
    for (const std::string_view part : parts)
      if (array.name.find(part) != std::string::npos) return true;
  return false;
}

using Form = RotationReading::Form;

// The side that the name of the only array says, and no other.
std::optional<RotationReading::Side> only_side(const Dump& dump) {
  if (!dump.before.empty() || dump.arrays.size() != 1 || dump.arrays[0].is_complex) return {};
  return side_said_by(dump.arrays[0]);
}

// Channels of vectors from which on nothing turns, two for each pair; and the usual parts of a
// head.
std::vector<Index> pairs_of_vectors(const Dump& dump) {
  const Index width = dump.arrays[0].shape.back(),
              rows = dump.arrays[0].size() / std::max<Index>(1, width);
  std::vector<double> x(static_cast<std::size_t>(width)), y = x;
  Index turning = 0;
  for (Index i = 0; i < 64; ++i) {
    const Index row = i * (rows - 1) / 63;
    dump.before[0].read(row * width, width, x.data());
    dump.arrays[0].read(row * width, width, y.data());
    for (Index c = turning; c < width; ++c)
      if (x[static_cast<std::size_t>(c)] != y[static_cast<std::size_t>(c)]) turning = c + 1;
  }
  std::vector<Index> all;
  for (const Index n : {(turning + 1) / 2, width / 2, width / 4, width / 8, 3 * width / 16})
    if (n > 0 && 2 * n <= width && std::ranges::find(all, n) == all.end()) all.push_back(n);
  return all;
}

}  // namespace

std::vector<RotationReading> readings_of(const Dump& dump) {
  std::vector<RotationReading> all;
  if (const auto side = only_side(dump)) {
    const Index width = squeezed(dump.arrays[0].shape).back();
    for (const Index pairs : {width / 2, width})
      for (RotationReading& reading : turn_readings(dump, pairs))
        if (reading.side == *side) all.push_back(std::move(reading));
    return all;
  }
  if (dump.before.empty()) return turn_readings(dump, {});
  for (const Index pairs : pairs_of_vectors(dump))
    for (RotationReading& reading : turn_readings(dump, pairs)) all.push_back(std::move(reading));
  return all;
}

// The name of the same places in a sinusoidal table; "": it is none.
std::string sinusoidal_layout(const Dump& dump, const RotationReading& reading) {
  if (reading.form != Form::turns || dump.arrays.size() > 2 ||
      dump.arrays[reading.cosine.array].is_complex || reading.cosine.array != reading.sine.array)
    return "";
  for (const auto& [fused, table] : {std::pair{"turns-swapped", "interleaved"},
                                     {"sin-cos", "halves"},
                                     {"cos-sin", "halves-cos-first"},
                                     {"turns", "interleaved-cos-first"}})
    if (reading.layout == fused && dump.arrays[reading.cosine.array].shape.back() == reading.width)
      return table;
  return "";
}

namespace {

// Pairs of a table whose first row stands at position 0: as many ones before the first zero, or
// pairs of one and zero.
Index pairs_at_origin(const Stored& array) {
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 2 * most_pairs)));
  array.read(0, std::ssize(some), some.data());
  const double one = some[0] != 0 ? some[0] : some[1];
  std::size_t n = 0;
  while (n < some.size() && some[n] == some[0]) ++n;
  if (n > 1) return static_cast<Index>(n);
  while (n + 1 < some.size() && some[n - 1] + some[n] == one && (some[n - 1] == 0 || some[n] == 0))
    n += 2;
  return static_cast<Index>(n / 2);
}

}  // namespace

// One-dimensional arrays that hold rows one after the other.
std::vector<Dump> unrolled(const Dump& dump) {
  std::vector<Dump> all;
  if (!dump.before.empty() || dump.arrays.size() != 1) return all;
  const Stored& array = dump.arrays[0];
  if (std::ranges::count_if(array.shape, [](Index extent) { return extent > 1; }) != 1 ||
      array.size() < 64)
    return all;
  for (const Index pairs :
       {pairs_at_origin(array), Index{64}, Index{32}, Index{16}, Index{40}, Index{48}, Index{24},
        Index{128}, Index{256}, Index{10}, Index{8}, Index{20}, Index{36}, Index{12}, Index{4}})
    if (pairs > 0 && array.size() % (2 * pairs) == 0 && array.size() / (2 * pairs) >= 3) {
      Dump one = dump;
      one.arrays[0].shape = {array.size() / (2 * pairs), 2 * pairs};
      all.push_back(std::move(one));
    }
  return all;
}

bool names_frequencies(const Dump& dump) {
  return says_any(dump, {"freq", "factor", "rope", "theta", "wave", "period"});
}

double cost_of_kind(const Dump& dump, const RotationReading& reading, bool table) {
  const bool rope = says_any(dump, {"rope", "rotary", "freq", "cos"}),
             sums = says_any(dump, {"pe", "pos", "sinus", "embed", "weight"}) && !rope;
  const bool sines_first = reading.layout == "turns-swapped" || reading.layout == "sin-cos";
  if (rope || sums) return rope == table ? 1.5 : 0;
  return sines_first == table ? 0 : 1.5;
}

}  // namespace pe

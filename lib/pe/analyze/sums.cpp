// Blocks of distances side by side, each from the cosines that Waves makes.
#include "pe/analyze/sums.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <thread>

#include "pe/base/team.hpp"
#include "pe/waves/waves.hpp"

namespace pe {
namespace {

constexpr Index block = 1024;            // distances: 512 KiB of cosines for 64 pairs
constexpr Index chunk = Index{1} << 18;  // between two looks at the clock

bool is_negative(double sum, Index distance, const std::vector<Real>& frequencies) {
  if (std::fabs(sum) > sums_error(static_cast<Index>(frequencies.size()))) return sum < 0;
  Real exact = 0;
  for (const Real& frequency : frequencies) exact += cos(Real(distance) * frequency);
  return exact < 0;
}

// The part [begin, end) of the distances, joined to what is known.
void scan(const Waves& waves, Index begin, Index end, Sums& known) {
  const Index pairs = waves.pairs();
  std::vector<double> cosines(static_cast<std::size_t>(block * pairs));
  const WaveLayout layout{.width = pairs, .sine = {}, .cosine = Place{}};
  for (Index first = begin; first < end; first += block) {
    const Index count = std::min(block, end - first);
    waves.fill({first, 1, count, 0}, layout, DType::f64,
               reinterpret_cast<std::byte*>(cosines.data()));
    for (Index i = 0; i < count; ++i) {
      double sum = 0;
      for (Index j = 0; j < pairs; ++j) sum += cosines[static_cast<std::size_t>(i * pairs + j)];
      if (sum < known.minimum) {
        known.minimum = sum;
        known.at = first + i;
      }
      if (!is_negative(sum, first + i, waves.frequencies())) continue;
      ++known.negatives;
      if (!known.first) known.first = first + i;
    }
  }
}

// Parts in rising order.
void join(Sums& all, const Sums& part) {
  all.negatives += part.negatives;
  if (!all.first) all.first = part.first;
  if (part.minimum >= all.minimum) return;
  all.minimum = part.minimum;
  all.at = part.at;
}

}  // namespace

// Each cosine is the nearest double, off by 2^−54 at most, and the n − 1 additions by 2^−53 of
// partial sums of at most n each.
double sums_error(Index pairs) {
  const auto n = static_cast<double>(pairs);
  return (n / 2 + n * n) * 0x1p-53;
}

Sums sums_below(const std::vector<Real>& frequencies, Index length, int threads,
                const std::function<void(double share)>& advance) {
  const Waves waves(frequencies);
  const auto team =
      static_cast<Index>(threads > 0 ? static_cast<unsigned>(threads)
                                     : std::clamp(std::thread::hardware_concurrency(), 1u, 64u));
  Sums all{.first = {}, .minimum = static_cast<double>(frequencies.size())};
  for (Index begin = 0; begin < length; begin += chunk) {
    advance(static_cast<double>(begin) / static_cast<double>(length));
    const Index end = std::min(begin + chunk, length), share = (end - begin + team - 1) / team;
    std::vector<Sums> parts(static_cast<std::size_t>(team), {.first = {}, .minimum = all.minimum});
    std::vector<std::exception_ptr> failures(parts.size());
    side_by_side(parts.size(), [&](std::size_t i) {
      const Index from = begin + static_cast<Index>(i) * share;
      try {
        scan(waves, std::min(from, end), std::min(from + share, end), parts[i]);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
    for (const Sums& part : parts) join(all, part);
  }
  return all;
}

}  // namespace pe

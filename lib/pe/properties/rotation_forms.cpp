// Laws of what a rotation does to a vector: its norm, and the forms in which it is written.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "pe/base/narrow.hpp"
#include "pe/model/random.hpp"
#include "pe/properties/laws.hpp"

namespace pe::laws {
namespace {

using Vector = std::vector<double>;

// R q by the matrix that has c, −s, s, c where a pair is read and written, and 1 where a channel
// passes through.
Vector by_matrix(const Rotation& rotation, const std::complex<double>* turn, const Vector& q) {
  const auto dim = static_cast<std::size_t>(rotation.dim);
  Vector matrix(dim * dim), out(dim);
  const auto entry = [&](Index row, Index column) -> double& {
    return matrix[static_cast<std::size_t>(row) * dim + static_cast<std::size_t>(column)];
  };
  const Index first = first_channel(rotation);
  for (Index channel = 0; channel < rotation.dim; ++channel)
    if (channel < first || channel >= first + 2 * rotation.pairs) entry(channel, channel) = 1;
  for (Index j = 0; j < rotation.pairs; ++j) {
    const auto [in, to] = channels_of(rotation, j);
    entry(to[0], in[0]) = turn[j].real();
    entry(to[0], in[1]) = -turn[j].imag();
    entry(to[1], in[0]) = turn[j].imag();
    entry(to[1], in[1]) = turn[j].real();
  }
  for (std::size_t row = 0; row < dim; ++row)
    for (std::size_t column = 0; column < dim; ++column)
      out[row] += matrix[row * dim + column] * q[column];
  return out;
}

// The same as a product of complex numbers, pair by pair.
Vector by_pairs(const Rotation& rotation, const std::complex<double>* turn, const Vector& q) {
  Vector out = q;
  for (Index j = 0; j < rotation.pairs; ++j) {
    const auto [in, to] = channels_of(rotation, j);
    const std::complex<double> turned =
        std::complex(q[static_cast<std::size_t>(in[0])], q[static_cast<std::size_t>(in[1])]) *
        turn[j];
    out[static_cast<std::size_t>(to[0])] = turned.real();
    out[static_cast<std::size_t>(to[1])] = turned.imag();
  }
  return out;
}

// The same as x·cos + rotate_half(x)·sin on the channels permuted to halves, and back (Llama's
// form).
Vector by_halves(const Rotation& rotation, const std::complex<double>* turn, const Vector& q) {
  const auto n = static_cast<std::size_t>(rotation.pairs);
  Vector x(2 * n), rotated(2 * n), out = q;
  for (std::size_t j = 0; j < n; ++j) {
    const auto in = channels_of(rotation, static_cast<Index>(j)).in;
    x[j] = q[static_cast<std::size_t>(in[0])];
    x[j + n] = q[static_cast<std::size_t>(in[1])];
  }
  for (std::size_t c = 0; c < 2 * n; ++c) rotated[c] = c < n ? -x[c + n] : x[c - n];
  for (std::size_t c = 0; c < 2 * n; ++c)
    x[c] = x[c] * turn[c % n].real() + rotated[c] * turn[c % n].imag();
  for (std::size_t j = 0; j < n; ++j) {
    const auto to = channels_of(rotation, static_cast<Index>(j)).out;
    out[static_cast<std::size_t>(to[0])] = x[j];
    out[static_cast<std::size_t>(to[1])] = x[j + n];
  }
  return out;
}

}  // namespace

// A pair's block is |z| times a turn, so over all q the norm of the turning channels changes by a
// factor between the smallest and the largest |z|; entries within e of the truth move |z| by at
// most √2·e.
Measurement norm_preserving(const Rotation& rotation, const Case& subject) {
  Measurement result;
  for_blocks(subject.positions, 2 * rotation.pairs, [&](Index first, const PositionRange& block) {
    const Turns turns = turns_of(rotation, block, subject.dtype);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const double off = std::fabs(std::abs(turns[i]) - rotation.magnitude);
      if (!worse(off, result.worst)) continue;
      result.worst = off;
      const Index position = first + static_cast<Index>(i) / rotation.pairs,
                  pair = static_cast<Index>(i) % rotation.pairs;
      result.witness =
          fmt::format("position {}, pair {}: a unit vector of these channels gets the norm {:.12g}",
                      subject.positions.value(position), pair, std::abs(turns[i]));
    }
  });
  if (rotation.scale) {
    result.worst = HUGE_VAL;
    result.witness = "queries and keys are scaled, each by its own factor";
  }
  const double e = entry_error(subject, rotation.magnitude);
  result.bound = std::sqrt(2.0) * e + 4 * 0x1p-53 * rotation.magnitude;
  result.bound_from = fmt::format("√2·e, e = {:.3g}{}, A = {:.9g}", e, spell_entry_error(subject),
                                  rotation.magnitude);
  result.power = power_of_square(
      rotation.magnitude,
      std::pow(rotation.magnitude + result.bound, 2) - std::pow(rotation.magnitude, 2),
      std::min(result.worst, result.bound) * 2 * rotation.magnitude);
  result.coverage = fmt::format("all {} positions, every q", subject.positions.count);
  result.exhaustive = true;
  return result;
}

// Each form computes c·a − s·b with two products and a sum: they differ by at most 3·2^-53·(|c||a|
// + |s||b|) each.
Measurement matrix_form(const Rotation& rotation, const Case& subject) {
  Measurement result;
  if (rotation.dim < 2 * rotation.pairs || rotation.dim > 4096)
    return not_told(fmt::format("the dense matrix is for heads of at most 4096 channels, got {}",
                                rotation.dim));
  const Index samples = std::min<Index>(
      subject.positions.count, std::max<Index>(4, 4000000 / (rotation.dim * rotation.dim)));
  double largest = 0;
  for (Index sample = 0; sample < samples; ++sample) {
    const Index at = samples > 1 ? sample * (subject.positions.count - 1) / (samples - 1) : 0;
    const Turns turns = turns_of(rotation, subject.positions.slice(at, 1), subject.dtype);
    Vector q(static_cast<std::size_t>(rotation.dim));
    for (std::size_t c = 0; c < q.size(); ++c) {
      q[c] = random_normal(static_cast<std::uint64_t>(at), c);
      largest = std::max(largest, std::fabs(q[c]));
    }
    const Vector matrix = by_matrix(rotation, turns.data(), q),
                 pairs = by_pairs(rotation, turns.data(), q),
                 halves = by_halves(rotation, turns.data(), q);
    for (std::size_t c = 0; c < q.size(); ++c) {
      const double off =
          std::max(std::fabs(matrix[c] - pairs[c]), std::fabs(matrix[c] - halves[c]));
      if (!worse(off, result.worst)) continue;
      result.worst = off;
      result.witness =
          fmt::format("position {}, channel {}: matrix {:.17g}, pairs {:.17g}, halves {:.17g}",
                      subject.positions.value(at), c, matrix[c], pairs[c], halves[c]);
    }
  }
  result.power = {HUGE_VAL, "three forms of the same turns are compared, whatever they are"};
  result.bound =
      2 * 3 * 0x1p-53 * std::sqrt(2.0) * rotation.magnitude * 1.01 * largest * std::sqrt(2.0);
  result.bound_from =
      fmt::format("twice 3·2^-53·(|c||a| + |s||b|), at most √2·A·√2·{:.3g}", largest);
  result.coverage =
      fmt::format("{} of {} positions, one drawn vector each", samples, subject.positions.count);
  return result;
}

}  // namespace pe::laws

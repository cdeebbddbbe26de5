// Several values at a time, for rows that hold nothing to be named.
#include "pe/diagnosis/rotations/glance.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace pe {

std::complex<double> carried(double cosine, double sine, double by) {
  const double square = by * by;
  const double s = by *
                   (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72)))),
               c = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)));
  return {cosine * c - sine * s, sine * c + cosine * s};
}

RowTally glance_at(const TurnRow& line, double position, double amplitude, const Spacing& spacing,
                   double roundings) {
  RowTally glance;
  const double along = amplitude * position;
  for (std::size_t j = 0; j < line.pairs; ++j) {
    const double bound = along * line.per_radian[j] +
                         amplitude * value_roundings(position * line.frequency[j]) * 0x1p-24,
                 finer = along * line.per_fine[j] + amplitude * 3 * 0x1p-53;
    const double off_cosine = std::fabs(line.cosine[j] - line.exact_cosine[j]),
                 off_sine = std::fabs(line.sine[j] - line.exact_sine[j]);
    const std::complex<double> own =
        carried(line.exact_cosine[j], line.exact_sine[j], line.shift[j]);
    glance.beyond +=
        !(std::fabs(line.cosine[j] - own.real()) <=
          bound + spacing.rounding(own.real(), roundings)) +
        !(std::fabs(line.sine[j] - own.imag()) <= bound + spacing.rounding(own.imag(), roundings));
    glance.coarse += !(off_cosine <= finer + spacing.at(line.exact_cosine[j]) / 2) +
                     !(off_sine <= finer + spacing.at(line.exact_sine[j]) / 2);
    glance.worst = std::max({glance.worst, off_cosine, off_sine});
  }
  for (std::size_t j = 0; j < line.pairs; ++j)
    glance.rounded_otherwise +=
        (line.cosine[j] != line.rounded_cosine[j]) + (line.sine[j] != line.rounded_sine[j]);
  if (glance.rounded_otherwise == 0) return glance;
  for (std::size_t j = 0; j < line.pairs; ++j)
    glance.ulps = std::max({glance.ulps, spacing.between(line.cosine[j], line.rounded_cosine[j]),
                            spacing.between(line.sine[j], line.rounded_sine[j])});
  return glance;
}

}  // namespace pe

// Cosine and sine of each position and pair, solved from all vectors that stand there.
#include "pe/diagnosis/rotations/own_turns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "pe/base/median.hpp"
#include "pe/base/narrow.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/pair_formulas.hpp"
#include "pe/diagnosis/rotations/rewritten.hpp"

namespace pe {
namespace {

// Least squares of cosine and sine: sums over the vectors of one position.
struct Sums {
  double cc = 0, cs = 0, ss = 0, c = 0, s = 0, squares = 0;
};

struct Turn {
  double cosine = 0, sine = 0;
  bool known = false;
};

class OwnTurns {
 public:
  OwnTurns(const Dump& dump, const RotationReading& reading) : dump_(dump), reading_(reading) {
    for (Index j = 0; j < reading_.pairs; ++j) channels_.push_back(channels_of(reading_, j));
    near_ = 8 * std::max({unit_roundoff(dump_.arrays[0].dtype),
                          unit_roundoff(dump_.before[0].dtype), unit_roundoff(DType::f32)});
    x_.resize(static_cast<std::size_t>(reading_.width));
    y_ = x_;
  }

  /// Whether all vectors of some slots, spread over all, went through one cosine and sine a pair,
  /// and these are a turn's: all of one length, and not all at angle 0, as channels that do not
  /// turn are by many a formula.
  bool fits(const PairFormula& formula) {
    constexpr Index most = 16;
    const Index step = std::max<Index>(1, reading_.slots() / most);
    constexpr double still = 1e-3;
    std::vector<double> lengths;
    bool turns_any = false;
    for (Index slot = reading_.slots() - 1; slot >= 0; slot -= step) {
      const std::vector<Turn> turns = solved(formula, slot);
      if (!fits(formula, slot, turns)) return false;
      for (const Turn& one : turns)
        if (one.known) {
          lengths.push_back(std::hypot(one.cosine, one.sine));
          turns_any = turns_any || std::fabs(one.sine) > still * lengths.back();
        }
    }
    if (!turns_any) return false;
    const double length = median_of(lengths);
    return std::ranges::all_of(
        lengths, [&](double one) { return std::fabs(one - length) <= 4 * near_ * length; });
  }

  /// Of every slot and pair.
  std::vector<Turn> turns(const PairFormula& formula) {
    std::vector<Turn> all;
    for (Index slot = 0; slot < reading_.slots(); ++slot) {
      const std::vector<Turn> here = solved(formula, slot);
      all.insert(all.end(), here.begin(), here.end());
    }
    return all;
  }

  /// The vectors of one row as turns make them; NaN where these are not known.
  void turn(const std::vector<Turn>& turns, Index row, const double* x, double* y) const {
    const auto first = static_cast<std::size_t>(reading_.slot(row) * reading_.pairs);
    for (std::size_t j = 0; j < channels_.size(); ++j) {
      const auto& [in, out] = channels_[j];
      const Turn& one = turns[first + j];
      const PairNumbers should =
          plain_turn().of({&one.cosine, &one.sine, 1}, 0, x[in[0]], x[in[1]], {});
      for (std::size_t k = 0; k < 2; ++k)
        y[out[k]] = one.known ? should[k] : std::numeric_limits<double>::quiet_NaN();
    }
  }

 private:
  // What a formula makes of a pair is fixed + cosine·by_cosine + sine·by_sine.
  struct Linear {
    PairNumbers fixed, by_cosine, by_sine, y;
  };

  Linear linear(const PairFormula& formula, std::size_t pair) const {
    const auto of = [](const std::vector<double>& numbers, const std::array<Index, 2>& at) {
      return PairNumbers{numbers[static_cast<std::size_t>(at[0])],
                         numbers[static_cast<std::size_t>(at[1])]};
    };
    const PairNumbers x = of(x_, channels_[pair].in), y = of(y_, channels_[pair].out);
    const auto made = [&](double cosine, double sine) {
      return formula.of({&cosine, &sine, 1}, 0, x[0], x[1], y);
    };
    Linear all{made(0, 0), made(1, 0), made(0, 1), y};
    for (std::size_t k = 0; k < 2; ++k) {
      all.by_cosine[k] -= all.fixed[k];
      all.by_sine[k] -= all.fixed[k];
    }
    return all;
  }

  template <typename Use>
  void each_row(Index slot, Use use) {
    const Index stride = reading_.stride;
    for (Index start = slot * stride; start < reading_.rows; start += reading_.slots() * stride)
      for (Index row = start; row < start + stride; ++row) {
        dump_.before[0].read(row * reading_.width, reading_.width, x_.data());
        dump_.arrays[0].read(row * reading_.width, reading_.width, y_.data());
        use();
      }
  }

  std::vector<Turn> solved(const PairFormula& formula, Index slot) {
    std::vector<Sums> sums(channels_.size());
    each_row(slot, [&] {
      for (std::size_t j = 0; j < channels_.size(); ++j) {
        const Linear one = linear(formula, j);
        Sums& sum = sums[j];
        for (std::size_t k = 0; k < 2; ++k) {
          const double left = one.y[k] - one.fixed[k];
          sum.cc += one.by_cosine[k] * one.by_cosine[k];
          sum.cs += one.by_cosine[k] * one.by_sine[k];
          sum.ss += one.by_sine[k] * one.by_sine[k];
          sum.c += one.by_cosine[k] * left;
          sum.s += one.by_sine[k] * left;
        }
        sum.squares += one.by_cosine[0] * one.by_cosine[0] + one.by_cosine[1] * one.by_cosine[1];
      }
    });
    std::vector<Turn> turns;
    for (const Sums& sum : sums) {
      const double size = sum.cc * sum.ss - sum.cs * sum.cs, middle = (sum.cc + sum.ss) / 2,
                   least = middle - std::sqrt(std::max(middle * middle - size, 0.0));
      // Rounding stays within what one vector is allowed.
      const bool known = least * 8 >= sum.squares && sum.squares > 0;
      turns.push_back({(sum.c * sum.ss - sum.s * sum.cs) / size,
                       (sum.s * sum.cc - sum.c * sum.cs) / size, known});
    }
    return turns;
  }

  bool fits(const PairFormula& formula, Index slot, const std::vector<Turn>& turns) {
    bool all = true;
    Index known = 0;
    for (const Turn& one : turns) known += one.known;
    if (4 * known < std::ssize(turns)) return false;
    each_row(slot, [&] {
      for (std::size_t j = 0; all && j < channels_.size(); ++j) {
        if (!turns[j].known) continue;
        const auto& in = channels_[j].in;
        const Linear one = linear(formula, j);
        const double length =
            std::hypot(x_[static_cast<std::size_t>(in[0])], x_[static_cast<std::size_t>(in[1])]) +
            std::hypot(one.y[0], one.y[1]);
        for (std::size_t k = 0; k < 2; ++k)
          all = all && std::fabs(one.fixed[k] + turns[j].cosine * one.by_cosine[k] +
                                 turns[j].sine * one.by_sine[k] - one.y[k]) <= near_ * length;
      }
    });
    return all;
  }

  Dump dump_;
  RotationReading reading_;

  double near_ = 0;
  std::vector<PairChannels> channels_;
  std::vector<double> x_, y_;
};

}  // namespace

std::vector<RestoredDump> restored_by_own_turns(const Dump& dump, const RotationReading& reading) {
  constexpr Index most = Index{1} << 20;
  std::vector<RestoredDump> all;
  if (reading.slots() * 2 > reading.rows || reading.slots() * reading.pairs > most) return all;
  const auto own = std::make_shared<OwnTurns>(dump, reading);
  if (own->fits(plain_turn())) return all;
  for (const PairFormula& formula : pair_formulas()) {
    if (!own->fits(formula)) continue;
    const auto turned =
        [own, turns = std::make_shared<const std::vector<Turn>>(own->turns(formula))](
            Index row, const double* x, double* y) { own->turn(*turns, row, x, y); };
    all.push_back({{{rewritten(dump, reading.width, turned)}, dump.before, true},
                   {Cause::pair_formula, formula.sentence},
                   0,
                   0});
  }
  return all;
}

}  // namespace pe

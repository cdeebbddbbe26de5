// The formulas of a pair.
#include "pe/diagnosis/rotations/pair_formulas.hpp"

namespace pe {
namespace {

using Made = const PairNumbers&;  // what an overwritten number was read from

PairNumbers turn(const AngleRow& at, std::size_t j, double a, double b, Made = {}) {
  return {a * at.cosine[j] - b * at.sine[j], b * at.cosine[j] + a * at.sine[j]};
}

constexpr std::array formulas{
    PairFormula{"the second number of a pair is made from the first one's new value, which has "
                "overwritten the old: b·cos + a′·sin",
                [](const AngleRow& at, std::size_t j, double a, double b, Made y) -> PairNumbers {
                  return {turn(at, j, a, b)[0], b * at.cosine[j] + y[0] * at.sine[j]};
                }},
    PairFormula{"the first number of a pair is made from the second one's new value, which has "
                "overwritten the old: a·cos − b′·sin",
                [](const AngleRow& at, std::size_t j, double a, double b, Made y) -> PairNumbers {
                  return {a * at.cosine[j] - y[1] * at.sine[j], turn(at, j, a, b)[1]};
                }},
    PairFormula{"the minus of a·cos − b·sin is lost: rotate_half(x) has no minus",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {a * at.cosine[j] + b * at.sine[j], b * at.cosine[j] + a * at.sine[j]};
                }},
    PairFormula{"both sine products have a minus: b·cos − a·sin in place of b·cos + a·sin",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {a * at.cosine[j] - b * at.sine[j], b * at.cosine[j] - a * at.sine[j]};
                }},
    PairFormula{"the sine products are missing: x·cos alone",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {a * at.cosine[j], b * at.cosine[j]};
                }},
    PairFormula{"the cosine products are missing: rotate_half(x)·sin alone",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {-b * at.sine[j], a * at.sine[j]};
                }},
    PairFormula{"a product is missing: the first number of a pair is a·cos alone",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {a * at.cosine[j], turn(at, j, a, b)[1]};
                }},
    PairFormula{"a product is missing: the first number of a pair is -b·sin alone",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {-b * at.sine[j], turn(at, j, a, b)[1]};
                }},
    PairFormula{"a product is missing: the second number of a pair is b·cos alone",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {turn(at, j, a, b)[0], b * at.cosine[j]};
                }},
    PairFormula{"a product is missing: the second number of a pair is a·sin alone",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {turn(at, j, a, b)[0], a * at.sine[j]};
                }},
    PairFormula{
        "each number of a pair meets itself and not its partner: a·cos - a·sin, b·cos + b·sin",
        [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
          return {a * at.cosine[j] - a * at.sine[j], b * at.cosine[j] + b * at.sine[j]};
        }},
    PairFormula{"a cosine is lost: the first number of a pair is a − b·sin",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {a - b * at.sine[j], turn(at, j, a, b)[1]};
                }},
    PairFormula{"a cosine is lost: the second number of a pair is b + a·sin",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {turn(at, j, a, b)[0], b + a * at.sine[j]};
                }},
    PairFormula{"both cosines are lost: x + rotate_half(x)·sin",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {a - b * at.sine[j], b + a * at.sine[j]};
                }},
    PairFormula{"a sine is lost: the first number of a pair is a·cos − b",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {a * at.cosine[j] - b, turn(at, j, a, b)[1]};
                }},
    PairFormula{"a sine is lost: the second number of a pair is b·cos + a",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {turn(at, j, a, b)[0], b * at.cosine[j] + a};
                }},
    PairFormula{"cosines and sines are added to the vectors, which should turn by them",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {a + at.cosine[j], b + at.sine[j]};
                }},
    PairFormula{"sines and cosines are added to the vectors, which should turn by them",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {a + at.sine[j], b + at.cosine[j]};
                }},
    PairFormula{"the first number of a pair is multiplied by the cosine, the second by the sine",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {a * at.cosine[j], b * at.sine[j]};
                }},
    PairFormula{"the turned vector is added to the one before: x + R·x",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  const PairNumbers turned = turn(at, j, a, b);
                  return {a + turned[0], b + turned[1]};
                }},
    PairFormula{"the second number of a pair has the other sign",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {turn(at, j, a, b)[0], -turn(at, j, a, b)[1]};
                }},
    PairFormula{"the second number of a pair is a·sin − b·cos, where b·cos + a·sin is meant",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {turn(at, j, a, b)[0], a * at.sine[j] - b * at.cosine[j]};
                }},
    PairFormula{"the first number of a pair has the other sign",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {-turn(at, j, a, b)[0], turn(at, j, a, b)[1]};
                }},
    PairFormula{"both numbers of a pair have the other sign",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {-turn(at, j, a, b)[0], -turn(at, j, a, b)[1]};
                }},
    PairFormula{"the numbers of a pair stand in each other's place",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {turn(at, j, a, b)[1], turn(at, j, a, b)[0]};
                }},
    PairFormula{"cosines and sines lie as adjacent pairs need them and channels pair up by halves: "
                "repeat_interleave with rotate_half",
                [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
                  return {turn(at, j / 2, a, b)[0], turn(at, (j + at.pairs) / 2, a, b)[1]};
                }},
    PairFormula{
        "cosines and sines lie as halves need them and channels pair up as neighbours: "
        "cat(x, x) with an interleaved rotate_half",
        [](const AngleRow& at, std::size_t j, double a, double b, Made) -> PairNumbers {
          return {turn(at, 2 * j % at.pairs, a, b)[0], turn(at, (2 * j + 1) % at.pairs, a, b)[1]};
        }},
};

constexpr PairFormula plain{"", turn};

}  // namespace

const PairFormula& plain_turn() { return plain; }
std::span<const PairFormula> pair_formulas() { return formulas; }

}  // namespace pe

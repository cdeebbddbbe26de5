// One side held to what is meant, the other to a number and to the first.
#include "pe/diagnosis/rotations/other_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/prediction.hpp"

namespace pe {
namespace {

// What may still be said of a side after the rows so far.
struct SideMarks {
  bool right = true, constant = true, copy = true;
};

class OtherSide {
 public:
  OtherSide(Kept<ProbedDump> dump, Kept<Attempt> attempt)
      : observation_(observe(dump, attempt)),
        hypothesis_(observation_.start()),
        prediction_(observation_.prediction(hypothesis_)),
        cosine_(observation_.pairs()),
        sine_(cosine_),
        bound_(cosine_) {}

  std::optional<Reason> reason() {
    for (std::size_t i = 0; i < observation_.rows().size(); ++i) {
      for (std::size_t j = 0; j < observation_.pairs(); ++j) {
        got_[0].push_back(observation_.cosine(i, j));
        got_[1].push_back(observation_.sine(i, j));
      }
      look(observation_.rows()[i], got_[0].data(), got_[1].data());
      got_[0].clear();
      got_[1].clear();
    }
    if (!said()) return {};
    observation_.scan([&](Index row, const double* cosine, const double* sine) {
      look(row, cosine, sine);
      return said();
    });
    if (!said() || rows_ < 3 || !moved_[right_side()]) return {};
    return told(right_side());
  }

 private:
  std::size_t right_side() const { return marks_[0].right ? 0 : 1; }
  bool said() const {
    if (marks_[0].right == marks_[1].right) return rows_ == 0;
    const SideMarks& other = marks_[1 - right_side()];
    return other.constant || other.copy;
  }

  void look(Index row, const double* cosine, const double* sine) {
    prediction_.row(row, cosine_, sine_, bound_);
    const double* const got[] = {cosine, sine};
    const std::vector<double>* const want[] = {&cosine_, &sine_};
    for (const std::size_t side : {0, 1}) {
      SideMarks& marks = marks_[side];
      if (rows_ == 0) first_[side] = got[side][0];
      for (std::size_t j = 0; j < cosine_.size(); ++j) {
        const double value = got[side][j], meant = (*want[side])[j];
        marks.right = marks.right && prediction_.allows(value, meant, bound_[j]);
        marks.constant = marks.constant && value == first_[side];
        marks.copy = marks.copy && value == got[1 - side][j];
        moved_[side] = moved_[side] || std::fabs(meant - (*want[side])[0]) > 0.1;
      }
    }
    ++rows_;
  }

  Reason told(std::size_t right) const {
    const char* const names[] = {"cosines", "sines"};
    const char *wrong = names[1 - right], *own = names[right];
    const double value = first_[1 - right];
    if (!marks_[1 - right].constant)
      return {Cause::side_copied, fmt::format("{} stand where {} are meant, too", own, wrong)};
    return {value == 0 ? Cause::channels_zero : Cause::damaged_cells,
            fmt::format("{} are {:.6g} in every row and pair; {} are right", wrong, value, own)};
  }

  RotationObservation observation_;
  RotationHypothesis hypothesis_;
  RotationPrediction prediction_;
  std::vector<double> cosine_, sine_, bound_;
  std::vector<double> got_[2];
  SideMarks marks_[2];
  double first_[2] = {};
  bool moved_[2] = {};
  Index rows_ = 0;
};

}  // namespace

std::optional<Reason> other_side(const ProbedDump& dump, const Attempt& attempt) {
  if (attempt.reading.form != RotationReading::Form::turns || attempt.reading.is_one_sided() ||
      !attempt.reading.open.empty())
    return {};
  return OtherSide(dump, attempt).reason();
}

}  // namespace pe

// How far stored rows lie from obeying M_k.
#pragma once

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "pe/analyze/shift/shift_pairs.hpp"

namespace pe {

/// The largest distance of a pair's stored values at p + k from its values at p, turned.
class ShiftResiduals {
 public:
  ShiftResiduals(const Question& question, const Shifting& shifting);
  ShiftResiduals(const Question&&, const Shifting&) = delete;

  /// NaN where positions have no such distance, or the table ends before.
  std::vector<double> at(std::int64_t k, const std::vector<Turn>& turns) const;

 private:
  /// Of the position, the one k on; negative: there is none.
  using Partner = std::function<Index(Index)>;

  void hold(const double* here, const double* there, const std::vector<Turn>& turns,
            std::vector<double>& worst) const;
  void in_runs(const PositionRange& all, const Partner& partner_of, const std::vector<Turn>& turns,
               std::vector<double>& worst) const;
  void among_tokens(std::int64_t k, const std::vector<Turn>& turns,
                    std::vector<double>& worst) const;
  void in_grid(std::int64_t k, const std::vector<Turn>& turns, std::vector<double>& worst) const;
  std::pair<PositionRange, PositionRange> rows_for(std::int64_t k) const;

  const Question& question_;
  std::string axis_;  // that k counts along
  Table table_;
  std::vector<std::array<Index, 2>> columns_;
};

}  // namespace pe

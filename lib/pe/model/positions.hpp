// Positions as a caller gives them: a run, or one by one as those of a padded or a packed batch
// are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pe/model/field.hpp"
#include "pe/model/position.hpp"

namespace pe {

/// Places in the order of the rows that stand at them. A list whose steps are all the same is the
/// run that it spells; any other list is of whole positions.
class Positions {
 public:
  Positions() = default;
  Positions(const PositionRange& run) : run_(run) {}
  explicit Positions(std::vector<std::int64_t> listed);

  bool is_run() const { return listed_.empty(); }
  /// The run itself; of a list the run that has all its positions.
  const PositionRange& run() const { return run_; }
  /// Of a list; empty for a run.
  const std::vector<std::int64_t>& listed() const { return listed_; }

  Index count() const { return is_run() ? run_.count : static_cast<Index>(listed_.size()); }
  int decimals() const { return run_.decimals; }
  /// As PositionRange has them.
  std::int64_t at(Index i) const {
    return is_run() ? run_.at(i) : listed_[static_cast<std::size_t>(i)];
  }
  double value(Index i) const {
    return is_run() ? run_.value(i) : static_cast<double>(listed_[static_cast<std::size_t>(i)]);
  }
  Index length() const { return run_.length(); }
  /// The least and the largest at(i).
  std::pair<std::int64_t, std::int64_t> ends() const;
  /// Runs that follow each other and together are these positions.
  std::vector<PositionRange> runs() const;

 private:
  PositionRange run_;
  std::vector<std::int64_t> listed_;
};

/// START:STOP[:STEP], or whole positions and runs of them with commas between: 0,0,0,1,2 or
/// 0:4,0:7. Throws UsageError, naming `option`; a list takes a million positions at most.
Positions parse_places(std::string_view text, const std::string& option = "positions");

/// "0:100", "0,0,0:4".
std::string spell(const Positions& positions);

/// The same as a message shows it: a long list cut short.
std::string shown(const Positions& positions);

/// The axis whose indices stand there.
Axis axis_at(std::string name, const Positions& positions, std::string description);

}  // namespace pe

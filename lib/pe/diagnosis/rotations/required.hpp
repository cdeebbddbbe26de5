// Required layouts: what the command demands of a layout, and who does.
#pragma once

#include <optional>
#include <string>

#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {

/// What the command asks of the layout; empty: any will do.
struct RequiredLayout {
  std::string layout;     // of the arrays, or of a sinusoidal table
  std::string or_layout;  // which is as right
  std::optional<Pairing> pairing;
  std::string from,
      layout_from =
          {};  // who says so, of the pairing or a table's order, and of the arrays' layout
  bool by_default = false;  // nobody does: it is the encoding's own default
  bool by_hand = false;  // not a model's family: weights may have been permuted to suit a table of
                         // the other pairing
};

RequiredLayout required_layout(const Expectation& expected);

/// What a reading has against it, as a reason; nothing where it is as required. `table`: sinusoids
/// are meant; `blocks`: of channels, within which halves are to pair up.
std::optional<Reason> against(const RotationReading& reading, const RequiredLayout& required,
                              bool table, Index blocks);

}  // namespace pe

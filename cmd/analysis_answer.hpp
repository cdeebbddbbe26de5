// What a quantity says of one subject.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis.hpp"

namespace pe::cmd {

struct SubjectSheet {
  std::string label, drawn;  // on a page: that its numbers are drawn, where they are
  Sheet sheet;
  bool is_drawn = false;                        // its numbers, which nobody gave
  std::vector<Provenance::Entry> lengths = {};  // on a page: what it was trained on, what is wanted
};

/// What the quantity is told: by the first subject's command line, and by the subject's own where
/// that says otherwise. Flags of the subject that are for the quantity alone are taken out of it.
Parameters options_of(const Analysis& analysis, Request& request);

/// What else decides the numbers of a quantity: its options, what it decides of itself where nobody
/// gave one, and the type that tables and biases are stored in.
void add_decisive(Provenance& provenance, const Parameters& options,
                  const std::vector<Provenance::Entry>& decided,
                  const std::optional<std::string>& dtype);

/// The quantity of one subject; `provenance`, where it is not null, becomes that subject's. Of
/// several, `tell` hears how far this one is.
SubjectSheet answer_to(const Analysis& analysis, Request request, const std::string& command,
                       bool among_kinds, Provenance* provenance,
                       const std::function<void(double share)>& tell = {}, bool quiet = false);

}  // namespace pe::cmd

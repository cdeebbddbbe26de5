// One check, whoever asked for it: laws measured on an encoding, or somebody's dump diagnosed.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"
#include "pe/properties/property.hpp"
#include "pe/verify/check.hpp"

namespace pe::cmd {

/// Positions that laws look at where nobody says how many; of a dump, those that it has.
inline constexpr Index usual_check_length = 1024;

struct CheckRequest {
  std::string name;
  Request request;
  const Property* law = nullptr;           // one law alone; null: all of them
  std::string offsets, embeddings;         // of laws
  std::vector<std::string> files, before;  // of a dump
  std::vector<Index> shape;
  std::string file_layout, axes;
  Tier accept = Tier::drift;
  bool laws = false;  // those of a dump are noted beside its verdict
};

/// Measures or diagnoses. Warnings go to stderr, or into the check when `quiet`. May be called from
/// several threads.
Check carry_out(const CheckRequest& request, const std::string& command, bool quiet);

}  // namespace pe::cmd

// The fields that somebody named.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/model/field.hpp"

namespace pe {

/// In the order of the names. Throws UsageError for a name that is none, in the words of
/// `refusal(name, names of all fields)`.
template <typename Refusal>
std::vector<Field> chosen_fields(const std::vector<Field>& fields,
                                 const std::vector<std::string>& names, const Refusal& refusal) {
  std::vector<Field> chosen;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(fields, name, &Field::name);
    if (found == fields.end()) {
      std::vector<std::string> known;
      for (const Field& field : fields) known.push_back(field.name);
      throw UsageError(refusal(name, known));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace pe

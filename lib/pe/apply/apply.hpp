// Applying an Effect: content and positions become fields of encoded tensors, scores, weights and
// outputs.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pe/apply/terms.hpp"
#include "pe/model/field.hpp"

namespace pe {

/// Tensors by name: q, k, v, x.
using Contents = std::map<std::string, std::shared_ptr<const Content>, std::less<>>;

/// A field that pe-apply can make.
struct ApplyRow {
  std::string_view name;
  std::string_view kinds;  // names of kinds, or "any"
  std::string_view needs;  // letters of the tensors that it is made of
  std::string_view description;
};
std::span<const ApplyRow> all_apply_fields();

/// Which fields there are of the tensors with these letters, where none is named.
std::vector<std::string> usual_fields(Kind kind, std::string_view letters, bool inputs);

/// The named fields (none named: the encoded tensors and the logits, and with v the weights and the
/// output; behind the tensors as they came when `inputs` asks for those), each filled on demand
/// from f64 and rounded once to `dtype`. Tensors keep the axes of their input; scores are [batch,
/// head, query, key], without the axes that q lacks. Throws UsageError for a name that is not known
/// and for a tensor that is missing.
std::vector<Field> apply(const Effect& effect, const Contents& contents, const Attention& attention,
                         DType dtype, const std::vector<std::string>& names, bool inputs = false);

}  // namespace pe

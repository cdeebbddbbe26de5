// Fields of content: tensors in the order of their file, and rows that are computed on demand.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "pe/apply/content.hpp"
#include "pe/model/field.hpp"

namespace pe {

/// The values of several rows of one head, one row after the other.
using RowsFill = std::function<void(Index b, Index h, std::span<const Index> rows, double* out)>;

/// The content itself; its position axis is named `along` (query, key, position).
Field content_field(std::string name, std::shared_ptr<const Content> content,
                    const Positions& positions, const std::string& along, DType dtype);

/// Lines that are computed on demand: the axes b, h and s of `like` in the order of `letters`, then
/// `last`. Lines of one head that are asked for together are filled together.
Field rows_field(std::string name, const Content& like, const std::string& letters,
                 const Positions& positions, const std::string& along, Axis last, DType dtype,
                 RowsFill fill);

}  // namespace pe

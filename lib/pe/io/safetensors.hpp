// safetensors: a JSON list of tensors, then their bytes.
#pragma once

#include "pe/io/format.hpp"

namespace pe::io {

void write_safetensors(const Job& job);
std::vector<Offered> open_safetensors(const std::shared_ptr<const Source>& source,
                                      const RawForm& raw);

}  // namespace pe::io

// Bytes out, bytes in.
#include "pe/io/raw.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/io/element.hpp"
#include "pe/io/pipeline.hpp"

namespace pe::io {

void write_raw(const Job& job) {
  const Field& field = only_field(job, "raw");
  Destination destination(job.output);
  destination.reserve(bytes_of(field));
  store(field, job.output.threads, destination);
  destination.commit();
}

std::vector<Offered> open_raw(const std::shared_ptr<const Source>& source, const RawForm& raw) {
  const std::string start = source->read_text(0, std::min<std::uint64_t>(4, source->size()));
  if (!raw.dtype && (start.starts_with("PK\3\4") || start.starts_with("\x80\2")))
    throw UsageError(spell_pytorch(source->shown()));
  if (!raw.dtype)
    throw UsageError(
        fmt::format("{} has no header and cannot say what it holds: give --dtype and --shape",
                    source->shown()));
  const std::size_t size = size_of(*raw.dtype);
  std::vector<Index> shape = raw.shape;
  if (shape.empty()) shape = {static_cast<Index>(source->size() / size)};
  const auto bytes = bytes_of_shape(shape, size);
  if (bytes != source->size())
    source->refuse(fmt::format("it holds {} bytes, and {} of {} are {}", source->size(),
                               spell_shape(shape), name_of(*raw.dtype),
                               bytes ? std::to_string(*bytes) : "more than 2^59"));
  return {{window(source, 0, {*raw.dtype, size}, shape), "", false}};
}

}  // namespace pe::io

// Questions to the HDF5 library, answered in a child process that can open nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pe/io/hdf5_handle.hpp"
#include "pe/io/isolated.hpp"
#include "pe/io/source.hpp"

namespace pe::io {

/// In the child: the file. Throws FileError.
Handle open_file(const Source& source);

/// What the question returns in the child; `room` takes so many bytes, and the child beside it as
/// much memory as the budget in scope has in all, or `memory`. Throws FileError for a file that the
/// library cannot cope with.
std::string ask(const Source& source, const std::function<std::string()>& question,
                const SharedRoom* room = nullptr, std::uint64_t bytes = 0,
                std::optional<std::uint64_t> memory = {});

}  // namespace pe::io

// Reading a model's config.json, or the same out of a GGUF file's metadata.
#pragma once

#include <string>

#include "pe/configs/config.hpp"

namespace pe {

/// JSON text; `file` is its name in messages. Throws as below.
Config parse_config(const std::string& text, const std::string& file);

/// The JSON that comes through standard input ("-") or another pipe, which can be read once. Throws
/// FileError.
std::string read_piped_config(const std::string& path);

/// Whether what is read of a path is gone then.
bool is_pipe(const std::string& path);

/// A config.json, a folder that has one in it, its JSON itself ("{…}"), or a GGUF file told by its
/// first bytes (see gguf_config.hpp). Throws FileError
/// when the file cannot be read, is larger than 16 MiB, is not JSON, nests deeper than 32, or
/// repeats a key.
Config read_config_file(const std::string& path);

}  // namespace pe

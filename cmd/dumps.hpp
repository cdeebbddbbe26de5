// Somebody's files on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe::cmd {

class Progress;

/// `--shape 131072,128`.
std::vector<Index> parse_shape(const std::string& text);

/// Throws UsageError where a name of an encoding or a model stands and no file of that name is:
/// `line` says what is typed for it instead, with {} for the name.
void refuse_names(const std::vector<std::string>& files, const std::string& line);

/// Every array of "FILE[:TENSOR]", in the order given; of raw files dtype and shape are said.
std::vector<Stored> open_all(const std::vector<std::string>& specs,
                             const std::optional<std::string>& dtype,
                             const std::vector<Index>& shape);

/// What `files` hold, and `before` of vectors. Throws UsageError where one array stands in both:
/// of a file with both kinds, named twice, each would be held to itself; where a dtype is said that
/// none of them takes (open_files). Reading tells `progress`.
Dump open_dump(const std::vector<std::string>& files, const std::vector<std::string>& before,
               const std::optional<std::string>& dtype, const std::vector<Index>& shape,
               Progress& progress);

/// Where the only file is a checkpoint, which no dump is, throws UsageError with the arrays of
/// positions among its weights: what is said instead of what a dump of them would be called.
void refuse_checkpoint(const std::vector<std::string>& files);

/// Whether what waits on standard input begins as a dump does, or as the CSV of these tools.
bool dump_waits();

}  // namespace pe::cmd

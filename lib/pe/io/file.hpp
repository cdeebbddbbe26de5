// Fields to files and files to arrays: picks a format by suffix, and names every failure in one
// line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pe/base/array.hpp"
#include "pe/model/field.hpp"
#include "pe/model/provenance.hpp"

namespace pe {

enum class Format { csv, hdf5, npy, npz, safetensors, json, html, raw, gguf };

/// "csv", "hdf5", … ; throws UsageError naming the choices (h5 is an alias of hdf5).
Format parse_format(std::string_view name);

struct Output {
  std::string path = "-";        // "-" is stdout
  std::optional<Format> format;  // absent: by the path's suffix; csv on stdout
  bool tidy = false;             // csv only: one row per element
  int threads = 0;               // 0: one for each processor
  bool sync = true;              // success means: on the disk
  bool keep = false;             // what is there already is not written over
  bool records = false;          // tidy where it is csv, and of no matter to other formats
  bool together = false;         // with the other ranks: each writes its own lines
};

/// Whether write() makes a page for people of it; throws as write() does where it has no format.
bool is_page(const Output& output);

/// Writes every field, streamed in blocks, in bounded memory. A file appears under its name only
/// when it is complete; any failure leaves what was there before. Throws UsageError (a format that
/// cannot carry these fields, with one that can), FileError, ClosedPipe.
void write(const std::vector<Field>& fields, const Provenance& provenance, const Output& output);

/// Writes text to a file that appears complete or not at all, or to stdout ("-").
void write_text(const std::string& text, const std::string& path);

/// The one array of "FILE" or "FILE:TENSOR" in memory, of the files that open_arrays reads
/// (dump.hpp). A file of several arrays without a name is a UsageError that lists them; the columns
/// of a csv that name no place are one array. Hostile input throws FileError in bounded memory.
Array read_array(const std::string& spec);

}  // namespace pe

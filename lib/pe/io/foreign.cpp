// A row for each beginning.
#include "pe/io/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace pe::io {
namespace {

using namespace std::string_view_literals;

struct Beginning {
  std::string_view bytes;
  const char* says;
  std::size_t at = 0;
};
constexpr Beginning beginnings[] = {
    {"\x1f\x8b"sv, "packed by gzip: gunzip it first"},
    {"BZh"sv, "packed by bzip2: bunzip2 it first"},
    {"\xfd\x37zXZ"sv, "packed by xz: unxz it first"},
    {"\x28\xb5\x2f\xfd"sv, "packed by zstd: unzstd it first"},
    {"7z\xbc\xaf"sv, "a 7z archive: unpack it first"},
    {"ustar"sv, "a tar archive: tar -xf unpacks it", 257},
    {"MATLAB 5.0 MAT-file"sv,
     "a MAT-file of MATLAB: in Python, numpy.savez('FILE.npz', **{k: v for k, v in "
     "scipy.io.loadmat(FILE).items() if k[0] != '_'})"},
    {"PAR1"sv, "Parquet: in Python, pandas.read_parquet(FILE).to_csv('FILE.csv', index=False)"},
    {"ARROW1"sv, "Arrow: in Python, pandas.read_feather(FILE).to_csv('FILE.csv', index=False)"},
    {"\x89PNG"sv, "a picture (PNG)"},
    {"\xff\xd8\xff"sv, "a picture (JPEG)"},
    {"%PDF"sv, "a PDF"},
    {"\x7f"
     "ELF"sv,
     "a program"},
    {"SQLite format 3"sv, "a database (SQLite)"},
    {"\xff\xfe"sv,
     "text as UTF-16, which PowerShell writes: save it as UTF-8 (… | Out-File -Encoding utf8 "
     "FILE)"},
    {"\xfe\xff"sv, "text as UTF-16: save it as UTF-8"},
};

// How Python's pickle opens from protocol 2 on.
bool is_pickle(std::string_view start) {
  return start.size() > 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5;
}

}  // namespace

std::optional<Format> format_begun(std::string_view start, std::uint64_t size) {
  if (start.starts_with("\x93NUMPY")) return Format::npy;
  if (start.starts_with("\x89HDF")) return Format::hdf5;
  if (start.starts_with("PK")) return Format::npz;
  if (start.starts_with("GGUF")) return Format::gguf;
  std::uint64_t header = 0;  // bytes, before it
  for (std::size_t i = 8; i-- > 0 && start.size() > 8;)
    header = header << 8 | static_cast<unsigned char>(start[i]);
  if (start.size() > 8 && start[8] == '{' && header < size) return Format::safetensors;
  if (start.starts_with('{')) return Format::json;
  return {};
}

bool begins_as_dump(std::string_view start) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 40;  // no text's first eight letters
  const std::optional<Format> format = format_begun(start, largest);
  return format && *format != Format::gguf && *format != Format::json;
}

std::string foreign_format(std::string_view start) {
  for (const Beginning& row : beginnings)
    if (start.size() >= row.at && start.substr(row.at).starts_with(row.bytes)) return row.says;
  if (is_pickle(start))
    return "a pickle, a program and not a list of arrays: in Python, numpy.save('FILE.npy', "
           "pickle.load(open(FILE, 'rb')))";
  return "";
}

std::string foreign_path(const std::string& path) {
  const auto is_letter = [&](std::size_t i) {
    return i < path.size() && std::isalpha(static_cast<unsigned char>(path[i])) != 0;
  };
  const bool has_backslash = path.find('\\') != std::string::npos,
             has_drive = is_letter(0) && path.size() > 2 && path[1] == ':';
  if (has_drive && (has_backslash || path[2] == '/'))
    return fmt::format("it is a path of Windows, which WSL has under /mnt/{}",
                       static_cast<char>(std::tolower(static_cast<unsigned char>(path[0]))));
  if (has_drive && path[0] >= 'C' && path[0] <= 'Z' && is_letter(2) &&
      path.find('/') == std::string::npos)
    return "it is a path of Windows whose backslashes a shell took, as it does outside of quotes";
  if (path.starts_with("\\\\")) return "it is a path of Windows, to another machine's files";
  if (!has_backslash) return "";
  std::string turned = path;
  std::ranges::replace(turned, '\\', '/');
  return fmt::format("did you mean '{}'?", turned);
}

}  // namespace pe::io

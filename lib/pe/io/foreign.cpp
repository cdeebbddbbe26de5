// A row for each beginning.
#include "pe/io/foreign.hpp"

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
};

// How Python's pickle opens from protocol 2 on.
bool is_pickle(std::string_view start) {
  return start.size() > 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5;
}

}  // namespace

std::string foreign_format(std::string_view start) {
  for (const Beginning& row : beginnings)
    if (start.size() >= row.at && start.substr(row.at).starts_with(row.bytes)) return row.says;
  if (is_pickle(start))
    return "a pickle, a program and not a list of arrays: in Python, numpy.save('FILE.npy', "
           "pickle.load(open(FILE, 'rb')))";
  return "";
}

}  // namespace pe::io

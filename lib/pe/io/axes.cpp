// The list, read once for all that asks.
#include "pe/io/axes.hpp"

#include <algorithm>

namespace pe::io {
namespace {

enum class Kind { place, measure, shown };

struct Row {
  std::string_view name;
  Kind kind;
};
#define PE_AXIS(name, label, kind) {#name, Kind::kind},
constexpr Row rows[] = {
#include "pe/io/axes.def"
};
#undef PE_AXIS

}  // namespace

bool is_place(std::string_view name) {
  return std::ranges::any_of(
      rows, [&](const Row& row) { return row.kind == Kind::place && row.name == name; });
}

}  // namespace pe::io

// The library crashes on some damaged files, and follows a file's words to other files.
#include "pe/io/hdf5_ask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "pe/base/budget.hpp"
#include "pe/io/confine.hpp"
#include "pe/io/hdf5.hpp"
#include "pe/io/hdf5_given.hpp"

namespace pe::io {
namespace {

// The child could open nothing anyway; so the library does not try.
void stay_inside() {
  H5PLset_loading_state(0);
  H5Lunregister(H5L_TYPE_EXTERNAL);
}

// A minute and what inflating takes at 20 MB a second. On the wall twice that, for machines that do
// other things too, and no longer than the task has time.
Allowance allowance_for(const Source& source, std::uint64_t room, std::uint64_t memory) {
  const unsigned seconds = 60 + static_cast<unsigned>(source.size() / 20'000'000);
  const int left = budget_here()->milliseconds();
  const unsigned wall =
      left < 0 ? 2 * seconds : std::min(2 * seconds, static_cast<unsigned>(left) / 1000 + 1);
  return {seconds, wall, memory, room};
}

}  // namespace

Handle open_file(const Source& source) {
  Handle file = open_given(source);
  if (!file) source.refuse("it is not an HDF5 file, or a damaged one");
  return file;
}

std::string ask(const Source& source, const std::function<std::string()>& question,
                const SharedRoom* room, std::uint64_t bytes, std::optional<std::uint64_t> memory) {
  const std::scoped_lock alone(hdf5_library());
  hdf5.load();  // the child may open no file
  const Allowance allowance = allowance_for(source, bytes, memory.value_or(budget_here()->most()));
  std::vector<int> kept;
  if (source.descriptor() >= 0) kept.push_back(source.descriptor());
  if (room) kept.push_back(room->descriptor());
  Told told;
  try {
    told = in_child(
        [&] {
          const QuietErrors quiet;
          stay_inside();
          return question();
        },
        allowance, std::move(kept));
  } catch (const Unconfined& error) {
    source.refuse(error.what());
  }
  ask_time();
  if (told.how == Told::How::overran)
    source.refuse(fmt::format("the HDF5 library was not done after {} s", allowance.wall_seconds));
  if (told.how == Told::How::crashed)
    source.refuse(
        fmt::format("it is a damaged HDF5 file that the HDF5 library cannot cope with, or the "
                    "library takes more than {}",
                    budget_here()->spell_most()));
  return told.words;
}

}  // namespace pe::io

// What pe-apply may hold beside what the environment says.
#include "environment.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "foreign_files.hpp"
#include "pe/base/budget.hpp"

namespace {

std::uint64_t on_disk(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY);
  REQUIRE(fsync(file) == 0);  // or it may not be known yet
  close(file);
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return 512 * static_cast<std::uint64_t>(status.st_blocks);
}

/// The process as it is where the environment says nothing, with few bytes to hold; what it was
/// comes back.
struct Few {
  static constexpr std::uint64_t bytes = 4096;
  Few() {
    unsetenv("PE_MEMORY");
    pe::Grant few = before;
    few.whole_bytes = bytes;
    pe::allow(few);
  }
  ~Few() {
    unsetenv("PE_MEMORY");
    pe::allow(before);
  }
  const pe::Grant before = pe::granted();
};

}  // namespace

TEST_SUITE("environment") {
  TEST_CASE("tensors are allowed sixteen times what their files take of the disk") {
    const foreign::Folder folder;
    const std::string q = folder("q.npy", std::string(70'000, 'q')),
                      k = folder("k.npy", std::string(130'000, 'k'));
    const std::uint64_t both = on_disk(q) + on_disk(k);
    const Few few;
    pe::cmd::allow_for({q, k + ":keys", q + ":other", ""});  // each file counts once
    CHECK(pe::granted().whole_bytes == 16 * both);
    pe::Budget budget(0);
    CHECK_FALSE(budget.take(16 * both + 1));
    CHECK(budget.take(16 * both));
    CHECK_FALSE(budget.take(1));
  }

  TEST_CASE("holes, and what is no file, allow nothing") {
    const foreign::Folder folder;
    const std::string hole = folder("hole.npy", "q");
    REQUIRE(truncate(hole.c_str(), 1 << 30) == 0);
    REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
    const Few few;
    pe::cmd::allow_for({folder / "fifo", folder / "none.npy", folder / "", "/dev/zero"});
    CHECK(pe::granted().whole_bytes == Few::bytes);
    pe::cmd::allow_for({hole});
    CHECK(pe::granted().whole_bytes == std::max(Few::bytes, 16 * on_disk(hole)));
    CHECK(pe::granted().whole_bytes < 1 << 24);
  }

  TEST_CASE("small files take nothing away, and what PE_MEMORY says is what holds") {
    const foreign::Folder folder;
    const std::string q = folder("q.npy", std::string(70'000, 'q'));
    const Few few;
    pe::Grant much = pe::granted();
    much.whole_bytes = std::uint64_t{1} << 40;
    pe::allow(much);
    pe::cmd::allow_for({q});
    CHECK(pe::granted().whole_bytes == std::uint64_t{1} << 40);
    setenv("PE_MEMORY", "3M", 1);
    pe::cmd::obey_environment();
    pe::cmd::allow_for({q});
    CHECK(pe::granted().whole_bytes == 3 << 20);
  }
}

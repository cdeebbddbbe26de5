// An HDF5 file is what was opened: nothing that it names is touched, and nothing that lies under
// its name later.
#include <fcntl.h>
#include <hdf5.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confined.hpp"
#include "foreign_files.hpp"
#include "pe/io/format.hpp"
#include "pe/io/hdf5.hpp"

TEST_SUITE_BEGIN("hdf5 inside");

namespace {

using namespace foreign;

// Notices whatever opens a file of the folder from now on.
class Watch {
 public:
  explicit Watch(const std::string& folder) : descriptor_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    REQUIRE(inotify_add_watch(descriptor_, folder.c_str(), IN_OPEN) >= 0);
  }
  ~Watch() { close(descriptor_); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  bool saw_something() const {
    char events[4096];
    return read(descriptor_, events, sizeof events) > 0;
  }

 private:
  int descriptor_;
};

hid_t make_file(const std::string& path) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(file >= 0);
  return file;
}

// Four numbers: the first is `first`, the rest are 0.
void put(hid_t file, const char* name, double first) {
  const hsize_t extent = 4;
  const double numbers[4] = {first};
  const hid_t space = H5Screate_simple(1, &extent, nullptr);
  const hid_t set =
      H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  H5Dclose(set);
  H5Sclose(space);
}

void make_plain(const std::string& path, double first) {
  const hid_t file = make_file(path);
  put(file, "t", first);
  H5Fclose(file);
}

void put_virtual(hid_t file, const std::string& other, bool unlimited) {
  const hsize_t extent = 4, most = unlimited ? H5S_UNLIMITED : 4, start = 0, stride = 1,
                block = unlimited ? H5S_UNLIMITED : 4, count = 1;
  const hid_t space = H5Screate_simple(1, &extent, &most), from = H5Scopy(space);
  for (const hid_t one : {space, from})
    REQUIRE(H5Sselect_hyperslab(one, H5S_SELECT_SET, &start, &stride, &count, &block) >= 0);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  REQUIRE(H5Pset_virtual(properties, space, other.c_str(), "t", from) >= 0);
  const hid_t set =
      H5Dcreate2(file, "other", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  REQUIRE(set >= 0);
  H5Dclose(set);
  H5Pclose(properties);
  H5Sclose(from);
  H5Sclose(space);
}

void put_external(hid_t file, const std::string& other) {
  const hsize_t extent = 4;
  const hid_t space = H5Screate_simple(1, &extent, nullptr);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  REQUIRE(H5Pset_external(properties, other.c_str(), 0, 32) >= 0);
  const hid_t set =
      H5Dcreate2(file, "other", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  REQUIRE(set >= 0);
  H5Dclose(set);
  H5Pclose(properties);
  H5Sclose(space);
}

// A file of the dataset "mine" and one way to reach the file `other`.
void make_reaching(const std::string& path, int way, const std::string& other) {
  const hid_t file = make_file(path);
  put(file, "mine", 7);
  if (way == 0)
    REQUIRE(H5Lcreate_external(other.c_str(), "t", file, "other", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  if (way == 1) put_external(file, other);
  if (way == 2) put_virtual(file, other, false);
  if (way == 3) put_virtual(file, other, true);
  H5Fclose(file);
}

std::vector<std::string> sound(const std::vector<pe::io::Offered>& offered) {
  std::vector<std::string> names;
  for (const auto& one : offered)
    if (one.refusal.empty()) names.push_back(one.stored.name);
  return names;
}

std::vector<pe::io::Offered> open(const std::string& path) {
  return pe::io::open_hdf5(std::make_shared<pe::io::Source>(path), {});
}

// A file of one dataset, whole.
Values only_values(const std::vector<pe::io::Offered>& offered) {
  REQUIRE(offered.size() == 1);
  REQUIRE(offered[0].refusal == "");
  return values(offered[0].stored);
}

}  // namespace

TEST_CASE("no way to another file is taken, however it is named" *
          doctest::skip(!pe_test::confines())) {
  const Folder folder, elsewhere;
  make_plain(elsewhere / "secret", 42);
  make_plain(folder / "beside", 42);
  for (int way = 0; way < 4; ++way) {
    for (const std::string& other : {elsewhere / "secret", std::string("beside")}) {
      CAPTURE(way);
      CAPTURE(other);
      make_reaching(folder / "t.h5", way, other);
      const auto source = std::make_shared<pe::io::Source>(folder / "t.h5");
      const Watch there(elsewhere / ""), here(folder / "");
      CHECK(sound(pe::io::open_hdf5(source, {})) == std::vector<std::string>{"mine"});
      CHECK_FALSE(there.saw_something());
      CHECK_FALSE(here.saw_something());
    }
  }
}

TEST_CASE("a fifo that is named hangs nothing" * doctest::skip(!pe_test::confines())) {
  const Folder folder;
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  for (int way = 0; way < 4; ++way) {
    CAPTURE(way);
    make_reaching(folder / "t.h5", way, folder / "fifo");
    CHECK(sound(open(folder / "t.h5")) == std::vector<std::string>{"mine"});
  }
}

TEST_CASE("what lies in the current folder is not looked at" *
          doctest::skip(!pe_test::confines())) {
  const Folder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  make_plain(folder / "t.h5", 3);
  std::ifstream in(folder / "t.h5", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  std::filesystem::current_path(folder / "");
  for (const char* name : {"image.h5", "given", "the given file"}) {
    make_plain(folder / name, 4);
    CHECK(only_values(pe::io::open_hdf5(std::make_shared<pe::io::Source>("a pipe", bytes), {})) ==
          Values{3, 0, 0, 0});
    std::filesystem::remove(name);
    REQUIRE(mkfifo(name, 0600) == 0);
    CHECK(only_values(pe::io::open_hdf5(std::make_shared<pe::io::Source>("a pipe", bytes), {})) ==
          Values{3, 0, 0, 0});
  }
  std::filesystem::current_path(before);
}

TEST_CASE("a file that is replaced while it is read is the one that was opened" *
          doctest::skip(!pe_test::confines())) {
  const Folder folder;
  make_plain(folder / "t.h5", 3);
  const auto source = std::make_shared<pe::io::Source>(folder / "t.h5");
  const hid_t file = make_file(folder / "new.h5");
  for (const char* name : {"a", "b", "c", "t"}) put(file, name, 4);  // other addresses
  H5Fclose(file);
  std::filesystem::rename(folder / "new.h5", folder / "t.h5");
  CHECK(only_values(pe::io::open_hdf5(source, {})) == Values{3, 0, 0, 0});
}

TEST_CASE("an HDF5 file in a part of another, or made late, is read" *
          doctest::skip(!pe_test::confines())) {
  const Folder folder;
  make_plain(folder / "t.h5", 5);
  std::ifstream in(folder / "t.h5", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto whole = std::make_shared<pe::io::Source>(folder("padded", "12345678" + text));
  const auto part = std::make_shared<pe::io::Source>("a part", whole, 8, text.size());
  CHECK(only_values(pe::io::open_hdf5(part, {})) == Values{5, 0, 0, 0});
}

TEST_CASE("groups in one another are followed to a bound" * doctest::skip(!pe_test::confines())) {
  const Folder folder;
  const hid_t file = make_file(folder / "t.h5");
  std::vector<hid_t> open_groups{file};
  for (int depth = 0; depth < 3000; ++depth)
    open_groups.push_back(
        H5Gcreate2(open_groups.back(), "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  put(open_groups.back(), "t", 1);
  while (open_groups.size() > 1) {
    H5Gclose(open_groups.back());
    open_groups.pop_back();
  }
  H5Fclose(file);
  CHECK_THROWS_WITH_AS(open(folder / "t.h5"), doctest::Contains("groups"), pe::FileError);
}

TEST_SUITE_END();

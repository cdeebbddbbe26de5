// Writes HDF5 in two steps: the library lays the file out in memory, then structure and data leave
// in one pass.
//
// Datasets are contiguous and allocated early, so their addresses are known once the file is laid
// out; the memory file is sparse and holds the structure alone. So a full disk never meets the
// library in a flush (1.10 crashes then), a pipe takes any size, and the data moves at the speed of
// write(2) from all threads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/io/complex.hpp"
#include "pe/io/hdf5.hpp"
#include "pe/io/hdf5_attributes.hpp"
#include "pe/io/hdf5_memory.hpp"
#include "pe/io/pipeline.hpp"

namespace pe::io {
namespace {

// Where the data of a dataset lies.
struct Place {
  Field field;
  std::uint64_t address;
};

// What readers call the type: h5dump shows f16 and bf16 alike.
const char* spell_type(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return "float64";
    case DType::f32:
      return "float32";
    case DType::f16:
      return "float16";
    case DType::bf16:
      return "bfloat16";
    case DType::i64:
      return "int64";
    case DType::i32:
      return "int32";
  }
  return "";
}

// What h5py reads as complex64 or complex128.
Handle complex_file_type(DType dtype) {
  const Handle part = file_type(dtype);
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * size_of(dtype)));
  H5Tinsert(type, "r", 0, part);
  H5Tinsert(type, "i", size_of(dtype), part);
  return type;
}

// The coordinates of an axis are a field of their own.
Field coordinate_field(const Axis& axis, std::string name) {
  const PositionRange range = axis.coordinates;
  const std::vector<double> places = axis.places;
  Field field;
  field.name = std::move(name);
  field.description = axis.description;
  field.axes = {axis};
  field.dtype = range.decimals == 0 && places.empty() ? DType::i64 : DType::f64;
  field.fill = [range, places](Index first, Index lines, std::byte* out) {
    for (Index i = first; i < first + lines; ++i, out += 8) {
      if (range.decimals == 0 && places.empty()) {
        const std::int64_t value = range.at(i);
        std::memcpy(out, &value, 8);
      } else {
        const double value = places.empty() ? range.value(i) : places[static_cast<std::size_t>(i)];
        std::memcpy(out, &value, 8);
      }
    }
  };
  return field;
}

class Layout {
 public:
  Layout(hid_t file, Kept<Job> job) : file_(file), job_(job) {
    for (const Field& field : job_.fields) {
      const hid_t dataset = add(field);
      for (std::size_t i = 0; i + is_complex(field) < field.axes.size(); ++i)
        check(H5DSattach_scale(dataset, scale_of(field.axes[i]), static_cast<unsigned>(i)),
              "attach a dimension scale");
    }
    put_provenance(file, job_.provenance);
    // Scales grew attributes after their data was placed, so addresses are asked for at the end.
    for (const auto& [field, dataset] : added_) {
      if (bytes_of(field) == 0) continue;
      const haddr_t address = H5Dget_offset(dataset);
      if (address == HADDR_UNDEF) check(-1, "allocate a dataset");
      places.push_back({field, address});
    }
  }

  std::vector<Place> places;

 private:
  struct Scale {
    Axis axis;
    hid_t dataset;
  };

  hid_t add(Field field) {
    std::vector<hsize_t> shape;
    const bool complex = is_complex(field);
    for (const Index extent : field.shape()) shape.push_back(static_cast<hsize_t>(extent));
    if (complex) shape.pop_back();
    const Handle space = check_handle(
        shape.empty() ? H5Screate(H5S_SCALAR)
                      : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
        "make a data space");
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE)),
        type = complex ? complex_file_type(field.dtype) : file_type(field.dtype);
    H5Pset_layout(properties, H5D_CONTIGUOUS);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(properties, false);
    H5Pset_attr_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    Handle dataset = check_handle(
        H5Dcreate2(file_, field.name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
        "make a dataset");
    put_attribute(dataset, "long_name", field.description.empty() ? field.name : field.description);
    put_attribute(dataset, "units", "1");
    put_attribute(dataset, "dtype",
                  std::string(!complex                    ? spell_type(field.dtype)
                              : field.dtype == DType::f64 ? "complex128"
                                                          : "complex64"));
    if (field.dtype == DType::f16)
      put_attribute(dataset, "comment",
                    std::string("float16: netCDF4-python 1.7 crashes on it; h5py reads it, and "
                                "xarray with engine='h5netcdf'"));
    put_attribute(dataset, "flag_meanings", field.words);  // CF-1.8 §3.5: value v is the v-th
    const hid_t id = dataset;
    added_.emplace_back(std::move(field), std::move(dataset));
    return id;
  }

  // The names of an axis lie within the dataset's header: compact, so that they are structure.
  hid_t add_labels(const Axis& axis, const std::string& name) {
    std::size_t longest = 1;
    for (const std::string& label : axis.labels) longest = std::max(longest, label.size());
    std::string cells;
    for (const std::string& label : axis.labels)
      cells += label + std::string(longest - label.size(), '\0');
    if (cells.size() > 60'000)
      throw UsageError(
          fmt::format("hdf5 holds 60 KB of names of an axis, and those of {} take {}: "
                      "write csv or json",
                      axis.name, cells.size()));
    const hsize_t count = axis.labels.size();
    const Handle type(H5Tcopy(H5T_C_S1)), properties(H5Pcreate(H5P_DATASET_CREATE));
    const Handle space = check_handle(H5Screate_simple(1, &count, nullptr), "make a data space");
    H5Tset_size(type, longest);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Pset_layout(properties, H5D_COMPACT);
    H5Pset_obj_track_times(properties, false);
    H5Pset_attr_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    Handle dataset = check_handle(
        H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
        "make a dataset");
    check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()), "write names");
    put_attribute(dataset, "long_name", axis.description.empty() ? axis.name : axis.description);
    const hid_t id = dataset;
    labels_.emplace_back(name, std::move(dataset));
    return id;
  }

  // Fields that agree on an axis share its scale; another axis of the same name gets a number.
  hid_t scale_of(const Axis& axis) {
    for (const Scale& scale : scales_)
      if (scale.axis == axis) return scale.dataset;
    const auto taken = [&](const std::string& name) {
      for (const Field& field : job_.fields)
        if (field.name == name) return true;
      for (const auto& [field, dataset] : added_)
        if (field.name == name) return true;
      for (const auto& [label, dataset] : labels_)
        if (label == name) return true;
      return false;
    };
    std::string name = axis.name;
    for (int number = 2; taken(name); ++number) name = fmt::format("{}_{}", axis.name, number);
    const hid_t dataset =
        axis.labels.empty() ? add(coordinate_field(axis, name)) : add_labels(axis, name);
    check(H5DSset_scale(dataset, name.c_str()), "make a dimension scale");
    scales_.push_back({axis, dataset});
    return dataset;
  }

  hid_t file_;
  const Job& job_;
  std::vector<std::pair<Field, Handle>> added_;
  std::vector<std::pair<std::string, Handle>> labels_;
  std::vector<Scale> scales_;
};

void copy(const SparseFile& structure, std::uint64_t end, Destination& destination) {
  std::array<std::byte, 1 << 16> piece;
  while (destination.cursor() < end) {
    const auto some =
        static_cast<std::size_t>(std::min<std::uint64_t>(end - destination.cursor(), piece.size()));
    structure.read(destination.cursor(), piece.data(), some);
    destination.write(piece.data(), some);
  }
}

// Makes the file with everything but its data; the places in the order of their addresses.
std::vector<Place> lay_out(const Job& job, SparseFile& structure) {
  const QuietErrors quiet;
  const Handle creation(H5Pcreate(H5P_FILE_CREATE)), access = structure.access();
  H5Pset_obj_track_times(creation, false);
  H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  // Short of memory the library may overlook the driver, and make a file of this name: nobody can.
  Handle file = check_handle(H5Fcreate("/dev/null/structure", H5F_ACC_TRUNC, creation, access),
                             "make the file");
  std::vector<Place> places = Layout(file, job).places;
  check(file.close(), "close the file");
  std::ranges::sort(places, {}, &Place::address);
  return places;
}

}  // namespace

std::mutex& hdf5_library() {
  static std::mutex library;
  // Handles are closed by their owners. What the library would do when the process ends is, where
  // memory ran out, to complain at length.
  static const herr_t stays_open = H5dont_atexit();
  static_cast<void>(stays_open);
  return library;
}

void write_hdf5(const Job& job) {
  const std::scoped_lock alone(hdf5_library());
  Destination destination(job.output);
  SparseFile structure;
  const std::vector<Place> places = lay_out(job, structure);
  destination.reserve(structure.claimed);
  for (const auto& [field, address] : places) {
    copy(structure, address, destination);
    store(field, job.output.threads, destination);
  }
  copy(structure, structure.claimed, destination);
  destination.commit();
}

}  // namespace pe::io

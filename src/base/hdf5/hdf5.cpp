#include "src/base/hdf5/hdf5.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <limits>
#include <new>
#include <type_traits>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "src/base/files/input_file.hpp"
#include "src/base/hdf5/hdf5_detail.hpp"
#include "src/base/hdf5/packed_chunks.hpp"
#include "src/base/parse.hpp"

namespace minimod::hdf5 {

namespace {

std::atomic<int> closes_that_failed = 0;

}  // namespace

Handle::~Handle() {
  if (id_ >= 0 && close_(id_) < 0) ++closes_that_failed;
}

int failed_closes() {
  return closes_that_failed;
}

std::string shown_name(const std::string& name) {
  return text("'", escaped(name, 40), "'");
}

std::string dims_text(const std::vector<hsize_t>& dims) {
  const auto shown_dim = [](hsize_t dim) { return dim == 0 ? "any" : std::to_string(dim); };
  return "[" + escaped(joined(dims, ", ", shown_dim), 60) + "]";
}

std::uint64_t product(std::span<const hsize_t> dims, std::uint64_t factor) {
  constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
  std::uint64_t result = factor;
  for (const hsize_t dim : dims) {
    if (__builtin_mul_overflow(result, std::uint64_t{dim}, &result) || result > limit) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return result;
}

std::vector<hsize_t> declared_dims(const Handle& dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  if (!space || H5Sget_simple_extent_type(space) != H5S_SIMPLE) return {};
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank <= 0 || H5Sget_simple_extent_dims(space, dims.data(), nullptr) < 0) return {};
  return dims;
}

std::vector<hsize_t> chunk_dims(const Handle& dataset) {
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(creation) != H5D_CHUNKED) return {};
  std::array<hsize_t, H5S_MAX_RANK> dims{};
  const int rank = H5Pget_chunk(creation, static_cast<int>(dims.size()), dims.data());
  return {dims.begin(), dims.begin() + std::max(rank, 0)};
}

namespace {

template <class Value>
void read_as(const Handle& dataset, hsize_t first, hsize_t count, std::span<Value> values,
             const std::filesystem::path& path) {
  std::vector<hsize_t> extent = declared_dims(dataset);
  extent.at(0) = count;
  const std::array<hsize_t, H5S_MAX_RANK> begin = {first};
  if (product(extent, 1) != values.size()) {
    throw Error(ErrorKind::internal, "a slab of a dataset and its buffer differ in size", "");
  }
  const Handle from(H5Dget_space(dataset), H5Sclose);
  const Handle to(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
  const auto read = [&](hid_t type, void* to_values) {
    if (H5Sselect_hyperslab(from, H5S_SELECT_SET, begin.data(), nullptr, extent.data(), nullptr) < 0 ||
        H5Dread(dataset, type, to, from, H5P_DEFAULT, to_values) < 0) {
      throw Error(ErrorKind::data, text(shown(path), ": values cannot be read (bad checksum or truncated)"),
                  "the file is damaged: make it anew");
    }
  };
  const Packing packing = packing_of(dataset, path);
  if constexpr (std::is_same_v<Value, double>) {
    read(H5T_NATIVE_DOUBLE, values.data());
    packing.unpack(values);
  } else if (packing.changes_nothing()) {
    read(H5T_NATIVE_FLOAT, values.data());
  } else {
    std::vector<double> stored(values.size());
    read(H5T_NATIVE_DOUBLE, stored.data());
    packing.unpack(stored);
    std::ranges::transform(stored, values.begin(), [](double value) { return static_cast<float>(value); });
  }
}

template <class Values>
Values read_all(const Handle& dataset, const std::filesystem::path& path) {
  const Shape shape = shape_of(dataset);
  const std::int64_t count = shape.count();
  using Value = typename Values::value_type;
  Values values;
  try {
    values.resize(static_cast<std::size_t>(count));
  } catch (const std::exception&) {
    throw Error(ErrorKind::resource,
                text(shown(path), ": ", count, " values of ", sizeof(Value), " bytes exceed the memory"),
                "give a smaller file");
  }
  const auto packed =
      PackedChunks::of(dataset, std::is_same_v<Value, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT);
  const bool is_read =
      packed && packing_of(dataset, path).changes_nothing() && packed->read(dataset, values.data());
  if (!is_read) read_slab(dataset, 0, shape.dims[0], values, path);  // the library says what is damaged
  return values;
}

constexpr hbool_t ignore_missing_locks = 1;

/// Shared file systems often come without locks, and a file that is only read needs none. HDF5 takes only one
/// of the errors for that.
bool has_locks(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return true;
  const bool has = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0 || errno == EWOULDBLOCK;
  ::close(descriptor);
  return has;
}

}  // namespace

LibraryLock::LibraryLock() {
  static std::recursive_mutex library;
  lock_ = std::unique_lock(library);
  silence_thread();
}

void initialize() {
  [[maybe_unused]] static const bool done = [] {
    H5dont_atexit();  // after a failed write the library crashes when it shuts down
    H5open();
    silence_thread();
    H5PLset_loading_state(0);
    H5Lunregister(H5L_TYPE_EXTERNAL);
    return true;
  }();
}

void silence_thread() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Handle open_for_reading(const std::filesystem::path& path) {
  initialize();
  const InputFile readable(path);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access, has_locks(path) ? 1 : 0, ignore_missing_locks);
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (!file) {
    if (const auto known = known_failure(path)) throw Error(*known);
    throw Error(ErrorKind::data,
                text(shown(path), " (", readable.size(), " bytes) is no HDF5 file or is truncated"),
                "make it anew or give another");
  }
  return file;
}

Handle create(const std::filesystem::path& path, hsize_t user_block) {
  initialize();
  errno = 0;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  // The file's name is known to this process alone.
  H5Pset_file_locking(access, 0, ignore_missing_locks);
  if (H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0 ||
      H5Pset_obj_track_times(creation, false) < 0 || H5Pset_userblock(creation, user_block) < 0) {
    return {H5I_INVALID_HID, H5Fclose};
  }
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose};
}

std::int64_t Shape::count() const {
  return static_cast<std::int64_t>(product(dims, 1));
}

Shape shape_of(const Handle& dataset) {
  return {declared_dims(dataset)};
}

hsize_t slab_thickness(const Handle& dataset) {
  const auto chunk = chunk_dims(dataset);
  return chunk.empty() ? 1 : std::clamp<hsize_t>(chunk[0], 1, declared_dims(dataset).at(0));
}

void read_slab(const Handle& dataset, hsize_t first, hsize_t count, std::span<float> values,
               const std::filesystem::path& path) {
  read_as(dataset, first, count, values, path);
}

void read_slab(const Handle& dataset, hsize_t first, hsize_t count, std::span<double> values,
               const std::filesystem::path& path) {
  read_as(dataset, first, count, values, path);
}

bool is_float(const Handle& dataset) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  return H5Tget_class(type) == H5T_FLOAT;
}

Precision precision_of(const Handle& dataset) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  return is_float(dataset) && H5Tget_size(type) == sizeof(float) ? Precision::float32 : Precision::float64;
}
Reals read_reals(const Handle& dataset, const std::filesystem::path& path) {
  return with_real(precision_of(dataset),
                   [&]<class Real>() { return Reals(read_all<Reals::Values<Real>>(dataset, path)); });
}
std::vector<float> read_floats(const Handle& dataset, const std::filesystem::path& path) {
  return read_all<std::vector<float>>(dataset, path);
}

std::vector<double> read_doubles(const Handle& dataset, const std::filesystem::path& path) {
  return read_all<std::vector<double>>(dataset, path);
}

}  // namespace minimod::hdf5

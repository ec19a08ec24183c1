/// RAII handles over the HDF5 C API, and the checks that make a file from outside safe to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "src/base/error.hpp"
#include "src/base/reals.hpp"

namespace minimod::hdf5 {

/// Owns one HDF5 identifier and closes it with the right call.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(Handle&&) = delete;
  ~Handle();
  [[nodiscard]] hid_t id() const { return id_; }
  operator hid_t() const { return id_; }  // NOLINT: a handle stands for its identifier in the C API
  explicit operator bool() const { return id_ >= 0; }
  /// Before its end, where the call may fail.
  herr_t shut() { return close_(std::exchange(id_, H5I_INVALID_HID)); }

 private:
  hid_t id_;
  Close close_;
};

/// How many identifiers the process could not close at their handle's end. A dataset's last values go to the
/// file when it is closed, so that whoever writes a file has lost some of it where the number has grown.
[[nodiscard]] int failed_closes();

/// Starts the library quietly: no error stack on stderr, no plugins, no external links. The first call
/// counts; `open_for_reading` makes it too.
void initialize();
/// No error stack on stderr from the calling thread either: a library that is built for threads has one each.
void silence_thread();

/// Lock of the library, which serves one thread at a time: who writes beside others holds it. A thread may
/// hold it more than once.
class LibraryLock {
 public:
  LibraryLock();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

/// Opens a file read-only. Errors: 66 missing or a directory, 77 unreadable, 65 not HDF5 or truncated.
[[nodiscard]] Handle open_for_reading(const std::filesystem::path& path);

/// Starts a file anew: of the format that checksums its metadata and that every reader in use knows (1.10),
/// without times, so that equal contents make equal files, and behind `user_block` bytes that are no HDF5 (0,
/// or a power of two from 512). No handle where that fails; errno says why.
[[nodiscard]] Handle create(const std::filesystem::path& path, hsize_t user_block = 0);

/// Type of reals in memory.
[[nodiscard]] inline hid_t type_of(Precision precision) {
  return precision == Precision::float32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

/// The product of `dims`, times `factor`; the largest number when it is larger than 63 bits.
[[nodiscard]] std::uint64_t product(std::span<const hsize_t> dims, std::uint64_t factor);

/// Shape that a dataset declares.
struct Shape {
  std::vector<hsize_t> dims;  ///< slowest first, each above 0; their product fits in 63 bits
  [[nodiscard]] std::int64_t count() const;
};

/// Opens the dataset `name`, whose values are read as floats (each part of the path a hard link; contiguous
/// or chunked with deflate, shuffle and Fletcher32 only; float32, float64 or integers of either byte order,
/// packed as the CF conventions have it where attributes scale_factor, add_offset, _FillValue or
/// missing_value say so; no external storage; declared size, and that of a chunk, at most 1000 times the
/// stored one). Errors: 65, with datasets that are there when it is missing.
[[nodiscard]] Handle open_float_dataset(const Handle& file, const std::string& name,
                                        const std::filesystem::path& path);
[[nodiscard]] Shape shape_of(const Handle& dataset);

/// "[200, 3]"; a 0 stands for any number.
[[nodiscard]] std::string dims_text(const std::vector<hsize_t>& dims);

/// A dataset as the above, of these dimensions, of which 0 stands for any. Errors: 65, of another shape with
/// both.
[[nodiscard]] Handle open_shaped_dataset(const Handle& file, const std::string& name,
                                         const std::vector<hsize_t>& dims, const std::filesystem::path& path);
/// A dataset of these dimensions, of which only the indices first <= i < end of the slowest axis need be
/// stored. Errors: as above.
[[nodiscard]] Handle open_rows(const Handle& file, const std::string& name, const std::vector<hsize_t>& dims,
                               hsize_t first, hsize_t end, const std::filesystem::path& path);

/// How many indices of the slowest axis one chunk holds; 1 in a contiguous dataset. Slabs of this thickness
/// unpack each chunk once.
[[nodiscard]] hsize_t slab_thickness(const Handle& dataset);

/// The indices first <= i < first + count of the dataset's slowest axis, in its own order and unpacked, NaN
/// where a value is missing, into `values` (of exactly their number). Errors: 65 when reading fails (a bad
/// checksum).
void read_slab(const Handle& dataset, hsize_t first, hsize_t count, std::span<float> values,
               const std::filesystem::path& path);
void read_slab(const Handle& dataset, hsize_t first, hsize_t count, std::span<double> values,
               const std::filesystem::path& path);

/// The whole dataset as float or double, in its own order. Errors: 65 when reading fails (a bad checksum), 71
/// when memory is short.
[[nodiscard]] std::vector<float> read_floats(const Handle& dataset, const std::filesystem::path& path);
/// In its own precision, which is double where the dataset holds integers.
[[nodiscard]] Reals read_reals(const Handle& dataset, const std::filesystem::path& path);
[[nodiscard]] Precision precision_of(const Handle& dataset);
[[nodiscard]] std::vector<double> read_doubles(const Handle& dataset, const std::filesystem::path& path);

/// An attribute of numbers or of text (a list of texts is joined with commas), empty when it is not there.
/// Errors: 65 when it is of another kind or holds more than 4096 bytes.
[[nodiscard]] std::vector<double> read_number_attribute(const Handle& object, const std::string& name);
[[nodiscard]] std::string read_text_attribute(const Handle& object, const std::string& name);

}  // namespace minimod::hdf5

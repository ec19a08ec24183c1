/// RAII handles over the HDF5 C API, and the checks that make a file from outside safe to read.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/error.hpp"

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
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t id() const { return id_; }
  operator hid_t() const { return id_; }  // NOLINT: a handle stands for its identifier in the C API
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  Close close_;
};

/// Starts the library quietly: no error stack on stderr, no plugins, no external links. Call once.
void initialize();

/// Opens a file read-only. Errors: 66 missing or a directory, 77 unreadable, 65 not HDF5 or truncated.
[[nodiscard]] Handle open_for_reading(const std::filesystem::path& path);

/// What a dataset of floats declares.
struct Shape {
  std::vector<hsize_t> dims;
  [[nodiscard]] std::int64_t count() const;
};

/// Opens the dataset `name` (each part of the path a hard link; contiguous or chunked with deflate, shuffle and
/// Fletcher32 only; float32 or float64 of either byte order; no external storage; declared size at most 1000
/// times the stored one). Errors: 65, with the datasets present when it is missing.
[[nodiscard]] Handle open_float_dataset(const Handle& file, const std::string& name,
                                        const std::filesystem::path& path);
[[nodiscard]] Shape shape_of(const Handle& dataset);

/// The whole dataset as float or double, in its own order. Errors: 65 when reading fails (a bad checksum).
[[nodiscard]] std::vector<float> read_floats(const Handle& dataset, const std::filesystem::path& path);
[[nodiscard]] std::vector<double> read_doubles(const Handle& dataset, const std::filesystem::path& path);

/// An attribute of numbers or of text, empty when it is not there.
[[nodiscard]] std::vector<double> read_number_attribute(const Handle& object, const std::string& name);
[[nodiscard]] std::string read_text_attribute(const Handle& object, const std::string& name);

}  // namespace minimod::hdf5

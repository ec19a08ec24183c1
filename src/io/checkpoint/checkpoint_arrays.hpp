/// The arrays of a checkpoint, by name.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "src/base/hdf5/hdf5.hpp"
#include "src/base/reals.hpp"

namespace minimod {

/// An array of one dimension, which comes in pieces.
struct NamedArray {
  std::string name;
  std::size_t size = 0;  ///< in reals
};

/// The first `filled` of the `length` values of each of `count` rows, which are an array of two dimensions.
struct NamedRows {
  std::string name;
  std::size_t count = 0, length = 0, filled = 0;
};

/// Writes arrays into a new file; every call is checked. Error 74.
class CheckpointWriter {
 public:
  /// Leaves `head_bytes` free in front of the arrays. Errors name `target`.
  CheckpointWriter(const std::filesystem::path& temporary, const std::filesystem::path& target,
                   std::size_t head_bytes);

  void write_rows(const NamedRows& rows, const Reals& values);
  /// The values from `first` on; the first piece of an array comes first.
  void write_piece(const NamedArray& array, hsize_t first, const Reals& values);
  void close();

 private:
  void check(hid_t result, const char* call) const;

  template <std::size_t rank>
  [[nodiscard]] hdf5::Handle make_dataset(const std::string& name, Precision precision,
                                          const std::array<hsize_t, rank>& dims,
                                          const std::array<hsize_t, rank>& chunk) const;

  std::filesystem::path target_;
  hdf5::Handle file_;
  std::optional<hdf5::Handle> dataset_;  ///< dataset of the present array
  int failed_before_ = hdf5::failed_closes();
};

/// Reads the arrays of a file that is whole, all in their precision. Errors: 65 others than are asked for.
class CheckpointReader {
 public:
  explicit CheckpointReader(std::filesystem::path file)
      : path_(std::move(file)), file_(hdf5::open_for_reading(path_)) {}

  void read_rows(const NamedRows& rows, Reals& values) const;
  /// Fills `values` from `first` on.
  void read_piece(const NamedArray& array, hsize_t first, Reals& values) const;

 private:
  std::filesystem::path path_;
  hdf5::Handle file_;
};

}  // namespace minimod

/// Common parts of the files of hdf5.hpp: names in messages, and what a dataset says of its size.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/base/hdf5/hdf5.hpp"

namespace minimod::hdf5 {

/// In quotes, printable and cut to a line's share.
[[nodiscard]] std::string shown_name(const std::string& name);

/// Dimensions as declared, of a simple dataspace; empty for any other.
[[nodiscard]] std::vector<hsize_t> declared_dims(const Handle& dataset);

/// Dimensions of a chunk; empty for a contiguous dataset.
[[nodiscard]] std::vector<hsize_t> chunk_dims(const Handle& dataset);

/// The reason of the library's last failure, where that is neither damage nor another kind of file: error
/// 65 where another program has it open for writing or a newer library has written it, 71 where no more files
/// can be opened. Call it at once.
[[nodiscard]] std::optional<Error> known_failure(const std::filesystem::path& path);

/// Whether the values are floats, not integers.
[[nodiscard]] bool is_float(const Handle& dataset);

/// How the numbers of a dataset stand for its values.
struct Packing {
  double scale = 1, offset = 0;
  double range = 0;             ///< added to stored values below 0
  std::vector<double> missing;  ///< stored values that stand for none
  [[nodiscard]] bool changes_nothing() const;
  /// Stored numbers become values, missing ones NaN.
  void unpack(std::span<double> values) const;
};

/// As the dataset's attributes say. Errors: 65.
[[nodiscard]] Packing packing_of(const Handle& dataset, const std::filesystem::path& path);

}  // namespace minimod::hdf5

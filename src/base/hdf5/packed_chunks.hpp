/// Compressed chunks of a dataset, which all cores pack: the library itself packs one after the other.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "src/base/hdf5/hdf5.hpp"

namespace minimod::hdf5 {

/// Chunks as they stand in a file behind the filters shuffle, deflate and Fletcher32 ("HDF5 File Format
/// Specification", III.C and IV.A.2.l), of values in row-major order. A chunk's values follow each other;
/// where the dataset ends within it, zeros fill it up.
class PackedChunks {
 public:
  /// `dims`: each above 0, slowest first; `value_bytes`: 4 or 8. More than 256 KiB: of a dataset's only chunk
  /// HDF5 1.10 forgets how long it is.
  PackedChunks(std::vector<hsize_t> dims, std::size_t value_bytes);

  /// The chunks of a dataset whose values have that type in the file; nothing where they are packed
  /// otherwise.
  [[nodiscard]] static std::optional<PackedChunks> of(const Handle& dataset, hid_t type);

  /// Says in a dataset's creation list how its chunks are packed.
  [[nodiscard]] herr_t describe(hid_t creation) const;
  /// Writes all values of a dataset that was so created; `check` hears what each call returned, in the thread
  /// that made it, and may throw.
  void write(hid_t dataset, const void* values, const std::function<void(herr_t)>& check) const;
  /// Whether the dataset's chunks hold these values, bit by bit.
  [[nodiscard]] bool hold(hid_t dataset, const void* values) const;
  /// Reads all values; false where a chunk is damaged or not there.
  [[nodiscard]] bool read(hid_t dataset, void* values) const;

 private:
  /// Where the values of a chunk stand among all, and how many there are.
  struct Place {
    hsize_t first;
    std::size_t count;
  };
  [[nodiscard]] Place place(std::size_t number) const;
  /// Values of a chunk with what fills it up.
  [[nodiscard]] std::size_t chunk_values() const { return product(extents_, 1); }
  [[nodiscard]] bool has_zeros_alone(const void* values, std::size_t number) const;
  /// A chunk of zeros as it stands in the file.
  [[nodiscard]] std::vector<std::byte> zeros() const;
  /// Values of a chunk, shuffled, until the thread's next call.
  [[nodiscard]] const std::vector<std::byte>& shuffled(const void* values, std::size_t number) const;
  /// The indices of a chunk's first value.
  [[nodiscard]] std::vector<hsize_t> corner(std::size_t number) const;

  std::vector<hsize_t> dims_, extents_;
  std::size_t value_bytes_;
  std::size_t cut_ = 0;  ///< axis that is cut; before it chunks are one index thick, behind it they are whole
  std::size_t parts_ = 1, count_ = 1;  ///< parts of that axis; chunks in all
};

}  // namespace minimod::hdf5
